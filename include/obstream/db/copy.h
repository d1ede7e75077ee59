/*
 * Rows of one query, fetched as COPY ... TO STDOUT (FORMAT binary) and decoded into cells.
 *
 * Decoding follows the column's type oid: float4, float8, int2, int4, int8, bool, text, varchar,
 * bpchar (kept padded), timestamptz, date, interval, _varchar and _text (elements joined by one
 * blank, NULL elements left out), numeric is refused: cast it in the statement.
 *
 *     struct copy copy;
 *     if (!copy_begin(&copy, conn, sql, oids, count, err)) ...
 *     while ((r = copy_next(&copy, cells, err)) == ROWS_ROW) ...
 *     copy_end(&copy);           always; after an early stop it cancels and drains
 *
 * Text cells live until the next copy_next() or copy_end(). One thread. SQL errors are
 * ERR_DATABASE (ERR_TIMEOUT for query_canceled by statement_timeout, ERR_UNAVAILABLE when the
 * connection broke, server shutdown and the like: then a repetition makes sense).
 */
#ifndef OBSTREAM_DB_COPY_H
#define OBSTREAM_DB_COPY_H

#include "obstream/core/buf.h"
#include "obstream/db/pool.h"
#include "obstream/query/cell.h"

enum rows_result { ROWS_ROW, ROWS_END, ROWS_ERROR };

struct copy {
    struct conn *conn;
    const Oid *oids;
    unsigned count;
    char *row;         /* libpq's buffer of the current row */
    struct buf joined; /* arrays of the current row, joined */
    bool open, header_seen, broken; /* broken: the connection must not be used again */
};

/* `select` is one SELECT statement without semicolon. */
bool copy_begin(struct copy *c, struct conn *conn, const char *select, const Oid *oids,
                unsigned count, struct err *e) MUST_CHECK;
enum rows_result copy_next(struct copy *c, struct cell *cells, struct err *e) MUST_CHECK;
void copy_end(struct copy *c);

/* A whole small result (station table, keys): calls row() for each; false from row() stops. */
bool query_rows(struct conn *conn, const char *select, const Oid *oids, unsigned count,
                bool (*row)(void *ctx, const struct cell *cells), void *ctx,
                struct err *e) MUST_CHECK;

#endif
