/* /api/climodat: daily climate (coop.alldata). */
#include "common.h"

#define F4(n, u, h) COLUMN(n, CELL_FLOAT4, u, COLUMN_EXTRA, h)
#define RAIN(n, h) COLUMN(n, CELL_FLOAT4, "in", COLUMN_TRACE, h)
#define AT(field) offsetof(struct native_params, field)
#define BASE(n, f, d, h)                                                                           \
    {                                                                                              \
        n, NULL, PARAM_NUMBER, AT(f), d, NULL, -100, 200, h, d                                     \
    }

static double cell_number(const struct cell *c)
{
    switch (c->type) {
    case CELL_INT:
        return (double)c->i;
    case CELL_FLOAT4:
        return (double)c->f4;
    case CELL_FLOAT8:
        return c->f8;
    default:
        return __builtin_nan("");
    }
}

/* high and low of the row; false when one is missing. */
static bool high_low(const struct computed *c, const struct cell *cells, double *high, double *low)
{
    *high = cell_number(&cells[c->in[0]]);
    *low = cell_number(&cells[c->in[1]]);
    return *high == *high && *low == *low;
}

static const struct native_params *row_params(const struct computed *c)
{
    const struct api_request *r = c->ctx;
    return r->plan_params;
}

static void cell_avg(const struct computed *c, const struct cell *cells, struct cell *out)
{
    double high, low;
    *out = high_low(c, cells, &high, &low) ? cell_float8((high + low) / 2) : cell_null();
}

/* Growing degree days by the 86/50 method: high and low are held within base and ceiling before
 * they are averaged (McMaster and Wilhelm 1997, method 2). */
static void cell_gdd(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct native_params *p = row_params(c);
    double high, low, base = p->gdd_base.value, ceiling = p->gdd_ceil.value;
    *out = cell_null();
    if (!high_low(c, cells, &high, &low))
        return;
    high = high > ceiling ? ceiling : high < base ? base : high;
    low = low > ceiling ? ceiling : low < base ? base : low;
    *out = cell_float8((high + low) / 2 - base);
}

static void cell_hdd(const struct computed *c, const struct cell *cells, struct cell *out)
{
    double high, low, base = row_params(c)->hdd_base.value;
    *out = cell_null();
    if (high_low(c, cells, &high, &low))
        *out = cell_float8((high + low) / 2 < base ? base - (high + low) / 2 : 0);
}

static void cell_cdd(const struct computed *c, const struct cell *cells, struct cell *out)
{
    double high, low, base = row_params(c)->cdd_base.value;
    *out = cell_null();
    if (high_low(c, cells, &high, &low))
        *out = cell_float8((high + low) / 2 > base ? (high + low) / 2 - base : 0);
}

/* Stress degree days: what the high lies above the base. */
static void cell_sdd(const struct computed *c, const struct cell *cells, struct cell *out)
{
    double high = cell_number(&cells[c->in[0]]), base = row_params(c)->sdd_base.value;
    *out = high == high ? cell_float8(high > base ? high - base : 0) : cell_null();
}

static const struct column columns[] = {
    COLUMN("station", CELL_TEXT, "", 0,
           "climodat id: IA0000 state average, IAC005 climate division, IATDSM threaded station"),
    COLUMN("day", CELL_DAY, "", 0, "date of the observation"),
    COLUMN("high", CELL_INT, "degF", 0, "highest temperature"),
    COLUMN("low", CELL_INT, "degF", 0, "lowest temperature"),
    COMPUTED("avg", CELL_FLOAT8, "degF", 0, cell_avg, "mean of high and low", "high", "low"),
    RAIN("precip", "precipitation"),
    RAIN("snow", "snowfall"),
    RAIN("snowd", "snow depth"),
    COMPUTED("gdd", CELL_FLOAT8, "degF.d", 0, cell_gdd,
             "growing degree days between gdd_base and gdd_ceil", "high", "low"),
    COMPUTED("hdd", CELL_FLOAT8, "degF.d", 0, cell_hdd, "heating degree days below hdd_base",
             "high", "low"),
    COMPUTED("cdd", CELL_FLOAT8, "degF.d", 0, cell_cdd, "cooling degree days above cdd_base",
             "high", "low"),
    COMPUTED("sdd", CELL_FLOAT8, "degF.d", COLUMN_EXTRA, cell_sdd,
             "stress degree days: of the high above sdd_base", "high"),
    COLUMN("temp_estimated", CELL_BOOL, "", 0, "temperatures are estimated"),
    COLUMN("precip_estimated", CELL_BOOL, "", 0, "precipitation is estimated"),
    COLUMN("temp_hour", CELL_INT, "", COLUMN_EXTRA, "local hour of the temperature observation"),
    COLUMN("precip_hour", CELL_INT, "", COLUMN_EXTRA, "local hour of the rain observation"),
    F4("narr_srad", "MJ/m2", "solar radiation, NARR"),
    F4("merra_srad", "MJ/m2", "solar radiation, MERRA"),
    F4("era5land_srad", "MJ/m2", "solar radiation, ERA5-Land"),
    F4("hrrr_srad", "MJ/m2", "solar radiation, HRRR"),
    F4("power_srad", "MJ/m2", "solar radiation, NASA POWER"),
    F4("era5land_soilt4_min", "degF", "lowest soil temperature at 4 inches, ERA5-Land"),
    F4("era5land_soilt4_max", "degF", "highest soil temperature at 4 inches, ERA5-Land"),
    F4("era5land_soilm4_avg", "", "mean soil moisture at 4 inches, ERA5-Land"),
    F4("era5land_soilm1m_avg", "", "mean soil moisture of the top metre, ERA5-Land"),
    F4("nldas_soilt4_avg", "degF", "mean soil temperature at 4 inches, NLDAS"),
    F4("nldas_soilt4_min", "degF", "lowest soil temperature at 4 inches, NLDAS"),
    F4("nldas_soilt4_max", "degF", "highest soil temperature at 4 inches, NLDAS"),
    F4("nldas_soilm4_avg", "", "mean soil moisture at 4 inches, NLDAS"),
    F4("nldas_soilm1m_avg", "", "mean soil moisture of the top metre, NLDAS"),
    STATION_COLUMNS,
};

static const struct param own_params[] = {
    BASE("gdd_base", gdd_base, "50", "base of gdd, degF"),
    BASE("gdd_ceil", gdd_ceil, "86", "ceiling of gdd, degF"),
    BASE("hdd_base", hdd_base, "65", "base of hdd, degF"),
    BASE("cdd_base", cdd_base, "65", "base of cdd, degF"),
    BASE("sdd_base", sdd_base, "86", "base of sdd, degF"),
    { .name = NULL },
};

static const struct param *const params[] = { params_stations, params_time,   params_rows,
                                              own_params,      params_output, NULL };

static const struct archive_spec spec = {
    .table = TABLE_COOP_ALLDATA,
    .station = "station",
    .time = "day",
    .time_is_day = true,
    .tie = "",
    .rows_per_day = 1,
    .row_bytes = 60,
    .belongs = station_reports_climodat,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .fresh = 600, /* days are added once a day */
};

static bool prepare(struct api_request *r)
{
    struct native_params *p = native_read(r);
    if (p == NULL)
        return false;
    r->plan_params = p;
    if (p->gdd_base.set && p->gdd_ceil.set && p->gdd_base.value >= p->gdd_ceil.value)
        fault_add(&r->faults, "gdd_ceil", NULL, "gdd_ceil must lie above gdd_base");
    r->plan = native_plan(r, p, &spec, "");
    return r->plan != NULL;
}

const struct endpoint endpoint_climodat = {
    .path = "/api/climodat",
    .summary = "Daily climate",
    .help = "A century of daily highs, lows, rain and snow of states, climate divisions and "
            "stations.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE,
    .params = params,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .prepare = prepare,
    .examples = { "station=IA0000&sts=2020-01-01&ets=2021-01-01",
                  "station=IATDSM&vars=high,low,gdd&gdd_base=40&sts=2020&ets=2021&format=json",
                  "state=IA&sts=2020-07-01&ets=2020-08-01&units=metric" },
};
