#include "internal.h"

#include "obstream/core/clock.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MIN_WORKERS = 4, MAX_WORKERS = 64, DELAY_POLL_MSEC = 25 };

static void mark_busy(struct worker *w, struct job *j, bool ahead)
{
    struct scheduler *s = w->sched;
    w->job = j;
    w->ahead = ahead;
    s->busy++;
    s->busy_ahead += ahead;
}

static void mark_idle(struct worker *w)
{
    struct scheduler *s = w->sched;
    w->job = NULL;
    s->busy--;
    s->busy_ahead -= w->ahead;
}

/* Lock held on entry and exit, not while the database works. */
static void run_prepare(struct worker *w, struct job *j)
{
    struct scheduler *s = w->sched;
    struct fetched got = { 0 };
    j->preparing = true;
    pthread_mutex_unlock(&s->lock);
    bool ok = fetch_prepare(w, j, &got.err);
    pthread_mutex_lock(&s->lock);
    mark_idle(w);
    j->preparing = false;
    if (ok) {
        j->prepared = true;
        j->attempts = 0;
        j->retry_at = j->unavailable_since = 0;
        cursor_init(&j->cursor, j->plan, s->conf);
    }
    job_complete(j, NULL, &got);
}

static bool next_piece(struct job *j, struct piece *out)
{
    if (j->retry != NULL) {
        struct piece *piece = j->retry;
        j->retry = piece->next;
        *out = *piece;
        free(piece);
        return true;
    }
    return cursor_next(j, job_target(j->sched), out);
}

static void run_piece(struct worker *w, struct job *j)
{
    struct scheduler *s = w->sched;
    struct piece piece;
    struct fetched got;
    if (!next_piece(j, &piece)) { /* cannot be: only jobs with work are on a list */
        mark_idle(w);
        return;
    }
    uint64_t remaining = UINT64_MAX;
    if (j->plan->row_limit > 0) {
        remaining = j->plan->row_limit - j->rows;
        if (piece.slice.limit > remaining + 1 && j->plan->pivot == NULL)
            piece.slice.limit = remaining + 1;
    }
    j->in_flight++;
    job_relist(j); /* it may want to read ahead */
    pthread_mutex_unlock(&s->lock);
    fetch_piece(w, j, &piece, remaining, &got);
    pthread_mutex_lock(&s->lock);
    mark_idle(w);
    job_complete(j, &piece, &got);
}

static void wait_for_work(struct scheduler *s)
{
    if (s->ring[LIST_DELAYED] == NULL) {
        pthread_cond_wait(&s->work, &s->lock);
        return;
    }
    int64_t until = clock_mono() + DELAY_POLL_MSEC * 1000;
    struct timespec ts = { .tv_sec = until / 1000000, .tv_nsec = until % 1000000 * 1000 };
    pthread_cond_timedwait(&s->work, &s->lock, &ts);
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    struct scheduler *s = w->sched;
    pthread_mutex_lock(&s->lock);
    while (!s->stop) {
        bool ahead;
        struct job *j = queue_pick(s, &ahead);
        if (j == NULL) {
            wait_for_work(s);
            continue;
        }
        mark_busy(w, j, ahead);
        if (j->prepared)
            run_piece(w, j);
        else
            run_prepare(w, j);
        pthread_cond_signal(&s->work); /* memory or a place to read ahead may be free now */
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static void cancel_lease(struct worker *w)
{
    pthread_mutex_lock(&w->lease_lock);
    if (w->conn != NULL && !w->cancel_sent && atomic_load(&w->leased_for->cancelled)) {
        w->cancel_sent = true;
        conn_cancel(w->conn);
    }
    pthread_mutex_unlock(&w->lease_lock);
}

/* Cancels queries of jobs that were left: PQcancel may wait for the network, an HTTP thread must
 * not. */
static void *reaper_main(void *arg)
{
    struct scheduler *s = arg;
    pthread_mutex_lock(&s->lock);
    while (!s->stop) {
        if (s->pending_cancel == 0) {
            pthread_cond_wait(&s->reap, &s->lock);
            continue;
        }
        s->pending_cancel = 0;
        for (unsigned i = 0; i < s->worker_count; i++) {
            struct worker *w = &s->workers[i];
            if (w->job == NULL || !atomic_load(&w->job->cancelled))
                continue;
            pthread_mutex_unlock(&s->lock);
            cancel_lease(w);
            pthread_mutex_lock(&s->lock);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static unsigned worker_number(const struct conf *conf)
{
    if (conf->workers > 0)
        return (unsigned)conf->workers;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long n = cores * 2 + 2;
    return n < MIN_WORKERS ? MIN_WORKERS : n > MAX_WORKERS ? MAX_WORKERS : (unsigned)n;
}

static void locks_init(struct scheduler *s)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, &attr);
    pthread_cond_init(&s->reap, &attr);
    pthread_condattr_destroy(&attr);
}

static bool start_threads(struct scheduler *s)
{
    unsigned n = worker_number(s->conf);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    s->workers = calloc(n, sizeof(*s->workers));
    s->reaping = s->workers != NULL && pthread_create(&s->reaper, NULL, reaper_main, s) == 0;
    if (!s->reaping)
        return false;
    /* Reading ahead keeps the cores busy; more would only delay others. */
    s->ahead_limit = cores + 1 < n - 1 ? (unsigned)cores + 1 : n - 1;
    for (unsigned i = 0; i < n; i++) {
        struct worker *w = &s->workers[i];
        w->sched = s;
        sink_init(&w->sink);
        pthread_mutex_init(&w->lease_lock, NULL);
        if (pthread_create(&w->thread, NULL, worker_main, w) != 0)
            return false;
        s->worker_count++;
    }
    return true;
}

struct scheduler *scheduler_new(const struct conf *conf, struct err *e)
{
    struct scheduler *s = calloc(1, sizeof(*s));
    if (s == NULL) {
        err_set(e, ERR_INTERNAL, "out of memory");
        return NULL;
    }
    s->conf = conf;
    locks_init(s);
    if (!start_threads(s)) {
        err_set(e, ERR_INTERNAL, "cannot start worker threads (stream.workers)");
        scheduler_free(s);
        return NULL;
    }
    return s;
}

void scheduler_free(struct scheduler *s)
{
    if (s == NULL)
        return;
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_broadcast(&s->work);
    pthread_cond_broadcast(&s->reap);
    pthread_mutex_unlock(&s->lock);
    for (unsigned i = 0; i < s->worker_count; i++) {
        pthread_join(s->workers[i].thread, NULL);
        sink_release(&s->workers[i].sink);
        pthread_mutex_destroy(&s->workers[i].lease_lock);
    }
    if (s->reaping)
        pthread_join(s->reaper, NULL);
    pthread_cond_destroy(&s->work);
    pthread_cond_destroy(&s->reap);
    pthread_mutex_destroy(&s->lock);
    free(s->workers);
    free(s);
}

bool scheduler_submit(struct scheduler *s, struct job *j, const char *client, struct err *e)
{
    j->sched = s;
    j->list = LIST_NONE;
    atomic_init(&j->cancelled, false);
    pthread_mutex_lock(&s->lock);
    bool ok = s->job_count < (uint64_t)s->conf->queue_limit;
    j->client = ok ? client_get(s, client) : NULL;
    if (j->client != NULL) {
        j->client->jobs++;
        s->job_count++;
        j->submitted = true;
        j->prepared = j->plan->prepare == NULL;
        if (j->prepared)
            cursor_init(&j->cursor, j->plan, s->conf);
        job_relist(j);
    }
    pthread_mutex_unlock(&s->lock);
    if (!ok)
        return err_set(e, ERR_UNAVAILABLE, "%lld answers are waiting already (stream.queue_limit)",
                       (long long)s->conf->queue_limit);
    return j->submitted || err_set(e, ERR_INTERNAL, "out of memory");
}

struct scheduler_stats scheduler_stats(struct scheduler *s)
{
    pthread_mutex_lock(&s->lock);
    struct scheduler_stats stats = s->stats;
    stats.workers = s->worker_count;
    stats.busy = s->busy;
    stats.jobs = s->job_count;
    stats.ready_bytes = s->ready_bytes;
    pthread_mutex_unlock(&s->lock);
    return stats;
}
