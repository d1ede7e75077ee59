/* sql.h: values become exactly these texts, and everything outside the alphabets is refused. */
#include "obstream/core/civil.h"
#include "obstream/query/sql.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define SAYS(want, call)                                                                           \
    do {                                                                                           \
        struct buf b = BUF_INIT(BUF_LIMIT_SQL);                                                    \
        call;                                                                                      \
        assert_false(b.failed);                                                                    \
        assert_string_equal(b.data, want);                                                         \
        buf_release(&b);                                                                           \
    } while (0)

#define REFUSES(call)                                                                              \
    do {                                                                                           \
        struct buf b = BUF_INIT(BUF_LIMIT_SQL);                                                    \
        call;                                                                                      \
        assert_true(b.failed);                                                                     \
        buf_release(&b);                                                                           \
    } while (0)

static void test_numbers(void **state)
{
    (void)state;
    SAYS("-9223372036854775808", sql_int(&b, INT64_MIN));
    SAYS("0.10000000000000001::float8", sql_float8(&b, 0.1));
    SAYS("-32::float8", sql_float8(&b, -32));
    REFUSES(sql_float8(&b, (double)NAN));
    REFUSES(sql_float8(&b, (double)INFINITY));
    REFUSES(sql_float8(&b, -(double)INFINITY));
}

static void test_times(void **state)
{
    (void)state;
    int64_t first = civil_days(1, 1, 1), last = civil_days(9999, 12, 31);
    SAYS("TIMESTAMPTZ '1970-01-01 00:00:00.000000+00'", sql_instant(&b, 0));
    SAYS("TIMESTAMPTZ '1969-12-31 23:59:59.999999+00'", sql_instant(&b, -1));
    SAYS("TIMESTAMPTZ '0001-01-01 00:00:00.000000+00'", sql_instant(&b, first * USEC_PER_DAY));
    SAYS("TIMESTAMPTZ '9999-12-31 23:59:59.999999+00'",
         sql_instant(&b, (last + 1) * USEC_PER_DAY - 1));
    SAYS("DATE '2024-02-29'", sql_day(&b, civil_days(2024, 2, 29)));
    SAYS("DATE '0001-01-01'", sql_day(&b, first));
    SAYS("DATE '9999-12-31'", sql_day(&b, last));
    REFUSES(sql_instant(&b, first * USEC_PER_DAY - 1));
    REFUSES(sql_instant(&b, (last + 1) * USEC_PER_DAY));
    REFUSES(sql_instant(&b, INT64_MIN));
    REFUSES(sql_instant(&b, INT64_MAX));
    REFUSES(sql_day(&b, first - 1));
    REFUSES(sql_day(&b, last + 1));
    REFUSES(sql_day(&b, INT64_MAX));
}

/* Every byte, at every place of a short id. */
static void test_alphabets(void **state)
{
    (void)state;
    static const char id_also[] = " _-.:+/#@";
    for (int c = 0; c < 256; c++) {
        bool alnum = c < 128 && ((c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'));
        bool id = alnum || (c != 0 && strchr(id_also, c) != NULL);
        for (int place = 0; place < 3; place++) {
            char text[] = "AbC";
            text[place] = (char)c;
            assert_int_equal(sql_id_ok(text, 3), id);
            struct buf b = BUF_INIT(BUF_LIMIT_SQL);
            sql_id(&b, text, 3);
            assert_int_equal(b.failed, !id);
            buf_release(&b);
            if (c == 0)
                continue; /* the end of a pattern */
            assert_int_equal(sql_key_pattern_ok(text), alnum || c == '*');
            sql_key_pattern(&b, text);
            assert_int_equal(b.failed, !alnum && c != '*');
            buf_release(&b);
        }
    }
}

static void test_ids(void **state)
{
    (void)state;
    char longest[66];
    memset(longest, 'x', 65);
    longest[65] = '\0';
    SAYS("'DSM'", sql_id(&b, "DSM", 3));
    SAYS("'a #+/'", sql_id(&b, "a #+/", 5));
    REFUSES(sql_id(&b, "", 0));
    REFUSES(sql_id(&b, longest, 65));
    assert_true(sql_id_ok(longest, 64));
    SAYS("'PPH%'", sql_key_pattern(&b, "PPH*"));
    SAYS("'%Z%'", sql_key_pattern(&b, "*Z*"));
    REFUSES(sql_key_pattern(&b, ""));
    REFUSES(sql_key_pattern(&b, "01234567890123456"));
    SAYS("station = 'DSM'", sql_id_in(&b, "station", (const char *[]){ "DSM" }, 1));
    SAYS("station IN ('DSM', 'AMW')",
         sql_id_in(&b, "station", (const char *[]){ "DSM", "AMW" }, 2));
    REFUSES(sql_id_in(&b, "station", (const char *[]){ "DSM", "A'W" }, 2));
    REFUSES(sql_id_in(&b, "station", NULL, 0));
}

/* A failure stays: what follows does not mend it. */
static void test_sticky(void **state)
{
    (void)state;
    REFUSES((sql_id(&b, "'", 1), sql_id(&b, "DSM", 3), sql_text(&b, "x"), sql_int(&b, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),   cmocka_unit_test(test_times),
        cmocka_unit_test(test_alphabets), cmocka_unit_test(test_ids),
        cmocka_unit_test(test_sticky),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
