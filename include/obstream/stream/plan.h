/*
 * What an endpoint hands to the stream: where rows come from, how they become cells, how they are
 * encoded. A plan lives in the request's arena, is complete before the job is submitted (but for
 * what `prepare` fills in) and is read-only afterwards: many workers read it at once.
 */
#ifndef OBSTREAM_STREAM_PLAN_H
#define OBSTREAM_STREAM_PLAN_H

#include "obstream/core/arena.h"
#include "obstream/db/pool.h"
#include "obstream/output/codec.h"
#include "obstream/output/encoder.h"
#include "obstream/query/archive.h"

struct sink;
struct transform;

/* A cell computed from others of the same row. Text results must be static or point into the
 * inputs. */
struct computed {
    void (*fn)(const struct computed *c, const struct cell *cells, struct cell *out);
    unsigned out;
    unsigned in[4];
    double args[2];
    const void *ctx;
};

/* One output row per station and time, one column per key. Values that meet the same cell are kept
 * apart in further rows of the same station and time, ascending: none is lost (numbers only: text
 * would not outlive its row); or, with `average`, they leave
 * as one row of float8 means: the float4 values are widened (core/number.h) and added in the order
 * in which they come with Kahan's compensation, as pandas' pivot_table() does, so that the last
 * digit agrees. Station and time stay the cells they are in the fetched rows; key k of the row that
 * leaves is cell first_out + k. */
struct pivot {
    unsigned key_cell, value_cell; /* of the fetched row */
    const char *const *keys;       /* ascending */
    uint32_t count;
    unsigned first_out;
    bool average;
};

struct plan {
    struct arena *arena;
    const void *ctx;   /* the endpoint's own */
    struct pool *pool; /* NULL: rows come from generate() */
    struct archive_query query;
    const Oid *oids;     /* types of the fetched cells */
    unsigned wire_cells; /* how many are fetched */
    unsigned cells;      /* with the computed ones */
    unsigned station_cell, time_cell;
    const struct computed *computed;
    unsigned computed_count;
    const struct pivot *pivot; /* NULL: rows pass as they are */

    /* Rows that leave are made from sequences of fetched ones, see transform.h; NULL: they are
     * those that were fetched. Statements then have no limit. */
    const struct transform *transform;
    bool whole; /* pieces are the whole window of some stations, never parts of it */

    /* Runs once on a worker before anything is fetched: finds what the columns are. May change the
     * plan. NULL when not needed. */
    bool (*prepare)(struct plan *p, struct conn *conn, struct err *e);
    /* Rows from memory, for metadata: calls sink_row() for each. */
    void (*generate)(const struct plan *p, struct sink *sink);

    /* A whole document made with a leased connection: writes bytes by sink_write(). For answers
     * that cannot be made row by row (spreadsheets, crop model files); `pool` is set, nothing else
     * runs. It is repeated from the start when the connection is lost, hence must not change the
     * plan. */
    bool (*produce)(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e);

    /* Rows of some groups over the whole window, made with a leased connection by statements of the
     * endpoint's own: calls sink_row(). Pieces are then groups, never parts of one; query.stations
     * name them. It is repeated when the connection is lost. */
    bool (*fill)(const struct plan *p, const struct archive_slice *slice, struct conn *conn,
                 struct sink *sink, struct err *e);
    uint32_t fill_groups; /* of a piece at most, where many rows are read for few; 0: no matter */

    int64_t from, to;    /* the whole window, microseconds */
    double rows_per_day; /* of one station, a first guess */
    double row_bytes;    /* plain, a first guess */
    double scan_per_day; /* grouped: rows of the table that a station has in a day, a guess */
    uint64_t row_limit;  /* rows at most, 0: all */

    struct shape shape;
    const struct encoder *encoder;
    const char *mime; /* NULL: the encoder's */
    const struct codec *codec;
    int level; /* of the codec */
};

/* Groups of stations the plan's pieces run over; 1 for generated rows. */
uint32_t plan_groups(const struct plan *p);

#endif
