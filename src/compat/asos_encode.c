/* The lines of asos.py. */
#include "asos_params.h"

#include "obstream/core/number.h"

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* A value below this and above 0 is a trace, once converted. */
static const double TRACE_BELOW = 0.009999;

/* Of a value that is no text: the longest is FLT_MAX with two decimals, 42 characters; a converted
 * float8 has at most NUMBER_ROOM. */
enum { VALUE_ROOM = 48 };

static size_t row_room(const struct shape *shape, const struct cell *cells)
{
    const struct asos_answer *a = shape->ctx;
    size_t room = shape->count * (VALUE_ROOM + a->missing_len + a->trace_len) + 1;
    for (size_t i = 0; i < shape->count; i++) {
        const struct cell *c = &cells[shape->fields[i].cell];
        room += c->type == CELL_TEXT ? c->len : c->type == CELL_FLOAT8 ? (size_t)NUMBER_ROOM : 0;
    }
    return room;
}

static bool is_trace(const struct cell *c)
{
    if (c->type == CELL_FLOAT4) /* 0.01 is far enough to decide without the decimal text */
        return c->f4 > 0 && c->f4 < 0.0101f && number_widen(c->f4) < TRACE_BELOW;
    return c->type == CELL_FLOAT8 && c->f8 > 0 && c->f8 < TRACE_BELOW;
}

ALWAYS_INLINE char *put_number(char *p, const struct cell *c, int decimals)
{
    switch (c->type) {
    case CELL_FLOAT4:
        return iem_put_float4(p, c->f4, decimals);
    case CELL_FLOAT8:
        return iem_put_float8(p, c->f8, decimals);
    case CELL_INT:
        p = number_int(p, c->i);
        *p++ = '.';
        memset(p, '0', (size_t)decimals);
        return p + decimals;
    default:
        return c->type == CELL_TEXT ? mempcpy(p, c->s, c->len) : p;
    }
}

static char *put_count(char *p, const struct cell *c)
{
    return c->type == CELL_INT ? number_int(p, c->i) : put_number(p, c, 2);
}

ALWAYS_INLINE char *put_value(struct encode_state *st, const struct asos_answer *a,
                              enum asos_kind kind, const struct cell *c, char *p)
{
    if (c->type == CELL_NULL)
        return mempcpy(p, a->missing, a->missing_len);
    switch (kind) {
    case ASOS_TRACE:
        if (is_trace(c))
            return mempcpy(p, a->trace, a->trace_len);
        /* fall through */
    case ASOS_NUMBER:
        return put_number(p, c, 2);
    case ASOS_COUNT:
        return put_count(p, c);
    case ASOS_REPORT:
        return c->type == CELL_TEXT ? iem_put_ascii(p, c->s, c->len, true) : put_number(p, c, 2);
    case ASOS_MINUTE:
        return c->type == CELL_INSTANT ? iem_put_minute(st, c->i, p) : put_number(p, c, 2);
    case ASOS_TEXT:
        break;
    case ASOS_DEGREES:
        return put_number(p, c, 4);
    }
    return put_number(p, c, 2);
}

ALWAYS_INLINE void put_row(char separator, struct encode_state *st, const struct cell *cells,
                           struct buf *out)
{
    const struct shape *shape = st->shape;
    const struct asos_answer *a = shape->ctx;
    char *p = buf_tail(out, row_room(shape, cells));
    if (p == NULL)
        return;
    for (size_t i = 0; i < shape->count; i++) {
        if (i > 0)
            *p++ = separator;
        p = put_value(st, a, a->kinds[i], &cells[shape->fields[i].cell], p);
    }
    *p++ = '\n';
    buf_advance(out, p);
}

static void put_head(char separator, const struct shape *shape, struct buf *out)
{
    const struct asos_answer *a = shape->ctx;
    buf_puts(out, a->preface);
    if (!a->header)
        return;
    for (size_t i = 0; i < shape->count; i++) {
        if (i > 0)
            buf_putc(out, separator);
        buf_puts(out, shape->fields[i].name);
    }
    buf_putc(out, '\n');
}

static void comma_head(const struct shape *shape, struct buf *out)
{
    put_head(',', shape, out);
}

static void comma_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    put_row(',', st, cells, out);
}

static void tab_head(const struct shape *shape, struct buf *out)
{
    put_head('\t', shape, out);
}

static void tab_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    put_row('\t', st, cells, out);
}

static void no_tail(const struct shape *shape, const struct answer_totals *totals, struct buf *out)
{
    (void)shape;
    (void)totals;
    (void)out;
}

const struct encoder encoder_asos_comma = {
    .name = "onlycomma",
    .mime = "text/plain",
    .extension = "csv",
    .separator = "",
    .help = "comma delimited, never quoted",
    .head = comma_head,
    .row = comma_row,
    .tail = no_tail,
};

const struct encoder encoder_asos_tab = {
    .name = "onlytdf",
    .mime = "text/plain",
    .extension = "tsv",
    .separator = "",
    .help = "tab delimited, never quoted",
    .head = tab_head,
    .row = tab_row,
    .tail = no_tail,
};
