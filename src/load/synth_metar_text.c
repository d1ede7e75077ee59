/* A METAR as text and as a line of asos.alldata. */
#include "obstream/load/synth_metar.h"

#include "obstream/core/civil.h"

#include <math.h>

const char metar_header[] =
    "station,valid,tmpf,dwpf,drct,sknt,alti,gust,vsby,skyc1,skyc2,skyc3,skyl1,skyl2,skyl3,metar,"
    "skyc4,skyl4,p03i,p06i,p24i,max_tmpf_6hr,min_tmpf_6hr,max_tmpf_24hr,min_tmpf_24hr,mslp,p01i,"
    "wxcodes,report_type,ice_accretion_1hr,ice_accretion_3hr,ice_accretion_6hr,feel,relh,"
    "peak_wind_gust,peak_wind_drct,peak_wind_time,snowdepth,editable\n";

static const struct {
    double miles;
    const char *text;
} visibilities[] = {
    { 0.25, "1/4" },  { 0.5, "1/2" },    { 0.75, "3/4" }, { 1, "1" },       { 1.25, "1 1/4" },
    { 1.5, "1 1/2" }, { 1.75, "1 3/4" }, { 2, "2" },      { 2.5, "2 1/2" }, { 3, "3" },
    { 4, "4" },       { 5, "5" },        { 6, "6" },      { 7, "7" },       { 8, "8" },
    { 9, "9" },       { 10, "10" },
};

static const char *const covers[] = { "CLR", "FEW", "SCT", "BKN", "OVC", "VV" };

enum { VISIBILITIES = sizeof(visibilities) / sizeof(visibilities[0]), LINE_ROOM = 1024 };

const char *metar_visibility(int i, double *miles)
{
    if (i < 0 || i >= VISIBILITIES)
        return NULL;
    *miles = visibilities[i].miles;
    return visibilities[i].text;
}

int metar_visibility_index(double miles)
{
    int i = VISIBILITIES - 1;
    while (i > 0 && visibilities[i].miles > miles)
        i--;
    return i;
}

double metar_relative_humidity(double tmpf, double dwpf)
{
    double t = (tmpf - 32) / 1.8, d = (dwpf - 32) / 1.8;
    return 100 * exp(17.67 * d / (d + 243.5) - 17.67 * t / (t + 243.5));
}

static double heat_index(double t, double r)
{
    double simple = (0.5 * (t + 61 + (t - 68) * 1.2 + r * 0.094) + t) / 2;
    if (simple < 80)
        return simple;
    double h = -42.379 + 2.04901523 * t + 10.14333127 * r - 0.22475541 * t * r -
               6.83783e-3 * t * t - 5.481717e-2 * r * r + 1.22874e-3 * t * t * r +
               8.5282e-4 * t * r * r - 1.99e-6 * t * t * r * r;
    if (r < 13 && t >= 80 && t <= 112)
        h -= (13 - r) / 4 * sqrt((17 - fabs(t - 95)) / 17);
    else if (r > 85 && t >= 80 && t <= 87)
        h += (r - 85) / 10 * ((87 - t) / 5);
    return h;
}

double metar_feels_like(double tmpf, double relh, double sknt)
{
    double mph = sknt * 1.15077945;
    if (tmpf >= 80)
        return heat_index(tmpf, relh);
    if (tmpf > 50 || mph <= 3)
        return tmpf;
    double v = pow(mph, 0.16);
    return 35.74 + 0.6215 * tmpf - 35.75 * v + 0.4275 * tmpf * v;
}

/* ---- small writers: all return the end ---- */

static inline char *put(char *p, const char *s)
{
    while (*s != '\0')
        *p++ = *s++;
    return p;
}

static inline char *put_digits(char *p, int v, int width)
{
    for (int i = width - 1; i >= 0; i--, v /= 10)
        p[i] = (char)('0' + v % 10);
    return p + width;
}

static inline char *put_int(char *p, int v)
{
    if (v < 0) {
        *p++ = '-';
        v = -v;
    }
    int width = 1;
    for (int x = v; x >= 10; x /= 10)
        width++;
    return put_digits(p, v, width);
}

/* v / 10^places without trailing zeros */
static inline char *put_scaled(char *p, int v, int places)
{
    if (v < 0) {
        *p++ = '-';
        v = -v;
    }
    int unit = places == 1 ? 10 : places == 2 ? 100 : 10000;
    p = put_int(p, v / unit);
    int rest = v % unit;
    if (rest == 0)
        return p;
    *p++ = '.';
    p = put_digits(p, rest, places);
    while (p[-1] == '0')
        p--;
    return p;
}

/* ---- the report ---- */

static char *text_wind(char *p, const struct metar_obs *o)
{
    if (o->speed == METAR_ABSENT)
        return p;
    *p++ = ' ';
    p = o->from == METAR_VARIABLE ? put(p, "VRB") : put_digits(p, o->from, 3);
    p = put_digits(p, o->speed, o->speed > 99 ? 3 : 2);
    if (o->gust != METAR_ABSENT) {
        *p++ = 'G';
        p = put_digits(p, o->gust, o->gust > 99 ? 3 : 2);
    }
    return put(p, "KT");
}

static char *text_sky(char *p, const struct metar_obs *o)
{
    bool marked = !o->cumulonimbus;
    for (int i = 0; i < o->layers; i++) {
        *p++ = ' ';
        p = put(p, covers[o->cover[i]]);
        if (o->cover[i] == COVER_CLR)
            continue;
        p = put_digits(p, o->height[i], 3);
        if (!marked && o->cover[i] >= COVER_BKN && o->cover[i] != COVER_VV) {
            p = put(p, "CB");
            marked = true;
        }
    }
    return p;
}

/* Whole degrees, halves towards warm, M for what is below zero before rounding. */
static char *text_degrees(char *p, int tenths)
{
    int whole = tenths + 5 >= 0 ? (tenths + 5) / 10 : -((4 - tenths) / 10);
    if (tenths < 0)
        *p++ = 'M';
    return put_digits(p, whole < 0 ? -whole : whole, 2);
}

static char *text_temp(char *p, const struct metar_obs *o)
{
    if (o->temp == METAR_ABSENT)
        return p;
    *p++ = ' ';
    p = text_degrees(p, o->temp);
    *p++ = '/';
    return o->dew == METAR_ABSENT ? p : text_degrees(p, o->dew);
}

/* 1 and three digits below zero, 0 and three digits else */
static char *text_signed(char *p, int tenths)
{
    *p++ = tenths < 0 ? '1' : '0';
    return put_digits(p, tenths < 0 ? -tenths : tenths, 3);
}

static char *text_amount(char *p, const char *group, int hundredths, int width)
{
    if (hundredths == METAR_ABSENT)
        return p;
    return put_digits(put(p, group), hundredths, width);
}

static char *text_peak(char *p, const struct metar_obs *o)
{
    if (o->peak == METAR_ABSENT)
        return p;
    int minute = (int)((o->peak_t - floor_div(o->peak_t, 86400) * 86400) / 60);
    p = put_digits(put(p, " PK WND "), o->peak_from, 3);
    p = put_digits(p, o->peak, o->peak > 99 ? 3 : 2);
    *p++ = '/';
    return put_digits(p, minute / 60 * 100 + minute % 60, 4);
}

static char *text_pressure(char *p, const struct metar_obs *o)
{
    if (o->slp_missing)
        return put(p, " SLPNO");
    if (o->slp == METAR_ABSENT)
        return p;
    return put_digits(put(p, " SLP"), o->slp % 1000, 3);
}

static char *text_extremes(char *p, const struct metar_obs *o)
{
    if (o->max6 != METAR_ABSENT) {
        p = text_signed(put(p, " 1"), o->max6);
        p = text_signed(put(p, " 2"), o->min6);
    }
    if (o->max24 != METAR_ABSENT)
        p = text_signed(text_signed(put(p, " 4"), o->max24), o->min24);
    if (o->tendency != METAR_ABSENT) {
        int size = o->tendency < 0 ? -o->tendency : o->tendency;
        p = put(p, o->tendency > 0 ? " 52" : o->tendency < 0 ? " 57" : " 54");
        p = put_digits(p, size > 999 ? 999 : size, 3);
    }
    return p;
}

static char *text_remarks(char *p, const struct metar_obs *o)
{
    p = text_peak(put(p, " RMK AO2"), o);
    if (o->events[0] != '\0')
        p = put(put(p, " "), o->events);
    p = text_pressure(p, o);
    p = text_amount(p, " P", o->p1, 4);
    p = text_amount(p, " 6", o->p3, 4); /* never both: the hour tells three from six */
    p = text_amount(p, " 6", o->p6, 4);
    p = text_amount(p, " 7", o->p24, 4);
    p = text_amount(p, " 4/", o->snow_depth, 3);
    p = text_amount(p, " I1", o->ice1, 3);
    p = text_amount(p, " I3", o->ice3, 3);
    p = text_amount(p, " I6", o->ice6, 3);
    if (o->tenths && o->temp != METAR_ABSENT) {
        p = text_signed(put(p, " T"), o->temp);
        if (o->dew != METAR_ABSENT)
            p = text_signed(p, o->dew);
    }
    p = text_extremes(p, o);
    return o->maintain ? put(p, " $") : p;
}

char *metar_text(char *p, const char *icao, const struct metar_obs *o)
{
    int year, month, day;
    int64_t days = floor_div(o->t, 86400);
    int minute = (int)((o->t - days * 86400) / 60);
    civil_from_days(days, &year, &month, &day);
    p = put(p, icao);
    *p++ = ' ';
    p = put_digits(p, day, 2);
    p = put_digits(p, minute / 60 * 100 + minute % 60, 4);
    p = put(p, o->automatic ? "Z AUTO" : "Z");
    p = text_wind(p, o);
    if (o->vis != METAR_ABSENT)
        p = put(put(put(p, " "), visibilities[o->vis].text), "SM");
    for (int i = 0; i < o->weathers; i++)
        p = put(put(p, " "), o->weather[i]);
    p = text_temp(text_sky(p, o), o);
    if (o->altimeter != METAR_ABSENT)
        p = put_digits(put(p, " A"), o->altimeter, 4);
    return text_remarks(p, o);
}

/* ---- the line ---- */

static inline char *field(char *p, int v, int places)
{
    *p++ = ',';
    if (v == METAR_ABSENT)
        return p;
    return places == 0 ? put_int(p, v) : put_scaled(p, v, places);
}

/* An amount in hundredths; a trace is 0.0001. `none`: what stands for no precipitation. */
static char *field_amount(char *p, int v, const char *none)
{
    if (v == METAR_ABSENT)
        return put(put(p, ","), none);
    return v == METAR_TRACE ? put(p, ",0.0001") : field(p, v, 2);
}

static char *field_time(char *p, int64_t t)
{
    int year, month, day;
    int64_t days = floor_div(t, 86400);
    int minute = (int)((t - days * 86400) / 60);
    civil_from_days(days, &year, &month, &day);
    p = put_digits(p, year, 4);
    *p++ = '-';
    p = put_digits(p, month, 2);
    *p++ = '-';
    p = put_digits(p, day, 2);
    *p++ = ' ';
    p = put_digits(p, minute / 60, 2);
    *p++ = ':';
    return put(put_digits(p, minute % 60, 2), ":00+00");
}

static char *field_cover(char *p, const struct metar_obs *o, int i)
{
    *p++ = ',';
    if (i >= o->layers)
        return p;
    p = put(p, covers[o->cover[i]]);
    if (o->cover[i] == COVER_VV)
        *p++ = ' '; /* the column is char(3) */
    return p;
}

static char *field_height(char *p, const struct metar_obs *o, int i)
{
    bool has = i < o->layers && o->cover[i] != COVER_CLR;
    return field(p, has ? o->height[i] * 100 : METAR_ABSENT, 0);
}

static char *field_degrees(char *p, int tenths_c)
{
    return field(p, tenths_c == METAR_ABSENT ? METAR_ABSENT : metar_tenths_f(tenths_c), 1);
}

static char *field_weather(char *p, const struct metar_obs *o)
{
    const char *quote = o->weathers > 1 ? "\"" : "";
    *p++ = ',';
    if (o->weathers == 0)
        return p;
    p = put(put(p, quote), "{");
    for (int i = 0; i < o->weathers; i++)
        p = put(put(p, i > 0 ? "," : ""), o->weather[i]);
    return put(put(p, "}"), quote);
}

static char *fields_derived(char *p, const struct metar_obs *o)
{
    if (o->temp == METAR_ABSENT || o->dew == METAR_ABSENT)
        return put(p, ",,");
    double t = metar_tenths_f(o->temp) / 10.0, d = metar_tenths_f(o->dew) / 10.0;
    double r = metar_relative_humidity(t, d);
    int feel = METAR_ABSENT;
    if (o->speed != METAR_ABSENT)
        feel = (int)lround(metar_feels_like(t, r, o->speed) * 100);
    return field(field(p, feel, 2), (int)lround(r * 100), 2);
}

static char *fields_amounts(char *p, const struct metar_obs *o)
{
    p = field_amount(p, o->p3, "");
    p = field_amount(p, o->p6, "");
    p = field_amount(p, o->p24, "");
    p = field_degrees(field_degrees(p, o->max6), o->min6);
    p = field_degrees(field_degrees(p, o->max24), o->min24);
    p = field(p, o->slp_missing ? METAR_ABSENT : o->slp, 1);
    p = field_amount(p, o->p1, "0");
    p = put(field_weather(p, o), o->special ? ",4" : ",3");
    p = field_amount(p, o->ice1, "");
    p = field_amount(p, o->ice3, "");
    return field_amount(p, o->ice6, "");
}

void metar_csv(struct buf *out, const char *id, const char *icao, const struct metar_obs *o)
{
    char *p = buf_tail(out, LINE_ROOM);
    if (p == NULL)
        return;
    p = field_time(put(put(p, id), ","), o->t);
    p = field_degrees(field_degrees(p, o->temp), o->dew);
    p = field(p, o->from == METAR_VARIABLE ? METAR_ABSENT : o->from, 0);
    p = field(p, o->speed, 0);
    p = field(field(p, o->altimeter, 2), o->gust, 0);
    int vis = o->vis == METAR_ABSENT ? METAR_ABSENT : (int)(visibilities[o->vis].miles * 100);
    p = field(p, vis, 2);
    p = field_cover(field_cover(field_cover(p, o, 0), o, 1), o, 2);
    p = field_height(field_height(field_height(p, o, 0), o, 1), o, 2);
    *p++ = ',';
    p = metar_text(p, icao, o);
    p = field_height(field_cover(p, o, 3), o, 3);
    p = fields_derived(fields_amounts(p, o), o);
    p = field(field(p, o->peak, 0), o->peak == METAR_ABSENT ? METAR_ABSENT : o->peak_from, 0);
    *p++ = ',';
    if (o->peak != METAR_ABSENT)
        p = field_time(p, o->peak_t);
    p = put(field(p, o->snow_depth, 0), ",t\n");
    buf_advance(out, p);
}
