#include "obstream/load/synth_weather.h"

#include "obstream/core/civil.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define YEAR_DAYS 365.2425
#define CLOUDBURST 3.0 /* inches an hour, never reached */

enum field { SLOW, PRESS, MOIST, WET, CLOUD, WIND, TURN, LOCAL, FOG, PLACE };

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Upper quantile of the normal distribution, Abramowitz and Stegun 26.2.23. */
static double normal_quantile(double tail)
{
    double t = sqrt(-2 * log(tail));
    return t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                   (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

static void set_rain(struct synth_climate *c)
{
    double wet = clamp(0.012 + 0.0017 * c->precip, 0.02, 0.11); /* part of the hours */
    double z = normal_quantile(wet);
    double density = exp(-z * z / 2) / sqrt(2 * PI);
    c->threshold = z;
    /* the mean of the squared excess over z of a Gaussian variable; the field's tails are thinner
     */
    c->rate = 1.18 * c->precip / (YEAR_DAYS * 24) / ((1 + z * z) * wet - z * density);
}

/* The Pacific coast is cool and even for its height. */
static void set_ocean(struct synth_climate *c, const char *state)
{
    static const struct {
        char state[3];
        double east, temp, swing;
    } coasts[] = { { "CA", -117, -7, 0.65 },
                   { "OR", -121.5, -1, 0.75 },
                   { "WA", -121.5, -1, 0.75 } };
    for (size_t i = 0; i < sizeof(coasts) / sizeof(coasts[0]); i++)
        if (strcmp(coasts[i].state, state) == 0 && c->lon < coasts[i].east && c->elevation < 150) {
            c->temp += coasts[i].temp;
            c->swing *= coasts[i].swing;
        }
}

void synth_climate_init(struct synth_climate *c, uint64_t seed, const struct fact_station *s)
{
    const struct fact_state *st = fact_state_find(s->state);
    double up = s->elevation > FACT_UNKNOWN ? s->elevation : st->elevation;
    double north = s->lat - st->lat;
    uint64_t place = synth_hash_text(synth_hash(seed, PLACE), s->id);
    double odd = synth_unit(place) - 0.5, odd2 = synth_unit(synth_hash(place, 1)) - 0.5;
    *c = (struct synth_climate){
        .lat = s->lat,
        .lon = s->lon,
        .elevation = up,
        /* 1.5 °F per degree of latitude, 3.3 °F per 1,000 feet */
        .temp = st->temp - 1.5 * north - 0.0108 * (up - st->elevation) + odd,
        .swing = clamp(st->swing + 0.4 * north, 3, 40),
        .daily = clamp(st->daily + 3 * odd2, 10, 34),
        .precip = st->precip * (1 + 0.2 * odd2),
        .wet_month = st->wet_month,
        .wet_strength = st->wet_strength / 100.0,
    };
    c->dryness = 6.5 + 30 * exp(-c->precip / 18);
    c->clear = 0.2 * exp(-c->precip / 15);
    set_rain(c);
    set_ocean(c, s->state);
}

static void init_shape(struct synth_sky *s)
{
    for (int i = 0; i <= SYNTH_DAY_STEPS; i++) {
        double h = 24.0 * i / SYNTH_DAY_STEPS;
        s->day_shape[i] =
            0.9 * cos(2 * PI * (h - 15.2) / 24) + 0.18 * cos(4 * PI * (h - 14.6) / 24);
        s->tide[i] = 0.7 * cos(4 * PI * (h - 10) / 24);
    }
}

void synth_sky_init(struct synth_sky *s, uint64_t seed, const struct fact_station *w)
{
    static const struct {
        enum field field;
        size_t at;
        double cell, hours, drift; /* degrees; hours; hours a degree */
    } fields[] = {
        { SLOW, offsetof(struct synth_sky, slow), 14, 70, 1.2 },
        { PRESS, offsetof(struct synth_sky, press), 11, 28, 1.9 },
        { PRESS, offsetof(struct synth_sky, press3), 11, 28, 1.9 },
        { PRESS, offsetof(struct synth_sky, press6), 11, 28, 1.9 },
        { MOIST, offsetof(struct synth_sky, moist), 8, 36, 1.7 },
        { WET, offsetof(struct synth_sky, wet), 2.5, 5, 1.7 },
        { CLOUD, offsetof(struct synth_sky, cloud), 4, 9, 1.7 },
        { WIND, offsetof(struct synth_sky, wind), 0, 2, 0 },
        { TURN, offsetof(struct synth_sky, turn), 3, 8, 1.7 },
        { LOCAL, offsetof(struct synth_sky, local), 0, 1.5, 0 },
        { FOG, offsetof(struct synth_sky, fog), 0.7, 4, 0 },
    };
    synth_climate_init(&s->climate, seed, w);
    init_shape(s);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        synth_noise_init((struct synth_noise *)((char *)s + fields[i].at),
                         synth_hash(seed, fields[i].field), w->lat, w->lon, fields[i].cell,
                         fields[i].hours * 3600, fields[i].drift * 3600);
}

/* -1 in the coldest days of January, 1 in those of July */
static double season_at(double yday)
{
    return -cos(2 * PI * (yday - 19) / YEAR_DAYS);
}

static double wet_season(const struct synth_climate *c, double yday)
{
    double peak = (c->wet_month - 0.5) * YEAR_DAYS / 12;
    return 1 + c->wet_strength * cos(2 * PI * (yday - peak) / YEAR_DAYS);
}

/* Days since 1 January 1970 taken modulo the mean year: half a day off at most in a century, which
 * no season shows. */
static double year_day(double days)
{
    return days - floor(days / YEAR_DAYS) * YEAR_DAYS;
}

/* A curve over the day at the place's solar time. */
static double solar_curve(const struct synth_sky *s, const double *curve, double days)
{
    double solar = days + s->climate.lon / 360;
    double x = (solar - floor(solar)) * SYNTH_DAY_STEPS;
    int i = (int)x;
    return curve[i] + (x - i) * (curve[i + 1] - curve[i]);
}

/* Summer rain comes in bursts: a log-normal factor of mean 1. */
static double precip_rate(const struct synth_climate *c, double wet, double yday, double local)
{
    double excess = wet - c->threshold;
    if (excess <= 0)
        return 0;
    double burst = 0.45 * (1 + season_at(yday));
    double rate =
        c->rate * excess * excess * wet_season(c, yday) * exp(burst * local - burst * burst / 2);
    return rate / (1 + rate / CLOUDBURST);
}

static void set_wind(struct synth_sky *s, double t, struct synth_air *a)
{
    double noise = synth_noise_at(&s->wind, t), mix = solar_curve(s, s->day_shape, t / 86400);
    /* southerly before the front, northwesterly after it */
    double steer = 0.5 + 0.55 * a->trend / (1 + fabs(a->trend));
    double from = 150 + 180 * steer + 38 * synth_noise_at(&s->turn, t) + 8 * noise;
    a->from = from - floor(from / 360) * 360;
    a->speed = 5.6 + 1.8 * fabs(a->trend) + 3.6 * clamp(mix, 0, 1) + 3 * noise + 0.9 * a->local;
    a->speed *= 1 - 0.5 * a->fog;
    if (a->thunder)
        a->speed += 20 * clamp(a->rate, 0, 1.2);
    a->speed = clamp(a->speed, 0, 75);
    a->gustiness = 1.36 + 0.13 * fabs(a->local) + (a->thunder ? 0.25 : 0);
}

static void set_moisture(double dew, struct synth_air *a)
{
    if (a->rate > 0) { /* rain cools and moistens */
        double soak = 1 - exp(-a->rate / 0.02) * 0.8, gap = clamp(a->temp - dew, 0, 60);
        a->temp -= 0.35 * soak * gap;
        dew = a->temp - (a->temp - dew) * (1 - 0.85 * soak);
    }
    a->dew = clamp(dew, -45, 82);
}

static void set_fog(struct synth_sky *s, double t, struct synth_air *a)
{
    double fog = synth_noise_at(&s->fog, t), gap = a->temp - a->dew;
    if (gap < 0.6)
        a->dew = a->temp - clamp(0.6 - 0.5 * fog, 0, 2);
    gap = a->temp - a->dew;
    a->fog = clamp((2.5 - gap) / 2.5, 0, 1) * clamp(0.2 + 0.4 * fog, 0, 1);
    if (a->rate > 0)
        a->fog *= 0.5;
}

void synth_air_core(struct synth_sky *s, int64_t when, struct synth_air *a)
{
    const struct synth_climate *c = &s->climate;
    double t = (double)when, days = t / 86400, yday = year_day(days);
    double season = season_at(yday), winter = (1 - season) / 2;
    double slow = synth_noise_at(&s->slow, t), press = synth_noise_at(&s->press, t);
    double moist = synth_noise_at(&s->moist, t), local = synth_noise_at(&s->local, t);
    double wet = (0.72 * synth_noise_at(&s->wet, t) - 0.42 * press + 0.55 * moist) * 0.99;
    double high = (4.6 + 0.17 * clamp(c->lat - 25, 0, 35)) * (0.5 + 0.6 * winter);

    *a = (struct synth_air){ .local = local, .press = press, .wave = high };
    a->slp =
        clamp(1015.5 + 2.5 * winter + high * press + 0.25 * local + solar_curve(s, s->tide, days),
              952, 1049);
    a->rate = precip_rate(c, wet, yday, local);
    a->cloud = clamp(
        0.42 + 0.3 * synth_noise_at(&s->cloud, t) - 0.16 * press + 0.14 * moist - c->clear, 0, 1);
    if (a->rate > 0)
        a->cloud = clamp(0.8 + 10 * a->rate, 0, 1);

    double spread = c->swing / 24 * (4 + 6 * winter);
    double mean = c->temp + c->swing * season + 0.015 * (days / YEAR_DAYS - 30) +
                  spread * (0.8 * slow - 0.5 * synth_noise_at(&s->press6, t - 6 * 3600));
    double day = c->daily / 2 * (1.25 - 0.65 * a->cloud) * (1 + 0.1 * season);
    if (c->lat > 58) /* hardly a day in winter */
        day *= 0.35 + 0.65 * (1 - winter);
    a->temp = clamp(mean + day * solar_curve(s, s->day_shape, days) + 0.7 * local, -65, 121);
    a->aloft = 32 + 6 * slow + 5 * moist;
    set_moisture(mean - c->dryness + 5 * moist, a);
    a->thunder = a->rate > 0.07 && a->temp > 55 && moist > 0.2;
}

void synth_air_at(struct synth_sky *s, int64_t when, struct synth_air *a)
{
    double t = (double)when;
    synth_air_core(s, when, a);
    a->trend = a->wave * (a->press - synth_noise_at(&s->press3, t - 3 * 3600));
    set_fog(s, t, a);
    set_wind(s, t, a);
}

void synth_normal_at(const struct synth_climate *c, double yday, struct synth_normal *n)
{
    double season = season_at(yday), mean = c->temp + c->swing * season;
    double day = c->daily / 2 * (1.25 - 0.65 * 0.45) * (1 + 0.1 * season);
    double winter = (1 - season) / 2, spread = c->swing / 24 * (4 + 6 * winter);
    if (c->lat > 58)
        day *= 0.35 + 0.65 * (1 - winter);
    n->high = mean + 1.03 * day + 0.3; /* the afternoon is sharper than the night */
    n->low = mean - 0.8 * day + 0.3;
    n->precip = c->precip / YEAR_DAYS * wet_season(c, yday);
    /* the part of the days whose mean is below freezing, by a logistic curve */
    n->snow = n->precip * 10 / (1 + exp((mean - 31) / (0.6 * spread)));
}

double synth_snow_step(double depth, const struct synth_air *a, double hours, double *fell)
{
    *fell = 0;
    if (a->rate > 0 && a->temp < 33.5)
        *fell = a->rate * hours * clamp(9 + (32 - a->temp) * 0.35, 7, 20);
    depth = (depth + *fell) * (1 - 0.003 * hours);
    if (a->temp > 32.5)
        depth -= ((a->temp - 32) * 0.011 + a->rate * 1.5) * hours;
    return depth < 0.02 ? 0 : depth;
}
