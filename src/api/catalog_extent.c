/*
 * The extent in time of the archive tables, found without reading them.
 *
 * A table is taken as slices of time: its partitions' bounds, as far as it is partitioned by time.
 * Slices that overlap (a default partition with rows, partitions by station) become one. The
 * outermost slices that hold rows are asked for their extremes when that is cheap, by an index or
 * because they are small; else their bounds stand for them, which are never too narrow.
 */
#include "catalog_private.h"

#include "obstream/core/civil.h"
#include "obstream/core/strutil.h"
#include "obstream/db/copy.h"
#include "obstream/query/sql.h"

#include <stdlib.h>

enum { SCAN_BYTES = 1 << 20 }; /* a table of that size is read in a few milliseconds */

static const struct timed_table {
    enum layout_table table;
    const char *column;
    Oid oid;
} timed_tables[] = {
    { TABLE_ASOS_ALLDATA, "valid", OID_TIMESTAMPTZ },
    { TABLE_HADS_RAW, "valid", OID_TIMESTAMPTZ },
    { TABLE_COOP_ALLDATA, "day", OID_DATE },
    { TABLE_IEM_SUMMARY, "day", OID_DATE },
};

struct slice {
    int64_t low, high; /* microseconds, half-open; INT64_MIN, INT64_MAX: unbounded */
    int64_t scan;      /* bytes without an index that leads with the time */
    bool opaque;       /* a view, a foreign table: no telling what a question costs */
};

struct slices {
    struct slice *items;
    size_t count;
    bool failed;
};

struct asking {
    const struct timed_table *timed;
    const char *sql_name;
    struct conn *conn;
};

/*
 * $T is the table, $C the column. Only a level whose range key is the time alone narrows the
 * bounds; a default partition has those of its parent. An empty file of a partition tells that it
 * has no rows; a table by itself may be more than its file (extensions), so it is asked.
 */
static const char slices_query[] =
    "WITH RECURSIVE tree AS (SELECT c.oid, '-infinity'::timestamptz AS low, "
    "'infinity'::timestamptz AS high FROM pg_class c WHERE c.oid = '$T'::regclass UNION ALL "
    "SELECT i.inhrelid, "
    "greatest(t.low, CASE WHEN k.attnum IS NOT NULL "
    "THEN nullif(btrim(b.bound[1], ''''), 'MINVALUE')::timestamptz END), "
    "least(t.high, CASE WHEN k.attnum IS NOT NULL "
    "THEN nullif(btrim(b.bound[2], ''''), 'MAXVALUE')::timestamptz END) "
    "FROM tree t JOIN pg_inherits i ON i.inhparent = t.oid JOIN pg_class c ON c.oid = i.inhrelid "
    "LEFT JOIN pg_partitioned_table p ON p.partrelid = t.oid AND p.partstrat = 'r' "
    "AND p.partnatts = 1 LEFT JOIN pg_attribute k ON k.attrelid = p.partrelid "
    "AND k.attnum = p.partattrs[0] AND k.attname = '$C' "
    "CROSS JOIN LATERAL (SELECT regexp_match(pg_get_expr(c.relpartbound, c.oid), "
    "'^FOR VALUES FROM \\((.*)\\) TO \\((.*)\\)$') AS bound) b), "
    "leaf AS (SELECT t.low, t.high, c.oid, c.relispartition, "
    "c.relkind NOT IN ('r', 'm') OR am.amname IS DISTINCT FROM 'heap' AS opaque, "
    "coalesce(pg_relation_size(c.oid), 0) AS bytes FROM tree t JOIN pg_class c ON c.oid = t.oid "
    "LEFT JOIN pg_am am ON am.oid = c.relam WHERE c.relkind <> 'p') "
    "SELECT low, high, coalesce(sum(bytes) FILTER (WHERE NOT EXISTS (SELECT FROM pg_index x "
    "JOIN pg_class xc ON xc.oid = x.indexrelid JOIN pg_am xa ON xa.oid = xc.relam "
    "JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0] "
    "WHERE x.indrelid = leaf.oid AND x.indisvalid AND x.indpred IS NULL AND xa.amname = 'btree' "
    "AND a.attname = '$C')), 0)::int8, bool_or(opaque) FROM leaf "
    "WHERE opaque OR bytes > 0 OR NOT relispartition GROUP BY low, high ORDER BY low, high";

static const Oid slices_oids[] = { OID_TIMESTAMPTZ, OID_TIMESTAMPTZ, OID_INT8, OID_BOOL };

static void slices_select(struct buf *sql, const struct asking *a)
{
    const char *p = slices_query, *mark;
    while ((mark = strchr(p, '$')) != NULL) {
        buf_add(sql, p, (size_t)(mark - p));
        p = mark;
        if (mark[1] == 'T' || mark[1] == 'C') {
            sql_text(sql, mark[1] == 'T' ? a->sql_name : a->timed->column);
            p = mark + 2;
        } else {
            buf_putc(sql, *p++);
        }
    }
    sql_text(sql, p);
}

static bool slice_add(void *ctx, const struct cell *cells)
{
    struct slices *l = ctx;
    struct slice add = { cells[0].i, cells[1].i, cells[2].i, cells[3].i != 0 };
    struct slice *last = l->count > 0 ? &l->items[l->count - 1] : NULL;
    if (last != NULL && add.low < last->high) {
        last->high = add.high > last->high ? add.high : last->high;
        last->scan += add.scan;
        last->opaque |= add.opaque;
        return true;
    }
    struct slice *grown = catalog_grow(l->items, l->count, sizeof(*grown));
    l->failed = grown == NULL;
    if (l->failed)
        return false;
    l->items = grown;
    l->items[l->count++] = add;
    return true;
}

static void bound_add(struct buf *sql, const struct timed_table *t, const char *op, int64_t usec)
{
    sql_text(sql, t->column);
    sql_text(sql, op);
    if (t->oid == OID_DATE)
        sql_day(sql, floor_div(usec, USEC_PER_DAY));
    else
        sql_instant(sql, usec);
}

static void extremes_select(struct buf *sql, const struct asking *a, const struct slice *s)
{
    const char *column = a->timed->column;
    buf_printf(sql, "SELECT min(%s), max(%s) FROM %s", column, column, a->sql_name);
    if (s->low != INT64_MIN) {
        sql_text(sql, " WHERE ");
        bound_add(sql, a->timed, " >= ", s->low);
    }
    if (s->high != INT64_MAX) {
        sql_text(sql, s->low != INT64_MIN ? " AND " : " WHERE ");
        bound_add(sql, a->timed, " < ", s->high);
    }
}

static int64_t cell_usec(const struct cell *v)
{
    int64_t usec;
    if (v->type != CELL_DAY || v->i == INT64_MIN || v->i == INT64_MAX)
        return v->i;
    if (__builtin_mul_overflow(v->i, USEC_PER_DAY, &usec))
        return v->i < 0 ? INT64_MIN : INT64_MAX;
    return usec;
}

struct extremes {
    bool answered, empty;
    int64_t first, last;
};

static bool extremes_row(void *ctx, const struct cell *cells)
{
    struct extremes *x = ctx;
    x->answered = true;
    x->empty = cells[0].type == CELL_NULL;
    if (x->empty)
        return true;
    x->first = cell_usec(&cells[0]);
    x->last = cell_usec(&cells[1]);
    x->last += x->last != INT64_MAX;
    return true;
}

/* What a slice holds; its bounds when it cannot be asked. */
static struct extremes slice_ask(const struct asking *a, const struct slice *s)
{
    struct extremes x = { .answered = false };
    struct err e = ERR_INIT;
    if (!s->opaque && s->scan <= SCAN_BYTES) {
        Oid oids[] = { a->timed->oid, a->timed->oid };
        struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
        extremes_select(&sql, a, s);
        if (sql.failed || !query_rows(a->conn, sql.data, oids, 2, extremes_row, &x, &e))
            x.answered = false;
        buf_release(&sql);
    }
    return x.answered ? x : (struct extremes){ .first = s->low, .last = s->high };
}

static void extent_find(const struct asking *a, const struct slices *l, int64_t *first,
                        int64_t *last)
{
    struct extremes x = { .empty = true };
    size_t i = 0, j = l->count;
    while (x.empty && i < l->count)
        x = slice_ask(a, &l->items[i++]);
    *first = x.empty ? 0 : x.first;
    *last = x.empty ? 0 : x.last;
    for (x.empty = true; x.empty && j > i; j--) {
        x = slice_ask(a, &l->items[j - 1]);
        *last = x.empty ? *last : x.last;
    }
}

static void extent_read(const struct asking *a, int64_t *first, int64_t *last)
{
    struct slices l = { .count = 0 };
    struct err e = ERR_INIT;
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    slices_select(&sql, a);
    if (!sql.failed &&
        query_rows(a->conn, sql.data, slices_oids, ARRAY_SIZE(slices_oids), slice_add, &l, &e) &&
        !l.failed)
        extent_find(a, &l, first, last);
    buf_release(&sql);
    free(l.items);
}

void catalog_read_extents(struct catalog *c, enum dataset d, struct conn *conn)
{
    for (size_t i = 0; i < ARRAY_SIZE(timed_tables); i++) {
        const struct timed_table *t = &timed_tables[i];
        if (layout_dataset(t->table) != d)
            continue;
        const struct layout_column *column = layout_find(&c->layout, t->table, t->column);
        struct asking a = { t, c->layout.tables[t->table].sql_name, conn };
        if (column != NULL && column->oid == t->oid)
            extent_read(&a, &c->first[t->table], &c->last[t->table]);
    }
}
