/* RFC 4180 but for the line end, which is a single LF, and tab separated text. */
#include "encoder_private.h"

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* What tells csv and tsv apart; constant in every caller, so that the compiler folds it. */
struct line_format {
    char separator;
    bool quotes; /* a text that reads like the null is quoted */
    char *(*text)(char *p, const char *s, size_t len); /* at most 2 * len + 2 bytes */
};

static const unsigned char csv_special[256] = {
    [','] = 1,
    ['"'] = 1,
    ['\n'] = 1,
    ['\r'] = 1,
};

static const char tsv_escape[256] = {
    ['\t'] = 't',
    ['\n'] = 'n',
    ['\r'] = 'r',
    ['\\'] = '\\',
};

static char *csv_quoted(char *p, const char *s, size_t len)
{
    *p++ = '"';
    for (size_t i = 0; i < len; i++) {
        if (s[i] == '"')
            *p++ = '"';
        *p++ = s[i];
    }
    *p++ = '"';
    return p;
}

static inline char *csv_text(char *p, const char *s, size_t len)
{
    unsigned special = 0;
    for (size_t i = 0; i < len; i++) {
        special |= csv_special[(unsigned char)s[i]];
        p[i] = s[i];
    }
    return special ? csv_quoted(p, s, len) : p + len;
}

static inline char *tsv_text(char *p, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char escape = tsv_escape[(unsigned char)s[i]];
        if (escape != 0)
            *p++ = '\\';
        *p++ = escape != 0 ? escape : s[i];
    }
    return p;
}

static const struct line_format csv_format = { ',', true, csv_text };
static const struct line_format tsv_format = { '\t', false, tsv_text };

static bool same_text(const struct cell *c, const char *s, size_t len)
{
    return c->len == len && (len == 0 || memcmp(c->s, s, len) == 0);
}

/* What stands for a cell that is printed as text (a text, null, a trace); NULL for all others. */
ALWAYS_INLINE const char *shown_text(const struct shape *shape, const struct field *f,
                                     const struct cell *c, size_t missing_len, size_t *len)
{
    *len = 0;
    if (c->type == CELL_TEXT) {
        *len = c->len;
        return c->len == 0 ? "" : c->s;
    }
    if (c->type == CELL_NULL) {
        *len = missing_len;
        return shape->missing;
    }
    if (shape->trace == NULL || !encode_is_trace(f, c))
        return NULL;
    *len = strlen(shape->trace);
    return shape->trace;
}

ALWAYS_INLINE void put_row(const struct line_format *fmt, struct encode_state *st,
                           const struct cell *cells, struct buf *out)
{
    const struct shape *shape = st->shape;
    size_t missing_len = strlen(shape->missing);
    for (size_t i = 0; i < shape->count; i++) {
        const struct field *f = &shape->fields[i];
        const struct cell *c = &cells[f->cell];
        size_t len;
        const char *s = shown_text(shape, f, c, missing_len, &len);
        char *p = buf_tail(out, 2 * len + SCALAR_ROOM);
        if (p == NULL)
            return;
        if (i > 0)
            *p++ = fmt->separator;
        if (s == NULL)
            p = encode_scalar(st, f, c, p);
        else if (fmt->quotes && c->type == CELL_TEXT && same_text(c, shape->missing, missing_len))
            p = csv_quoted(p, s, len);
        else
            p = fmt->text(p, s, len);
        buf_advance(out, p);
    }
    buf_putc(out, '\n');
}

static void put_line(const struct line_format *fmt, const struct shape *shape, bool units,
                     struct buf *out)
{
    for (size_t i = 0; i < shape->count; i++) {
        const char *s = units ? shape->fields[i].unit : shape->fields[i].name;
        size_t len = strlen(s);
        char *p = buf_tail(out, 2 * len + SCALAR_ROOM);
        if (p == NULL)
            return;
        if (i > 0)
            *p++ = fmt->separator;
        buf_advance(out, fmt->text(p, s, len));
    }
    buf_putc(out, '\n');
}

static void put_head(const struct line_format *fmt, const struct shape *shape, struct buf *out)
{
    if (shape->header == HEADER_NONE)
        return;
    put_line(fmt, shape, false, out);
    if (shape->header == HEADER_UNITS)
        put_line(fmt, shape, true, out);
}

static void csv_head(const struct shape *shape, struct buf *out)
{
    put_head(&csv_format, shape, out);
}

static void csv_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    put_row(&csv_format, st, cells, out);
}

static void tsv_head(const struct shape *shape, struct buf *out)
{
    put_head(&tsv_format, shape, out);
}

static void tsv_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    put_row(&tsv_format, st, cells, out);
}

static void no_tail(const struct shape *shape, const struct answer_totals *totals, struct buf *out)
{
    (void)shape;
    (void)totals;
    (void)out;
}

const struct encoder encoder_csv = {
    .name = "csv",
    .mime = "text/csv; charset=utf-8",
    .extension = "csv",
    .separator = "",
    .help = "Comma separated values with a header line (RFC 4180, lines end with LF). Null is the "
            "text of `missing`, by default nothing; a text that reads the same is quoted, so an "
            "empty text is \"\".",
    .head = csv_head,
    .row = csv_row,
    .tail = no_tail,
};

const struct encoder encoder_tsv = {
    .name = "tsv",
    .mime = "text/tab-separated-values; charset=utf-8",
    .extension = "tsv",
    .separator = "",
    .help =
        "Tab separated values with a header line, never quoted: tab, line feed, carriage return "
        "and backslash in a text are \\t, \\n, \\r and \\\\. Null is the text of `missing`, by "
        "default nothing, and then looks like an empty text.",
    .head = tsv_head,
    .row = tsv_row,
    .tail = no_tail,
};
