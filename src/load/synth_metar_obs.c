/* From the state of the air to what a station reports of it. */
#include "synth_metar_private.h"

#include "obstream/core/civil.h"

#include <math.h>

enum precip_kind { DRY, DRIZZLE, RAIN, FREEZING, SNOW };

static const char *const precip_text[][3] = {
    [DRIZZLE] = { "-DZ", "DZ", "+DZ" },
    [RAIN] = { "-RA", "RA", "+RA" },
    [FREEZING] = { "-FZRA", "FZRA", "+FZRA" },
    [SNOW] = { "-SN", "SN", "+SN" },
};
static const char *const thunder_text[] = { "-TSRA", "TSRA", "+TSRA" };
static const char *const event_text[] = {
    [DRIZZLE] = "DZ", [RAIN] = "RA", [FREEZING] = "FZRA", [SNOW] = "SN"
};

const char *metar_event_name(int kind)
{
    return event_text[kind];
}

static int precip_kind(const struct synth_air *a, const struct metar_obs *o)
{
    bool freezing = o->temp != METAR_ABSENT ? o->temp <= 0 : a->temp <= 32;
    if (a->rate <= 0)
        return DRY;
    if (freezing && a->aloft > 34 && a->temp > 20)
        return FREEZING;
    if (a->temp < (a->aloft < 33 ? 34.5 : 32.4))
        return SNOW;
    return a->rate < 0.004 && a->temp < 62 ? DRIZZLE : RAIN;
}

static void set_temps(const struct metar_station *s, const struct synth_air *a, struct metar_obs *o)
{
    double unit = s->awos ? 1.8 : 1; /* ASOS measures whole °F, AWOS reports whole °C */
    double t = a->temp - 32, d = a->dew - 32;
    long ft = lround(t / unit), fd = lround(d / unit);
    if (fd > ft)
        fd = ft;
    o->temp = (int)lround((double)ft * unit / 0.18);
    o->dew = (int)lround((double)fd * unit / 0.18);
    o->tenths = !s->awos;
}

static void set_wind(const struct synth_air *a, uint64_t dice, struct metar_obs *o)
{
    int from = (int)lround(a->from / 10) * 10;
    o->speed = (int)lround(a->speed);
    o->from = from == 0 ? 360 : from;
    o->gust = METAR_ABSENT;
    if (o->speed < 3) {
        o->speed = o->from = 0;
        return;
    }
    if (o->speed <= 6 && (dice & 15) == 0)
        o->from = METAR_VARIABLE;
    int gust = (int)lround(a->speed * a->gustiness);
    if (gust >= 16 && gust >= o->speed + 7)
        o->gust = gust;
}

static double visibility(const struct synth_air *a, int kind)
{
    double v = 10;
    if (a->fog > 0)
        v = 10 * pow(1 - a->fog, 2.4);
    double rain = 10 / (1 + a->rate * (kind == SNOW ? 200 : 14));
    return kind != DRY && rain < v ? rain : v;
}

static void add_weather(struct metar_obs *o, const char *code)
{
    if (o->weathers < METAR_WEATHER)
        o->weather[o->weathers++] = code;
}

static int intensity(const struct synth_air *a, int kind, double miles)
{
    if (kind == SNOW || kind == DRIZZLE)
        return miles > 0.5 ? 0 : miles > 0.25 ? 1 : 2;
    return a->rate < 0.1 ? 0 : a->rate < 0.3 ? 1 : 2;
}

static void set_weather(const struct synth_air *a, double snow, uint64_t dice, struct metar_obs *o,
                        int kind)
{
    double miles, damp = a->temp - a->dew;
    bool haze = kind == DRY && a->fog <= 0 && a->temp > 84 && damp < 16 && (dice >> 8 & 3) == 0;
    o->vis = metar_visibility_index(haze ? 5 : visibility(a, kind));
    metar_visibility(o->vis, &miles);
    o->weathers = 0;
    if (kind == RAIN && a->thunder)
        add_weather(o, thunder_text[intensity(a, kind, miles)]);
    else if (kind != DRY)
        add_weather(o, precip_text[kind][intensity(a, kind, miles)]);
    if (miles < 0.6 && a->fog > 0.3)
        add_weather(o, o->temp != METAR_ABSENT && o->temp < 0 ? "FZFG" : "FG");
    else if (miles < 7 && damp < 4.5)
        add_weather(o, "BR");
    else if (miles < 7 && kind == DRY)
        add_weather(o, "HZ");
    if (kind == SNOW && snow > 1 && a->speed > 22 && miles < 7)
        add_weather(o, "BLSN");
}

/* ASOS reports by 100 feet up to 5,000, by 500 up to 10,000, by 1,000 above. */
static int round_height(double hundreds, int limit)
{
    int step = hundreds <= 50 ? 1 : hundreds <= 100 ? 5 : 10;
    int h = (int)lround(hundreds / step) * step;
    return h < 1 ? 1 : h > limit ? limit : h;
}

static enum metar_cover cover_of(double cloud)
{
    return cloud < 0.32   ? COVER_FEW
           : cloud < 0.52 ? COVER_SCT
           : cloud < 0.78 ? COVER_BKN
                          : COVER_OVC;
}

static void set_sky(const struct synth_air *a, uint64_t dice, struct metar_obs *o)
{
    double miles = 10, gap = a->temp - a->dew;
    if (o->vis != METAR_ABSENT)
        metar_visibility(o->vis, &miles);
    o->cumulonimbus = a->thunder && !o->automatic;
    o->layers = 1;
    if (miles <= 0.25) {
        o->cover[0] = COVER_VV;
        o->height[0] = 1 + (int)(dice >> 16 & 3);
        return;
    }
    o->cover[0] = COVER_CLR;
    if (a->cloud < 0.14)
        return;
    int limit = o->automatic ? 120 : 250, most = o->automatic ? 3 : METAR_LAYERS;
    double least = a->fog > 0.1 ? 1 : 4;
    double base = (gap < least ? least : gap) * 2.3 * (0.8 + (double)(dice >> 20 & 7) / 12);
    int n = 1 + (a->cloud > 0.4) + (a->cloud > 0.6 && dice >> 24 & 1) + (a->cloud > 0.7);
    if (n > most)
        n = most;
    o->layers = 0;
    for (int i = 0; i < n; i++) {
        int h = round_height(base, limit);
        enum metar_cover c = cover_of(a->cloud * (0.55 + 0.45 * (i + 1) / n));
        if (o->layers > 0 && h <= o->height[o->layers - 1])
            break;
        o->cover[o->layers] = c;
        o->height[o->layers++] = h;
        if (c == COVER_OVC)
            break;
        base = base * 1.7 + 9;
    }
}

static void set_pressure(const struct metar_station *s, const struct synth_air *a,
                         struct metar_obs *o)
{
    /* Reduction to the station by the hypsometric equation, altimeter setting by the standard
     * atmosphere (NWS, "altimeter setting"). */
    double z = s->fact->elevation, n = 0.190263;
    double warm = (a->temp - 32) / 1.8 + 273.15 + 2;
    double p = a->slp * exp(-z / (29.27 * warm));
    double k = 8.417286e-5; /* 1013.25^n * 0.0065 / 288.15 */
    double alti = pow(pow(p, n) + k * z, 1 / n);
    o->slp = s->awos ? METAR_ABSENT : (int)lround(a->slp * 10);
    o->altimeter = (int)lround(alti * 2.95299831);
}

/* Now and then an instrument is out. */
void metar_drop_some(uint64_t dice, struct metar_obs *o)
{
    unsigned d = (unsigned)(dice >> 40 & 0xfff);
    if (d < 8) {
        o->temp = o->dew = METAR_ABSENT;
    } else if (d < 16) {
        o->dew = METAR_ABSENT;
    } else if (d < 28) {
        o->speed = o->from = o->gust = METAR_ABSENT;
    } else if (d < 34) {
        o->vis = METAR_ABSENT;
    } else if (d < 40) {
        o->altimeter = METAR_ABSENT;
    } else if (d < 60) {
        o->slp_missing = o->slp != METAR_ABSENT;
    }
    o->maintain = d > 0xfd0;
}

int metar_observe(const struct metar_station *s, const struct synth_air *a, double snow,
                  uint64_t dice, struct metar_obs *o)
{
    *o = (struct metar_obs){ .automatic = s->automatic };
    int *absent[] = { &o->p1,    &o->p3,       &o->p6,   &o->p24,       &o->ice1,
                      &o->ice3,  &o->ice6,     &o->max6, &o->min6,      &o->max24,
                      &o->min24, &o->tendency, &o->peak, &o->snow_depth };
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
        *absent[i] = METAR_ABSENT;
    set_temps(s, a, o);
    set_wind(a, dice, o);
    int kind = precip_kind(a, o);
    set_weather(a, snow, dice, o, kind);
    set_sky(a, dice, o);
    set_pressure(s, a, o);
    return kind;
}
