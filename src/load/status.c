#include "obstream/load/status.h"

#include "obstream/core/strutil.h"
#include "obstream/load/schema.h"
#include "pg.h"

#include <stdlib.h>
#include <string.h>

struct status_table {
    const char *dataset, *table;
    const char *time; /* column of the span; NULL: none */
};

static const struct status_table tables[] = {
    { "metar", "asos.alldata", "valid" },
    { "shef", "hads.raw", "valid" },
    { "hads-alldata", "hads.alldata", "valid" },
    { "coop", "coop.alldata", "day" },
    { "cocorahs", "coop.alldata_cocorahs", "day" },
    { "normals", "coop.ncei_climate91", NULL },
    { "normals", "coop.climate51", NULL },
    { "current_shef", "iem.current_shef", "valid" },
    { "current", "iem.current", "valid" },
    { "current_log", "iem.current_log", "valid" },
    { "summary", "iem.summary", "day" },
    { "stations", "mesosite.stations", NULL },
    { "networks", "mesosite.networks", NULL },
    { "station_attributes", "mesosite.station_attributes", NULL },
    { "station_threading", "mesosite.station_threading", NULL },
};

/* Partitions, size, and rows by the statistics of those that have any. */
static const char facts_sql[] =
    "SELECT count(*) FILTER (WHERE t.level > 0),"
    " pg_size_pretty(coalesce(sum(pg_total_relation_size(t.relid)), 0)),"
    " sum(c.reltuples::bigint) FILTER (WHERE c.reltuples > 0),"
    " bool_or(c.reltuples < 0 AND pg_relation_size(t.relid) > 0)"
    " FROM (SELECT relid, level FROM pg_partition_tree($1::regclass) WHERE isleaf"
    " UNION ALL SELECT oid, 0 FROM pg_class WHERE oid = $1::regclass AND relkind = 'r') t"
    " JOIN pg_class c ON c.oid = t.relid";

static bool put_rows(PGconn *pg, const struct status_table *t, bool exact, const PGresult *facts,
                     struct buf *out, struct err *e)
{
    if (!exact) {
        bool partly = PQgetvalue(facts, 0, 3)[0] == 't';
        bool none = PQgetisnull(facts, 0, 2);
        buf_printf(out, " %12s", none ? (partly ? "?" : "0") : PQgetvalue(facts, 0, 2));
        buf_puts(out, partly && !none ? "+" : none ? " " : "~");
        return true;
    }
    struct buf sql = BUF_INIT(BUF_LIMIT_MESSAGE);
    buf_printf(&sql, "SELECT count(*) FROM %s", t->table);
    PGresult *r = sql.failed ? NULL : pg_query(pg, sql.data, 0, NULL, e);
    if (r != NULL)
        buf_printf(out, " %12s ", PQgetvalue(r, 0, 0));
    PQclear(r);
    buf_release(&sql);
    return r != NULL;
}

static bool put_span(PGconn *pg, const struct status_table *t, struct buf *out, struct err *e)
{
    if (t->time == NULL) {
        buf_printf(out, "  %-24s", "");
        return true;
    }
    struct buf sql = BUF_INIT(BUF_LIMIT_MESSAGE);
    buf_printf(&sql, "SELECT coalesce(min(%s)::date || ' to ' || max(%s)::date, '-') FROM %s",
               t->time, t->time, t->table);
    PGresult *r = sql.failed ? NULL : pg_query(pg, sql.data, 0, NULL, e);
    if (r != NULL)
        buf_printf(out, "  %-24s", PQgetvalue(r, 0, 0));
    PQclear(r);
    buf_release(&sql);
    return r != NULL;
}

static bool put_table(PGconn *pg, const struct status_table *t, bool exact, struct buf *out,
                      struct err *e)
{
    PGresult *facts = pg_query(pg, facts_sql, 1, &t->table, e);
    if (facts == NULL)
        return false;
    buf_printf(out, "%-19s %-28s", t->dataset, t->table);
    bool ok = put_rows(pg, t, exact, facts, out, e) && put_span(pg, t, out, e);
    buf_printf(out, "  %10s  %10s\n", PQgetvalue(facts, 0, 0), PQgetvalue(facts, 0, 1));
    PQclear(facts);
    return ok;
}

bool status_report(const char *dsn, bool exact, struct buf *out, struct err *e)
{
    int version;
    unsigned count;
    const struct schema_migration *m = schema_migrations(&count);
    if (!schema_version(dsn, &version, e))
        return false;
    if (version == 0)
        return err_set(e, ERR_DATABASE,
                       "the database has no obstream schema; make it with: "
                       "obstream schema");
    buf_printf(out, "schema version %d%s\n\n", version,
               version < m[count - 1].version ? " (older than this program: obstream schema)" : "");
    buf_printf(out, "%-19s %-28s %12s   %-24s  %10s  %10s\n", "data set", "table",
               exact ? "rows" : "rows, about", "span", "partitions", "size");
    PGconn *pg = pg_open(dsn, e);
    if (pg == NULL)
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < ARRAY_SIZE(tables); i++)
        ok = put_table(pg, &tables[i], exact, out, e);
    PQfinish(pg);
    return ok && (!out->failed || err_set(e, ERR_INTERNAL, "out of memory"));
}
