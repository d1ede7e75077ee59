#include "obstream/core/strutil.h"
#include "obstream/core/timeparse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int64_t instant(int year, int month, int day, int hour, int minute)
{
    struct civil c = { year, month, day, hour, minute, 0, 0 };
    return civil_to_usec(&c);
}

static void test_good(void **state)
{
    (void)state;
    const int64_t noon = instant(2024, 6, 1, 12, 0);
    const struct {
        const char *text;
        int64_t usec; /* for a zone five hours behind UTC where the text has none */
    } cases[] = {
        { "2024", instant(2024, 1, 1, 6, 0) },
        { "2024-06", instant(2024, 6, 1, 5, 0) },
        { "2024-06-01", instant(2024, 6, 1, 5, 0) },
        { "2024-06-01T12:00", noon + 5 * USEC_PER_HOUR },
        { "2024-06-01t12:00", noon + 5 * USEC_PER_HOUR },
        { "2024-06-01 12:00:07", noon + 5 * USEC_PER_HOUR + 7 * USEC_PER_SEC },
        { "2024-06-01T12:00Z", noon },
        { "2024-06-01 12:00z", noon },
        { "2024-06-01T12:00:00.5Z", noon + 500000 },
        { "2024-06-01T12:00:00.000001Z", noon + 1 },
        { "2024-06-01T12:00:00.123456789Z", noon + 123456 },
        { "2024-06-01T12:00:00.0000009Z", noon },
        { "2024-06-01T12:00+02", noon - 2 * USEC_PER_HOUR },
        { "2024-06-01T12:00+0230", noon - 2 * USEC_PER_HOUR - 30 * USEC_PER_MIN },
        { "2024-06-01T12:00-02:30", noon + 2 * USEC_PER_HOUR + 30 * USEC_PER_MIN },
        { "2024-06-01T12:00:00.25-23:59", noon + USEC_PER_DAY - USEC_PER_MIN + 250000 },
        { "2024-06-01T12:00 00:00", noon },
        { "2024-06-01T12:00 02:00", noon - 2 * USEC_PER_HOUR },
        { "2024-06-01 12:00 0200", noon - 2 * USEC_PER_HOUR },
        { "2024-02-29T00:00Z", instant(2024, 2, 29, 0, 0) },
        { "0001-01-01T00:00Z", instant(1, 1, 1, 0, 0) },
        { "9999-12-31T23:59Z", instant(9999, 12, 31, 23, 59) },
        { "2024-11-03T01:30", instant(2024, 11, 3, 6, 30) }, /* the first of two */
        { "2024-03-10T02:30", instant(2024, 3, 10, 8, 30) }, /* in the gap */
    };
    const struct tz *chicago = tz_find("America/Chicago");
    assert_non_null(chicago);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct err e = ERR_INIT;
        int64_t usec = -1;
        if (!time_parse(cases[i].text, chicago, &usec, &e))
            fail_msg("%s: %s", cases[i].text, e.msg);
        if (usec != cases[i].usec)
            fail_msg("%s: %lld instead of %lld", cases[i].text, (long long)usec,
                     (long long)cases[i].usec);
    }
}

/* The text is copied to a block of its exact size, so that a sanitizer sees reads past its end. */
static char *exact_copy(const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    return copy;
}

/* clang-format off */
static const struct {
    const char *text, *part; /* of the message */
} bad_times[] = {
    { "", "write YYYY" }, { " ", "write YYYY" }, { "202", "write YYYY" }, { "20245", "write" },
    { "2024-", "write" }, { "2024-6", "write" }, { "2024-6-1", "write" }, { "2024-06-", "write" },
    { "2024-06-1", "write" }, { "2024-06-011", "write" }, { "20240601", "write" },
    { "2024/06/01", "write" }, { " 2024-06-01", "write" }, { "2024-06-01 ", "write" },
    { "2024-06-01T", "write" }, { "2024-06-01T12", "write" }, { "2024-06-01T12:", "write" },
    { "2024-06-01T12:0", "write" }, { "2024-06-01T1200", "write" },
    { "2024-06-01  12:00", "write" }, { "2024-06-01_12:00", "write" },
    { "2024-06T12:00", "write" }, { "2024-06-01Z", "write" }, { "2024-06-01+02:00", "write" },
    { "2024-06-01T12:00:", "write" }, { "2024-06-01T12:00:0", "write" },
    { "2024-06-01T12:00:00.", "write" }, { "2024-06-01T12:00:00,5", "write" },
    { "2024-06-01T12:00:00.1234567890", "write" }, { "2024-06-01T12:00.5", "write" },
    { "2024-06-01T12:00ZZ", "write" }, { "2024-06-01T12:00Z ", "write" },
    { "2024-06-01T12:00+", "write" }, { "2024-06-01T12:00+2", "write" },
    { "2024-06-01T12:00+020", "write" }, { "2024-06-01T12:00+02:", "write" },
    { "2024-06-01T12:00+02:0", "write" }, { "2024-06-01T12:00+02:000", "write" },
    { "2024-06-01T12:00 ", "write" }, { "2024-06-01T12:00  02:00", "write" },
    { "2024-06-01T12:00 UTC", "write" }, { "+2024-06-01", "write" }, { "-024-06-01", "write" },
    { "2024-06-01T12:00\xe2\x88\x92" "02:00", "write" }, { "now", "'now' is not a date" },
    { "0000", "year 0 is not within 1 to 9999" }, { "2024-00", "month 0" },
    { "2024-13-01", "month 13 is not within 1 to 12" }, { "2024-06-00", "day 0" },
    { "2024-06-31", "day 31 is not within 1 to 30" },
    { "2023-02-29", "day 29 is not within 1 to 28" }, { "1900-02-29", "day 29" },
    { "2024-06-01T24:00", "write midnight as 00:00 of the next day" },
    { "2024-06-01T12:60", "minute 60" }, { "2024-06-30T23:59:60Z", "second 60" },
    { "2024-06-01T12:00+24:00", "offset hour 24" },
    { "2024-06-01T12:00-05:60", "offset minute 60" },
};
/* clang-format on */

static void test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(bad_times); i++) {
        struct err e = ERR_INIT;
        int64_t usec;
        char *text = exact_copy(bad_times[i].text);
        if (time_parse(text, tz_utc(), &usec, &e))
            fail_msg("'%s' was taken", text);
        assert_int_equal(e.kind, ERR_PARAM);
        if (strstr(e.msg, bad_times[i].part) == NULL || strstr(e.msg, text) == NULL)
            fail_msg("'%s': %s", text, e.msg);
        free(text);
    }
}

/* Every prefix, and every text with one byte replaced, is refused or taken, never overrun. */
static void test_mutations(void **state)
{
    (void)state;
    static const char full[] = "2024-06-01T12:34:56.789012+02:30";
    static const char bytes[] = "0129:-+.TZz \xff\n";
    size_t taken = 0;
    for (size_t n = 0; n < sizeof(full); n++) {
        for (size_t b = 0; b <= ARRAY_SIZE(bytes) - 1; b++) {
            char *text = exact_copy(full);
            char *cut = strndup(full, n);
            struct err e = ERR_INIT;
            int64_t usec;
            if (n < strlen(full) && bytes[b] != '\0')
                text[n] = bytes[b];
            taken += time_parse(text, tz_utc(), &usec, &e);
            err_clear(&e);
            taken += time_parse(cut, tz_utc(), &usec, &e);
            free(cut);
            free(text);
        }
    }
    assert_in_range(taken, 100, 2 * sizeof(full) * sizeof(bytes));
}

static void test_civil(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    struct civil c;
    bool aware;
    int32_t offset;
    assert_true(time_parse_civil("2024-06-01T12:34:56.7-05:30", &c, &aware, &offset, &e));
    assert_true(aware);
    assert_int_equal(offset, -(5 * 3600 + 30 * 60));
    const struct civil want = { 2024, 6, 1, 12, 34, 56, 700000 };
    assert_memory_equal(&c, &want, sizeof(want));
    assert_true(time_parse_civil("2024-06-01T12:34", &c, &aware, &offset, &e));
    assert_false(aware);
    assert_int_equal(offset, 0);
    assert_true(time_parse_civil("2024-06-01T12:34Z", &c, &aware, &offset, &e));
    assert_true(aware);
    assert_int_equal(offset, 0);
}

static void test_day(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",       "2024-02-30", "2024-06-01T00:00", "2024-06-01Z", "24-06-01", "2024-06-01 ",
        "2024-1", "0000-01-01", "2024-06-0a"
    };
    struct err e = ERR_INIT;
    int64_t days;
    assert_true(day_parse("2024-06-03", &days, &e));
    assert_int_equal(days, civil_days(2024, 6, 3));
    assert_true(day_parse("2024-06", &days, &e));
    assert_int_equal(days, civil_days(2024, 6, 1));
    assert_true(day_parse("1893", &days, &e));
    assert_int_equal(days, civil_days(1893, 1, 1));
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        err_clear(&e);
        assert_false(day_parse(bad[i], &days, &e));
        assert_int_equal(e.kind, ERR_PARAM);
    }
}

/* Long and unprintable texts are shown in part, with a mark, and not within a UTF-8 sequence. */
static void test_message(void **state)
{
    (void)state;
    char text[200];
    struct err e = ERR_INIT;
    int64_t usec;
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    memcpy(text + 63, "\xc3\xa9", 2);
    text[1] = '\n';
    assert_false(time_parse(text, tz_utc(), &usec, &e));
    assert_non_null(strstr(e.msg, "'x?x"));
    assert_non_null(strstr(e.msg, "xx...' is not a date"));
    assert_null(strchr(e.msg, '\xc3'));
    assert_null(strchr(e.msg, '\n'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),  cmocka_unit_test(test_bad), cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_civil), cmocka_unit_test(test_day), cmocka_unit_test(test_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
