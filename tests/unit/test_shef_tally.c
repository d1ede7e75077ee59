/* shef_tally.h: amounts of accumulators and increments, and the statistics beside them. */
#include "obstream/core/civil.h"
#include "obstream/core/strutil.h"
#include "obstream/query/shef_tally.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct shef_tally_rule pile = { SHEF_TOTAL_INCREMENT, 0, 3 * USEC_PER_HOUR,
                                             25 * USEC_PER_HOUR };
static const struct shef_tally_rule hourly = { SHEF_TOTAL_SUM, USEC_PER_HOUR, 3 * USEC_PER_HOUR,
                                               25 * USEC_PER_HOUR };

static void add(struct shef_tally *t, const struct shef_tally_rule *rule, int64_t hour, double v)
{
    shef_tally_add(t, rule, hour * USEC_PER_HOUR, v, false);
}

static void is_near(double got, double want)
{
    if (!(fabs(got - want) < 1e-9))
        fail_msg("%.17g is not %.17g", got, want);
}

static double amount(const struct shef_tally *t)
{
    double v = -1;
    assert_true(shef_tally_amount(t, &v));
    return v;
}

static void test_increment(void **state)
{
    (void)state;
    struct shef_tally t = { .count = 0 };
    shef_tally_add(&t, &pile, 0, 10.0, true); /* before the period */
    assert_int_equal(t.count, 0);
    add(&t, &pile, 1, 10.2);
    add(&t, &pile, 2, 10.2);
    add(&t, &pile, 3, 10.5);
    is_near(amount(&t), 0.5);
    assert_int_equal(t.resets + t.gaps, 0);
    add(&t, &pile, 4, 0.3); /* set back */
    add(&t, &pile, 5, 0.4);
    is_near(amount(&t), 0.6);
    assert_int_equal(t.resets, 1);
    add(&t, &pile, 9, 2.4); /* four hours of silence */
    is_near(amount(&t), 0.6);
    assert_int_equal(t.gaps, 1);
    shef_tally_period(&t);
    assert_int_equal(t.count, 0);
    add(&t, &pile, 12, 2.5); /* three hours are no gap; the reading of the last period counts */
    is_near(amount(&t), 0.1);
    assert_int_equal(t.gaps, 0);
}

static void test_nothing_counts(void **state)
{
    (void)state;
    struct shef_tally t = { .count = 0 };
    double v;
    add(&t, &pile, 1, 10.2);
    assert_false(shef_tally_amount(&t, &v));
    assert_int_equal(t.gaps, 1);
    assert_true(isnan(shef_tally_mean(&(struct shef_tally){ .count = 0 })));
}

/* Whether or not an old reading is known must not matter: windows start anywhere. */
static void test_memory(void **state)
{
    (void)state;
    struct shef_tally_rule rule = pile;
    struct shef_tally a = { .count = 0 }, b = { .count = 0 };
    rule.total = SHEF_TOTAL_SUM;
    rule.duration = 100 * USEC_PER_HOUR;
    shef_tally_add(&a, &rule, 0, 1, true);
    add(&a, &rule, 26, 1);
    add(&b, &rule, 26, 1);
    assert_int_equal(a.overlaps, b.overlaps);
    add(&a, &rule, 51, 1); /* 25 hours: still remembered */
    assert_int_equal(a.overlaps, 1);
}

static void test_sum(void **state)
{
    (void)state;
    struct shef_tally t = { .count = 0 };
    for (int i = 1; i <= 10; i++)
        add(&t, &hourly, i, 0.1);
    is_near(amount(&t), 1.0);
    assert_int_equal(t.overlaps, 0);
    shef_tally_add(&t, &hourly, 10 * USEC_PER_HOUR + USEC_PER_MIN, 0.1, false);
    assert_int_equal(t.overlaps, 1);
}

static void test_traces(void **state)
{
    (void)state;
    struct shef_tally t = { .count = 0 };
    add(&t, &hourly, 1, 0.0001);
    add(&t, &hourly, 2, 0.001);
    add(&t, &hourly, 3, 0);
    is_near(amount(&t), 0.0001);
    add(&t, &hourly, 4, 0.02);
    is_near(amount(&t), 0.02);
}

static void test_repeats_and_missing(void **state)
{
    (void)state;
    struct shef_tally t = { .count = 0 };
    add(&t, &pile, 1, 5);
    add(&t, &pile, 1, 3); /* another qualifier */
    add(&t, &pile, 2, NAN);
    add(&t, &pile, 2, 6);
    assert_int_equal(t.count, 3);
    assert_int_equal(t.repeats, 1);
    assert_int_equal(t.missing, 1);
    is_near(amount(&t), 1);
    is_near(shef_tally_mean(&t), 14.0 / 3);
    assert_true(t.min == 3 && t.max == 6 && t.first == 5 && t.last == 6);
    assert_int_equal(t.max_time, 2 * USEC_PER_HOUR);
}

static void test_totals(void **state)
{
    (void)state;
    assert_int_equal(shef_total("PCIRGZZ", 7), SHEF_TOTAL_INCREMENT);
    assert_int_equal(shef_total("PP", 2), SHEF_TOTAL_SUM);
    assert_int_equal(shef_total("HG", 2), SHEF_TOTAL_NONE);
    assert_int_equal(shef_total("P", 1), SHEF_TOTAL_NONE);
    assert_int_equal(shef_duration_seconds('H'), 3600);
    assert_int_equal(shef_duration_seconds('M'), 0);
    size_t n;
    for (const struct shef_element *e = shef_elements(&n), *end = e + n; e < end; e++) {
        if (shef_total(e->pe, 2) != SHEF_TOTAL_NONE)
            assert_true(e->metric_offset == 0); /* amounts convert by a factor alone */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_increment), cmocka_unit_test(test_nothing_counts),
        cmocka_unit_test(test_memory),    cmocka_unit_test(test_sum),
        cmocka_unit_test(test_traces),    cmocka_unit_test(test_repeats_and_missing),
        cmocka_unit_test(test_totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
