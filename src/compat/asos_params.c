#include "asos_params.h"

#define AT(field) offsetof(struct asos_params, field)

static const char *check_station(const char *value)
{
    size_t n = strlen(value);
    bool ok =
        n >= 3 && n <= 4 && value[strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")] == '\0';
    return ok || str_eq(value, "_ALL") ? NULL : "has to be three or four capital letters or digits";
}

static const char *check_report_type(const char *value)
{
    int64_t code;
    return iem_int_text(value, false, &code) ? NULL : "has to be a whole number";
}

static const struct iem_param own_params[] = {
    { "data", IEM_LIST, 0, AT(data), NULL, NULL, NULL, 0, 0,
      "the columns, in the wanted order; `all` or nothing: all of them. tmpf, dwpf, relh, drct, "
      "sknt, "
      "p01i, alti, mslp, vsby, gust, skyc1 to skyc4, skyl1 to skyl4, wxcodes (or presentwx), "
      "ice_accretion_1hr, _3hr, _6hr, peak_wind_gust, peak_wind_drct, peak_wind_time, feel, metar, "
      "snowdepth; converted: tmpc, dwpc, p01m, sped, gust_mph, peak_wind_gust_mph. Other names are "
      "left out" },
    { "direct", IEM_BOOL, 0, AT(direct), "no", NULL, NULL, 0, 0,
      "make the answer a file to be stored" },
    { "elev", IEM_BOOL, 0, AT(elev), "no", NULL, NULL, 0, 0,
      "add the station's elevation in metres; stations without metadata are then left out" },
    { "ets", IEM_AWARE, 0, AT(period.ets), NULL, NULL, NULL, 0, 0,
      "end of the time window, which itself is not part of it; instead of year2 to minute2" },
    { "format", IEM_TEXT, 0, AT(format), "onlycomma", NULL, NULL, 0, 0,
      "onlycomma or onlytdf (tabs); comma or tdf put five lines that begin with #DEBUG before the "
      "header; json and geojson as /api/metar writes them; anything else is as comma" },
    { "hours", IEM_INT, 0, AT(hours), NULL, NULL, NULL, 0, 0,
      "the newest hours, newest first, instead of a time window" },
    { "latlon", IEM_BOOL, 0, AT(latlon), "no", NULL, NULL, 0, 0,
      "add the station's longitude and latitude; stations without metadata are then left out" },
    { "missing", IEM_TEXT, 0, AT(missing), "M", "M,null,empty", NULL, 0, 0,
      "what stands for a value that is not there" },
    { "nometa", IEM_BOOL, 0, AT(nometa), "no", NULL, NULL, 0, 0,
      "leave out the header, the station and the time" },
    { "network", IEM_LIST, 0, AT(network), NULL, NULL, iem_check_network, 0, 0,
      "networks whose stations are wanted, like IA_ASOS; not read when there is a station" },
    { "report_type", IEM_LIST, 0, AT(report_type), NULL, NULL, check_report_type, 0, 0,
      "kinds of report: 1 high-frequency, 3 routine, 4 special, 2 for 2 to 4; default: all" },
    { "station", IEM_LIST, 0, AT(station), NULL, NULL, check_station, 0, 0,
      "station ids; KDSM is DSM. Without station and network, or with _ALL: all stations" },
    { "sts", IEM_AWARE, 0, AT(period.sts), NULL, NULL, NULL, 0, 0,
      "start of the time window; instead of year1 to minute1. A start like the end asks for one "
      "day, a start after the end is exchanged with it" },
    { "trace", IEM_TEXT, 0, AT(trace), "0.0001", "0.0001,T,null,empty", NULL, 0, 0,
      "what stands for a trace of precipitation or ice" },
    { "tz", IEM_ZONE, 0, AT(tz), "UTC", NULL, NULL, 0, 0,
      "time zone of the times in the answer and of year1 to minute2" },
    IEM_PERIOD_PIECES(struct asos_params, period),
    { .name = NULL },
};

static const struct iem_param *const params[] = { own_params, NULL };

const struct iem_service asos_service = {
    .params = params,
    .size = sizeof(struct asos_params),
    .differs =
        "There is no limit to stations, years or rows, no throttle, and no 24 hours limit for all "
        "stations: the whole answer is streamed.\n"
        "An unknown network is an error that names it, and does not mean all stations.\n"
        "A failure after the header aborts the connection, so that no cut answer is taken for a "
        "whole one.\n"
        "Odd values, like hours beyond the calendar or trace=0x0001, are answered with 422.\n"
        "Errors are plain sentences, one for each fault.\n"
        "format=json and geojson are offered.",
};

static double to_mm(double v)
{
    return v * 25.4;
}

/* The factor is the recorded service's own: knots to miles per hour. */
static double to_mph(double v)
{
    return v * 1.15;
}

#define NUMBER(n, u, h)                                                                            \
    {                                                                                              \
        n, n, n, ASOS_NUMBER, false, NULL, u, h                                                    \
    }
#define TRACE(n, h)                                                                                \
    {                                                                                              \
        n, n, n, ASOS_TRACE, false, NULL, "in", h                                                  \
    }
#define SKY(n, h)                                                                                  \
    {                                                                                              \
        n, n, n, ASOS_TEXT, false, NULL, "", h                                                     \
    }
#define CONVERTED(n, from, kind, fn, u, h)                                                         \
    {                                                                                              \
        n, n, from, kind, true, fn, u, h                                                           \
    }

const struct asos_column asos_columns[] = {
    NUMBER("tmpf", "degF", "air temperature"),
    NUMBER("dwpf", "degF", "dew point"),
    NUMBER("relh", "%", "relative humidity"),
    NUMBER("drct", "deg", "wind direction from true north"),
    NUMBER("sknt", "kt", "wind speed"),
    TRACE("p01i", "precipitation since the last routine report, at most one hour"),
    NUMBER("alti", "inHg", "altimeter setting"),
    NUMBER("mslp", "mb", "mean sea level pressure"),
    NUMBER("vsby", "mi", "visibility"),
    NUMBER("gust", "kt", "wind gust"),
    SKY("skyc1", "sky cover of the first layer"),
    SKY("skyc2", "sky cover of the second layer"),
    SKY("skyc3", "sky cover of the third layer"),
    SKY("skyc4", "sky cover of the fourth layer"),
    NUMBER("skyl1", "ft", "height of the first layer above ground"),
    NUMBER("skyl2", "ft", "height of the second layer"),
    NUMBER("skyl3", "ft", "height of the third layer"),
    NUMBER("skyl4", "ft", "height of the fourth layer"),
    { "wxcodes", "wxcodes", "wxcodes", ASOS_TEXT, false, NULL, "", "present weather codes" },
    TRACE("ice_accretion_1hr", "ice accretion of 1 hour"),
    TRACE("ice_accretion_3hr", "ice accretion of 3 hours"),
    TRACE("ice_accretion_6hr", "ice accretion of 6 hours"),
    NUMBER("peak_wind_gust", "kt", "peak wind of the hour"),
    NUMBER("peak_wind_drct", "deg", "its direction"),
    { "peak_wind_time", "peak_wind_time", "peak_wind_time", ASOS_MINUTE, false, NULL, "",
      "its time" },
    NUMBER("feel", "degF", "apparent temperature: heat index or wind chill"),
    { "metar", "metar", "metar", ASOS_REPORT, false, NULL, "", "the report as received" },
    { "snowdepth", "snowdepth", "snowdepth", ASOS_COUNT, false, NULL, "in", "snow depth" },
    { "presentwx", "wxcodes", "wxcodes", ASOS_TEXT, true, NULL, "", "present weather codes" },
    CONVERTED("tmpc", "tmpf", ASOS_NUMBER, iem_f2c, "degC", "air temperature"),
    CONVERTED("dwpc", "dwpf", ASOS_NUMBER, iem_f2c, "degC", "dew point"),
    CONVERTED("p01m", "p01i", ASOS_TRACE, to_mm, "mm", "precipitation, as p01i"),
    CONVERTED("sped", "sknt", ASOS_NUMBER, to_mph, "mph", "wind speed"),
    CONVERTED("gust_mph", "gust", ASOS_NUMBER, to_mph, "mph", "wind gust"),
    CONVERTED("peak_wind_gust_mph", "peak_wind_gust", ASOS_NUMBER, to_mph, "mph", "peak wind"),
};

const size_t asos_column_count = ARRAY_SIZE(asos_columns);

const struct asos_column *asos_column_find(const char *name)
{
    for (size_t i = 0; i < asos_column_count; i++) {
        if (str_eq(asos_columns[i].name, name))
            return &asos_columns[i];
    }
    return NULL;
}
