#include "ws_daily.h"

#define F4(name, column)                                                                           \
    {                                                                                              \
        { name, FRAME_FLOAT, 0, 0 }, PLAIN, column, OID_FLOAT4,                                    \
        {                                                                                          \
            column                                                                                 \
        }                                                                                          \
    }
#define WHOLE(name, column, oid)                                                                   \
    {                                                                                              \
        { name, FRAME_INT, 0, 0 }, PLAIN, column, oid,                                             \
        {                                                                                          \
            column                                                                                 \
        }                                                                                          \
    }
#define FLAG(name, column)                                                                         \
    {                                                                                              \
        { name, FRAME_BOOL, 0, 0 }, PLAIN, column, OID_BOOL,                                       \
        {                                                                                          \
            column                                                                                 \
        }                                                                                          \
    }
#define FALSE(name)                                                                                \
    {                                                                                              \
        { name, FRAME_BOOL, 0, 0 }, PLAIN, "false", OID_BOOL,                                      \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
#define NONE(name)                                                                                 \
    {                                                                                              \
        { name, FRAME_TEXT, 0, 0 }, NOTHING, NULL, 0,                                              \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
#define ID(name)                                                                                   \
    {                                                                                              \
        { name, FRAME_TEXT, 0, 0 }, STATION_ID, NULL, 0,                                           \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
#define NAME                                                                                       \
    {                                                                                              \
        { "name", FRAME_TEXT, 0, 0 }, STATION_NAME, NULL, 0,                                       \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
#define DAY                                                                                        \
    {                                                                                              \
        { "date", FRAME_DAY, 0, 0 }, THE_DAY, NULL, 0,                                             \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }

static const struct daily_column summary_columns[] = {
    ID("station"),
    DAY,
    F4("max_tmpf", "max_tmpf"),
    F4("min_tmpf", "min_tmpf"),
    F4("precip", "pday"),
    F4("max_gust", "max_gust"),
    F4("snow", "snow"),
    F4("snowd", "snowd"),
    F4("min_rh", "min_rh"),
    F4("max_rh", "max_rh"),
    F4("max_dwpf", "max_dwpf"),
    F4("min_dwpf", "min_dwpf"),
    F4("min_feel", "min_feel"),
    { { "avg_feel", FRAME_FLOAT, 0, 0 },
      PLAIN,
      "coalesce(avg_feel, (max_feel + min_feel) / 2.)",
      OID_FLOAT8,
      { "avg_feel", "max_feel", "min_feel" } },
    F4("max_feel", "max_feel"),
    F4("max_drct", "max_drct"),
    FALSE("precip_est"),
    FALSE("tmpf_est"),
    { { "max_gust_localts", FRAME_STAMP, 0, 0 },
      LOCAL_TIME,
      "max_gust_ts",
      OID_TIMESTAMPTZ,
      { "max_gust_ts" } },
    { { "temp_hour", FRAME_HOUR, 0, 0 },
      LOCAL_TIME,
      "coop_valid",
      OID_TIMESTAMPTZ,
      { "coop_valid" } },
    F4("avg_sknt", "avg_sknt"),
    F4("vector_avg_drct", "vector_avg_drct"),
    F4("min_rstage", "min_rstage"),
    F4("max_rstage", "max_rstage"),
    ID("id"),
    NAME,
};

static const struct daily_column climate_columns[] = {
    ID("station"),
    DAY,
    WHOLE("max_tmpf", "high", OID_INT4),
    WHOLE("min_tmpf", "low", OID_INT4),
    FLAG("tmpf_est", "temp_estimated"),
    FLAG("precip_est", "precip_estimated"),
    F4("precip", "precip"),
    NONE("max_gust"),
    F4("snow", "snow"),
    F4("snowd", "snowd"),
    NONE("min_rh"),
    NONE("max_rh"),
    NONE("max_dwpf"),
    NONE("min_dwpf"),
    NONE("min_feel"),
    NONE("avg_feel"),
    NONE("max_feel"),
    NONE("max_gust_localts"),
    NONE("max_drct"),
    NONE("avg_sknt"),
    NONE("vector_avg_drct"),
    NONE("min_rstage"),
    NONE("max_rstage"),
    WHOLE("temp_hour", "temp_hour", OID_INT2),
    ID("id"),
    NAME,
};

static const struct daily_column cocorahs_columns[] = {
    ID("station"),
    DAY,
    F4("precip", "precip"),
    F4("snow", "snow"),
    F4("snow_swe", "snow_swe"),
    F4("snowd", "snowd"),
    F4("snowd_swe", "snowd_swe"),
    ID("id"),
    NAME,
    NONE("max_dwpf"),
    NONE("min_dwpf"),
    NONE("max_tmpf"),
    NONE("min_tmpf"),
    NONE("max_rh"),
    NONE("min_rh"),
    NONE("max_gust"),
    NONE("max_gust_localts"),
    NONE("max_drct"),
    NONE("avg_sknt"),
    NONE("vector_avg_drct"),
    NONE("max_feel"),
    NONE("min_feel"),
    NONE("avg_feel"),
    { { "temp_hour", FRAME_FLOAT, 0, 0 }, LOCAL_HOUR, "obvalid", OID_TIMESTAMPTZ, { "obvalid" } },
};

static const struct daily_kind kinds[] = {
    { "CLIMATE", TABLE_COOP_ALLDATA, false, climate_columns, ARRAY_SIZE(climate_columns) },
    { "COCORAHS", TABLE_COOP_COCORAHS, true, cocorahs_columns, ARRAY_SIZE(cocorahs_columns) },
    { NULL, TABLE_IEM_SUMMARY, true, summary_columns, ARRAY_SIZE(summary_columns) },
};

const struct daily_kind *daily_kind_of(const char *network)
{
    const struct daily_kind *k = kinds;
    while (k->suffix != NULL && !str_ends(network, k->suffix))
        k++;
    return k;
}
