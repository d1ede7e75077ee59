/*
 * Rows made from sequences of fetched rows: events, differences, sums of a period. One state serves
 * one piece and one thread. Nothing passes from piece to piece: a transform needs whole windows
 * (plan->whole), or statements that also fetch what lies before their slice as far as it matters.
 */
#ifndef OBSTREAM_STREAM_TRANSFORM_H
#define OBSTREAM_STREAM_TRANSFORM_H

#include "obstream/stream/plan.h"

/* Where made rows go. Cells are those of plan->cells, of which the computed ones are filled in by
 * emit(); false ends the work. Texts must live until emit() returns. */
struct outlet {
    bool (*emit)(void *ctx, struct cell *cells);
    void *ctx;
};

struct transform {
    /* NULL: out of memory. */
    void *(*begin)(const struct plan *p, const struct archive_slice *s, const struct outlet *to);
    /* False: no further row is wanted, or memory is exhausted, see failed(). */
    bool (*row)(void *state, const struct cell *cells);
    bool (*end)(void *state); /* after the last row, unless it was not wanted */
    bool (*failed)(const void *state);
    void (*release)(void *state);
};

#endif
