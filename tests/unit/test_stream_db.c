/* The stream over a table: however an answer is cut into segments, its bytes are the same. */
#include "test_stream_db.h"

#include <math.h>

enum { ROUNDS = 40, SIDE_BY_SIDE = 3 };

/* What a plan should give, from the rows in memory. */
struct expected {
    const struct obs **rows;
    size_t count;
};

static const struct plan *sorting; /* qsort() has no context */

static int by_order(const void *a, const void *b)
{
    const struct obs *x = *(const struct obs *const *)a, *y = *(const struct obs *const *)b;
    const struct archive_query *q = &sorting->query;
    int station = x->station - y->station;
    int time = (x->valid > y->valid) - (x->valid < y->valid);
    if (q->descending)
        time = -time;
    int c = q->by_time ? (time != 0 ? time : station) : (station != 0 ? station : time);
    return c != 0 ? c : strcmp(x->line, y->line);
}

static struct expected expect(const struct plan *p)
{
    struct expected e = { .rows = calloc(archive_rows + 1, sizeof(*e.rows)) };
    assert_non_null(e.rows);
    for (size_t i = 0; i < archive_rows; i++) {
        const struct obs *o = &archive[i];
        bool named = p->query.all;
        for (uint32_t k = 0; k < p->query.count && !named; k++)
            named = str_eq(p->query.stations[k], station_ids[o->station]);
        if (named && o->valid >= p->from && o->valid < p->to)
            e.rows[e.count++] = o;
    }
    sorting = p;
    qsort(e.rows, e.count, sizeof(*e.rows), by_order);
    return e;
}

static bool same_group(const struct obs *a, const struct obs *b)
{
    return a->station == b->station && a->valid == b->valid;
}

/* The limit may cut a group of rows equal in station and time: which of them are given is open. */
static void check_csv(const struct expected *e, const struct plan *p, const struct answer *a)
{
    bool cut = p->row_limit > 0 && p->row_limit < e->count;
    size_t rows = cut ? p->row_limit : e->count, sure = rows;
    while (cut && sure > 0 && same_group(e->rows[sure - 1], e->rows[rows]))
        sure--;
    if (a->end != JOB_END)
        fail_msg("the answer fails: %s", a->err.msg);
    if (a->rows != rows || a->truncated != cut)
        fail_msg(
            "%zu rows%s, not %zu%s: by_time %d, descending %d, all %d, %u stations, limit %zu, "
            "[%lld, %lld), %g rows a day, %g bytes a row, %zu segments",
            (size_t)a->rows, a->truncated ? ", truncated" : "", rows, cut ? ", truncated" : "",
            p->query.by_time, p->query.descending, p->query.all, p->query.count,
            (size_t)p->row_limit, (long long)p->from, (long long)p->to, p->rows_per_day,
            p->row_bytes, (size_t)a->segments);
    const char *at = a->bytes.data;
    assert_int_equal(strncmp(at, "station,valid,v,note\n", 21), 0);
    at += 21;
    for (size_t i = 0; i < rows; i++) {
        size_t n = strcspn(at, "\n") + 1;
        if (i < sure && (strlen(e->rows[i]->line) != n || memcmp(at, e->rows[i]->line, n) != 0))
            fail_msg("row %zu of %zu is %.*s, not %s", i, rows, (int)n - 1, at, e->rows[i]->line);
        at += n;
    }
    assert_int_equal(*at, '\0');
}

/* Sizes of all kinds, among them such that one segment is a handful of rows. */
static void conf_shuffle(struct random *r, struct conf *c)
{
    c->workers = random_in(r, 1, 5);
    c->read_ahead = random_in(r, 1, 6);
    c->segment_first = INT64_C(1) << random_in(r, 10, 19);
    c->segment_target = INT64_C(1) << random_in(r, 12, 20);
    c->memory = INT64_C(1) << random_in(r, 14, 22);
}

static void plan_shuffle(struct random *r, struct plan *p)
{
    static const char *const some[] = { "A-1", "B", "Q" };
    p->query.by_time = random_in(r, 0, 1);
    p->query.descending = random_in(r, 0, 1);
    int which = (int)random_in(r, 0, 4);
    p->query.all = which > 2;
    if (which > 1) {
        p->query.stations = some + random_in(r, 0, 1);
        p->query.count = (uint32_t)random_in(r, which > 2 ? 0 : 1, 2);
    }
    if (random_in(r, 0, 2) == 0)
        p->from += random_in(r, 0, 10 * USEC_PER_DAY);
    if (random_in(r, 0, 2) == 0)
        p->to -= random_in(r, 0, 12 * USEC_PER_DAY);
    p->rows_per_day = pow(10, (double)random_in(r, -3, 4));
    p->row_bytes = pow(10, (double)random_in(r, 0, 4));
    if (random_in(r, 0, 1) == 0)
        p->codec = &codec_gzip;
}

struct task {
    struct scheduler *sched;
    struct plan plan;
    struct random random;
    bool submitted;
    struct answer answer;
};

static void *task_run(void *arg)
{
    struct task *t = arg;
    bool slow = random_in(&t->random, 0, 1);
    t->submitted = answer_take(t->sched, &t->plan, slow ? "slow" : "fast", slow ? &t->random : NULL,
                               UINT32_MAX, &t->answer);
    return NULL;
}

static void limit_choose(struct random *r, struct plan *p, const struct expected *e)
{
    const uint64_t n = e->count;
    const uint64_t limits[] = { n, n + 1, n - 1, n / 2, 1, (uint64_t)random_in(r, 1, 4000) };
    if (random_in(r, 0, 1) == 0 && n > 2)
        p->row_limit = limits[random_in(r, 0, ARRAY_SIZE(limits) - 1)];
}

/* Some random answers at a time from one random scheduler. */
static uint64_t round_run(struct random *r)
{
    struct task tasks[SIDE_BY_SIDE];
    struct expected expected[SIDE_BY_SIDE];
    pthread_t threads[SIDE_BY_SIDE];
    struct conf conf = db_conf;
    struct err e = ERR_INIT;
    uint64_t segments = 0;
    conf_shuffle(r, &conf);
    struct scheduler *s = scheduler_new(&conf, &e);
    assert_non_null(s);
    for (int i = 0; i < SIDE_BY_SIDE; i++) {
        tasks[i] = (struct task){ .sched = s, .plan = obs_plan(false, false) };
        tasks[i].random = random_start(random_bits(r));
        plan_shuffle(r, &tasks[i].plan);
        expected[i] = expect(&tasks[i].plan);
        limit_choose(r, &tasks[i].plan, &expected[i]);
        assert_int_equal(pthread_create(&threads[i], NULL, task_run, &tasks[i]), 0);
    }
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SIDE_BY_SIDE; i++) {
        struct answer *a = &tasks[i].answer;
        assert_true(tasks[i].submitted);
        if (a->end == JOB_END && tasks[i].plan.codec == &codec_gzip)
            assert_true(answer_unzip(a));
        check_csv(&expected[i], &tasks[i].plan, a);
        segments += a->segments;
        buf_release(&a->bytes);
        free(expected[i].rows);
    }
    assert_int_equal(scheduler_stats(s).ready_bytes, 0);
    scheduler_free(s);
    assert_int_equal(pool_stats(archive_pool).leased, 0);
    assert_int_equal(chunk_in_use(), 0);
    return segments;
}

static void test_any_cut(void **state)
{
    (void)state;
    db_need();
    struct random r = random_start(3);
    uint64_t segments = 0;
    for (int i = 0; i < ROUNDS; i++)
        segments += round_run(&r);
    assert_true(segments > 5 * ROUNDS * SIDE_BY_SIDE);
}

/* The whole answer with the given sizes. */
static struct answer answer_with(struct plan *p, int64_t segment, int64_t workers)
{
    struct conf conf = db_conf;
    struct err e = ERR_INIT;
    struct answer a;
    conf.segment_first = conf.segment_target = segment;
    conf.workers = workers;
    conf.memory = 256 << 20;
    struct scheduler *s = scheduler_new(&conf, &e);
    assert_non_null(s);
    assert_true(answer_take(s, p, "me", NULL, UINT32_MAX, &a));
    scheduler_free(s);
    if (a.end != JOB_END)
        fail_msg("%s", a.err.msg);
    if (p->codec == &codec_gzip)
        assert_true(answer_unzip(&a));
    return a;
}

static void same_bytes(const struct answer *a, const struct answer *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->bytes.len, b->bytes.len);
    assert_memory_equal(a->bytes.data, b->bytes.data, a->bytes.len);
}

/* Separators of JSON stand between segments as within them. */
static void test_formats(void **state)
{
    (void)state;
    db_need();
    for (int i = 0; i < 8; i++) {
        struct plan p = obs_plan(i & 1, i & 2);
        p.codec = i & 4 ? &codec_gzip : &codec_identity;
        p.encoder = &encoder_json;
        struct answer whole = answer_with(&p, 32 << 20, 1), parts = answer_with(&p, 4096, 3);
        assert_true(parts.segments > 20);
        assert_true(whole.segments < parts.segments);
        assert_int_equal(whole.bytes.data[0], '{');
        same_bytes(&whole, &parts);
        buf_release(&whole.bytes);
        buf_release(&parts.bytes);
    }
}

/* Guesses far too low: every statement meets its LIMIT, also within the dense minute. */
static void test_closed_early(void **state)
{
    (void)state;
    db_need();
    for (int i = 0; i < 4; i++) {
        struct plan p = obs_plan(i & 1, i & 2);
        struct expected e = expect(&p);
        p.rows_per_day = 1e-3;
        p.row_bytes = 1000;
        struct answer a = answer_with(&p, 1024, 1 + i);
        check_csv(&e, &p, &a);
        assert_true(a.segments >= 5);
        buf_release(&a.bytes);
        free(e.rows);
    }
}

static struct plan wide_plan(const struct pivot *pivot, struct field *fields, bool by_time)
{
    static const Oid oids[] = { OID_VARCHAR, OID_TIMESTAMPTZ, OID_VARCHAR, OID_FLOAT4 };
    struct plan p = obs_plan(by_time, false);
    memcpy(fields, obs_fields, 2 * sizeof(*fields));
    for (unsigned k = 0; k < KEYS; k++)
        fields[2 + k] =
            (struct field){ .name = key_names[k], .unit = "", .type = CELL_FLOAT4, .cell = 4 + k };
    p.query.columns = "station, valid, key, v";
    p.oids = oids;
    p.cells = 4 + KEYS;
    p.pivot = pivot;
    p.shape.fields = fields;
    p.shape.count = 2 + KEYS;
    return p;
}

/* How many values of each key an answer holds, and their sum. */
static void wide_sums(const struct answer *a, double sums[KEYS], size_t counts[KEYS])
{
    for (const char *line = strchr(a->bytes.data, '\n') + 1; *line != '\0';) {
        const char *at = strchr(strchr(line, ',') + 1, ',') + 1;
        for (int k = 0; k < KEYS; k++) {
            size_t n = strcspn(at, ",\n");
            counts[k] += n > 0;
            sums[k] += n > 0 ? strtod(at, NULL) : 0;
            at += n + 1;
        }
        line = at;
    }
}

/* One column per key: no value is lost among duplicates, nor where segments meet. */
static void test_wide(void **state)
{
    (void)state;
    db_need();
    const struct pivot pivot = {
        .key_cell = 2, .value_cell = 3, .keys = key_names, .count = KEYS, .first_out = 4
    };
    struct field fields[2 + KEYS];
    for (int by_time = 0; by_time < 2; by_time++) {
        struct plan p = wide_plan(&pivot, fields, by_time);
        double sums[KEYS] = { 0 }, want[KEYS] = { 0 };
        size_t counts[KEYS] = { 0 }, wanted[KEYS] = { 0 };
        for (size_t i = 0; i < archive_rows; i++) {
            const struct obs *o = &archive[i];
            if (o->valid < p.from || o->valid >= p.to)
                continue;
            want[o->key] += (double)o->v;
            wanted[o->key]++;
        }
        struct answer whole = answer_with(&p, 32 << 20, 1);
        wide_sums(&whole, sums, counts);
        for (int k = 0; k < KEYS; k++) {
            assert_int_equal(counts[k], wanted[k]);
            assert_true(fabs(sums[k] - want[k]) < 1e-6);
        }
        for (int64_t size = 1024; size <= 65536; size *= 8) {
            p.rows_per_day = size == 1024 ? 1e-3 : 24;
            struct answer parts = answer_with(&p, size, 3);
            assert_true(parts.segments > whole.segments);
            same_bytes(&whole, &parts);
            buf_release(&parts.bytes);
        }
        buf_release(&whole.bytes);
    }
}

struct killer {
    atomic_bool stop;
    unsigned kills;
};

static void *killer_main(void *arg)
{
    struct killer *k = arg;
    struct random r = random_start(77);
    PGconn *pg = PQconnectdb(db_dsn);
    while (!atomic_load(&k->stop)) {
        usleep((useconds_t)random_in(&r, 500, 30000));
        PGresult *res = PQexec(pg, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                                   "datname = current_database() AND pid <> pg_backend_pid() AND "
                                   "state = 'active' ORDER BY random() LIMIT 1");
        k->kills += PQntuples(res) > 0;
        PQclear(res);
    }
    PQfinish(pg);
    return NULL;
}

/* Backends die at any moment: the answer is right, or it fails; it is never wrong. */
static void test_backends_die(void **state)
{
    (void)state;
    db_need();
    struct killer k = { .kills = 0 };
    struct random r = random_start(5);
    struct conf conf = db_conf;
    struct err e = ERR_INIT;
    pthread_t thread;
    int right = 0;
    conf.segment_first = conf.segment_target = 8192;
    conf.workers = 3;
    struct scheduler *s = scheduler_new(&conf, &e);
    assert_non_null(s);
    assert_int_equal(pthread_create(&thread, NULL, killer_main, &k), 0);
    for (int i = 0; i < 25; i++) {
        struct plan p = obs_plan(i & 1, i & 2);
        struct expected want = expect(&p);
        struct answer a;
        assert_true(answer_take(s, &p, "me", &r, UINT32_MAX, &a));
        if (a.end == JOB_END) {
            check_csv(&want, &p, &a);
            right++;
        } else {
            assert_int_equal(a.end, JOB_FAILED);
            assert_int_equal(a.err.kind, ERR_UNAVAILABLE);
        }
        buf_release(&a.bytes);
        free(want.rows);
    }
    atomic_store(&k.stop, true);
    pthread_join(thread, NULL);
    assert_true(k.kills > 0 && scheduler_stats(s).retries > 0);
    assert_true(right > 10);
    scheduler_free(s);
    assert_int_equal(chunk_in_use(), 0);
}

static void *leaver(void *arg)
{
    struct scheduler *s = arg;
    struct random r = random_start((uint64_t)(uintptr_t)&r);
    for (int i = 0; i < 25; i++) {
        struct plan p = obs_plan(i & 1, i & 2);
        struct answer a;
        if (!answer_take(s, &p, i & 1 ? "a" : "b", &r, (unsigned)random_in(&r, 0, 6), &a))
            abort();
        if (a.end == JOB_FAILED)
            fprintf(stderr, "an answer fails: %s\n", a.err.msg);
        if (a.end == JOB_FAILED) /* another one's cancellation must not hit this one */
            abort();
        buf_release(&a.bytes);
    }
    return NULL;
}

/* Clients go at any moment: their queries are cancelled, and nobody else's. */
static void test_leave(void **state)
{
    (void)state;
    db_need();
    struct conf conf = db_conf;
    struct err e = ERR_INIT;
    pthread_t threads[4];
    conf.segment_first = conf.segment_target = 16384;
    conf.workers = 4;
    struct scheduler *s = scheduler_new(&conf, &e);
    assert_non_null(s);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, leaver, s), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    struct scheduler_stats stats = scheduler_stats(s);
    assert_int_equal(stats.jobs, 0);
    assert_int_equal(stats.ready_bytes, 0);
    assert_int_equal(stats.failures, 0);
    scheduler_free(s);
    assert_int_equal(pool_stats(archive_pool).leased, 0);
    assert_int_equal(chunk_in_use(), 0);
}

static void test_sql_fails(void **state)
{
    (void)state;
    db_need();
    struct conf conf = db_conf;
    struct err e = ERR_INIT;
    struct scheduler *s = scheduler_new(&conf, &e);
    assert_non_null(s);
    struct plan p = obs_plan(false, false);
    struct answer a;
    p.query.columns = "station, valid, 1 / (v - v), note";
    assert_true(answer_take(s, &p, "me", NULL, UINT32_MAX, &a));
    assert_int_equal(a.end, JOB_FAILED);
    assert_int_equal(a.err.kind, ERR_DATABASE);
    buf_release(&a.bytes);
    p.query.columns = "station, valid, v, note";
    p.query.stations = (const char *[]){ "A'; DROP TABLE obs" };
    p.query.count = 1;
    assert_true(answer_take(s, &p, "me", NULL, UINT32_MAX, &a));
    assert_int_equal(a.end, JOB_FAILED);
    assert_int_equal(a.err.kind, ERR_INTERNAL);
    buf_release(&a.bytes);
    assert_int_equal(scheduler_stats(s).failures, 2);
    scheduler_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_cut),      cmocka_unit_test(test_formats),
        cmocka_unit_test(test_closed_early), cmocka_unit_test(test_wide),
        cmocka_unit_test(test_backends_die), cmocka_unit_test(test_leave),
        cmocka_unit_test(test_sql_fails),
    };
    return cmocka_run_group_tests(tests, archive_setup, archive_teardown);
}
