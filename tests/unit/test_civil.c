#include "obstream/core/civil.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

/* Counts every day from -0400 to 2400 one by one. */
static void test_every_day(void **state)
{
    (void)state;
    int64_t days = civil_days(-400, 1, 1);
    for (int year = -400; year <= 2400; year++) {
        for (int month = 1; month <= 12; month++) {
            for (int day = 1; day <= civil_month_days(year, month); day++, days++) {
                int y, m, d;
                civil_from_days(days, &y, &m, &d);
                if (civil_days(year, month, day) != days || y != year || m != month || d != day)
                    fail_msg("%d-%d-%d", year, month, day);
            }
        }
    }
    assert_int_equal(civil_days(1970, 1, 1), 0);
    assert_int_equal(civil_days(2000, 3, 1), 11017);
}

static void test_month_carry(void **state)
{
    (void)state;
    assert_int_equal(civil_days(2024, 13, 1), civil_days(2025, 1, 1));
    assert_int_equal(civil_days(2024, 0, 1), civil_days(2023, 12, 1));
    assert_int_equal(civil_days(2024, -11, 15), civil_days(2023, 1, 15));
    assert_int_equal(civil_days(2024, 6 + 120, 1), civil_days(2034, 6, 1));
}

static void test_leap(void **state)
{
    (void)state;
    assert_true(civil_is_leap(2024) && civil_is_leap(2000) && civil_is_leap(0));
    assert_false(civil_is_leap(2023) || civil_is_leap(1900) || civil_is_leap(2100));
    assert_int_equal(civil_month_days(2024, 2), 29);
    assert_int_equal(civil_month_days(1900, 2), 28);
    assert_int_equal(civil_month_days(2023, 12), 31);
}

/* The C library agrees, before and after the epoch. */
static void test_instants(void **state)
{
    (void)state;
    for (int64_t sec = -INT64_C(3000000000); sec < INT64_C(6000000000); sec += 86399 * 17 + 1) {
        time_t t = (time_t)sec;
        struct tm tm;
        gmtime_r(&t, &tm);
        struct civil c = civil_from_usec(sec * USEC_PER_SEC + 123456);
        assert_int_equal(c.year, tm.tm_year + 1900);
        assert_int_equal(c.month, tm.tm_mon + 1);
        assert_int_equal(c.day, tm.tm_mday);
        assert_int_equal(c.hour, tm.tm_hour);
        assert_int_equal(c.minute, tm.tm_min);
        assert_int_equal(c.second, tm.tm_sec);
        assert_int_equal(c.usec, 123456);
        assert_int_equal(civil_to_usec(&c), sec * USEC_PER_SEC + 123456);
    }
    struct civil c = civil_from_usec(-1);
    assert_int_equal(c.year, 1969);
    assert_int_equal(c.second, 59);
    assert_int_equal(c.usec, 999999);
}

static void test_valid(void **state)
{
    (void)state;
    static const struct {
        struct civil c;
        bool valid;
    } cases[] = {
        { { 2024, 2, 29, 23, 59, 59, 999999 }, true }, { { 1, 1, 1, 0, 0, 0, 0 }, true },
        { { 9999, 12, 31, 0, 0, 0, 0 }, true },        { { 0, 1, 1, 0, 0, 0, 0 }, false },
        { { 10000, 1, 1, 0, 0, 0, 0 }, false },        { { 2023, 2, 29, 0, 0, 0, 0 }, false },
        { { 2024, 0, 1, 0, 0, 0, 0 }, false },         { { 2024, 13, 1, 0, 0, 0, 0 }, false },
        { { 2024, 4, 31, 0, 0, 0, 0 }, false },        { { 2024, 1, 0, 0, 0, 0, 0 }, false },
        { { 2024, 1, 1, 24, 0, 0, 0 }, false },        { { 2024, 1, 1, -1, 0, 0, 0 }, false },
        { { 2024, 1, 1, 0, 60, 0, 0 }, false },        { { 2024, 1, 1, 0, 0, 60, 0 }, false },
        { { 2024, 1, 1, 0, 0, 0, 1000000 }, false },   { { 2024, 1, 1, 0, 0, 0, -1 }, false },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (civil_valid(&cases[i].c) != cases[i].valid)
            fail_msg("case %zu", i);
    }
}

static void test_floor_div(void **state)
{
    (void)state;
    static const struct {
        int64_t a, b, q;
    } cases[] = { { 7, 2, 3 },   { -7, 2, -4 }, { -8, 2, -4 },
                  { 7, -2, -4 }, { 0, 5, 0 },   { -1, 5, -1 } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(floor_div(cases[i].a, cases[i].b), cases[i].q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_day), cmocka_unit_test(test_month_carry),
        cmocka_unit_test(test_leap),      cmocka_unit_test(test_instants),
        cmocka_unit_test(test_valid),     cmocka_unit_test(test_floor_div),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
