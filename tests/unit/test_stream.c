/* The stream over rows from memory: jobs, limits, queue, turns. */
#include "obstream/core/strutil.h"

#include "test_stream.h"

#include "obstream/stream/sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct rows {
    uint64_t count;
    unsigned pause_usec; /* before the first row */
};

static const struct field fields[] = {
    { .name = "i", .unit = "", .type = CELL_INT, .cell = 0 },
    { .name = "text", .unit = "", .type = CELL_TEXT, .cell = 1 },
};

static void generate(const struct plan *p, struct sink *sink)
{
    const struct rows *r = p->ctx;
    char text[64];
    usleep(r->pause_usec);
    for (uint64_t i = 0; i < r->count; i++) {
        int n = snprintf(text, sizeof(text), "row %llu", (unsigned long long)i * 7919);
        struct cell cells[] = { cell_int((int64_t)i), cell_text(text, (uint32_t)n) };
        if (!sink_row(sink, cells))
            return;
    }
}

static struct plan plan_of(const struct rows *r, const struct encoder *e, const struct codec *c)
{
    return (struct plan){ .ctx = r,
                          .generate = generate,
                          .to = 1,
                          .cells = 2,
                          .encoder = e,
                          .codec = c,
                          .level = -1,
                          .shape = { .fields = fields,
                                     .count = ARRAY_SIZE(fields),
                                     .missing = "",
                                     .lon_cell = -1,
                                     .lat_cell = -1 } };
}

static struct scheduler *started(struct conf *conf, int64_t workers)
{
    struct err e = ERR_INIT;
    if (!conf_init(conf, &e))
        fail_msg("%s", e.msg);
    conf->workers = workers;
    struct scheduler *s = scheduler_new(conf, &e);
    if (s == NULL)
        fail_msg("%s", e.msg);
    assert_int_equal(scheduler_stats(s).workers, workers);
    return s;
}

/* Nothing is left behind. */
static void stopped(struct scheduler *s, struct conf *conf)
{
    struct scheduler_stats stats = scheduler_stats(s);
    assert_int_equal(stats.jobs, 0);
    assert_int_equal(stats.clients, 0);
    assert_int_equal(stats.ready_bytes, 0);
    scheduler_free(s);
    conf_release(conf);
    assert_int_equal(chunk_in_use(), 0);
}

static void csv_is(const struct answer *a, uint64_t count)
{
    struct buf want = BUF_INIT(64 << 20);
    buf_puts(&want, "i,text\n");
    for (uint64_t i = 0; i < count; i++)
        buf_printf(&want, "%llu,row %llu\n", (unsigned long long)i, (unsigned long long)i * 7919);
    assert_false(want.failed);
    assert_int_equal(a->bytes.len, want.len);
    assert_memory_equal(a->bytes.data, want.data, want.len);
    buf_release(&want);
}

static void test_rows(void **state)
{
    (void)state;
    static const uint64_t counts[] = { 0, 1, 2, 5000, 100000 };
    struct conf conf;
    struct scheduler *s = started(&conf, 2);
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
        for (int zip = 0; zip < 2; zip++) {
            struct rows r = { .count = counts[i] };
            struct plan p = plan_of(&r, &encoder_csv, zip ? &codec_gzip : &codec_identity);
            struct answer a;
            assert_true(answer_take(s, &p, "me", NULL, UINT32_MAX, &a));
            assert_int_equal(a.end, JOB_END);
            assert_true(!zip || answer_unzip(&a));
            assert_int_equal(a.rows, counts[i]);
            assert_false(a.truncated);
            csv_is(&a, counts[i]);
            buf_release(&a.bytes);
        }
    }
    stopped(s, &conf);
}

static void test_limit(void **state)
{
    (void)state;
    enum { ROWS = 3000 };
    static const uint64_t limits[] = { 1, ROWS - 1, ROWS, ROWS + 1, UINT64_MAX };
    struct conf conf;
    struct scheduler *s = started(&conf, 2);
    for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
        struct rows r = { .count = ROWS };
        struct plan p = plan_of(&r, &encoder_csv, &codec_identity);
        struct answer a;
        p.row_limit = limits[i];
        assert_true(answer_take(s, &p, "me", NULL, UINT32_MAX, &a));
        assert_int_equal(a.end, JOB_END);
        assert_int_equal(a.truncated, limits[i] < ROWS);
        csv_is(&a, limits[i] < ROWS ? limits[i] : ROWS);
        buf_release(&a.bytes);
    }
    stopped(s, &conf);
}

static void test_empty_window(void **state)
{
    (void)state;
    struct conf conf;
    struct scheduler *s = started(&conf, 1);
    struct rows r = { .count = 9 };
    struct plan p = plan_of(&r, &encoder_json, &codec_gzip);
    struct answer a;
    p.from = p.to;
    assert_true(answer_take(s, &p, "me", NULL, UINT32_MAX, &a));
    assert_int_equal(a.end, JOB_END);
    assert_true(answer_unzip(&a));
    assert_int_equal(a.rows, 0);
    assert_int_equal(a.bytes.data[0], '{');
    buf_release(&a.bytes);
    stopped(s, &conf);
}

static void test_queue_limit(void **state)
{
    (void)state;
    struct conf conf;
    struct scheduler *s = started(&conf, 1);
    conf.queue_limit = 2;
    struct rows r = { .count = 1 };
    struct plan p = plan_of(&r, &encoder_csv, &codec_identity);
    struct consumer c[3] = { CONSUMER_INIT, CONSUMER_INIT, CONSUMER_INIT };
    struct job j[3] = { job_for(&p, &c[0]), job_for(&p, &c[1]), job_for(&p, &c[2]) };
    struct err e = ERR_INIT;
    assert_true(scheduler_submit(s, &j[0], "a", &e));
    assert_true(scheduler_submit(s, &j[1], "b", &e));
    assert_false(scheduler_submit(s, &j[2], "c", &e));
    assert_int_equal(e.kind, ERR_UNAVAILABLE);
    assert_non_null(strstr(e.msg, "stream.queue_limit"));
    assert_int_equal(scheduler_stats(s).clients, 2);
    for (int i = 0; i < 3; i++)
        leave(&j[i], &c[i]); /* also the one that was refused */
    stopped(s, &conf);
}

/* One worker, one client with many jobs: another client's only job does not wait for them all. */
static void test_turns(void **state)
{
    (void)state;
    enum { GREEDY = 40 };
    struct conf conf;
    struct scheduler *s = started(&conf, 1);
    struct rows slow = { .count = 10, .pause_usec = 20000 };
    struct plan p = plan_of(&slow, &encoder_csv, &codec_identity);
    static struct consumer c[GREEDY];
    static struct job j[GREEDY];
    struct err e = ERR_INIT;
    for (int i = 0; i < GREEDY; i++) {
        c[i] = CONSUMER_INIT;
        j[i] = job_for(&p, &c[i]);
        assert_true(scheduler_submit(s, &j[i], "greedy", &e));
    }
    struct answer a;
    assert_true(answer_take(s, &p, "modest", NULL, UINT32_MAX, &a));
    csv_is(&a, 10);
    buf_release(&a.bytes);
    uint64_t before = scheduler_stats(s).segments;
    assert_in_range(before, 1, 6);
    for (int i = 0; i < GREEDY; i++)
        leave(&j[i], &c[i]);
    stopped(s, &conf);
}

static void test_fail_wakes(void **state)
{
    (void)state;
    struct conf conf;
    struct scheduler *s = started(&conf, 1);
    struct rows slow = { .count = 10, .pause_usec = 200000 };
    struct plan p = plan_of(&slow, &encoder_csv, &codec_identity);
    struct consumer c = CONSUMER_INIT;
    struct job j = job_for(&p, &c);
    struct chunk_list list = CHUNK_LIST_INIT;
    struct err e = ERR_INIT;
    assert_true(scheduler_submit(s, &j, "me", &e));
    assert_int_equal(job_look(&j), JOB_WAIT);
    job_fail(&j, ERR_CANCELLED, "gone");
    consumer_wait(&c, &c.woken, 1);
    assert_int_equal(job_take(&j, &list), JOB_FAILED);
    assert_int_equal(j.err.kind, ERR_CANCELLED);
    assert_string_equal(j.err.msg, "gone");
    job_fail(&j, ERR_TIMEOUT, "the first failure stays");
    assert_int_equal(j.err.kind, ERR_CANCELLED);
    leave(&j, &c);
    assert_int_equal(c.woken, 1);
    assert_int_equal(list.bytes, 0);
    stopped(s, &conf);
}

/* Threads that take some and leave. */
static void *leaver(void *arg)
{
    struct scheduler *s = arg;
    struct random r = random_start((uint64_t)(uintptr_t)&r);
    for (int i = 0; i < 60; i++) {
        struct rows rows = { .count = (uint64_t)random_in(&r, 0, 20000),
                             .pause_usec = (unsigned)random_in(&r, 0, 500) };
        struct plan p = plan_of(&rows, &encoder_ndjson, &codec_gzip);
        struct answer a;
        if (!answer_take(s, &p, i % 2 ? "odd" : "even", &r, (unsigned)random_in(&r, 0, 3), &a))
            abort();
        buf_release(&a.bytes);
    }
    return NULL;
}

static void test_leave(void **state)
{
    (void)state;
    struct conf conf;
    struct scheduler *s = started(&conf, 2);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, leaver, s), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    stopped(s, &conf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),         cmocka_unit_test(test_limit),
        cmocka_unit_test(test_empty_window), cmocka_unit_test(test_queue_limit),
        cmocka_unit_test(test_turns),        cmocka_unit_test(test_fail_wakes),
        cmocka_unit_test(test_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
