#include "obstream/db/layout.h"

#include "obstream/core/buf.h"
#include "obstream/core/strutil.h"
#include "obstream/db/copy.h"

enum { LAYOUT_MEMORY = 8 << 20 };

static const struct table_row {
    enum dataset dataset;
    const char *name;
    bool required;
} tables[TABLE_COUNT] = {
#define LAYOUT_ROW(id, dataset, name, required) [id] = { dataset, name, required },
    LAYOUT_TABLES(LAYOUT_ROW)
#undef LAYOUT_ROW
};

/* The column whose collation tells how the station ids of a data set are sorted. */
static const struct station_column {
    enum layout_table table;
    const char *column;
} station_columns[DATASET_COUNT] = {
    [DATASET_ASOS] = { TABLE_ASOS_ALLDATA, "station" },
    [DATASET_HADS] = { TABLE_HADS_RAW, "station" },
    [DATASET_COOP] = { TABLE_COOP_ALLDATA, "station" },
    [DATASET_IEM] = { TABLE_IEM_CURRENT_SHEF, "station" },
    [DATASET_MESOSITE] = { TABLE_STATIONS, "id" },
};

/*
 * Goes between the list of wanted names and the schema's name. A schema named like the data set
 * that holds any of its tables is the whole truth; without one, names resolve by search_path.
 * The system row is read as JSON where its columns differ between versions: the provider of the
 * database's default collation (i: ICU, b: built in and bytewise) came with 15 and 17.
 */
static const char query_own[] =
    "), own AS (SELECT w.i, c.oid FROM want w JOIN pg_class c ON c.relname = w.name "
    "JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname = '";
static const char query_columns[] =
    "'), found AS (SELECT i, oid, true AS own FROM own UNION ALL "
    "SELECT i, to_regclass(quote_ident(name))::oid, false FROM want "
    "WHERE NOT EXISTS (SELECT FROM own)), "
    "base AS (SELECT CASE coalesce(to_jsonb(d) ->> 'datlocprovider', 'c') WHEN 'i' THEN false "
    "WHEN 'b' THEN true ELSE d.datcollate IN ('C', 'POSIX', 'C.UTF-8', 'C.utf8') END AS bytewise "
    "FROM pg_database d WHERE d.datname = current_database()) "
    "SELECT f.i, f.own, (CASE WHEN f.own THEN quote_ident(n.nspname) || '.' ELSE '' END "
    "|| quote_ident(c.relname))::text, a.attname::text, "
    "(CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END)::int8, "
    "coalesce(CASE WHEN co.collname = 'default' THEN base.bytewise ELSE co.collprovider = 'b' OR "
    "(co.collprovider = 'c' AND co.collcollate IN ('C', 'POSIX', 'C.UTF-8', 'C.utf8')) END, false) "
    "FROM found f JOIN pg_class c ON c.oid = f.oid JOIN pg_namespace n ON n.oid = c.relnamespace "
    "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
    "JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_collation co ON co.oid = a.attcollation "
    "CROSS JOIN base WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY f.i, a.attnum";

enum answer { ANSWER_TABLE, ANSWER_OWN, ANSWER_SQL_NAME, ANSWER_COLUMN, ANSWER_OID, ANSWER_C };

static const Oid answer_oids[] = { OID_INT4, OID_BOOL, OID_TEXT, OID_TEXT, OID_INT8, OID_BOOL };

struct reading {
    struct layout *layout;
    enum dataset dataset;
};

static void query_build(struct buf *sql, enum dataset d)
{
    const char *before = "WITH want (i, name) AS (VALUES ";
    for (int t = 0; t < TABLE_COUNT; t++) {
        if (tables[t].dataset != d)
            continue;
        buf_printf(sql, "%s(%d, '%s')", before, t, tables[t].name);
        before = ", ";
    }
    buf_puts(sql, query_own);
    buf_puts(sql, dataset_name(d));
    buf_puts(sql, query_columns);
}

/* The array of columns grows in steps of powers of two; the arena keeps the old ones. */
static bool columns_add(struct arena *a, struct layout_entry *t, const struct layout_column *add)
{
    if ((t->count & (t->count - 1)) == 0) {
        unsigned cap = t->count == 0 ? 1 : 2 * t->count;
        struct layout_column *grown = arena_array(a, cap, sizeof(*grown));
        if (grown == NULL)
            return false;
        if (t->count > 0)
            memcpy(grown, t->columns, t->count * sizeof(*grown));
        t->columns = grown;
    }
    t->columns[t->count++] = *add;
    return true;
}

static bool column_read(void *ctx, const struct cell *cells)
{
    const struct reading *r = ctx;
    struct layout *l = r->layout;
    enum layout_table id = (enum layout_table)cells[ANSWER_TABLE].i;
    struct layout_entry *t = &l->tables[id];
    const struct cell *name = &cells[ANSWER_SQL_NAME], *column = &cells[ANSWER_COLUMN];
    if (!t->exists)
        t->sql_name = arena_strndup(&l->arena, name->s, name->len);
    t->exists = true;
    l->own[r->dataset] = cells[ANSWER_OWN].i != 0;
    struct layout_column add = { .name = arena_strndup(&l->arena, column->s, column->len),
                                 .oid = (Oid)cells[ANSWER_OID].i };
    if (add.name == NULL || t->sql_name == NULL || !columns_add(&l->arena, t, &add))
        return false;
    const struct station_column *s = &station_columns[r->dataset];
    if (id == s->table && str_eq(add.name, s->column))
        l->c_order[r->dataset] = cells[ANSWER_C].i != 0;
    return true;
}

static bool required_check(const struct layout *l, enum dataset d, struct conn *conn, struct err *e)
{
    const char *name = dataset_name(d);
    for (int t = 0; t < TABLE_COUNT; t++) {
        if (tables[t].dataset != d || !tables[t].required || l->tables[t].exists)
            continue;
        return err_set(e, ERR_DATABASE,
                       "database \"%s\" has no table %s.%s%s%s%s: create the "
                       "tables with \"obstream schema\", or let database.%s name the database "
                       "that has them",
                       PQdb(conn->pg), name, tables[t].name, l->own[d] ? "" : ", nor finds ",
                       l->own[d] ? "" : tables[t].name, l->own[d] ? "" : " by search_path", name);
    }
    return true;
}

bool layout_discover(struct layout *l, enum dataset d, struct conn *conn, struct err *e)
{
    if (l->arena.limit == 0)
        arena_init(&l->arena, LAYOUT_MEMORY);
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    query_build(&sql, d);
    struct reading r = { .layout = l, .dataset = d };
    bool ok = !sql.failed &&
              query_rows(conn, sql.data, answer_oids, ARRAY_SIZE(answer_oids), column_read, &r, e);
    if (sql.failed || l->arena.failed)
        ok = err_set(e, ERR_INTERNAL, "out of memory for the layout of %s", dataset_name(d));
    buf_release(&sql);
    return ok && required_check(l, d, conn, e);
}

void layout_release(struct layout *l)
{
    arena_release(&l->arena);
    *l = (struct layout){ 0 };
}

const struct layout_column *layout_find(const struct layout *l, enum layout_table t,
                                        const char *column)
{
    const struct layout_entry *entry = &l->tables[t];
    for (unsigned i = 0; i < entry->count; i++) {
        if (str_eq(entry->columns[i].name, column))
            return &entry->columns[i];
    }
    return NULL;
}

enum dataset layout_dataset(enum layout_table t)
{
    return tables[t].dataset;
}
