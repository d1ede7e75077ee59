/* /api/shef/inventory: which keys a station reports, or which stations report a key. */
#include "shef.h"

static const struct column columns[] = {
    COLUMN("station", CELL_TEXT, "", 0, "station id (NWSLI)"),
    COLUMN("key", CELL_TEXT, "", 0, SHEF_KEY_HELP),
    SHEF_PARTS(0),
    SHEF_PART(element, 0, "name of the physical element"),
    SHEF_UNIT("unit of the values; metric with units=metric"),
    COLUMN("first", CELL_INSTANT, "", 0, "time of the first value within the window, UTC"),
    COLUMN("last", CELL_INSTANT, "", 0, "time of the last one, UTC"),
    COLUMN("count", CELL_INT, "", 0, "how many there are"),
    STATION_COLUMNS,
};

static const struct derived cells[] = {
    { "station", OID_TEXT },     { "first", OID_TIMESTAMPTZ }, { "key", OID_TEXT },
    { "last", OID_TIMESTAMPTZ }, { "count", OID_INT8 },        { NULL, 0 },
};

static const struct param *const params[] = {
    params_stations, params_time, shef_limit_params, shef_filter_params, params_output, NULL,
};

static const struct archive_spec spec = {
    .table = TABLE_HADS_RAW,
    .station = "station",
    .time = "first",
    .tie = "",
    .rows_per_day = 300,
    .row_bytes = 2, /* of reading; few rows leave */
    .belongs = station_reports_shef,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .derived = cells,
};

/* Counts within the stations of one slice alone: the answer streams while later ones are read. */
static void statement(const struct archive_query *q, const struct archive_slice *s, struct buf *out)
{
    buf_printf(out,
               "SELECT %s FROM (SELECT station::text AS station, min(valid) AS first, key::text "
               "AS key, max(valid) AS last, count(*) AS count",
               q->columns);
    archive_where(q, s, out);
    buf_puts(out, " GROUP BY station, key) seen ORDER BY station COLLATE \"C\", key COLLATE "
                  "\"C\"");
}

static bool prepare(struct api_request *r)
{
    struct native_params *p = native_read(r);
    if (p == NULL)
        return false;
    r->plan_params = p;
    r->plan = native_plan(r, p, &spec, shef_filter(r, p));
    if (r->plan == NULL)
        return false;
    r->plan->query.time = "valid"; /* of the table; `first` is that of the answer */
    r->plan->query.statement = statement;
    r->plan->whole = true;
    return true;
}

const struct endpoint endpoint_shef_inventory = {
    .path = "/api/shef/inventory",
    .summary = "SHEF archive: what there is",
    .help = "Which keys a station reports: first and last time and number of values, within the "
            "window or the whole archive. With key (or pe, pedts, ...) and no station: which "
            "stations report that. Stations are counted a few at a time and sent as they are done; "
            "a window (days=30) makes it faster.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE,
    .params = params,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .prepare = prepare,
    .examples = { "station=AESI4", "key=HGIRG*&sts=2025-09-01&ets=2025-09-02",
                  "state=IA&pe=PC&format=json" },
};
