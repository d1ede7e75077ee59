/*
 * `obstream synth`: a made-up archive over real stations (facts.h), for demo, tests and benchmarks.
 *
 * The same seed and options give the same bytes, whatever the number of threads. More: a row
 * depends on the seed, its station and its time only, not on how many stations or years are made,
 * so that a small archive is a part of the large one. The weather is one field over the whole
 * country, so that neighbours, and the METAR, SHEF and climodat data of one place, agree.
 *
 * Rows are made in units (one station and year) by worker threads and handed to a sink in order; at
 * most a few units exist at a time, so memory does not grow with the archive.
 */
#ifndef OBSTREAM_LOAD_SYNTH_H
#define OBSTREAM_LOAD_SYNTH_H

#include "obstream/conf/conf.h"
#include "obstream/conf/dataset.h"
#include "obstream/core/buf.h"
#include "obstream/core/err.h"

#include <stdint.h>

enum synth_table {
    SYNTH_NETWORKS,
    SYNTH_STATIONS,
    SYNTH_ATTRIBUTES,
    SYNTH_METAR,
    SYNTH_SUMMARY,
    SYNTH_SHEF,
    SYNTH_CURRENT_SHEF,
    SYNTH_COOP,
    SYNTH_NORMALS,
    SYNTH_TABLE_COUNT
};

/* What --datasets chooses. */
enum synth_set {
    SYNTH_SET_METAR = 1,
    SYNTH_SET_SHEF = 2,
    SYNTH_SET_CLIMODAT = 4,
    SYNTH_SET_NORMALS = 8,
    SYNTH_SET_SUMMARY = 16,
};

struct synth_options {
    uint64_t seed;
    int64_t end; /* day after the last, days since 1970-01-01 */
    int years, shef_years, climodat_years;
    size_t stations, shef_sites, climodat_stations;
    unsigned sets;    /* of enum synth_set */
    unsigned threads; /* 0: as many as cores */
};

/* The options with the chosen stations in order of id, as indexes into the tables of facts.h. Read
 * only once made. */
struct synth_plan {
    struct synth_options o;
    size_t *metar, *shef, *climodat;
};

bool synth_plan_init(struct synth_plan *p, const struct synth_options *o, struct err *e) MUST_CHECK;
void synth_plan_release(struct synth_plan *p);

/* One table of the archive: where it goes, and how its rows are made. */
struct synth_table_info {
    const char *name;   /* file name without .csv */
    const char *feed;   /* data set of the loader */
    enum dataset where; /* whose connection string is used */
    unsigned sets;      /* made when one of these is chosen; 0: always */
    const char *header; /* line of column names, with its newline */
    size_t (*units)(const struct synth_plan *p);
    /* Appends the rows of one unit, sorted by station and time; returns how many. */
    uint64_t (*make)(const struct synth_plan *p, size_t unit, struct buf *out);
};

const struct synth_table_info *synth_table(enum synth_table t);

/* Where the bytes go: begin, then write as often as there is something, then end, per table. The
 * functions are called from the thread that calls synth_run(). end() is called after a failure too
 * and returns what it thinks of it. */
struct synth_sink {
    void *ctx;
    bool gzip; /* units are wanted as members of a gzip file */
    bool (*begin)(void *ctx, const struct synth_table_info *t, struct err *e);
    bool (*write)(void *ctx, const void *bytes, size_t n, struct err *e);
    bool (*end)(void *ctx, struct err *e);
};

struct synth_counts {
    uint64_t rows[SYNTH_TABLE_COUNT], bytes[SYNTH_TABLE_COUNT]; /* bytes before compression */
};

/* Makes everything the options choose. `counts` is kept up while it runs; progress() may be NULL.
 */
bool synth_run(const struct synth_options *o, const struct synth_sink *sink,
               struct synth_counts *counts,
               void (*progress)(void *ctx, const struct synth_table_info *t, double part,
                                const struct synth_counts *c),
               void *progress_ctx, struct err *e) MUST_CHECK;

/* Files DIR/NAME.csv or DIR/NAME.csv.gz, written under another name and renamed when complete. */
struct synth_sink *synth_dir_new(const char *dir, bool gzip, struct err *e);
void synth_dir_free(struct synth_sink *s);

/* The loader's feeds into the database of the configuration. */
struct synth_sink *synth_load_new(const struct conf *conf, struct err *e);
void synth_load_free(struct synth_sink *s);

void synth_options_init(struct synth_options *o); /* the defaults of --help */

/* The subcommand; argv[0] is "synth". Returns the exit status. */
int synth_main(int argc, char **argv, const struct conf *conf);

#endif
