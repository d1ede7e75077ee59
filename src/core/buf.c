#include "obstream/core/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void buf_init(struct buf *b, size_t limit)
{
    *b = BUF_INIT(limit);
}

void buf_release(struct buf *b)
{
    free(b->data);
    *b = BUF_INIT(b->limit);
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    b->failed = false;
    if (b->data != NULL)
        b->data[0] = '\0';
}

bool buf_grow(struct buf *b, size_t n)
{
    if (b->failed)
        return false;
    if (n >= b->limit || b->len > b->limit - n - 1) {
        b->failed = true;
        return false;
    }
    size_t need = b->len + n + 1;
    if (need <= b->cap)
        return true;
    size_t cap = b->cap < 64 ? 64 : b->cap + b->cap / 2;
    if (cap > b->limit)
        cap = b->limit;
    if (cap < need)
        cap = need;
    char *data = realloc(b->data, cap);
    if (data == NULL) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->cap = cap;
    b->data[b->len] = '\0';
    return true;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
    if (n == 0 || !buf_grow(b, n))
        return;
    memcpy(b->data + b->len, p, n);
    b->len += n;
    b->data[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0)
        b->failed = true;
    if (n > 0 && buf_grow(b, (size_t)n)) {
        vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

void buf_add_int(struct buf *b, int64_t v)
{
    char text[24];
    char *p = text + sizeof(text);
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do {
        *--p = (char)('0' + u % 10);
        u /= 10;
    } while (u != 0);
    if (v < 0)
        *--p = '-';
    buf_add(b, p, (size_t)(text + sizeof(text) - p));
}

char *buf_detach(struct buf *b, size_t *len)
{
    char *data = NULL;
    if (!b->failed && buf_grow(b, 0)) {
        data = b->data;
        *len = b->len;
        b->data = NULL;
    }
    buf_release(b);
    return data;
}
