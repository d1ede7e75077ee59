/* Rows as pandas' to_csv(), to_html() and to_excel() write the pivoted table. */
#include "hads.h"

#include "obstream/output/xlsx.h"
#include "obstream/stream/send.h"
#include "obstream/stream/sink.h"

static void no_tail(const struct shape *shape, const struct answer_totals *totals, struct buf *out)
{
    (void)shape;
    (void)totals;
    (void)out;
}

/* --- delimited text --- */

static void text_head(const struct shape *shape, struct buf *out)
{
    const struct hads *h = shape->ctx;
    buf_printf(out, "station%cutc_valid", h->delimiter);
    for (size_t k = 0; k < h->keys.count; k++) {
        buf_putc(out, h->delimiter);
        pandas_add_field(out, h->keys.items[k], strlen(h->keys.items[k]), h->delimiter);
    }
    buf_putc(out, '\n');
}

static void text_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    const struct hads *h = st->shape->ctx;
    pandas_add_field(out, cells[HADS_STATION].s, cells[HADS_STATION].len, h->delimiter);
    buf_putc(out, h->delimiter);
    pandas_add_time(out, cells[HADS_VALID].i, h->days_only, h->delimiter == ' ');
    for (size_t k = 0; k < h->keys.count; k++) {
        buf_putc(out, h->delimiter);
        if (cells[HADS_WIRE + k].type != CELL_NULL)
            pandas_add_float(out, cells[HADS_WIRE + k].f8);
    }
    buf_putc(out, '\n');
}

const struct encoder hads_encoder_text = {
    .name = "txt",
    .mime = "application/octet-stream",
    .separator = "",
    .head = text_head,
    .row = text_row,
    .tail = no_tail,
};

/* --- HTML --- */

static void html_head(const struct shape *shape, struct buf *out)
{
    const struct hads *h = shape->ctx;
    buf_puts(out, PANDAS_HTML_BEGIN "      <th></th>\n      <th>key</th>\n");
    for (size_t k = 0; k < h->keys.count; k++)
        pandas_add_cell(out, "th", h->keys.items[k], strlen(h->keys.items[k]));
    buf_puts(out, "    </tr>\n    <tr>\n      <th>station</th>\n      <th>utc_valid</th>\n");
    for (size_t k = 0; k < h->keys.count; k++)
        buf_puts(out, "      <th></th>\n");
    buf_puts(out, PANDAS_HTML_BODY);
}

static const struct hads_span *span_find(const struct hads *h, const struct cell *station)
{
    size_t lo = 0, hi = h->span_count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2, n = strlen(h->spans[mid].station);
        int c = memcmp(h->spans[mid].station, station->s, n < station->len ? n : station->len);
        if (c == 0 && n == station->len)
            return &h->spans[mid];
        if (c < 0 || (c == 0 && n < station->len))
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

/* A station's cell stands in its first row and spans the others. */
static void html_station(const struct hads *h, const struct cell *cells, struct buf *out)
{
    const struct hads_span *s = span_find(h, &cells[HADS_STATION]);
    if (s != NULL && s->first != cells[HADS_VALID].i)
        return;
    if (s != NULL && s->rows > 1)
        buf_printf(out, "      <th rowspan=\"%llu\" valign=\"top\">", (unsigned long long)s->rows);
    else
        buf_puts(out, "      <th>");
    pandas_add_html(out, cells[HADS_STATION].s, cells[HADS_STATION].len);
    buf_puts(out, "</th>\n");
}

static void html_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    const struct hads *h = st->shape->ctx;
    buf_puts(out, "    <tr>\n");
    html_station(h, cells, out);
    buf_puts(out, "      <th>");
    pandas_add_time(out, cells[HADS_VALID].i, h->days_only, false);
    buf_puts(out, "</th>\n");
    for (size_t k = 0; k < h->keys.count; k++) {
        buf_puts(out, "      <td>");
        if (cells[HADS_WIRE + k].type != CELL_NULL)
            pandas_column_print(&h->columns[k], cells[HADS_WIRE + k].f8, out);
        else
            buf_puts(out, "NaN");
        buf_puts(out, "</td>\n");
    }
    buf_puts(out, "    </tr>\n");
}

static void html_tail(const struct shape *shape, const struct answer_totals *totals,
                      struct buf *out)
{
    (void)shape;
    (void)totals;
    buf_puts(out, PANDAS_HTML_END);
}

const struct encoder hads_encoder_html = {
    .name = "html",
    .mime = "text/html",
    .separator = "",
    .head = html_head,
    .row = html_row,
    .tail = html_tail,
};

/* --- a sentence, or the head of what is produced --- */

static void whole_head(const struct shape *shape, struct buf *out)
{
    if (shape->ctx != NULL)
        buf_puts(out, shape->ctx);
}

static void no_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    (void)st;
    (void)cells;
    (void)out;
}

const struct encoder hads_encoder_whole = {
    .name = "whole",
    .mime = "text/plain",
    .separator = "",
    .head = whole_head,
    .row = no_row,
    .tail = no_tail,
};

/* --- spreadsheet --- */

struct sheet {
    struct xlsx *x;
    const struct hads *h;
    char station[STATION_ROOM];
    uint32_t station_len, first; /* the station's first row */
};

static void sheet_merge(struct sheet *s)
{
    if (s->station_len > 0)
        xlsx_merge_rows(s->x, 0, s->first, xlsx_row_number(s->x));
}

static bool sheet_row(void *ctx, const struct cell *cells)
{
    struct sheet *s = ctx;
    const struct cell *station = &cells[HADS_STATION];
    bool same = s->station_len == station->len && memcmp(s->station, station->s, station->len) == 0;
    if (!same)
        sheet_merge(s);
    if (!xlsx_row(s->x))
        return false;
    if (!same) {
        s->station_len = station->len; /* the pivot keeps it below STATION_ROOM */
        memcpy(s->station, station->s, station->len);
        s->first = xlsx_row_number(s->x);
        xlsx_cell(s->x, station);
    } else {
        xlsx_skip(s->x);
    }
    xlsx_cell(s->x, &cells[HADS_VALID]);
    for (size_t k = 0; k < s->h->keys.count; k++)
        xlsx_cell(s->x, &cells[HADS_WIRE + k]);
    return true;
}

bool hads_produce_xlsx(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e)
{
    struct sheet s = { .h = p->ctx };
    s.x = xlsx_new(s.h->r->api->conf->spool_dir, "Data", e);
    if (s.x == NULL)
        return false;
    xlsx_row(s.x);
    if (s.h->keys.count == 0) /* a table without columns keeps the row of their names empty */
        xlsx_row(s.x);
    xlsx_puts(s.x, "station");
    xlsx_puts(s.x, "utc_valid");
    for (size_t k = 0; k < s.h->keys.count; k++)
        xlsx_puts(s.x, s.h->keys.items[k]);
    bool ok = hads_walk(p, conn, sheet_row, &s, e);
    if (ok)
        sheet_merge(&s);
    ok = ok && xlsx_send(s.x, sink, e);
    xlsx_free(s.x);
    return ok;
}
