#include "obstream/api/native.h"

#define AT(field) offsetof(struct native_params, field)
#define LIST(n, a, f, h, ex)                                                                       \
    {                                                                                              \
        n, a, PARAM_LIST, AT(f), NULL, NULL, 0, 0, h, ex                                           \
    }
#define TEXT(n, a, f, d, h, ex)                                                                    \
    {                                                                                              \
        n, a, PARAM_TEXT, AT(f), d, NULL, 0, 0, h, ex                                              \
    }
#define CHOICE(n, f, d, c, h)                                                                      \
    {                                                                                              \
        n, NULL, PARAM_CHOICE, AT(f), d, c, 0, 0, h, d                                             \
    }
#define TIME(n, a, f, h, ex)                                                                       \
    {                                                                                              \
        n, a, PARAM_TIME, AT(f), NULL, NULL, 0, 0, h, ex                                           \
    }
#define COUNT(n, f, lo, hi, h, ex)                                                                 \
    {                                                                                              \
        n, NULL, PARAM_COUNT, AT(f), NULL, NULL, lo, hi, h, ex                                     \
    }
#define END_OF_TABLE                                                                               \
    {                                                                                              \
        .name = NULL                                                                               \
    }

const struct param params_stations[] = {
    LIST("station", "stations", station,
         "station ids, repeated or comma separated; !ID leaves one out", "DSM,AMW"),
    LIST("network", NULL, network, "networks, like IA_ASOS", "IA_ASOS"),
    LIST("state", NULL, state, "states by their two letters", "IA"),
    LIST("wfo", NULL, wfo, "weather forecast offices by their three letters", "DMX"),
    LIST("country", NULL, country, "countries by their two letters", "US"),
    { "bbox", NULL, PARAM_BBOX, AT(bbox), NULL, NULL, 0, 0,
      "west,south,east,north in degrees; west > east crosses 180 degrees",
      "-96.7,40.3,-90.1,43.6" },
    { "lat", NULL, PARAM_NUMBER, AT(lat), NULL, NULL, -90, 90,
      "latitude of a point, degrees north; with lon and radius", "41.53" },
    { "lon", NULL, PARAM_NUMBER, AT(lon), NULL, NULL, -180, 180,
      "longitude of the point, degrees east", "-93.65" },
    { "radius", NULL, PARAM_NUMBER, AT(radius), NULL, NULL, 0, 20038,
      "stations within so many kilometres of the point; sort=station then means nearest first",
      "50" },
    END_OF_TABLE,
};

const struct param params_time[] = {
    TIME("sts", "start,time_start", sts,
         "first instant: 2024-06-01, 2024-06-01T12:00, with seconds, fraction, Z or offset; "
         "without a zone in tz",
         "2024-06-01"),
    TIME("ets", "end,time_end", ets, "end of the half-open window, written like sts", "2024-07-01"),
    COUNT("hours", hours, 1, 1e6, "the newest hours before ets, or before now", "24"),
    COUNT("days", days, 1, 1e5, "the newest days before ets, or before now", "7"),
    { "tz", NULL, PARAM_ZONE, AT(tz), NULL, NULL, 0, 0,
      "IANA zone of zone-less input and of local_valid; UTC when absent", "America/Chicago" },
    END_OF_TABLE,
};

const struct param params_rows[] = {
    CHOICE("sort", sort, "station", "station,time",
           "station: rows of each station together, by time; time: by time, then station"),
    CHOICE("order", order, "asc", "asc,desc", "direction in time"),
    COUNT("limit", limit, 1, 1e15, "rows at most; X-Truncated: true says that there were more",
          "1000"),
    END_OF_TABLE,
};

const struct param params_output[] = {
    LIST("vars", "var,data,fields", vars,
         "columns, repeated or comma separated, in the order asked for; the first two of the "
         "table lead in any case; all when absent",
         "tmpf,dwpf"),
    LIST("units", "unit", units, "native, metric, us, or column:unit like tmpf:K", "metric"),
    TEXT(
        "format", NULL, format, NULL,
        "csv, tsv, json, ndjson, geojson, table or xlsx; also as a suffix of the path or by Accept",
        "csv"),
    TEXT("missing", NULL, missing, NULL,
         "text of a missing value in csv and tsv; empty when absent", "M"),
    TEXT("trace", NULL, trace, NULL,
         "text of a trace of precipitation in csv and tsv; 0.0001 when absent", "T"),
    CHOICE("header", header, "plain", "plain,units,none",
           "units adds a second line with the units to csv, tsv and xlsx"),
    TEXT("filename", NULL, filename, NULL, "download under this name", "data.csv"),
    END_OF_TABLE,
};
