#include "obstream/load/rollup.h"

#include "pg.h"

#include <stdlib.h>

static const char there_sql[] = "SELECT to_regclass('coop.rollup_touched') IS NOT NULL";

/* The planner settings of the loader are for merging batches; here whole tables are read. */
static const char settings_sql[] =
    "SET enable_hashjoin = on; SET enable_seqscan = on; SET work_mem = '32MB'";

/* The lock keeps writers out for the moment in which the list is made. */
static const char all_sql[] =
    "BEGIN; LOCK TABLE coop.alldata IN SHARE MODE;"
    " DELETE FROM coop.rollup_month; DELETE FROM coop.rollup_touched;"
    " INSERT INTO coop.rollup_touched SELECT DISTINCT station, coop.month_of(day)"
    " FROM coop.alldata; COMMIT";

static const char stations_sql[] =
    "SELECT DISTINCT station FROM coop.rollup_touched ORDER BY station";

static const char refresh_sql[] = "SELECT coop.rollup_refresh($1)";

static bool check_tables(PGconn *pg, struct err *e)
{
    PGresult *r = pg_query(pg, there_sql, 0, NULL, e);
    if (r == NULL)
        return false;
    bool there = PQgetvalue(r, 0, 0)[0] == 't';
    PQclear(r);
    return there || err_set(e, ERR_DATABASE,
                            "database \"%s\" has no table coop.rollup_touched; make it with: "
                            "obstream schema",
                            PQdb(pg));
}

static bool refresh(PGconn *pg, const PGresult *stations, const volatile sig_atomic_t *stop,
                    struct rollup_counts *counts, struct err *e)
{
    for (int i = 0; i < PQntuples(stations); i++) {
        const char *const id = PQgetvalue(stations, i, 0);
        if (stop != NULL && *stop)
            return err_set(e, ERR_CANCELLED, "stopped");
        PGresult *r = pg_query(pg, refresh_sql, 1, &id, e);
        if (r == NULL)
            return false;
        counts->months += strtoull(PQgetvalue(r, 0, 0), NULL, 10);
        counts->stations++;
        PQclear(r);
    }
    return true;
}

bool rollup_run(const char *dsn, bool all, const volatile sig_atomic_t *stop,
                struct rollup_counts *counts, struct err *e)
{
    *counts = (struct rollup_counts){ 0 };
    PGconn *pg = pg_open(dsn, e);
    if (pg == NULL)
        return false;
    bool ok =
        check_tables(pg, e) && pg_run(pg, settings_sql, e) && (!all || pg_run(pg, all_sql, e));
    PGresult *stations = ok ? pg_query(pg, stations_sql, 0, NULL, e) : NULL;
    ok = stations != NULL && refresh(pg, stations, stop, counts, e);
    PQclear(stations);
    if (ok &&
        counts->months > 0) /* outside a transaction: readers need good plans and few dead rows */
        ok = pg_run(pg, "VACUUM ANALYZE coop.rollup_month", e) &&
             pg_run(pg, "VACUUM ANALYZE coop.rollup_touched", e);
    PQfinish(pg);
    return ok;
}
