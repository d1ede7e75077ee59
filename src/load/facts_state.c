/* States and zones, and the METAR table put together: see facts.h for the sources. */
#include "facts_private.h"

#include "obstream/core/strutil.h"

static const struct {
    const char *iana;
    int hours;
} zones[] = {
#define FACT_ZONE_ROW(name, iana, hours) { iana, hours },
    FACT_ZONES(FACT_ZONE_ROW)
#undef FACT_ZONE_ROW
};

static const struct fact_state states[] = {
    { "AL", "Alabama", 32.8, -86.8, 150, Z_CENTRAL, 62.8, 17.5, 22, 58.3, 3, 20 },
    { "AZ", "Arizona", 34.3, -111.7, 1250, Z_ARIZONA, 60.3, 19, 28, 13.6, 8, 60 },
    { "AR", "Arkansas", 34.8, -92.4, 200, Z_CENTRAL, 60.4, 20.5, 22, 50.6, 4, 15 },
    { "CA", "California", 37.2, -119.5, 880, Z_PACIFIC, 59.4, 15, 25, 22.2, 1, 95 },
    { "CO", "Colorado", 39.0, -105.5, 2070, Z_MOUNTAIN, 45.1, 21.5, 28, 15.9, 7, 35 },
    { "CT", "Connecticut", 41.6, -72.7, 150, Z_EASTERN, 49, 23, 20, 50.3, 10, 8 },
    { "DE", "Delaware", 39, -75.5, 18, Z_EASTERN, 55.3, 21, 18, 45.7, 8, 10 },
    { "FL", "Florida", 28.6, -82.4, 30, Z_EASTERN, 70.7, 12, 19, 54.5, 7, 65 },
    { "GA", "Georgia", 32.7, -83.4, 180, Z_EASTERN, 63.5, 17.5, 22, 50.7, 7, 12 },
    { "ID", "Idaho", 44.4, -114.6, 1520, Z_MOUNTAIN, 44.4, 21.5, 26, 18.9, 12, 45 },
    { "IL", "Illinois", 40.1, -89.2, 180, Z_CENTRAL, 51.8, 24.5, 19, 39.2, 5, 25 },
    { "IN", "Indiana", 39.9, -86.3, 210, Z_EASTERN, 51.7, 23.5, 19, 41.7, 5, 18 },
    { "IA", "Iowa", 42, -93.5, 335, Z_CENTRAL, 47.8, 27.5, 20, 34, 6, 60 },
    { "KS", "Kansas", 38.5, -98.4, 610, Z_CENTRAL, 54.3, 24.5, 24, 28.9, 6, 60 },
    { "KY", "Kentucky", 37.5, -85.3, 230, Z_EASTERN, 55.6, 21.5, 21, 48.9, 5, 12 },
    { "LA", "Louisiana", 31, -92, 30, Z_CENTRAL, 66.4, 16, 20, 60.1, 1, 10 },
    { "ME", "Maine", 45.4, -69.2, 180, Z_EASTERN, 41, 25, 20, 42.2, 10, 10 },
    { "MD", "Maryland", 39.1, -76.8, 110, Z_EASTERN, 54.2, 21.5, 20, 44.5, 7, 10 },
    { "MA", "Massachusetts", 42.3, -71.8, 150, Z_EASTERN, 47.9, 23, 19, 47.7, 10, 8 },
    { "MI", "Michigan", 44.3, -85.4, 270, Z_EASTERN, 44.4, 24.5, 19, 32.8, 9, 25 },
    { "MN", "Minnesota", 46.3, -94.3, 370, Z_CENTRAL, 41.2, 30.5, 21, 27.3, 6, 65 },
    { "MS", "Mississippi", 32.7, -89.7, 90, Z_CENTRAL, 63.4, 18, 22, 59, 3, 18 },
    { "MO", "Missouri", 38.4, -92.5, 240, Z_CENTRAL, 54.5, 23.5, 21, 42.2, 5, 25 },
    { "MT", "Montana", 47, -109.6, 1040, Z_MOUNTAIN, 42.7, 24, 26, 15.3, 6, 60 },
    { "NE", "Nebraska", 41.5, -99.8, 790, Z_CENTRAL, 48.8, 25.5, 25, 23.6, 6, 65 },
    { "NV", "Nevada", 39.4, -116.6, 1680, Z_PACIFIC, 49.9, 20.5, 30, 9.5, 3, 15 },
    { "NH", "New Hampshire", 43.7, -71.6, 305, Z_EASTERN, 43.8, 24.5, 21, 43.4, 10, 8 },
    { "NJ", "New Jersey", 40.2, -74.7, 76, Z_EASTERN, 52.7, 22, 19, 47.1, 8, 10 },
    { "NM", "New Mexico", 34.4, -106.1, 1740, Z_MOUNTAIN, 53.4, 19.5, 29, 14.6, 8, 65 },
    { "NY", "New York", 42.9, -75.6, 305, Z_EASTERN, 45.4, 24, 20, 41.8, 8, 12 },
    { "NC", "North Carolina", 35.5, -79.4, 210, Z_EASTERN, 59, 18.5, 22, 50.3, 8, 15 },
    { "ND", "North Dakota", 47.5, -100.5, 580, Z_CENTRAL, 40.4, 30, 23, 17.8, 6, 75 },
    { "OH", "Ohio", 40.3, -82.8, 260, Z_EASTERN, 50.7, 23, 20, 39.1, 6, 15 },
    { "OK", "Oklahoma", 35.6, -97.5, 395, Z_CENTRAL, 59.6, 22, 24, 36.5, 5, 45 },
    { "OR", "Oregon", 43.9, -120.6, 1005, Z_PACIFIC, 48.4, 16.5, 24, 27.4, 12, 75 },
    { "PA", "Pennsylvania", 40.9, -77.8, 335, Z_EASTERN, 48.8, 23, 20, 42.9, 7, 12 },
    { "RI", "Rhode Island", 41.6, -71.5, 60, Z_EASTERN, 50.1, 21.5, 18, 47.9, 11, 10 },
    { "SC", "South Carolina", 33.9, -80.9, 107, Z_EASTERN, 62.4, 17.5, 23, 49.8, 8, 18 },
    { "SD", "South Dakota", 44.4, -100.2, 670, Z_CENTRAL, 45.2, 27.5, 24, 20.1, 6, 65 },
    { "TN", "Tennessee", 35.9, -86.4, 275, Z_CENTRAL, 57.6, 20, 21, 54.2, 3, 15 },
    { "TX", "Texas", 31.5, -99.3, 520, Z_CENTRAL, 64.8, 18.5, 23, 28.9, 5, 30 },
    { "UT", "Utah", 39.3, -111.7, 1860, Z_MOUNTAIN, 48.6, 23, 28, 12.2, 3, 15 },
    { "VT", "Vermont", 44.1, -72.7, 305, Z_EASTERN, 42.9, 25, 20, 42.7, 7, 12 },
    { "VA", "Virginia", 37.5, -78.8, 290, Z_EASTERN, 55.1, 20, 22, 44.3, 7, 12 },
    { "WA", "Washington", 47.4, -120.4, 520, Z_PACIFIC, 48.3, 17.5, 21, 38.4, 12, 70 },
    { "WV", "West Virginia", 38.6, -80.6, 460, Z_EASTERN, 51.8, 20.5, 22, 45.2, 7, 15 },
    { "WI", "Wisconsin", 44.6, -89.9, 320, Z_CENTRAL, 43.1, 27, 20, 32.6, 6, 50 },
    { "WY", "Wyoming", 43, -107.5, 2040, Z_MOUNTAIN, 42, 23, 28, 12.9, 5, 50 },
    { "AK", "Alaska", 64.2, -152.5, 580, Z_ALASKA, 26.6, 27, 15, 22.5, 8, 60 },
    { "HI", "Hawaii", 20.8, -156.9, 920, Z_HAWAII, 70, 4, 14, 63.7, 12, 35 },
};

const char *fact_zone_name(enum fact_zone z)
{
    return zones[z].iana;
}

int fact_zone_hours(enum fact_zone z)
{
    return zones[z].hours;
}

size_t fact_state_count(void)
{
    return ARRAY_SIZE(states);
}

const struct fact_state *fact_state(size_t i)
{
    return i < ARRAY_SIZE(states) ? &states[i] : NULL;
}

const struct fact_state *fact_state_find(const char *id)
{
    for (size_t i = 0; i < ARRAY_SIZE(states); i++)
        if (str_eq(states[i].id, id))
            return &states[i];
    return NULL;
}

struct part {
    const struct fact_station *rows;
    const size_t *count;
};

static const struct part parts[] = {
    { fact_metar_1, &fact_metar_1_count }, { fact_metar_2, &fact_metar_2_count },
    { fact_metar_3, &fact_metar_3_count }, { fact_metar_4, &fact_metar_4_count },
    { fact_metar_5, &fact_metar_5_count }, { fact_metar_6, &fact_metar_6_count },
};

size_t fact_metar_count(void)
{
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        n += *parts[i].count;
    return n;
}

const struct fact_station *fact_metar(size_t i)
{
    for (size_t p = 0; p < ARRAY_SIZE(parts); p++) {
        if (i < *parts[p].count)
            return &parts[p].rows[i];
        i -= *parts[p].count;
    }
    return NULL;
}
