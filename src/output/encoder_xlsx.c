/*
 * Spreadsheets. Rows travel as cells that end with a NUL each: a letter for the type, then the
 * value as text (instants, days and intervals as the number they are counted in), so that rows
 * equal in station and time are put in the order that their texts have in csv.
 */
#include "encoder_private.h"

#include "obstream/core/civil.h"
#include "obstream/output/document.h"
#include "obstream/output/xlsx.h"

#include <stdlib.h>
#include <unistd.h>

enum cell_letter {
    LETTER_NULL = '-',
    LETTER_NUMBER = 'n',
    LETTER_BOOL = 'b',
    LETTER_TEXT = 's',
    LETTER_INSTANT = 't',
    LETTER_DAY = 'd',
    LETTER_INTERVAL = 'i',
};

static const char letters[] = {
    [CELL_NULL] = LETTER_NULL,         [CELL_FLOAT4] = LETTER_NUMBER,
    [CELL_FLOAT8] = LETTER_NUMBER,     [CELL_INT] = LETTER_NUMBER,
    [CELL_BOOL] = LETTER_BOOL,         [CELL_TEXT] = LETTER_TEXT,
    [CELL_INSTANT] = LETTER_INSTANT,   [CELL_DAY] = LETTER_DAY,
    [CELL_INTERVAL] = LETTER_INTERVAL,
};

/* Spreadsheets have no zones: a local time is shown as the clock there shows it. */
static int64_t local_clock(struct encode_state *st, int64_t usec)
{
    if (usec < st->zone_since || usec >= st->zone_until)
        st->zone_offset = tz_offset(st->shape->tz, usec, &st->zone_since, &st->zone_until);
    return usec + st->zone_offset * USEC_PER_SEC;
}

static char *put_cell(struct encode_state *st, const struct field *f, const struct cell *c, char *p)
{
    *p++ = letters[c->type];
    switch (c->type) {
    case CELL_NULL:
        break;
    case CELL_TEXT:
        p = encode_literal(p, c->s, c->len);
        break;
    case CELL_BOOL:
    case CELL_DAY:
    case CELL_INTERVAL:
        p = number_int(p, c->i);
        break;
    case CELL_INSTANT:
        p = number_int(p, f->flags & FIELD_LOCAL ? local_clock(st, c->i) : c->i);
        break;
    case CELL_FLOAT4:
    case CELL_FLOAT8:
    case CELL_INT:
        p = encode_scalar(st, f, c, p);
        break;
    }
    *p++ = '\0';
    return p;
}

static void xlsx_encode_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    const struct shape *shape = st->shape;
    for (size_t i = 0; i < shape->count; i++) {
        const struct field *f = &shape->fields[i];
        const struct cell *c = &cells[f->cell];
        char *p = buf_tail(out, SCALAR_ROOM + (c->type == CELL_TEXT ? c->len : 0));
        if (p == NULL)
            return;
        buf_advance(out, put_cell(st, f, c, p));
    }
}

static void nothing(const struct shape *shape, struct buf *out)
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

/* --- the document --- */

struct document {
    const struct shape *shape;
    struct xlsx *x;
    struct buf cell; /* the cell that is arriving */
    size_t column;   /* of the next cell */
};

static void head_row(struct document *d, bool units)
{
    xlsx_row(d->x);
    for (size_t i = 0; i < d->shape->count; i++)
        xlsx_puts(d->x, units ? d->shape->fields[i].unit : d->shape->fields[i].name);
}

static struct document *sheet_begin(const struct shape *shape, const char *dir, struct err *e)
{
    struct document *d = calloc(1, sizeof(*d));
    if (d == NULL) {
        err_set(e, ERR_INTERNAL, "out of memory for a spreadsheet");
        return NULL;
    }
    d->shape = shape;
    buf_init(&d->cell, BUF_LIMIT_SEGMENT);
    d->x = xlsx_new(dir, "Data", e);
    if (d->x == NULL) {
        free(d);
        return NULL;
    }
    if (shape->header != HEADER_NONE)
        head_row(d, false);
    if (shape->header == HEADER_UNITS)
        head_row(d, true);
    return d;
}

static void show_cell(struct document *d)
{
    const char *text = d->cell.data + 1;
    switch ((enum cell_letter)d->cell.data[0]) {
    case LETTER_NULL:
        xlsx_skip(d->x);
        break;
    case LETTER_NUMBER:
        xlsx_number(d->x, strtod(text, NULL));
        break;
    case LETTER_BOOL:
        xlsx_bool(d->x, text[0] == '1');
        break;
    case LETTER_TEXT:
        xlsx_text(d->x, text, d->cell.len - 1);
        break;
    case LETTER_INSTANT:
        xlsx_instant(d->x, strtoll(text, NULL, 10));
        break;
    case LETTER_DAY:
        xlsx_day(d->x, strtoll(text, NULL, 10));
        break;
    case LETTER_INTERVAL:
        xlsx_number(d->x, (double)strtoll(text, NULL, 10) / (double)USEC_PER_DAY);
        break;
    }
}

static void end_cell(struct document *d)
{
    if (d->column == 0)
        xlsx_row(d->x);
    show_cell(d);
    buf_clear(&d->cell);
    d->column = d->column + 1 < d->shape->count ? d->column + 1 : 0;
}

static bool sheet_feed(struct document *d, const void *p, size_t n, struct err *e)
{
    const char *s = p, *end = s + n;
    while (s < end) {
        const char *nul = memchr(s, '\0', (size_t)(end - s));
        buf_add(&d->cell, s, (size_t)((nul != NULL ? nul : end) - s));
        if (d->cell.failed)
            return err_set(e, ERR_INTERNAL, "out of memory for a spreadsheet");
        if (nul == NULL)
            break;
        end_cell(d);
        s = nul + 1;
    }
    return !xlsx_failed(d->x, e);
}

static int sheet_finish(struct document *d, struct err *e)
{
    int fd = xlsx_pack(d->x, e);
    int own = fd < 0 ? -1 : dup(fd);
    if (fd >= 0 && own < 0)
        err_set(e, ERR_IO, "the spreadsheet cannot be handed on: no file descriptor is left");
    return own;
}

static void sheet_free(struct document *d)
{
    if (d == NULL)
        return;
    xlsx_free(d->x);
    buf_release(&d->cell);
    free(d);
}

static const struct document_class sheet = {
    .begin = sheet_begin,
    .feed = sheet_feed,
    .finish = sheet_finish,
    .free = sheet_free,
};

const struct encoder encoder_xlsx = {
    .name = "xlsx",
    .mime = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    .extension = "xlsx",
    .separator = "",
    .help = "A spreadsheet of one sheet. Times and days are dates of the spreadsheet, local times "
            "as the clock there shows them; null is an empty cell. It is made as a whole before "
            "its first byte is sent; more than 1,048,576 rows are refused with 422.",
    .document = &sheet,
    .head = nothing,
    .row = xlsx_encode_row,
    .tail = no_tail,
};
