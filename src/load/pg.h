/* libpq with the loader's way of reporting failures. Internal to the loader. */
#ifndef OBSTREAM_LOAD_PG_H
#define OBSTREAM_LOAD_PG_H

#include "obstream/core/err.h"

#include <libpq-fe.h>

/* Connects and sets the session up (UTC, UTF-8, no timeouts). NULL: ERR_UNAVAILABLE with the reason
 * and without the password. */
PGconn *pg_open(const char *dsn, struct err *e) MUST_CHECK;

/* Runs one statement, or several without parameters; false with the server's message. */
bool pg_run(PGconn *pg, const char *sql, struct err *e) MUST_CHECK;

/* A statement with rows, and text parameters; NULL on failure, else to be cleared by PQclear(). */
PGresult *pg_query(PGconn *pg, const char *sql, int count, const char *const *values,
                   struct err *e) MUST_CHECK;

/* Records why `res` (may be NULL) failed; always false. `state`, when not NULL, receives the
 * SQLSTATE, 6 bytes. */
bool pg_fail(PGconn *pg, const PGresult *res, char *state, struct err *e);

#endif
