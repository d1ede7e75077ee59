/* One piece: lease a connection, run the statement, encode and compress rows as they arrive. */
#include "internal.h"

#include "obstream/core/clock.h"
#include "obstream/db/copy.h"
#include "obstream/stream/pivot.h"
#include "obstream/stream/transform.h"

#include <stdlib.h>
#include <string.h>

enum { LEASE_WAIT_USEC = 250000, MAX_CELLS = 512 };

void segment_free(struct segment *seg)
{
    if (seg != NULL)
        chunk_list_release(&seg->bytes);
    free(seg);
}

static void lease_end(struct worker *w, bool broken)
{
    pthread_mutex_lock(&w->lease_lock);
    struct conn *conn = w->conn;
    broken = broken || w->cancel_sent; /* a late cancel must not hit the next user's query */
    w->conn = NULL;
    pthread_mutex_unlock(&w->lease_lock);
    pool_release(conn, broken);
}

static bool emit_row(void *sink, const struct cell *cells)
{
    return sink_row(sink, cells);
}

static struct conn *lease(struct worker *w, struct job *j, struct err *e)
{
    struct conn *conn = pool_acquire(j->plan->pool, clock_mono() + LEASE_WAIT_USEC, e);
    if (conn == NULL)
        return NULL;
    pthread_mutex_lock(&w->lease_lock);
    w->conn = conn;
    w->leased_for = j;
    w->cancel_sent = false;
    pthread_mutex_unlock(&w->lease_lock);
    if (!atomic_load(&j->cancelled))
        return conn;
    lease_end(w, false); /* nobody cancels a query that has not begun */
    err_set(e, ERR_CANCELLED, "the client is gone");
    return NULL;
}

static void compute(const struct plan *p, struct cell *cells)
{
    for (unsigned i = 0; i < p->computed_count; i++)
        p->computed[i].fn(&p->computed[i], cells, &cells[p->computed[i].out]);
}

static bool emit_made(void *ctx, struct cell *cells)
{
    struct sink *sink = ctx;
    compute(sink->plan, cells);
    return sink_row(sink, cells);
}

/* What turns fetched rows into others while one statement is read. */
struct making {
    struct pivot_state pivot;
    void *state; /* of the transform */
    struct outlet outlet;
};

static bool making_begin(struct making *m, const struct plan *p, const struct piece *piece,
                         struct sink *sink)
{
    m->outlet = (struct outlet){ emit_made, sink };
    if (p->pivot != NULL)
        pivot_begin(&m->pivot, p, emit_row, sink, &sink->err);
    if (p->transform != NULL)
        m->state = p->transform->begin(p, &piece->slice, &m->outlet);
    return p->transform == NULL || m->state != NULL ||
           err_set(&sink->err, ERR_INTERNAL, "out of memory for one segment");
}

static bool row_done(const struct plan *p, struct making *m, struct cell *cells, struct sink *sink)
{
    if (p->transform != NULL)
        return p->transform->row(m->state, cells);
    compute(p, cells);
    return p->pivot != NULL ? pivot_row(&m->pivot, cells) : sink_row(sink, cells);
}

/* The rows that are still being made. */
static void making_end(struct making *m, const struct plan *p, struct sink *sink)
{
    if (p->pivot != NULL)
        pivot_flush(&m->pivot);
    if (p->transform != NULL && !sink->segment->truncated)
        p->transform->end(m->state);
    if (p->transform != NULL && p->transform->failed(m->state))
        err_set(&sink->err, ERR_INTERNAL, "out of memory for one segment");
}

static void making_release(struct making *m, const struct plan *p)
{
    pivot_release(&m->pivot);
    if (m->state != NULL)
        p->transform->release(m->state);
}

/* How reading the rows of one statement ended. */
struct outcome {
    enum rows_result last;
    uint64_t fetched;
    bool full; /* as many rows as the statement's own limit: more may follow */
};

static struct outcome read_rows(struct job *j, const struct piece *piece, struct copy *copy,
                                struct cell *cells, struct making *making, struct sink *sink,
                                struct err *e)
{
    struct outcome o = { .last = ROWS_END };
    while ((o.last = copy_next(copy, cells, e)) == ROWS_ROW) {
        o.fetched++;
        if (!row_done(j->plan, making, cells, sink))
            break;
        if ((o.fetched & 255) == 0 && atomic_load_explicit(&j->cancelled, memory_order_relaxed)) {
            err_set(e, ERR_CANCELLED, "the client is gone");
            o.last = ROWS_ERROR;
            break;
        }
    }
    o.full = o.last == ROWS_END && piece->slice.limit > 0 && o.fetched >= piece->slice.limit;
    return o;
}

static void set_rest(const struct plan *p, const struct piece *piece, const struct sink *sink,
                     struct fetched *out)
{
    out->more = true;
    out->rest = piece->slice;
    out->rest.resumed = true;
    memcpy(out->rest.after_station, sink->done_station, sizeof(out->rest.after_station));
    out->rest.after_time = p->query.time_is_day ? sink->done_time * USEC_PER_DAY : sink->done_time;
}

/* The statement was cut by its own limit: keep complete groups and say where the rest begins. */
static void close_early(const struct plan *p, const struct piece *piece, struct sink *sink,
                        struct fetched *out)
{
    bool complete = p->pivot != NULL ? sink->encode.rows > 0 : sink_cut(sink);
    if (p->pivot != NULL &&
        complete) { /* the open pivot row is dropped; what was emitted is whole */
        memcpy(sink->done_station, sink->station, sizeof(sink->done_station));
        sink->done_time = sink->time;
    }
    if (complete) {
        set_rest(p, piece, sink, out);
        return;
    }
    /* One station and time alone exceeds the limit: the same again without it. */
    out->more = true;
    out->rest = piece->slice;
    out->rest.limit = 0;
    sink_drop(sink);
}

static bool fetch_rows(struct worker *w, struct job *j, const struct piece *piece,
                       struct fetched *out)
{
    const struct plan *p = j->plan;
    struct copy copy;
    struct making making = { .state = NULL };
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    struct cell small[MAX_CELLS];
    struct cell *cells = small;
    if (p->cells > MAX_CELLS && (cells = calloc(p->cells, sizeof(*cells))) == NULL)
        return err_set(&out->err, ERR_INTERNAL, "out of memory for %u columns", p->cells);
    archive_sql(&p->query, &piece->slice, &sql);
    bool ok = !sql.failed || err_set(&out->err, ERR_INTERNAL, "the statement cannot be built");
    if (ok && lease(w, j, &out->err) != NULL) {
        ok = copy_begin(&copy, w->conn, sql.data, p->oids, p->wire_cells, &out->err);
        if (ok) {
            struct outcome o = { .last = ROWS_ERROR };
            if (making_begin(&making, p, piece, &w->sink))
                o = read_rows(j, piece, &copy, cells, &making, &w->sink, &out->err);
            ok = o.last != ROWS_ERROR;
            w->sink.segment->fetched = o.fetched;
            if (ok && o.full && !w->sink.segment->truncated)
                close_early(p, piece, &w->sink, out);
            else if (ok)
                making_end(&making, p, &w->sink);
        }
        copy_end(&copy);
        lease_end(w, copy.broken);
        making_release(&making, p);
    } else {
        ok = false;
    }
    buf_release(&sql);
    if (cells != small)
        free(cells);
    return ok;
}

static bool fetch_made(struct worker *w, struct job *j, const struct piece *piece, struct err *e)
{
    const struct plan *p = j->plan;
    struct conn *conn = lease(w, j, e);
    if (conn == NULL)
        return false;
    bool ok = p->produce != NULL ? p->produce(p, conn, &w->sink, e)
                                 : p->fill(p, &piece->slice, conn, &w->sink, e);
    lease_end(w, false);
    return ok || err_set(e, ERR_INTERNAL, "the document cannot be made");
}

void fetch_piece(struct worker *w, struct job *j, const struct piece *piece, uint64_t remaining,
                 struct fetched *out)
{
    *out = (struct fetched){ 0 };
    struct segment *seg = calloc(1, sizeof(*seg));
    if (seg == NULL) {
        err_set(&out->err, ERR_INTERNAL, "out of memory");
        return;
    }
    seg->seq = piece->seq;
    seg->part = piece->part;
    bool ok = sink_begin(&w->sink, j->plan, seg, remaining, &out->err);
    if (ok && j->plan->pool == NULL)
        j->plan->generate(j->plan, &w->sink);
    else if (ok && (j->plan->produce != NULL || j->plan->fill != NULL))
        ok = fetch_made(w, j, piece, &out->err);
    else if (ok)
        ok = fetch_rows(w, j, piece, out);
    ok = ok && sink_end(&w->sink, &out->err);
    if (!ok) {
        err_set(&out->err, ERR_INTERNAL, "the segment cannot be made");
        segment_free(seg);
        return;
    }
    seg->last_part = !out->more;
    out->segment = seg;
}

bool fetch_prepare(struct worker *w, struct job *j, struct err *e)
{
    struct conn *conn = lease(w, j, e);
    if (conn == NULL)
        return false;
    bool ok = j->plan->prepare(j->plan, conn, e);
    lease_end(w, !ok && e->kind == ERR_UNAVAILABLE);
    return ok || err_set(e, ERR_INTERNAL, "the columns cannot be found");
}
