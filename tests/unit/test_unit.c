/* Units: spellings, conversions against published figures, round trips, systems. */
#include "obstream/query/unit.h"

#include "obstream/core/strutil.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* One unit of each quantity. */
static const char *const samples[] = {
    "degC", "delta_degC", "degC.d", "m",    "m/s",  "mm/h", "m2",   "m3",
    "m3/s", "hPa",        "%",      "deg",  "s",    "J/m2", "W/m2", "W",
    "kWh",  "V",          "uS/cm",  "mg/L", "g/m3", "g/kg", "pH",   "JTU",
};

static double convert(const char *from, const char *to, double value)
{
    double scale = NAN, offset = NAN;
    int decimals = -1;
    assert_true(unit_convert(from, to, &scale, &offset, &decimals));
    assert_in_range(decimals, 0, 3);
    return value * scale + offset;
}

struct conversion {
    const char *from, *to;
    double value, expected, tolerance;
};

static const struct conversion conversions[] = {
    { "degF", "degC", 32, 0, 0 },
    { "degF", "degC", -40, -40, 1e-13 },
    { "degC", "degF", 100, 212, 0 },
    { "degC", "degF", 37, 98.6, 1e-13 },
    { "degF", "K", 32, 273.15, 1e-12 },
    { "K", "degF", 0, -459.67, 1e-12 },
    { "K", "degC", 0, -273.15, 0 },
    { "delta_degF", "delta_degC", 9, 5, 0 },
    { "degC.d", "degF.d", 10, 18, 0 },
    { "kcfs", "m3/s", 1, 28.316846592, 1e-14 },
    { "cfs", "m3/s", 1, 0.028316846592, 1e-17 },
    { "kcfs", "cfs", 2.5, 2500, 1e-11 },
    { "L/s", "m3/s", 1000, 1, 0 },
    { "kt", "m/s", 1, 0.514444, 5e-7 },
    { "kt", "km/h", 10, 18.52, 1e-14 },
    { "kt", "mph", 100, 115.077945, 5e-7 },
    { "mph", "m/s", 1, 0.44704, 1e-16 },
    { "ft/s", "m/s", 1, 0.3048, 0 },
    { "inHg", "hPa", 1, 33.86389, 5e-6 },
    { "inHg", "hPa", 29.92, 1013.2075, 5e-5 },
    { "mmHg", "hPa", 760, 1013.25, 5e-4 },
    { "inHg", "mmHg", 1, 25.4, 1e-14 },
    { "kPa", "Pa", 101.325, 101325, 1e-10 },
    { "in", "mm", 1, 25.4, 0 },
    { "in", "cm", 1, 2.54, 1e-15 },
    { "ft", "in", 1, 12, 1e-14 },
    { "ft", "m", 1, 0.3048, 0 },
    { "mi", "ft", 1, 5280, 1e-11 },
    { "mi", "km", 1, 1.609344, 1e-15 },
    { "nmi", "m", 1, 1852, 0 },
    { "in/d", "mm/h", 24, 25.4, 1e-13 },
    { "acre", "ha", 1, 0.40468564224, 1e-15 },
    { "mi2", "acre", 1, 640, 1e-12 },
    { "acre-ft", "m3", 1, 1233.48183754752, 0 },
    { "acre-ft", "ft3", 1, 43560, 1e-10 },
    { "kaf", "hm3", 1, 1.23348183754752, 1e-15 },
    { "ly", "J/m2", 1, 41840, 0 },
    { "kWh/m2", "MJ/m2", 1, 3.6, 1e-15 },
    { "%", "1", 50, 0.5, 0 },
    { "okta", "%", 4, 50, 0 },
    { "10deg", "deg", 27, 270, 0 },
    { "rad", "deg", 3.14159265358979, 180, 1e-12 },
    { "h", "min", 1.5, 90, 0 },
    { "g/m3", "g/ft3", 35.3146667, 1, 1e-8 },
    { "umho/cm", "uS/cm", 7, 7, 0 },
};

static void test_published_figures(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(conversions); i++) {
        const struct conversion *c = &conversions[i];
        double got = convert(c->from, c->to, c->value);
        if (!(fabs(got - c->expected) <= c->tolerance))
            fail_msg("%g %s is %.17g %s, expected %.17g", c->value, c->from, got, c->to,
                     c->expected);
    }
}

static void test_round_trips(void **state)
{
    (void)state;
    size_t pairs = 0;
    for (size_t q = 0; q < ARRAY_SIZE(samples); q++) {
        const char *a, *b;
        for (size_t i = 0; (a = unit_candidate(samples[q], i)) != NULL; i++) {
            for (size_t j = 0; (b = unit_candidate(samples[q], j)) != NULL; j++, pairs++)
                assert_true(fabs(convert(b, a, convert(a, b, 71.3)) - 71.3) < 1e-11);
        }
    }
    assert_true(pairs > 200);
}

/* Names differ in more than case, and no alias of another unit hides one. */
static void test_names(void **state)
{
    (void)state;
    for (size_t q = 0; q < ARRAY_SIZE(samples); q++) {
        const char *name;
        for (size_t i = 0; (name = unit_candidate(samples[q], i)) != NULL; i++) {
            assert_ptr_equal(unit_name(name), name);
            for (size_t other = q + 1; other < ARRAY_SIZE(samples); other++) {
                const char *foreign;
                for (size_t j = 0; (foreign = unit_candidate(samples[other], j)) != NULL; j++)
                    assert_false(str_ieq(name, foreign));
            }
        }
    }
}

struct spelling {
    const char *spelling, *name;
};

static const struct spelling spellings[] = {
    { "F", "degF" },      { "c", "degC" },
    { "DEGF", "degF" },   { "k", "K" },
    { "°F", "degF" },     { "knots", "kt" },
    { "KTS", "kt" },      { "kph", "km/h" },
    { "mb", "hPa" },      { "mbar", "hPa" },
    { "INHG", "inHg" },   { "in_Hg", "inHg" },
    { "inch", "in" },     { "feet", "ft" },
    { "miles", "mi" },    { "ft3/s", "cfs" },
    { "CMS", "m3/s" },    { "m^3/s", "m3/s" },
    { "m s-1", "m/s" },   { "percent", "%" },
    { "degrees", "deg" }, { "acre-feet", "acre-ft" },
    { "af", "acre-ft" },  { "MCM", "hm3" },
    { "mj/m2", "MJ/m2" }, { "w/m2", "W/m2" },
    { "langley", "ly" },  { "µS/cm", "uS/cm" },
};

static void test_spellings(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(spellings); i++)
        assert_string_equal(unit_name(spellings[i].spelling), spellings[i].name);
    assert_null(unit_name(""));
    assert_null(unit_name("|"));
    assert_null(unit_name("C|°C"));
    assert_null(unit_name("furlong"));
    assert_null(unit_name("kno"));
    assert_null(unit_name("knotss"));
}

static void test_refused(void **state)
{
    (void)state;
    double scale = 7, offset = 8;
    int decimals = 9;
    assert_false(unit_convert("degF", "m", &scale, &offset, &decimals));
    assert_false(unit_convert("degF", "delta_degC", &scale, &offset, &decimals));
    assert_false(unit_convert("in", "in/d", &scale, &offset, &decimals));
    assert_false(unit_convert("", "", &scale, &offset, &decimals));
    assert_false(unit_convert("ft", "furlong", &scale, &offset, &decimals));
    assert_true(scale == 7 && offset == 8 && decimals == 9);
}

struct system_case {
    const char *unit, *metric, *us;
};

static const struct system_case system_cases[] = {
    { "degF", "degC", "degF" },
    { "K", "degC", "degF" },
    { "kt", "m/s", "mph" },
    { "m/s", "m/s", "mph" },
    { "inHg", "hPa", "inHg" },
    { "mb", "mb", "inHg" },
    { "mi", "km", "mi" },
    { "in", "mm", "in" },
    { "mm", "mm", "in" },
    { "ft", "m", "ft" },
    { "kcfs", "m3/s", "kcfs" },
    { "m3/s", "m3/s", "cfs" },
    { "kaf", "hm3", "kaf" },
    { "%", "%", "%" },
    { "deg", "deg", "deg" },
    { "MJ/m2", "MJ/m2", "MJ/m2" },
    { "", "", "" },
    { "furlong", "furlong", "furlong" },
};

static void test_systems(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(system_cases); i++) {
        const struct system_case *c = &system_cases[i];
        assert_ptr_equal(unit_in_system(c->unit, UNITS_NATIVE), c->unit);
        assert_string_equal(unit_in_system(c->unit, UNITS_METRIC), c->metric);
        assert_string_equal(unit_in_system(c->unit, UNITS_US), c->us);
    }
}

/* What a system proposes converts, and the system leaves it as it is. */
static void test_systems_are_closed(void **state)
{
    (void)state;
    for (size_t q = 0; q < ARRAY_SIZE(samples); q++) {
        const char *name;
        for (size_t i = 0; (name = unit_candidate(samples[q], i)) != NULL; i++) {
            for (enum unit_system s = UNITS_NATIVE; s <= UNITS_US; s++) {
                const char *target = unit_in_system(name, s);
                convert(name, target, 1);
                assert_ptr_equal(unit_in_system(target, s), target);
            }
        }
    }
}

static void test_candidates(void **state)
{
    (void)state;
    assert_string_equal(unit_candidate("F", 0), "degC");
    assert_string_equal(unit_candidate("F", 1), "degF");
    assert_string_equal(unit_candidate("F", 2), "K");
    assert_null(unit_candidate("F", 3));
    assert_null(unit_candidate("", 0));
    assert_null(unit_candidate("furlong", 0));
    assert_string_equal(str_nearest("m/ss", unit_candidate, "kt"), "m/s");
}

/* They belong to the target, whatever the source. */
static void test_decimals(void **state)
{
    (void)state;
    double scale, offset;
    int decimals;
    assert_true(unit_convert("degF", "degC", &scale, &offset, &decimals));
    assert_int_equal(decimals, 1);
    assert_true(unit_convert("in", "mm", &scale, &offset, &decimals));
    assert_int_equal(decimals, 2);
    assert_true(unit_convert("hPa", "inHg", &scale, &offset, &decimals));
    assert_int_equal(decimals, 2);
    assert_true(unit_convert("m3/s", "kcfs", &scale, &offset, &decimals));
    assert_int_equal(decimals, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_figures),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_systems),
        cmocka_unit_test(test_systems_are_closed),
        cmocka_unit_test(test_candidates),
        cmocka_unit_test(test_decimals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
