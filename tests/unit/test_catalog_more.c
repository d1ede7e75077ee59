/* What the catalog keeps for the metadata services: further columns, attributes, extents. */
#include "test_catalog.h"

#include <math.h>

static const char more_sql[] =
    "ALTER TABLE mesosite.stations ADD metasite boolean, ADD modified timestamptz, "
    "ADD remote_id int4, ADD spri int2, ADD temp24_hour int2, ADD sigstage_flood real, "
    "ADD sigstage_record real; "
    "UPDATE mesosite.stations SET metasite = false, modified = '2024-06-15 12:34:56.789012+00', "
    "remote_id = -4, spri = 2, temp24_hour = 7, sigstage_flood = 18.1, params = 'tmpf,dwpf' "
    "WHERE iemid = 7; "
    "CREATE TABLE mesosite.station_attributes (iemid int4, attr varchar, value varchar); "
    "INSERT INTO mesosite.station_attributes VALUES (8, 'X', '1'), (7, 'HASTAF', NULL), "
    "(7, 'HAS1MIN', '1'), (NULL, 'Y', '2'), (7, NULL, '3')";

static void test_columns(void **state)
{
    (void)state;
    db_need();
    db_exec(db_dsn, mesosite_sql);
    db_exec(db_dsn, more_sql);
    struct catalog_store *s = catalog_store_new();
    const struct catalog *c = load(s);
    const struct station *full = catalog_station(c, "DSM", 3, NULL) + 1;
    assert_string_equal(full->network, "IA_ASOS");
    assert_string_equal(full->params, "tmpf,dwpf");
    assert_true(full->metasite == 0 && full->online_value == 1 && full->online);
    assert_true(full->remote_id == -4 && full->spri == 2 && full->temp24_hour == 7);
    assert_true(full->sigstage[3] == 18.1 && isnan(full->sigstage[0]) && isnan(full->sigstage[6]));
    assert_int_equal(full->modified, civil_days(2024, 6, 15) * USEC_PER_DAY + 12 * USEC_PER_HOUR +
                                         34 * USEC_PER_MIN + 56789012);
    const struct station *bare = full + 1;
    assert_string_equal(bare->network, "IA_COOP");
    assert_true(bare->metasite == INT64_MIN && bare->online_value == INT64_MIN && !bare->online);
    assert_true(bare->modified == INT64_MIN && bare->nwn_id == INT64_MIN);
    catalog_put(c);
    catalog_store_free(s);
}

static void test_attributes(void **state)
{
    (void)state;
    db_need();
    size_t n;
    db_exec(db_dsn, mesosite_sql);
    struct catalog_store *s = catalog_store_new();
    const struct catalog *c = load(s);
    assert_null(catalog_attributes(c, 7, &n)); /* no such table */
    assert_int_equal(n, 0);
    catalog_put(c);
    db_exec(db_dsn, more_sql);
    c = load(s);
    const struct station_attribute *a = catalog_attributes(c, 7, &n);
    assert_int_equal(n, 2);
    assert_string_equal(a[0].attr, "HAS1MIN");
    assert_string_equal(a[0].value, "1");
    assert_string_equal(a[1].attr, "HASTAF");
    assert_null(a[1].value);
    assert_non_null(catalog_attributes(c, 8, &n));
    assert_null(catalog_attributes(c, 9, &n));
    assert_null(catalog_attributes(c, INT64_MIN, &n));
    assert_int_equal(n, 0);
    catalog_put(c);
    catalog_store_free(s);
}

/* PostGIS is not needed: any functions of these names will do. */
static void test_extents(void **state)
{
    (void)state;
    db_need();
    db_exec(db_dsn, mesosite_sql);
    db_exec(db_dsn, "ALTER TABLE mesosite.networks ADD extent_wkt text, ADD extent_ewkb_hex text, "
                    "ADD windrose_update timestamptz; UPDATE mesosite.networks SET "
                    "extent_wkt = 'POLYGON((1 2,3 4,1 2))', extent_ewkb_hex = '0103ab', "
                    "windrose_update = '2022-05-26 00:00+00' WHERE id = 'IA_ASOS'");
    struct catalog_store *s = catalog_store_new();
    const struct catalog *c = load(s);
    const struct network *n = catalog_network(c, "IA_ASOS");
    assert_string_equal(n->extent_wkt, "POLYGON((1 2,3 4,1 2))");
    assert_string_equal(n->extent_hex, "0103AB");
    assert_int_equal(n->windrose_update, civil_days(2022, 5, 26) * USEC_PER_DAY);
    n = catalog_network(c, "EMPTY");
    assert_true(n->extent_wkt == NULL && n->windrose_update == INT64_MIN);
    catalog_put(c);
    db_exec(db_dsn,
            "ALTER TABLE mesosite.networks DROP extent_wkt, DROP extent_ewkb_hex, ADD extent box; "
            "UPDATE mesosite.networks SET extent = '(1,2),(3,4)' WHERE id = 'IA_COOP'; "
            "CREATE FUNCTION st_astext(b box) RETURNS text LANGUAGE sql AS 'SELECT b::text'; "
            "CREATE FUNCTION st_asewkb(b box) RETURNS bytea LANGUAGE sql AS "
            "'SELECT decode(''00ab'', ''hex'')'");
    c = load(s);
    n = catalog_network(c, "IA_COOP");
    assert_string_equal(n->extent_wkt, "(3,4),(1,2)");
    assert_string_equal(n->extent_hex, "00AB");
    catalog_put(c);
    catalog_store_free(s);
    db_exec(db_dsn, "DROP FUNCTION st_astext(box); DROP FUNCTION st_asewkb(box)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_columns, schemas_teardown),
        cmocka_unit_test_teardown(test_attributes, schemas_teardown),
        cmocka_unit_test_teardown(test_extents, schemas_teardown),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
