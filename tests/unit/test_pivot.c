#include "obstream/stream/pivot.h"

#include "obstream/core/strutil.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { STATION, TIME, KEY, VALUE, FIRST };

static const char *const keys[] = { "HG", "PC", "TA" };

static const struct {
    const char *station;
    int64_t time;
    const char *key;
    float value;
} rows[] = {
    { "A", 1, "PC", 0.1f },  { "A", 1, "PC", 0.2f }, { "A", 1, "XX", 9 },
    { "A", 2, "HG", 1.5f },  { "B", 2, "HG", 1 },    { "B", 2, "HG", 2 },
    { "B", 2, "TA", 30.5f }, { "B", 2, "HG", 6 },    { "B", 3, "TA", -1 },
};

struct taken {
    char text[512];
    size_t len;
    unsigned left; /* rows that are still wanted */
};

static bool take(void *ctx, const struct cell *cells)
{
    struct taken *t = ctx;
    size_t room = sizeof(t->text);
    t->len += (size_t)snprintf(t->text + t->len, room - t->len, "%.*s%lld", (int)cells[STATION].len,
                               cells[STATION].s, (long long)cells[TIME].i);
    for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
        const struct cell *c = &cells[FIRST + k];
        double v = c->type == CELL_FLOAT8 ? c->f8 : c->type == CELL_FLOAT4 ? c->f4 : 0;
        t->len += (size_t)snprintf(t->text + t->len, room - t->len,
                                   c->type == CELL_NULL ? "," : ",%.17g", v);
    }
    t->len += (size_t)snprintf(t->text + t->len, room - t->len, ";");
    return --t->left > 0;
}

static void run(bool average, unsigned wanted, struct taken *t)
{
    struct pivot pivot = { .key_cell = KEY,
                           .value_cell = VALUE,
                           .keys = keys,
                           .count = ARRAY_SIZE(keys),
                           .first_out = FIRST,
                           .average = average };
    struct plan plan = { .pivot = &pivot,
                         .cells = FIRST + ARRAY_SIZE(keys),
                         .station_cell = STATION,
                         .time_cell = TIME };
    struct pivot_state st;
    struct err e = ERR_INIT;
    bool go_on = true;
    *t = (struct taken){ .left = wanted };
    pivot_begin(&st, &plan, take, t, &e);
    for (size_t i = 0; i < ARRAY_SIZE(rows) && go_on; i++) {
        struct cell cells[] = {
            cell_text(rows[i].station, (uint32_t)strlen(rows[i].station)),
            { .type = CELL_INSTANT, .i = rows[i].time },
            cell_text(rows[i].key, (uint32_t)strlen(rows[i].key)),
            { .type = CELL_FLOAT4, .f4 = rows[i].value },
        };
        go_on = pivot_row(&st, cells);
    }
    if (go_on)
        pivot_flush(&st);
    pivot_release(&st);
    assert_int_equal(e.kind, ERR_NONE);
}

/* Further values of a key go to further rows; a key without a column is passed over. */
static void test_apart(void **state)
{
    (void)state;
    struct taken t;
    run(false, 100, &t);
    assert_string_equal(t.text, "A1,,0.10000000149011612,;A1,,0.20000000298023224,;A2,1.5,,;"
                                "B2,1,,30.5;B2,2,,;B2,6,,;B3,,,-1;");
}

/* Means of the decimals the float4 stand for: 0.1 and 0.2, not 0.10000000149011612. */
static void test_average(void **state)
{
    (void)state;
    struct taken t;
    run(true, 100, &t);
    assert_string_equal(t.text, "A1,,0.15000000000000002,;A2,1.5,,;B2,3,,30.5;B3,,,-1;");
}

static void test_stop(void **state)
{
    (void)state;
    struct taken t;
    run(true, 2, &t);
    assert_string_equal(t.text, "A1,,0.15000000000000002,;A2,1.5,,;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_average),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
