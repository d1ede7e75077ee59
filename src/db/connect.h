/* Opening and closing one connection; internal to the pool. */
#ifndef OBSTREAM_DB_CONNECT_H
#define OBSTREAM_DB_CONNECT_H

#include "obstream/db/pool.h"

enum { REASON_SIZE = 512 };

struct connect_spec {
    char *dsn;
    char *secrets[2];  /* words no message may hold; NULL: none */
    const char *fault; /* why the connection string cannot be used; NULL: it can */
    char timeout[24];  /* seconds */
    char *setup;       /* statements run once on every connection */
};

bool connect_spec_init(struct connect_spec *s, const char *dsn, const struct conf *c); /* memory */
void connect_spec_release(struct connect_spec *s);

/* Connects and sets up. NULL with the reason, REASON_SIZE bytes, on one line, without secrets. */
struct conn *conn_open(const struct connect_spec *s, char *reason);
void conn_close(struct conn *c);

/* Is an unused connection still good? Costs one poll() and no round trip. */
bool conn_alive(const struct conn *c);

/* conn_cancel() for the lease's own use: does not mark the lease as cancelled. */
void conn_interrupt(struct conn *c);

#endif
