#include "obstream/core/strutil.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_compare(void **state)
{
    (void)state;
    assert_true(str_eq("DSM", "DSM") && !str_eq("DSM", "dsm") && !str_eq("DSM", "DSMX"));
    assert_true(str_ieq("DSM", "dsm") && !str_ieq("DSM", "DS"));
    assert_true(str_starts("IA_ASOS", "IA_") && str_starts("x", "") && !str_starts("IA", "IA_"));
    assert_true(str_ends("a.csv", ".csv") && str_ends("x", "") && !str_ends("sv", ".csv"));
    assert_false(str_ends("a.csv.gz", ".csv"));
}

static void test_split(void **state)
{
    (void)state;
    static const struct {
        const char *text, *joined;
    } cases[] = {
        { "", "" },
        { ",", "" },
        { " , ,\t", "" },
        { "a", "a" },
        { "a,b,c", "a|b|c" },
        { " a , b\t,,c ", "a|b|c" },
        { "two words, x", "two words|x" },
        { ",a", "a" },
        { "a,", "a" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct arena a = ARENA_INIT(1 << 16);
        struct strlist l = { 0 };
        char joined[64] = "";
        strlist_split(&l, &a, cases[i].text);
        for (size_t j = 0; j < l.count; j++) {
            strcat(joined, j > 0 ? "|" : "");
            strcat(joined, l.items[j]);
        }
        assert_string_equal(joined, cases[i].joined);
        arena_release(&a);
    }
}

static void test_list(void **state)
{
    (void)state;
    struct arena a = ARENA_INIT(1 << 20);
    struct strlist l = { 0 };
    for (int i = 0; i < 1000; i++)
        strlist_add(&l, &a, arena_printf(&a, "S%d", i));
    strlist_add(&l, &a, NULL);
    assert_int_equal(l.count, 1000);
    assert_string_equal(l.items[0], "S0");
    assert_string_equal(l.items[999], "S999");
    assert_true(strlist_has(&l, "S500"));
    assert_false(strlist_has(&l, "s500"));
    assert_false(strlist_has(&l, "S1000"));
    arena_release(&a);
    struct arena none = ARENA_INIT(0);
    struct strlist empty = { 0 };
    strlist_add(&empty, &none, "x");
    assert_int_equal(empty.count, 0);
    assert_true(none.failed);
}

static void test_distance(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        unsigned d;
    } cases[] = {
        { "", "", 0 },
        { "tmpf", "TMPF", 0 },
        { "tmpf", "tmp", 1 },
        { "tmp", "tmpf", 1 },
        { "tmpf", "tmpc", 1 },
        { "ab", "ba", 2 },
        { "kitten", "sitting", 3 },
        { "", "abc", 3 },
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_int_equal(str_distance(cases[i].a, cases[i].b), cases[i].d);
        assert_int_equal(str_distance(cases[i].b, cases[i].a), cases[i].d);
    }
    char name[65];
    memset(name, 'a', sizeof(name));
    name[64] = '\0';
    assert_int_equal(str_distance(name, "a"), UINT_MAX);
    assert_int_equal(str_distance("a", name), UINT_MAX);
    name[63] = '\0';
    assert_int_equal(str_distance(name, name), 0);
    assert_int_equal(str_distance(name, "a"), 62);
}

static const char *variable(const void *ctx, size_t i)
{
    const char *const *names = ctx;
    return names[i];
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const names[] = { "dwpf", "tmpf", "tmpc", "alti", "mslp", NULL };
    assert_string_equal(str_nearest("tmpf", variable, names), "tmpf");
    assert_string_equal(str_nearest("TMPC", variable, names), "tmpc");
    assert_string_equal(str_nearest("tmp", variable, names), "tmpf"); /* the first of two */
    assert_string_equal(str_nearest("dewpf", variable, names), "dwpf");
    assert_null(str_nearest("visibility", variable, names));
    assert_null(str_nearest("tmpf", variable, names + 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compare), cmocka_unit_test(test_split),
        cmocka_unit_test(test_list),    cmocka_unit_test(test_distance),
        cmocka_unit_test(test_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
