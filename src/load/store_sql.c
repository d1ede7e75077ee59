/* The statements of the store, made from the plan. All names are the data set's own. An @ stands
 * for the bounds of the batch. */
#include "obstream/core/number.h"
#include "store.h"

#define STAGE "pg_temp.obstream_stage"

static bool in_table(const struct plan *p, unsigned i)
{
    return (int)i != p->line_slot;
}

static void columns(struct buf *b, const struct plan *p, const char *prefix)
{
    const char *comma = "";
    for (unsigned i = 0; i < p->slot_count; i++) {
        if (in_table(p, i))
            buf_printf(b, "%s%s%s", comma, prefix, p->slots[i]->name);
        comma = ", ";
    }
}

static void key_columns(struct buf *b, const struct plan *p, const char *prefix)
{
    const char *comma = "";
    for (unsigned i = 0; i < p->slot_count; i++) {
        if (p->key[i]) {
            buf_printf(b, "%s%s%s", comma, prefix, p->slots[i]->name);
            comma = ", ";
        }
    }
}

/* Key of alias x = key of alias y: only the columns that the file has, it says nothing of others.
 */
static void match(struct buf *b, const struct plan *p, const char *x, const char *y)
{
    const char *and = "";
    for (unsigned i = 0; i < p->slot_count; i++) {
        const char *name = p->slots[i]->name;
        if (!p->key[i])
            continue;
        if (p->slots[i]->flags & COL_HASHED)
            buf_printf(b, "%shashtext(%s.%s) IS NOT DISTINCT FROM hashtext(%s.%s)", and, x, name, y,
                       name);
        else
            buf_printf(b, p->required[i] ? "%s%s.%s = %s.%s" : "%s%s.%s IS NOT DISTINCT FROM %s.%s",
                       and, x, name, y, name);
        and = " AND ";
    }
}

static void payload(struct buf *b, const struct plan *p, const char *format, const char *alias)
{
    const char *comma = "";
    for (unsigned i = 0; i < p->slot_count; i++) {
        const char *name = p->slots[i]->name;
        if (p->key[i] || !in_table(p, i))
            continue;
        buf_puts(b, comma);
        if (format == NULL)
            buf_printf(b, "%s.%s", alias, name);
        else
            buf_printf(b, "%s = s.%s", name, name);
        comma = ", ";
    }
}

static bool has_payload(const struct plan *p)
{
    for (unsigned i = 0; i < p->slot_count; i++) {
        if (!p->key[i] && in_table(p, i))
            return true;
    }
    return false;
}

static void make_stage(struct buf *b, const struct plan *p)
{
    buf_printf(b, "CREATE TEMP TABLE obstream_stage ON COMMIT DELETE ROWS AS SELECT ");
    columns(b, p, "");
    if (p->line_slot != SLOT_NONE)
        buf_puts(b, ", 0::bigint AS obstream_line");
    buf_printf(b, " FROM %s WITH NO DATA", p->table);
}

static void make_copy(struct buf *b, const struct plan *p, const char *table)
{
    buf_printf(b, "COPY %s (", table);
    for (unsigned i = 0; i < p->slot_count; i++)
        buf_printf(b, "%s%s", i == 0 ? "" : ", ", p->slots[i]->name);
    buf_puts(b, ") FROM STDIN (FORMAT binary)");
}

static const char *id_type(const struct plan *p)
{
    const struct load_column *c = p->slots[p->id];
    return c->type == VALUE_INT4                       ? "int4"
           : p->dataset->partition == PARTITION_PREFIX ? "bpchar"
                                                       : "text";
}

static void make_fresh(struct buf *b, const struct plan *p)
{
    if (p->id == SLOT_NONE || p->time == SLOT_NONE)
        return;
    const char *type = id_type(p), *time = p->slots[p->time]->name;
    const char *time_type = p->slots[p->time]->type == VALUE_DAY ? "date" : "timestamptz";
    buf_printf(b,
               "SELECT 1 FROM unnest($1::%s[], $2::%s[], $3::%s[]) u(id, lo, hi) WHERE EXISTS ("
               "SELECT FROM %s t WHERE t.%s = u.id%s AND t.%s BETWEEN u.lo AND u.hi@) LIMIT 1",
               type, time_type, time_type, p->table, p->slots[p->id]->name,
               type[0] == 'i' ? "" : " COLLATE \"C\"", time);
}

/* The second key of a row may belong to another row of the table, or of the batch before it. */
static void make_conflict(struct buf *b, const struct plan *p)
{
    const char *k = p->dataset->second_key;
    if (p->line_slot == SLOT_NONE)
        return;
    buf_printf(b,
               "DELETE FROM " STAGE " s WHERE EXISTS (SELECT FROM %s t WHERE t.%s = s.%s AND NOT (",
               p->table, k, k);
    match(b, p, "t", "s");
    buf_printf(b,
               ")) OR EXISTS (SELECT FROM " STAGE " x WHERE x.%s = s.%s AND"
               " x.obstream_line < s.obstream_line) RETURNING s.obstream_line,"
               " 'column %s: ' || s.%s || ' belongs to another row'",
               k, k, k, k);
}

static void make_update(struct buf *b, const struct plan *p)
{
    if (!has_payload(p))
        return;
    buf_printf(b, "UPDATE %s t SET ", p->table);
    payload(b, p, "set", "");
    buf_puts(b, " FROM " STAGE " s WHERE ");
    match(b, p, "t", "s");
    buf_puts(b, " AND (");
    payload(b, p, NULL, "t");
    buf_puts(b, ") IS DISTINCT FROM (");
    payload(b, p, NULL, "s");
    buf_puts(b, ")");
    if (p->newest != SLOT_NONE) {
        const char *n = p->slots[p->newest]->name;
        buf_printf(b, " AND coalesce(s.%s >= t.%s, t.%s IS NULL)", n, n, n);
    }
    buf_puts(b, "@");
}

static void make_insert(struct buf *b, const struct plan *p)
{
    buf_printf(b, "INSERT INTO %s (", p->table);
    columns(b, p, "");
    buf_puts(b, ") SELECT ");
    columns(b, p, "s.");
    buf_printf(b, " FROM " STAGE " s WHERE NOT EXISTS (SELECT FROM %s t WHERE ", p->table);
    match(b, p, "t", "s");
    buf_puts(b, "@)");
}

/* A key's rows are compared as a whole: their payloads, in order, on either side. */
static void make_multiset(struct buf *b, const struct plan *p)
{
    buf_puts(b, "WITH g AS MATERIALIZED (SELECT ");
    key_columns(b, p, "s.");
    buf_puts(b, ", count(*) AS n, array_agg(ROW(");
    payload(b, p, NULL, "s");
    buf_puts(b, ")::text ORDER BY ROW(");
    payload(b, p, NULL, "s");
    buf_puts(b, ")::text COLLATE \"C\") AS rows FROM " STAGE " s GROUP BY ");
    key_columns(b, p, "s.");
    buf_puts(b, "), d AS MATERIALIZED (SELECT g.*, o.rows IS NOT NULL AS old FROM g LEFT JOIN "
                "LATERAL (SELECT array_agg(ROW(");
    payload(b, p, NULL, "t");
    buf_puts(b, ")::text ORDER BY ROW(");
    payload(b, p, NULL, "t");
    buf_printf(b, ")::text COLLATE \"C\") AS rows FROM %s t WHERE ", p->table);
    match(b, p, "t", "g");
    buf_puts(b, "@) o ON true WHERE o.rows IS DISTINCT FROM g.rows), gone AS (DELETE FROM ");
    buf_printf(b, "%s t USING d WHERE d.old AND ", p->table);
    match(b, p, "t", "d");
    buf_printf(b, "@), come AS (INSERT INTO %s (", p->table);
    columns(b, p, "");
    buf_puts(b, ") SELECT ");
    columns(b, p, "s.");
    buf_puts(b, " FROM " STAGE " s WHERE EXISTS (SELECT FROM d WHERE ");
    match(b, p, "d", "s");
    buf_puts(b, ")) SELECT coalesce(sum(n) FILTER (WHERE NOT old), 0),"
                " coalesce(sum(n) FILTER (WHERE old), 0) FROM d");
}

bool store_statements(struct store *s, struct err *e)
{
    const struct plan *p = s->plan;
    for (int i = 0; i < SQL_COUNT; i++) {
        struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
        switch ((enum store_statement)i) {
        case SQL_STAGE:
            make_stage(&b, p);
            break;
        case SQL_COPY_TABLE:
            make_copy(&b, p, p->table);
            break;
        case SQL_COPY_STAGE:
            make_copy(&b, p, STAGE);
            break;
        case SQL_ANALYZE: /* of any one column: it is the number of rows that matters */
            buf_printf(&b, "ANALYZE " STAGE " (%s)", p->slots[0]->name);
            break;
        case SQL_FRESH:
            make_fresh(&b, p);
            break;
        case SQL_CONFLICT:
            make_conflict(&b, p);
            break;
        case SQL_UPDATE:
            make_update(&b, p);
            break;
        case SQL_INSERT:
            make_insert(&b, p);
            break;
        case SQL_MULTISET:
            make_multiset(&b, p);
            break;
        case SQL_COUNT:
            break;
        }
        size_t len;
        s->sql[i] = buf_detach(&b, &len);
        if (s->sql[i] == NULL)
            return err_set(e, ERR_INTERNAL, "out of memory");
    }
    return true;
}

static void put_bounds(const struct plan *p, const struct batch *b, struct buf *out)
{
    char from[NUMBER_ROOM], to[NUMBER_ROOM];
    if (p->time == SLOT_NONE || b->from > b->to)
        return;
    *number_instant(from, b->from) = '\0';
    *number_instant(to, b->to) = '\0';
    bool day = p->slots[p->time]->type == VALUE_DAY;
    buf_printf(out, " AND t.%s BETWEEN '%.*s' AND '%.*s'", p->slots[p->time]->name, day ? 10 : 40,
               from, day ? 10 : 40, to);
}

char *store_sql(const struct store *s, enum store_statement which, const struct batch *b)
{
    struct buf out = BUF_INIT(BUF_LIMIT_MESSAGE);
    size_t len;
    for (const char *p = s->sql[which]; *p != '\0'; p++) {
        if (*p == '@')
            put_bounds(s->plan, b, &out);
        else
            buf_putc(&out, *p);
    }
    return buf_detach(&out, &len);
}
