#include "obstream/db/pool.h"

#include "connect.h"

#include "obstream/core/clock.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Microseconds. A pause is drawn from the upper half of the back-off. */
enum { BACKOFF_FIRST = 100000, BACKOFF_LAST = 2000000 };

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a lease or an attempt to connect has ended */
    struct connect_spec spec;
    struct conn *idle; /* last used first, so that the surplus grows old */
    struct pool_stats stats;
    unsigned connecting;
    bool probing;     /* down, and one attempt is under way */
    int64_t retry_at; /* down: no attempt before */
    int64_t backoff, lifetime;
    uint64_t random;
    char reason[REASON_SIZE]; /* of the last failure */
};

static bool cond_init_mono(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    if (pthread_condattr_init(&attr) != 0)
        return false;
    bool ok = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(cond, &attr) == 0;
    pthread_condattr_destroy(&attr);
    return ok;
}

struct pool *pool_new(const char *dsn, const struct conf *c)
{
    struct pool *p = calloc(1, sizeof(*p));
    if (p == NULL)
        return NULL;
    if (!connect_spec_init(&p->spec, dsn, c) || !cond_init_mono(&p->changed)) {
        connect_spec_release(&p->spec);
        free(p);
        return NULL;
    }
    pthread_mutex_init(&p->lock, NULL);
    p->stats.limit = (unsigned)c->pool_size;
    p->lifetime = c->connection_lifetime * 1000000;
    p->random = (uint64_t)clock_wall() ^ (uint64_t)(uintptr_t)p;
    return p;
}

void pool_free(struct pool *p)
{
    if (p == NULL)
        return;
    assert(p->stats.leased == 0 && p->connecting == 0);
    while (p->idle != NULL) {
        struct conn *c = p->idle;
        p->idle = c->next;
        conn_close(c);
    }
    connect_spec_release(&p->spec);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* 0 to n - 1, by splitmix64 (Steele, Lea, Flood 2014): it spreads load and keeps no secret. */
static int64_t random_below(struct pool *p, int64_t n)
{
    uint64_t z = p->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return n <= 0 ? 0 : (int64_t)((z ^ (z >> 31)) % (uint64_t)n);
}

/* Attempts that failed together lengthen the pause once. */
static void failure_note(struct pool *p, bool probe, const char *reason)
{
    p->stats.failures++;
    memcpy(p->reason, reason, sizeof(p->reason));
    if (p->stats.down && !probe)
        return;
    p->backoff = p->stats.down ? p->backoff * 2 : BACKOFF_FIRST;
    if (p->backoff > BACKOFF_LAST)
        p->backoff = BACKOFF_LAST;
    p->retry_at = clock_mono() + p->backoff / 2 + random_below(p, p->backoff / 2);
    p->stats.down = true;
}

static bool connect_allowed(const struct pool *p)
{
    if (p->stats.open + p->connecting >= p->stats.limit)
        return false;
    return !p->stats.down || (!p->probing && clock_mono() >= p->retry_at);
}

/* Both takers are called with the lock held and drop it meanwhile. */
static struct conn *take_new(struct pool *p)
{
    char reason[REASON_SIZE] = "";
    bool probe = p->stats.down;
    p->probing |= probe;
    p->connecting++;
    pthread_mutex_unlock(&p->lock);
    struct conn *c = conn_open(&p->spec, reason);
    pthread_mutex_lock(&p->lock);
    p->connecting--;
    if (probe)
        p->probing = false;
    if (c != NULL) {
        p->stats.down = false;
        p->stats.connects++;
        p->stats.open++;
        p->stats.leased++;
        c->pool = p;
        c->expires = c->born + p->lifetime - random_below(p, p->lifetime / 4);
    } else {
        failure_note(p, probe, reason);
    }
    pthread_cond_broadcast(&p->changed);
    return c;
}

static struct conn *take_idle(struct pool *p)
{
    struct conn *c = p->idle;
    p->idle = c->next;
    p->stats.idle--;
    p->stats.leased++;
    pthread_mutex_unlock(&p->lock);
    bool expired = clock_mono() >= c->expires;
    bool good = !expired && conn_alive(c);
    if (!good)
        conn_close(c);
    pthread_mutex_lock(&p->lock);
    if (good)
        return c;
    p->stats.leased--;
    p->stats.open--;
    p->stats.broken += !expired;
    pthread_cond_signal(&p->changed);
    return NULL;
}

/* False, with the error set, when waiting is pointless or over. */
static bool wait_for_change(struct pool *p, int64_t deadline, struct err *e)
{
    int64_t now = clock_mono();
    const struct pool_stats *s = &p->stats;
    if (s->down && (s->leased == 0 || now >= deadline))
        return err_set(e, ERR_UNAVAILABLE,
                       "no connection to the database (database.dsn, OBSTREAM_DSN): %s", p->reason);
    if (now >= deadline)
        return err_set(e, ERR_UNAVAILABLE,
                       "all %u connections to the database are in use: "
                       "try again, or raise database.pool_size",
                       s->limit);
    int64_t until = deadline;
    bool room = s->open + p->connecting < s->limit;
    if (s->down && room && !p->probing && p->retry_at < until)
        until = p->retry_at;
    struct timespec ts = { .tv_sec = until / 1000000, .tv_nsec = until % 1000000 * 1000 };
    pthread_cond_timedwait(&p->changed, &p->lock, &ts);
    return true;
}

struct conn *pool_acquire(struct pool *p, int64_t deadline, struct err *e)
{
    struct conn *c = NULL;
    pthread_mutex_lock(&p->lock);
    while (c == NULL) {
        if (p->idle != NULL)
            c = take_idle(p);
        else if (connect_allowed(p))
            c = take_new(p);
        else if (!wait_for_change(p, deadline, e))
            break;
    }
    pthread_mutex_unlock(&p->lock);
    if (c != NULL)
        atomic_store(&c->cancelled, false);
    return c;
}

void pool_release(struct conn *c, bool broken)
{
    struct pool *p = c->pool;
    bool bad =
        broken || PQstatus(c->pg) != CONNECTION_OK || PQtransactionStatus(c->pg) != PQTRANS_IDLE;
    bool keep = !bad && clock_mono() < c->expires;
    if (!keep)
        conn_close(c);
    pthread_mutex_lock(&p->lock);
    p->stats.leased--;
    p->stats.broken += bad;
    if (keep) {
        c->next = p->idle;
        p->idle = c;
        p->stats.idle++;
    } else {
        p->stats.open--;
    }
    /* The last broken lease of a dead server is news for all who wait. */
    if (p->stats.down)
        pthread_cond_broadcast(&p->changed);
    else
        pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

struct pool_stats pool_stats(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    struct pool_stats s = p->stats;
    pthread_mutex_unlock(&p->lock);
    return s;
}

const char *pool_dsn(const struct pool *p)
{
    return p->spec.dsn;
}
