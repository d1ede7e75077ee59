/*
 * A growing byte buffer with sticky failure and an upper limit.
 *
 * Appending returns nothing: when memory or the limit is exhausted the buffer is marked `failed`,
 * further appends do nothing, and one check at the end is enough. `data` is always NUL-terminated
 * unless it is NULL (never appended to). The buffer owns `data`.
 */
#ifndef OBSTREAM_CORE_BUF_H
#define OBSTREAM_CORE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* All limits of the program stand here, in bytes. */
enum buf_limit {
    BUF_LIMIT_SQL = 4 << 20,       /* one statement, with its station list */
    BUF_LIMIT_MESSAGE = 1 << 20,   /* errors, log lines, headers */
    BUF_LIMIT_DOCUMENT = 64 << 20, /* metadata answers built whole */
    BUF_LIMIT_SEGMENT = 256 << 20, /* rows of one segment before compression */
};

struct buf {
    char *data;
    size_t len, cap, limit;
    bool failed;
};

#define BUF_INIT(max) ((struct buf){ .limit = (max) })

void buf_init(struct buf *b, size_t limit);
void buf_release(struct buf *b); /* frees; the buffer can be used again */
void buf_clear(struct buf *b);   /* empties, keeps the memory, forgets a failure */

/* Makes room for n more bytes (and a NUL); false and `failed` when that is not possible. */
bool buf_grow(struct buf *b, size_t n);

void buf_add(struct buf *b, const void *p, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_add_int(struct buf *b, int64_t v);

/* Hands the memory to the caller, who frees it; NULL when the buffer failed. */
char *buf_detach(struct buf *b, size_t *len);

/* For hot paths: at least n writable bytes at the end, or NULL; then buf_advance(). */
static inline char *buf_tail(struct buf *b, size_t n)
{
    if ((b->failed || b->cap - b->len <= n) && !buf_grow(b, n))
        return NULL;
    return b->data + b->len;
}

static inline void buf_advance(struct buf *b, const char *end)
{
    b->len = (size_t)(end - b->data);
    b->data[b->len] = '\0';
}

static inline void buf_putc(struct buf *b, char c)
{
    char *p = buf_tail(b, 1);
    if (p == NULL)
        return;
    p[0] = c;
    p[1] = '\0';
    b->len++;
}

#endif
