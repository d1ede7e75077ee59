#include "obstream/core/strutil.h"
#include "obstream/core/tz.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4, MANY = 100 };

static int64_t at(int year, int month, int day, int hour, int minute)
{
    struct civil c = { year, month, day, hour, minute, 0, 0 };
    return civil_to_usec(&c);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const good[] = { "UTC",     "Etc/UTC",     "America/Chicago",
                                        "EST5EDT", "Etc/GMT+5",   "America/Argentina/Buenos_Aires",
                                        "GMT0",    "Asia/Kolkata" };
    static const char *const bad[] = {
        "",
        "/",
        "Nowhere/Town",
        "america/chicago",
        "America",
        "America/",
        "America//Chicago",
        "/usr/share/zoneinfo/UTC",
        "/etc/localtime",
        "../zoneinfo/UTC",
        "America/../UTC",
        "./UTC",
        "+05:00",
        "-05",
        "05:00",
        "EST5EDT,M3.2.0,M11.1.0",
        "CST6",
        ":UTC",
        "UTC ",
        " UTC",
        "localtime",
        "posix/UTC",
        "right/UTC",
        "zone1970.tab",
        "tzdata.zi",
        "Z\xc3\xbcrich",
        "America/Chicago/x",
        "A123456789012345678901234567890123456789012345678901234567890123456789",
    };
    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        const struct tz *tz = tz_find(good[i]);
        assert_non_null(tz);
        assert_string_equal(tz_name(tz), good[i]);
        assert_ptr_equal(tz, tz_find(good[i]));
    }
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        if (tz_find(bad[i]) != NULL)
            fail_msg("'%s' was found", bad[i]);
    }
    assert_ptr_equal(tz_find("UTC"), tz_utc());
}

static void test_offsets(void **state)
{
    (void)state;
    static const struct {
        const char *zone;
        int year, month, day, hour, minute;
        int32_t offset;
        const char *abbrev;
    } cases[] = {
        { "America/Chicago", 1850, 1, 1, 0, 0, -21036, "LMT" },
        { "America/Chicago", 2024, 3, 10, 7, 59, -21600, "CST" },
        { "America/Chicago", 2024, 3, 10, 8, 0, -18000, "CDT" },
        { "America/Chicago", 2024, 11, 3, 6, 59, -18000, "CDT" },
        { "America/Chicago", 2024, 11, 3, 7, 0, -21600, "CST" },
        { "America/Chicago", 1943, 1, 1, 0, 0, -18000, "CWT" },
        { "America/Chicago", 2150, 7, 1, 0, 0, -18000, "CDT" },
        { "America/Phoenix", 2024, 7, 1, 0, 0, -25200, "MST" },
        { "America/St_Johns", 2024, 1, 1, 0, 0, -12600, "NST" },
        { "Asia/Kathmandu", 2024, 1, 1, 0, 0, 20700, "+0545" },
        { "EST5EDT", 2024, 7, 1, 0, 0, -14400, "EDT" },
        { "Etc/GMT+5", 2024, 7, 1, 0, 0, -18000, "-05" },
        /* winter as negative daylight time, beyond the transitions that the file lists */
        { "Europe/Dublin", 2024, 1, 1, 0, 0, 0, "GMT" },
        { "Europe/Dublin", 2050, 1, 1, 0, 0, 0, "GMT" },
        { "Europe/Dublin", 2050, 7, 1, 0, 0, 3600, "IST" },
        { "Europe/Dublin", 2038, 3, 28, 0, 59, 0, "GMT" },
        { "Europe/Dublin", 2038, 3, 28, 1, 0, 3600, "IST" },
        { "UTC", 2024, 7, 1, 0, 0, 0, "UTC" },
        { "Etc/UTC", 1600, 7, 1, 0, 0, 0, "UTC" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct tz *tz = tz_find(cases[i].zone);
        int64_t usec =
            at(cases[i].year, cases[i].month, cases[i].day, cases[i].hour, cases[i].minute);
        assert_non_null(tz);
        if (tz_offset(tz, usec, NULL, NULL) != cases[i].offset)
            fail_msg("case %zu: offset %d", i, (int)tz_offset(tz, usec, NULL, NULL));
        assert_string_equal(tz_abbrev(tz, usec), cases[i].abbrev);
        struct civil c = civil_from_usec(usec + cases[i].offset * USEC_PER_SEC);
        struct civil got = tz_to_local(tz, usec);
        assert_memory_equal(&got, &c, sizeof(c));
    }
}

static void test_since_until(void **state)
{
    (void)state;
    const struct tz *tz = tz_find("America/Chicago");
    int64_t since, until, usec = INT64_MIN;
    tz_offset(tz, at(2024, 7, 1, 0, 0), &since, &until);
    assert_int_equal(since, at(2024, 3, 10, 8, 0));
    assert_int_equal(until, at(2024, 11, 3, 7, 0));
    size_t spans = 0;
    for (; usec != INT64_MAX; usec = until, spans++) {
        int32_t offset = tz_offset(tz, usec, &since, &until);
        assert_int_equal(since, usec);
        assert_true(until > usec);
        assert_int_equal(tz_offset(tz, until - 1, NULL, NULL), offset);
    }
    assert_in_range(spans, 400, 700);
    assert_int_equal(tz_offset(tz_utc(), 0, &since, &until), 0);
    assert_true(since == INT64_MIN && until == INT64_MAX);
}

/* Expected values are those of Python's zoneinfo with fold=0. */
static void test_from_local(void **state)
{
    (void)state;
    static const struct {
        const char *zone;
        struct civil local;
        int32_t offset;
    } cases[] = {
        { "America/Chicago", { 2024, 11, 3, 0, 59, 59, 0 }, -18000 },
        { "America/Chicago", { 2024, 11, 3, 1, 0, 0, 0 }, -18000 }, /* first of two */
        { "America/Chicago", { 2024, 11, 3, 1, 59, 59, 999999 }, -18000 },
        { "America/Chicago", { 2024, 11, 3, 2, 0, 0, 0 }, -21600 },
        { "America/Chicago", { 2024, 3, 10, 1, 59, 59, 0 }, -21600 },
        { "America/Chicago", { 2024, 3, 10, 2, 0, 0, 0 }, -21600 }, /* in the gap */
        { "America/Chicago", { 2024, 3, 10, 2, 59, 59, 999999 }, -21600 },
        { "America/Chicago", { 2024, 3, 10, 3, 0, 0, 0 }, -18000 },
        { "Pacific/Apia", { 2011, 12, 30, 12, 0, 0, 0 }, -36000 }, /* a day left out */
        { "Pacific/Apia", { 2011, 12, 31, 0, 0, 0, 0 }, 50400 },
        { "Europe/Dublin", { 2050, 10, 30, 1, 30, 0, 0 }, 3600 },
        { "Europe/Dublin", { 2050, 3, 27, 1, 30, 0, 0 }, 0 },
        { "UTC", { 2024, 3, 10, 2, 0, 0, 0 }, 0 },
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        int64_t got = tz_from_local(tz_find(cases[i].zone), &cases[i].local);
        if (got != civil_to_usec(&cases[i].local) - cases[i].offset * USEC_PER_SEC)
            fail_msg("case %zu", i);
    }
}

static void test_candidates(void **state)
{
    (void)state;
    const char *name, *before = "";
    size_t n = 0;
    for (; (name = tz_candidate(NULL, n)) != NULL; n++) {
        assert_true(strcmp(before, name) < 0);
        assert_false(str_starts(name, "posix/") || str_starts(name, "right/"));
        before = name;
    }
    assert_in_range(n, 300, 2000);
    assert_string_equal(str_nearest("America/Chicgo", tz_candidate, NULL), "America/Chicago");
    assert_null(tz_candidate(NULL, n + 1));
}

/* Finds the same zones as the other threads at the same time; counts the answers that fit. */
static void *use_zones(void *arg)
{
    size_t *found = arg;
    for (size_t i = 0; i < MANY; i++) {
        const struct tz *tz = tz_find(tz_candidate(NULL, i));
        int64_t usec = at(1950 + (int)i, 7, 1, 0, 0);
        struct civil c = tz_to_local(tz, usec);
        *found += tz_from_local(tz, &c) == usec && tz_abbrev(tz, usec)[0] != '\0';
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    size_t found[THREADS] = { 0 };
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_zones, &found[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(found[i], MANY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads), /* first, while nothing is loaded */
        cmocka_unit_test(test_names),       cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_since_until), cmocka_unit_test(test_from_local),
        cmocka_unit_test(test_candidates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
