/* JSON (RFC 8259): one document, or one object a line. */
#include "encoder_private.h"

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD in UTF-8 */

static const char *const type_names[] = {
    [CELL_NULL] = "null",        [CELL_FLOAT4] = "number", [CELL_FLOAT8] = "number",
    [CELL_INT] = "integer",      [CELL_BOOL] = "boolean",  [CELL_TEXT] = "string",
    [CELL_INSTANT] = "datetime", [CELL_DAY] = "date",      [CELL_INTERVAL] = "duration",
};

/* ASCII that stands in a string as it is. */
static const bool plain[256] = {
    [0x20 ... 0x21] = true,
    [0x23 ... 0x5b] = true,
    [0x5d ... 0x7f] = true,
};

static const char short_escape[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
    ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
};

/* Length of the UTF-8 sequence of a character beyond ASCII, 0 when it is none (RFC 3629: nothing
 * overlong, no surrogates, nothing beyond U+10FFFF). */
static size_t utf8_length(const unsigned char *s, size_t len)
{
    unsigned char low = 0x80, high = 0xBF; /* of the second byte */
    size_t n;
    if (s[0] >= 0xC2 && s[0] <= 0xDF)
        n = 2;
    else if (s[0] >= 0xE0 && s[0] <= 0xEF)
        n = 3;
    else if (s[0] >= 0xF0 && s[0] <= 0xF4)
        n = 4;
    else
        return 0;
    if (s[0] == 0xE0)
        low = 0xA0;
    else if (s[0] == 0xED)
        high = 0x9F;
    else if (s[0] == 0xF0)
        low = 0x90;
    else if (s[0] == 0xF4)
        high = 0x8F;
    if (n > len || s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return n;
}

static char *put_escape(char *p, unsigned char ch)
{
    static const char hex[] = "0123456789abcdef";
    *p++ = '\\';
    if (short_escape[ch] != 0) {
        *p++ = short_escape[ch];
        return p;
    }
    p = encode_literal(p, "u00", 3);
    *p++ = hex[ch >> 4];
    *p++ = hex[ch & 15];
    return p;
}

char *encode_json_text(char *p, const char *text, size_t len)
{
    const unsigned char *s = (const unsigned char *)text;
    const unsigned char *end = len == 0 ? s : s + len;
    *p++ = '"';
    while (s != end) {
        if (plain[*s]) {
            *p++ = (char)*s++;
        } else if (*s < 0x80) {
            p = put_escape(p, *s++);
        } else {
            size_t n = utf8_length(s, (size_t)(end - s));
            p = n == 0 ? encode_literal(p, REPLACEMENT, 3) : encode_literal(p, (const char *)s, n);
            s += n == 0 ? 1 : n;
        }
    }
    *p++ = '"';
    return p;
}

void encode_json_string(struct buf *out, const char *s, size_t len)
{
    char *p = buf_tail(out, JSON_WIDEST * len + 2);
    if (p != NULL)
        buf_advance(out, encode_json_text(p, s, len));
}

static char *put_value(struct encode_state *st, const struct field *f, const struct cell *c,
                       char *start)
{
    char *p;
    switch (c->type) {
    case CELL_NULL:
        return encode_literal(start, "null", 4);
    case CELL_TEXT:
        return encode_json_text(start, c->s, c->len);
    case CELL_INT:
    case CELL_BOOL:
        return encode_scalar(st, f, c, start);
    case CELL_FLOAT4:
    case CELL_FLOAT8:
        p = encode_scalar(st, f, c, start);
        /* JSON knows neither NaN nor Infinity nor -Infinity. */
        return start[start[0] == '-'] <= '9' ? p : encode_literal(start, "null", 4);
    default:
        *start = '"';
        p = encode_scalar(st, f, c, start + 1);
        *p++ = '"';
        return p;
    }
}

void encode_json_object(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    const struct shape *shape = st->shape;
    if (shape->count == 0)
        buf_putc(out, '{');
    for (size_t i = 0; i < shape->count; i++) {
        const struct field *f = &shape->fields[i];
        const struct cell *c = &cells[f->cell];
        size_t name_len = strlen(f->name), text_len = c->type == CELL_TEXT ? c->len : 0;
        char *p = buf_tail(out, JSON_WIDEST * (name_len + text_len) + SCALAR_ROOM);
        if (p == NULL)
            return;
        *p++ = i == 0 ? '{' : ',';
        p = encode_json_text(p, f->name, name_len);
        *p++ = ':';
        buf_advance(out, put_value(st, f, c, p));
    }
    buf_putc(out, '}');
}

void encode_json_end(const struct answer_totals *totals, struct buf *out)
{
    buf_puts(out, "\n],\"rows\":");
    buf_add_int(out, (int64_t)totals->rows);
    if (totals->truncated)
        buf_puts(out, ",\"truncated\":true");
    buf_puts(out, "}\n");
}

/* Once converted or rounded, an integer need not be one any more. */
static const char *type_name(const struct field *f)
{
    bool rounded = f->type == CELL_INT && (f->flags & (FIELD_CONVERT | FIELD_FIXED));
    return type_names[rounded ? CELL_FLOAT8 : f->type];
}

static void json_head(const struct shape *shape, struct buf *out)
{
    buf_puts(out, "{\"columns\":[");
    for (size_t i = 0; i < shape->count; i++) {
        const struct field *f = &shape->fields[i];
        buf_puts(out, i == 0 ? "{\"name\":" : ",{\"name\":");
        encode_json_string(out, f->name, strlen(f->name));
        buf_puts(out, ",\"unit\":");
        if (f->unit[0] == '\0')
            buf_puts(out, "null");
        else
            encode_json_string(out, f->unit, strlen(f->unit));
        buf_puts(out, ",\"type\":\"");
        buf_puts(out, type_name(f));
        buf_puts(out, "\"}");
    }
    buf_puts(out, "],\"data\":[\n");
}

static void json_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    if (st->rows > 0)
        buf_add(out, ",\n", 2);
    encode_json_object(st, cells, out);
}

static void json_tail(const struct shape *shape, const struct answer_totals *totals,
                      struct buf *out)
{
    (void)shape;
    encode_json_end(totals, out);
}

static void ndjson_head(const struct shape *shape, struct buf *out)
{
    (void)shape;
    (void)out;
}

static void ndjson_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    encode_json_object(st, cells, out);
    buf_putc(out, '\n');
}

static void ndjson_tail(const struct shape *shape, const struct answer_totals *totals,
                        struct buf *out)
{
    (void)shape;
    (void)totals;
    (void)out;
}

const struct encoder encoder_json = {
    .name = "json",
    .mime = "application/json",
    .extension = "json",
    .separator = ",\n",
    .help = "One JSON document: `columns` with name, unit and type, `data` with one object a row, "
            "`rows` with their number, and `truncated` when `limit` cut the answer. NaN and "
            "Infinity are null.",
    .head = json_head,
    .row = json_row,
    .tail = json_tail,
};

const struct encoder encoder_ndjson = {
    .name = "ndjson",
    .mime = "application/x-ndjson",
    .extension = "ndjson",
    .separator = "",
    .help = "One JSON object a row and line, nothing else. NaN and Infinity are null.",
    .head = ndjson_head,
    .row = ndjson_row,
    .tail = ndjson_tail,
};
