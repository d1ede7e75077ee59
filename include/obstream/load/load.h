/*
 * Loading CSV into the archive: a feed takes the bytes of one file (or of a generator) and puts the
 * rows into the table of a data set.
 *
 *     struct load_options o = { .dsn = dsn, .source = "metar.csv" };
 *     struct load_feed *f = load_feed_open("metar", &o, err);
 *     while (there is more)
 *         if (!load_feed_write(f, bytes, n, err)) break;
 *     ok = load_feed_close(f, &counts, err);      always; frees the feed
 *
 * The bytes are CSV with a header line first; a write may end anywhere, also within a row. The
 * caller's thread parses and checks, a thread of the feed talks to the database, and at most
 * LOAD_BATCHES batches of LOAD_BATCH_BYTES wait between them: load_feed_write() blocks then. Each
 * batch is one transaction, so what was counted stays when a later batch fails, and loading the
 * same bytes again changes nothing. Partitions are made as needed.
 *
 * A feed belongs to one thread; several feeds may run at once, also into one table.
 */
#ifndef OBSTREAM_LOAD_LOAD_H
#define OBSTREAM_LOAD_LOAD_H

#include "obstream/conf/dataset.h"
#include "obstream/core/err.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LOAD_BATCHES = 3,
    LOAD_BATCH_BYTES = 8 << 20,
    LOAD_RECORD_BYTES = 64 << 10, /* a longer record is rejected: a quote is missing */
};

struct load_feed;

struct load_counts {
    uint64_t read;      /* records of the file after its header */
    uint64_t rows;      /* table rows they make: differs from read - rejected for wide files only */
    uint64_t added;     /* key was not in the table */
    uint64_t changed;   /* key was there with other values */
    uint64_t unchanged; /* the table has this row already, or a newer one */
    uint64_t rejected;  /* records that cannot be loaded */
};

struct load_options {
    const char *dsn;     /* libpq connection string; copied */
    const char *source;  /* name of the input in messages; copied */
    const char *table;   /* NULL: the data set's own; else a sibling ("climate51") */
    const char *rejects; /* file for rejected records, replaced; NULL: none, they are counted */
    const volatile sig_atomic_t *stop; /* when it becomes non-zero the load ends; may be NULL */
    void (*warn)(void *ctx, const char *message); /* may be NULL; called in the caller's thread */
    void *warn_ctx;
};

/* ERR_PARAM for an unknown data set or table (names the nearest), ERR_UNAVAILABLE when the
 * database cannot be reached, ERR_DATABASE when it lacks the table (remedy: obstream schema). */
struct load_feed *load_feed_open(const char *dataset, const struct load_options *o,
                                 struct err *e) MUST_CHECK;

/* False when the input as a whole cannot be loaded (no header, a key column is missing), the
 * database fails, or the load was stopped (ERR_CANCELLED). A bad record is no failure. */
bool load_feed_write(struct load_feed *f, const void *bytes, size_t len, struct err *e) MUST_CHECK;

/* The counts of committed batches so far; any moment, from the caller's thread. */
struct load_counts load_feed_counts(struct load_feed *f);

/* Loads what is left, unless a write failed before; frees the feed. `counts` may be NULL. */
bool load_feed_close(struct load_feed *f, struct load_counts *counts, struct err *e);

/* Reads a file (CSV or gzip of it; "-" is standard input) through a feed. progress() may be NULL.
 */
bool load_file(const char *dataset, const char *path, const struct load_options *o,
               void (*progress)(void *ctx, const struct load_counts *c), void *progress_ctx,
               struct load_counts *counts, struct err *e) MUST_CHECK;

/* Which database the table of a data set is in; ERR_PARAM names the nearest one. */
bool load_dataset_where(const char *dataset, enum dataset *where, struct err *e) MUST_CHECK;

/* Names of the data sets, for help and completion: i from 0 until NULL. */
const char *load_dataset_name(size_t i);
const char *load_dataset_help(size_t i);

#endif
