/* Turns rows of (station, time, key, value) into rows with one column per key. */
#ifndef OBSTREAM_STREAM_PIVOT_H
#define OBSTREAM_STREAM_PIVOT_H

#include "obstream/stream/sink.h"

struct pivot_state {
    const struct plan *plan;
    const struct pivot *pivot;
    struct cell *rows; /* `layers` rows of plan->cells cells: values of one station and time */
    uint32_t layers, used;
    bool open;
    char station[STATION_ROOM];
    uint32_t station_len;
    struct cell time;
};

bool pivot_begin(struct pivot_state *st, const struct plan *p);
bool pivot_row(struct pivot_state *st, const struct cell *cells, struct sink *sink);
bool pivot_flush(struct pivot_state *st, struct sink *sink); /* the row that is being filled */
void pivot_release(struct pivot_state *st);

#endif
