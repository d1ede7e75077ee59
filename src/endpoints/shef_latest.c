/* /api/shef/latest: the newest value of each station and key. */
#include "shef.h"

enum { LOOK_BACK_DAYS = 30 };

struct latest_sql {
    const char *columns, *depth;
    const char *quality; /* order of values of one time */
};

static const struct column columns[] = {
    COLUMN("station", CELL_TEXT, "", 0, "station id (NWSLI)"),
    COLUMN("key", CELL_TEXT, "", 0, SHEF_KEY_HELP),
    COLUMN("valid", CELL_INSTANT, "", 0, "time of the value, UTC"),
    LOCAL_TIME("valid"),
    SHEF_PARTS(COLUMN_EXTRA),
    COMPUTED("value", CELL_FLOAT4, "", 0, shef_cell_value, "the value, in `unit`", "key", "value"),
    SHEF_UNIT("unit of the value; metric with units=metric"),
    COLUMN("qualifier", CELL_TEXT, "", COLUMN_PADDED, "data qualifier code"),
    COLUMN("depth", CELL_INT, "in", 0, "depth below ground: one row for each depth"),
    COLUMN("dv_interval", CELL_INTERVAL, "", 0,
           "duration that a variable duration code stands for"),
    COLUMN("unit_convention", CELL_TEXT, "", COLUMN_PADDED, "E English, S standard"),
    SHEF_PART(element, COLUMN_EXTRA, "name of the physical element"),
    STATION_COLUMNS,
};

static const struct derived cells[] = {
    { "station", OID_TEXT },         { "valid", OID_TIMESTAMPTZ },    { "key", OID_TEXT },
    { "value", OID_FLOAT4 },         { "qualifier", OID_TEXT },       { "depth", OID_INT4 },
    { "dv_interval", OID_INTERVAL }, { "unit_convention", OID_TEXT }, { NULL, 0 },
};

static const struct param *const params[] = {
    params_stations, params_time, shef_limit_params, shef_filter_params, params_output, NULL,
};

static const struct archive_spec spec = {
    .table = TABLE_HADS_RAW,
    .station = "station",
    .time = "valid",
    .tie = "",
    .rows_per_day = 300,
    .row_bytes = 4, /* of reading; few of the rows leave */
    .belongs = station_reports_shef,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .derived = cells,
};

/* The newest time of each series by one pass over each station's part of the index, then the value
 * there: sorting all rows would take three times as long. */
static void statement(const struct archive_query *q, const struct archive_slice *s, struct buf *out)
{
    const struct latest_sql *x = q->statement_ctx;
    buf_printf(out, "SELECT %s FROM (SELECT station AS s, key AS k, %s AS d, max(valid) AS v",
               q->columns, x->depth);
    archive_where(q, s, out);
    buf_printf(out, " GROUP BY 1, 2, 3) newest CROSS JOIN LATERAL (SELECT %s", x->columns);
    archive_where(q, s, out);
    buf_printf(out,
               " AND station = s AND valid = v AND key = k AND %s IS NOT DISTINCT FROM d ORDER BY "
               "%s, value DESC LIMIT 1) found ORDER BY station COLLATE \"C\", key COLLATE \"C\", "
               "depth",
               x->depth, x->quality);
}

static const struct latest_sql *latest_sql(struct api_request *r)
{
    struct latest_sql *x = arena_alloc(r->arena, sizeof(*x));
    if (x == NULL)
        return NULL;
    x->depth = shef_raw_column(r, "depth", "int2");
    x->quality = shef_quality(r);
    x->columns = arena_printf(r->arena,
                              "station::text AS station, valid, key::text AS key, value::float4 "
                              "AS value, (%s)::text AS qualifier, (%s)::int4 AS depth, "
                              "(%s)::interval AS dv_interval, (%s)::text AS unit_convention",
                              shef_raw_column(r, "qualifier", "text"), x->depth,
                              shef_raw_column(r, "dv_interval", "interval"),
                              shef_raw_column(r, "unit_convention", "text"));
    return x->columns != NULL ? x : NULL;
}

/* Without a start the search goes back from the end of the window, which is now, or the newest
 * value of an archive that is older. */
static void look_back(struct api_request *r, struct native_params *p)
{
    int64_t newest = r->catalog->last[TABLE_HADS_RAW];
    if (!p->ets.set)
        p->ets = (struct param_time){ true, newest > 0 && newest < r->now ? newest : r->now };
    if (!p->sts.set && !p->hours.set && !p->days.set)
        p->days = (struct param_count){ true, LOOK_BACK_DAYS };
}

static bool prepare(struct api_request *r)
{
    struct native_params *p = native_read(r);
    if (p == NULL)
        return false;
    r->plan_params = p;
    look_back(r, p);
    r->plan = native_plan(r, p, &spec, shef_filter(r, p));
    if (r->plan == NULL)
        return false;
    r->plan->whole = true;
    r->plan->query.statement = statement;
    r->plan->query.statement_ctx = latest_sql(r);
    return r->plan->query.statement_ctx != NULL ||
           err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
}

const struct endpoint endpoint_shef_latest = {
    .path = "/api/shef/latest",
    .summary = "SHEF archive: newest values",
    .help = "The newest value of each station, key and depth, from the archive itself. It looks "
            "back 30 days from now (from the newest value of an archive that is older), or as far "
            "as days, hours or sts say; ets asks for the state at an earlier time. Forecasts for "
            "times after that do not count. Of several values of one time it gives the one with "
            "the best qualifier, of those the highest.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE,
    .params = params,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .prepare = prepare,
    .examples = { "station=AESI4&ets=2025-09-02", "state=IA&pe=HG&units=metric&format=json",
                  "station=EOKI4&key=TA*&days=365&ets=2024-07-01" },
};
