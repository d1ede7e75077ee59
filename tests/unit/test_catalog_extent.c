/* The extents in time that the catalog finds, for each way a table may be made. */
#include "test_catalog.h"

static void extent_is(enum layout_table t, int64_t first, int64_t last)
{
    struct catalog_store *s = catalog_store_new();
    const struct catalog *c = load(s);
    if (c->first[t] != first || c->last[t] != last)
        fail_msg("extent %lld to %lld, expected %lld to %lld", (long long)c->first[t],
                 (long long)c->last[t], (long long)first, (long long)last);
    catalog_put(c);
    catalog_store_free(s);
}

static int64_t at(int year, int month, int day)
{
    return civil_days(year, month, day) * USEC_PER_DAY;
}

static void test_extent_indexed(void **state)
{
    (void)state;
    db_need();
    const enum layout_table t = TABLE_ASOS_ALLDATA;
    db_exec(db_dsn, mesosite_sql);
    db_exec(
        db_dsn,
        "CREATE SCHEMA asos; CREATE TABLE asos.alldata (station varchar(4), valid timestamptz) "
        "PARTITION BY RANGE (valid); CREATE INDEX ON asos.alldata (valid); SET timezone = 'UTC'; "
        "DO $$ BEGIN FOR y IN 1990..2009 LOOP EXECUTE format('CREATE TABLE asos.t%s PARTITION "
        "OF asos.alldata FOR VALUES FROM (%L) TO (%L)', y, y || '-01-01', (y + 1) || '-01-01'); "
        "END LOOP; END $$");
    extent_is(t, 0, 0);
    db_exec(db_dsn, "INSERT INTO asos.alldata VALUES ('A', '1990-05-05'), ('A', '2009-05-05'); "
                    "DELETE FROM asos.alldata"); /* files that are not empty */
    extent_is(t, 0, 0);
    db_exec(db_dsn, "INSERT INTO asos.alldata VALUES ('A', '2001-02-03 00:00+00')");
    extent_is(t, at(2001, 2, 3), at(2001, 2, 3) + 1);
    db_exec(db_dsn, "INSERT INTO asos.alldata SELECT 'B', '2002-01-01+00'::timestamptz + i * "
                    "interval '1 min' FROM generate_series(0, 60000) i");
    extent_is(t, at(2001, 2, 3), at(2002, 1, 1) + 60000 * USEC_PER_MIN + 1);
    db_exec(db_dsn, "CREATE TABLE asos.rest PARTITION OF asos.alldata DEFAULT");
    extent_is(t, at(2001, 2, 3), at(2002, 1, 1) + 60000 * USEC_PER_MIN + 1);
    db_exec(db_dsn, "INSERT INTO asos.alldata VALUES ('C', '2222-01-01 00:00+00')");
    extent_is(t, at(2001, 2, 3), at(2222, 1, 1) + 1);
    db_exec(db_dsn, "INSERT INTO asos.alldata VALUES ('D', '-infinity'), ('D', 'infinity')");
    extent_is(t, INT64_MIN, INT64_MAX);
}

static void test_extent_bounds(void **state)
{
    (void)state;
    db_need();
    const enum layout_table t = TABLE_HADS_RAW;
    db_exec(db_dsn, mesosite_sql);
    db_exec(db_dsn,
            "CREATE SCHEMA hads; CREATE TABLE hads.raw (station varchar(8), valid timestamptz) "
            "PARTITION BY RANGE (valid); SET timezone = 'UTC'; "
            "CREATE TABLE hads.raw2000 PARTITION OF hads.raw FOR VALUES FROM (MINVALUE) TO "
            "('2001-01-01'); "
            "CREATE TABLE hads.raw2001 PARTITION OF hads.raw FOR VALUES FROM ('2001-01-01') TO "
            "('2002-01-01') PARTITION BY RANGE (valid); "
            "CREATE TABLE hads.raw2001_03 PARTITION OF hads.raw2001 FOR VALUES FROM ('2001-03-01') "
            "TO ('2001-04-01'); "
            "CREATE TABLE hads.raw2001_12 PARTITION OF hads.raw2001 FOR VALUES FROM ('2001-12-01') "
            "TO ('2007-01-01') PARTITION BY LIST (station); "
            "CREATE TABLE hads.a PARTITION OF hads.raw2001_12 FOR VALUES IN ('A'); "
            "CREATE TABLE hads.b PARTITION OF hads.raw2001_12 DEFAULT; "
            "INSERT INTO hads.raw VALUES ('A', '2001-03-05'), ('B', '2001-12-24')");
    extent_is(t, at(2001, 3, 5), at(2001, 12, 24) + 1);
    db_exec(db_dsn, "INSERT INTO hads.raw SELECT 'A', '2001-12-02+00'::timestamptz + i * "
                    "interval '1 s' FROM generate_series(1, 60000) i");
    extent_is(t, at(2001, 3, 5), at(2002, 1, 1));               /* too large to read */
    db_exec(db_dsn, "CREATE INDEX ON hads.a (station, valid)"); /* does not help */
    extent_is(t, at(2001, 3, 5), at(2002, 1, 1));
    db_exec(db_dsn, "CREATE INDEX ON hads.a (valid)");
    extent_is(t, at(2001, 3, 5), at(2001, 12, 24) + 1);
    db_exec(db_dsn, "INSERT INTO hads.raw SELECT 'A', '2000-12-02+00'::timestamptz + i * "
                    "interval '1 s' FROM generate_series(1, 60000) i");
    extent_is(t, INT64_MIN, at(2001, 12, 24) + 1);
}

static void test_extent_days(void **state)
{
    (void)state;
    db_need();
    const enum layout_table t = TABLE_COOP_ALLDATA;
    db_exec(db_dsn, mesosite_sql);
    db_exec(db_dsn,
            "CREATE SCHEMA coop; CREATE TABLE coop.alldata (station char(6), day date) "
            "PARTITION BY RANGE (station); "
            "CREATE TABLE coop.ia PARTITION OF coop.alldata FOR VALUES FROM ('IA') TO ('IB'); "
            "CREATE TABLE coop.mn PARTITION OF coop.alldata FOR VALUES FROM ('MN') TO ('MO')");
    extent_is(t, 0, 0);
    db_exec(db_dsn, "INSERT INTO coop.alldata VALUES ('IA0000', '1893-01-01'), "
                    "('MN0000', '2024-02-29')");
    extent_is(t, at(1893, 1, 1), at(2024, 2, 29) + 1);
    db_exec(db_dsn, "INSERT INTO coop.alldata SELECT 'IA0200', '1900-01-01'::date + i "
                    "FROM generate_series(1, 60000) i");
    extent_is(t, INT64_MIN, INT64_MAX);
    db_exec(db_dsn, "CREATE INDEX ON coop.alldata (day)");
    extent_is(t, at(1893, 1, 1), at(1900, 1, 1) + 60000 * USEC_PER_DAY + 1);
    /* by day instead, without index */
    db_exec(db_dsn,
            "DROP TABLE coop.alldata; CREATE TABLE coop.alldata (station char(6), day date) "
            "PARTITION BY RANGE (day); CREATE TABLE coop.y PARTITION OF coop.alldata FOR VALUES "
            "FROM ('1960-01-01') TO ('2060-01-01'); INSERT INTO coop.alldata VALUES "
            "('IA0000', '1969-12-31'), ('IA0000', '2000-01-01')");
    extent_is(t, at(1969, 12, 31), at(2000, 1, 1) + 1);
    db_exec(db_dsn, "INSERT INTO coop.alldata SELECT 'IA0200', '2000-01-01' "
                    "FROM generate_series(1, 60000) i");
    extent_is(t, at(1960, 1, 1), at(2060, 1, 1));
}

static void test_extent_plain(void **state)
{
    (void)state;
    db_need();
    const enum layout_table t = TABLE_HADS_RAW;
    db_exec(db_dsn, mesosite_sql);
    db_exec(db_dsn, "CREATE SCHEMA hads; CREATE TABLE hads.raw (station varchar(8), valid "
                    "timestamptz); CREATE TABLE hads.heir () INHERITS (hads.raw)");
    extent_is(t, 0, 0);
    db_exec(db_dsn, "INSERT INTO hads.heir VALUES ('A', '1999-01-01 00:00+00'); "
                    "INSERT INTO hads.raw VALUES ('A', '2003-01-01 00:00+00'), ('B', NULL)");
    extent_is(t, at(1999, 1, 1), at(2003, 1, 1) + 1);
    db_exec(db_dsn, "INSERT INTO hads.heir SELECT 'A', '2001-01-01+00'::timestamptz + i * "
                    "interval '1 s' FROM generate_series(1, 60000) i");
    extent_is(t, INT64_MIN, INT64_MAX);
    db_exec(db_dsn, "CREATE INDEX ON hads.heir (valid)");
    extent_is(t, at(1999, 1, 1), at(2003, 1, 1) + 1);
    db_exec(db_dsn, "ALTER TABLE hads.raw RENAME TO old; CREATE VIEW hads.raw AS TABLE hads.old");
    extent_is(t, INT64_MIN, INT64_MAX);
    db_exec(db_dsn, "DROP VIEW hads.raw; CREATE TABLE hads.raw (station varchar(8), valid text)");
    extent_is(t, INT64_MIN, INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_extent_indexed, schemas_teardown),
        cmocka_unit_test_teardown(test_extent_bounds, schemas_teardown),
        cmocka_unit_test_teardown(test_extent_days, schemas_teardown),
        cmocka_unit_test_teardown(test_extent_plain, schemas_teardown),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
