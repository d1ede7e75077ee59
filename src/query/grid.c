#include "obstream/query/grid.h"

#include "obstream/core/strutil.h"

/* Mean lengths of the Gregorian calendar. */
static const struct {
    const char *name;
    double days;
} periods[] = {
    [PERIOD_HOUR] = { "hour", 1.0 / 24 }, [PERIOD_DAY] = { "day", 1 },
    [PERIOD_WEEK] = { "week", 7 },        [PERIOD_MONTH] = { "month", 30.436875 },
    [PERIOD_YEAR] = { "year", 365.2425 },
};

bool period_find(const char *name, enum period *out)
{
    for (size_t i = 0; name != NULL && i < ARRAY_SIZE(periods); i++) {
        if (str_eq(periods[i].name, name)) {
            *out = (enum period)i;
            return true;
        }
    }
    return false;
}

const char *period_name(enum period p)
{
    return periods[p].name;
}

double period_days(enum period p)
{
    return periods[p].days;
}

/* Local wall clock as an instant of its own. */
static int64_t local_usec(const struct tz *tz, int64_t usec)
{
    return usec + tz_offset(tz, usec, NULL, NULL) * USEC_PER_SEC;
}

/* Midnight at the start of the period n after the one that holds a local day. */
static struct civil local_midnight(enum period period, const struct civil *day, int n)
{
    struct civil c = { .year = day->year, .month = day->month, .day = day->day };
    int64_t days = civil_days(c.year, c.month, c.day);
    if (period == PERIOD_YEAR)
        days = civil_days(c.year + n, 1, 1);
    else if (period == PERIOD_MONTH)
        days = civil_days(c.year, c.month + n, 1);
    else if (period == PERIOD_WEEK) /* day 0 was a Thursday */
        days = floor_div(days + 3, 7) * 7 - 3 + 7 * (int64_t)n;
    else
        days += n;
    civil_from_days(days, &c.year, &c.month, &c.day);
    return c;
}

/* The first instant whose local time is `midnight` or later. `*clean`: none after it is before. */
static int64_t first_instant(const struct tz *tz, const struct civil *midnight, bool *clean)
{
    int64_t wanted = civil_to_usec(midnight), since, until;
    int64_t at = tz_from_local(tz, midnight);
    if (local_usec(tz, at) > wanted) { /* the clock jumped over midnight */
        tz_offset(tz, at, &since, NULL);
        at = since;
    }
    *clean = true;
    for (int64_t t = at;; t = until) {
        tz_offset(tz, t, NULL, &until);
        if (until == INT64_MAX || until - at > 2 * USEC_PER_DAY)
            return at;
        *clean &= local_usec(tz, until) >= wanted;
    }
}

/* The boundary at or before (direction -1) or at or after (1) an instant. */
static int64_t day_boundary(const struct grid *g, int64_t usec, int direction)
{
    struct civil day = tz_to_local(g->tz, usec);
    for (int n = 0;; n += direction) {
        bool clean;
        struct civil midnight = local_midnight(g->period, &day, n);
        int64_t at = first_instant(g->tz, &midnight, &clean);
        if (clean && (direction < 0 ? at <= usec : at >= usec))
            return at;
    }
}

static bool changes_at(const struct tz *tz, int64_t usec)
{
    return tz_offset(tz, usec - 1, NULL, NULL) != tz_offset(tz, usec, NULL, NULL);
}

/* Hours start where the clock says so, and where it is put forward or back. */
static int64_t hour_floor(const struct tz *tz, int64_t usec)
{
    int64_t since, offset = tz_offset(tz, usec, &since, NULL) * USEC_PER_SEC;
    int64_t at = floor_div(usec + offset, USEC_PER_HOUR) * USEC_PER_HOUR - offset;
    return at < since && changes_at(tz, since) ? since : at;
}

static int64_t hour_ceil(const struct tz *tz, int64_t usec)
{
    int64_t until, offset = tz_offset(tz, usec, NULL, &until) * USEC_PER_SEC;
    int64_t at = hour_floor(tz, usec);
    if (at == usec)
        return at;
    at = (floor_div(usec + offset, USEC_PER_HOUR) + 1) * USEC_PER_HOUR - offset;
    return at > until && changes_at(tz, until) ? until : at;
}

int64_t grid_floor(const struct grid *g, int64_t usec)
{
    return g->period == PERIOD_HOUR ? hour_floor(g->tz, usec) : day_boundary(g, usec, -1);
}

int64_t grid_ceil(const struct grid *g, int64_t usec)
{
    return g->period == PERIOD_HOUR ? hour_ceil(g->tz, usec) : day_boundary(g, usec, 1);
}

/* Weeks do not tile months: they stay weeks. */
static struct grid coarser(const struct grid *g, int64_t length)
{
    struct grid out = *g;
    enum period fits = length >= 366 * USEC_PER_DAY  ? PERIOD_YEAR
                       : length >= 31 * USEC_PER_DAY ? PERIOD_MONTH
                       : length >= USEC_PER_DAY      ? PERIOD_DAY
                                                     : PERIOD_HOUR;
    if (g->period != PERIOD_WEEK && fits > g->period)
        out.period = fits;
    return out;
}

int64_t grid_window_end(const struct grid *g, int64_t from, int64_t length, int64_t to)
{
    if (length >= to - from)
        return to;
    struct grid unit = coarser(g, length);
    int64_t end = grid_floor(&unit, from + length);
    if (end <= from)
        end = grid_ceil(&unit, from + 1);
    return end < to ? end : to;
}

int64_t grid_window_start(const struct grid *g, int64_t from, int64_t length, int64_t to)
{
    if (length >= to - from)
        return from;
    struct grid unit = coarser(g, length);
    int64_t start = grid_ceil(&unit, to - length);
    if (start >= to)
        start = grid_floor(&unit, to - 1);
    return start > from ? start : from;
}
