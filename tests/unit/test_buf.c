#include "obstream/core/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_append(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
    assert_null(b.data);
    buf_add(&b, "abc", 2);
    buf_add(&b, NULL, 0);
    buf_puts(&b, "-");
    buf_putc(&b, 'x');
    buf_printf(&b, "[%d %s]", 42, "y");
    buf_add_int(&b, -7);
    assert_string_equal(b.data, "ab-x[42 y]-7");
    assert_int_equal(b.len, 12);
    assert_false(b.failed);
    buf_release(&b);
    assert_null(b.data);
    buf_puts(&b, "again");
    assert_string_equal(b.data, "again");
    buf_release(&b);
}

static void test_int(void **state)
{
    (void)state;
    static const int64_t values[] = { 0, 1, -1, 10, 99, INT64_MAX, INT64_MIN };
    struct buf b;
    buf_init(&b, 100);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char want[32];
        snprintf(want, sizeof(want), "%lld", (long long)values[i]);
        buf_clear(&b);
        buf_add_int(&b, values[i]);
        assert_string_equal(b.data, want);
    }
    buf_release(&b);
}

/* The text stays whole and terminated while the memory moves. */
static void test_growth(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct buf b = BUF_INIT(COUNT + 1);
    for (int i = 0; i < COUNT; i++) {
        buf_putc(&b, (char)('a' + i % 26));
        assert_int_equal(b.data[b.len], '\0');
    }
    assert_false(b.failed);
    assert_int_equal(b.len, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(b.data[i], 'a' + i % 26);
    buf_release(&b);
}

/* The limit counts the NUL; what does not fit leaves the text as it was. */
static void test_limit(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(8);
    buf_puts(&b, "1234567");
    assert_false(b.failed);
    buf_puts(&b, "8");
    assert_true(b.failed);
    buf_puts(&b, "");
    buf_add(&b, "x", 1);
    buf_printf(&b, "%d", 1);
    buf_add_int(&b, 1);
    buf_putc(&b, 'x');
    assert_string_equal(b.data, "1234567");
    assert_int_equal(b.len, 7);
    assert_false(buf_grow(&b, 0));
    buf_clear(&b);
    assert_false(b.failed);
    assert_int_equal(b.len, 0);
    assert_string_equal(b.data, "");
    assert_true(buf_grow(&b, 7));
    assert_false(buf_grow(&b, SIZE_MAX));
    assert_true(b.failed);
    buf_release(&b);
    assert_false(b.failed);
    assert_int_equal(b.limit, 8);
}

/* A failure lasts even where there is room left. */
static void test_sticky(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(100);
    buf_puts(&b, "ab");
    assert_false(buf_grow(&b, 200));
    buf_putc(&b, 'c');
    assert_null(buf_tail(&b, 1));
    assert_string_equal(b.data, "ab");
    buf_clear(&b);
    buf_putc(&b, 'c');
    assert_string_equal(b.data, "c");
    buf_release(&b);
}

static void test_tail(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(1000);
    for (int i = 0; i < 9; i++) {
        char *p = buf_tail(&b, 100);
        assert_non_null(p);
        memset(p, 'a' + i, 100);
        buf_advance(&b, p + 100);
    }
    assert_int_equal(strlen(b.data), 900);
    assert_int_equal(b.data[899], 'i');
    assert_null(buf_tail(&b, 100));
    assert_true(b.failed);
    buf_release(&b);
}

static void test_detach(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(16);
    size_t len = 99;
    char *text = buf_detach(&b, &len); /* of a buffer never used: an empty text */
    assert_string_equal(text, "");
    assert_int_equal(len, 0);
    free(text);
    buf_puts(&b, "hello");
    text = buf_detach(&b, &len);
    assert_string_equal(text, "hello");
    assert_int_equal(len, 5);
    assert_null(b.data);
    free(text);
    buf_puts(&b, "much longer than sixteen");
    assert_null(buf_detach(&b, &len));
    assert_false(b.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_append), cmocka_unit_test(test_int),    cmocka_unit_test(test_growth),
        cmocka_unit_test(test_limit),  cmocka_unit_test(test_sticky), cmocka_unit_test(test_tail),
        cmocka_unit_test(test_detach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
