/*
 * Periods of the calendar in a time zone, for answers that are grouped by them: windows of such an
 * answer are cut between periods, never within one.
 *
 * A boundary is the instant at which the local clock enters another hour, day, week (Monday), month
 * or year. Where the clock goes back over midnight it enters a day twice: then neither is a
 * boundary and the days on both sides stay together, so that each boundary has all of a period on
 * one side.
 */
#ifndef OBSTREAM_QUERY_GRID_H
#define OBSTREAM_QUERY_GRID_H

#include "obstream/core/tz.h"

enum period { PERIOD_HOUR, PERIOD_DAY, PERIOD_WEEK, PERIOD_MONTH, PERIOD_YEAR };

struct grid {
    enum period period;
    const struct tz *tz;
};

/* The period of a word: hour, day, week, month, year. False for any other; NULL is another. */
bool period_find(const char *name, enum period *out);
const char *period_name(enum period p); /* as date_trunc() of PostgreSQL spells it */
double period_days(enum period p);      /* mean length */

/* The last boundary at or before an instant; the first one at or after it. */
int64_t grid_floor(const struct grid *g, int64_t usec);
int64_t grid_ceil(const struct grid *g, int64_t usec);

/* As window_end() and window_start(), with the boundaries of the grid: the larger of its period and
 * the calendar unit that fits `length`. */
int64_t grid_window_end(const struct grid *g, int64_t from, int64_t length, int64_t to);
int64_t grid_window_start(const struct grid *g, int64_t from, int64_t length, int64_t to);

#endif
