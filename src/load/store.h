/*
 * Batches into the database. Internal to the loader.
 *
 * A batch whose stations have no rows yet in the times it covers is copied straight into the table.
 * Any other one is copied into a temporary table, compared with what is there, and only the
 * differences are written: so loading a file again writes nothing.
 */
#ifndef OBSTREAM_LOAD_STORE_H
#define OBSTREAM_LOAD_STORE_H

#include "batch.h"
#include "obstream/load/load.h"
#include "rejects.h"

#include <libpq-fe.h>

enum store_statement {
    SQL_STAGE, /* makes the staging table */
    SQL_COPY_TABLE,
    SQL_COPY_STAGE,
    SQL_ANALYZE,  /* lets the planner know how many rows are staged */
    SQL_FRESH,    /* are there rows of these ids and times? */
    SQL_CONFLICT, /* takes out rows that another row's second key forbids */
    SQL_UPDATE,
    SQL_INSERT,
    SQL_MULTISET, /* replaces what differs, key by key; counts */
    SQL_COUNT
};

struct store {
    PGconn *pg;
    const struct plan *plan;
    struct rejects *rejects;
    const volatile sig_atomic_t *stop;
    char *sql[SQL_COUNT]; /* "" where the data set needs none; made with the first batch */
    bool ready;
    uint32_t *parts; /* partitions known to exist */
    uint32_t part_count, part_cap;
    struct load_counts counts; /* added, changed, unchanged of committed batches */
};

bool store_open(struct store *s, const char *dsn, const struct plan *plan,
                struct err *e) MUST_CHECK;
void store_close(struct store *s);

/* Is the table there, and how long are its texts? (plan->sizes) */
bool store_check(struct store *s, const char *table, struct plan *plan, struct err *e) MUST_CHECK;

/* One transaction. On failure nothing of the batch is stored. */
bool store_batch(struct store *s, const struct batch *b, struct err *e) MUST_CHECK;

/* What the data set wants done once rows were loaded. */
bool store_finish(struct store *s, struct err *e) MUST_CHECK;

/* Internal, store_sql.c. */
bool store_statements(struct store *s, struct err *e) MUST_CHECK;

/* A statement for one batch, with its bounds in time, so that the planner sees which partitions
 * matter. To be freed; NULL when out of memory. */
char *store_sql(const struct store *s, enum store_statement which, const struct batch *b);

#endif
