/* /api/shef: the SHEF archive (hads.raw), one value a row or one column a key. */
#include "shef.h"

#define AT(field) offsetof(struct native_params, field)

static const struct column columns[] = {
    COLUMN("station", CELL_TEXT, "", 0, "station id (NWSLI)"),
    COLUMN("valid", CELL_INSTANT, "", 0, "time of the value, UTC"),
    LOCAL_TIME("valid"),
    COLUMN("key", CELL_TEXT, "", 0, SHEF_KEY_HELP),
    SHEF_PARTS(0),
    COMPUTED("value", CELL_FLOAT4, "", 0, shef_cell_value, "the value, in `unit`", "key", "value"),
    SHEF_UNIT("unit of the value; metric with units=metric"),
    COLUMN("qualifier", CELL_TEXT, "", COLUMN_PADDED, "data qualifier code"),
    COLUMN("depth", CELL_INT, "in", 0, "depth below ground of paired elements"),
    COLUMN("dv_interval", CELL_INTERVAL, "", 0,
           "duration that a variable duration code stands for"),
    COLUMN("unit_convention", CELL_TEXT, "", COLUMN_PADDED, "E English, S standard"),
    STATION_COLUMNS,
};

static const struct param own_params[] = {
    { "layout", NULL, PARAM_CHOICE, AT(layout), "long", "long,wide", 0, 0,
      "long: one value a row; wide: one column for each key", "wide" },
    { .name = NULL },
};

static const struct param *const params[] = {
    params_stations, params_time, params_rows, shef_filter_params, own_params, params_output, NULL,
};

static const struct archive_spec spec = {
    .table = TABLE_HADS_RAW,
    .station = "station",
    .time = "valid",
    .tie = "",
    .rows_per_day = 100,
    .row_bytes = 90,
    .belongs = station_reports_shef,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
};

static bool prepare(struct api_request *r)
{
    struct native_params *p = native_read(r);
    if (p == NULL)
        return false;
    r->plan_params = p;
    const char *filter = shef_filter(r, p);
    r->plan = native_plan(r, p, &spec, filter);
    if (r->plan != NULL && str_eq(p->layout, "wide"))
        return shef_wide(r, p);
    return r->plan != NULL;
}

const struct endpoint endpoint_shef = {
    .path = "/api/shef",
    .summary = "SHEF archive",
    .help = "Values of river, reservoir and rain gauges by SHEF parameter code.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE | ENDPOINT_MORE_COLUMNS,
    .params = params,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .prepare = prepare,
    .examples = { "station=AESI4&sts=2025-09-01&ets=2025-09-03",
                  "station=AESI4&pe=HG&layout=wide&sts=2025-09-01&ets=2025-09-03",
                  "state=IA&key=PPHRG*&sts=2025-09-01&ets=2025-09-03&units=metric&format=json" },
};
