#include "obstream/query/unit.h"

#include "obstream/core/strutil.h"

#include <string.h>
#include <strings.h>

/* Units convert to each other within a quantity; its base unit is named in the comment. */
enum quantity {
    TEMPERATURE,   /* degC */
    DIFFERENCE,    /* delta_degC */
    DEGREE_DAYS,   /* degC.d */
    LENGTH,        /* m */
    SPEED,         /* m/s */
    RATE,          /* mm/h */
    AREA,          /* m2 */
    VOLUME,        /* m3 */
    FLOW,          /* m3/s */
    PRESSURE,      /* hPa */
    RATIO,         /* 1 */
    ANGLE,         /* deg */
    TIME,          /* s */
    IRRADIATION,   /* J/m2 */
    IRRADIANCE,    /* W/m2 */
    POWER,         /* W */
    ENERGY,        /* kWh */
    VOLTAGE,       /* V */
    CONDUCTANCE,   /* uS/cm */
    CONCENTRATION, /* mg/L, in water of 1 kg/L, where 1 mg/L is 1 ppm */
    DENSITY,       /* g/m3 */
    SALINITY,      /* g/kg */
    ACIDITY,       /* pH */
    TURBIDITY,     /* JTU */
};

/* value in base units = (value - zero) * num / den. Two numbers instead of one keep the factors
 * exact in both directions: 9 / 5 is 1.8, but 1 / (5.0 / 9) is not. */
struct unit {
    const char *name;
    const char *aliases; /* between bars */
    enum quantity quantity;
    double num, den, zero;
    int decimals;
    const char *metric, *us; /* NULL: stays as it is */
};

#define MI 1609.344
#define FT3 0.028316846592    /* 0.3048 m cubed */
#define ACRE 4046.8564224     /* 43560 square feet */
#define ACFT 1233.48183754752 /* 43560 cubic feet */
#define MMHG 1.33322387415    /* conventional, 13595.1 kg/m3 * 9.80665 m/s2 * 0.001 m, in hPa */

static const struct unit units[] = {
    { "degC", "C|°C|deg_C|degree_Celsius|Celsius", TEMPERATURE, 1, 1, 0, 1, NULL, "degF" },
    { "degF", "F|°F|deg_F|degree_Fahrenheit|Fahrenheit", TEMPERATURE, 5, 9, 32, 1, "degC", NULL },
    { "K", "degK|Kelvin", TEMPERATURE, 1, 1, 273.15, 1, "degC", "degF" },

    { "delta_degC", "", DIFFERENCE, 1, 1, 0, 1, NULL, "delta_degF" },
    { "delta_degF", "", DIFFERENCE, 5, 9, 0, 1, "delta_degC", NULL },
    { "degC.d", "degC day|degC d", DEGREE_DAYS, 1, 1, 0, 1, NULL, "degF.d" },
    { "degF.d", "degF day|degF d", DEGREE_DAYS, 5, 9, 0, 1, "degC.d", NULL },

    { "mm", "millimeter|millimeters", LENGTH, 1, 1000, 0, 2, NULL, "in" },
    { "cm", "centimeter|centimeters", LENGTH, 1, 100, 0, 1, NULL, "in" },
    { "m", "meter|meters|metre|metres", LENGTH, 1, 1, 0, 2, NULL, "ft" },
    { "km", "kilometer|kilometers", LENGTH, 1000, 1, 0, 2, NULL, "mi" },
    { "in", "inch|inches", LENGTH, 254, 10000, 0, 2, "mm", NULL },
    { "ft", "foot|feet", LENGTH, 3048, 10000, 0, 2, "m", NULL },
    { "kft", "kilofoot|kilofeet", LENGTH, 3048, 10, 0, 2, "km", NULL },
    { "mi", "mile|miles|sm", LENGTH, MI, 1, 0, 2, "km", NULL },
    { "nmi", "nautical_mile", LENGTH, 1852, 1, 0, 2, "km", "mi" },

    { "m/s", "m s-1|m.s-1|mps", SPEED, 1, 1, 0, 1, NULL, "mph" },
    { "km/h", "km h-1|kph|kmh", SPEED, 1000, 3600, 0, 1, NULL, "mph" },
    { "kt", "kts|kn|knot|knots", SPEED, 1852, 3600, 0, 1, "m/s", "mph" },
    { "mph", "mi/h|mi/hr|mile/h", SPEED, MI, 3600, 0, 1, "m/s", NULL },
    { "ft/s", "fps|ft/sec", SPEED, 3048, 10000, 0, 2, "m/s", NULL },

    { "mm/h", "mm/hr|mm h-1", RATE, 1, 1, 0, 2, NULL, "in/h" },
    { "mm/d", "mm/day|mm d-1", RATE, 1, 24, 0, 2, NULL, "in/d" },
    { "in/h", "in/hr|inch/hour", RATE, 254, 10, 0, 2, "mm/h", NULL },
    { "in/d", "in/day|inch/day", RATE, 254, 240, 0, 2, "mm/d", NULL },

    { "m2", "m^2|m²", AREA, 1, 1, 0, 0, NULL, "acre" },
    { "ha", "hectare", AREA, 10000, 1, 0, 2, NULL, "acre" },
    { "km2", "km^2|km²", AREA, 1e6, 1, 0, 3, NULL, "mi2" },
    { "acre", "acres|ac", AREA, ACRE, 1, 0, 2, "ha", NULL },
    { "kacre", "kac|kiloacre", AREA, ACRE * 1000, 1, 0, 3, "km2", NULL },
    { "mi2", "mi^2|mi²|sqmi", AREA, MI *MI, 1, 0, 3, "km2", NULL },

    { "m3", "m^3|m³", VOLUME, 1, 1, 0, 0, NULL, "acre-ft" },
    { "hm3", "MCM|hm^3|hm³|1e6 m3", VOLUME, 1e6, 1, 0, 3, NULL, "kaf" },
    { "ft3", "cubic_feet|ft^3|ft³", VOLUME, FT3, 1, 0, 0, "m3", NULL },
    { "acre-ft", "acre-feet|acre ft|ac-ft|acft|af", VOLUME, ACFT, 1, 0, 1, "m3", NULL },
    { "kaf", "kac-ft|kiloacre-ft", VOLUME, ACFT * 1000, 1, 0, 3, "hm3", NULL },

    { "m3/s", "cms|cumecs|m3 s-1|m^3/s|m³/s", FLOW, 1, 1, 0, 2, NULL, "cfs" },
    { "L/s", "l s-1|liter/s", FLOW, 1, 1000, 0, 1, NULL, "cfs" },
    { "cfs", "ft3/s|ft^3/s|ft³/s", FLOW, FT3, 1, 0, 1, "m3/s", NULL },
    { "kcfs", "kft3/s|1000 cfs", FLOW, FT3 * 1000, 1, 0, 3, "m3/s", NULL },

    { "hPa", "mb|mbar|millibar|millibars", PRESSURE, 1, 1, 0, 1, NULL, "inHg" },
    { "kPa", "kilopascal", PRESSURE, 10, 1, 0, 2, "hPa", "inHg" },
    { "Pa", "pascal", PRESSURE, 1, 100, 0, 0, "hPa", "inHg" },
    { "inHg", "in_Hg|in-Hg|in Hg|inch_Hg", PRESSURE, MMHG * 25.4, 1, 0, 2, "hPa", NULL },
    { "mmHg", "mm_Hg|mm-Hg|mm Hg|torr", PRESSURE, MMHG, 1, 0, 1, "hPa", "inHg" },

    { "1", "fraction", RATIO, 1, 1, 0, 3, NULL, NULL },
    { "%", "percent|pct", RATIO, 1, 100, 0, 1, NULL, NULL },
    { "tenths", "tenth", RATIO, 1, 10, 0, 0, NULL, NULL },
    { "okta", "oktas", RATIO, 1, 8, 0, 0, NULL, NULL },
    { "in/in", "", RATIO, 1, 1, 0, 2, "cm/cm", NULL },
    { "cm/cm", "", RATIO, 1, 1, 0, 2, NULL, "in/in" },

    { "deg", "degree|degrees|°", ANGLE, 1, 1, 0, 0, NULL, NULL },
    { "10deg", "deg10", ANGLE, 10, 1, 0, 0, NULL, NULL },
    { "rad", "radian|radians", ANGLE, 57.295779513082320877, 1, 0, 3, NULL, NULL },

    { "s", "sec|second|seconds", TIME, 1, 1, 0, 0, NULL, NULL },
    { "min", "minute|minutes", TIME, 60, 1, 0, 1, NULL, NULL },
    { "h", "hr|hour|hours", TIME, 3600, 1, 0, 2, NULL, NULL },
    { "d", "day|days", TIME, 86400, 1, 0, 3, NULL, NULL },

    { "J/m2", "J m-2|J/m^2|J/m²", IRRADIATION, 1, 1, 0, 0, NULL, NULL },
    { "kJ/m2", "kJ m-2|kJ/m^2|kJ/m²", IRRADIATION, 1000, 1, 0, 1, NULL, NULL },
    { "MJ/m2", "MJ m-2|MJ/m^2|MJ/m²", IRRADIATION, 1e6, 1, 0, 2, NULL, NULL },
    { "kWh/m2", "kWh m-2|kWh/m^2|kWh/m²", IRRADIATION, 3.6e6, 1, 0, 3, NULL, NULL },
    { "ly", "langley|langleys", IRRADIATION, 41840, 1, 0, 1, "MJ/m2", NULL },
    { "W/m2", "W m-2|W/m^2|W/m²", IRRADIANCE, 1, 1, 0, 1, NULL, NULL },

    { "W", "watt|watts", POWER, 1, 1, 0, 1, NULL, NULL },
    { "kW", "kilowatt|kilowatts", POWER, 1000, 1, 0, 2, NULL, NULL },
    { "MW", "megawatt|megawatts", POWER, 1e6, 1, 0, 1, NULL, NULL },
    { "kWh", "kilowatt-hour|kilowatt-hours", ENERGY, 1, 1, 0, 1, NULL, NULL },
    { "MWh", "megawatt-hour|megawatt-hours", ENERGY, 1000, 1, 0, 1, NULL, NULL },
    { "V", "volt|volts", VOLTAGE, 1, 1, 0, 2, NULL, NULL },
    { "mV", "millivolt|millivolts", VOLTAGE, 1, 1000, 0, 0, NULL, NULL },

    { "uS/cm", "µS/cm", CONDUCTANCE, 1, 1, 0, 0, NULL, "umho/cm" },
    { "umho/cm", "umhos/cm|µmho/cm", CONDUCTANCE, 1, 1, 0, 0, "uS/cm", NULL },
    { "mg/L", "mg l-1", CONCENTRATION, 1, 1, 0, 2, NULL, "ppm" },
    { "ug/L", "µg/L", CONCENTRATION, 1, 1000, 0, 2, NULL, "ppb" },
    { "ppm", "", CONCENTRATION, 1, 1, 0, 2, "mg/L", NULL },
    { "ppb", "", CONCENTRATION, 1, 1000, 0, 2, "ug/L", NULL },
    { "g/m3", "g m-3|g/m^3|g/m³", DENSITY, 1, 1, 0, 2, NULL, "g/ft3" },
    { "g/ft3", "g/ft^3|g/ft³", DENSITY, 1, FT3, 0, 3, "g/m3", NULL },
    { "g/kg", "ppth", SALINITY, 1, 1, 0, 2, NULL, NULL },
    { "pH", "", ACIDITY, 1, 1, 0, 2, NULL, NULL },
    { "JTU", "", TURBIDITY, 1, 1, 0, 1, NULL, NULL },
};

static bool listed(const char *aliases, const char *spelling)
{
    size_t len = strlen(spelling);
    while (*aliases != '\0') {
        size_t n = strcspn(aliases, "|");
        if (n == len && strncasecmp(aliases, spelling, n) == 0)
            return true;
        aliases += n + (aliases[n] == '|');
    }
    return false;
}

static const struct unit *find(const char *spelling)
{
    if (*spelling == '\0')
        return NULL;
    for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
        if (str_ieq(units[i].name, spelling) || listed(units[i].aliases, spelling))
            return &units[i];
    }
    return NULL;
}

const char *unit_name(const char *spelling)
{
    const struct unit *u = find(spelling);
    return u != NULL ? u->name : NULL;
}

bool unit_convert(const char *from, const char *to, double *scale, double *offset, int *decimals)
{
    const struct unit *a = find(from), *b = find(to);
    if (a == NULL || b == NULL || a->quantity != b->quantity)
        return false;
    *scale = a->num * b->den / (a->den * b->num);
    *offset = b->zero - a->zero * *scale;
    *decimals = b->decimals;
    return true;
}

const char *unit_in_system(const char *unit, enum unit_system system)
{
    const struct unit *u = find(unit);
    if (u == NULL || system == UNITS_NATIVE)
        return unit;
    const char *other = system == UNITS_METRIC ? u->metric : u->us;
    return other != NULL ? other : unit;
}

const char *unit_candidate(const void *from, size_t i)
{
    const struct unit *u = find(from);
    if (u == NULL)
        return NULL;
    for (size_t k = 0; k < ARRAY_SIZE(units); k++) {
        if (units[k].quantity == u->quantity && i-- == 0)
            return units[k].name;
    }
    return NULL;
}
