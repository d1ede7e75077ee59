#include "obstream/core/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks grow with the arena: the large ones of large requests are mapped on their own by malloc,
 * so that a flood of them leaves no scattered heap behind. */
enum { BLOCK_SIZE = 4096, LARGEST_BLOCK = 256 << 10, ALIGN = 16 };

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    _Alignas(ALIGN) char data[];
};

struct arena_cleanup {
    struct arena_cleanup *next;
    void (*fn)(void *);
    void *ptr;
};

void arena_init(struct arena *a, size_t limit)
{
    *a = ARENA_INIT(limit);
}

void arena_release(struct arena *a)
{
    for (struct arena_cleanup *c = a->cleanups; c != NULL; c = c->next)
        c->fn(c->ptr);
    struct arena_block *b = a->blocks;
    while (b != NULL) {
        struct arena_block *next = b->next;
        free(b);
        b = next;
    }
    *a = ARENA_INIT(a->limit);
}

static struct arena_block *block_add(struct arena *a, size_t size)
{
    size_t grown = a->used < BLOCK_SIZE      ? BLOCK_SIZE
                   : a->used < LARGEST_BLOCK ? a->used
                                             : LARGEST_BLOCK;
    if (a->used > a->limit || grown > a->limit - a->used)
        grown = 0; /* what is left of the limit is for what was asked */
    size_t want = size > grown ? size : grown;
    if (a->failed || want > a->limit || a->used > a->limit - want) {
        a->failed = true;
        return NULL;
    }
    struct arena_block *b = calloc(1, sizeof(*b) + want);
    if (b == NULL) {
        a->failed = true;
        return NULL;
    }
    b->size = want;
    b->next = a->blocks;
    a->blocks = b;
    a->used += want;
    return b;
}

void *arena_alloc(struct arena *a, size_t size)
{
    if (size > SIZE_MAX - ALIGN) {
        a->failed = true;
        return NULL;
    }
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    struct arena_block *b = a->blocks;
    if (b == NULL || b->size - b->used < size)
        b = block_add(a, size);
    if (b == NULL)
        return NULL;
    void *p = b->data + b->used;
    b->used += size;
    return p;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        a->failed = true;
        return NULL;
    }
    return arena_alloc(a, count * size);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    if (p != NULL)
        memcpy(p, s, n);
    return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *p = n < 0 ? NULL : arena_alloc(a, (size_t)n + 1);
    if (p != NULL)
        vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

bool arena_defer(struct arena *a, void (*fn)(void *), void *ptr)
{
    struct arena_cleanup *c = arena_alloc(a, sizeof(*c));
    if (c == NULL) {
        fn(ptr);
        return false;
    }
    *c = (struct arena_cleanup){ .next = a->cleanups, .fn = fn, .ptr = ptr };
    a->cleanups = c;
    return true;
}
