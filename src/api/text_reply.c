/* Finished texts as plans, so that they are compressed and sent like any other answer. */
#include "obstream/api/endpoint.h"

struct text {
    const char *data;
    size_t len;
};

static void nothing(const struct shape *shape, struct buf *out)
{
    (void)shape;
    (void)out;
}

static void no_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    (void)st;
    (void)cells;
    (void)out;
}

static void no_tail(const struct shape *shape, const struct answer_totals *totals, struct buf *out)
{
    (void)shape;
    (void)totals;
    (void)out;
}

static const struct encoder encoder_text = {
    .name = "text",
    .mime = "text/plain; charset=utf-8",
    .extension = "txt",
    .separator = "",
    .help = "a finished text",
    .head = nothing,
    .row = no_row,
    .tail = no_tail,
};

static void generate(const struct plan *p, struct sink *sink)
{
    const struct text *t = p->ctx;
    sink_write(sink, t->data, t->len);
}

bool text_reply(struct api_request *r, const char *mime, const char *data, size_t len)
{
    struct plan *plan = arena_alloc(r->arena, sizeof(*plan));
    struct text *t = arena_alloc(r->arena, sizeof(*t));
    if (plan == NULL || t == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    *t = (struct text){ data, len };
    plan->arena = r->arena;
    plan->ctx = t;
    plan->generate = generate;
    plan->encoder = &encoder_text;
    plan->mime = mime;
    plan->cells = 1;
    plan->to = 1;
    r->plan = plan;
    return true;
}
