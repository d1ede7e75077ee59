/* What the columns of an answer are, and its rows one after the other. */
#include "hads.h"

#include "obstream/query/sql.h"
#include "obstream/stream/pivot.h"

#include <stdlib.h>

/* Over a window longer than this the keys are looked for in a few single days first. */
enum { PROBE_FROM_DAYS = 30, PROBES = 3 };

/* --- keys --- */

struct key_search {
    struct plan *plan;
    struct hads *h;
    bool clock_seen; /* a time other than midnight */
};

static bool take_key(void *ctx, const struct cell *cells)
{
    struct key_search *s = ctx;
    const char *key = arena_strndup(s->plan->arena, cells[0].s, cells[0].len);
    if (key != NULL && !strlist_has(&s->h->keys, key))
        strlist_add(&s->h->keys, s->plan->arena, key);
    if (cells[1].type == CELL_BOOL && cells[1].i == 0)
        s->clock_seen = true;
    return !s->plan->arena->failed;
}

static void leave_out_known(const struct strlist *keys, struct buf *filter)
{
    size_t n = 0;
    for (size_t i = 0; i < keys->count; i++) {
        const char *key = keys->items[i];
        if (!sql_id_ok(key, strlen(key)))
            continue;
        buf_puts(filter, n++ == 0 ? " AND key NOT IN (" : ", ");
        sql_id(filter, key, strlen(key));
    }
    buf_puts(filter, n > 0 ? ")" : "");
}

/* The keys within a stretch of time; with `known` only those that are not found yet. */
static bool search(struct key_search *s, struct conn *conn, int64_t from, int64_t to, bool known,
                   struct err *e)
{
    static const Oid oids[] = { OID_TEXT, OID_BOOL };
    const char *columns =
        known ? "key::text, NULL::bool" : "key::text, date_trunc('day', valid) = valid";
    struct archive_query q = s->plan->query;
    struct archive_slice slice = { .count = archive_groups(&q), .from = from, .to = to };
    struct buf filter = BUF_INIT(BUF_LIMIT_SQL), sql = BUF_INIT(BUF_LIMIT_SQL);
    buf_puts(&filter, q.filter);
    if (known)
        leave_out_known(&s->h->keys, &filter);
    q.filter = filter.failed ? "" : filter.data;
    archive_distinct_sql(&q, &slice, columns, &sql);
    bool ok =
        !(sql.failed || filter.failed) || err_set(e, ERR_INTERNAL, "the statement cannot be built");
    ok = ok && query_rows(conn, sql.data, oids, 2, take_key, s, e);
    buf_release(&sql);
    buf_release(&filter);
    return ok;
}

/* Most keys are found in a few days; looking for further ones is then faster, as nothing needs to
 * be sorted out, and that the times are more than days is known as well. */
static bool probe(struct key_search *s, struct conn *conn, struct err *e)
{
    const struct plan *p = s->plan;
    int64_t span = p->to - p->from;
    if (span < PROBE_FROM_DAYS * USEC_PER_DAY)
        return true;
    for (int i = 0; i < PROBES; i++) {
        int64_t at = p->from + (span - USEC_PER_DAY) / (PROBES - 1) * i;
        if (!search(s, conn, at, at + USEC_PER_DAY, false, e))
            return false;
    }
    return true;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool find_keys(struct plan *p, struct conn *conn, struct err *e)
{
    struct hads *h = (struct hads *)p->ctx;
    struct key_search s = { .plan = p, .h = h };
    h->keys.count = 0; /* a repetition starts anew */
    if (p->query.count == 0)
        return true;
    if (!probe(&s, conn, e) || !search(&s, conn, p->from, p->to, s.clock_seen, e))
        return false;
    if (p->arena->failed)
        return err_set(e, ERR_TOO_LARGE,
                       "too many different keys for one table: ask for fewer "
                       "stations");
    if (h->keys.count > 1)
        qsort(h->keys.items, h->keys.count, sizeof(*h->keys.items), by_text);
    h->days_only = !s.clock_seen;
    return true;
}

static bool note_row(void *found, const struct cell *cells)
{
    (void)cells;
    *(bool *)found = true;
    return false;
}

/* Are there rows, though none with a number? They make a table without columns. */
static bool find_nan(const struct plan *p, struct conn *conn, bool *found, struct err *e)
{
    static const Oid oids[] = { OID_BOOL };
    struct archive_query q = p->query;
    struct archive_slice slice = { .count = archive_groups(&q), .from = p->from, .to = p->to };
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    *found = false;
    if (q.count == 0)
        return true;
    q.filter = " AND value = 'NaN'";
    archive_distinct_sql(&q, &slice, "true", &sql);
    bool ok = !sql.failed || err_set(e, ERR_INTERNAL, "the statement cannot be built");
    ok = ok && query_rows(conn, sql.data, oids, 1, note_row, found, e);
    buf_release(&sql);
    return ok;
}

/* --- rows --- */

struct walk {
    struct pivot_state pivot;
    bool stopped;
};

static bool walk_row(void *ctx, const struct cell *cells)
{
    struct walk *w = ctx;
    w->stopped = !pivot_row(&w->pivot, cells);
    return !w->stopped;
}

bool hads_walk(const struct plan *p, struct conn *conn,
               bool (*emit)(void *ctx, const struct cell *cells), void *ctx, struct err *e)
{
    struct walk w = { .stopped = false };
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    bool ok = true;
    pivot_begin(&w.pivot, p, emit, ctx, e);
    for (uint32_t i = 0; i < archive_groups(&p->query) && ok && !w.stopped; i++) {
        struct archive_slice slice = { .first = i, .count = 1, .from = p->from, .to = p->to };
        buf_clear(&sql);
        archive_sql(&p->query, &slice, &sql);
        if (sql.failed)
            ok = err_set(e, ERR_INTERNAL, "the statement cannot be built");
        else if (atomic_load(&conn->cancelled))
            ok = err_set(e, ERR_CANCELLED, "the client is gone");
        else
            ok = query_rows(conn, sql.data, p->oids, p->wire_cells, walk_row, &w, e);
    }
    if (ok && !w.stopped)
        pivot_flush(&w.pivot);
    pivot_release(&w.pivot);
    buf_release(&sql);
    return ok && e->kind == ERR_NONE;
}

/* --- what HTML has to know beforehand --- */

static struct hads_span *span_add(struct plan *p, struct hads *h, const struct cell *cells)
{
    if (h->spans == NULL || h->span_count == h->span_cap) {
        size_t cap = h->span_cap == 0 ? 16 : h->span_cap * 2;
        struct hads_span *spans = arena_array(p->arena, cap, sizeof(*spans));
        if (spans == NULL)
            return NULL;
        if (h->spans != NULL)
            memcpy(spans, h->spans, h->span_count * sizeof(*spans));
        h->spans = spans;
        h->span_cap = cap;
    }
    struct hads_span *s = &h->spans[h->span_count++];
    const struct cell *station = &cells[HADS_STATION];
    *s = (struct hads_span){ arena_strndup(p->arena, station->s, station->len), cells[HADS_VALID].i,
                             0 };
    return s->station != NULL ? s : NULL;
}

static bool measure_row(void *ctx, const struct cell *cells)
{
    struct plan *p = ctx;
    struct hads *h = (struct hads *)p->ctx;
    const struct cell *station = &cells[HADS_STATION];
    struct hads_span *s =
        h->spans != NULL && h->span_count > 0 ? &h->spans[h->span_count - 1] : NULL;
    if (s == NULL || strlen(s->station) != station->len ||
        memcmp(s->station, station->s, station->len) != 0)
        s = span_add(p, h, cells);
    if (s == NULL)
        return false;
    s->rows++;
    for (size_t k = 0; k < h->keys.count; k++) {
        if (cells[HADS_WIRE + k].type == CELL_FLOAT8)
            pandas_column_note(&h->columns[k], cells[HADS_WIRE + k].f8);
    }
    return true;
}

/* All values of a column are printed alike, and a station's cell spans its rows. */
static bool measure(struct plan *p, struct conn *conn, struct err *e)
{
    struct hads *h = (struct hads *)p->ctx;
    h->spans = NULL; /* a repetition starts anew */
    h->span_count = h->span_cap = 0;
    h->columns = arena_array(p->arena, h->keys.count + 1, sizeof(*h->columns));
    bool ok = h->columns != NULL && hads_walk(p, conn, measure_row, p, e);
    if (p->arena->failed)
        return err_set(e, ERR_TOO_LARGE, "too many stations for one table: ask for text");
    return ok;
}

/* --- before the first row --- */

static bool make_pivot(struct plan *p, const char *const *keys, size_t count, struct err *e)
{
    struct pivot *pivot = arena_alloc(p->arena, sizeof(*pivot));
    if (pivot == NULL)
        return err_set(e, ERR_TOO_LARGE, "the request needs too much memory");
    *pivot = (struct pivot){ .key_cell = HADS_KEY,
                             .value_cell = HADS_VALUE,
                             .keys = keys,
                             .count = (uint32_t)count,
                             .first_out = HADS_WIRE,
                             .average = true };
    p->pivot = pivot;
    p->cells = (unsigned)(HADS_WIRE + count);
    p->row_bytes = 30 + 6.0 * (double)count;
    return true;
}

/* The answer is but a sentence: nothing is fetched. */
static bool answer_sentence(struct plan *p, const char *sentence)
{
    struct hads *h = (struct hads *)p->ctx;
    p->encoder = &hads_encoder_whole;
    p->shape.ctx = sentence;
    p->mime = "text/plain";
    p->produce = NULL;
    p->to = p->from;
    h->r->header_count = h->text_headers; /* no file to be saved */
    return true;
}

static bool threshold_plan(struct plan *p, struct err *e)
{
    struct hads *h = (struct hads *)p->ctx;
    const char **key = arena_alloc(p->arena, sizeof(*key));
    struct buf filter = BUF_INIT(BUF_LIMIT_MESSAGE);
    if (key == NULL)
        return err_set(e, ERR_TOO_LARGE, "the request needs too much memory");
    *key = h->threshold_key;
    buf_puts(&filter, p->query.filter);
    buf_puts(&filter, " AND key = ");
    sql_id(&filter, *key, strlen(*key));
    p->query.filter = filter.failed ? NULL : arena_strdup(p->arena, filter.data);
    buf_release(&filter);
    return p->query.filter != NULL ? make_pivot(p, key, 1, e)
                                   : err_set(e, ERR_INTERNAL, "the statement cannot be built");
}

bool hads_prepare(struct plan *p, struct conn *conn, struct err *e)
{
    struct hads *h = (struct hads *)p->ctx;
    bool rows = true;
    if (!find_keys(p, conn, e) || (h->keys.count == 0 && !find_nan(p, conn, &rows, e)))
        return false;
    if (!rows)
        return answer_sentence(p, "Error, no results found for query!");
    if (h->threshold_key != NULL && h->several)
        return answer_sentence(p, "Can not do threshold search for more than one station");
    if (h->threshold_key != NULL)
        return threshold_plan(p, e);
    return make_pivot(p, h->keys.items, h->keys.count, e) &&
           (p->encoder != &hads_encoder_html || measure(p, conn, e));
}
