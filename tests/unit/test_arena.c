#include "obstream/core/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LIMIT = 1 << 20 };

static void test_alloc(void **state)
{
    (void)state;
    struct arena a = ARENA_INIT(LIMIT);
    static const size_t sizes[] = { 1, 7, 16, 4000, 100, 4096, 4097, 100000, 3 };
    unsigned char *blocks[sizeof(sizes) / sizeof(sizes[0])];
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        blocks[i] = arena_alloc(&a, sizes[i]);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(blocks[i][j], 0);
        memset(blocks[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(blocks[i][j], i + 1);
    }
    assert_false(a.failed);
    arena_release(&a);
}

static void test_limit(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, LIMIT);
    assert_null(arena_alloc(&a, LIMIT + 1));
    assert_true(a.failed);
    arena_release(&a);
    assert_false(a.failed);
    size_t total = 0;
    while (arena_alloc(&a, 1000) != NULL)
        total += 1000;
    assert_in_range(total, LIMIT / 2, LIMIT);
    assert_true(a.failed);
    arena_release(&a);
    assert_non_null(arena_alloc(&a, 1000));
    assert_null(arena_array(&a, SIZE_MAX / 2, 3));
    assert_null(arena_alloc(&a, SIZE_MAX));
    assert_true(a.failed);
    arena_release(&a);
}

static void test_strings(void **state)
{
    (void)state;
    struct arena a = ARENA_INIT(LIMIT);
    char longer[6001];
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    const char *copy = arena_strdup(&a, "station");
    const char *part = arena_strndup(&a, "station", 3);
    const char *text = arena_printf(&a, "%s:%d", "DSM", 42);
    const char *big = arena_printf(&a, "<%s>", longer);
    assert_string_equal(copy, "station");
    assert_string_equal(part, "sta");
    assert_string_equal(text, "DSM:42");
    assert_int_equal(strlen(big), sizeof(longer) + 1);
    assert_string_equal(arena_strdup(&a, ""), "");
    int *numbers = arena_array(&a, 100, sizeof(*numbers));
    for (int i = 0; i < 100; i++)
        assert_int_equal(numbers[i], 0);
    arena_release(&a);
}

/* Appends its letter to the text before it. */
struct trace {
    char *end, letter;
};

static void add_letter(void *ptr)
{
    struct trace *t = ptr;
    size_t n = strlen(t->end);
    t->end[n] = t->letter;
    t->end[n + 1] = '\0';
}

static void test_cleanups(void **state)
{
    (void)state;
    struct arena a = ARENA_INIT(LIMIT);
    char text[8] = "";
    for (int i = 0; i < 3; i++) {
        struct trace *t = arena_alloc(&a, sizeof(*t)); /* still there when the cleanup runs */
        *t = (struct trace){ text, (char)('a' + i) };
        assert_true(arena_defer(&a, add_letter, t));
    }
    assert_string_equal(text, "");
    arena_release(&a);
    assert_string_equal(text, "cba");
    arena_release(&a);
    assert_string_equal(text, "cba");
}

static void test_cleanup_without_room(void **state)
{
    (void)state;
    struct arena a = ARENA_INIT(0);
    char text[8] = "";
    struct trace t = { text, 'x' };
    assert_false(arena_defer(&a, add_letter, &t));
    assert_string_equal(text, "x");
    arena_release(&a);
    assert_string_equal(text, "x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_cleanups),
        cmocka_unit_test(test_cleanup_without_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
