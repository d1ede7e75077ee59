#include "obstream/core/strutil.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

enum { NAME_MAX_LEN = 63 };

bool str_eq(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

bool str_ieq(const char *a, const char *b)
{
    return strcasecmp(a, b) == 0;
}

bool str_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

void strlist_add(struct strlist *l, struct arena *a, const char *s)
{
    if (s == NULL)
        return;
    if (l->count == l->cap) {
        size_t cap = l->cap == 0 ? 8 : l->cap * 2;
        const char **items = arena_array(a, cap, sizeof(*items));
        if (items == NULL)
            return;
        if (l->count > 0)
            memcpy(items, l->items, l->count * sizeof(*items));
        l->items = items;
        l->cap = cap;
    }
    l->items[l->count++] = s;
}

void strlist_split(struct strlist *l, struct arena *a, const char *s)
{
    while (*s != '\0') {
        s += strspn(s, " \t,");
        size_t n = strcspn(s, ",");
        size_t keep = n;
        while (keep > 0 && (s[keep - 1] == ' ' || s[keep - 1] == '\t'))
            keep--;
        if (keep > 0)
            strlist_add(l, a, arena_strndup(a, s, keep));
        s += n;
    }
}

bool strlist_has(const struct strlist *l, const char *s)
{
    for (size_t i = 0; i < l->count; i++) {
        if (str_eq(l->items[i], s))
            return true;
    }
    return false;
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;
    return m < c ? m : c;
}

unsigned str_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > NAME_MAX_LEN || m > NAME_MAX_LEN)
        return UINT_MAX;
    unsigned row[NAME_MAX_LEN + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned above = row[j];
            unsigned cost = fold(a[i - 1]) == fold(b[j - 1]) ? 0 : 1;
            row[j] = min3(above + 1, row[j - 1] + 1, diagonal + cost);
            diagonal = above;
        }
    }
    return row[m];
}

const char *str_nearest(const char *name, const char *(*next)(const void *ctx, size_t i),
                        const void *ctx)
{
    const char *best = NULL, *candidate;
    unsigned limit = (unsigned)strlen(name) / 3 + 1;
    for (size_t i = 0; (candidate = next(ctx, i)) != NULL; i++) {
        unsigned d = str_distance(name, candidate);
        if (d <= limit) {
            best = candidate;
            limit = d - (d > 0);
            if (d == 0)
                break;
        }
    }
    return best;
}
