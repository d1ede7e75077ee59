/*
 * The made-up weather: what it is like at a place and time, for any place and time, from a seed.
 *
 * Fields are value noise: Gaussian numbers hashed from (seed, field, grid cell, time step),
 * interpolated smoothly in space and by Catmull-Rom splines in time, and shifted eastward with
 * time. Nothing is carried from one moment to the next, so any year of any station can be made
 * alone.
 *
 * Temperature: annual mean and swing of the state, corrected for latitude and elevation, plus the
 * daily cycle (damped by cloud), plus anomalies that follow the pressure waves. Precipitation:
 * where a Gaussian field exceeds the quantile that leaves the wet fraction of the climate; the
 * excess is scaled so that its mean over a year is the annual total.
 */
#ifndef OBSTREAM_LOAD_SYNTH_WEATHER_H
#define OBSTREAM_LOAD_SYNTH_WEATHER_H

#include "obstream/load/facts.h"

#include <stdbool.h>
#include <stdint.h>

/* A well mixed 64-bit hash of two; chain it for more. */
uint64_t synth_hash(uint64_t a, uint64_t b);
uint64_t synth_hash_text(uint64_t a, const char *text);

/* 0 <= u < 1 of the bits of a hash */
static inline double synth_unit(uint64_t h)
{
    return (double)(h >> 11) * 0x1p-53;
}

/* One field at one place as a function of time. Calls with rising time are cheap. */
struct synth_noise {
    uint64_t cell[4];
    double weight[4];
    double step, shift; /* seconds */
    int64_t node;
    double value[4]; /* at node - 1 .. node + 2 */
};

/* cell: degrees of the grid, 0 for noise of this place alone; drift: seconds a pattern takes to
 * move one degree east. */
void synth_noise_init(struct synth_noise *n, uint64_t key, double lat, double lon, double cell,
                      double step, double drift);
double synth_noise_at(struct synth_noise *n, double t); /* mean 0, variance about 1 */

struct synth_climate {
    double lat, lon, elevation;
    double temp, swing, daily;              /* °F */
    double precip, wet_month, wet_strength; /* inches a year; month 1-12; part of the mean */
    double dryness, clear;  /* °F of dew point depression; part of the sky without cloud */
    double threshold, rate; /* of the wet field, inches an hour per unit of its excess */
};

enum { SYNTH_DAY_STEPS = 96 };

struct synth_sky {
    struct synth_climate climate;
    double day_shape[SYNTH_DAY_STEPS + 1], tide[SYNTH_DAY_STEPS + 1]; /* by solar time */
    struct synth_noise slow, press, press3, press6, moist, wet, cloud, wind, turn, local, fog;
};

/* The state of the air at a moment. */
struct synth_air {
    double temp, dew;   /* °F */
    double slp, trend;  /* hPa; hPa in 3 hours */
    double from, speed; /* degrees, knots */
    double gustiness;   /* factor of speed, more than 1 */
    double cloud;       /* 0 to 1 */
    double rate;        /* inches of water an hour, 0 when dry */
    double fog;         /* 0 none to 1 dense */
    double aloft;       /* °F, warm layer for freezing rain */
    bool thunder;
    double local, press, wave; /* fields the rest is made of; hPa per unit of press */
};

void synth_climate_init(struct synth_climate *c, uint64_t seed, const struct fact_station *s);
void synth_sky_init(struct synth_sky *s, uint64_t seed, const struct fact_station *where);
void synth_air_at(struct synth_sky *s, int64_t t, struct synth_air *air); /* t: Unix seconds */
/* The same without trend, wind and fog, for those who look at temperature and rain only. */
void synth_air_core(struct synth_sky *s, int64_t t, struct synth_air *air);

/* The climate's own expectation for a day of the year (0-365.25): °F and inches a day. */
struct synth_normal {
    double high, low, precip, snow;
};
void synth_normal_at(const struct synth_climate *c, double yday, struct synth_normal *n);

/* Snow on the ground after `hours` of this air; depth in inches. *fell receives new snow. */
double synth_snow_step(double depth, const struct synth_air *a, double hours, double *fell);

#endif
