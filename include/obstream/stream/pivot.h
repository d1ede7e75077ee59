/*
 * Turns rows of (station, time, key, value) into rows with one column per key, as plan->pivot says.
 * Rows of one station and time must follow each other. One thread.
 */
#ifndef OBSTREAM_STREAM_PIVOT_H
#define OBSTREAM_STREAM_PIVOT_H

#include "obstream/stream/plan.h"

/* Of the values of one key, with `average`. */
struct pivot_sum {
    double sum, compensation;
    uint32_t count;
};

struct pivot_state {
    const struct plan *plan;
    const struct pivot *pivot;
    bool (*emit)(void *ctx, const struct cell *cells);
    void *emit_ctx;
    struct err *err;
    struct cell *rows; /* `layers` rows of plan->cells cells: values of one station and time */
    uint32_t layers, used;
    struct pivot_sum *sums; /* one per key, with `average` */
    bool open;
    char station[STATION_ROOM];
    uint32_t station_len;
    struct cell time;
};

/* Rows leave by emit(), whose false ends the work; the cells live until it returns. */
void pivot_begin(struct pivot_state *st, const struct plan *p,
                 bool (*emit)(void *ctx, const struct cell *cells), void *ctx, struct err *e);

/* False: no further row is wanted, or memory is exhausted (see the err of pivot_begin()). */
bool pivot_row(struct pivot_state *st, const struct cell *cells);
bool pivot_flush(struct pivot_state *st); /* the row that is being filled */
void pivot_release(struct pivot_state *st);

#endif
