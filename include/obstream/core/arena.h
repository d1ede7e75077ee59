/*
 * Memory of one request: allocate freely, release once.
 *
 * No function below the request frees anything on its error path. Foreign resources (files,
 * leases) hang a cleanup on the arena with arena_defer(); cleanups run in reverse order at
 * arena_release(). An arena belongs to one thread at a time. When memory or the limit is
 * exhausted the allocators return NULL and `failed` stays set.
 */
#ifndef OBSTREAM_CORE_ARENA_H
#define OBSTREAM_CORE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_block;
struct arena_cleanup;

struct arena {
    struct arena_block *blocks;
    struct arena_cleanup *cleanups;
    size_t used, limit;
    bool failed;
};

#define ARENA_INIT(max) ((struct arena){ .limit = (max) })

void arena_init(struct arena *a, size_t limit);
void arena_release(struct arena *a); /* runs the cleanups, frees all; can be used again */

/* Zeroed memory, aligned for any type; NULL when exhausted. */
void *arena_alloc(struct arena *a, size_t size);
void *arena_array(struct arena *a, size_t count, size_t size);

char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Runs fn(ptr) at release; false when exhausted, then fn(ptr) has been called at once. */
bool arena_defer(struct arena *a, void (*fn)(void *), void *ptr);

#endif
