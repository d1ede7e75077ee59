/* What the tests of the stream share: a consumer that takes an answer as an HTTP thread would. */
#ifndef OBSTREAM_TEST_STREAM_H
#define OBSTREAM_TEST_STREAM_H

#include "test_random.h"

#include "obstream/core/clock.h"
#include "obstream/stream/scheduler.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

enum { PATIENCE_SEC = 60 }; /* no answer of these tests may take longer */

struct consumer {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned suspended, woken, unused;
};

#define CONSUMER_INIT                                                                              \
    ((struct consumer){ .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER })

struct answer {
    enum job_result end;
    struct buf bytes;
    uint64_t rows, segments;
    bool truncated;
    struct err err;
};

static inline void consumer_note(struct consumer *c, unsigned *what)
{
    pthread_mutex_lock(&c->lock);
    (*what)++;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static inline void on_suspend(void *ctx)
{
    struct consumer *c = ctx;
    consumer_note(c, &c->suspended);
}

static inline void on_wake(void *ctx)
{
    struct consumer *c = ctx;
    consumer_note(c, &c->woken);
}

static inline void on_unused(void *ctx)
{
    struct consumer *c = ctx;
    consumer_note(c, &c->unused);
}

/* Waits until *what is `count`. An answer that never comes ends the test program: its threads
 * still use the memory of the test. */
static inline void consumer_wait(struct consumer *c, const unsigned *what, unsigned count)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_SEC;
    pthread_mutex_lock(&c->lock);
    while (*what < count) {
        if (pthread_cond_timedwait(&c->changed, &c->lock, &until) != 0) {
            fprintf(stderr, "a job hangs: %u suspended, %u woken, %u unused\n", c->suspended,
                    c->woken, c->unused);
            abort();
        }
    }
    pthread_mutex_unlock(&c->lock);
}

static inline struct job job_for(struct plan *p, struct consumer *c)
{
    return (struct job){ .plan = p, .wake = on_wake, .suspend = on_suspend, .wake_ctx = c };
}

/* A slow consumer leaves some bytes for later, and pauses. */
static inline void drain(struct chunk_list *list, struct buf *to, struct random *slow)
{
    char block[4096];
    size_t n, most = slow != NULL ? (size_t)random_in(slow, 0, 60000) : SIZE_MAX;
    while (most > 0 && (n = chunk_list_take(list, block, most < 4096 ? most : 4096)) > 0) {
        buf_add(to, block, n);
        most -= n;
    }
    if (slow != NULL && random_in(slow, 0, 9) == 0)
        usleep((useconds_t)random_in(slow, 0, 2000));
}

/* Leaves and waits until nobody uses the job. */
static inline void leave(struct job *j, struct consumer *c)
{
    job_leave(j, on_unused, c);
    consumer_wait(c, &c->unused, 1);
}

/* Takes the whole answer, or `takes` parts of it. False: the job was not submitted. */
static inline bool answer_take(struct scheduler *s, struct plan *p, const char *client,
                               struct random *slow, unsigned takes, struct answer *out)
{
    struct consumer c = CONSUMER_INIT;
    struct job j = job_for(p, &c);
    struct chunk_list list = CHUNK_LIST_INIT;
    *out = (struct answer){ .bytes = BUF_INIT(64 << 20), .end = JOB_BYTES };
    if (!scheduler_submit(s, &j, client, &out->err))
        return false;
    while (takes-- > 0 && (out->end == JOB_BYTES || out->end == JOB_WAIT)) {
        out->end = job_take(&j, &list);
        if (out->end == JOB_WAIT)
            consumer_wait(&c, &c.woken, c.suspended);
        drain(&list, &out->bytes, slow);
    }
    drain(&list, &out->bytes, NULL);
    chunk_list_release(&list);
    if (out->end == JOB_END || out->end == JOB_FAILED) {
        out->rows = j.rows;
        out->segments = j.segments;
        out->truncated = j.truncated;
        out->err = j.err;
    }
    leave(&j, &c);
    return true;
}

/* Replaces a gzip answer, which must be one whole member, by what it holds. */
static inline bool answer_unzip(struct answer *a)
{
    struct buf plain = BUF_INIT(64 << 20);
    z_stream z = { .next_in = (Bytef *)a->bytes.data, .avail_in = (uInt)a->bytes.len };
    if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
        return false;
    int r;
    do {
        char block[16384];
        z.next_out = (Bytef *)block;
        z.avail_out = sizeof(block);
        r = inflate(&z, Z_NO_FLUSH);
        buf_add(&plain, block, sizeof(block) - z.avail_out);
    } while (r == Z_OK);
    bool whole = r == Z_STREAM_END && z.avail_in == 0;
    inflateEnd(&z);
    buf_release(&a->bytes);
    a->bytes = plain;
    return whole;
}

#endif
