/* /api/metar/raw: the reports as received, one a line. */
#include "metar.h"

#include <string.h>
#include <strings.h>

static const struct column columns[] = {
    COLUMN("station", CELL_TEXT, "", 0, "station id; three letters in the United States"),
    COLUMN("valid", CELL_INSTANT, "", 0, "time of the observation, UTC"),
    LOCAL_TIME("valid"),
    COLUMN("report_type", CELL_INT, "", 0,
           "1 high-frequency, 2 legacy routine or special, 3 routine, 4 special"),
    COLUMN("metar", CELL_TEXT, "", 0, "the report as received"),
    STATION_COLUMNS,
};

static const struct param *const params[] = { params_stations, params_time,   params_rows,
                                              params_metar,    params_output, NULL };

static const struct archive_spec spec = {
    .table = TABLE_ASOS_ALLDATA,
    .station = "station",
    .time = "valid",
    .tie = "",
    .rows_per_day = 48,
    .row_bytes = 100,
    .belongs = station_reports_metar,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
};

static void no_head(const struct shape *shape, struct buf *out)
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

/* A line is a report: what would break it, and other control characters, become blanks. */
static void raw_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    const struct cell *c = &cells[st->shape->fields[st->shape->count - 1].cell];
    char *p = buf_tail(out, c->len + 1);
    if (p == NULL || c->type != CELL_TEXT)
        return;
    for (uint32_t i = 0; i < c->len; i++)
        *p++ = (unsigned char)c->s[i] < ' ' || c->s[i] == 0x7f ? ' ' : c->s[i];
    *p++ = '\n';
    buf_advance(out, p);
}

static const struct encoder encoder_raw = {
    .name = "txt",
    .mime = "text/plain; charset=utf-8",
    .extension = "txt",
    .separator = "",
    .help = "one report a line",
    .head = no_head,
    .row = raw_row,
    .tail = no_tail,
};

/* Lines of text are this endpoint's first format, one among the others. */
static bool wants_text(struct api_request *r, const struct native_params *p)
{
    const char *name = p->format != NULL ? p->format : r->path_format;
    if (name != NULL)
        return str_eq(name, "txt") || str_eq(name, "text");
    return r->accept == NULL || r->accept[0] == '\0' || strcasestr(r->accept, "text/plain") ||
           strstr(r->accept, "*/*") != NULL || strcasestr(r->accept, "text/*") != NULL;
}

/* The report is the last field, see raw_row(); what else vars names is checked all the same. */
static void report_last(struct api_request *r, struct native_params *p)
{
    struct strlist vars = { 0 };
    for (size_t i = 0; i < p->vars.count; i++) {
        if (!str_eq(p->vars.items[i], "metar"))
            strlist_add(&vars, r->arena, p->vars.items[i]);
    }
    strlist_add(&vars, r->arena, "metar");
    p->vars = vars;
}

static bool prepare(struct api_request *r)
{
    struct native_params *p = native_read(r);
    if (p == NULL)
        return false;
    bool text = wants_text(r, p);
    if (text) {
        p->format = "csv"; /* anything that is valid: replaced below */
        report_last(r, p);
    }
    const char *filter = arena_printf(r->arena, "%s AND metar IS NOT NULL", metar_filter(r, p));
    r->plan = native_plan(r, p, &spec, filter);
    if (r->plan != NULL && text)
        r->plan->encoder = &encoder_raw;
    return r->plan != NULL;
}

const struct endpoint endpoint_metar_raw = {
    .path = "/api/metar/raw",
    .summary = "Raw METARs",
    .help = "The reports as received, one a line of plain text (format=txt, the default), where "
            "line breaks within a report become blanks; vars, units, header, missing and trace "
            "concern the other formats, which tell station and time too. Rows without a report are "
            "left out.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE,
    .params = params,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .prepare = prepare,
    .media_type = "text/plain; charset=utf-8",
    .examples = { "station=DSM&sts=2024-06-01&ets=2024-06-02",
                  "station=DSM&hours=24&report_type=special&format=json",
                  "state=IA&sts=2024-06-01&ets=2024-06-01T01:00&sort=time" },
};
