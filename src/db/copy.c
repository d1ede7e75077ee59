#include "obstream/db/copy.h"

#include "connect.h"
#include "decode.h"
#include "pgerr.h"

#include "obstream/core/buf.h"
#include "obstream/core/clock.h"

#include <poll.h>

enum { DRAIN_USEC = 2000000 };

/* The signature of a binary COPY: PostgreSQL manual, COPY, "Binary Format". */
static const char signature[11] = "PGCOPY\n\377\r\n";

bool copy_decodes(Oid oid)
{
    return decoder_find(oid) != NULL;
}

static bool decoders_choose(struct copy *c, const Oid *oids, struct err *e)
{
    if (c->count > COPY_COLUMNS)
        return err_set(e, ERR_INTERNAL, "%u columns in one statement; %d are possible", c->count,
                       COPY_COLUMNS);
    for (unsigned i = 0; i < c->count; i++) {
        c->decoders[i] = decoder_find(oids[i]);
        if (c->decoders[i] == NULL)
            return err_set(e, ERR_INTERNAL,
                           "column %u has type %u of pg_type, which is not read: "
                           "cast it in the statement",
                           i + 1, oids[i]);
    }
    return true;
}

/* Ends the exchange, so that the connection is free for the next statement. */
static void results_discard(struct copy *c)
{
    PGresult *res;
    while ((res = PQgetResult(c->conn->pg)) != NULL) {
        ExecStatusType status = PQresultStatus(res);
        PQclear(res);
        if (status == PGRES_COPY_OUT || status == PGRES_COPY_IN || status == PGRES_COPY_BOTH)
            break; /* it would be given again and again; pool_release() sees the open copy */
    }
    c->open = false;
}

/* Records the failure of `res`, which it clears, and ends the exchange. */
static bool copy_fail(struct copy *c, PGresult *res, struct err *e)
{
    c->failed = true;
    c->broken |= !pgerr_record(c->conn, res, e);
    PQclear(res);
    results_discard(c);
    return false;
}

static bool statement_send(struct copy *c, const char *select, struct err *e)
{
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL + 64);
    buf_puts(&sql, "COPY (");
    buf_puts(&sql, select);
    buf_puts(&sql, ") TO STDOUT (FORMAT binary)");
    bool sent = false;
    if (sql.failed)
        err_set(e, ERR_TOO_LARGE, "the statement is longer than %d bytes", (int)BUF_LIMIT_SQL);
    else
        sent = PQsendQuery(c->conn->pg, sql.data) == 1 || copy_fail(c, NULL, e);
    buf_release(&sql);
    return sent;
}

bool copy_begin(struct copy *c, struct conn *conn, const char *select, const Oid *oids,
                unsigned count, struct err *e)
{
    *c = (struct copy){ .conn = conn, .count = count };
    if (!decoders_choose(c, oids, e) || !statement_send(c, select, e)) {
        c->failed = true;
        return false;
    }
    PGresult *res = PQgetResult(conn->pg);
    if (PQresultStatus(res) != PGRES_COPY_OUT)
        return copy_fail(c, res, e);
    c->open = true;
    unsigned got = (unsigned)PQnfields(res);
    PQclear(res);
    c->failed = got != count;
    return !c->failed ||
           err_set(e, ERR_INTERNAL, "the statement yields %u columns, not %u", got, count);
}

static enum rows_result malformed(struct copy *c, struct err *e, const char *what)
{
    c->failed = true;
    err_set(e, ERR_DATABASE, "the database sent a COPY stream that cannot be read: %s", what);
    return ROWS_ERROR;
}

/* Steps over signature, flags and extension. */
static bool header_skip(struct copy *c)
{
    size_t size = sizeof(signature) + 8, have = (size_t)(c->end - c->pos);
    if (have < size || memcmp(c->pos, signature, sizeof(signature)) != 0)
        return false;
    uint32_t flags = load32(c->pos + sizeof(signature));
    uint32_t extension = load32(c->pos + sizeof(signature) + 4);
    if (flags >> 16 != 0 || extension > have - size)
        return false;
    c->pos += size + extension;
    c->header_seen = true;
    return true;
}

/* One message of the server: a row as a rule, perhaps with the header before it. */
static enum rows_result message_fetch(struct copy *c, struct err *e)
{
    PQfreemem(c->row);
    c->row = c->pos = c->end = NULL;
    int n = PQgetCopyData(c->conn->pg, &c->row, 0);
    if (n >= 0) {
        c->pos = c->row;
        c->end = c->row + n;
        return c->header_seen || header_skip(c) ? ROWS_ROW : malformed(c, e, "no header");
    }
    c->broken |= n < -1;
    PGresult *res = n == -1 ? PQgetResult(c->conn->pg) : NULL;
    if (PQresultStatus(res) != PGRES_COMMAND_OK) {
        copy_fail(c, res, e);
        return ROWS_ERROR;
    }
    PQclear(res);
    results_discard(c);
    return ROWS_END;
}

static enum rows_result row_decode(struct copy *c, struct cell *cells, struct err *e)
{
    char *p = c->pos + 2, *end = c->end;
    const unsigned count = c->count;
    for (unsigned i = 0; i < count; i++) {
        const struct copy_decoder *d = c->decoders[i];
        if (end - p < 4)
            return malformed(c, e, "a row is cut off");
        uint32_t len = load32(p);
        p += 4;
        if (len == UINT32_MAX) {
            cells[i] = cell_null();
            continue;
        }
        if (len > (size_t)(end - p))
            return malformed(c, e, "a value is cut off");
        if ((d->width != 0 && len != d->width) || !d->decode(p, len, &cells[i])) {
            c->failed = true;
            err_set(e, ERR_INTERNAL,
                    "column %u of the answer, %u bytes, is not of type %u of "
                    "pg_type",
                    i + 1, len, d->oid);
            return ROWS_ERROR;
        }
        p += len;
    }
    c->pos = p;
    return ROWS_ROW;
}

enum rows_result copy_next(struct copy *c, struct cell *cells, struct err *e)
{
    if (c->failed || !c->open)
        return c->failed ? ROWS_ERROR : ROWS_END;
    for (;;) {
        while (c->pos == c->end) {
            enum rows_result r = message_fetch(c, e);
            if (r != ROWS_ROW)
                return r;
        }
        if (c->end - c->pos < 2)
            return malformed(c, e, "a row is cut off");
        uint16_t fields = load16(c->pos);
        if (fields == c->count)
            return row_decode(c, cells, e);
        if (fields != UINT16_MAX)
            return malformed(c, e, "a row has another number of columns");
        c->pos += 2; /* the trailer; the end of the stream follows */
    }
}

/* Waits for more of the stream; false when the time is over or the connection broke. */
static bool drain_wait(PGconn *pg, int64_t deadline)
{
    int64_t left = deadline - clock_mono();
    struct pollfd fd = { .fd = PQsocket(pg), .events = POLLIN };
    return left > 0 && poll(&fd, 1, (int)(left / 1000) + 1) > 0 && PQconsumeInput(pg) == 1;
}

static bool drain_rows(PGconn *pg, int64_t deadline)
{
    int n;
    do {
        char *row = NULL;
        n = PQgetCopyData(pg, &row, 1);
        PQfreemem(row);
        if (n == 0 && !drain_wait(pg, deadline))
            return false;
    } while (n >= 0 && clock_mono() < deadline);
    return n < 0;
}

static bool drain(PGconn *pg)
{
    int64_t deadline = clock_mono() + DRAIN_USEC;
    if (!drain_rows(pg, deadline))
        return false;
    for (;;) {
        while (PQisBusy(pg)) {
            if (!drain_wait(pg, deadline))
                return false;
        }
        PGresult *res = PQgetResult(pg);
        if (res == NULL)
            return PQstatus(pg) == CONNECTION_OK;
        PQclear(res);
    }
}

void copy_end(struct copy *c)
{
    PQfreemem(c->row);
    c->row = c->pos = c->end = NULL;
    if (!c->open)
        return;
    conn_interrupt(c->conn);
    c->broken |= !drain(c->conn->pg);
    c->open = false;
}

bool query_rows(struct conn *conn, const char *select, const Oid *oids, unsigned count,
                bool (*row)(void *ctx, const struct cell *cells), void *ctx, struct err *e)
{
    struct copy c;
    struct cell cells[COPY_COLUMNS];
    enum rows_result r = ROWS_ERROR;
    if (copy_begin(&c, conn, select, oids, count, e)) {
        do
            r = copy_next(&c, cells, e);
        while (r == ROWS_ROW && row(ctx, cells));
    }
    copy_end(&c);
    return r != ROWS_ERROR;
}
