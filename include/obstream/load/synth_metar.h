/*
 * One made-up METAR, in the units of the code itself, so that the report's text and the decoded
 * columns come from the same whole numbers and agree exactly.
 *
 * Code form: FMH-1 (Federal Meteorological Handbook 1, 2019), chapter 12. Derived columns: relative
 * humidity from Bolton's (1980) vapour pressure, as the IEM has it; feel is the NWS heat index
 * (Rothfusz regression, adjusted) at 80 °F and more, the NWS wind chill (2001) at 50 °F
 * and less with more than 3 mph of wind, else the temperature.
 */
#ifndef OBSTREAM_LOAD_SYNTH_METAR_H
#define OBSTREAM_LOAD_SYNTH_METAR_H

#include "obstream/core/buf.h"
#include "obstream/load/facts.h"
#include "obstream/load/synth_weather.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    METAR_ABSENT = INT_MIN, /* not reported */
    METAR_TRACE = 0,        /* of an amount; none at all is METAR_ABSENT */
    METAR_LAYERS = 4,
    METAR_WEATHER = 3,
    METAR_VARIABLE = -1, /* wind direction */
};

enum metar_cover { COVER_CLR, COVER_FEW, COVER_SCT, COVER_BKN, COVER_OVC, COVER_VV };

struct metar_obs {
    int64_t t; /* Unix seconds, whole minutes */
    bool special, automatic, tenths, maintain;
    int temp, dew; /* tenths of °C; whole degrees unless `tenths` */
    int from, speed, gust;
    int vis; /* index of metar_visibility() */
    int layers;
    enum metar_cover cover[METAR_LAYERS];
    int height[METAR_LAYERS]; /* hundreds of feet */
    bool cumulonimbus;        /* first broken or overcast layer */
    const char *weather[METAR_WEATHER];
    int weathers;
    int altimeter;                /* hundredths of inHg */
    int slp;                      /* tenths of hPa */
    bool slp_missing;             /* SLPNO */
    int p1, p3, p6, p24;          /* hundredths of an inch */
    int ice1, ice3, ice6;         /* hundredths of an inch */
    int max6, min6, max24, min24; /* tenths of °C */
    int tendency;                 /* tenths of hPa in 3 hours */
    int snow_depth;               /* inches */
    int peak_from, peak;          /* knots */
    int64_t peak_t;
    char events[16]; /* "RAB12", "SNE40"; "" none */
};

/* The header of asos.alldata with its newline. */
extern const char metar_header[];

/* Visibility i: statute miles, and its text ("1 1/2"); NULL beyond the last. */
const char *metar_visibility(int i, double *miles);
int metar_visibility_index(double miles); /* largest not above, at least the first */

/* The report without trailing blank; writes no NUL, returns the end. 256 bytes are enough. */
char *metar_text(char *p, const char *icao, const struct metar_obs *o);

/* A line of asos.alldata; `icao` has four letters, `id` as the table has it. */
void metar_csv(struct buf *out, const char *id, const char *icao, const struct metar_obs *o);

double metar_relative_humidity(double tmpf, double dwpf);       /* percent */
double metar_feels_like(double tmpf, double relh, double sknt); /* °F */
static inline int metar_tenths_f(int tenths_c)                  /* tenths of °F, rounded */
{
    int x = tenths_c * 18 + 3200;
    return x >= 0 ? (x + 5) / 10 : -((-x + 5) / 10);
}

/* All reports of a station from `begin` to before `end` (Unix seconds within one calendar year). */
struct metar_station {
    const struct fact_station *fact;
    char icao[5];
    int minute;     /* of the routine report */
    bool automatic; /* never attended */
    bool awos;      /* whole degrees Celsius, few remarks */
};

void metar_station_init(struct metar_station *s, uint64_t seed, const struct fact_station *f);
void metar_year(const struct metar_station *s, uint64_t seed, int64_t begin, int64_t end,
                void (*emit)(void *ctx, const struct metar_obs *o), void *ctx);

#endif
