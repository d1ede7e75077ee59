#include "obstream/core/timeparse.h"

#include "obstream/core/strutil.h"

#include <string.h>

#define DATE_FORMS "YYYY-MM-DD, YYYY-MM or YYYY"
#define TIME_FORMS DATE_FORMS ", or YYYY-MM-DDThh:mm[:ss[.ffffff]], with Z or an offset as +hh:mm"

enum { SHOWN_MAX = 64, FRACTION_DIGITS = 9, USEC_DIGITS = 6 };

/* Moves *s past exactly n digits and stores their value; else leaves *s alone. */
static bool take_digits(const char **s, int n, int *value)
{
    int v = 0;
    for (int i = 0; i < n; i++) {
        if ((*s)[i] < '0' || (*s)[i] > '9')
            return false;
        v = v * 10 + ((*s)[i] - '0');
    }
    *s += n;
    *value = v;
    return true;
}

static bool take_char(const char **s, char c)
{
    if (**s != c)
        return false;
    (*s)++;
    return true;
}

/* YYYY, YYYY-MM or YYYY-MM-DD; *full tells whether the day was there. */
static bool take_date(const char **s, struct civil *c, bool *full)
{
    *c = (struct civil){ .month = 1, .day = 1 };
    *full = false;
    if (!take_digits(s, 4, &c->year))
        return false;
    if (!take_char(s, '-'))
        return true;
    if (!take_digits(s, 2, &c->month))
        return false;
    if (!take_char(s, '-'))
        return true;
    *full = true;
    return take_digits(s, 2, &c->day);
}

/* 1 to 9 digits, cut to microseconds */
static bool take_fraction(const char **s, int *usec)
{
    int n = 0, v = 0;
    for (; n <= FRACTION_DIGITS && **s >= '0' && **s <= '9'; n++, (*s)++) {
        if (n < USEC_DIGITS)
            v = v * 10 + (**s - '0');
    }
    for (int i = n; i < USEC_DIGITS; i++)
        v *= 10;
    *usec = v;
    return n >= 1 && n <= FRACTION_DIGITS;
}

static bool take_clock(const char **s, struct civil *c)
{
    if (!take_digits(s, 2, &c->hour) || !take_char(s, ':') || !take_digits(s, 2, &c->minute))
        return false;
    if (!take_char(s, ':'))
        return true;
    if (!take_digits(s, 2, &c->second))
        return false;
    return !take_char(s, '.') || take_fraction(s, &c->usec);
}

struct offset {
    bool present;
    int sign, hour, minute;
};

/* Z, z, or a sign with hh, hhmm or hh:mm; a blank is a `+` that was not escaped. */
static bool take_offset(const char **s, struct offset *o)
{
    *o = (struct offset){ .present = **s != '\0', .sign = **s == '-' ? -1 : 1 };
    if (!o->present || take_char(s, 'Z') || take_char(s, 'z'))
        return true;
    if (strchr("+- ", **s) == NULL)
        return false;
    (*s)++;
    if (!take_digits(s, 2, &o->hour))
        return false;
    if (**s == '\0')
        return true;
    take_char(s, ':');
    return take_digits(s, 2, &o->minute);
}

/* The text as far as a message shows it, with a mark where it goes on. */
struct shown {
    char text[SHOWN_MAX + 4];
};

static struct shown show(const char *text)
{
    struct shown s;
    size_t n = strnlen(text, SHOWN_MAX + 1), keep = n > SHOWN_MAX ? SHOWN_MAX : n;
    while (n > keep && keep > 0 && ((unsigned char)text[keep] & 0xc0) == 0x80)
        keep--; /* not within a UTF-8 sequence */
    for (size_t i = 0; i < keep; i++)
        s.text[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i];
    memcpy(s.text + keep, n > keep ? "..." : "", n > keep ? 4 : 1);
    return s;
}

struct field {
    const char *name, *remedy;
    int value, min, max;
};

/* Reports the first field that is out of its range. */
static bool check_fields(const char *text, const struct field *fields, size_t count, struct err *e)
{
    for (size_t i = 0; i < count; i++) {
        const struct field *f = &fields[i];
        if (f->value < f->min || f->value > f->max)
            return err_set(e, ERR_PARAM, "'%s': %s %d is not within %d to %d%s", show(text).text,
                           f->name, f->value, f->min, f->max, f->remedy);
    }
    return true;
}

static bool check_civil(const char *text, const struct civil *c, struct err *e)
{
    bool month_ok = c->month >= 1 && c->month <= 12;
    const struct field fields[] = {
        { "year", "", c->year, 1, 9999 },
        { "month", "", c->month, 1, 12 },
        { "day", " in that month", c->day, 1, month_ok ? civil_month_days(c->year, c->month) : 31 },
        { "hour", "; write midnight as 00:00 of the next day", c->hour, 0, 23 },
        { "minute", "", c->minute, 0, 59 },
        { "second", "; leap seconds are not counted", c->second, 0, 59 },
    };
    return check_fields(text, fields, ARRAY_SIZE(fields), e);
}

static bool check_offset(const char *text, const struct offset *o, struct err *e)
{
    const struct field fields[] = {
        { "offset hour", "", o->hour, 0, 23 },
        { "offset minute", "", o->minute, 0, 59 },
    };
    return check_fields(text, fields, ARRAY_SIZE(fields), e);
}

bool time_parse_civil(const char *text, struct civil *local, bool *aware, int32_t *offset_sec,
                      struct err *e)
{
    const char *s = text;
    struct offset o = { .present = false };
    bool full;
    *aware = false;
    *offset_sec = 0;
    bool ok = take_date(&s, local, &full);
    if (ok && full && *s != '\0')
        ok = strchr("Tt ", *s++) != NULL && take_clock(&s, local) && take_offset(&s, &o);
    if (!ok || *s != '\0')
        return err_set(e, ERR_PARAM,
                       "'%s' is not a date or time; write %s (and %%2B for the + in "
                       "a URL)",
                       show(text).text, TIME_FORMS);
    if (!check_civil(text, local, e) || !check_offset(text, &o, e))
        return false;
    *aware = o.present;
    *offset_sec = o.sign * (o.hour * 3600 + o.minute * 60);
    return true;
}

bool time_parse(const char *text, const struct tz *tz, int64_t *usec, struct err *e)
{
    struct civil local;
    bool aware;
    int32_t offset;
    if (!time_parse_civil(text, &local, &aware, &offset, e))
        return false;
    *usec = aware ? civil_to_usec(&local) - offset * USEC_PER_SEC : tz_from_local(tz, &local);
    return true;
}

bool day_parse(const char *text, int64_t *days, struct err *e)
{
    const char *s = text;
    struct civil c;
    bool full;
    if (!take_date(&s, &c, &full) || *s != '\0')
        return err_set(e, ERR_PARAM, "'%s' is not a day; write %s", show(text).text, DATE_FORMS);
    if (!check_civil(text, &c, e))
        return false;
    *days = civil_days(c.year, c.month, c.day);
    return true;
}
