/* Data frames held whole. */
#include "frame.h"

#include <stdlib.h>

void frame_rows_init(struct frame_rows *r, unsigned width)
{
    *r = (struct frame_rows){ .width = width };
    arena_init(&r->arena, FRAME_MEMORY);
}

void frame_rows_release(struct frame_rows *r)
{
    free(r->cells);
    arena_release(&r->arena);
}

bool frame_rows_add(void *rows, const struct cell *cells)
{
    struct frame_rows *r = rows;
    if (r->count == r->cap) {
        size_t cap = r->cap == 0 ? 64 : 2 * r->cap;
        struct cell *grown = reallocarray(r->cells, cap * r->width, sizeof(*grown));
        if (grown == NULL) {
            r->arena.failed = true;
            return false;
        }
        r->cells = grown;
        r->cap = cap;
    }
    struct cell *to = r->cells + r->count * r->width;
    for (unsigned i = 0; i < r->width; i++) {
        to[i] = cells[i];
        if (cells[i].type == CELL_TEXT)
            to[i].s = arena_strndup(&r->arena, cells[i].s, cells[i].len);
    }
    r->count += !r->arena.failed;
    return !r->arena.failed;
}

static void count_values(const struct frame *f, const struct frame_rows *r, uint64_t *values)
{
    for (size_t row = 0; row < r->count; row++) {
        const struct cell *cells = r->cells + row * r->width;
        for (unsigned i = 0; i < f->count; i++)
            values[i] += cells[i].type != CELL_NULL;
    }
}

void frame_write(struct frame *f, const struct frame_rows *r, struct buf *out,
                 void (*emit)(void *ctx, struct buf *out), void *ctx)
{
    uint64_t *values = calloc(f->count, sizeof(*values));
    f->rows = r->count;
    if (values == NULL) {
        out->failed = true;
        return;
    }
    count_values(f, r, values);
    frame_dtypes(f, values);
    free(values);
    frame_head(f, out);
    for (size_t row = 0; row < r->count; row++) {
        if (row > 0)
            buf_puts(out, frame_separators[f->format]);
        frame_row(f, row, r->cells + row * r->width, out);
        emit(ctx, out);
    }
    frame_tail(f, out);
    emit(ctx, out);
}
