/* window.h: windows tile any stretch of time, both ways, and end where they promise to. */
#include "test_random.h"

#include "obstream/core/civil.h"
#include "obstream/query/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

enum unit { HOUR, DAY, MONTH, YEAR };

static enum unit unit_of(int64_t length)
{
    return length >= 366 * USEC_PER_DAY  ? YEAR
           : length >= 31 * USEC_PER_DAY ? MONTH
           : length >= USEC_PER_DAY      ? DAY
                                         : HOUR;
}

static bool on_boundary(int64_t t, enum unit unit)
{
    struct civil c = civil_from_usec(t);
    return c.minute == 0 && c.second == 0 && c.usec == 0 && (unit < DAY || c.hour == 0) &&
           (unit < MONTH || c.day == 1) && (unit < YEAR || c.month == 1);
}

/* The first boundary after t (step 1), the last one before it (step -1), by walking hour by hour
 * or day by day. */
static int64_t neighbour(int64_t t, enum unit unit, int step)
{
    int64_t grain = unit == HOUR ? USEC_PER_HOUR : USEC_PER_DAY;
    int64_t at = step > 0 ? (floor_div(t, grain) + 1) * grain : floor_div(t - 1, grain) * grain;
    while (!on_boundary(at, unit))
        at += step * grain;
    return at;
}

static void check_end(int64_t from, int64_t length, int64_t to, int64_t end)
{
    enum unit unit = unit_of(length);
    assert_true(end > from && end <= to);
    if (end == to)
        return;
    assert_true(on_boundary(end, unit));
    assert_true(end <= from + length || end == neighbour(from, unit, 1));
    assert_true(neighbour(end, unit, 1) > from + length);
    assert_int_equal(window_end(from, length, to + 1000 * USEC_PER_DAY), end);
}

static void check_start(int64_t from, int64_t length, int64_t to, int64_t start)
{
    enum unit unit = unit_of(length);
    assert_true(start < to && start >= from);
    if (start == from)
        return;
    assert_true(on_boundary(start, unit));
    assert_true(start >= to - length || start == neighbour(to, unit, -1));
    assert_true(neighbour(start, unit, -1) < to - length);
    assert_int_equal(window_start(from - 1000 * USEC_PER_DAY, length, to), start);
}

static void test_tiles(void **state)
{
    (void)state;
    struct random r = random_start(1);
    int64_t low = civil_days(1700, 1, 1), high = civil_days(2200, 1, 1);
    int inner = 0;
    for (int round = 0; round < 1000; round++) {
        int64_t from = random_in(&r, low * USEC_PER_DAY, high * USEC_PER_DAY);
        int64_t span = random_in(&r, 1, INT64_C(1) << random_in(&r, 4, 53));
        int64_t length = random_in(&r, 1 + span / 60, 1 + span);
        int64_t to = from + span, at = from;
        while (at < to) {
            int64_t end = window_end(at, length, to);
            check_end(at, length, to, end);
            inner += end < to;
            at = end;
        }
        assert_int_equal(at, to);
        while (at > from) {
            int64_t start = window_start(from, length, at);
            check_start(from, length, at, start);
            at = start;
        }
        assert_int_equal(at, from);
    }
    assert_true(inner > 1000);
}

static int64_t at(int year, int month, int day, int hour)
{
    return civil_days(year, month, day) * USEC_PER_DAY + hour * USEC_PER_HOUR;
}

static void test_examples(void **state)
{
    (void)state;
    int64_t far = at(2100, 1, 1, 0);
    assert_int_equal(window_end(at(2024, 1, 31, 5), 31 * USEC_PER_DAY, far), at(2024, 3, 1, 0));
    assert_int_equal(window_end(at(2024, 2, 1, 0), 366 * USEC_PER_DAY, far), at(2025, 1, 1, 0));
    assert_int_equal(window_end(at(2024, 2, 1, 3), 1, far), at(2024, 2, 1, 4));
    assert_int_equal(window_end(at(2024, 2, 1, 0), USEC_PER_DAY, far), at(2024, 2, 2, 0));
    assert_int_equal(window_start(0, 31 * USEC_PER_DAY, at(2024, 3, 5, 5)), at(2024, 3, 1, 0));
    assert_int_equal(window_start(0, USEC_PER_DAY, at(2024, 3, 1, 0)), at(2024, 2, 29, 0));
    assert_int_equal(window_start(INT64_MIN / 4, 1, at(1969, 12, 31, 1)), at(1969, 12, 31, 0));
    assert_int_equal(window_end(at(1969, 12, 31, 1), INT64_MAX / 4, far), far);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
