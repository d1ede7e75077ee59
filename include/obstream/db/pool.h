/*
 * Pooled connections to one connection string, and the leases workers take.
 *
 * A lease is held for one segment. Connections are made on demand up to the pool's size, are set
 * up once (UTC, read only, timeouts, no JIT, no parallel plans), are renewed after a spread
 * lifetime, and are thrown away when they break. While the server cannot be reached the pool backs
 * off: attempts are spread and grow apart to 2 s, and pool_acquire() fails at once with
 * ERR_UNAVAILABLE in between; the caller decides whether to wait. Only while other leases live
 * (a server at its max_connections, say) does it wait for one of them instead.
 *
 * A connection string may name several hosts; libpq tries them in turn.
 */
#ifndef OBSTREAM_DB_POOL_H
#define OBSTREAM_DB_POOL_H

#include "obstream/conf/conf.h"
#include "obstream/core/err.h"

#include <libpq-fe.h>
#include <stdatomic.h>
#include <stdint.h>

struct pool;

struct conn {
    PGconn *pg;
    PGcancel *cancel; /* made with the connection, usable from any thread while leased */
    struct pool *pool;
    struct conn *next;
    int64_t born, expires; /* monotonic microseconds */
    atomic_bool cancelled; /* conn_cancel() was called during this lease */
};

struct pool_stats {
    unsigned open, idle, leased, limit;
    uint64_t connects, failures, broken;
    bool down; /* the last attempt failed */
};

struct pool *pool_new(const char *dsn, const struct conf *c); /* NULL: out of memory */
void pool_free(struct pool *p); /* every lease must have been given back */

/* A connection that was good when last used; waits until `deadline` (monotonic microseconds, 0: do
 * not wait) while all are leased. ERR_UNAVAILABLE with libpq's reason (without password). */
struct conn *pool_acquire(struct pool *p, int64_t deadline, struct err *e) MUST_CHECK;

/* Gives the lease back. `broken` closes the connection; so does a connection that libpq calls bad
 * or that is inside a transaction or a copy. */
void pool_release(struct conn *c, bool broken);

struct pool_stats pool_stats(struct pool *p);
const char *pool_dsn(const struct pool *p);

/* Asks the server to stop what the connection runs, which then fails with ERR_CANCELLED. Any
 * thread; the lease must not end meanwhile (the caller holds a lock against that). */
void conn_cancel(struct conn *c);

#endif
