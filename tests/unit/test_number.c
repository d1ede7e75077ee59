#include "obstream/core/civil.h"
#include "obstream/core/number.h"
#include "obstream/core/strutil.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 100000 };

/* xorshift64* of Vigna, seeded alike in every run */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static const char *ended(char *text, char *end)
{
    assert_in_range(end - text, 1, NUMBER_ROOM);
    *end = '\0';
    return text;
}

static void test_int(void **state)
{
    (void)state;
    static const int64_t edges[] = { 0,         9,    10,       99,        100,       101,
                                     999,       1000, 99999999, 100000000, INT32_MAX, INT64_MAX,
                                     INT64_MIN, -1,   -10,      -100 };
    char text[NUMBER_ROOM], want[32];
    uint64_t seed = 1;
    for (size_t i = 0; i < ROUNDS; i++) {
        uint64_t r = next_random(&seed);
        int64_t v = i < ARRAY_SIZE(edges) ? edges[i] : (int64_t)r >> (r & 63);
        snprintf(want, sizeof(want), "%" PRId64, v);
        assert_string_equal(ended(text, number_int(text, v)), want);
    }
    int64_t power = 1;
    for (int digits = 1; digits <= 19; digits++, power *= digits <= 19 ? 10 : 1) {
        assert_int_equal(number_int(text, power) - text, digits);
        assert_int_equal(number_int(text, power - 1) - text, digits == 1 ? 1 : digits - 1);
    }
}

/* Texts as PostgreSQL 15 prints them. */
/* clang-format off */
static const struct {
    float v;
    const char *text;
} float4_texts[] = {
    { 0.0f, "0" }, { -0.0f, "-0" }, { NAN, "NaN" }, { INFINITY, "Infinity" },
    { -INFINITY, "-Infinity" }, { 1.0f, "1" }, { 29.925f, "29.925" }, { -40.0f, "-40" },
    { 0.0001f, "0.0001" }, { 0.00001f, "1e-05" }, { 0.00012f, "0.00012" }, { 99999.0f, "99999" },
    { 100000.0f, "100000" }, { 999999.0f, "999999" }, { 999999.94f, "999999.94" },
    { 1000000.0f, "1e+06" }, { 1234567.0f, "1.234567e+06" }, { 0.1f + 0.2f, "0.3" },
    { 1.0f / 3, "0.33333334" }, { 16777216.0f, "1.6777216e+07" },
    { 33554432.0f, "3.3554432e+07" }, { 33554448.0f, "3.3554448e+07" },
    { 3.4028235e38f, "3.4028235e+38" }, { 1.1754944e-38f, "1.1754944e-38" }, { 1e-45f, "1e-45" },
    { 8.589973e9f, "8.589974e+09" }, { 9.5367432e-07f, "9.536743e-07" }, { 1e20f, "1e+20" },
    { 101325.0f, "101325" }, { -514430020.0f, "-5.1443002e+08" }, { -1013.25f, "-1013.25" },
};
/* clang-format on */

static void test_float4(void **state)
{
    (void)state;
    char text[NUMBER_ROOM];
    for (size_t i = 0; i < ARRAY_SIZE(float4_texts); i++)
        assert_string_equal(ended(text, number_float4(text, float4_texts[i].v)),
                            float4_texts[i].text);
}

/* clang-format off */
static const struct {
    double v;
    const char *text;
} float8_texts[] = {
    { 0.0, "0" }, { -0.0, "-0" }, { NAN, "NaN" }, { INFINITY, "Infinity" },
    { -INFINITY, "-Infinity" }, { 0.1 + 0.2, "0.30000000000000004" }, { 29.925, "29.925" },
    { 0.0001, "0.0001" }, { 0.00001, "1e-05" }, { 1e14, "100000000000000" },
    { 999999999999999.0, "999999999999999" }, { 1e15, "1e+15" }, { 1.5e300, "1.5e+300" },
    { 5e-324, "5e-324" }, { 1.7976931348623157e308, "1.7976931348623157e+308" },
    { 9007199254740992.0, "9.007199254740992e+15" }, { 1e22, "1e+22" },
    { 0x1p-44, "5.684341886080802e-14" }, { 1.0 / 3, "0.3333333333333333" },
    { 1e23, "9.999999999999999e+22" }, /* 1e23 itself is halfway to the next number */
    { -123456.789, "-123456.789" }, { 2.2250738585072014e-308, "2.2250738585072014e-308" },
};
/* clang-format on */

static void test_float8(void **state)
{
    (void)state;
    char text[NUMBER_ROOM];
    for (size_t i = 0; i < ARRAY_SIZE(float8_texts); i++)
        assert_string_equal(ended(text, number_float8(text, float8_texts[i].v)),
                            float8_texts[i].text);
}

/* Any bits read back as the same number; where five digits are enough, no more are used. */
static void test_read_back(void **state)
{
    (void)state;
    uint64_t seed = 2;
    char text[NUMBER_ROOM], shorter[64];
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t r = next_random(&seed);
        uint32_t half = (uint32_t)r;
        float f;
        double d;
        memcpy(&f, &half, sizeof(f));
        memcpy(&d, &r, sizeof(d));
        if (i % 2 == 0) {
            f = (float)(int32_t)(half % 20000000) / 10000.0f;
            d = (double)(r % 2000000000000) / 1e7;
        }
        if (isnan(f) || isnan(d))
            continue;
        assert_true(strtof(ended(text, number_float4(text, f)), NULL) == f);
        snprintf(shorter, sizeof(shorter), "%.5g", f);
        /* Beyond 2^24 five digits may be halfway between two numbers, which PostgreSQL avoids. */
        if (fabsf(f) >= FLT_MIN && fabsf(f) < 0x1p24f && strtof(shorter, NULL) == f)
            assert_true(strtod(shorter, NULL) == number_widen(f));
        assert_true(strtod(ended(text, number_float8(text, d)), NULL) == d);
    }
}

static void test_widen(void **state)
{
    (void)state;
    uint64_t seed = 3;
    char text[NUMBER_ROOM];
    assert_true(number_widen(29.925f) == 29.925);
    assert_true(number_widen(-0.1f) == -0.1);
    assert_true(signbit(number_widen(-0.0f)));
    assert_true(isnan(number_widen(NAN)));
    assert_true(number_widen(-INFINITY) == -INFINITY);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t bits = (uint32_t)next_random(&seed);
        float f;
        memcpy(&f, &bits, sizeof(f));
        if (isfinite(f))
            assert_true(strtod(ended(text, number_float4(text, f)), NULL) == number_widen(f));
    }
}

static void check_fixed(double v, int decimals)
{
    char text[NUMBER_ROOM], want[NUMBER_ROOM];
    snprintf(want, sizeof(want), "%.*f", decimals, v);
    assert_string_equal(ended(text, number_fixed(text, v, decimals)), want);
}

static void test_fixed(void **state)
{
    (void)state;
    static const double edges[] = { 0.0,
                                    -0.0,
                                    NAN,
                                    -NAN,
                                    INFINITY,
                                    -INFINITY,
                                    0.5,
                                    1.5,
                                    2.5,
                                    0.125,
                                    2.675,
                                    29.925,
                                    30.005,
                                    -0.001,
                                    5e-324,
                                    0x1p51,
                                    0x1p52,
                                    0x1p53,
                                    1.7976931348623157e308,
                                    -1e300,
                                    0.000000001,
                                    999.9999999999 };
    uint64_t seed = 4;
    for (int decimals = 0; decimals <= 9; decimals++) {
        for (size_t i = 0; i < ARRAY_SIZE(edges); i++)
            check_fixed(edges[i], decimals);
        for (int i = 0; i < ROUNDS / 10; i++) {
            uint64_t r = next_random(&seed);
            double any, tie = ((double)(r >> (12 + r % 50)) + 0.5) / pow(10, decimals);
            memcpy(&any, &r, sizeof(any));
            check_fixed(any, decimals);
            check_fixed(tie, decimals);
            check_fixed(nextafter(tie, 0), decimals);
            check_fixed(-nextafter(tie, INFINITY), decimals);
            check_fixed(ldexp((double)(r >> 40), -(int)(r % 12)), decimals);
        }
    }
}

static void test_fixed_from_float4(void **state)
{
    (void)state;
    static const struct {
        float v;
        const char *text;
    } cases[] = { { 29.925f, "29.93" }, { 30.005f, "30.00" }, { 0.125f, "0.12" },
                  { 2.675f, "2.67" },   { -0.001f, "-0.00" }, { 72.0f, "72.00" } };
    char text[NUMBER_ROOM];
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_string_equal(ended(text, number_fixed(text, number_widen(cases[i].v), 2)),
                            cases[i].text);
}

static void test_digits(void **state)
{
    (void)state;
    char text[NUMBER_ROOM], want[8];
    for (int i = 0; i <= 9999; i++) {
        snprintf(want, sizeof(want), "%04d", i);
        assert_string_equal(ended(text, number_4(text, i)), want);
        if (i <= 99)
            assert_string_equal(ended(text, number_2(text, i)), want + 2);
    }
}

static void test_instants(void **state)
{
    (void)state;
    static const struct {
        struct civil c;
        const char *day, *instant;
    } cases[] = {
        { { 2024, 6, 1, 12, 0, 0, 0 }, "2024-06-01", "2024-06-01T12:00:00Z" },
        { { 1969, 12, 31, 23, 59, 59, 999999 }, "1969-12-31", "1969-12-31T23:59:59.999999Z" },
        { { 1970, 1, 1, 0, 0, 0, 1 }, "1970-01-01", "1970-01-01T00:00:00.000001Z" },
        { { 1, 1, 1, 0, 0, 0, 0 }, "0001-01-01", "0001-01-01T00:00:00Z" },
        { { 0, 2, 29, 0, 0, 0, 500000 }, "0000-02-29", "0000-02-29T00:00:00.500000Z" },
        { { -1, 12, 31, 1, 2, 3, 0 }, "-0001-12-31", "-0001-12-31T01:02:03Z" },
        { { 9999, 12, 31, 0, 0, 0, 0 }, "9999-12-31", "9999-12-31T00:00:00Z" },
        { { 10000, 1, 1, 0, 0, 0, 0 }, "+10000-01-01", "+10000-01-01T00:00:00Z" },
        { { -12345, 1, 1, 0, 0, 0, 0 }, "-12345-01-01", "-12345-01-01T00:00:00Z" },
    };
    char text[NUMBER_ROOM];
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct civil *c = &cases[i].c;
        int64_t days = civil_days(c->year, c->month, c->day);
        assert_string_equal(ended(text, number_day(text, days)), cases[i].day);
        assert_string_equal(ended(text, number_instant(text, civil_to_usec(c))), cases[i].instant);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_int),
        cmocka_unit_test(test_float4),
        cmocka_unit_test(test_float8),
        cmocka_unit_test(test_read_back),
        cmocka_unit_test(test_widen),
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_fixed_from_float4),
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_instants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
