/* pool.h against a server. OBSTREAM_TEST_STOP and OBSTREAM_TEST_START, commands that stop and
 * start it, let the restart be tested too. */
#include "test_db.h"

#include <pthread.h>

static struct pool *pool_of(int64_t size)
{
    struct conf conf = db_conf;
    conf.pool_size = size;
    struct pool *p = pool_new(db_dsn, &conf);
    assert_non_null(p);
    return p;
}

static void setting_is(struct conn *c, const char *name, const char *want)
{
    char sql[256];
    snprintf(sql, sizeof(sql), "SELECT (current_setting('%s') = '%s')::int4::int8", name, want);
    if (db_number(c, sql) != 1)
        fail_msg("%s is not %s", name, want);
}

static void test_settings(void **state)
{
    (void)state;
    db_need();
    struct pool *p = pool_of(2);
    assert_int_equal(pool_stats(p).open, 0);
    struct conn *c = db_lease(p);
    setting_is(c, "timezone", "UTC");
    setting_is(c, "default_transaction_read_only", "on");
    setting_is(c, "jit", "off");
    setting_is(c, "max_parallel_workers_per_gather", "0");
    setting_is(c, "statement_timeout", "10min");
    setting_is(c, "client_encoding", "UTF8");
    setting_is(c, "application_name", "obstreamd");
    pool_release(c, false);
    struct conn *again = db_lease(p);
    assert_ptr_equal(again, c);
    pool_release(again, false);
    assert_int_equal(pool_stats(p).connects, 1);
    assert_string_equal(pool_dsn(p), db_dsn);
    pool_free(p);
}

struct later {
    struct conn *conn;
    int64_t after; /* microseconds */
};

static void *release_later(void *arg)
{
    const struct later *l = arg;
    usleep((useconds_t)l->after);
    pool_release(l->conn, false);
    return NULL;
}

static void test_exhausted(void **state)
{
    (void)state;
    db_need();
    struct pool *p = pool_of(1);
    struct conn *c = db_lease(p);
    struct err e = ERR_INIT;
    assert_null(pool_acquire(p, 0, &e));
    assert_int_equal(e.kind, ERR_UNAVAILABLE);
    assert_non_null(strstr(e.msg, "database.pool_size"));
    int64_t start = clock_mono();
    assert_null(pool_acquire(p, start + 200000, &e));
    int64_t took = clock_mono() - start;
    assert_in_range(took, 200000, 2000000);
    struct later later = { c, 100000 };
    pthread_t thread;
    start = clock_mono();
    assert_int_equal(pthread_create(&thread, NULL, release_later, &later), 0);
    struct conn *next = db_lease(p);
    assert_ptr_equal(next, c);
    assert_true(clock_mono() - start < 2000000);
    pthread_join(thread, NULL);
    pool_release(next, false);
    pool_free(p);
}

static void terminate(int pid)
{
    char sql[256];
    snprintf(sql, sizeof(sql), "SELECT pg_terminate_backend(%d, 5000)", pid);
    db_exec(db_dsn, sql);
}

/* Connections that died while unused are replaced without the caller noticing. */
static void test_idle_death(void **state)
{
    (void)state;
    db_need();
    struct pool *p = pool_of(3);
    struct conn *leased[3];
    int pids[3];
    for (int i = 0; i < 3; i++) {
        leased[i] = db_lease(p);
        pids[i] = PQbackendPID(leased[i]->pg);
    }
    for (int i = 0; i < 3; i++)
        pool_release(leased[i], false);
    assert_int_equal(pool_stats(p).idle, 3);
    for (int i = 0; i < 3; i++)
        terminate(pids[i]);
    struct conn *c = db_lease(p);
    assert_int_equal(db_number(c, "SELECT 7::int8"), 7);
    pool_release(c, false);
    struct pool_stats s = pool_stats(p);
    assert_int_equal(s.broken, 3);
    assert_int_equal(s.connects, 4);
    assert_int_equal(s.open, 1);
    pool_free(p);
}

static void test_not_reused(void **state)
{
    (void)state;
    db_need();
    struct pool *p = pool_of(2);
    struct conn *c = db_lease(p);
    PQclear(PQexec(c->pg, "BEGIN"));
    pool_release(c, false);
    assert_int_equal(pool_stats(p).open, 0);
    c = db_lease(p);
    PQclear(PQexec(c->pg, "COPY (SELECT 1) TO STDOUT"));
    pool_release(c, false);
    assert_int_equal(pool_stats(p).open, 0);
    c = db_lease(p);
    pool_release(c, true);
    assert_int_equal(pool_stats(p).open, 0);
    assert_int_equal(pool_stats(p).broken, 3);
    pool_free(p);
}

static void connections_allow(bool allow)
{
    char sql[128];
    snprintf(sql, sizeof(sql), "ALTER DATABASE %s ALLOW_CONNECTIONS %s", db_name,
             allow ? "true" : "false");
    db_exec(getenv("OBSTREAM_TEST_DSN"), sql);
}

/* A server that takes no more connections still serves those it has. */
static void test_server_full(void **state)
{
    (void)state;
    db_need();
    struct pool *p = pool_of(2);
    struct conn *c = db_lease(p);
    struct err e = ERR_INIT;
    connections_allow(false);
    struct conn *refused = pool_acquire(p, 0, &e);
    struct later later = { c, 100000 };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, release_later, &later), 0);
    struct conn *next = pool_acquire(p, clock_mono() + 5000000, NULL);
    pthread_join(thread, NULL);
    connections_allow(true);
    assert_null(refused);
    assert_int_equal(e.kind, ERR_UNAVAILABLE);
    assert_non_null(strstr(e.msg, db_name));
    assert_ptr_equal(next, c);
    assert_true(pool_stats(p).down);
    struct conn *second = db_lease(p); /* waits for the pause to end and tries again */
    assert_ptr_not_equal(second, next);
    assert_false(pool_stats(p).down);
    pool_release(next, false);
    pool_release(second, false);
    pool_free(p);
}

static void test_lifetime(void **state)
{
    (void)state;
    db_need();
    struct conf conf = db_conf;
    conf.connection_lifetime = 1;
    struct pool *p = pool_new(db_dsn, &conf);
    struct conn *c = db_lease(p);
    assert_in_range(c->expires - c->born, 750000, 1000000);
    pool_release(c, false);
    usleep(1050000);
    c = db_lease(p);
    struct pool_stats s = pool_stats(p);
    assert_int_equal(s.connects, 2);
    assert_int_equal(s.broken, 0);
    usleep(1050000);
    pool_release(c, false);
    assert_int_equal(pool_stats(p).open, 0);
    pool_free(p);
}

static void test_no_server(void **state)
{
    (void)state;
    struct pool *p = pool_new("host=/nonexistent-folder password=Geheim.77 user=x", &db_conf);
    struct err first = ERR_INIT;
    int64_t deadline = clock_mono() + 5000000;
    assert_null(pool_acquire(p, deadline, &first));
    assert_int_equal(first.kind, ERR_UNAVAILABLE);
    assert_non_null(strstr(first.msg, "/nonexistent-folder"));
    assert_null(strstr(first.msg, "Geheim"));
    assert_null(strchr(first.msg, '\n'));
    /* within 50 ms no second attempt; half a second later the pause is over */
    for (int i = 0; i < 10; i++) {
        struct err e = ERR_INIT;
        assert_null(pool_acquire(p, deadline, &e));
        assert_string_equal(e.msg, first.msg);
    }
    assert_int_equal(pool_stats(p).failures, 1);
    assert_true(pool_stats(p).down);
    uint64_t before = 1;
    for (int i = 0; i < 100; i++) {
        struct err e = ERR_INIT;
        usleep(10000);
        assert_null(pool_acquire(p, deadline, &e));
    }
    uint64_t attempts = pool_stats(p).failures - before;
    assert_in_range(attempts, 2, 5); /* pauses of 50..100, 100..200, 200..400, 400..800 ms */
    pool_free(p);
}

static void refused_dsn(const char *dsn, const char *secret, const char *word)
{
    struct pool *p = pool_new(dsn, &db_conf);
    struct err e = ERR_INIT;
    assert_null(pool_acquire(p, 0, &e));
    assert_int_equal(e.kind, ERR_UNAVAILABLE);
    assert_null(strstr(e.msg, secret));
    assert_non_null(strstr(e.msg, word));
    pool_free(p);
}

static void test_secrets(void **state)
{
    (void)state;
    refused_dsn("host=/nonexistent password=two words", "words", "not valid");
    refused_dsn("postgresql://u:pa@ss@127.0.0.1:1/db", "ss@", "%40");
    refused_dsn("host=/nonexistent/Geheim/dir password=Geheim", "Geheim", "/nonexistent/***/dir");
}

struct worker {
    struct pool *pool;
    pthread_t thread;
    unsigned seed;
    int done;
};

static void *worker_run(void *arg)
{
    struct worker *w = arg;
    static const Oid oid = OID_INT8;
    for (int i = 0; i < 60; i++) {
        struct err e = ERR_INIT;
        struct conn *c = pool_acquire(w->pool, clock_mono() + 20000000, &e);
        int64_t n = 0;
        if (c == NULL)
            return NULL;
        bool ok = query_rows(c, "SELECT sum(i)::int8 FROM generate_series(1, 1000) i", &oid, 1,
                             db_number_row, &n, &e);
        if (i % 20 == 7)
            conn_cancel(c); /* nothing runs: must harm nobody */
        pool_release(c, rand_r(&w->seed) % 16 == 0);
        w->done += ok && n == 500500;
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    db_need();
    struct pool *p = pool_of(3);
    struct worker workers[8];
    for (unsigned i = 0; i < ARRAY_SIZE(workers); i++) {
        workers[i] = (struct worker){ .pool = p, .seed = i };
        assert_int_equal(pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]), 0);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(workers); i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].done, 60);
    }
    struct pool_stats s = pool_stats(p);
    assert_int_equal(s.leased, 0);
    assert_int_equal(s.open, s.idle);
    assert_in_range(s.open, 0, 3);
    assert_int_equal(s.connects, s.broken + s.open);
    assert_true(s.broken > 0);
    pool_free(p);
}

static void test_restart(void **state)
{
    (void)state;
    db_need();
    const char *stop = getenv("OBSTREAM_TEST_STOP"), *start = getenv("OBSTREAM_TEST_START");
    if (stop == NULL || start == NULL)
        skip();
    struct pool *p = pool_of(2);
    struct conn *c = db_lease(p);
    pool_release(c, false);
    assert_int_equal(system(stop), 0);
    assert_int_equal(system(start), 0);
    c = db_lease(p);
    assert_int_equal(db_number(c, "SELECT 7::int8"), 7);
    pool_release(c, false);
    assert_int_equal(pool_stats(p).failures, 0);
    assert_int_equal(system(stop), 0);
    struct err e = ERR_INIT;
    assert_null(pool_acquire(p, clock_mono() + 5000000, &e));
    assert_int_equal(e.kind, ERR_UNAVAILABLE);
    assert_true(pool_stats(p).down);
    assert_int_equal(system(start), 0);
    int64_t begun = clock_mono();
    do {
        usleep(10000);
        err_clear(&e);
        c = pool_acquire(p, 0, &e);
    } while (c == NULL && clock_mono() - begun < 5000000);
    assert_non_null(c);
    assert_false(pool_stats(p).down);
    pool_release(c, false);
    pool_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),    cmocka_unit_test(test_exhausted),
        cmocka_unit_test(test_idle_death),  cmocka_unit_test(test_not_reused),
        cmocka_unit_test(test_server_full), cmocka_unit_test(test_lifetime),
        cmocka_unit_test(test_no_server),   cmocka_unit_test(test_secrets),
        cmocka_unit_test(test_threads),     cmocka_unit_test(test_restart),
    };
    return cmocka_run_group_tests_name("pool", tests, db_group_setup, db_group_teardown);
}
