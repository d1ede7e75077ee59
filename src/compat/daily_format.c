/* CSV, JSON and spreadsheet of daily.py. */
#include "daily.h"
#include "frame.h"
#include "pandas.h"

#include "obstream/core/number.h"
#include "obstream/output/xlsx.h"
#include "obstream/stream/send.h"

static double number(const struct cell *c)
{
    return c->type == CELL_FLOAT4 ? number_widen(c->f4) : c->f8;
}

/* Month and day of the day in the cell, as text. */
static const char *sday(const struct cell *c, char text[16])
{
    int year, month, day;
    civil_from_days(c->i, &year, &month, &day);
    snprintf(text, 16, "%02u%02u", (unsigned)month % 100, (unsigned)day % 100);
    return text;
}

static void csv_value(const struct daily_column *col, const struct cell *c, struct buf *out)
{
    char text[NUMBER_ROOM];
    if (col->origin == DAILY_SDAY)
        buf_puts(out, sday(c, text));
    else if (c->type == CELL_DAY)
        buf_add(out, text, (size_t)(number_day(text, c->i) - text));
    else if (c->type == CELL_TEXT)
        pandas_add_field(out, c->s, c->len, ',');
    else
        pandas_add_float(out, number(c));
}

static void csv_head(const struct shape *shape, struct buf *out)
{
    const struct daily_request *d = shape->ctx;
    for (unsigned i = 0; i < d->count; i++)
        buf_printf(out, "%s%s", i > 0 ? "," : "", d->columns[i]->name);
    buf_putc(out, '\n');
}

static void csv_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    const struct daily_request *d = st->shape->ctx;
    for (unsigned i = 0; i < d->count; i++) {
        const struct cell *c = &cells[d->cells[i]];
        if (i > 0)
            buf_putc(out, ',');
        if (c->type != CELL_NULL)
            csv_value(d->columns[i], c, out);
        else if (d->missing != NULL)
            buf_puts(out, d->missing);
    }
    buf_putc(out, '\n');
}

static void no_tail(const struct shape *shape, const struct answer_totals *totals, struct buf *out)
{
    (void)shape;
    (void)totals;
    (void)out;
}

const struct encoder daily_encoder_csv = {
    .name = "csv",
    .mime = "text/plain",
    .extension = "csv",
    .separator = "",
    .head = csv_head,
    .row = csv_row,
    .tail = no_tail,
};

static void json_value(const struct daily_column *col, const struct cell *c, struct buf *out)
{
    char text[NUMBER_ROOM];
    if (col->origin == DAILY_SDAY) {
        buf_printf(out, "\"%s\"", sday(c, text));
    } else if (c->type == CELL_DAY) {
        *number_day(text, c->i) = '\0';
        buf_printf(out, "\"%sT00:00:00.000\"", text);
    } else if (c->type == CELL_TEXT) {
        frame_put_ascii(out, c->s, c->len, true);
    } else {
        frame_put_number(out, number(c));
    }
}

static void json_head(const struct shape *shape, struct buf *out)
{
    (void)shape;
    buf_putc(out, '[');
}

static void json_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    const struct daily_request *d = st->shape->ctx;
    if (st->rows > 0)
        buf_putc(out, ',');
    for (unsigned i = 0; i < d->count; i++) {
        const struct cell *c = &cells[d->cells[i]];
        buf_puts(out, i > 0 ? ",\"" : "{\"");
        buf_puts(out, d->columns[i]->name);
        buf_puts(out, "\":");
        if (c->type != CELL_NULL)
            json_value(d->columns[i], c, out);
        else if (d->missing != NULL)
            frame_put_ascii(out, d->missing, strlen(d->missing), true);
        else
            buf_puts(out, "null");
    }
    buf_putc(out, '}');
}

static void json_tail(const struct shape *shape, const struct answer_totals *totals,
                      struct buf *out)
{
    (void)shape;
    (void)totals;
    buf_putc(out, ']');
}

const struct encoder daily_encoder_json = {
    .name = "json",
    .mime = "text/plain",
    .extension = "json",
    .separator = ",",
    .head = json_head,
    .row = json_row,
    .tail = json_tail,
};

struct sheet {
    const struct plan *plan;
    const struct daily_request *daily;
    struct xlsx *x;
};

static void sheet_value(const struct sheet *s, const struct daily_column *col, const struct cell *c)
{
    char text[16];
    if (c->type == CELL_NULL)
        xlsx_puts(s->x, s->daily->missing);
    else if (col->origin == DAILY_SDAY)
        xlsx_puts(s->x, sday(c, text));
    else
        xlsx_cell(s->x, c);
}

static bool sheet_row(void *ctx, const struct cell *wire)
{
    const struct sheet *s = ctx;
    const struct plan *p = s->plan;
    struct cell cells[3 * DAILY_COLUMNS_MAX];
    memcpy(cells, wire, p->wire_cells * sizeof(*cells));
    for (unsigned i = 0; i < p->computed_count; i++)
        p->computed[i].fn(&p->computed[i], cells, &cells[p->computed[i].out]);
    if (!xlsx_row(s->x))
        return false;
    for (unsigned i = 0; i < s->daily->count; i++)
        sheet_value(s, s->daily->columns[i], &cells[s->daily->cells[i]]);
    return true;
}

bool daily_excel(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e)
{
    const struct daily_request *d = p->ctx;
    const struct archive_slice all = { .count = archive_groups(&p->query),
                                       .from = p->from,
                                       .to = p->to };
    struct sheet s = { p, d, xlsx_new(d->r->api->conf->spool_dir, "Data", e) };
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    bool ok = s.x != NULL && xlsx_row(s.x);
    for (unsigned i = 0; ok && i < d->count; i++)
        xlsx_puts(s.x, d->columns[i]->name);
    archive_sql(&p->query, &all, &sql);
    if (ok && sql.failed)
        ok = err_set(e, ERR_INTERNAL, "the statement cannot be built");
    ok = ok && query_rows(conn, sql.data, p->oids, p->wire_cells, sheet_row, &s, e) &&
         xlsx_send(s.x, sink, e);
    xlsx_free(s.x);
    buf_release(&sql);
    return ok;
}
