/* The daily table of coop.py as a spreadsheet. */
#include "coop_table.h"

#include "obstream/output/xlsx.h"
#include "obstream/stream/send.h"
#include "obstream/stream/sink.h"

static void no_head(const struct shape *shape, struct buf *out)
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

const struct encoder coop_document = {
    .name = "document",
    .mime = "application/octet-stream",
    .extension = "bin",
    .separator = "",
    .help = "made as a whole",
    .head = no_head,
    .row = no_row,
    .tail = no_tail,
};

static bool put_names(struct xlsx *x, const struct coop_table *t)
{
    bool ok = xlsx_row(x);
    for (size_t i = 0; ok && i < t->count; i++)
        xlsx_puts(x, t->columns[i].name);
    return ok;
}

/* Columns that are not known stay empty. */
static bool put_row(struct xlsx *x, const struct coop_table *t, const struct cell *cells)
{
    bool ok = xlsx_row(x);
    for (size_t i = 0; ok && i < t->count; i++) {
        struct cell v =
            t->columns[i].var != NULL ? coop_cell(t, &t->columns[i], cells) : cell_null();
        xlsx_cell(x, &v);
    }
    return ok;
}

static bool put_rows(struct xlsx *x, const struct plan *p, struct conn *conn, struct err *e)
{
    const struct coop_table *t = p->shape.ctx;
    struct copy copy;
    struct cell cells[COPY_COLUMNS];
    enum rows_result r = ROWS_ERROR;
    bool more = copy_begin(&copy, conn, t->sql, p->oids, p->wire_cells, e);
    if (more) {
        while ((r = copy_next(&copy, cells, e)) == ROWS_ROW && put_row(x, t, cells))
            continue;
    }
    copy_end(&copy);
    return r != ROWS_ERROR; /* a full sheet is reported by xlsx_send() */
}

bool coop_xlsx_produce(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e)
{
    const struct coop_table *t = p->shape.ctx;
    struct xlsx *x = xlsx_new(t->q->r->api->conf->spool_dir, "Sheet1", e);
    bool ok = x != NULL && put_names(x, t) && put_rows(x, p, conn, e) && xlsx_send(x, sink, e);
    xlsx_free(x);
    return ok;
}
