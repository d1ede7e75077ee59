/* Lists of blocks: what goes in comes out, whatever the pieces, and every block goes back. */
#include "obstream/output/chunk.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 5 * CHUNK_SIZE + 77 };

static unsigned char plain[SIZE], back[SIZE + 1];

static void fill(unsigned seed)
{
    for (size_t i = 0; i < SIZE; i++)
        plain[i] = (unsigned char)(rand_r(&seed) >> 3);
    memset(back, 0, sizeof(back));
}

/* Adds plain[from..SIZE) in pieces of 1 to `widest` bytes. */
static void add_pieces(struct chunk_list *l, size_t from, size_t widest, unsigned *seed)
{
    while (from < SIZE) {
        size_t n = 1 + (size_t)rand_r(seed) % widest;
        if (n > SIZE - from)
            n = SIZE - from;
        chunk_list_add(l, plain + from, n);
        from += n;
    }
}

static size_t take_pieces(struct chunk_list *l, size_t at, size_t widest, unsigned *seed)
{
    size_t n;
    while (at < sizeof(back)) {
        size_t want = 1 + (size_t)rand_r(seed) % widest;
        if (want > sizeof(back) - at)
            want = sizeof(back) - at;
        n = chunk_list_take(l, back + at, want);
        at += n;
        if (n < want)
            break;
    }
    return at;
}

static void test_pieces(void **state)
{
    static const size_t widths[] = { 3, 4096, CHUNK_SIZE, 3 * CHUNK_SIZE };
    unsigned seed = 1;
    uint64_t before = chunk_in_use();
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) {
            struct chunk_list l = CHUNK_LIST_INIT;
            fill((unsigned)(i * 4 + j));
            add_pieces(&l, 0, widths[i], &seed);
            assert_int_equal(l.bytes, SIZE);
            assert_int_equal(chunk_in_use() - before, 6);
            assert_int_equal(take_pieces(&l, 0, widths[j], &seed), SIZE);
            assert_memory_equal(plain, back, SIZE);
            assert_int_equal(l.bytes, 0);
            assert_null(l.first);
            assert_null(l.last);
            assert_int_equal(chunk_in_use(), before);
        }
    }
}

static void test_take_between_adds(void **state)
{
    struct chunk_list l = CHUNK_LIST_INIT;
    (void)state;
    chunk_list_add(&l, "abcdef", 6);
    assert_int_equal(chunk_list_take(&l, back, 4), 4);
    chunk_list_add(&l, "ghi", 3);
    assert_int_equal(l.bytes, 5);
    assert_int_equal(chunk_list_take(&l, back + 4, 100), 5);
    assert_memory_equal(back, "abcdefghi", 9);
    assert_int_equal(chunk_list_take(&l, back, 100), 0);
    chunk_list_add(&l, "x", 1);
    assert_int_equal(chunk_list_take(&l, back, 100), 1);
    assert_int_equal(back[0], 'x');
    chunk_list_release(&l);
}

static void test_tail(void **state)
{
    struct chunk_list l = CHUNK_LIST_INIT;
    uint64_t before = chunk_in_use();
    size_t room;
    (void)state;
    unsigned char *p = chunk_list_tail(&l, &room);
    assert_int_equal(room, CHUNK_SIZE);
    chunk_list_advance(&l, 0);
    assert_ptr_equal(chunk_list_tail(&l, &room), p);
    memset(p, 'a', CHUNK_SIZE);
    chunk_list_advance(&l, CHUNK_SIZE - 1);
    assert_ptr_equal(chunk_list_tail(&l, &room), p + CHUNK_SIZE - 1);
    assert_int_equal(room, 1);
    chunk_list_advance(&l, 1);
    assert_non_null(chunk_list_tail(&l, &room)); /* an empty block at the end */
    assert_int_equal(room, CHUNK_SIZE);
    assert_int_equal(l.bytes, CHUNK_SIZE);
    assert_int_equal(chunk_in_use() - before, 2);
    assert_int_equal(chunk_list_take(&l, back, SIZE), CHUNK_SIZE);
    assert_int_equal(chunk_in_use(), before);
}

static void test_append(void **state)
{
    struct chunk_list a = CHUNK_LIST_INIT, b = CHUNK_LIST_INIT, c = CHUNK_LIST_INIT;
    uint64_t before = chunk_in_use();
    size_t room;
    (void)state;
    chunk_list_append(&a, &b); /* nothing to nothing */
    assert_null(a.first);
    chunk_list_add(&b, "__one", 5);
    assert_int_equal(chunk_list_take(&b, back, 2), 2); /* its front is gone before it moves */
    chunk_list_append(&a, &b);
    assert_null(b.first);
    assert_int_equal(b.bytes, 0);
    assert_non_null(chunk_list_tail(&c, &room)); /* a block without bytes */
    chunk_list_append(&a, &c);
    chunk_list_add(&b, "two", 3);
    chunk_list_append(&a, &b);
    chunk_list_add(&a, "three", 5);
    assert_int_equal(a.bytes, 11);
    assert_int_equal(chunk_list_take(&a, back, 100), 11);
    assert_memory_equal(back, "onetwothree", 11);
    assert_int_equal(chunk_in_use(), before);
}

static void test_sticky_failure(void **state)
{
    struct chunk_list a = CHUNK_LIST_INIT, b = CHUNK_LIST_INIT;
    size_t room = 1;
    (void)state;
    b.failed = true;
    chunk_list_add(&b, "lost", 4);
    assert_int_equal(b.bytes, 0);
    assert_null(chunk_list_tail(&b, &room));
    assert_int_equal(room, 0);
    chunk_list_add(&a, "kept", 4);
    chunk_list_append(&a, &b);
    assert_true(a.failed);
    assert_int_equal(a.bytes, 4);
    chunk_list_release(&a);
    assert_false(a.failed);
}

/* More blocks than are kept: the rest goes back to the system, the count stays right. */
static void test_many_blocks(void **state)
{
    struct chunk_list l = CHUNK_LIST_INIT;
    uint64_t before = chunk_in_use();
    (void)state;
    for (int i = 0; i < CHUNK_KEEP + 40; i++)
        chunk_list_add(&l, plain, CHUNK_SIZE);
    assert_int_equal(chunk_in_use() - before, CHUNK_KEEP + 40);
    chunk_list_release(&l);
    assert_int_equal(chunk_in_use(), before);
    assert_int_equal(l.bytes, 0);
}

static void *churn(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    unsigned char stamp = (unsigned char)seed, text[1000], got[1000];
    memset(text, stamp, sizeof(text));
    for (int round = 0; round < 200; round++) {
        struct chunk_list l = CHUNK_LIST_INIT;
        for (int i = rand_r(&seed) % 200; i >= 0; i--)
            chunk_list_add(&l, text, sizeof(text));
        while (chunk_list_take(&l, got, sizeof(got)) > 0)
            if (memcmp(got, text, sizeof(got)) != 0)
                return "a block has two owners";
    }
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[4];
    uint64_t before = chunk_in_use();
    (void)state;
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, churn, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++) {
        void *fault = NULL;
        pthread_join(threads[i], &fault);
        assert_null(fault);
    }
    assert_int_equal(chunk_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),         cmocka_unit_test(test_take_between_adds),
        cmocka_unit_test(test_tail),           cmocka_unit_test(test_append),
        cmocka_unit_test(test_sticky_failure), cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
