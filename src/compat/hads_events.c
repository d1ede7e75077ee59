/* When the stage of one station was above a threshold: where it began, its peak, where it ended. */
#include "hads.h"

#include "obstream/output/xlsx.h"
#include "obstream/stream/send.h"
#include "obstream/stream/sink.h"

#include <stdlib.h>

struct event {
    const char *name; /* START, MAX, END */
    bool timed;       /* a peak not above the lowest known one has no time */
    int64_t valid;
    double value;
};

struct events {
    const struct hads *h;
    const char *station;
    struct event *items;
    size_t count, cap;
    bool above, failed;
    struct event peak;
};

static const struct event no_peak = { .name = "MAX", .value = -99 };

static void event_add(struct events *x, struct event v)
{
    if (x->count == x->cap) {
        size_t cap = x->cap == 0 ? 64 : x->cap * 2;
        struct event *items = realloc(x->items, cap * sizeof(*items));
        if (items == NULL) {
            x->failed = true;
            return;
        }
        x->items = items;
        x->cap = cap;
    }
    x->items[x->count++] = v;
}

/* A value equal to the threshold neither begins nor ends an event. */
static bool follow(void *ctx, const struct cell *cells)
{
    struct events *x = ctx;
    double threshold = x->h->p->threshold.value, v = cells[HADS_WIRE].f8;
    struct event now = { "START", true, cells[HADS_VALID].i, v };
    if (v > threshold) {
        if (!x->above)
            event_add(x, now);
        x->above = true;
        if (v > x->peak.value)
            x->peak = (struct event){ "MAX", true, now.valid, v };
    }
    if (v < threshold && x->above) {
        now.name = "END";
        event_add(x, x->peak);
        event_add(x, now);
        x->above = false;
        x->peak = no_peak;
    }
    return !x->failed;
}

static const char *const columns[] = { "station", "utc_valid", "event", "value", "varname" };

static bool days_only(const struct events *x)
{
    for (size_t i = 0; i < x->count; i++) {
        if (x->items[i].timed && x->items[i].valid % USEC_PER_DAY != 0)
            return false;
    }
    return true;
}

static void put_text(const struct events *x, struct buf *out)
{
    char delimiter = x->h->delimiter;
    bool days = days_only(x);
    if (x->count == 0)
        buf_puts(out, "\"\"");
    for (size_t k = 0; x->count > 0 && k < ARRAY_SIZE(columns); k++)
        buf_printf(out, "%c%s", delimiter, columns[k]);
    buf_putc(out, '\n');
    for (size_t i = 0; i < x->count; i++) {
        const struct event *v = &x->items[i];
        buf_printf(out, "%zu%c", i, delimiter);
        pandas_add_field(out, x->station, strlen(x->station), delimiter);
        buf_putc(out, delimiter);
        if (v->timed)
            pandas_add_time(out, v->valid, days, delimiter == ' ');
        buf_printf(out, "%c%s%c", delimiter, v->name, delimiter);
        pandas_add_float(out, v->value);
        buf_printf(out, "%c%s\n", delimiter, x->h->threshold_key);
    }
}

static void put_html_row(const struct events *x, size_t i, const struct pandas_column *values,
                         bool days, struct buf *out)
{
    const struct event *v = &x->items[i];
    buf_printf(out, "    <tr>\n      <th>%zu</th>\n", i);
    pandas_add_cell(out, "td", x->station, strlen(x->station));
    buf_puts(out, "      <td>");
    if (v->timed)
        pandas_add_time(out, v->valid, days, false);
    else
        buf_puts(out, "NaT");
    buf_printf(out, "</td>\n      <td>%s</td>\n      <td>", v->name);
    pandas_column_print(values, v->value, out);
    buf_printf(out, "</td>\n      <td>%s</td>\n    </tr>\n", x->h->threshold_key);
}

static void put_html(const struct events *x, struct buf *out)
{
    struct pandas_column values = { 0 };
    bool days = days_only(x);
    buf_puts(out, PANDAS_HTML_BEGIN "      <th></th>\n");
    for (size_t k = 0; x->count > 0 && k < ARRAY_SIZE(columns); k++)
        pandas_add_cell(out, "th", columns[k], strlen(columns[k]));
    buf_puts(out, PANDAS_HTML_BODY);
    for (size_t i = 0; i < x->count; i++)
        pandas_column_note(&values, x->items[i].value);
    for (size_t i = 0; i < x->count; i++)
        put_html_row(x, i, &values, days, out);
    buf_puts(out, PANDAS_HTML_END);
}

static void put_sheet_row(const struct events *x, size_t i, struct xlsx *s)
{
    const struct event *v = &x->items[i];
    xlsx_number(s, (double)i);
    xlsx_puts(s, x->station);
    if (v->timed)
        xlsx_instant(s, v->valid);
    else
        xlsx_skip(s);
    xlsx_puts(s, v->name);
    xlsx_number(s, v->value);
    xlsx_puts(s, x->h->threshold_key);
}

static bool send_sheet(const struct events *x, struct sink *sink, struct err *e)
{
    struct xlsx *s = xlsx_new(x->h->r->api->conf->spool_dir, "Data", e);
    if (s == NULL)
        return false;
    if (x->count > 0) {
        xlsx_row(s);
        xlsx_skip(s);
        for (size_t k = 0; k < ARRAY_SIZE(columns); k++)
            xlsx_puts(s, columns[k]);
    }
    for (size_t i = 0; i < x->count && xlsx_row(s); i++)
        put_sheet_row(x, i, s);
    bool ok = xlsx_send(s, sink, e);
    xlsx_free(s);
    return ok;
}

static bool send_text(const struct events *x, struct sink *sink, struct err *e)
{
    struct buf out = BUF_INIT(BUF_LIMIT_DOCUMENT);
    if (str_eq(x->h->p->what, "html"))
        put_html(x, &out);
    else
        put_text(x, &out);
    bool ok = !out.failed || err_set(e, ERR_TOO_LARGE,
                                     "too many events for one answer: ask for "
                                     "less time");
    if (ok)
        sink_write(sink, out.data, out.len);
    buf_release(&out);
    return ok;
}

bool hads_produce_events(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e)
{
    struct events x = { .h = p->ctx, .station = p->query.stations[0], .peak = no_peak };
    bool ok = hads_walk(p, conn, follow, &x, e);
    if (ok && x.failed)
        ok = err_set(e, ERR_TOO_LARGE, "out of memory for the events");
    if (ok)
        ok = str_eq(x.h->p->what, "excel") ? send_sheet(&x, sink, e) : send_text(&x, sink, e);
    free(x.items);
    return ok;
}
