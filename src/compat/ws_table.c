/* Frames whose columns come from one table. */
#include "ws.h"

enum { COLUMNS_MAX = 96 };

bool ws_select(struct api_request *r, struct plan *p, enum layout_table table,
               const struct ws_source *sources, unsigned count, unsigned *map)
{
    struct iem_select s;
    if (!iem_table_there(r, table))
        return false;
    iem_select_init(&s, r, table);
    for (unsigned i = 0; i < count; i++) {
        if (sources[i].source != NULL)
            map[i] = iem_select_column(&s, sources[i].source, sources[i].absent);
    }
    p->query.table = r->catalog->layout.tables[table].sql_name;
    return iem_select_done(&s, p);
}

static struct cell localized(const struct tz *tz, struct cell c)
{
    if (c.type == CELL_INSTANT)
        c.i += tz_offset(tz, c.i, NULL, NULL) * USEC_PER_SEC;
    return c;
}

static bool add_row(void *ctx, const struct cell *cells)
{
    const struct ws_reading *x = ctx;
    struct cell row[COLUMNS_MAX];
    for (unsigned i = 0; i < x->frame->count; i++) {
        row[i] = cells[x->map[i]];
        if (x->frame->columns[i].kind == FRAME_LOCAL)
            row[i] = localized(x->tz, row[i]);
    }
    for (unsigned i = x->frame->count; i < x->rows->width; i++)
        row[i] = cell_null();
    return frame_rows_add(x->rows, row);
}

bool ws_table_read(const struct ws_reading *x, struct conn *conn, const char *rest, struct err *e)
{
    const struct plan *p = x->plan;
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    struct ws_reading copy = *x;
    buf_printf(&sql, "SELECT %s FROM %s%s", p->query.columns, p->query.table, rest);
    bool ok = !sql.failed && query_rows(conn, sql.data, p->oids, p->wire_cells, add_row, &copy, e);
    buf_release(&sql);
    return ok || err_set(e, ERR_INTERNAL, "the statement cannot be built");
}
