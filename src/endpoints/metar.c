/* /api/metar: the METAR archive (asos.alldata). */
#include "common.h"

#include "obstream/query/sql.h"

#define AT(field) offsetof(struct native_params, field)
#define F4(n, u, h) COLUMN(n, CELL_FLOAT4, u, 0, h)
#define RAIN(n, h) COLUMN(n, CELL_FLOAT4, "in", COLUMN_TRACE, h)
#define SKY(n, h) COLUMN(n, CELL_TEXT, "", COLUMN_PADDED, h)

static const struct column columns[] = {
    COLUMN("station", CELL_TEXT, "", 0, "station id; three letters in the United States"),
    COLUMN("valid", CELL_INSTANT, "", 0, "time of the observation, UTC"),
    LOCAL_TIME("valid"),
    F4("tmpf", "degF", "air temperature"),
    F4("dwpf", "degF", "dew point"),
    F4("relh", "%", "relative humidity"),
    F4("feel", "degF", "apparent temperature: heat index or wind chill"),
    F4("drct", "deg", "wind direction from true north"),
    F4("sknt", "kt", "wind speed"),
    F4("gust", "kt", "wind gust"),
    F4("peak_wind_gust", "kt", "peak wind of the hour"),
    F4("peak_wind_drct", "deg", "its direction"),
    COLUMN("peak_wind_time", CELL_INSTANT, "", 0, "its time, UTC"),
    F4("alti", "inHg", "altimeter setting"),
    F4("mslp", "mb", "mean sea level pressure"),
    F4("vsby", "mi", "visibility"),
    RAIN("p01i", "precipitation since the last routine report, at most one hour"),
    RAIN("p03i", "precipitation of 3 hours"),
    RAIN("p06i", "precipitation of 6 hours"),
    RAIN("p24i", "precipitation of 24 hours"),
    RAIN("ice_accretion_1hr", "ice accretion of 1 hour"),
    RAIN("ice_accretion_3hr", "ice accretion of 3 hours"),
    RAIN("ice_accretion_6hr", "ice accretion of 6 hours"),
    F4("max_tmpf_6hr", "degF", "highest temperature of 6 hours"),
    F4("min_tmpf_6hr", "degF", "lowest temperature of 6 hours"),
    F4("max_tmpf_24hr", "degF", "highest temperature of 24 hours"),
    F4("min_tmpf_24hr", "degF", "lowest temperature of 24 hours"),
    COLUMN("snowdepth", CELL_INT, "in", 0, "snow depth"),
    COLUMN("wxcodes", CELL_TEXT, "", 0, "present weather codes, separated by blanks"),
    SKY("skyc1", "sky cover of the first layer"),
    SKY("skyc2", "sky cover of the second layer"),
    SKY("skyc3", "sky cover of the third layer"),
    SKY("skyc4", "sky cover of the fourth layer"),
    COLUMN("skyl1", CELL_INT, "ft", 0, "height of the first layer above ground"),
    COLUMN("skyl2", CELL_INT, "ft", 0, "height of the second layer"),
    COLUMN("skyl3", CELL_INT, "ft", 0, "height of the third layer"),
    COLUMN("skyl4", CELL_INT, "ft", 0, "height of the fourth layer"),
    COLUMN("report_type", CELL_INT, "", 0,
           "1 high-frequency, 2 legacy routine or special, 3 routine, 4 special"),
    COLUMN("metar", CELL_TEXT, "", 0, "the report as received"),
    STATION_COLUMNS,
};

static const struct param own_params[] = {
    { "report_type", NULL, PARAM_CHOICES, AT(report_type), NULL, "routine,special,hf,1,2,3,4", 0, 0,
      "kinds of report: routine (3), special (4), hf (1); a code 2 is routine or special; all "
      "when absent",
      "routine,special" },
    { .name = NULL },
};

static const struct param *const params[] = { params_stations, params_time,   params_rows,
                                              own_params,      params_output, NULL };

static const struct archive_spec spec = {
    .table = TABLE_ASOS_ALLDATA,
    .station = "station",
    .time = "valid",
    .tie = "",
    .rows_per_day = 48,
    .row_bytes = 250,
    .belongs = station_reports_metar,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
};

/* Codes of report_type that a word stands for; 2 was both in the old archive. */
static unsigned type_codes(const char *word)
{
    if (str_eq(word, "routine"))
        return 1u << 2 | 1u << 3;
    if (str_eq(word, "special"))
        return 1u << 2 | 1u << 4;
    if (str_eq(word, "hf"))
        return 1u << 1;
    return 1u << (word[0] - '0');
}

static const char *report_filter(struct api_request *r, const struct native_params *p)
{
    unsigned codes = 0;
    for (size_t i = 0; i < p->report_type.count; i++)
        codes |= type_codes(p->report_type.items[i]);
    if (codes == 0)
        return "";
    struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
    const char *separator = " AND report_type IN (";
    for (unsigned code = 1; code <= 4; code++) {
        if ((codes & 1u << code) == 0)
            continue;
        sql_text(&b, separator);
        sql_int(&b, code);
        separator = ", ";
    }
    sql_text(&b, ")");
    const char *text = arena_strdup(r->arena, b.failed ? "" : b.data);
    buf_release(&b);
    return text;
}

static bool prepare(struct api_request *r)
{
    struct native_params *p = native_read(r);
    if (p == NULL)
        return false;
    for (size_t i = 0; i < p->report_type.count && r->faults.count > 0; i++)
        p->report_type.count = 0; /* faulty words have no codes */
    r->plan = native_plan(r, p, &spec, report_filter(r, p));
    return r->plan != NULL;
}

const struct endpoint endpoint_metar = {
    .path = "/api/metar",
    .summary = "METAR archive",
    .help = "Airport weather reports, decoded and raw, one a row. Without stations: all of them.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE,
    .params = params,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .prepare = prepare,
    .examples = { "station=DSM&sts=2024-06-01&ets=2024-06-02",
                  "network=IA_ASOS&hours=24&vars=tmpf,dwpf,sknt&format=json",
                  "state=IA&sts=2024-06-01&ets=2024-06-02&sort=time&units=metric" },
};
