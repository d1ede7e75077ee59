/*
 * The tables of obstream's own layout, as numbered migrations that are built into the program from
 * the files in sql/. obstream.schema_version tells which a database has.
 */
#ifndef OBSTREAM_LOAD_SCHEMA_H
#define OBSTREAM_LOAD_SCHEMA_H

#include "obstream/core/err.h"

struct schema_migration {
    int version;
    const char *name; /* as in the file's name */
    const char *sql;
};

const struct schema_migration *schema_migrations(unsigned *count); /* ascending */

/* Applies what is missing, each migration in a transaction of its own. Safe to repeat, and to run
 * from several places at once: they take turns. note() hears of each one applied; it may be NULL.
 * ERR_DATABASE when one fails, or when the database has one whose text was another. */
bool schema_apply(const char *dsn, void (*note)(void *ctx, const struct schema_migration *m),
                  void *ctx, struct err *e) MUST_CHECK;

/* The newest version the database has; 0: no obstream schema. */
bool schema_version(const char *dsn, int *version, struct err *e) MUST_CHECK;

#endif
