/* copy.h and layout.h against a server. */
#include "test_db.h"

#include "obstream/core/civil.h"
#include "obstream/db/layout.h"

#include <math.h>
#include <pthread.h>

static struct pool *pool;

static void text_is(const struct cell *c, const char *want)
{
    assert_int_equal(c->type, CELL_TEXT);
    assert_int_equal(c->len, strlen(want));
    assert_memory_equal(c->s, want, c->len);
}

static void int_is(const struct cell *c, enum cell_type type, int64_t want)
{
    assert_int_equal(c->type, type);
    assert_true(c->i == want);
}

static void row_get(struct copy *copy, struct cell *cells)
{
    struct err e = ERR_INIT;
    if (copy_next(copy, cells, &e) != ROWS_ROW)
        fail_msg("no row: %s", e.msg);
}

static void begin(struct copy *copy, struct conn *c, const char *sql, const Oid *oids, unsigned n)
{
    struct err e = ERR_INIT;
    if (!copy_begin(copy, c, sql, oids, n, &e))
        fail_msg("%s", e.msg);
}

static void end_is_near(struct copy *copy, struct cell *cells)
{
    struct err e = ERR_INIT;
    assert_int_equal(copy_next(copy, cells, &e), ROWS_END);
    assert_int_equal(copy_next(copy, cells, &e), ROWS_END);
    copy_end(copy);
    assert_false(copy->broken);
}

static void test_numbers(void **state)
{
    (void)state;
    db_need();
    static const Oid oids[] = { OID_FLOAT4, OID_FLOAT8, OID_INT2, OID_INT4, OID_INT8, OID_BOOL };
    struct conn *c = db_lease(pool);
    struct copy copy;
    struct cell v[6];
    begin(&copy, c,
          "SELECT 29.925::float4, -0.1::float8, (-32768)::int2, (-2147483648)::int4, "
          "(-9223372036854775807 - 1)::int8, true UNION ALL "
          "SELECT 'NaN', '-Infinity', '32767', 2147483647, 9223372036854775807, false UNION ALL "
          "SELECT NULL, NULL, NULL, NULL, NULL, NULL",
          oids, 6);
    row_get(&copy, v);
    assert_int_equal(v[0].type, CELL_FLOAT4);
    assert_true(v[0].f4 == 29.925f);
    assert_int_equal(v[1].type, CELL_FLOAT8);
    assert_true(v[1].f8 == -0.1);
    int_is(&v[2], CELL_INT, INT16_MIN);
    int_is(&v[3], CELL_INT, INT32_MIN);
    int_is(&v[4], CELL_INT, INT64_MIN);
    int_is(&v[5], CELL_BOOL, 1);
    row_get(&copy, v);
    assert_true(isnan(v[0].f4));
    assert_true(isinf(v[1].f8) && v[1].f8 < 0);
    int_is(&v[2], CELL_INT, INT16_MAX);
    int_is(&v[3], CELL_INT, INT32_MAX);
    int_is(&v[4], CELL_INT, INT64_MAX);
    int_is(&v[5], CELL_BOOL, 0);
    row_get(&copy, v);
    for (int i = 0; i < 6; i++)
        assert_int_equal(v[i].type, CELL_NULL);
    end_is_near(&copy, v);
    pool_release(c, false);
}

static void test_times(void **state)
{
    (void)state;
    db_need();
    static const Oid oids[] = { OID_TIMESTAMPTZ, OID_DATE, OID_INTERVAL };
    struct conn *c = db_lease(pool);
    struct copy copy;
    struct cell v[3];
    begin(&copy, c,
          "SELECT '2024-05-06 07:08:09.5+00'::timestamptz, '2024-05-06'::date, "
          "'1 month 2 days -00:00:01'::interval UNION ALL "
          "SELECT '1850-01-01 00:00+00', '1850-01-01', '-1 day' UNION ALL "
          "SELECT 'infinity', 'infinity', '178000000 years' UNION ALL "
          "SELECT '-infinity', '-infinity', '-178000000 years' UNION ALL "
          "SELECT '294276-12-31 23:59+00', '5874897-12-31', '0'",
          oids, 3);
    row_get(&copy, v);
    int_is(&v[0], CELL_INSTANT, INT64_C(1714979289500000));
    int_is(&v[1], CELL_DAY, civil_days(2024, 5, 6));
    int_is(&v[2], CELL_INTERVAL, 32 * USEC_PER_DAY - USEC_PER_SEC);
    row_get(&copy, v);
    int_is(&v[0], CELL_INSTANT, civil_days(1850, 1, 1) * USEC_PER_DAY);
    int_is(&v[1], CELL_DAY, civil_days(1850, 1, 1));
    int_is(&v[2], CELL_INTERVAL, -USEC_PER_DAY);
    row_get(&copy, v);
    int_is(&v[0], CELL_INSTANT, INT64_MAX);
    int_is(&v[1], CELL_DAY, INT64_MAX);
    int_is(&v[2], CELL_INTERVAL, INT64_MAX - 1);
    row_get(&copy, v);
    int_is(&v[0], CELL_INSTANT, INT64_MIN);
    int_is(&v[1], CELL_DAY, INT64_MIN);
    int_is(&v[2], CELL_INTERVAL, INT64_MIN + 1);
    row_get(&copy, v);
    int_is(&v[0], CELL_INSTANT, INT64_MAX - 1);
    int_is(&v[1], CELL_DAY, civil_days(5874897, 12, 31));
    end_is_near(&copy, v);
    pool_release(c, false);
}

static void test_texts(void **state)
{
    (void)state;
    db_need();
    static const Oid oids[] = { OID_TEXT, OID_VARCHAR, OID_BPCHAR, OID_VARCHAR_ARRAY,
                                OID_TEXT_ARRAY };
    struct conn *c = db_lease(pool);
    struct copy copy;
    struct cell v[5];
    begin(&copy, c,
          "SELECT E'a\\n\u00e9'::text, ''::varchar, 'VV'::char(3), "
          "'{-RA,NULL,BR,\"\"}'::varchar[], '{{a,bb},{ccc,d}}'::text[] UNION ALL "
          "SELECT NULL, 'x', ''::char(3), '{NULL}', '{}' UNION ALL "
          "SELECT repeat('y', 300000), 'x', 'OVC'::char(3), NULL, '{one}'",
          oids, 5);
    row_get(&copy, v);
    text_is(&v[0], "a\n\u00e9");
    text_is(&v[1], "");
    text_is(&v[2], "VV ");
    text_is(&v[3], "-RA BR ");
    text_is(&v[4], "a bb ccc d");
    row_get(&copy, v);
    assert_int_equal(v[0].type, CELL_NULL);
    text_is(&v[2], "   ");
    text_is(&v[3], "");
    text_is(&v[4], "");
    row_get(&copy, v);
    assert_int_equal(v[0].len, 300000);
    assert_int_equal(v[0].s[299999], 'y');
    text_is(&v[2], "OVC");
    assert_int_equal(v[3].type, CELL_NULL);
    text_is(&v[4], "one");
    end_is_near(&copy, v);
    pool_release(c, false);
}

static void test_many_rows(void **state)
{
    (void)state;
    db_need();
    static const Oid oids[] = { OID_INT4, OID_TEXT };
    struct conn *c = db_lease(pool);
    struct copy copy;
    struct cell v[2];
    struct err e = ERR_INIT;
    begin(&copy, c, "SELECT i, 'row ' || i FROM generate_series(1, 1000000) i", oids, 2);
    int64_t sum = 0;
    enum rows_result r;
    while ((r = copy_next(&copy, v, &e)) == ROWS_ROW)
        sum += v[0].i + (int64_t)v[1].len;
    assert_int_equal(r, ROWS_END);
    copy_end(&copy);
    assert_true(sum == INT64_C(500000500000) + 4 * 1000000 + 5888896);
    begin(&copy, c, "SELECT 1, 'x' WHERE false", oids, 2);
    end_is_near(&copy, v);
    pool_release(c, false);
}

static bool row_stop(void *ctx, const struct cell *cells)
{
    *(int64_t *)ctx = cells[0].i;
    return cells[0].i < 3;
}

/* What is left of a long answer must not hold up the connection. */
static void test_early_stop(void **state)
{
    (void)state;
    db_need();
    static const Oid oid = OID_INT8;
    struct conn *c = db_lease(pool);
    struct err e = ERR_INIT;
    int64_t last = 0, start = clock_mono();
    for (int i = 0; i < 10; i++)
        if (!query_rows(c, "SELECT generate_series(1, 1000000000::int8)", &oid, 1, row_stop, &last,
                        &e))
            fail_msg("%s", e.msg);
    assert_true(last == 3);
    assert_true(clock_mono() - start < 5000000);
    assert_int_equal(db_number(c, "SELECT 42::int8"), 42);
    assert_false(atomic_load(&c->cancelled));
    pool_release(c, false);
    assert_int_equal(pool_stats(pool).broken, 0);
}

/* The statement fails with `kind` and a message that holds `word`; the connection stays good. */
static void refused(const char *sql, Oid oid, unsigned count, enum err_kind kind, const char *word)
{
    Oid oids[COPY_COLUMNS + 1];
    for (unsigned i = 0; i < count; i++)
        oids[i] = oid;
    struct conn *c = db_lease(pool);
    struct err e = ERR_INIT;
    struct copy copy;
    struct cell cells[COPY_COLUMNS];
    enum rows_result r = ROWS_ERROR;
    if (copy_begin(&copy, c, sql, oids, count, &e)) {
        while ((r = copy_next(&copy, cells, &e)) == ROWS_ROW)
            continue;
        assert_int_equal(copy_next(&copy, cells, &e), r);
    }
    copy_end(&copy);
    assert_int_equal(r, ROWS_ERROR);
    if (e.kind != kind || strstr(e.msg, word) == NULL)
        fail_msg("%s: kind %d: %s", sql, (int)e.kind, e.msg);
    assert_false(copy.broken);
    assert_int_equal(db_number(c, "SELECT 7::int8"), 7);
    pool_release(c, false);
}

static void test_refusals(void **state)
{
    (void)state;
    db_need();
    refused("SELECT 1.5::numeric", 1700, 1, ERR_INTERNAL, "cast it");
    assert_false(copy_decodes(1700));
    assert_true(copy_decodes(OID_INTERVAL));
    refused("SELECT 1::int4, 2::int4", OID_INT4, 1, ERR_INTERNAL, "2 columns, not 1");
    refused("SELECT 1::int4", OID_INT8, 1, ERR_INTERNAL, "column 1");
    refused("SELECT 'short'::text", OID_TEXT_ARRAY, 1, ERR_INTERNAL, "column 1");
    refused("SELECT 1", OID_INT4, COPY_COLUMNS + 1, ERR_INTERNAL, "129 columns");
    refused("SELECT nothing FROM nowhere", OID_INT4, 1, ERR_DATABASE, "42P01");
    refused("SELECT 1 / (i - 50000) FROM generate_series(1, 100000) i", OID_INT4, 1, ERR_DATABASE,
            "22012");
    refused("SELECT set_config('transaction_read_only', 'x', false)", OID_TEXT, 1, ERR_DATABASE,
            "SQLSTATE");
    db_exec(db_dsn, "CREATE SEQUENCE counter");
    refused("SELECT nextval('counter')", OID_INT8, 1, ERR_DATABASE, "25006");
}

static void test_statement_timeout(void **state)
{
    (void)state;
    db_need();
    static const Oid oid = OID_TEXT;
    struct conf conf = db_conf;
    conf.statement_timeout = 100;
    struct pool *p = pool_new(db_dsn, &conf);
    struct conn *c = db_lease(p);
    struct err e = ERR_INIT;
    int64_t unused = 0, start = clock_mono();
    assert_false(query_rows(c, "SELECT pg_sleep(20)::text", &oid, 1, row_stop, &unused, &e));
    assert_int_equal(e.kind, ERR_TIMEOUT);
    assert_true(clock_mono() - start < 5000000);
    pool_release(c, false);
    assert_int_equal(pool_stats(p).idle, 1);
    pool_free(p);
}

static void *cancel_soon(void *arg)
{
    usleep(100000);
    conn_cancel(arg);
    return NULL;
}

static void test_cancel(void **state)
{
    (void)state;
    db_need();
    static const Oid oid = OID_TEXT;
    struct conn *c = db_lease(pool);
    struct err e = ERR_INIT;
    int64_t unused = 0, start = clock_mono();
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, c), 0);
    assert_false(query_rows(c, "SELECT pg_sleep(20)::text", &oid, 1, row_stop, &unused, &e));
    pthread_join(thread, NULL);
    assert_int_equal(e.kind, ERR_CANCELLED);
    assert_true(clock_mono() - start < 5000000);
    assert_int_equal(db_number(c, "SELECT 7::int8"), 7);
    pool_release(c, false);
    c = db_lease(pool);
    assert_false(atomic_load(&c->cancelled));
    pool_release(c, false);
}

static void test_terminated(void **state)
{
    (void)state;
    db_need();
    static const Oid oid = OID_INT8;
    struct pool *p = pool_new(db_dsn, &db_conf);
    struct conn *c = db_lease(p);
    struct err e = ERR_INIT;
    struct copy copy;
    struct cell cell;
    char sql[80];
    snprintf(sql, sizeof(sql), "SELECT pg_terminate_backend(%d)", PQbackendPID(c->pg));
    begin(&copy, c, "SELECT generate_series(1, 1000000000::int8)", &oid, 1);
    row_get(&copy, &cell);
    db_exec(db_dsn, sql);
    enum rows_result r;
    while ((r = copy_next(&copy, &cell, &e)) == ROWS_ROW)
        continue;
    assert_int_equal(r, ROWS_ERROR);
    assert_int_equal(e.kind, ERR_UNAVAILABLE);
    copy_end(&copy);
    assert_true(copy.broken);
    pool_release(c, copy.broken);
    assert_int_equal(pool_stats(p).open, 0);
    c = db_lease(p);
    assert_int_equal(db_number(c, "SELECT 7::int8"), 7);
    pool_release(c, false);
    pool_free(p);
}

static void layout_tables(void)
{
    db_exec(db_dsn,
            "CREATE SCHEMA asos; CREATE SCHEMA coop; CREATE SCHEMA other; CREATE SCHEMA \"Odd\";"
            "CREATE DOMAIN inches AS float4;"
            "CREATE TABLE asos.alldata (station varchar(4) COLLATE \"C\", valid timestamptz, "
            "  p01i inches, wxcodes varchar[], gone int4) PARTITION BY RANGE (valid);"
            "ALTER TABLE asos.alldata DROP COLUMN gone;"
            "CREATE TABLE alldata (trap int4);"
            "CREATE TABLE stations (id varchar COLLATE \"en-x-icu\", geom point);"
            "CREATE VIEW networks AS SELECT 'X'::varchar AS id;"
            "CREATE TABLE raw (station varchar, value float4);"
            "CREATE TABLE other.ncei_climate91 (station text);"
            "CREATE TABLE coop.climate51 (station text)");
}

static void test_layout(void **state)
{
    (void)state;
    db_need();
    layout_tables();
    struct conn *c = db_lease(pool);
    struct layout l = { 0 };
    struct err e = ERR_INIT;
    if (!layout_discover(&l, DATASET_ASOS, c, &e) || !layout_discover(&l, DATASET_HADS, c, &e) ||
        !layout_discover(&l, DATASET_MESOSITE, c, &e) || !layout_discover(&l, DATASET_IEM, c, &e))
        fail_msg("%s", e.msg);
    assert_true(l.own[DATASET_ASOS]);
    assert_true(l.c_order[DATASET_ASOS]);
    assert_string_equal(l.tables[TABLE_ASOS_ALLDATA].sql_name, "asos.alldata");
    assert_int_equal(l.tables[TABLE_ASOS_ALLDATA].count, 4);
    assert_int_equal(layout_find(&l, TABLE_ASOS_ALLDATA, "p01i")->oid, OID_FLOAT4);
    assert_int_equal(layout_find(&l, TABLE_ASOS_ALLDATA, "wxcodes")->oid, OID_VARCHAR_ARRAY);
    assert_null(layout_find(&l, TABLE_ASOS_ALLDATA, "trap"));
    /* the unqualified table belongs to another data set */
    assert_false(l.tables[TABLE_ASOS_STATIONS].exists);
    assert_false(l.own[DATASET_HADS]);
    assert_string_equal(l.tables[TABLE_HADS_RAW].sql_name, "raw");
    assert_non_null(layout_find(&l, TABLE_HADS_ALLDATA, "trap"));
    assert_false(l.c_order[DATASET_MESOSITE]);
    assert_non_null(layout_find(&l, TABLE_STATIONS, "geom"));
    assert_true(l.tables[TABLE_NETWORKS].exists);
    assert_false(l.tables[TABLE_STATION_THREADING].exists);
    assert_false(l.tables[TABLE_IEM_SUMMARY].exists);
    assert_int_equal(layout_dataset(TABLE_IEM_SUMMARY), DATASET_IEM);
    int64_t bytewise =
        db_number(c, "SELECT (datcollate IN ('C', 'POSIX', 'C.UTF-8', 'C.utf8'))::int4::int8 "
                     "FROM pg_database WHERE datname = current_database()");
    assert_int_equal(l.c_order[DATASET_HADS], bytewise);
    assert_false(layout_discover(&l, DATASET_COOP, c, &e));
    assert_int_equal(e.kind, ERR_DATABASE);
    assert_non_null(strstr(e.msg, "coop.alldata"));
    assert_non_null(strstr(e.msg, db_name));
    assert_non_null(strstr(e.msg, "obstream schema"));
    layout_release(&l);
    pool_release(c, false);
}

static int setup(void **state)
{
    int failed = db_group_setup(state);
    if (failed == 0 && db_dsn != NULL)
        pool = pool_new(db_dsn, &db_conf);
    return failed;
}

static int teardown(void **state)
{
    pool_free(pool);
    return db_group_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_early_stop),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_statement_timeout),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_terminated),
        cmocka_unit_test(test_layout),
    };
    return cmocka_run_group_tests_name("db", tests, setup, teardown);
}
