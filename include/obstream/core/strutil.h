/* Small string helpers that C lacks. Nothing here owns memory unless an arena is passed. */
#ifndef OBSTREAM_CORE_STRUTIL_H
#define OBSTREAM_CORE_STRUTIL_H

#include "obstream/core/arena.h"

#include <stdbool.h>
#include <stddef.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

bool str_eq(const char *a, const char *b);
bool str_ieq(const char *a, const char *b); /* ASCII case folded */
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);

/* A list of strings in an arena. */
struct strlist {
    const char **items;
    size_t count, cap;
};

void strlist_add(struct strlist *l, struct arena *a, const char *s);

/* Adds the pieces of `s` between commas, without surrounding blanks and empty pieces. */
void strlist_split(struct strlist *l, struct arena *a, const char *s);

bool strlist_has(const struct strlist *l, const char *s);

/* Number of single-character insertions, deletions and replacements between two names, ASCII case
 * folded; names longer than 63 characters count as far away. */
unsigned str_distance(const char *a, const char *b);

/* The candidate nearest to `name` if it is near enough to be a likely typing error, else NULL.
 * next(ctx, i) gives candidate i, or NULL at the end. */
const char *str_nearest(const char *name, const char *(*next)(const void *ctx, size_t i),
                        const void *ctx);

#endif
