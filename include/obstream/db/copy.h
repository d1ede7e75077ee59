/*
 * Rows of one query, fetched as COPY ... TO STDOUT (FORMAT binary) and decoded into cells.
 *
 * Decoding follows the column's type oid: float4, float8, int2, int4, int8, bool, text, varchar,
 * bpchar (kept padded), timestamptz, date, interval, _varchar and _text (elements joined by one
 * blank, NULL elements left out), numeric is refused: cast it in the statement. The values
 * infinity and -infinity of timestamptz and date are INT64_MAX and INT64_MIN; finite values that
 * 64 bits cannot hold become the nearest finite one.
 *
 *     struct copy copy;
 *     if (!copy_begin(&copy, conn, sql, oids, count, err)) ...
 *     while ((r = copy_next(&copy, cells, err)) == ROWS_ROW) ...
 *     copy_end(&copy);           always; after an early stop it cancels and drains
 *
 * Text cells live until the next copy_next() or copy_end(). One thread. SQL errors are
 * ERR_DATABASE (ERR_TIMEOUT for query_canceled by statement_timeout, ERR_CANCELLED when it was
 * conn_cancel(), ERR_UNAVAILABLE when the connection broke, server shutdown and the like: then a
 * repetition makes sense).
 */
#ifndef OBSTREAM_DB_COPY_H
#define OBSTREAM_DB_COPY_H

#include "obstream/db/pool.h"
#include "obstream/query/cell.h"

enum rows_result { ROWS_ROW, ROWS_END, ROWS_ERROR };

/* Types that can be decoded; the numbers are fixed by PostgreSQL (catalog pg_type). */
enum copy_oid {
    OID_BOOL = 16,
    OID_INT8 = 20,
    OID_INT2 = 21,
    OID_INT4 = 23,
    OID_TEXT = 25,
    OID_FLOAT4 = 700,
    OID_FLOAT8 = 701,
    OID_TEXT_ARRAY = 1009,
    OID_VARCHAR_ARRAY = 1015,
    OID_BPCHAR = 1042,
    OID_VARCHAR = 1043,
    OID_DATE = 1082,
    OID_TIMESTAMPTZ = 1184,
    OID_INTERVAL = 1186,
};

enum { COPY_COLUMNS = 128 }; /* of one statement at most */

struct copy_decoder;

struct copy {
    struct conn *conn;
    unsigned count;
    char *row;       /* libpq's buffer of the current row */
    char *pos, *end; /* what is left of it */
    bool open, header_seen, failed;
    bool broken; /* the connection must not be used again */
    const struct copy_decoder *decoders[COPY_COLUMNS];
};

bool copy_decodes(Oid oid); /* false: the column must be cast in the statement */

/* `select` is one SELECT statement without semicolon. */
bool copy_begin(struct copy *c, struct conn *conn, const char *select, const Oid *oids,
                unsigned count, struct err *e) MUST_CHECK;
enum rows_result copy_next(struct copy *c, struct cell *cells, struct err *e) MUST_CHECK;
void copy_end(struct copy *c);

/* A whole small result (station table, keys): calls row() for each; false from row() stops, and
 * is no failure. A connection that broke is found out by pool_release(). */
bool query_rows(struct conn *conn, const char *select, const Oid *oids, unsigned count,
                bool (*row)(void *ctx, const struct cell *cells), void *ctx,
                struct err *e) MUST_CHECK;

#endif
