/*
 * Real places for the made-up archive; how well each table is sourced stands below.
 *
 * METAR stations: the public PyPI packages airportsdata 20260905 (MIT; id, name, position,
 * elevation, zone) and avwx-engine 1.9.10 (MIT; which of them report METARs). Order: one well-known
 * airport of each contiguous state, other well-known ones, then the rest by size, going round the
 * states. For the well-known ones the NWS office and the county are given. The District of Columbia
 * stands under Virginia, as in the IEM's network VA_ASOS.
 * SHEF sites: NWS location ids, names and positions as published by the National Weather Service,
 * taken from the location table of NOAA's Water Resources Evaluation Service (github.com/NOAA-OWP/
 * wres, U.S. government work); seven Iowa gauges were written down without that table, their
 * positions are rounded and were not checked against it.
 * States: geographic centres, mean elevations and statewide means of temperature and precipitation,
 * rounded general knowledge rather than figures of one publication; amplitudes and phases are
 * fitted by eye. They only shape the weather.
 * COOP sites: cooperative observer stations by their number (state + 4 digits); positions rounded,
 * not checked against NCEI's station history.
 */
#ifndef OBSTREAM_LOAD_FACTS_H
#define OBSTREAM_LOAD_FACTS_H

#include <stddef.h>

/* name, IANA name, standard offset in hours */
#define FACT_ZONES(X)                                                                              \
    X(EASTERN, "America/New_York", -5)                                                             \
    X(CENTRAL, "America/Chicago", -6)                                                              \
    X(MOUNTAIN, "America/Denver", -7)                                                              \
    X(PACIFIC, "America/Los_Angeles", -8)                                                          \
    X(ALASKA, "America/Anchorage", -9)                                                             \
    X(HAWAII, "Pacific/Honolulu", -10)                                                             \
    X(ARIZONA, "America/Phoenix", -7)                                                              \
    X(DETROIT, "America/Detroit", -5)                                                              \
    X(BOISE, "America/Boise", -7)                                                                  \
    X(INDIANA, "America/Indiana/Indianapolis", -5)                                                 \
    X(VINCENNES, "America/Indiana/Vincennes", -5)                                                  \
    X(KNOX, "America/Indiana/Knox", -6)                                                            \
    X(TELL_CITY, "America/Indiana/Tell_City", -6)                                                  \
    X(LOUISVILLE, "America/Kentucky/Louisville", -5)                                               \
    X(MONTICELLO, "America/Kentucky/Monticello", -5)                                               \
    X(MENOMINEE, "America/Menominee", -6)                                                          \
    X(BEULAH, "America/North_Dakota/Beulah", -6)                                                   \
    X(NOME, "America/Nome", -9)                                                                    \
    X(ADAK, "America/Adak", -10)                                                                   \
    X(JUNEAU, "America/Juneau", -9)

#define FACT_ZONE_ENUM(name, iana, hours) Z_##name,
enum fact_zone { FACT_ZONES(FACT_ZONE_ENUM) Z_COUNT };
#undef FACT_ZONE_ENUM

struct fact_station {
    const char *id; /* three letters where the ICAO id is K and these, as the IEM has it */
    const char *name;
    char state[3];
    double lat, lon;
    double elevation; /* metres; FACT_UNKNOWN */
    enum fact_zone zone;
    const char *wfo, *county; /* "" where not known */
};

#define FACT_UNKNOWN (-9999.0)

struct fact_state {
    char id[3];
    const char *name;
    double lat, lon, elevation; /* centre, mean elevation in metres */
    enum fact_zone zone;
    double temp, swing, daily;   /* °F: annual mean, half of July less January, daily range */
    double precip;               /* inches a year */
    int wet_month, wet_strength; /* wettest month, its excess over the mean in percent */
};

const char *fact_zone_name(enum fact_zone z);
int fact_zone_hours(enum fact_zone z);

size_t fact_metar_count(void);
const struct fact_station *fact_metar(size_t i); /* NULL beyond the table */
size_t fact_shef_count(void);
const struct fact_station *fact_shef(size_t i);
size_t fact_coop_count(void);
const struct fact_station *fact_coop(size_t i);
size_t fact_state_count(void); /* the 48 contiguous states first, by id; then AK, HI */
const struct fact_state *fact_state(size_t i);
const struct fact_state *fact_state_find(const char *id); /* NULL when unknown */

enum { FACT_CONTIGUOUS = 48 };

#endif
