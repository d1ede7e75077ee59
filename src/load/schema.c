#include "obstream/load/schema.h"

#include "pg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char lock_sql[] = "SELECT pg_advisory_lock(hashtext('obstream.schema'))";

static const char bootstrap_sql[] =
    "CREATE SCHEMA IF NOT EXISTS obstream;"
    "CREATE TABLE IF NOT EXISTS obstream.schema_version ("
    " version integer PRIMARY KEY, name text NOT NULL,"
    " applied timestamptz NOT NULL DEFAULT now(), checksum text NOT NULL)";

static const char look_sql[] =
    "SELECT checksum = md5($2) FROM obstream.schema_version WHERE version = $1";

static const char record_sql[] =
    "INSERT INTO obstream.schema_version (version, name, checksum) VALUES ($1, $2, md5($3))"
    " RETURNING version";

static bool apply_one(PGconn *pg, const struct schema_migration *m, struct err *e)
{
    char version[16];
    snprintf(version, sizeof(version), "%d", m->version);
    const char *const values[] = { version, m->name, m->sql };
    struct err why = ERR_INIT;
    PGresult *r = NULL;
    bool ok = pg_run(pg, "BEGIN", &why) && pg_run(pg, m->sql, &why) &&
              (r = pg_query(pg, record_sql, 3, values, &why)) != NULL && pg_run(pg, "COMMIT", &why);
    PQclear(r);
    if (ok)
        return true;
    PQclear(PQexec(pg, "ROLLBACK"));
    return err_set(e, why.kind, "migration %03d_%s was not applied: %s", m->version, m->name,
                   why.msg);
}

/* *missing, unless the database has it; false when it has another one of that number. */
static bool look(PGconn *pg, const struct schema_migration *m, bool *missing, struct err *e)
{
    char version[16];
    snprintf(version, sizeof(version), "%d", m->version);
    const char *const values[] = { version, m->sql };
    PGresult *r = pg_query(pg, look_sql, 2, values, e);
    if (r == NULL)
        return false;
    *missing = PQntuples(r) == 0;
    bool same = *missing || PQgetvalue(r, 0, 0)[0] == 't';
    PQclear(r);
    return same || err_set(e, ERR_DATABASE,
                           "database \"%s\" has another migration %03d_%s than this program; was "
                           "it made by a development version? Load into a fresh database",
                           PQdb(pg), m->version, m->name);
}

bool schema_apply(const char *dsn, void (*note)(void *ctx, const struct schema_migration *m),
                  void *ctx, struct err *e)
{
    PGconn *pg = pg_open(dsn, e);
    if (pg == NULL)
        return false;
    unsigned count;
    const struct schema_migration *m = schema_migrations(&count);
    /* the lock ends with the session */
    bool ok = pg_run(pg, lock_sql, e) && pg_run(pg, bootstrap_sql, e);
    for (unsigned i = 0; ok && i < count; i++) {
        bool missing = false;
        ok = look(pg, &m[i], &missing, e) && (!missing || apply_one(pg, &m[i], e));
        if (ok && missing && note != NULL)
            note(ctx, &m[i]);
    }
    PQfinish(pg);
    return ok;
}

bool schema_version(const char *dsn, int *version, struct err *e)
{
    *version = 0;
    PGconn *pg = pg_open(dsn, e);
    if (pg == NULL)
        return false;
    bool ok = true;
    PGresult *r = pg_query(pg, "SELECT to_regclass('obstream.schema_version')", 0, NULL, e);
    bool there = r != NULL && !PQgetisnull(r, 0, 0);
    ok = r != NULL;
    PQclear(r);
    if (there) {
        r = pg_query(pg, "SELECT coalesce(max(version), 0) FROM obstream.schema_version", 0, NULL,
                     e);
        ok = r != NULL;
        if (ok)
            *version = (int)strtol(PQgetvalue(r, 0, 0), NULL, 10);
        PQclear(r);
    }
    PQfinish(pg);
    return ok;
}
