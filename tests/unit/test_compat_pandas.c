#include "../../src/compat/pandas.h"

#include "obstream/core/strutil.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Texts as CPython's repr() prints them. */
static const struct {
    double v;
    const char *text;
} floats[] = {
    { 1, "1.0" },
    { -12.5, "-12.5" },
    { 0.1, "0.1" },
    { (0.1 + 0.2) / 2, "0.15000000000000002" },
    { 0.0001, "0.0001" },
    { 0.00001, "1e-05" },
    { 123456790, "123456790.0" },
    { 1e15, "1000000000000000.0" },
    { -1.5e15, "-1500000000000000.0" },
    { 1234567890123456.5, "1234567890123456.5" },
    { 9999999999999998, "9999999999999998.0" },
    { 1e16, "1e+16" },
    { 1e20, "1e+20" },
    { 1.5e300, "1.5e+300" },
    { INFINITY, "inf" },
};

static void test_float(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
    for (size_t i = 0; i < ARRAY_SIZE(floats); i++) {
        buf_clear(&b);
        pandas_add_float(&b, floats[i].v);
        assert_string_equal(b.data, floats[i].text);
    }
    buf_release(&b);
}

static void test_field(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
        char delimiter;
    } cases[] = {
        { "AESI4", "AESI4", ',' },
        { "A B4", "A B4", ',' },
        { "A B4", "\"A B4\"", ' ' },
        { "a,b", "\"a,b\"", ',' },
        { "a,b", "a,b", '\t' },
        { "say \"x\"", "\"say \"\"x\"\"\"", ',' },
        { "two\nlines", "\"two\nlines\"", ',' },
        { "", "", ' ' },
    };
    struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        buf_clear(&b);
        buf_puts(&b, ""); /* so that there is a text even when nothing is added */
        pandas_add_field(&b, cases[i].text, strlen(cases[i].text), cases[i].delimiter);
        assert_string_equal(b.data, cases[i].want);
    }
    buf_release(&b);
}

static void test_time(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
    const int64_t noon = INT64_C(1717243200000000); /* 2024-06-01T12:00:00Z */
    pandas_add_time(&b, noon, false, false);
    buf_putc(&b, '|');
    pandas_add_time(&b, noon, false, true);
    buf_putc(&b, '|');
    pandas_add_time(&b, noon, true, true);
    buf_putc(&b, '|');
    pandas_add_time(&b, noon + 7500, false, false);
    assert_string_equal(b.data, "2024-06-01 12:00:00|\"2024-06-01 12:00:00\"|2024-06-01|"
                                "2024-06-01 12:00:00.007500");
    buf_release(&b);
}

/* Each row is a column of values, printed with blanks between, as DataFrame.to_html() has them. */
static const struct {
    double values[4];
    const char *texts;
} columns[] = {
    { { 9.25, 9.37, 10.1, 9 }, "9.25 9.37 10.10 9.00" },
    { { 1, 2, 30, -4 }, "1.0 2.0 30.0 -4.0" },
    { { 0.2, 0.0001, 1, 1 }, "0.2000 0.0001 1.0000 1.0000" },
    { { 1.0 / 3, 1, 2, 3 }, "0.333333 1.000000 2.000000 3.000000" },
    { { 5e-7, 12, 1, 1 }, "5.000000e-07 1.200000e+01 1.000000e+00 1.000000e+00" },
    { { 0.000012, 100, 1, 1 }, "0.000012 100.000000 1.000000 1.000000" },
    { { 123456790, 7.37, 1, 1 }, "1.234568e+08 7.370000e+00 1.000000e+00 1.000000e+00" },
    { { 1000001, 1, 1, 1 }, "1000001.0 1.0 1.0 1.0" },
    { { 1234567.5, 1, 1, 1 }, "1234567.5 1.0 1.0 1.0" },
    { { 999000, 0.33333, 1, 1 }, "999000.00000 0.33333 1.00000 1.00000" },
    { { INFINITY, 3.25, 1, 1 }, "inf 3.25 1.00 1.00" },
    { { -12.345678, 0.001, 1, 1 }, "-12.345678 0.001000 1.000000 1.000000" },
};

static void test_column(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
        struct pandas_column c = { 0 };
        buf_clear(&b);
        for (int k = 0; k < 4; k++)
            pandas_column_note(&c, columns[i].values[k]);
        for (int k = 0; k < 4; k++) {
            buf_puts(&b, k > 0 ? " " : "");
            pandas_column_print(&c, columns[i].values[k], &b);
        }
        assert_string_equal(b.data, columns[i].texts);
    }
    buf_release(&b);
}

static void test_html(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
    pandas_add_cell(&b, "th", "a<b & \"c\">", 10);
    assert_string_equal(b.data, "      <th>a&lt;b &amp; \"c\"&gt;</th>\n");
    buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float),  cmocka_unit_test(test_field), cmocka_unit_test(test_time),
        cmocka_unit_test(test_column), cmocka_unit_test(test_html),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
