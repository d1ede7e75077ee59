/* /api/shef/summary: values per station, key and hour, day, month or year. */
#include "shef.h"
#include "shef_summary.h"

#define AT(field) offsetof(struct native_params, field)

/* Hours. A day's reading may be an hour late, when the clock changes or so. */
enum { HOURLY_GAP = 3, DAILY_GAP = 25 };

static const struct column columns[] = {
    COLUMN("station", CELL_TEXT, "", 0, "station id (NWSLI)"),
    COLUMN("valid", CELL_INSTANT, "", 0, "start of the period, UTC"),
    LOCAL_TIME("valid"),
    COLUMN("period", CELL_TEXT, "", 0,
           "the period by the local clock: 2024-06-01T05:00, 2024-06-01, 2024-06 or 2024"),
    COLUMN("timezone", CELL_TEXT, "", 0, "zone of that clock"),
    COLUMN("key", CELL_TEXT, "", 0, SHEF_KEY_HELP),
    SHEF_PARTS(COLUMN_EXTRA),
    COLUMN("depth", CELL_INT, "in", 0, "depth below ground: one row for each depth"),
    COLUMN("count", CELL_INT, "", 0, "values"),
    SHEF_VALUE(mean, "mean of the values, in `unit`"),
    SHEF_VALUE(min, "lowest value"),
    SHEF_VALUE(max, "highest value"),
    SHEF_VALUE(first, "first value"),
    SHEF_VALUE(last, "last value"),
    SHEF_VALUE(sum, "total of amounts that each cover their duration (PP, SF, ...)"),
    SHEF_VALUE(increment,
               "total of an accumulator (PC): positive differences between successive readings, "
               "each in the period of the later one; empty when no difference counts"),
    COLUMN("resets", CELL_INT, "", 0, "accumulator: drops; what fell there is not in increment"),
    COLUMN("gaps", CELL_INT, "", 0,
           "accumulator: readings without one in the max_gap hours before; what fell there is not "
           "in increment"),
    COLUMN("overlaps", CELL_INT, "", 0,
           "amounts whose duration reaches back over the reading before: sum has these hours "
           "more than once"),
    COLUMN("repeats", CELL_INT, "", 0, "further values of one time, other qualifiers among them"),
    COLUMN("missing", CELL_INT, "", 0, "missing values (null, NaN, -9999)"),
    SHEF_UNIT("unit of the values; metric with units=metric"),
    COLUMN("min_time", CELL_INSTANT, "", COLUMN_EXTRA, "time of the first lowest value, UTC"),
    COLUMN("max_time", CELL_INSTANT, "", COLUMN_EXTRA, "time of the first highest value, UTC"),
    STATION_COLUMNS,
};

/* In the order of enum summary_cell. */
static const struct derived cells[] = {
    { "station", OID_TEXT },
    { "valid", OID_TIMESTAMPTZ },
    { "key", OID_TEXT },
    { "depth", OID_INT4 },
    { "count", OID_INT8 },
    { "mean", OID_FLOAT8 },
    { "min", OID_FLOAT8 },
    { "max", OID_FLOAT8 },
    { "first", OID_FLOAT8 },
    { "last", OID_FLOAT8 },
    { "sum", OID_FLOAT8 },
    { "increment", OID_FLOAT8 },
    { "resets", OID_INT8 },
    { "gaps", OID_INT8 },
    { "overlaps", OID_INT8 },
    { "repeats", OID_INT8 },
    { "missing", OID_INT8 },
    { "min_time", OID_TIMESTAMPTZ },
    { "max_time", OID_TIMESTAMPTZ },
    { "period", OID_TEXT },
    { "timezone", OID_TEXT },
    { NULL, 0 },
};

static const struct param own_params[] = {
    { "by", NULL, PARAM_CHOICE, AT(by), "day", "hour,day,month,year", 0, 0,
      "length of the periods, in tz or else in each station's own zone", "day" },
    { "max_gap", NULL, PARAM_NUMBER, AT(max_gap), NULL, NULL, 0.01, 8784,
      "hours between readings of an accumulator beyond which their difference does not count; 3 "
      "with by=hour and 25 else when absent",
      "6" },
    { .name = NULL },
};

static const struct param *const params[] = {
    params_stations, params_time, shef_limit_params, own_params, shef_filter_params,
    params_output,   NULL,
};

static const struct archive_spec spec = {
    .table = TABLE_HADS_RAW,
    .station = "station",
    .time = "valid",
    .tie = "",
    .rows_per_day = 300,
    .row_bytes = 90,
    .belongs = station_reports_shef,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .derived = cells,
};

/* Ten keys of a station. */
static const char *const no_reads[] = { NULL };
static const struct group_spec grouping = {
    .reads = no_reads,
    .inner = "",
    .by = "",
    .rows = 10,
};

/* In the order of time; and what lies before the slice as far as differences need it. */
static void statement(const struct archive_query *q, const struct archive_slice *s, struct buf *out)
{
    const struct summary_plan *x = q->statement_ctx;
    struct archive_slice reach = *s;
    reach.from -= x->memory;
    buf_printf(out, "SELECT %s", x->columns);
    archive_where(q, &reach, out);
    buf_printf(out, " ORDER BY %s%s, valid, %s", q->station, q->collate ? " COLLATE \"C\"" : "",
               x->tie);
}

static struct summary_plan *summary_new(struct api_request *r, const struct native_params *p)
{
    struct summary_plan *x = arena_alloc(r->arena, sizeof(*x));
    const char *depth = shef_raw_column(r, "depth", "int4");
    if (x == NULL)
        return NULL;
    bool hourly = str_eq(p->by, "hour");
    double gap = p->max_gap.set ? p->max_gap.value : hourly ? HOURLY_GAP : DAILY_GAP;
    x->catalog = r->catalog;
    x->tz = p->tz;
    x->max_gap = (int64_t)(gap * (double)USEC_PER_HOUR);
    x->memory = DAILY_GAP * USEC_PER_HOUR;
    if (x->max_gap > x->memory)
        x->memory = x->max_gap;
    x->columns = arena_printf(r->arena,
                              "station::text, valid, key::text, (%s)::int4, value::float4, "
                              "(%s)::interval",
                              depth, shef_raw_column(r, "dv_interval", "interval"));
    x->tie =
        arena_printf(r->arena, "key COLLATE \"C\", %s, %s, value DESC", depth, shef_quality(r));
    return x->columns != NULL && x->tie != NULL && period_find(p->by, &x->period) ? x : NULL;
}

static bool fill_plan(struct api_request *r, const struct native_params *p, struct plan *plan)
{
    static const Oid oids[READ_CELLS] = { OID_TEXT, OID_TIMESTAMPTZ, OID_TEXT,
                                          OID_INT4, OID_FLOAT4,      OID_INTERVAL };
    struct archive_spec grouped = spec;
    struct summary_plan *x = summary_new(r, p);
    grouped.group = &grouping;
    if (x == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    plan->ctx = x;
    plan->transform = &summary_transform;
    plan->query.statement = statement;
    plan->query.statement_ctx = x;
    plan->oids = oids;
    plan->wire_cells = READ_CELLS;
    return native_group(r, p, &grouped, plan); /* so that windows are cut between periods */
}

static bool prepare(struct api_request *r)
{
    struct native_params *p = native_read(r);
    if (p == NULL)
        return false;
    r->plan_params = p;
    r->plan = native_plan(r, p, &spec, shef_filter(r, p));
    return r->plan != NULL && fill_plan(r, p, r->plan);
}

const struct endpoint endpoint_shef_summary = {
    .path = "/api/shef/summary",
    .summary = "SHEF archive by hour, day, month or year",
    .help =
        "Count, mean, extremes and totals for each station, key and period. A value belongs to "
        "the period its time lies in, an amount too, though it fell before. sts and ets may cut "
        "the first and the last period. Accumulators (PC) give increments, which also take the "
        "last reading before the period; resets and gaps are counted and not taken for rain. "
        "Traces count as nothing in sums; a sum of nothing but traces is 0.0001. Several values "
        "of one time all count for the mean; for totals the one with the best qualifier, of "
        "those the highest.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE,
    .params = params,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .prepare = prepare,
    .examples = { "station=AESI4&by=day&sts=2025-09-01&ets=2025-09-03",
                  "station=EOKI4&pe=PC&by=hour&sts=2024-06-01&ets=2024-06-04&tz=UTC",
                  "state=IA&key=HGIRG*&by=month&tz=America/Chicago&days=365&units=metric&format="
                  "json" },
};
