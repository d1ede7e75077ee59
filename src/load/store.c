#include "store.h"

#include "obstream/core/number.h"
#include "obstream/core/strutil.h"
#include "pg.h"

#include <endian.h>
#include <stdlib.h>

enum { ATTEMPTS = 6, STATE_SIZE = 6 };

bool store_open(struct store *s, const char *dsn, const struct plan *plan, struct err *e)
{
    *s = (struct store){ .plan = plan };
    s->pg = pg_open(dsn, e);
    return s->pg != NULL;
}

void store_close(struct store *s)
{
    for (int i = 0; i < SQL_COUNT; i++)
        free(s->sql[i]);
    free(s->parts);
    PQfinish(s->pg);
    s->pg = NULL;
}

/* varchar(n) and char(n) keep n + 4 as their modifier. */
static bool read_sizes(struct store *s, const char *table, struct plan *plan, struct err *e)
{
    PGresult *r = pg_query(s->pg,
                           "SELECT attname, atttypmod - 4 FROM pg_attribute"
                           " WHERE attrelid = $1::regclass AND attnum > 0 AND atttypmod > 4"
                           " AND atttypid IN ('varchar'::regtype, 'bpchar'::regtype)",
                           1, &table, e);
    if (r == NULL)
        return false;
    for (int i = 0; i < PQntuples(r); i++) {
        const char *name = PQgetvalue(r, i, 0);
        int c = dataset_column(plan->dataset, name, strlen(name));
        if (c >= 0)
            plan->sizes[c] = (unsigned short)strtoul(PQgetvalue(r, i, 1), NULL, 10);
    }
    PQclear(r);
    return true;
}

bool store_check(struct store *s, const char *table, struct plan *plan, struct err *e)
{
    PGresult *r = pg_query(s->pg,
                           "SELECT to_regclass($1) IS NOT NULL AND"
                           " to_regclass('obstream.partitioning') IS NOT NULL",
                           1, &table, e);
    if (r == NULL)
        return false;
    bool there = PQgetvalue(r, 0, 0)[0] == 't';
    PQclear(r);
    if (!there)
        return err_set(e, ERR_DATABASE,
                       "database \"%s\" has no table %s of obstream's layout; make it with: "
                       "obstream schema",
                       PQdb(s->pg), table);
    return read_sizes(s, table, plan, e);
}

static bool part_known(struct store *s, uint32_t part)
{
    for (uint32_t i = s->part_count; i-- > 0;) {
        if (s->parts[i] == part)
            return true;
    }
    return false;
}

static bool make_part(struct store *s, uint32_t part, struct err *e)
{
    char sql[200];
    if (s->plan->dataset->partition == PARTITION_PREFIX)
        snprintf(sql, sizeof(sql), "SELECT obstream.ensure_partition('%s', '%c%c')", s->plan->table,
                 (int)(part >> 8), (int)(part & 0xFF));
    else
        snprintf(sql, sizeof(sql),
                 "SELECT obstream.ensure_partitions('%s', '%04u-%02u-01Z', '%04u-%02u-01Z')",
                 s->plan->table, part / 12, part % 12 + 1, part / 12, part % 12 + 1);
    return pg_run(s->pg, sql, e);
}

static bool ensure_parts(struct store *s, const struct batch *b, struct err *e)
{
    for (uint32_t i = 0; i < b->part_count; i++) {
        if (part_known(s, b->parts[i]))
            continue;
        if (s->part_count == s->part_cap) {
            uint32_t cap = s->part_cap == 0 ? 64 : 2 * s->part_cap;
            uint32_t *parts = realloc(s->parts, cap * sizeof(*parts));
            if (parts == NULL)
                return err_set(e, ERR_INTERNAL, "out of memory");
            s->parts = parts;
            s->part_cap = cap;
        }
        if (!make_part(s, b->parts[i], e))
            return false;
        s->parts[s->part_count++] = b->parts[i];
    }
    return true;
}

static int compare_parts(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Where no unique index guards the keys, loads into one partition take turns. */
static bool lock_parts(struct store *s, const struct batch *b, struct err *e)
{
    if (!s->plan->dataset->multiset || b->part_count == 0)
        return true;
    uint32_t *parts = malloc(b->part_count * sizeof(*parts));
    if (parts == NULL)
        return err_set(e, ERR_INTERNAL, "out of memory");
    memcpy(parts, b->parts, b->part_count * sizeof(*parts));
    qsort(parts, b->part_count, sizeof(*parts), compare_parts); /* one order: no deadlock */
    bool ok = true;
    for (uint32_t i = 0; ok && i < b->part_count; i++) {
        char sql[160];
        snprintf(sql, sizeof(sql), "SELECT pg_advisory_xact_lock(hashtext('load %s'), %u)",
                 s->plan->table, parts[i]);
        ok = pg_run(s->pg, sql, e);
    }
    free(parts);
    return ok;
}

/* Array literals of the ids and of the times they cover. */
static void span_arrays(const struct batch *b, const struct plan *p, struct buf out[3])
{
    bool number = p->slots[p->id]->type == VALUE_INT4;
    for (int k = 0; k < 3; k++)
        buf_puts(&out[k], "{");
    for (uint32_t i = 0; i < b->span_count; i++) {
        const struct batch_span *s = &b->spans[i];
        char time[NUMBER_ROOM];
        const char *comma = i == 0 ? "" : ",";
        uint32_t big;
        if (number) {
            memcpy(&big, s->id, sizeof(big));
            buf_printf(&out[0], "%s%d", comma, (int32_t)be32toh(big));
        } else { /* an id holds neither quotes nor backslashes */
            buf_printf(&out[0], "%s\"%.*s\"", comma, s->len, s->id);
        }
        for (int k = 1; k < 3; k++) {
            *number_instant(time, k == 1 ? s->from : s->to) = '\0';
            buf_printf(&out[k], "%s%s", comma, time);
        }
    }
    for (int k = 0; k < 3; k++)
        buf_puts(&out[k], "}");
}

/* Does the table hold nothing yet of the batch's ids in the times they cover? */
static bool find_fresh(struct store *s, const struct batch *b, bool *fresh, struct err *e)
{
    *fresh = false;
    if (s->sql[SQL_FRESH][0] == '\0' || b->span_count == 0)
        return true;
    struct buf arrays[3];
    for (int k = 0; k < 3; k++)
        arrays[k] = BUF_INIT(BUF_LIMIT_DOCUMENT);
    span_arrays(b, s->plan, arrays);
    char *sql = store_sql(s, SQL_FRESH, b);
    bool ok = sql != NULL && !arrays[0].failed && !arrays[1].failed && !arrays[2].failed;
    if (ok) {
        const char *const values[] = { arrays[0].data, arrays[1].data, arrays[2].data };
        PGresult *r = pg_query(s->pg, sql, 3, values, e);
        ok = r != NULL;
        *fresh = ok && PQntuples(r) == 0;
        PQclear(r);
    } else {
        err_set(e, ERR_INTERNAL, "out of memory");
    }
    free(sql);
    for (int k = 0; k < 3; k++)
        buf_release(&arrays[k]);
    return ok;
}

static bool put_bytes(void *ctx, const char *bytes, size_t len)
{
    struct store *s = ctx;
    return (s->stop == NULL || !*s->stop) && PQputCopyData(s->pg, bytes, (int)len) == 1;
}

/* The binary copy's frame: signature, flags, header extension; at the end a count of -1. */
static bool copy_rows(struct store *s, const char *sql, const struct batch *b, char *state,
                      struct err *e)
{
    static const char head[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0";
    static const char tail[] = "\377\377";
    PGresult *r = PQexec(s->pg, sql);
    bool ok = PQresultStatus(r) == PGRES_COPY_IN;
    if (!ok)
        pg_fail(s->pg, r, state, e);
    PQclear(r);
    if (!ok)
        return false;
    ok = put_bytes(s, head, sizeof(head) - 1) && batch_each(b, put_bytes, s) &&
         put_bytes(s, tail, sizeof(tail) - 1);
    PQputCopyEnd(s->pg, ok ? NULL : "stopped");
    while ((r = PQgetResult(s->pg)) != NULL) {
        if (PQresultStatus(r) != PGRES_COMMAND_OK)
            ok = pg_fail(s->pg, r, state, e);
        PQclear(r);
    }
    return ok;
}

/* Runs a statement of the batch; *rows counts what it wrote. NULL on failure. */
static PGresult *run_sql(struct store *s, enum store_statement which, const struct batch *b,
                         uint64_t *rows, char *state, struct err *e)
{
    char *sql = store_sql(s, which, b);
    PGresult *r = sql == NULL ? NULL : PQexec(s->pg, sql);
    free(sql);
    ExecStatusType status = PQresultStatus(r);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        pg_fail(s->pg, r, state, e);
        PQclear(r);
        return NULL;
    }
    *rows = strtoull(PQcmdTuples(r), NULL, 10);
    return r;
}

static bool write_step(struct store *s, enum store_statement which, const struct batch *b,
                       uint64_t *rows, char *state, struct err *e)
{
    *rows = 0;
    if (s->sql[which][0] == '\0')
        return true;
    PGresult *r = run_sql(s, which, b, rows, state, e);
    PQclear(r);
    return r != NULL;
}

struct outcome {
    uint64_t added, changed, refused;
    PGresult *refusals; /* rows of line and reason */
};

static bool write_multiset(struct store *s, const struct batch *b, struct outcome *o, char *state,
                           struct err *e)
{
    uint64_t rows;
    if (!pg_run(s->pg, "SET LOCAL enable_hashjoin = on", e)) /* batch against batch */
        return false;
    PGresult *r = run_sql(s, SQL_MULTISET, b, &rows, state, e);
    if (r == NULL)
        return false;
    o->added = strtoull(PQgetvalue(r, 0, 0), NULL, 10);
    o->changed = strtoull(PQgetvalue(r, 0, 1), NULL, 10);
    PQclear(r);
    return true;
}

static bool write_staged(struct store *s, const struct batch *b, struct outcome *o, char *state,
                         struct err *e)
{
    if (!copy_rows(s, s->sql[SQL_COPY_STAGE], b, state, e) ||
        !pg_run(s->pg, s->sql[SQL_ANALYZE], e))
        return false;
    if (s->plan->dataset->multiset)
        return write_multiset(s, b, o, state, e);
    if (s->sql[SQL_CONFLICT][0] != '\0') {
        o->refusals = run_sql(s, SQL_CONFLICT, b, &o->refused, state, e);
        if (o->refusals == NULL)
            return false;
    }
    if (!write_step(s, SQL_INSERT, b, &o->added, state, e))
        return false;
    return o->added + o->refused == batch_live(b) || /* then there is nothing to compare with */
           write_step(s, SQL_UPDATE, b, &o->changed, state, e);
}

static bool try_batch(struct store *s, const struct batch *b, bool staged, struct outcome *o,
                      char *state, struct err *e)
{
    bool fresh = false;
    if (!pg_run(s->pg, "BEGIN", e) || !lock_parts(s, b, e) ||
        (!staged && !find_fresh(s, b, &fresh, e)))
        return false;
    if (fresh) {
        if (!copy_rows(s, s->sql[SQL_COPY_TABLE], b, state, e))
            return false;
        o->added = batch_live(b);
    } else if (!write_staged(s, b, o, state, e)) {
        return false;
    }
    return pg_run(s->pg, "COMMIT", e);
}

/* Another session wrote the same keys meanwhile, or waits for us: then a second look helps. */
static bool worth_repeating(const char *state)
{
    return str_eq(state, "23505") || str_eq(state, "40P01") || str_eq(state, "40001");
}

static void count_batch(struct store *s, const struct batch *b, struct outcome *o)
{
    uint64_t live = batch_live(b);
    s->counts.rows += live + b->superseded + b->repeated;
    s->counts.added += o->added;
    s->counts.changed += o->changed + b->superseded;
    s->counts.unchanged += live - o->added - o->changed - o->refused + b->repeated;
    for (int i = 0; o->refusals != NULL && i < PQntuples(o->refusals); i++)
        rejects_add(s->rejects, strtoull(PQgetvalue(o->refusals, i, 0), NULL, 10),
                    PQgetvalue(o->refusals, i, 1), "", 0);
}

static bool prepare(struct store *s, struct err *e)
{
    if (s->ready)
        return true;
    s->ready = store_statements(s, e) && pg_run(s->pg, s->sql[SQL_STAGE], e);
    return s->ready;
}

bool store_batch(struct store *s, const struct batch *b, struct err *e)
{
    if (b->count == 0) {
        s->counts.unchanged += b->repeated;
        return true;
    }
    if (!prepare(s, e) || !ensure_parts(s, b, e))
        return false;
    for (int attempt = 1;; attempt++) {
        struct outcome o = { 0 };
        struct err why = ERR_INIT;
        char state[STATE_SIZE] = "";
        bool ok = try_batch(s, b, attempt > 1, &o, state, &why);
        if (ok)
            count_batch(s, b, &o);
        PQclear(o.refusals);
        if (ok)
            return true;
        struct err ignored = ERR_INIT;
        if (PQtransactionStatus(s->pg) != PQTRANS_IDLE && !pg_run(s->pg, "ROLLBACK", &ignored))
            attempt = ATTEMPTS;
        if (s->stop != NULL && *s->stop)
            return err_set(e, ERR_CANCELLED, "stopped");
        if (attempt >= ATTEMPTS || !worth_repeating(state))
            return err_set(e, why.kind, "%s", why.msg);
    }
}

bool store_finish(struct store *s, struct err *e)
{
    const char *after = s->plan->dataset->after;
    if (after == NULL || s->counts.added + s->counts.changed == 0)
        return true;
    return pg_run(s->pg, after, e);
}
