#include "obstream/core/err.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_first_is_kept(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    assert_false(err_set(&e, ERR_PARAM, "station '%s' is unknown", "XXX"));
    assert_false(err_set(&e, ERR_INTERNAL, "a consequence"));
    assert_int_equal(e.kind, ERR_PARAM);
    assert_string_equal(e.msg, "station 'XXX' is unknown");
    assert_false(err_set(NULL, ERR_IO, "nobody listens"));
    err_clear(&e);
    assert_int_equal(e.kind, ERR_NONE);
    assert_string_equal(e.msg, "");
    err_set(&e, ERR_IO, "next");
    assert_string_equal(e.msg, "next");
}

static void test_long_message(void **state)
{
    (void)state;
    char text[2 * ERR_MSG_SIZE];
    struct err e = ERR_INIT;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    err_set(&e, ERR_PARAM, "%s", text);
    assert_int_equal(strnlen(e.msg, sizeof(e.msg)), ERR_MSG_SIZE - 1);
}

/* Slugs become parts of URLs and must differ; an error never has a status of success. */
static void test_kinds(void **state)
{
    (void)state;
    for (int k = 0; k < ERR_KIND_COUNT; k++) {
        const char *slug = err_slug((enum err_kind)k);
        assert_non_null(slug);
        for (const char *p = slug; *p != '\0'; p++)
            assert_true(islower((unsigned char)*p) || *p == '-');
        assert_true(isupper((unsigned char)err_title((enum err_kind)k)[0]));
        if (k != ERR_NONE)
            assert_in_range(err_status((enum err_kind)k), 400, 599);
        for (int other = 0; other < k; other++)
            assert_string_not_equal(slug, err_slug((enum err_kind)other));
    }
    assert_int_equal(err_status(ERR_NONE), 200);
    assert_int_equal(err_status(ERR_PARAM), 400);
    assert_int_equal(err_status(ERR_UNPROCESSABLE), 422);
    assert_string_equal(err_slug(ERR_DATABASE), "database-error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_is_kept),
        cmocka_unit_test(test_long_message),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
