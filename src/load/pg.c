#include "pg.h"

#include <stdio.h>
#include <string.h>

/* The plans of the loader's joins must be probes of an index for each row of a batch. Of partitions
 * that fill right now the planner has no statistics to find that out by itself, and it has chosen
 * to compare every row with every other; so all other ways are closed to it. */
static const char setup[] =
    "SET client_encoding = 'UTF8'; SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD';"
    "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;"
    "SET client_min_messages = warning; SET search_path = pg_catalog, public; SET jit = off;"
    "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_seqscan = off;"
    "SET enable_material = off;"
    "SET max_parallel_workers_per_gather = 0; SET temp_buffers = '32MB'; SET work_mem = '32MB'";

/* libpq's messages end in a line end and may have several lines. */
static void one_line(char *out, size_t size, const char *message)
{
    size_t n = 0;
    for (; *message != '\0' && n + 1 < size; message++)
        out[n++] = *message == '\n' || *message == '\t' ? ' ' : *message;
    while (n > 0 && out[n - 1] == ' ')
        n--;
    out[n] = '\0';
}

bool pg_fail(PGconn *pg, const PGresult *res, char *state, struct err *e)
{
    char text[ERR_MSG_SIZE - 64];
    const char *code = res == NULL ? NULL : PQresultErrorField(res, PG_DIAG_SQLSTATE);
    const char *message = res == NULL ? "" : PQresultErrorMessage(res);
    one_line(text, sizeof(text), *message != '\0' ? message : PQerrorMessage(pg));
    if (state != NULL)
        snprintf(state, 6, "%s", code == NULL ? "" : code);
    bool broken = PQstatus(pg) != CONNECTION_OK;
    return err_set(e, broken ? ERR_UNAVAILABLE : ERR_DATABASE, "database: %s", text);
}

bool pg_run(PGconn *pg, const char *sql, struct err *e)
{
    PGresult *res = PQexec(pg, sql);
    ExecStatusType s = PQresultStatus(res);
    bool ok = s == PGRES_COMMAND_OK || s == PGRES_TUPLES_OK;
    if (!ok)
        pg_fail(pg, res, NULL, e);
    PQclear(res);
    return ok;
}

PGresult *pg_query(PGconn *pg, const char *sql, int count, const char *const *values, struct err *e)
{
    PGresult *res = PQexecParams(pg, sql, count, NULL, values, NULL, NULL, 0);
    if (PQresultStatus(res) == PGRES_TUPLES_OK)
        return res;
    pg_fail(pg, res, NULL, e);
    PQclear(res);
    return NULL;
}

PGconn *pg_open(const char *dsn, struct err *e)
{
    PGconn *pg = PQconnectdb(dsn);
    if (pg == NULL || PQstatus(pg) != CONNECTION_OK) {
        char text[ERR_MSG_SIZE - 64];
        one_line(text, sizeof(text), pg == NULL ? "out of memory" : PQerrorMessage(pg));
        err_set(e, ERR_UNAVAILABLE, "cannot connect: %s", text);
    } else if (pg_run(pg, setup, e)) {
        return pg;
    }
    PQfinish(pg);
    return NULL;
}
