/*
 * coop.alldata and its normals. A day is looked at eight times (four for averages); a state's
 * average is the mean of three places in it. Threaded stations observe from midnight to midnight,
 * the others at 7.
 */
#include "obstream/load/synth_parts.h"
#include "obstream/load/synth_weather.h"

#include "obstream/core/civil.h"

#include <math.h>
#include <string.h>

const char synth_coop_header[] =
    "station,day,high,low,precip,snow,sday,year,month,snowd,temp_estimated,precip_estimated,"
    "temp_hour,precip_hour,narr_srad,merra_srad,era5land_srad,hrrr_srad,era5land_soilt4_min,"
    "era5land_soilt4_max,era5land_soilm4_avg,nldas_soilt4_avg,nldas_soilt4_min,nldas_soilt4_max,"
    "nldas_soilm4_avg,era5land_soilm1m_avg,nldas_soilm1m_avg,power_srad\n";

const char synth_normals_header[] =
    "station,valid,high,low,precip,snow,max_high,max_low,min_high,min_low,max_precip,years,gdd32,"
    "gdd41,gdd46,gdd48,gdd50,gdd51,gdd52,sdd86,max_high_yr,max_low_yr,min_high_yr,min_low_yr,"
    "max_precip_yr,max_range,min_range,hdd65,cdd65,srad,sgdd32,sgdd50,sgdd52\n";

enum {
    PLACES = 3,
    LOOKS = 8, /* a day; half of them for each place of an average */
    ROW_ROOM = 256,
    ABSENT = -9999,
};

#define STEADY_RAIN 0.8 /* inches an hour, never reached */

/* Half a degree of spread around a state's centre. */
static const double offsets[PLACES][2] = { { 0, 0 }, { 0.6, 0.8 }, { -0.6, -0.8 } };

struct day {
    double high, low, precip, snow, depth, sun;
};

struct gauge {
    struct synth_climate_site site;
    struct synth_sky sky[PLACES];
    double depth[PLACES];
    int places, hour; /* UTC hour at which its day starts */
    uint64_t key;
};

static void gauge_init(struct gauge *g, const struct synth_plan *p, size_t at)
{
    synth_climate_site(at, &g->site);
    g->places = g->site.kind == CLIMATE_STATE ? PLACES : 1;
    g->key = synth_hash_text(synth_hash(p->o.seed, 95), g->site.id);
    g->hour = (g->site.kind == CLIMATE_THREAD ? 0 : 7 - 24) - fact_zone_hours(g->site.fact.zone);
    g->site.fact.id = g->site.kind == CLIMATE_STATE ? g->site.id : g->site.fact.id;
    for (int i = 0; i < g->places; i++) {
        struct fact_station f = g->site.fact;
        f.lat += offsets[i][0];
        f.lon += offsets[i][1];
        synth_sky_init(&g->sky[i], p->o.seed, &f);
        g->depth[i] = 0;
    }
}

/* Sunshine on the ground, MJ per square metre and day: FAO-56 equations 21, 23 and 35, with the
 * part of the day that is not cloudy in place of measured sunshine. */
static double sunshine(double lat, int yday, double cloud)
{
    double phi = lat * 0.017453292519943295, year = 2 * 3.14159265358979323846 * yday / 365;
    double decl = 0.409 * sin(year - 1.39), x = -tan(phi) * tan(decl);
    double set = acos(x < -1 ? -1 : x > 1 ? 1 : x);
    double ra = 37.59 * (1 + 0.033 * cos(year)) *
                (set * sin(phi) * sin(decl) + cos(phi) * cos(decl) * sin(set));
    return ra * (0.22 + 0.52 * (1 - cloud));
}

static void look_at_day(struct gauge *g, int64_t day, int yday, struct day *d)
{
    *d = (struct day){ 0 };
    /* four looks from 9 on meet the coldest and the warmest hour */
    const int first = g->hour + (g->places > 1 ? 2 : 0);
    double cloud = 0;
    const int looks = g->places > 1 ? LOOKS / 2 : LOOKS;
    for (int i = 0; i < g->places; i++) {
        double high = -999, low = 999;
        for (int k = 0; k < looks; k++) {
            struct synth_air a;
            double hours = 24.0 / looks, fell;
            synth_air_core(&g->sky[i], day * 86400 + (first + k * (24 / looks)) * 3600, &a);
            high = a.temp > high ? a.temp : high;
            low = a.temp < low ? a.temp : low;
            cloud += a.cloud / (looks * g->places);
            /* no burst lasts from one look to the next; the mean stays */
            a.rate *= 1.25 / (1 + a.rate / STEADY_RAIN);
            d->precip += a.rate * hours;
            g->depth[i] = synth_snow_step(g->depth[i], &a, hours, &fell);
            d->snow += fell;
        }
        d->high += high;
        d->low += low;
        d->depth += g->depth[i];
    }
    d->high /= g->places;
    d->low /= g->places;
    d->precip /= g->places;
    d->snow /= g->places;
    d->depth /= g->places;
    d->sun = sunshine(g->site.fact.lat, yday, cloud);
}

/* ---- rows ---- */

static char *put_text(char *p, const char *s)
{
    size_t n = strlen(s);
    memcpy(p, s, n);
    return p + n;
}

static char *put_int(char *p, long v, int width)
{
    char digits[24];
    int n = 0;
    if (v < 0) {
        *p++ = '-';
        v = -v;
    }
    do {
        digits[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v > 0 || n < width);
    while (n > 0)
        *p++ = digits[--n];
    return p;
}

/* v in units of 10^-places, without trailing zeros */
static char *put_scaled(char *p, long v, int places)
{
    static const int units[] = { 1, 10, 100, 1000, 10000 };
    if (v < 0) {
        *p++ = '-';
        v = -v;
    }
    p = put_int(p, v / units[places], 1);
    for (v %= units[places]; v > 0 && v % 10 == 0; places--)
        v /= 10;
    if (v == 0)
        return p;
    *p++ = '.';
    return put_int(p, v, places);
}

/* An amount of rain or snow; what is too little to measure is a trace. */
static char *put_amount(char *p, double v, int places)
{
    static const int units[] = { 1, 10, 100 };
    long x = lround(v * units[places]);
    *p++ = ',';
    if (x == 0 && v > 0.0004)
        return put_text(p, "0.0001");
    return put_scaled(p, x, places);
}

static char *put_day(char *p, int year, int month, int mday)
{
    p = put_int(p, year, 4);
    *p++ = '-';
    p = put_int(p, month, 2);
    *p++ = '-';
    return put_int(p, mday, 2);
}

/* A volunteer misses a day now and then; averages and threads are filled in. */
struct holes {
    bool temp, precip, depth;
};

static char *put_values(char *p, const struct day *d, const struct holes *h)
{
    long high = lround(d->high), low = lround(d->low);
    *p++ = ',';
    if (!h->temp)
        p = put_int(p, high, 1);
    *p++ = ',';
    if (!h->temp)
        p = put_int(p, low < high ? low : high - 1, 1);
    if (h->precip)
        return put_text(p, ",,");
    return put_amount(put_amount(p, d->precip, 2), d->snow, 1);
}

static void put_row(struct buf *out, const struct gauge *g, const struct day *d,
                    const struct holes *h, int64_t day)
{
    char *p = buf_tail(out, ROW_ROOM);
    int year, month, mday;
    bool state = g->site.kind == CLIMATE_STATE, thread = g->site.kind == CLIMATE_THREAD;
    if (p == NULL)
        return;
    civil_from_days(day, &year, &month, &mday);
    p = put_text(p, g->site.id);
    *p++ = ',';
    p = put_values(put_day(p, year, month, mday), d, h);
    *p++ = ',';
    p = put_int(p, month * 100 + mday, 4);
    *p++ = ',';
    p = put_int(p, year, 4);
    *p++ = ',';
    p = put_int(p, month, 1);
    if (h->depth)
        *p++ = ',';
    else
        p = put_amount(p, d->depth, state ? 1 : 0);
    p = put_text(p, state ? ",t,t," : ",f,f,");
    p = put_text(p, thread ? "24,24,,," : "7,7,,,");
    if (year >= 1950) /* where ERA5-Land begins */
        p = put_scaled(p, lround(d->sun * 10000), 4);
    p = put_text(p, ",,,,,,,,,,,\n");
    buf_advance(out, p);
}

static struct holes holes_of(const struct gauge *g, int64_t day)
{
    uint64_t dice = synth_hash(g->key, (uint64_t)day);
    if (g->site.kind != CLIMATE_COOP)
        return (struct holes){ 0 };
    return (struct holes){ .temp = dice % 150 == 0,
                           .precip = (dice >> 16) % 250 == 0,
                           .depth = (dice >> 32) % 40 == 0 };
}

uint64_t synth_make_coop(const struct synth_plan *p, size_t unit, struct buf *out)
{
    struct gauge g;
    int64_t begin = synth_begin(&p->o, p->o.climodat_years);
    int year, month, mday;
    gauge_init(&g, p, p->climodat[unit]);
    civil_from_days(begin, &year, &month, &mday);
    /* the snow of the first winter; and what lies on 1 January depends on no option */
    for (int64_t day = civil_days(year - 1, 8, 1); day < p->o.end; day++) {
        struct day d;
        civil_from_days(day, &year, &month, &mday);
        look_at_day(&g, day, (int)(day - civil_days(year, 1, 1)) + 1, &d);
        struct holes h = holes_of(&g, day);
        if (day >= begin)
            put_row(out, &g, &d, &h, day);
    }
    return (uint64_t)(p->o.end - begin);
}

uint64_t synth_make_normals(const struct synth_plan *p, size_t unit, struct buf *out)
{
    struct gauge g;
    int64_t first = civil_days(2000, 1, 1);
    gauge_init(&g, p, p->climodat[unit]);
    for (int i = 0; i < 366; i++) {
        struct synth_normal n;
        int year, month, mday;
        char *t = buf_tail(out, ROW_ROOM);
        if (t == NULL)
            return 0;
        civil_from_days(first + i, &year, &month, &mday);
        synth_normal_at(&g.sky[0].climate, i, &n);
        t = put_text(t, g.site.id);
        *t++ = ',';
        t = put_day(t, year, month, mday);
        *t++ = ',';
        t = put_scaled(t, lround(n.high * 10), 1);
        *t++ = ',';
        t = put_scaled(t, lround(n.low * 10), 1);
        *t++ = ',';
        t = put_scaled(t, lround(n.precip * 100), 2);
        *t++ = ',';
        t = put_scaled(t, lround(n.snow * 10), 1);
        t = put_text(t, ",,,,,,,,,,,,,,,,,,,,,,,,,,,\n");
        buf_advance(out, t);
    }
    return 366;
}
