/* /api/shef/exceed: events above or below a threshold. */
#include "shef.h"
#include "shef_exceed.h"

#include "obstream/query/sql.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(struct native_params, field)

static const char stages[] = "low,action,bankfull,flood,moderate,major,record";

static const struct column columns[] = {
    COLUMN("station", CELL_TEXT, "", 0, "station id (NWSLI)"),
    COLUMN("key", CELL_TEXT, "", 0, SHEF_KEY_HELP),
    COLUMN("start", CELL_INSTANT, "", 0, "first reading at or beyond the threshold, UTC"),
    { "local_start",
      CELL_INSTANT,
      "",
      COLUMN_LOCAL,
      "start",
      NULL,
      { NULL },
      "start in the zone of the request; offered when tz is given" },
    COLUMN("start_known", CELL_BOOL, "", 0,
           "false: it is the first reading of the window, the event may be older"),
    SHEF_VALUE(peak, "highest value (with direction=below the lowest), in `unit`"),
    COLUMN("peak_time", CELL_INSTANT, "", 0, "time of the first such reading, UTC"),
    COLUMN("end", CELL_INSTANT, "", 0,
           "first reading that is not beyond any more, UTC; empty: the event is open"),
    COLUMN("last", CELL_INSTANT, "", 0, "last reading at or beyond the threshold, UTC"),
    COLUMN("duration", CELL_FLOAT8, "h", 0, "from start to end, of an open event to last"),
    COLUMN("count", CELL_INT, "", 0, "readings at or beyond the threshold"),
    COLUMN("longest_wait", CELL_FLOAT8, "h", 0,
           "longest time between readings from start to end: what happened there is not known"),
    SHEF_VALUE(threshold, "the threshold, in `unit`"),
    COLUMN("stage", CELL_TEXT, "", 0, "its name, with stage"),
    SHEF_UNIT("unit of peak and threshold; metric with units=metric"),
    COLUMN("depth", CELL_INT, "in", 0, "depth below ground of paired elements"),
    SHEF_PART(pe, COLUMN_EXTRA, SHEF_PE_HELP),
    COMPUTED("key_duration", CELL_TEXT, "", COLUMN_EXTRA, shef_cell_duration, SHEF_DURATION_HELP,
             "key"),
    SHEF_PARTS_BEHIND_DURATION(COLUMN_EXTRA),
    STATION_COLUMNS,
};

/* In the order of enum exceed_cell. */
static const struct derived cells[] = {
    { "station", OID_TEXT },     { "start", OID_TIMESTAMPTZ },   { "key", OID_TEXT },
    { "start_known", OID_BOOL }, { "peak", OID_FLOAT8 },         { "peak_time", OID_TIMESTAMPTZ },
    { "end", OID_TIMESTAMPTZ },  { "last", OID_TIMESTAMPTZ },    { "duration", OID_FLOAT8 },
    { "count", OID_INT8 },       { "longest_wait", OID_FLOAT8 }, { "threshold", OID_FLOAT8 },
    { "stage", OID_TEXT },       { "depth", OID_INT4 },          { NULL, 0 },
};

static const struct param own_params[] = {
    { "threshold", NULL, PARAM_NUMBER, AT(threshold), NULL, NULL, -1e30, 1e30,
      "the threshold in archive units (feet, kcfs, ...); give this or stage", "12.5" },
    { "stage", NULL, PARAM_CHOICE, AT(stage), NULL, stages, 0, 0,
      "each station's own stage of this name from the station table instead, in feet; stations "
      "without one are left out; of the keys only pe=HG unless key, pedts or pe say others",
      "flood" },
    { "direction", NULL, PARAM_CHOICE, AT(direction), "above", "above,below", 0, 0,
      "above: at or above the threshold; below: at or below", "below" },
    { "min_duration", NULL, PARAM_NUMBER, AT(min_duration), "0", NULL, 0, 1e6,
      "leave out events shorter than so many hours", "6" },
    { "gap", NULL, PARAM_NUMBER, AT(gap), "0", NULL, 0, 1e6,
      "events whose readings beyond the threshold are at most so many hours apart are one", "12" },
    { .name = NULL },
};

static const struct param *const params[] = {
    params_stations, params_time, shef_limit_params, own_params, shef_filter_params,
    params_output,   NULL,
};

static const struct archive_spec spec = {
    .table = TABLE_HADS_RAW,
    .station = "station",
    .time = "start",
    .tie = "",
    .rows_per_day = 300,
    .row_bytes = 4, /* of reading; few rows leave */
    .belongs = station_reports_shef,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .derived = cells,
};

/* Each series by itself in the order of time. Of one time the best value comes first. */
static void statement(const struct archive_query *q, const struct archive_slice *s, struct buf *out)
{
    const struct exceed_plan *x = q->statement_ctx;
    buf_printf(out, "SELECT station::text, key::text, (%s)::int4, valid, value::float4",
               x->depth_column);
    archive_where(q, s, out);
    buf_printf(out, " ORDER BY station COLLATE \"C\", key COLLATE \"C\", %s, valid, %s, value DESC",
               x->depth_column, x->quality);
}

double exceed_station_stage(const struct catalog *c, const char *id, size_t len, int stage)
{
    size_t n;
    const struct station *st = catalog_station(c, id, len, &n);
    for (size_t i = 0; st != NULL && i < n; i++) {
        if (!isnan(st[i].sigstage[stage]))
            return st[i].sigstage[stage];
    }
    return NAN;
}

static int stage_index(struct api_request *r, const char *name)
{
    struct strlist names = { 0 };
    strlist_split(&names, r->arena, stages);
    for (size_t i = 0; name != NULL && i < names.count; i++) {
        if (str_eq(names.items[i], name))
            return (int)i;
    }
    return -1;
}

/* Stations without the stage have no events. */
static bool only_staged(struct api_request *r, struct archive_query *q, int stage)
{
    const char **ids = arena_array(r->arena, q->count + 1, sizeof(*ids));
    uint32_t n = 0;
    if (ids == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    for (uint32_t i = 0; i < q->count; i++) {
        const char *id = q->stations[i];
        if (!isnan(exceed_station_stage(r->catalog, id, strlen(id), stage)))
            ids[n++] = id;
    }
    q->stations = ids;
    q->count = n;
    q->all = false;
    return true;
}

static void check(struct api_request *r, struct native_params *p)
{
    if (p->threshold.set == (p->stage != NULL))
        fault_add(&r->faults, "threshold", NULL,
                  p->stage != NULL ? "threshold and stage exclude each other: give one of them"
                                   : "a threshold is needed: threshold=12.5, or stage=flood for "
                                     "each station's own");
    if (p->stage != NULL && !shef_key_chosen(p))
        strlist_add(&p->pe, r->arena, "HG");
    if (p->threshold.set && !shef_key_chosen(p))
        fault_add(&r->faults, "key", NULL,
                  "a threshold is one of certain values: say by key, pedts or pe of which, like "
                  "pe=HG");
}

static bool fill_plan(struct api_request *r, const struct native_params *p, struct plan *plan)
{
    static const Oid oids[] = { OID_TEXT, OID_TEXT, OID_INT4, OID_TIMESTAMPTZ, OID_FLOAT4 };
    struct exceed_plan *x = arena_alloc(r->arena, sizeof(*x));
    if (x == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    double hour = (double)USEC_PER_HOUR;
    *x = (struct exceed_plan){
        .catalog = r->catalog,
        .depth_column = shef_raw_column(r, "depth", "int4"),
        .quality = shef_quality(r),
        .stage = stage_index(r, p->stage),
        .stage_name = p->stage,
        .rule = { .threshold = p->threshold.value,
                  .below = str_eq(p->direction, "below"),
                  .gap = (int64_t)(p->gap.value * hour),
                  .min_duration = (int64_t)(p->min_duration.value * hour) },
    };
    plan->ctx = x;
    plan->whole = true;
    plan->transform = &exceed_transform;
    plan->query.time = "valid"; /* of the table; `start` is that of the answer */
    plan->query.statement = statement;
    plan->query.statement_ctx = x;
    plan->oids = oids;
    plan->wire_cells = ARRAY_SIZE(oids);
    return x->stage < 0 || only_staged(r, &plan->query, x->stage);
}

static bool prepare(struct api_request *r)
{
    struct native_params *p = native_read(r);
    if (p == NULL)
        return false;
    r->plan_params = p;
    check(r, p);
    r->plan = native_plan(r, p, &spec, shef_filter(r, p));
    return r->plan != NULL && fill_plan(r, p, r->plan);
}

const struct endpoint endpoint_shef_exceed = {
    .path = "/api/shef/exceed",
    .summary = "SHEF archive: events beyond a threshold",
    .help =
        "Floods and the like: for each station and key the events at or above (or below) a "
        "threshold within the window, with start, peak, end and duration. An event ends at the "
        "first reading that is not beyond any more; events that have none yet are open and have "
        "no end. Missing values (-9999, NaN) are no readings, nor is what the filters leave "
        "out: max_value=100 keeps an absurd stage from being a peak. Of several values of one "
        "time the one with the best qualifier counts, of those the highest.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE,
    .params = params,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .prepare = prepare,
    .examples = { "station=AESI4&key=HGIRG*&threshold=10.85&sts=2025-09-01&ets=2025-09-03",
                  "state=IA&stage=flood&days=30&format=json",
                  "station=AESI4&pe=HG&threshold=10.85&gap=6&min_duration=1&sts=2025-09-01&ets="
                  "2025-09-03&units=metric" },
};
