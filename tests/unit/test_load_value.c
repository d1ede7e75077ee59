/* Text to the binary form of COPY: what is taken, what is refused, and the bytes. */
#include "../../src/load/value.h"
#include "../../src/load/value_text.h"

#include "obstream/core/civil.h"
#include "obstream/core/strutil.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct text_case {
    enum value_type type;
    unsigned size;
    const char *text;
    const char *hex; /* of length and bytes; or NULL: refused */
};

#define X40 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static const struct text_case cases[] = {
    { VALUE_INT2, 0, "-1", "00000002ffff" },
    { VALUE_INT2, 0, "200.00", "0000000200c8" },
    { VALUE_INT2, 0, "+7", "000000020007" },
    { VALUE_INT2, 0, "32768", NULL },
    { VALUE_INT2, 0, "1.5", NULL },
    { VALUE_INT2, 0, "", NULL },
    { VALUE_INT2, 0, "1 ", NULL },
    { VALUE_INT4, 0, "-2147483648", "0000000480000000" },
    { VALUE_INT4, 0, "2147483648", NULL },
    { VALUE_INT4, 0, "99999999999999999999", NULL },
    { VALUE_FLOAT4, 0, "29.925", "0000000441ef6666" },
    { VALUE_FLOAT4, 0, "-0.001", "00000004ba83126f" },
    { VALUE_FLOAT4, 0, "1e-05", "000000043727c5ac" },
    { VALUE_FLOAT4, 0, "NaN", "000000047fc00000" },
    { VALUE_FLOAT4, 0, "-Infinity", "00000004ff800000" },
    { VALUE_FLOAT4, 0, "1e39", NULL },
    { VALUE_FLOAT4, 0, "1e-60", NULL },
    { VALUE_FLOAT4, 0, "0x10", NULL },
    { VALUE_FLOAT4, 0, "1.2.3", NULL },
    { VALUE_FLOAT4, 0, "-", NULL },
    { VALUE_FLOAT4, 0, ".", NULL },
    { VALUE_FLOAT4, 0, "12 ", NULL },
    { VALUE_FLOAT4, 0, X40 X40, NULL },
    { VALUE_FLOAT8, 0, "-93.65", "00000008c05769999999999a" },
    { VALUE_BOOL, 0, "t", "0000000101" },
    { VALUE_BOOL, 0, "False", "0000000100" },
    { VALUE_BOOL, 0, "on", "0000000101" },
    { VALUE_BOOL, 0, "2", NULL },
    { VALUE_INSTANT, 0, "2000-01-01 00:00:01+00", "0000000800000000000f4240" },
    { VALUE_INSTANT, 0, "2000-01-01T00:00Z", "000000080000000000000000" },
    { VALUE_INSTANT, 0, "2000/01/01", "000000080000000000000000" },
    { VALUE_INSTANT, 0, "2000-01-01 05:30:00.5+05:30", "00000008000000000007a120" },
    { VALUE_INSTANT, 0, "1999-12-31 18:00:00-0600", "000000080000000000000000" },
    { VALUE_INSTANT, 0, "2000-01-01T24:00", NULL },
    { VALUE_INSTANT, 0, "2001-02-29 00:00", NULL },
    { VALUE_INSTANT, 0, "2000-01-01 00:00:00 UTC", NULL },
    { VALUE_INSTANT, 0, "2000-01-01 0000", NULL },
    { VALUE_INSTANT, 0, "2000-01-01 00:00:00.", NULL },
    { VALUE_INSTANT, 0, "2000-01-01 00:00+1", NULL },
    { VALUE_INSTANT, 0, "946684800", NULL },
    { VALUE_DAY, 0, "1999-12-31", "00000004ffffffff" },
    { VALUE_DAY, 0, "2000-01-02T00:00:00Z", "0000000400000001" },
    { VALUE_DAY, 0, "2000-01-02 12:00", NULL },
    { VALUE_INTERVAL, 0, "06:00:00", "00000010000000050775d8000000000000000000" },
    { VALUE_INTERVAL, 0, "PT6H", "00000010000000050775d8000000000000000000" },
    { VALUE_INTERVAL, 0, "1 day 00:00:01", "0000001000000000000f42400000000100000000" },
    { VALUE_INTERVAL, 0, "P1Y2M", "000000100000000000000000000000000000000e" },
    { VALUE_INTERVAL, 0, "-1 mons", "00000010000000000000000000000000ffffffff" },
    { VALUE_INTERVAL, 0, "-P1DT1S", "00000010fffffffffff0bdc0ffffffff00000000" },
    { VALUE_INTERVAL, 0, "P", NULL },
    { VALUE_INTERVAL, 0, "PT", NULL },
    { VALUE_INTERVAL, 0, "6 hours", NULL },
    { VALUE_INTERVAL, 0, "06:61:00", NULL },
    { VALUE_TEXT, 3, "\xC3\xA9\xC3\xA9\xC3\xA9", "00000006c3a9c3a9c3a9" },
    { VALUE_TEXT, 3, "abcd", NULL },
    { VALUE_TEXT, 0, "caf\xE9", NULL },
    { VALUE_TEXT, 0, "\xC0\x80", NULL },
    { VALUE_TEXT, 0, "\xED\xA0\x80", NULL },
    { VALUE_TEXT, 0, "\xF4\x90\x80\x80", NULL },
    { VALUE_TEXT, 0, "\xE2\x82", NULL },
    { VALUE_CHAR, 3, "VV ", "000000025656" },
    { VALUE_ID, 4, "DSM", "0000000344534d" },
    { VALUE_ID, 4, "D'SM", NULL },
    { VALUE_ID, 4, "D,S", NULL },
    { VALUE_ID, 4, "", NULL },
    { VALUE_TEXTS, 0, "{}", "0000000c000000000000000000000413" },
    { VALUE_TEXTS, 0, "RA BR",
      "00000020000000010000000000000413000000020000000100000002524100000002"
      "4252" },
    { VALUE_TEXTS, 0, "{RA,\"B R\"}",
      "00000021000000010000000000000413000000020000000100000002524100000003"
      "422052" },
    { VALUE_TEXTS, 0, "{RA,}", NULL },
    { VALUE_TEXTS, 0, "{,RA}", NULL },
    { VALUE_TEXTS, 0, "{\"RA}", NULL },
    { VALUE_TEXTS, 0, "{{RA}}", NULL },
    { VALUE_INTS, 0, "{1934,-2}",
      "00000024000000010000000000000017000000020000000100000004"
      "0000078e00000004fffffffe" },
    { VALUE_INTS, 0, "{1934,x}", NULL },
};

static void to_hex(const struct buf *b, char *out)
{
    for (size_t i = 0; i < b->len; i++)
        snprintf(out + 2 * i, 3, "%02x", (unsigned)(unsigned char)b->data[i]);
    out[2 * b->len] = '\0';
}

static void test_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct text_case *c = &cases[i];
        char hex[512];
        struct buf out = BUF_INIT(BUF_LIMIT_MESSAGE);
        const char *why = value_encode(c->type, c->size, c->text, strlen(c->text), &out);
        to_hex(&out, hex);
        if (c->hex == NULL) {
            if (why == NULL || out.len != 0)
                fail_msg("\"%s\" was taken as %s", c->text, hex);
        } else if (why != NULL || !str_eq(hex, c->hex)) {
            fail_msg("\"%s\": %s, wanted %s; %s", c->text, hex, c->hex, why == NULL ? "" : why);
        }
        buf_release(&out);
    }
}

/* The short way of reading a float must agree with the long one. */
static void test_float_agrees_with_strtof(void **state)
{
    (void)state;
    uint32_t seed = 12345;
    struct buf out = BUF_INIT(BUF_LIMIT_MESSAGE);
    for (int i = 0; i < 200000; i++) {
        char text[32];
        seed = seed * 1664525U + 1013904223U;
        int decimals = (int)(seed >> 8) % 8;
        snprintf(text, sizeof(text), "%s%u.%0*u", seed & 1 ? "-" : "", (seed >> 12) % 100000,
                 decimals, decimals == 0 ? 0 : (seed >> 16) % 10);
        buf_clear(&out);
        assert_null(value_encode(VALUE_FLOAT4, 0, text, strlen(text), &out));
        float want = strtof(text, NULL);
        uint32_t bits;
        memcpy(&bits, &want, sizeof(bits));
        if ((uint32_t)value_read_int(out.data) != bits)
            fail_msg("%s is not read as strtof() does", text);
    }
    buf_release(&out);
}

static void test_null_and_embedded_nul(void **state)
{
    (void)state;
    struct buf out = BUF_INIT(BUF_LIMIT_MESSAGE);
    value_null(&out);
    assert_int_equal(value_length(out.data), -1);
    assert_non_null(value_encode(VALUE_TEXT, 0, "a\0b", 3, &out));
    assert_int_equal(out.len, 4);
    buf_release(&out);
}

static void test_reading_back(void **state)
{
    (void)state;
    struct buf out = BUF_INIT(BUF_LIMIT_MESSAGE);
    assert_null(value_encode(VALUE_INSTANT, 0, "1900-01-01 00:00:00.25Z", 23, &out));
    assert_int_equal(value_read_instant(out.data),
                     civil_days(1900, 1, 1) * USEC_PER_DAY + USEC_PER_SEC / 4);
    buf_clear(&out);
    assert_null(value_encode(VALUE_DAY, 0, "1893-01-01", 10, &out));
    assert_int_equal(value_read_day(out.data), civil_days(1893, 1, 1));
    buf_release(&out);
}

static void test_overlong_array(void **state)
{
    (void)state;
    struct buf out = BUF_INIT(BUF_LIMIT_MESSAGE);
    char *text = malloc(10000);
    assert_non_null(text);
    memset(text, 'a', 10000);
    assert_non_null(value_encode(VALUE_TEXTS, 0, text, 10000, &out));
    assert_int_equal(out.len, 0);
    free(text);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_float_agrees_with_strtof),
        cmocka_unit_test(test_null_and_embedded_nul),
        cmocka_unit_test(test_reading_back),
        cmocka_unit_test(test_overlong_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
