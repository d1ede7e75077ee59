#include "frame_plan.h"

#include "obstream/stream/sink.h"

#include <stdlib.h>
#include <sys/random.h>

enum { FRAME_CELLS = 64 }; /* of a streamed row, at most */

struct frame *frame_new(struct api_request *r, enum frame_format format,
                        const struct frame_column *columns, unsigned count)
{
    struct frame *f = arena_alloc(r->arena, sizeof(*f));
    enum frame_dtype *dtypes = arena_array(r->arena, count, sizeof(*dtypes));
    if (f == NULL || dtypes == NULL) {
        err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
        return NULL;
    }
    *f = (struct frame){ .format = format, .columns = columns, .count = count, .dtypes = dtypes };
    if (getrandom(f->layer, sizeof(f->layer), GRND_NONBLOCK) < 0)
        f->layer[0] = (uint64_t)r->now;
    return f;
}

static void emit_nothing(void *ctx, struct buf *out)
{
    (void)ctx;
    (void)out;
}

bool frame_reply(struct api_request *r, struct frame *f, const struct frame_rows *rows)
{
    struct buf *out = reply_body(r, 200, frame_mimes[f->format]);
    if (!rows->arena.failed)
        frame_write(f, rows, out, emit_nothing, NULL);
    if (out->failed || rows->arena.failed)
        return err_set(&r->err, ERR_INTERNAL, "out of memory for %zu rows", rows->count);
    return true;
}

/* What the plan of a whole frame carries. */
struct source {
    const struct frame *frame;
    const void *ctx;
    frame_fill fill;
};

const void *frame_context(const struct plan *p)
{
    const struct source *s = p->ctx;
    return s->ctx;
}

static void emit_sink(void *sink, struct buf *out)
{
    enum { ENOUGH = 32 << 10 };
    if (out->len < ENOUGH)
        return;
    sink_write(sink, out->data, out->len);
    buf_clear(out);
}

/* The plan is read-only by now: the work is done on a copy of its frame. */
static bool produce(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e)
{
    const struct source *s = p->ctx;
    struct frame f = *s->frame;
    struct frame_rows rows;
    struct buf out = BUF_INIT(BUF_LIMIT_SEGMENT);
    frame_rows_init(&rows, f.count);
    bool ok = s->fill(p, conn, &f, &rows, e);
    f.dtypes = ok ? calloc(f.count, sizeof(*f.dtypes)) : NULL;
    if (ok && !rows.arena.failed && f.dtypes != NULL) {
        frame_write(&f, &rows, &out, emit_sink, sink);
        if (!out.failed)
            sink_write(sink, out.data, out.len);
    }
    if (ok && (rows.arena.failed || out.failed || f.dtypes == NULL))
        ok = err_set(e, ERR_TOO_LARGE, "out of memory after %zu rows", rows.count);
    free(f.dtypes);
    buf_release(&out);
    frame_rows_release(&rows);
    return ok;
}

static void no_head(const struct shape *shape, struct buf *out)
{
    (void)shape;
    (void)out;
}

static void no_tail(const struct shape *shape, const struct answer_totals *totals, struct buf *out)
{
    (void)shape;
    (void)totals;
    (void)out;
}

static const struct encoder encoder_document = {
    .name = "frame",
    .mime = "application/json",
    .extension = "json",
    .separator = "",
    .head = no_head,
    .tail = no_tail,
};

struct plan *frame_document(struct api_request *r, enum dataset d, const struct frame *f,
                            const void *ctx, frame_fill fill)
{
    struct plan *p = arena_alloc(r->arena, sizeof(*p));
    struct source *s = arena_alloc(r->arena, sizeof(*s));
    if (p == NULL || s == NULL) {
        err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
        return NULL;
    }
    *s = (struct source){ f, ctx, fill };
    p->arena = r->arena;
    p->ctx = s;
    p->pool = r->api->pools[d];
    p->produce = produce;
    p->encoder = &encoder_document;
    p->mime = frame_mimes[f->format];
    return p;
}

static void stream_head(const struct shape *shape, struct buf *out)
{
    const struct frame_stream *s = shape->ctx;
    frame_head(&s->frame, out);
}

static void stream_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    const struct frame_stream *s = st->shape->ctx;
    struct cell row[FRAME_CELLS];
    uint64_t index = 0;
    for (unsigned i = 0; i < s->frame.count + 2; i++)
        row[i] = cells[s->map[i]];
    if (s->frame.format == FRAME_JSON) {
        int64_t day = cells[s->day_cell].i - s->first_day;
        bool counted = day >= 0 && (size_t)day < s->days;
        index = (counted ? s->base[day] : 0) + (uint64_t)cells[s->place_cell].i;
    }
    if (st->rows > 0)
        buf_puts(out, frame_separators[s->frame.format]);
    frame_row(&s->frame, index, row, out);
}

static void stream_tail(const struct shape *shape, const struct answer_totals *totals,
                        struct buf *out)
{
    const struct frame_stream *s = shape->ctx;
    (void)totals;
    frame_tail(&s->frame, out);
}

#define STREAM_ENCODER(format, text, type, between)                                                \
    [format] = { .name = text,                                                                     \
                 .extension = text,                                                                \
                 .mime = type,                                                                     \
                 .separator = between,                                                             \
                 .head = stream_head,                                                              \
                 .row = stream_row,                                                                \
                 .tail = stream_tail }

const struct encoder frame_encoders[] = {
    STREAM_ENCODER(FRAME_JSON, "json", "application/json", ","),
    STREAM_ENCODER(FRAME_TXT, "txt", "text/plain; charset=utf-8", ""),
    STREAM_ENCODER(FRAME_GEOJSON, "geojson", "application/vnd.geo+json", ",\n"),
};
