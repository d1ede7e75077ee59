/* grid.h: boundaries of local periods, against a walk over the local clock, and the windows. */
#include "test_random.h"

#include "obstream/query/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

static const enum period all_periods[] = { PERIOD_HOUR, PERIOD_DAY, PERIOD_WEEK, PERIOD_MONTH,
                                           PERIOD_YEAR };

static const struct tz *zone(const char *name)
{
    const struct tz *tz = tz_find(name);
    assert_non_null(tz);
    return tz;
}

static int64_t utc(int year, int month, int day, int hour, int minute)
{
    return civil_days(year, month, day) * USEC_PER_DAY + hour * USEC_PER_HOUR +
           minute * USEC_PER_MIN;
}

static void test_names(void **state)
{
    (void)state;
    enum period p;
    for (size_t i = 0; i < sizeof(all_periods) / sizeof(*all_periods); i++) {
        assert_true(period_find(period_name(all_periods[i]), &p));
        assert_int_equal(p, all_periods[i]);
    }
    assert_false(period_find("days", &p));
    assert_false(period_find(NULL, &p));
}

static void test_dst_days(void **state)
{
    (void)state;
    struct grid day = { PERIOD_DAY, zone("America/Chicago") };
    /* 10 March 2024 has 23 hours, 3 November 25. */
    assert_int_equal(grid_floor(&day, utc(2024, 3, 10, 15, 0)), utc(2024, 3, 10, 6, 0));
    assert_int_equal(grid_ceil(&day, utc(2024, 3, 10, 15, 0)), utc(2024, 3, 11, 5, 0));
    assert_int_equal(grid_ceil(&day, utc(2024, 11, 3, 5, 1)), utc(2024, 11, 4, 6, 0));
    assert_int_equal(grid_floor(&day, utc(2024, 11, 4, 5, 59)), utc(2024, 11, 3, 5, 0));
    assert_int_equal(grid_floor(&day, utc(2024, 11, 4, 6, 0)), utc(2024, 11, 4, 6, 0));
    assert_int_equal(grid_ceil(&day, utc(2024, 11, 4, 6, 0)), utc(2024, 11, 4, 6, 0));
    struct grid month = { PERIOD_MONTH, day.tz }, year = { PERIOD_YEAR, day.tz };
    assert_int_equal(grid_floor(&month, utc(2024, 4, 1, 4, 59)), utc(2024, 3, 1, 6, 0));
    assert_int_equal(grid_ceil(&month, utc(2024, 3, 1, 6, 1)), utc(2024, 4, 1, 5, 0));
    assert_int_equal(grid_ceil(&year, utc(2024, 3, 1, 6, 1)), utc(2025, 1, 1, 6, 0));
    struct grid week = { PERIOD_WEEK, day.tz }; /* 4 March 2024 was a Monday */
    assert_int_equal(grid_floor(&week, utc(2024, 3, 11, 4, 59)), utc(2024, 3, 4, 6, 0));
    assert_int_equal(grid_floor(&week, utc(2024, 3, 11, 5, 0)), utc(2024, 3, 11, 5, 0));
}

static void test_odd_clocks(void **state)
{
    (void)state;
    struct grid day = { PERIOD_DAY, zone("America/Sao_Paulo") };
    /* 4 November 2018 began at 1 o'clock. */
    assert_int_equal(grid_floor(&day, utc(2018, 11, 4, 12, 0)), utc(2018, 11, 4, 3, 0));
    day.tz = zone("America/Havana"); /* 3 November 2024 had two midnights */
    assert_int_equal(grid_floor(&day, utc(2024, 11, 3, 12, 0)), utc(2024, 11, 3, 4, 0));
    day.tz = zone("America/St_Johns"); /* 1 November 2009, 00:01: back to 23:01 */
    assert_int_equal(grid_floor(&day, utc(2009, 11, 1, 12, 0)), utc(2009, 10, 31, 2, 30));
    assert_int_equal(grid_ceil(&day, utc(2009, 10, 31, 12, 0)), utc(2009, 11, 2, 3, 30));
    day.tz = zone("Pacific/Apia"); /* 30 December 2011 was left out */
    assert_int_equal(grid_ceil(&day, utc(2011, 12, 29, 11, 0)), utc(2011, 12, 30, 10, 0));
    assert_int_equal(grid_ceil(&day, utc(2011, 12, 30, 10, 1)), utc(2011, 12, 31, 10, 0));
    struct grid hour = { PERIOD_HOUR, zone("Asia/Kolkata") };
    assert_int_equal(grid_floor(&hour, utc(2024, 6, 1, 12, 0)), utc(2024, 6, 1, 11, 30));
    hour.tz = zone("Australia/Lord_Howe"); /* half an hour back at 15:00 UTC */
    assert_int_equal(grid_floor(&hour, utc(2024, 4, 6, 15, 10)), utc(2024, 4, 6, 15, 0));
    assert_int_equal(grid_ceil(&hour, utc(2024, 4, 6, 14, 10)), utc(2024, 4, 6, 15, 0));
    assert_int_equal(grid_ceil(&hour, utc(2024, 4, 6, 15, 10)), utc(2024, 4, 6, 15, 30));
}

/* What date_trunc() groups by: the local day, week, month or year; of hours also the offset. */
static int64_t period_key(const struct grid *g, int64_t usec)
{
    struct civil c = tz_to_local(g->tz, usec);
    int64_t days = civil_days(c.year, c.month, c.day);
    switch (g->period) {
    case PERIOD_HOUR:
        return floor_div(usec + tz_offset(g->tz, usec, NULL, NULL) * USEC_PER_SEC, USEC_PER_HOUR) *
                   USEC_PER_HOUR -
               tz_offset(g->tz, usec, NULL, NULL) * USEC_PER_SEC;
    case PERIOD_DAY:
        return days;
    case PERIOD_WEEK:
        return floor_div(days + 3, 7);
    case PERIOD_MONTH:
        return c.year * 12 + c.month;
    default:
        return c.year;
    }
}

/* No period has instants on both sides of a boundary: keys within three days of it. */
static void check_boundary(const struct grid *g, int64_t at)
{
    for (int64_t d = 1; d < 72 * 4; d++) {
        int64_t before = period_key(g, at - d * 15 * USEC_PER_MIN), after = period_key(g, at);
        assert_true(before < after);
        after = period_key(g, at + d * 15 * USEC_PER_MIN - 1);
        assert_true(period_key(g, at - 1) < after);
    }
}

static void test_against_the_clock(void **state)
{
    (void)state;
    static const char *const names[] = { "America/Chicago",   "America/St_Johns", "UTC",
                                         "America/Sao_Paulo", "America/Havana",   "Pacific/Apia",
                                         "Asia/Kolkata",      "America/Toronto",  "Asia/Gaza",
                                         "Pacific/Honolulu",  "Africa/Cairo",     "Asia/Tehran" };
    struct random r = random_start(7);
    for (int round = 0; round < 2000; round++) {
        struct grid g = { all_periods[random_in(&r, 0, 4)], zone(names[random_in(&r, 0, 11)]) };
        int64_t t = random_in(&r, utc(1918, 1, 1, 0, 0), utc(2037, 1, 1, 0, 0));
        t = floor_div(t, USEC_PER_MIN) * USEC_PER_MIN;
        int64_t low = grid_floor(&g, t), high = grid_ceil(&g, t);
        assert_true(low <= t && high >= t);
        assert_true((low == high) == (low == t));
        check_boundary(&g, low);
        check_boundary(&g, high);
        assert_int_equal(grid_floor(&g, high), high);
        assert_int_equal(grid_ceil(&g, low), low);
    }
}

static void test_windows(void **state)
{
    (void)state;
    struct random r = random_start(3);
    int inner = 0;
    for (int round = 0; round < 500; round++) {
        struct grid g = { all_periods[random_in(&r, 0, 4)], zone("America/Chicago") };
        int64_t from = random_in(&r, utc(1990, 1, 1, 0, 0), utc(2020, 1, 1, 0, 0));
        int64_t span = random_in(&r, 1, 4000) * USEC_PER_DAY, to = from + span, at = from;
        int64_t length = random_in(&r, span / 40 + 1, span);
        while (at < to) {
            int64_t end = grid_window_end(&g, at, length, to);
            assert_true(end > at && end <= to);
            assert_true(end == to || grid_floor(&g, end) == end);
            inner += end < to;
            at = end;
        }
        while (at > from) {
            int64_t start = grid_window_start(&g, from, length, at);
            assert_true(start < at && start >= from);
            assert_true(start == from || grid_floor(&g, start) == start);
            at = start;
        }
    }
    assert_true(inner > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),      cmocka_unit_test(test_dst_days),
        cmocka_unit_test(test_odd_clocks), cmocka_unit_test(test_against_the_clock),
        cmocka_unit_test(test_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
