/* Periods of days: their numbers, bounds and names. */
#include "climodat.h"

#include <stdio.h>
#include <string.h>

/* 1970-01-01 is a Thursday: its week began three days before. */
enum { WEEK_SHIFT = 3, LEAP_YEAR = 2000 };

static const char *const by_names[] = { "day", "week", "month", "season", "year", "wateryear" };
static const char *const season_names[] = { "DJF", "MAM", "JJA", "SON" };

static bool parse_mmdd(const char *s, int *out)
{
    int v = 0;
    for (int i = 0; i < 4; i++) {
        if (s[i] < '0' || s[i] > '9')
            return false;
        v = v * 10 + (s[i] - '0');
    }
    *out = v;
    return v / 100 >= 1 && v / 100 <= 12 && v % 100 >= 1 &&
           v % 100 <= civil_month_days(LEAP_YEAR, v / 100);
}

bool by_parse(const char *text, struct by *out)
{
    for (int i = 0; i < (int)ARRAY_SIZE(by_names); i++) {
        if (str_eq(text, by_names[i])) {
            *out = (struct by){ .kind = (enum by_kind)i };
            return true;
        }
    }
    out->kind = BY_WINDOW;
    return strlen(text) == 9 && text[4] == '-' && parse_mmdd(text, &out->from) &&
           parse_mmdd(text + 5, &out->to);
}

bool by_whole_months(const struct by *b)
{
    return b->kind >= BY_MONTH && b->kind <= BY_WATERYEAR;
}

/* Years of a window are those in which it ends. */
static struct climo_period window_period(const struct by *b, int year)
{
    int month = b->to / 100, day = b->to % 100;
    int last = civil_month_days(year, month);
    int64_t end = civil_days(year, month, day < last ? day : last) + 1;
    int64_t start = civil_days(year - (b->from > b->to), b->from / 100, b->from % 100);
    if (start > end)
        start = end;
    return (
        struct climo_period){ .start = (int32_t)start, .end = (int32_t)end, .year = (int16_t)year };
}

int64_t by_index(const struct by *b, int64_t day)
{
    int year, month, dom;
    civil_from_days(day, &year, &month, &dom);
    switch (b->kind) {
    case BY_DAY:
        return day;
    case BY_WEEK:
        return floor_div(day + WEEK_SHIFT, 7);
    case BY_MONTH:
        return (int64_t)year * 12 + month - 1;
    case BY_SEASON:
        return floor_div((int64_t)year * 12 + month, 3);
    case BY_YEAR:
        return year;
    case BY_WATERYEAR:
        return year + (month >= 10);
    case BY_WINDOW:
        break;
    }
    return year + (window_period(b, year).end <= day);
}

/* ISO 8601: a week belongs to the year of its Thursday. */
static struct climo_period week_period(int64_t index)
{
    int year, month, day;
    int64_t start = index * 7 - WEEK_SHIFT;
    civil_from_days(start + 3, &year, &month, &day);
    return (struct climo_period){ .start = (int32_t)start,
                                  .end = (int32_t)start + 7,
                                  .year = (int16_t)year,
                                  .key = (int16_t)((start + 3 - civil_days(year, 1, 1)) / 7 + 1) };
}

static struct climo_period months_period(int year, int month, int months, int named, int key)
{
    return (struct climo_period){ .start = (int32_t)civil_days(year, month, 1),
                                  .end = (int32_t)civil_days(year, month + months, 1),
                                  .year = (int16_t)named,
                                  .key = (int16_t)key };
}

struct climo_period by_period(const struct by *b, int64_t index)
{
    int year = (int)index, month, day;
    switch (b->kind) {
    case BY_DAY:
        civil_from_days(index, &year, &month, &day);
        return (struct climo_period){ .start = (int32_t)index,
                                      .end = (int32_t)index + 1,
                                      .year = (int16_t)year,
                                      .key = (int16_t)(month * 100 + day) };
    case BY_WEEK:
        return week_period(index);
    case BY_MONTH:
        year = (int)floor_div(index, 12);
        month = (int)(index - 12 * (int64_t)year);
        return months_period(year, month + 1, 1, year, month + 1);
    case BY_SEASON: /* number 4 y is the winter that ends in y */
        year = (int)floor_div(index, 4);
        month = (int)(index - 4 * (int64_t)year) * 3; /* 0: the December before */
        return months_period(year, month, 3, year, month / 3);
    case BY_YEAR:
        return months_period(year, 1, 12, year, 0);
    case BY_WATERYEAR:
        return months_period(year - 1, 10, 12, year, 0);
    case BY_WINDOW:
        break;
    }
    return window_period(b, year);
}

size_t by_label(const struct by *b, const struct climo_period *p, char out[LABEL_ROOM])
{
    int n;
    switch (b->kind) {
    case BY_DAY:
        n = snprintf(out, LABEL_ROOM, "%04d-%02d-%02d", p->year, p->key / 100, p->key % 100);
        break;
    case BY_WEEK:
        n = snprintf(out, LABEL_ROOM, "%04d-W%02d", p->year, p->key);
        break;
    case BY_MONTH:
        n = snprintf(out, LABEL_ROOM, "%04d-%02d", p->year, p->key);
        break;
    case BY_SEASON:
        n = snprintf(out, LABEL_ROOM, "%04d-%s", p->year, season_names[p->key]);
        break;
    default:
        n = snprintf(out, LABEL_ROOM, "%04d", p->year);
        break;
    }
    return (size_t)n;
}
