/*
 * A database for tests: OBSTREAM_TEST_DSN names a PostgreSQL server and a role that may create
 * databases there. Each test program makes a database of its own, named by its pid, and drops it.
 * Without the variable every test that calls db_need() is skipped.
 */
#ifndef OBSTREAM_TEST_DB_H
#define OBSTREAM_TEST_DB_H

#include "obstream/core/buf.h"
#include "obstream/core/clock.h"
#include "obstream/core/strutil.h"
#include "obstream/db/copy.h"
#include "obstream/db/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char *db_dsn; /* of the test database */
static char db_name[64];
static struct conf db_conf;

static inline void db_exec(const char *dsn, const char *sql)
{
    PGconn *pg = PQconnectdb(dsn);
    PGresult *res = PQexec(pg, sql);
    ExecStatusType status = PQresultStatus(res);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail_msg("%s: %s", sql, PQerrorMessage(pg));
    PQclear(res);
    PQfinish(pg);
}

/* The connection string with another database, in keyword form. */
static inline char *db_dsn_with(const char *dsn, const char *dbname)
{
    struct buf b = BUF_INIT(BUF_LIMIT_SQL);
    PQconninfoOption *options = PQconninfoParse(dsn, NULL);
    assert_non_null(options);
    for (const PQconninfoOption *o = options; o->keyword != NULL; o++) {
        if (o->val == NULL || str_eq(o->keyword, "dbname"))
            continue;
        buf_printf(&b, "%s='", o->keyword);
        for (const char *p = o->val; *p != '\0'; p++) {
            if (*p == '\'' || *p == '\\')
                buf_putc(&b, '\\');
            buf_putc(&b, *p);
        }
        buf_puts(&b, "' ");
    }
    PQconninfoFree(options);
    buf_printf(&b, "dbname='%s'", dbname);
    size_t len;
    return buf_detach(&b, &len);
}

static inline int db_group_setup(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    if (!conf_init(&db_conf, &e))
        return -1;
    const char *dsn = getenv("OBSTREAM_TEST_DSN");
    if (dsn == NULL)
        return 0;
    char sql[128];
    snprintf(db_name, sizeof(db_name), "obstream_test_%ld", (long)getpid());
    snprintf(sql, sizeof(sql), "CREATE DATABASE %s", db_name);
    db_exec(dsn, sql);
    db_dsn = db_dsn_with(dsn, db_name);
    return 0;
}

static inline int db_group_teardown(void **state)
{
    (void)state;
    conf_release(&db_conf);
    if (db_dsn == NULL)
        return 0;
    char sql[128];
    snprintf(sql, sizeof(sql), "DROP DATABASE %s", db_name);
    db_exec(getenv("OBSTREAM_TEST_DSN"), sql);
    free(db_dsn);
    return 0;
}

static inline void db_need(void)
{
    if (db_dsn == NULL)
        skip();
}

static inline struct conn *db_lease(struct pool *p)
{
    struct err e = ERR_INIT;
    struct conn *c = pool_acquire(p, clock_mono() + 5000000, &e);
    if (c == NULL)
        fail_msg("%s", e.msg);
    return c;
}

/* One number that a statement yields. */
static inline bool db_number_row(void *ctx, const struct cell *cells)
{
    *(int64_t *)ctx = cells[0].i;
    return true;
}

static inline int64_t db_number(struct conn *c, const char *select)
{
    static const Oid oid = OID_INT8;
    struct err e = ERR_INIT;
    int64_t n = INT64_MIN;
    if (!query_rows(c, select, &oid, 1, db_number_row, &n, &e))
        fail_msg("%s", e.msg);
    return n;
}

#endif
