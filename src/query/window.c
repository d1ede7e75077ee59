#include "obstream/query/window.h"

#include "obstream/core/civil.h"

enum unit { UNIT_HOUR, UNIT_DAY, UNIT_MONTH, UNIT_YEAR };

static enum unit unit_for(int64_t length)
{
    if (length >= 366 * USEC_PER_DAY)
        return UNIT_YEAR;
    if (length >= 31 * USEC_PER_DAY)
        return UNIT_MONTH;
    return length >= USEC_PER_DAY ? UNIT_DAY : UNIT_HOUR;
}

/* The last boundary at or before t, moved by n units. */
static int64_t boundary(int64_t t, enum unit unit, int n)
{
    if (unit == UNIT_HOUR)
        return (floor_div(t, USEC_PER_HOUR) + n) * USEC_PER_HOUR;
    if (unit == UNIT_DAY)
        return (floor_div(t, USEC_PER_DAY) + n) * USEC_PER_DAY;
    struct civil c = civil_from_usec(t);
    if (unit == UNIT_MONTH)
        return civil_days(c.year, c.month + n, 1) * USEC_PER_DAY;
    return civil_days(c.year + n, 1, 1) * USEC_PER_DAY;
}

int64_t window_end(int64_t from, int64_t length, int64_t to)
{
    if (length >= to - from)
        return to;
    enum unit unit = unit_for(length);
    int64_t end = boundary(from + length, unit, 0);
    if (end <= from)
        end = boundary(from, unit, 1);
    return end < to ? end : to;
}

int64_t window_start(int64_t from, int64_t length, int64_t to)
{
    if (length >= to - from)
        return from;
    enum unit unit = unit_for(length);
    int64_t start = boundary(to - length, unit, 0);
    if (start < to - length)
        start = boundary(start, unit, 1);
    if (start >= to)
        start = boundary(to - 1, unit, 0);
    return start > from ? start : from;
}
