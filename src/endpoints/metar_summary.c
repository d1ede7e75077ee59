/* /api/metar/summary: METARs by station and hour, day, month or year. */
#include "metar.h"

#include "obstream/api/group.h"

#include <string.h>

#define AT(field) offsetof(struct native_params, field)
#define EXPR(n, t, u, f, x, h)                                                                     \
    {                                                                                              \
        n, t, u, f, x, NULL, { NULL }, h                                                           \
    }
#define F4(n, u, x, h) EXPR(n, CELL_FLOAT4, u, 0, x, h)
#define F8(n, u, x, h) EXPR(n, CELL_FLOAT8, u, 0, x, h)
#define N(n, x, h) EXPR(n, CELL_INT, "", 0, x, h)
#define WHEN(n, x, h) EXPR(n, CELL_INSTANT, "", 0, x, h)

#define ROUND(x, decimals) "round((" x ")::numeric, " #decimals ")::float8"
#define MEAN(v, decimals) ROUND("avg(" v ")", decimals)
#define SPREAD(v, unit, decimals, what)                                                            \
    N(v "_count", "count(" v ")", "reports that tell the " what),                                  \
        F8(v "_mean", unit, MEAN(v, decimals), "mean " what),                                      \
        F4(v "_min", unit, "min(" v ")", "lowest " what),                                          \
        F4(v "_max", unit, "max(" v ")", "highest " what)

/* When a value was least: the least pair of value and time, so the first time of several. */
#define FIRST(value, time, more, present)                                                          \
    "(min(ARRAY[" value ", date_part('epoch', " time ")" more "]) FILTER (WHERE " present          \
    " IS NOT NULL))"
#define FIRST_TIME(value, v) "to_timestamp(" FIRST(value, "valid", "", v) "[2])"
#define PEAK FIRST("-peak::float8", "peak_time", ", coalesce(peak_drct, 'NaN')::float8", "peak")

#define VECTOR "sqrt(avg(wind_e) ^ 2 + avg(wind_n) ^ 2)"

/* The chosen report of each hour: see `ranked` below. */
#define HOURS(condition) " FILTER (WHERE hour_rank = 1 AND " condition ")"
#define RAIN "p01i >= 0.009999" /* less is a trace, see output/field.h */

static const char period_text[] = "to_char(obs_period AT TIME ZONE obs_zone, "
                                  "'YYYY-MM-DD\"T\"HH24:MI')";

/* 2024-06-01T05:00, of which longer periods have the first part. */
static void cell_period(const struct computed *c, const struct cell *cells, struct cell *out)
{
    static const struct {
        const char *by;
        uint32_t len;
    } lengths[] = { { "day", 10 }, { "month", 7 }, { "year", 4 } };
    const struct api_request *r = c->ctx;
    *out = cells[c->in[0]];
    for (size_t i = 0; out->type == CELL_TEXT && i < ARRAY_SIZE(lengths); i++) {
        if (str_eq(r->plan_params->by, lengths[i].by) && lengths[i].len < out->len)
            out->len = lengths[i].len;
    }
}

static const struct column columns[] = {
    COLUMN("station", CELL_TEXT, "", 0, "station id; three letters in the United States"),
    WHEN("valid", "obs_period", "start of the period, UTC"),
    LOCAL_TIME("obs_period"),
    COMPUTED("period", CELL_TEXT, "", 0, cell_period,
             "the period by the local clock: 2024-06-01T05:00, 2024-06-01, 2024-06 or 2024",
             period_text),
    EXPR("timezone", CELL_TEXT, "", 0, "obs_zone", "zone of that clock"),
    N("count", "count(*)", "reports"),
    SPREAD("tmpf", "degF", 2, "air temperature"),
    WHEN("tmpf_min_time", FIRST_TIME("tmpf::float8", "tmpf"), "when it was first lowest, UTC"),
    WHEN("tmpf_max_time", FIRST_TIME("-tmpf::float8", "tmpf"), "when it was first highest, UTC"),
    SPREAD("dwpf", "degF", 2, "dew point"),
    SPREAD("relh", "%", 2, "relative humidity"),
    SPREAD("sknt", "kt", 2, "wind speed"),
    N("calm_count", "count(*) FILTER (WHERE sknt = 0)", "reports of no wind"),
    N("wind_count", "count(wind_e)", "reports with speed and direction, or calm"),
    F8("wind_sknt", "kt", ROUND(VECTOR, 2), "speed of the vector mean of the wind"),
    F8("wind_drct", "deg",
       "CASE WHEN " VECTOR " >= 0.005 THEN round((360 - mod((360 - "
       "atan2d(avg(wind_e), avg(wind_n)))::numeric, 360)), 1)::float8 END",
       "direction of the vector mean, from which it blows; 360 is north; empty when it "
       "is calm"),
    F4("gust_max", "kt", "max(peak)", "highest gust or peak wind"),
    F8("gust_max_drct", "deg", "NULLIF(" PEAK "[3], 'NaN')", "its direction"),
    WHEN("gust_max_time", "to_timestamp(" PEAK "[2])",
         "its time, UTC; the first of several; a peak wind may lie before the report's "
         "period"),
    SPREAD("alti", "inHg", 3, "altimeter setting"),
    SPREAD("mslp", "mb", 2, "sea level pressure"),
    EXPR("precip", CELL_FLOAT8, "in", COLUMN_TRACE,
         "CASE WHEN count(*)" HOURS(RAIN) " > 0 THEN " ROUND(
             "sum(p01i::float8)" HOURS(RAIN),
             4) " WHEN count(*)" HOURS("p01i > 0") " > 0 THEN 0.0001 WHEN "
                                                   "count(*)" HOURS("p01i IS "
                                                                    "NOT "
                                                                    "NULL") " > 0 THEN "
                                                                            "0 END",
         "precipitation: p01i once for each hour; traces count 0, traces alone are a "
         "trace"),
    N("precip_hours", "count(*)" HOURS("p01i > 0"), "hours with precipitation, traces included"),
    N("precip_trace_hours", "count(*)" HOURS("p01i > 0 AND NOT " RAIN), "hours with a trace"),
    N("precip_count", "count(*)" HOURS("p01i IS NOT NULL"), "hours whose report tells p01i"),
    STATION_COLUMNS,
};

static const char *const reads[] = {
    "tmpf",
    "dwpf",
    "relh",
    "drct",
    "sknt",
    "gust",
    "alti",
    "mslp",
    "p01i",
    "report_type",
    "peak_wind_gust",
    "peak_wind_drct",
    "peak_wind_time::timestamptz",
    NULL,
};

#define WIND_COLUMNS                                                                               \
    ", CASE WHEN sknt = 0 THEN 0 ELSE sknt * sind(drct) END AS wind_e"                             \
    ", CASE WHEN sknt = 0 THEN 0 ELSE sknt * cosd(drct) END AS wind_n"                             \
    ", CASE WHEN peak_wind_gust >= coalesce(gust, 0) THEN peak_wind_gust ELSE gust END AS peak"    \
    ", CASE WHEN peak_wind_gust >= coalesce(gust, 0) THEN peak_wind_drct ELSE drct END "           \
    "AS peak_drct"                                                                                 \
    ", CASE WHEN peak_wind_gust >= coalesce(gust, 0) THEN coalesce(peak_wind_time, valid) "        \
    "ELSE valid END AS peak_time"

/* p01i is what fell since the last routine report, so the last one of an hour has all of it, and
 * specials before it have parts of the same. */
static const struct group_spec ranked = {
    .reads = reads,
    .inner = WIND_COLUMNS ", row_number() OVER (PARTITION BY station, date_trunc('hour', valid, "
                          "obs_zone) ORDER BY (report_type IN (2, 3)) IS TRUE DESC, valid DESC, "
                          "report_type DESC, p01i DESC NULLS LAST) AS hour_rank",
    .by = "",
    .rows = 1,
};

/* The order of reports within hours costs a third of the time: only with precipitation. */
static const struct group_spec unranked = {
    .reads = reads,
    .inner = WIND_COLUMNS,
    .by = "",
    .rows = 1,
};

static const struct archive_spec spec = {
    .table = TABLE_ASOS_ALLDATA,
    .station = "station",
    .time = "valid",
    .tie = "",
    .rows_per_day = 96, /* with high-frequency reports some have 288 */
    .row_bytes = 400,
    .belongs = station_reports_metar,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
};

static const struct param own_params[] = {
    { "by", NULL, PARAM_CHOICE, AT(by), "day", "hour,day,month,year", 0, 0,
      "the period of one row, by the clock of tz, or of each station when tz is absent", "month" },
    { .name = NULL },
};

static const struct param *const params[] = {
    params_stations, params_time, params_rows, own_params, params_metar, params_output, NULL
};

static bool wants_rain(const struct native_params *p)
{
    for (size_t i = 0; i < p->vars.count; i++) {
        if (strncmp(p->vars.items[i], "precip", 6) == 0)
            return true;
    }
    return p->vars.count == 0;
}

static bool prepare(struct api_request *r)
{
    struct native_params *p = native_read(r);
    struct archive_spec *own = arena_alloc(r->arena, sizeof(*own));
    if (p == NULL || own == NULL)
        return false;
    *own = spec;
    own->group = wants_rain(p) ? &ranked : &unranked;
    r->plan_params = p;
    r->plan = native_plan(r, p, own, metar_filter(r, p));
    return r->plan != NULL;
}

const struct endpoint endpoint_metar_summary = {
    .path = "/api/metar/summary",
    .summary = "METAR statistics by hour, day, month or year",
    .help =
        "One row for each station and period with reports. Periods follow each station's own clock "
        "unless tz is given, daylight saving included; the first and the last are cut where sts "
        "and "
        "ets cut them. Means are of all selected reports, not weighted by time: "
        "report_type=routine gives hourly ones. Wind: scalar mean, and mean vector, to which calm "
        "adds nothing and variable direction is not counted. The highest gust is that of gusts and "
        "of peak winds, a peak wind in the period of its report. Precipitation takes p01i once for "
        "each clock hour, from the last routine report (types 3 and 2), or from the last report of "
        "an hour without one; specials are never added.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE,
    .params = params,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .prepare = prepare,
    .examples = { "station=DSM&sts=2024-06-01&ets=2024-07-01&tz=America/Chicago",
                  "station=DSM,AMW&by=month&sts=2020&ets=2021&report_type=routine&units=metric",
                  "state=IA&by=hour&days=1&vars=tmpf_mean,precip&format=json" },
};
