/* The text of single values: numbers, instants, intervals, traces, JSON strings. */
#include "obstream/core/strutil.h"
#include "obstream/output/encoder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NOON INT64_C(1717243200000000) /* 2024-06-01T12:00:00Z */
#define DAY_OF_NOON 19875

static struct cell cell_float4(float v)
{
    return (struct cell){ .type = CELL_FLOAT4, .f4 = v };
}

static struct cell cell_of(enum cell_type type, int64_t v)
{
    return (struct cell){ .type = type, .i = v };
}

static struct cell text(const char *s)
{
    return cell_text(s, (uint32_t)strlen(s));
}

static struct shape make_shape(void)
{
    return (struct shape){
        .missing = "",
        .tz = tz_find("America/Chicago"),
        .lon_cell = -1,
        .lat_cell = -1,
    };
}

struct value_case {
    struct cell cell;
    struct field field;
    const char *csv, *json;
};

static void check_values(const struct value_case *cases, size_t count)
{
    struct shape shape = make_shape();
    struct encode_state st;
    struct buf out = BUF_INIT(BUF_LIMIT_MESSAGE);
    char json[512];
    encode_begin(&st, &shape);
    for (size_t i = 0; i < 2 * count; i++) { /* twice: with cold and with warm caches */
        const struct value_case *k = &cases[i % count];
        struct field f = k->field;
        struct shape one = shape;
        f.name = "v";
        f.unit = "";
        one.fields = &f;
        one.count = 1;
        st.shape = &one;
        buf_clear(&out);
        encode_value(&st, &f, &k->cell, &out);
        assert_string_equal(out.data, k->csv);
        buf_clear(&out);
        encoder_csv.row(&st, &k->cell, &out);
        assert_int_equal(out.len, strlen(k->csv) + 1);
        assert_memory_equal(out.data, k->csv, out.len - 1);
        buf_clear(&out);
        encoder_ndjson.row(&st, &k->cell, &out);
        snprintf(json, sizeof(json), "{\"v\":%s}\n", k->json);
        assert_string_equal(out.data, json);
    }
    buf_release(&out);
}

#define SAME(text) text, text
#define QUOTED(text) text, "\"" text "\""
/* clang-format off */
#define CONVERT(a, b, d) { .flags = FIELD_CONVERT, .scale = (a), .offset = (b), .decimals = (d) }
#define FIXED(d) { .flags = FIELD_FIXED, .decimals = (d) }
#define LOCAL { .flags = FIELD_LOCAL }
/* clang-format on */

static void test_numbers(void **state)
{
    const struct value_case cases[] = {
        { cell_float4(29.925f), { 0 }, SAME("29.925") },
        { cell_float4(-0.5f), { 0 }, SAME("-0.5") },
        { cell_float8(0.1 + 0.2), { 0 }, SAME("0.30000000000000004") },
        { cell_int(-42), { 0 }, SAME("-42") },
        { cell_int(INT64_MIN), { 0 }, SAME("-9223372036854775808") },
        { cell_float4(NAN), { 0 }, "NaN", "null" },
        { cell_float8(INFINITY), { 0 }, "Infinity", "null" },
        { cell_float8(-INFINITY), { 0 }, "-Infinity", "null" },
        { cell_float4(NAN), CONVERT(1, 0, 2), "NaN", "null" },
        { cell_float8(-1e308), CONVERT(100, 0, 2), "-Infinity", "null" },
        { cell_float4(70), CONVERT(1, 0, 2), SAME("70") },
        { cell_float4(70), CONVERT(1, 0, 0), SAME("70") },
        { cell_float4(70.5f), CONVERT(1, 0, 2), SAME("70.5") },
        { cell_float4(29.92f), CONVERT(33.8638866667, 0, 1), SAME("1013.2") },
        { cell_float4(100), CONVERT(5.0 / 9, -160.0 / 9, 2), SAME("37.78") },
        { cell_float4(31.98f), CONVERT(5.0 / 9, -160.0 / 9, 1), SAME("0") }, /* not -0 */
        { cell_int(-10), CONVERT(1, 0, 1), SAME("-10") },
        { cell_int(10), CONVERT(0.5, 0, 1), SAME("5") },
        { cell_float4(70), FIXED(2), SAME("70.00") },
        { cell_float4(29.925f), FIXED(2), SAME("29.93") }, /* not of 29.92499923706 */
        { cell_float4(0.125f), FIXED(2), SAME("0.12") },
        { cell_float4(-0.001f), FIXED(2), SAME("-0.00") }, /* as printf */
        { cell_int(3), FIXED(1), SAME("3.0") },
        { cell_of(CELL_BOOL, 1), { 0 }, SAME("true") },
        { cell_of(CELL_BOOL, 0), { 0 }, SAME("false") },
    };
    (void)state;
    check_values(cases, ARRAY_SIZE(cases));
}

static struct cell instant(int64_t sec)
{
    return cell_of(CELL_INSTANT, sec * USEC_PER_SEC);
}

static void test_instants(void **state)
{
    const int64_t noon = NOON / USEC_PER_SEC;
    const struct value_case cases[] = {
        { instant(noon), { 0 }, QUOTED("2024-06-01T12:00:00Z") },
        { instant(noon), LOCAL, QUOTED("2024-06-01T07:00:00-05:00") },
        { instant(noon - 8 * 3600), LOCAL, QUOTED("2024-05-31T23:00:00-05:00") },
        { instant(noon - 8 * 3600), { 0 }, QUOTED("2024-06-01T04:00:00Z") },
        { instant(noon + 43199), { 0 }, QUOTED("2024-06-01T23:59:59Z") },
        { instant(noon + 43200), { 0 }, QUOTED("2024-06-02T00:00:00Z") },
        { cell_of(CELL_INSTANT, NOON + 1), { 0 }, QUOTED("2024-06-01T12:00:00.000001Z") },
        { cell_of(CELL_INSTANT, NOON + 500000), LOCAL, QUOTED("2024-06-01T07:00:00.500000-05:00") },
        { instant(-1), { 0 }, QUOTED("1969-12-31T23:59:59Z") },
        { cell_of(CELL_INSTANT, -1), { 0 }, QUOTED("1969-12-31T23:59:59.999999Z") },
        /* Chicago, 2024-03-10: 01:59:59 CST, then 03:00:00 CDT. */
        { instant(1710057599), LOCAL, QUOTED("2024-03-10T01:59:59-06:00") },
        { instant(1710057600), LOCAL, QUOTED("2024-03-10T03:00:00-05:00") },
        { cell_of(CELL_DAY, DAY_OF_NOON), { 0 }, QUOTED("2024-06-01") },
        { cell_of(CELL_DAY, -1), { 0 }, QUOTED("1969-12-31") },
    };
    (void)state;
    check_values(cases, ARRAY_SIZE(cases));
}

/* The ends of the range are no days that matter, but they must not overflow. */
static void test_extreme_instants(void **state)
{
    const struct value_case cases[] = {
        { cell_of(CELL_INSTANT, INT64_MAX), { 0 }, QUOTED("+294247-01-10T04:00:54.775807Z") },
        { cell_of(CELL_INSTANT, INT64_MIN), { 0 }, QUOTED("-290308-12-21T19:59:05.224192Z") },
    };
    struct shape shape = make_shape();
    struct encode_state st;
    struct buf out = BUF_INIT(BUF_LIMIT_MESSAGE);
    struct cell last = cell_of(CELL_INSTANT, INT64_MAX), first = cell_of(CELL_INSTANT, INT64_MIN);
    const struct field local = LOCAL;
    (void)state;
    check_values(cases, ARRAY_SIZE(cases));
    encode_begin(&st, &shape);
    encode_value(&st, &local, &last, &out);
    assert_non_null(strstr(out.data, "+294247-01-09T2"));
    buf_clear(&out);
    encode_value(&st, &local, &first, &out);
    assert_non_null(strstr(out.data, "-290308-12-21T14:0"));
    buf_release(&out);
}

static void test_intervals(void **state)
{
    static const struct {
        int64_t usec;
        const char *text;
    } expected[] = {
        { 0, "PT0S" },
        { 6 * USEC_PER_HOUR, "PT6H" },
        { 15 * USEC_PER_MIN, "PT15M" },
        { USEC_PER_DAY, "P1D" },
        { 30 * USEC_PER_HOUR, "P1DT6H" },
        { 90 * USEC_PER_SEC, "PT1M30S" },
        { 500000, "PT0.5S" },
        { 10 * USEC_PER_SEC + 1, "PT10.000001S" },
        { 20 * USEC_PER_SEC, "PT20S" },
        { -15 * USEC_PER_MIN, "-PT15M" },
        { -USEC_PER_DAY - 1, "-P1DT0.000001S" },
        { INT64_MIN, "-P106751991DT4H54.775808S" },
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        char json[64];
        snprintf(json, sizeof(json), "\"%s\"", expected[i].text);
        const struct value_case one = {
            cell_of(CELL_INTERVAL, expected[i].usec), { 0 }, expected[i].text, json
        };
        check_values(&one, 1);
    }
}

static void test_trace(void **state)
{
    const struct field plain = { .flags = 0 }, trace = { .flags = FIELD_TRACE };
    const struct field mm = { .flags = FIELD_TRACE | FIELD_CONVERT, .scale = 25.4, .decimals = 2 };
    struct cell c;
    (void)state;
    c = cell_float4(0.0001f);
    assert_false(encode_is_trace(&plain, &c));
    assert_true(encode_is_trace(&trace, &c));
    assert_true(encode_is_trace(&mm, &c));
    c = cell_float4(0.0005f); /* 0.0127 mm */
    assert_true(encode_is_trace(&trace, &c));
    assert_false(encode_is_trace(&mm, &c));
    c = cell_float4(0.009998f);
    assert_true(encode_is_trace(&trace, &c));
    c = cell_float4(0.009999f);
    assert_false(encode_is_trace(&trace, &c));
    c = cell_float8(0.0001);
    assert_true(encode_is_trace(&trace, &c));
    static const float none[] = { 0, -0.0001f, 0.01f, NAN, INFINITY };
    for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
        c = cell_float4(none[i]);
        assert_false(encode_is_trace(&trace, &c));
        assert_false(encode_is_trace(&mm, &c));
    }
    c = cell_null();
    assert_false(encode_is_trace(&trace, &c));
    c = text("0.0001");
    assert_false(encode_is_trace(&trace, &c));
}

static void expect_json(const char *s, size_t len, const char *expected)
{
    struct buf out = BUF_INIT(BUF_LIMIT_MESSAGE);
    encode_json_string(&out, s, len);
    assert_string_equal(out.data, expected);
    buf_release(&out);
}

#define BAD "\xEF\xBF\xBD"

static void test_json_string(void **state)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        { "", "\"\"" },
        { "plain / text", "\"plain / text\"" },
        { "\"\\\b\f\n\r\t", "\"\\\"\\\\\\b\\f\\n\\r\\t\"" },
        { "\x01\x1f\x7f", "\"\\u0001\\u001f\x7f\"" },
        { "é€\xF0\x9F\x8C\xA9", "\"é€\xF0\x9F\x8C\xA9\"" },
        { "\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF",
          "\"\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF\"" },
        { "a\xB0z", "\"a" BAD "z\"" },             /* Latin-1 degree sign */
        { "\xC3", "\"" BAD "\"" },                 /* cut */
        { "\xE2\x82", "\"" BAD BAD "\"" },         /* cut */
        { "\xF0\x9F\x8C", "\"" BAD BAD BAD "\"" }, /* cut */
        { "\xC3(", "\"" BAD "(\"" },               /* no continuation */
        { "\xE2\x82(", "\"" BAD BAD "(\"" },
        { "\xC0\xAF\xC1\x81", "\"" BAD BAD BAD BAD "\"" }, /* overlong */
        { "\xE0\x9F\xBF", "\"" BAD BAD BAD "\"" },
        { "\xF0\x8F\xBF\xBF", "\"" BAD BAD BAD BAD "\"" },
        { "\xED\xA0\x80", "\"" BAD BAD BAD "\"" },         /* surrogate */
        { "\xF4\x90\x80\x80", "\"" BAD BAD BAD BAD "\"" }, /* beyond U+10FFFF */
        { "\xF5\xFF", "\"" BAD BAD "\"" },
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        /* A copy without room behind it, so that a sanitizer sees a read too far. */
        size_t len = strlen(cases[i].in);
        char *exact = malloc(len == 0 ? 1 : len);
        memcpy(exact, cases[i].in, len);
        expect_json(exact, len, cases[i].out);
        free(exact);
    }
    expect_json("a\0b", 3, "\"a\\u0000b\"");
    expect_json(NULL, 0, "\"\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_instants),
        cmocka_unit_test(test_extreme_instants),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_json_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
