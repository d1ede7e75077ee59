/* /api/coop: observations of single COOP stations as reported (iem.summary). */
#include "common.h"

#define F4(n, source, u, h)                                                                        \
    {                                                                                              \
        n, CELL_FLOAT4, u, 0, source, NULL, { NULL }, h                                            \
    }
#define RAIN(n, source, h)                                                                         \
    {                                                                                              \
        n, CELL_FLOAT4, "in", COLUMN_TRACE, source, NULL, { NULL }, h                              \
    }

static const struct station *coop_station(const struct computed *c, const struct cell *id)
{
    const struct api_request *r = c->ctx;
    size_t count = 0;
    const struct station *st =
        id->type == CELL_TEXT ? catalog_station(r->catalog, id->s, id->len, &count) : NULL;
    while (count > 0 && !station_reports_coop(st)) {
        st++;
        count--;
    }
    return count > 0 ? st : NULL;
}

/* The clock at the station when it was read. */
static void cell_hour(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct station *st = coop_station(c, &cells[c->in[0]]);
    const struct cell *valid = &cells[c->in[1]];
    const struct tz *tz = st != NULL && st->tzname != NULL ? tz_find(st->tzname) : NULL;
    *out = tz != NULL && valid->type == CELL_INSTANT ? cell_int(tz_to_local(tz, valid->i).hour)
                                                     : cell_null();
}

static struct cell hour_cell(int64_t hour)
{
    return hour == INT64_MIN ? cell_null() : cell_int(hour);
}

static void cell_temp_hour(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct station *st = coop_station(c, &cells[c->in[0]]);
    *out = st != NULL ? hour_cell(st->temp24_hour) : cell_null();
}

static void cell_precip_hour(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct station *st = coop_station(c, &cells[c->in[0]]);
    *out = st != NULL ? hour_cell(st->precip24_hour) : cell_null();
}

static const struct column columns[] = {
    COLUMN("station", CELL_TEXT, "", 0, "station id, like AESI4"),
    COLUMN("day", CELL_DAY, "", 0, "day on which it was reported: the values end at its hour"),
    { "valid", CELL_INSTANT, "", 0, "coop_valid", NULL, { NULL }, "time of the observation, UTC" },
    { "local_valid",
      CELL_INSTANT,
      "",
      COLUMN_LOCAL,
      "coop_valid",
      NULL,
      { NULL },
      "valid in the zone of the request; offered when tz is given" },
    COMPUTED("hour", CELL_INT, "", 0, cell_hour,
             "hour of the observation by the station's own clock; null when it was not reported",
             "station", "coop_valid"),
    F4("high", "max_tmpf", "degF", "highest temperature of the 24 hours before the observation"),
    F4("low", "min_tmpf", "degF", "lowest temperature of the 24 hours before the observation"),
    F4("tobs", "coop_tmpf", "degF", "temperature at the observation"),
    RAIN("precip", "pday", "precipitation of the 24 hours before the observation"),
    RAIN("snow", "snow", "snowfall of the 24 hours before the observation"),
    RAIN("snowd", "snowd", "snow depth at the observation"),
    F4("swe", "snoww", "in", "water equivalent of the snow on the ground"),
    COMPUTED("temp_hour", CELL_INT, "", 0, cell_temp_hour,
             "local hour at which the station usually reads temperatures, by its metadata",
             "station"),
    COMPUTED("precip_hour", CELL_INT, "", 0, cell_precip_hour,
             "local hour at which the station usually reads precipitation, by its metadata",
             "station"),
    { "report", CELL_TEXT, "", COLUMN_EXTRA, "report", NULL, { NULL }, "the report as received" },
    STATION_COLUMNS,
};

static const struct param *const params[] = { params_stations, params_time, params_rows,
                                              params_output, NULL };

static const struct archive_spec spec = {
    .table = TABLE_IEM_SUMMARY,
    .station = "station",
    .number = "iemid",
    .time = "day",
    .time_is_day = true,
    .tie = "",
    .rows_per_day = 1,
    .row_bytes = 80,
    .belongs = station_reports_coop,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .fresh = 600, /* days are added once a day */
};

static bool prepare(struct api_request *r)
{
    struct native_params *p = native_read(r);
    if (p == NULL)
        return false;
    r->plan = native_plan(r, p, &spec, "");
    return r->plan != NULL;
}

const struct endpoint endpoint_coop = {
    .path = "/api/coop",
    .summary = "COOP observations as reported",
    .help = "What cooperative observers reported, one day and station a row: nothing is estimated, "
            "shifted to another day or filled. The hour of the observation is shown; most stations "
            "read at 7 local time, so that much of what is reported fell on the day before. A "
            "trace is 0.0001.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE,
    .params = params,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .prepare = prepare,
    .examples = { "station=AESI4&sts=2024-12-01&ets=2025-01-01",
                  "state=IA&sts=2024-12-31&ets=2025-01-01&sort=time&trace=T",
                  "station=AESI4&vars=hour,high,low,report&days=30&ets=2025-01-01&format=json" },
};
