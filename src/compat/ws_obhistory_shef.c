/* The SHEF branch of /api/1/obhistory: one column per key, joined with the converted elements. */
#include "ws_obhistory.h"

#include "obstream/query/sql.h"

#include <math.h>
#include <stdlib.h>

/* Years the archive of the recorded system has tables for; others were refused there. */
enum { FIRST_TABLE = 2002, LAST_TABLE = 2030 };

enum { ELEMENTS = 4 };

static const char *const element_names[ELEMENTS] = { "tmpf", "dwpf", "sknt", "drct" };

struct value {
    int64_t valid;
    const char *key;
    double v;
};

struct elements {
    int64_t valid;
    struct cell cells[ELEMENTS];
};

/* What was read of the day, in the arena of the frame's rows. */
struct day {
    struct arena *arena;
    struct value *values; /* by time, key, value */
    size_t value_count, value_cap;
    struct elements *elements; /* by time */
    size_t element_count, element_cap;
    bool present[ELEMENTS]; /* an element has a value on any row */
    struct strlist keys;    /* ascending */
    bool any;               /* a row without value counts */
};

/* Room for one more item of an array in the arena; the old array stays behind. */
static void *grown(struct arena *a, void *items, size_t count, size_t *cap, size_t size)
{
    if (count < *cap)
        return items;
    size_t want = *cap == 0 ? 64 : *cap * 2;
    void *more = arena_array(a, want, size);
    if (more == NULL)
        return NULL;
    if (count > 0)
        memcpy(more, items, count * size);
    *cap = want;
    return more;
}

static double number(const struct cell *c)
{
    return c->type == CELL_FLOAT4 ? number_widen(c->f4) : c->type == CELL_FLOAT8 ? c->f8 : NAN;
}

/* Keys come in no order: the list stays sorted, and keeps one copy of each. */
static const char *key_keep(struct day *d, const struct cell *c)
{
    char *key = arena_strndup(d->arena, c->s, c->len);
    if (key == NULL)
        return NULL;
    size_t i = d->keys.count;
    while (i > 0 && strcmp(d->keys.items[i - 1], key) > 0)
        i--;
    if (i > 0 && str_eq(d->keys.items[i - 1], key))
        return d->keys.items[i - 1];
    strlist_add(&d->keys, d->arena, key);
    if (d->arena->failed)
        return NULL;
    memmove(d->keys.items + i + 1, d->keys.items + i,
            (d->keys.count - 1 - i) * sizeof(*d->keys.items));
    d->keys.items[i] = key;
    return key;
}

static bool value_add(void *ctx, const struct cell *cells)
{
    struct day *d = ctx;
    double v = number(&cells[2]);
    d->any = true;
    if (v != v || cells[1].type == CELL_NULL)
        return true;
    const char *key = key_keep(d, &cells[1]);
    struct value *values =
        grown(d->arena, d->values, d->value_count, &d->value_cap, sizeof(*values));
    if (key == NULL || values == NULL)
        return false;
    d->values = values;
    values[d->value_count++] = (struct value){ cells[0].i, key, v };
    return true;
}

static bool elements_add(void *ctx, const struct cell *cells)
{
    struct day *d = ctx;
    struct elements *items =
        grown(d->arena, d->elements, d->element_count, &d->element_cap, sizeof(*items));
    if (items == NULL)
        return false;
    d->elements = items;
    struct elements *x = &items[d->element_count++];
    x->valid = cells[0].i;
    for (int i = 0; i < ELEMENTS; i++) {
        x->cells[i] = cells[1 + i];
        d->present[i] = d->present[i] || cells[1 + i].type != CELL_NULL;
    }
    return true;
}

static bool day_query(const struct obhistory *x, struct conn *conn, const char *select,
                      const char *table, const char *order, const Oid *oids, unsigned count,
                      bool (*row)(void *, const struct cell *), struct day *d, struct err *e)
{
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    buf_printf(&sql, "SELECT %s FROM %s WHERE station = ", select, table);
    sql_id(&sql, x->station, strlen(x->station));
    sql_text(&sql, " AND valid >= ");
    sql_instant(&sql, x->from);
    sql_text(&sql, " AND valid < ");
    sql_instant(&sql, x->to);
    sql_text(&sql, order);
    bool ok = !sql.failed && query_rows(conn, sql.data, oids, count, row, d, e);
    buf_release(&sql);
    if (d->arena->failed)
        return err_set(e, ERR_TOO_LARGE, "out of memory after %zu values", d->value_count);
    return ok || err_set(e, ERR_INTERNAL, "the statement cannot be built");
}

static bool day_read(const struct obhistory *x, struct conn *conn, struct day *d, struct err *e)
{
    static const Oid raw_oids[] = { OID_TIMESTAMPTZ, OID_TEXT, OID_FLOAT4 };
    static const Oid all_oids[] = { OID_TIMESTAMPTZ, OID_FLOAT8, OID_FLOAT8, OID_FLOAT8,
                                    OID_FLOAT8 };
    if (x->year == 0)
        return true;
    if (!day_query(x, conn, "DISTINCT valid, key::text, value", x->raw, " ORDER BY 1, 2, 3",
                   raw_oids, ARRAY_SIZE(raw_oids), value_add, d, e))
        return false;
    return x->alldata == NULL || !d->any ||
           day_query(x, conn,
                     "valid, tmpf::text::float8, dwpf::text::float8, sknt::text::float8, "
                     "drct::text::float8",
                     x->alldata, " ORDER BY valid", all_oids, ARRAY_SIZE(all_oids), elements_add, d,
                     e);
}

/* utc_valid, the keys, the elements if there are any, local_valid. */
static unsigned make_columns(const struct obhistory *x, const struct day *d, bool full,
                             struct frame_column *c)
{
    unsigned n = 0;
    c[n++] = (struct frame_column){ "utc_valid", FRAME_MINUTE, 0, 0 };
    for (size_t i = 0; i < d->keys.count; i++)
        c[n++] = (struct frame_column){ d->keys.items[i], FRAME_FLOAT, FRAME_NUMBER, 0 };
    for (int i = 0; d->element_count > 0 && i < ELEMENTS; i++)
        c[n++] = (struct frame_column){ element_names[i], FRAME_FLOAT,
                                        d->present[i] ? FRAME_NUMBER : 0, 0 };
    c[n++] = (struct frame_column){ "local_valid", FRAME_LOCAL, 0, 0 };
    return full ? obhistory_full(x, c, n) : n;
}

static size_t key_index(const struct day *d, const char *key)
{
    size_t i = 0;
    while (d->keys.items[i] != key && !str_eq(d->keys.items[i], key))
        i++;
    return i;
}

/* The values of one time, from `first` on, into the cells of the keys: the first of each key. */
static size_t time_cells(const struct day *d, size_t first, struct cell *keys)
{
    size_t i = first;
    for (; i < d->value_count && d->values[i].valid == d->values[first].valid; i++) {
        struct cell *to = &keys[key_index(d, d->values[i].key)];
        if (to->type == CELL_NULL)
            *to = cell_float8(d->values[i].v);
    }
    return i;
}

static void row_add(const struct obhistory *x, const struct day *d, struct cell *row,
                    const struct elements *with, struct frame_rows *rows)
{
    size_t n = 1 + d->keys.count;
    for (int i = 0; with != NULL && i < ELEMENTS; i++)
        row[n++] = with->cells[i];
    row[n] = row[0];
    row[n].i += tz_offset(x->tz, row[0].i, NULL, NULL) * USEC_PER_SEC;
    frame_rows_add(rows, row);
}

/* Times of both tables are joined when the second has any on that day. */
static void join(const struct obhistory *x, const struct day *d, struct cell *row,
                 struct frame_rows *rows)
{
    size_t next = 0, k = 0;
    while (next < d->value_count) {
        int64_t valid = d->values[next].valid;
        for (unsigned i = 0; i < rows->width; i++)
            row[i] = cell_null();
        row[0] = (struct cell){ .type = CELL_INSTANT, .i = valid };
        next = time_cells(d, next, row + 1);
        if (d->element_count == 0)
            row_add(x, d, row, NULL, rows);
        while (k < d->element_count && d->elements[k].valid < valid)
            k++;
        for (; k < d->element_count && d->elements[k].valid == valid; k++)
            row_add(x, d, row, &d->elements[k], rows);
    }
}

bool obhistory_shef(const struct plan *p, struct conn *conn, struct frame *f,
                    struct frame_rows *rows, struct err *e)
{
    const struct obhistory *x = frame_context(p);
    struct day d = { .arena = &rows->arena };
    if (!day_read(x, conn, &d, e))
        return false;
    if (!d.any) {
        if (x->year < FIRST_TABLE || x->year > LAST_TABLE)
            return err_set(e, ERR_NOT_FOUND, "the archive holds nothing of this year");
        return true;
    }
    size_t room = 2 + d.keys.count + ELEMENTS + OBHISTORY_MORE;
    struct frame_column *columns = arena_array(d.arena, room, sizeof(*columns));
    struct cell *row = arena_array(d.arena, room, sizeof(*row));
    if (columns == NULL || row == NULL)
        return err_set(e, ERR_TOO_LARGE, "out of memory for %zu columns", room);
    rows->width = make_columns(x, &d, x->full, columns);
    join(x, &d, row, rows);
    f->columns = columns;
    f->count = rows->count > 0 ? rows->width : make_columns(x, &d, false, columns);
    return true;
}
