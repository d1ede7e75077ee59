/* Distances against values known otherwise. */
#include "obstream/api/distance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define RADIUS 6371.0088

static void near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.9f is not %.9f", got, want);
}

static void test_known(void **state)
{
    (void)state;
    near(distance_km(0, 0, 0, 0), 0, 0);
    near(distance_km(0, 0, 0, 90), M_PI / 2 * RADIUS, 1e-6);
    near(distance_km(0, 0, 0, 180), M_PI * RADIUS, 1e-6);
    near(distance_km(90, 12, -90, 77), M_PI * RADIUS, 1e-6);
    near(distance_km(0, 179.5, 0, -179.5), M_PI / 180 * RADIUS, 1e-6); /* across 180 degrees */
    near(distance_km(60, 0, 60, 1), 2 * RADIUS * asin(0.5 * sin(M_PI / 360)), 1e-6);
    near(distance_km(36.12, -86.67, 33.94, -118.40), 2886.45, 0.1); /* BNA to LAX, published */
    near(distance_km(41.5, -93.6, 41.5 + 1e-7, -93.6), 1.11e-5, 1e-7);
}

static void test_symmetric_and_bounded(void **state)
{
    (void)state;
    for (int lat = -90; lat <= 90; lat += 15) {
        for (int lon = -180; lon <= 180; lon += 15) {
            double there = distance_km(lat, lon, 41.53, -93.65);
            near(distance_km(41.53, -93.65, lat, lon), there, 1e-9);
            assert_true(there >= 0 && there <= M_PI * RADIUS + 1e-6);
        }
    }
}

static void test_unknown_positions(void **state)
{
    (void)state;
    struct station nowhere = { .lon = NAN, .lat = NAN }, here = { .lon = 10, .lat = 50 };
    struct native_params none = { .sort = "station" };
    struct native_params p = { .lat = { true, 50 }, .lon = { true, 10 }, .radius = { true, 0 } };
    assert_true(isnan(station_distance(&none, &here)));
    assert_true(station_within(&none, &nowhere));
    assert_true(isnan(station_distance(&p, &nowhere)));
    assert_false(station_within(&p, &nowhere));
    assert_true(station_within(&p, &here));
    here.lat = 50.001;
    assert_false(station_within(&p, &here));
    near(station_distance_shown(&p, &here), 0.111, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_symmetric_and_bounded),
        cmocka_unit_test(test_unknown_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
