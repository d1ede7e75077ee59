/* exceed.h: events of short series written down by hand, and of random ones found another way. */
#include "test_random.h"

#include "obstream/core/civil.h"
#include "obstream/core/strutil.h"
#include "obstream/query/exceed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct point {
    int64_t hour;
    double value;
};

struct found {
    struct exceed_event events[64];
    size_t count;
};

static struct found run(const struct point *p, size_t n, struct exceed_rule rule)
{
    struct found f = { .count = 0 };
    struct exceed x;
    exceed_begin(&x, &rule);
    for (size_t i = 0; i < n; i++)
        f.count += exceed_add(&x, p[i].hour * USEC_PER_HOUR, p[i].value, &f.events[f.count]);
    f.count += exceed_end(&x, &f.events[f.count]);
    assert_in_range(f.count, 0, 63);
    return f;
}

static const struct point flood[] = { { 0, 5 },  { 1, 10 }, { 2, 12 }, { 3, 12 }, { 4, 9 },
                                      { 6, 11 }, { 7, 8 },  { 20, 7 }, { 21, 10 } };
#define FLOOD flood, ARRAY_SIZE(flood)

static void test_plain(void **state)
{
    (void)state;
    struct found f = run(FLOOD, (struct exceed_rule){ .threshold = 10 });
    assert_int_equal(f.count, 3);
    const struct exceed_event *e = &f.events[0];
    assert_int_equal(e->start, 1 * USEC_PER_HOUR);
    assert_int_equal(e->last, 3 * USEC_PER_HOUR);
    assert_int_equal(e->end, 4 * USEC_PER_HOUR);
    assert_int_equal(e->peak_time, 2 * USEC_PER_HOUR);
    assert_true(e->peak == 12 && e->count == 3 && !e->open && e->start_known);
    assert_int_equal(exceed_duration(e), 3 * USEC_PER_HOUR);
    assert_int_equal(e->longest_wait, USEC_PER_HOUR);
    assert_true(f.events[2].open);
    assert_int_equal(exceed_duration(&f.events[2]), 0);
}

static void test_joined(void **state)
{
    (void)state;
    struct found f = run(FLOOD, (struct exceed_rule){ .threshold = 10, .gap = 3 * USEC_PER_HOUR });
    assert_int_equal(f.count, 2);
    assert_int_equal(f.events[0].count, 4);
    assert_int_equal(f.events[0].end, 7 * USEC_PER_HOUR);
    assert_int_equal(f.events[0].longest_wait, 2 * USEC_PER_HOUR);
    f = run(FLOOD, (struct exceed_rule){ .threshold = 10, .gap = 3 * USEC_PER_HOUR - 1 });
    assert_int_equal(f.count, 3);
    f = run(FLOOD, (struct exceed_rule){ .threshold = 10, .gap = 100 * USEC_PER_HOUR });
    assert_int_equal(f.count, 1);
    assert_true(f.events[0].open);
}

static void test_short_ones_left_out(void **state)
{
    (void)state;
    struct exceed_rule rule = { .threshold = 10, .min_duration = 2 * USEC_PER_HOUR };
    struct found f = run(FLOOD, rule);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.events[0].start, 1 * USEC_PER_HOUR);
}

static void test_below(void **state)
{
    (void)state;
    struct found f = run(FLOOD, (struct exceed_rule){ .threshold = 8, .below = true });
    assert_int_equal(f.count, 2);
    assert_false(f.events[0].start_known);
    assert_true(f.events[1].peak == 7);
    assert_int_equal(f.events[1].start, 7 * USEC_PER_HOUR);
    assert_int_equal(f.events[1].longest_wait, 13 * USEC_PER_HOUR);
}

static void test_nothing(void **state)
{
    (void)state;
    assert_int_equal(run(flood, 0, (struct exceed_rule){ .threshold = 10 }).count, 0);
    assert_int_equal(run(FLOOD, (struct exceed_rule){ .threshold = 99 }).count, 0);
}

/* Every reading beyond is in exactly one event, and events do not touch. */
static void test_random(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 300; seed++) {
        struct point p[60];
        struct random random = random_start(seed);
        size_t beyond = 0, counted = 0;
        int64_t hour = 0;
        for (size_t i = 0; i < ARRAY_SIZE(p); i++) {
            hour += random_in(&random, 1, 5);
            p[i] = (struct point){ hour, (double)random_in(&random, 0, 19) };
            beyond += p[i].value >= 10;
        }
        int64_t gap = (int64_t)(seed % 4) * 3 * USEC_PER_HOUR;
        struct found f = run(p, ARRAY_SIZE(p), (struct exceed_rule){ .threshold = 10, .gap = gap });
        for (size_t i = 0; i < f.count; i++) {
            counted += f.events[i].count;
            assert_true(f.events[i].open == (i + 1 == f.count && p[59].value >= 10));
            if (i > 0)
                assert_true(f.events[i].start - f.events[i - 1].last > gap);
        }
        assert_int_equal(counted, beyond);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_joined),
        cmocka_unit_test(test_short_ones_left_out),
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
