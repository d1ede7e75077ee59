/* Start and end of a request, and Python's way with datetimes. */
#include "compat.h"

#include <stdio.h>

struct iem_time iem_time_utc(int64_t usec)
{
    return (struct iem_time){
        .set = true, .aware = true, .local = civil_from_usec(usec), .usec = usec
    };
}

/* Zones whose names people use for another one: what the recorded service takes them for. */
static const struct {
    const char *name, *meant;
} zone_names[] = {
    { "GMT", "UTC" },
    { "EST", "America/New_York" },
    { "MST", "America/Denver" },
    { "HST", "Pacific/Honolulu" },
};

const struct tz *iem_zone_meant(const struct tz *tz)
{
    for (size_t i = 0; i < ARRAY_SIZE(zone_names); i++) {
        if (str_eq(tz_name(tz), zone_names[i].name)) {
            const struct tz *meant = tz_find(zone_names[i].meant);
            return meant != NULL ? meant : tz;
        }
    }
    return tz;
}

static void place_in_zone(struct iem_time *t, const struct tz *tz)
{
    t->zone = tz;
    t->aware = true;
    t->usec = tz_from_local(tz, &t->local);
    t->offset = (int32_t)((civil_to_usec(&t->local) - t->usec) / USEC_PER_SEC);
}

int iem_time_compare(const struct iem_time *a, const struct iem_time *b)
{
    bool wall = a->zone != NULL && a->zone == b->zone;
    int64_t x = wall ? civil_to_usec(&a->local) : a->usec;
    int64_t y = wall ? civil_to_usec(&b->local) : b->usec;
    return (x > y) - (x < y);
}

bool iem_time_add_days(struct iem_time *t, int days)
{
    t->local = civil_from_usec(civil_to_usec(&t->local) + days * USEC_PER_DAY);
    if (t->zone != NULL)
        place_in_zone(t, t->zone);
    else
        t->usec += days * USEC_PER_DAY;
    return civil_valid(&t->local);
}

struct time_piece {
    const char *name;
    const struct param_count *own, *common;
    int64_t standard, min, max; /* standard INT64_MIN: must be given */
    int *out;
};

static bool take_piece(struct api_request *r, const struct time_piece *x, char number)
{
    char name[16];
    snprintf(name, sizeof(name), "%s%c", x->name, number);
    const struct param_count *given = x->own->set ? x->own : x->common;
    int64_t v = given->set ? given->value : x->standard;
    if (!given->set && x->standard == INT64_MIN) {
        fault_add(
            &r->faults, name, NULL,
            "give %s of the request: %s as a time with its zone, or year%c, month%c and day%c",
            number == '1' ? "the start" : "the end", number == '1' ? "sts" : "ets", number, number,
            number);
        return false;
    }
    if (v < x->min || v > x->max) {
        fault_add(&r->faults, name, NULL, "%lld has to be within %lld to %lld", (long long)v,
                  (long long)x->min, (long long)x->max);
        return false;
    }
    *x->out = (int)v;
    return true;
}

/* Days beyond the end of the month are its last: many scripts always ask up to the 31st. */
static bool take_pieces(struct api_request *r, const struct iem_period *t,
                        const struct iem_pieces *own, const struct tz *tz, char number,
                        struct iem_time *out)
{
    *out = (struct iem_time){ .set = true };
    struct civil *c = &out->local;
    const struct time_piece pieces[] = {
        { "year", &own->year, &t->both.year, INT64_MIN, 1, 9999, &c->year },
        { "month", &own->month, &t->both.month, INT64_MIN, 1, 12, &c->month },
        { "day", &own->day, &t->both.day, INT64_MIN, 1, 31, &c->day },
        { "hour", &own->hour, &t->both.hour, 0, 0, 23, &c->hour },
        { "minute", &own->minute, &t->both.minute, 0, 0, 59, &c->minute },
    };
    for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
        if (!take_piece(r, &pieces[i], number))
            return false;
    }
    int last = civil_month_days(c->year, c->month);
    if (c->day > last)
        c->day = last;
    place_in_zone(out, tz);
    return true;
}

bool iem_period(struct api_request *r, const struct iem_period *t, const struct tz *tz,
                struct iem_time *from, struct iem_time *to)
{
    *from = t->sts;
    *to = t->ets;
    bool ok = t->sts.set || take_pieces(r, t, &t->first, tz, '1', from);
    return (t->ets.set || take_pieces(r, t, &t->last, tz, '2', to)) && ok;
}
