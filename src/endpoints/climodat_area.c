/*
 * The 48 contiguous states: land area and climate region.
 *
 * Land areas in square miles: US Census Bureau, "State Area Measurements and Internal Point
 * Coordinates" (2010 census). Regions: the nine of NOAA's National Centers for Environmental
 * Information (NCEI), "U.S. Climate Regions", after T. R. Karl and W. J. Koss, "Regional and
 * National Monthly, Seasonal, and Annual Temperature Weighted by Area, 1895-1983" (1984).
 */
#include "climodat.h"

enum {
    NORTHEAST,
    NORTHERN_ROCKIES,
    NORTHWEST,
    OHIO_VALLEY,
    SOUTH,
    SOUTHEAST,
    SOUTHWEST,
    UPPER_MIDWEST,
    WEST
};

const struct climate_region climate_regions[REGIONS] = {
    [NORTHEAST] = { "northeast", "Northeast" },
    [NORTHERN_ROCKIES] = { "northern_rockies", "Northern Rockies and Plains" },
    [NORTHWEST] = { "northwest", "Northwest" },
    [OHIO_VALLEY] = { "ohio_valley", "Ohio Valley" },
    [SOUTH] = { "south", "South" },
    [SOUTHEAST] = { "southeast", "Southeast" },
    [SOUTHWEST] = { "southwest", "Southwest" },
    [UPPER_MIDWEST] = { "upper_midwest", "Upper Midwest" },
    [WEST] = { "west", "West" },
};

const struct climate_state climate_states[STATES] = {
    { "AL", 50645.33, SOUTHEAST },
    { "AR", 52035.48, SOUTH },
    { "AZ", 113594.08, SOUTHWEST },
    { "CA", 155779.22, WEST },
    { "CO", 103641.89, SOUTHWEST },
    { "CT", 4842.36, NORTHEAST },
    { "DE", 1948.54, NORTHEAST },
    { "FL", 53624.76, SOUTHEAST },
    { "GA", 57513.49, SOUTHEAST },
    { "IA", 55857.13, UPPER_MIDWEST },
    { "ID", 82643.12, NORTHWEST },
    { "IL", 55518.93, OHIO_VALLEY },
    { "IN", 35826.11, OHIO_VALLEY },
    { "KS", 81758.72, SOUTH },
    { "KY", 39486.34, OHIO_VALLEY },
    { "LA", 43203.90, SOUTH },
    { "MA", 7800.06, NORTHEAST },
    { "MD", 9707.24, NORTHEAST },
    { "ME", 30842.92, NORTHEAST },
    { "MI", 56538.90, UPPER_MIDWEST },
    { "MN", 79626.74, UPPER_MIDWEST },
    { "MO", 68741.52, OHIO_VALLEY },
    { "MS", 46923.27, SOUTH },
    { "MT", 145545.80, NORTHERN_ROCKIES },
    { "NC", 48617.91, SOUTHEAST },
    { "ND", 69000.80, NORTHERN_ROCKIES },
    { "NE", 76824.17, NORTHERN_ROCKIES },
    { "NH", 8952.65, NORTHEAST },
    { "NJ", 7354.22, NORTHEAST },
    { "NM", 121298.15, SOUTHWEST },
    { "NV", 109781.18, WEST },
    { "NY", 47126.40, NORTHEAST },
    { "OH", 40860.69, OHIO_VALLEY },
    { "OK", 68594.92, SOUTH },
    { "OR", 95988.01, NORTHWEST },
    { "PA", 44742.70, NORTHEAST },
    { "RI", 1033.81, NORTHEAST },
    { "SC", 30060.70, SOUTHEAST },
    { "SD", 75811.00, NORTHERN_ROCKIES },
    { "TN", 41234.90, OHIO_VALLEY },
    { "TX", 261231.71, SOUTH },
    { "UT", 82169.62, SOUTHWEST },
    { "VA", 39490.09, SOUTHEAST },
    { "VT", 9216.66, NORTHEAST },
    { "WA", 66455.52, NORTHWEST },
    { "WI", 54157.80, UPPER_MIDWEST },
    { "WV", 24038.21, OHIO_VALLEY },
    { "WY", 97093.14, NORTHERN_ROCKIES },
};
