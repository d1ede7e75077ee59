/* The catalog: order, searches and references by hand; reading it against a server. */
#include "test_catalog.h"

#include "../../src/api/catalog_private.h"

#include <math.h>
#include <pthread.h>

static const char *const ids[][2] = {
    { "DSM", "IA_ASOS" }, { "AMW", "IA_ASOS" },  { "DSM", "IACLIMATE" }, { "DS", "IA_DCP" },
    { "dsm", "IA_DCP" },  { "DSMA", "IA_COOP" }, { "\xc3\x84", "X" },    { "DSM", "IA_COOP" },
};

static struct catalog *catalog_make(void)
{
    struct catalog *c = catalog_new();
    assert_non_null(c);
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        c->stations = catalog_grow(c->stations, i, sizeof(*c->stations));
        c->stations[i] = (struct station){ .id = ids[i][0], .network = ids[i][1] };
        c->station_count++;
    }
    static const char *const networks[] = { "IA_DCP", "IACLIMATE", "ZZ", "IA_ASOS" };
    for (size_t i = 0; i < ARRAY_SIZE(networks); i++) {
        c->networks = catalog_grow(c->networks, i, sizeof(*c->networks));
        c->networks[i] = (struct network){ .id = networks[i], .stations = 77 };
        c->network_count++;
    }
    catalog_sort(c);
    return c;
}

static void test_order(void **state)
{
    (void)state;
    static const char *const want[][2] = {
        { "AMW", "IA_ASOS" }, { "DS", "IA_DCP" },    { "DSM", "IACLIMATE" }, { "DSM", "IA_ASOS" },
        { "DSM", "IA_COOP" }, { "DSMA", "IA_COOP" }, { "dsm", "IA_DCP" },    { "\xc3\x84", "X" },
    };
    struct catalog *c = catalog_make();
    for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
        assert_string_equal(c->stations[i].id, want[i][0]);
        assert_string_equal(c->stations[i].network, want[i][1]);
    }
    catalog_put(c);
}

static size_t found(const struct catalog *c, const char *id, size_t len)
{
    size_t n = 99;
    const struct station *s = catalog_station(c, id, len, &n);
    assert_ptr_equal(s, catalog_station(c, id, len, NULL));
    assert_int_equal(s == NULL, n == 0);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(strlen(s[i].id), len);
        assert_memory_equal(s[i].id, id, len);
    }
    if (s != NULL && s > c->stations)
        assert_string_not_equal(s[-1].id, s->id);
    return n;
}

static void test_search(void **state)
{
    (void)state;
    struct catalog *c = catalog_make();
    assert_int_equal(found(c, "DSM", 3), 3);
    assert_int_equal(found(c, "DSMA", 3), 3);
    assert_int_equal(found(c, "DSMA", 4), 1);
    assert_int_equal(found(c, "DSM", 2), 1);
    assert_int_equal(found(c, "AMW", 3), 1);
    assert_int_equal(found(c, "\xc3\x84", 2), 1);
    assert_int_equal(found(c, "", 0), 0);
    assert_int_equal(found(c, "A", 1), 0);
    assert_int_equal(found(c, "DSL", 3), 0);
    assert_int_equal(found(c, "DSM\0", 4), 0);
    assert_int_equal(found(c, "zzz", 3), 0);
    assert_int_equal(catalog_network(c, "IA_ASOS")->stations, 2);
    assert_int_equal(catalog_network(c, "IA_DCP")->stations, 2);
    assert_int_equal(catalog_network(c, "IACLIMATE")->stations, 1);
    assert_int_equal(catalog_network(c, "ZZ")->stations, 0);
    assert_null(catalog_network(c, "IA_COOP"));
    catalog_put(c);
    c = catalog_new();
    catalog_sort(c);
    assert_int_equal(found(c, "DSM", 3), 0);
    assert_null(catalog_network(c, "ZZ"));
    catalog_put(c);
}

static void count_release(void *ptr)
{
    ++*(atomic_int *)ptr;
}

static void test_references(void **state)
{
    (void)state;
    atomic_int released = 0;
    struct catalog_store *s = catalog_store_new();
    assert_null(catalog_get(s));
    catalog_put(NULL);
    struct catalog *first = catalog_make();
    assert_true(arena_defer(&first->arena, count_release, &released));
    catalog_publish(s, first);
    const struct catalog *held = catalog_get(s);
    assert_ptr_equal(held, first);
    struct catalog *second = catalog_make();
    assert_true(arena_defer(&second->arena, count_release, &released));
    catalog_publish(s, second);
    assert_int_equal(released, 0);
    assert_int_equal(found(held, "DSM", 3), 3);
    catalog_put(held);
    assert_int_equal(released, 1);
    held = catalog_get(s);
    assert_ptr_equal(held, second);
    catalog_store_free(s);
    assert_int_equal(released, 1);
    assert_int_equal(found(held, "AMW", 3), 1);
    catalog_put(held);
    assert_int_equal(released, 2);
}

struct race {
    struct catalog_store *store;
    atomic_bool stop;
    atomic_size_t wrong, gets;
};

static void *race_reader(void *ctx)
{
    struct race *r = ctx;
    while (!r->stop) {
        const struct catalog *c = catalog_get(r->store);
        size_t n = 0;
        r->wrong += c == NULL || catalog_station(c, "DSM", 3, &n) == NULL || n != 3;
        r->gets++;
        catalog_put(c);
    }
    return NULL;
}

static void race_run(struct race *r, void (*change)(struct race *, int), int times)
{
    pthread_t threads[3];
    for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, race_reader, r), 0);
    for (int i = 0; i < times; i++)
        change(r, i);
    while (r->gets < 1000)
        usleep(1000);
    r->stop = true;
    for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(r->wrong, 0);
}

static void race_publish(struct race *r, int i)
{
    (void)i;
    catalog_publish(r->store, catalog_make());
}

static void test_race(void **state)
{
    (void)state;
    struct race r = { .store = catalog_store_new() };
    catalog_publish(r.store, catalog_make());
    race_run(&r, race_publish, 3000);
    catalog_store_free(r.store);
}

static void test_read(void **state)
{
    (void)state;
    db_need();
    db_exec(db_dsn, mesosite_sql);
    struct catalog_store *s = catalog_store_new();
    const struct catalog *c = load(s);
    assert_int_equal(c->station_count, 5);
    size_t n;
    const struct station *d = catalog_station(c, "DSM", 3, &n);
    assert_int_equal(n, 3);
    assert_string_equal(d[0].network, "IACLIMATE");
    assert_string_equal(d[0].name, "");
    const struct station *a = &d[1], *m = &d[2];
    assert_string_equal(a->network, "IA_ASOS");
    assert_string_equal(a->ugc_county, "IAC");
    assert_true(a->elevation == 293.7 && a->lon == -93.65 && a->lat == 41.53);
    assert_true(a->archive_begin == civil_days(1933, 1, 1) && a->archive_end == INT64_MIN);
    assert_true(a->synop == 99999 && a->iemid == 7 && a->online);
    assert_null(a->wigos); /* the table has no such column */
    assert_string_equal(m->state, "I");
    assert_null(m->ugc_county);
    assert_true(isnan(m->elevation) && isnan(m->lon) && isnan(m->lat) && !m->online);
    assert_true(m->archive_begin == INT64_MIN && m->archive_end == civil_days(2020, 2, 29));
    assert_true(m->synop == INT64_MIN && m->iemid == INT64_MIN);
    assert_int_equal(c->network_count, 3);
    assert_int_equal(catalog_network(c, "IA_ASOS")->stations, 3);
    assert_string_equal(catalog_network(c, "IA_ASOS")->tzname, "America/Chicago");
    assert_int_equal(catalog_network(c, "IA_COOP")->stations, 1);
    assert_null(catalog_network(c, "EMPTY")->name);
    catalog_put(c);
    catalog_store_free(s);
}

/* PostGIS is not needed for this: any ST_X() of any type will do. */
static void test_read_geom(void **state)
{
    (void)state;
    db_need();
    db_exec(db_dsn, mesosite_sql);
    db_exec(db_dsn,
            "CREATE FUNCTION mesosite.st_x(p point) RETURNS float8 LANGUAGE sql AS 'SELECT p[0]'; "
            "CREATE FUNCTION mesosite.st_y(p point) RETURNS float8 LANGUAGE sql AS 'SELECT p[1]'; "
            "ALTER TABLE mesosite.stations DROP lon, DROP lat, ADD geom point; "
            "UPDATE mesosite.stations SET geom = point(-93.5, 42.25) WHERE id = 'AMW'");
    char *dsn;
    assert_true(asprintf(&dsn, "%s options='-c search_path=mesosite'", db_dsn) > 0);
    struct pool *p = pool_new(dsn, &db_conf);
    struct pool *const pools[] = { p, p, p, p, p };
    struct catalog_store *s = catalog_store_new();
    load_with(s, pools);
    const struct catalog *c = catalog_get(s);
    const struct station *a = catalog_station(c, "AMW", 3, NULL);
    assert_true(a->lon == -93.5 && a->lat == 42.25);
    assert_true(isnan(catalog_station(c, "amw", 3, NULL)->lon));
    catalog_put(c);
    catalog_store_free(s);
    pool_free(p);
    free(dsn);
}

static void refused(struct catalog_store *s, struct pool *p, enum err_kind kind, const char *what)
{
    struct pool *const pools[] = { pool, pool, pool, pool, p };
    struct err e = ERR_INIT;
    const struct catalog *before = catalog_get(s), *after;
    assert_false(catalog_load(s, pools, &e));
    assert_int_equal(e.kind, kind);
    assert_non_null(strstr(e.msg, what));
    after = catalog_get(s);
    assert_ptr_equal(before, after);
    catalog_put(before);
    catalog_put(after);
}

static void test_faults(void **state)
{
    (void)state;
    db_need();
    struct pool *down = pool_new("host=127.0.0.1 port=1 dbname=x", &db_conf);
    struct catalog_store *s = catalog_store_new();
    refused(s, pool, ERR_DATABASE, "mesosite.stations");
    assert_null(catalog_get(s));
    refused(s, down, ERR_UNAVAILABLE, "");
    db_exec(db_dsn, mesosite_sql);
    db_exec(db_dsn,
            "CREATE SCHEMA hads; CREATE TABLE hads.raw (station varchar, valid timestamptz); "
            "CREATE SCHEMA coop; CREATE TABLE coop.climate51 (station varchar)");
    const struct catalog *c = load(s);
    assert_non_null(strstr(c->fault[DATASET_ASOS], "asos.alldata"));
    assert_non_null(strstr(c->fault[DATASET_COOP], "coop.alldata"));
    assert_null(c->fault[DATASET_HADS]);
    assert_null(c->fault[DATASET_IEM]);
    assert_true(c->layout.tables[TABLE_HADS_RAW].exists);
    assert_false(c->layout.tables[TABLE_COOP_CLIMATE51].exists);
    catalog_put(c);

    /* no answer: what is known of hads stays, asos gets a new fault */
    struct pool *const pools[] = { down, down, pool, pool, pool };
    load_with(s, pools);
    c = catalog_get(s);
    assert_null(c->fault[DATASET_HADS]);
    assert_null(strstr(c->fault[DATASET_ASOS], "asos.alldata"));
    assert_string_equal(c->layout.tables[TABLE_HADS_RAW].sql_name, "hads.raw");
    assert_int_equal(layout_find(&c->layout, TABLE_HADS_RAW, "valid")->oid, OID_TIMESTAMPTZ);
    assert_true(c->layout.own[DATASET_HADS]);
    assert_true(c->first[TABLE_HADS_RAW] == INT64_MIN && c->last[TABLE_HADS_RAW] == INT64_MAX);
    catalog_put(c);
    db_exec(db_dsn, "ALTER TABLE mesosite.stations DROP network");
    refused(s, pool, ERR_DATABASE, "\"network\"");
    refused(s, down, ERR_UNAVAILABLE, "");
    catalog_store_free(s);
    pool_free(down);
}

static void race_load(struct race *r, int i)
{
    struct pool *const pools[] = { pool, pool, pool, pool, pool };
    struct err e = ERR_INIT;
    (void)i;
    if (!catalog_load(r->store, pools, &e))
        r->wrong++;
}

static void *race_loader(void *ctx)
{
    for (int i = 0; i < 20; i++)
        race_load(ctx, i);
    return NULL;
}

static void test_race_load(void **state)
{
    (void)state;
    db_need();
    db_exec(db_dsn, mesosite_sql);
    struct race r = { .store = catalog_store_new() };
    race_load(&r, 0);
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, race_loader, &r), 0);
    race_run(&r, race_load, 20);
    pthread_join(other, NULL);
    assert_int_equal(r.wrong, 0);
    catalog_store_free(r.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_race),
        cmocka_unit_test_teardown(test_read, schemas_teardown),
        cmocka_unit_test_teardown(test_read_geom, schemas_teardown),
        cmocka_unit_test_teardown(test_faults, schemas_teardown),
        cmocka_unit_test_teardown(test_race_load, schemas_teardown),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
