/* Periods of climate aggregates, against calendars; the table of states. */
#include "../../src/endpoints/climodat.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct by by_of(const char *text)
{
    struct by b;
    assert_true(by_parse(text, &b));
    return b;
}

/* The period that holds a day: its name and bounds. */
static void check(const char *by, int64_t day, const char *label, int64_t start, int64_t last)
{
    struct by b = by_of(by);
    struct climo_period p = by_period(&b, by_index(&b, day));
    char text[LABEL_ROOM];
    by_label(&b, &p, text);
    assert_string_equal(text, label);
    assert_int_equal(p.start, start);
    assert_int_equal(p.end - 1, last);
}

static void test_bounds(void **state)
{
    (void)state;
    int64_t d = civil_days(2012, 2, 29);
    check("day", d, "2012-02-29", d, d);
    check("week", d, "2012-W09", civil_days(2012, 2, 27), civil_days(2012, 3, 4));
    check("month", d, "2012-02", civil_days(2012, 2, 1), d);
    check("season", d, "2012-DJF", civil_days(2011, 12, 1), d);
    check("season", civil_days(2011, 12, 1), "2012-DJF", civil_days(2011, 12, 1), d);
    check("season", civil_days(2012, 11, 30), "2012-SON", civil_days(2012, 9, 1),
          civil_days(2012, 11, 30));
    check("year", d, "2012", civil_days(2012, 1, 1), civil_days(2012, 12, 31));
    check("wateryear", d, "2012", civil_days(2011, 10, 1), civil_days(2012, 9, 30));
    check("wateryear", civil_days(2012, 10, 1), "2013", civil_days(2012, 10, 1),
          civil_days(2013, 9, 30));
    check("month", civil_days(1969, 12, 31), "1969-12", civil_days(1969, 12, 1),
          civil_days(1969, 12, 31));
    check("week", civil_days(1969, 12, 28), "1969-W52", civil_days(1969, 12, 22),
          civil_days(1969, 12, 28));
    /* examples of ISO 8601: 1 January 2016 is in week 53, 31 December 2018 in week 1 */
    check("week", civil_days(2016, 1, 1), "2015-W53", civil_days(2015, 12, 28),
          civil_days(2016, 1, 3));
    check("week", civil_days(2018, 12, 31), "2019-W01", civil_days(2018, 12, 31),
          civil_days(2019, 1, 6));
}

static void test_windows(void **state)
{
    (void)state;
    check("0401-0930", civil_days(2012, 6, 1), "2012", civil_days(2012, 4, 1),
          civil_days(2012, 9, 30));
    check("0401-0930", civil_days(2012, 10, 1), "2013", civil_days(2013, 4, 1),
          civil_days(2013, 9, 30));
    check("1101-0331", civil_days(2011, 12, 1), "2012", civil_days(2011, 11, 1),
          civil_days(2012, 3, 31));
    check("1201-0229", civil_days(2011, 1, 1), "2011", civil_days(2010, 12, 1),
          civil_days(2011, 2, 28));
    check("1201-0229", civil_days(2012, 1, 1), "2012", civil_days(2011, 12, 1),
          civil_days(2012, 2, 29));
    struct by leap = by_of("0229-0229");
    struct climo_period none = by_period(&leap, 2011), one = by_period(&leap, 2012);
    assert_int_equal(none.end - none.start, 0);
    assert_int_equal(one.end - one.start, 1);
}

/* Each day belongs to one period, and periods follow each other. */
static void test_no_day_is_lost(void **state)
{
    (void)state;
    static const char *const kinds[] = { "day", "week", "month", "season", "year", "wateryear" };
    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
        struct by b = by_of(kinds[k]);
        for (int64_t day = civil_days(1896, 1, 1); day < civil_days(1905, 1, 1); day++) {
            int64_t i = by_index(&b, day);
            struct climo_period p = by_period(&b, i), next = by_period(&b, i + 1);
            assert_in_range(day + 100000, p.start + 100000, p.end + 100000 - 1);
            assert_int_equal(next.start, p.end);
            assert_in_range(p.key, 0, KEYS - 1);
        }
    }
}

static void test_parse(void **state)
{
    (void)state;
    static const char *const bad[] = { "",          "months",    "0401",      "0401-093",
                                       "0431-0930", "1301-0101", "0401_0930", "0401-09300" };
    struct by b;
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        assert_false(by_parse(bad[i], &b));
}

/* US Census Bureau, 2010: land of the 50 states and the District of Columbia, less Alaska, Hawaii
 * and the District. Each state is rounded. */
static void test_land(void **state)
{
    (void)state;
    double sum = 0;
    int count[REGIONS] = { 0 };
    static const int sizes[REGIONS] = { 11, 5, 3, 7, 6, 6, 4, 4, 2 };
    for (int i = 0; i < STATES; i++) {
        sum += climate_states[i].land;
        count[climate_states[i].region]++;
        if (i > 0)
            assert_true(strcmp(climate_states[i - 1].id, climate_states[i].id) < 0);
    }
    assert_true(fabs(sum - (3531905.43 - 570640.95 - 6422.63 - 61.05)) < 0.25);
    assert_memory_equal(count, sizes, sizeof(sizes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),         cmocka_unit_test(test_windows),
        cmocka_unit_test(test_no_day_is_lost), cmocka_unit_test(test_parse),
        cmocka_unit_test(test_land),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
