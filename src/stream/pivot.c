#include "pivot.h"

#include <stdlib.h>
#include <string.h>

bool pivot_begin(struct pivot_state *st, const struct plan *p)
{
    *st = (struct pivot_state){ .plan = p, .pivot = p->pivot };
    return true;
}

void pivot_release(struct pivot_state *st)
{
    free(st->rows);
    *st = (struct pivot_state){ 0 };
}

static int64_t key_index(const struct pivot *p, const struct cell *key)
{
    uint32_t lo = 0, hi = p->count;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        size_t n = strlen(p->keys[mid]);
        int c = memcmp(p->keys[mid], key->s, n < key->len ? n : key->len);
        if (c == 0)
            c = n < key->len ? -1 : n > key->len;
        if (c == 0)
            return mid;
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

static struct cell *layer(struct pivot_state *st, uint32_t i)
{
    if (i >= st->layers) {
        struct cell *rows = realloc(st->rows, (i + 1) * st->plan->cells * sizeof(*rows));
        if (rows == NULL)
            return NULL;
        st->rows = rows;
        st->layers = i + 1;
    }
    struct cell *row = st->rows + (size_t)i * st->plan->cells;
    if (i >= st->used) {
        for (unsigned k = 0; k < st->plan->cells; k++)
            row[k] = cell_null();
        st->used = i + 1;
    }
    return row;
}

bool pivot_flush(struct pivot_state *st, struct sink *sink)
{
    bool go_on = true;
    for (uint32_t i = 0; st->open && i < st->used && go_on; i++) {
        struct cell *row = st->rows + (size_t)i * st->plan->cells;
        row[st->plan->station_cell] = cell_text(st->station, st->station_len);
        row[st->plan->time_cell] = st->time;
        go_on = sink_row(sink, row);
    }
    st->open = false;
    st->used = 0;
    return go_on;
}

static void group_open(struct pivot_state *st, const struct cell *station, const struct cell *time)
{
    st->open = true;
    st->used = 0;
    st->time = *time;
    st->station_len = station->len < STATION_ROOM ? station->len : STATION_ROOM - 1;
    memcpy(st->station, station->s, st->station_len);
}

bool pivot_row(struct pivot_state *st, const struct cell *cells, struct sink *sink)
{
    const struct cell *station = &cells[st->plan->station_cell];
    const struct cell *time = &cells[st->plan->time_cell];
    if (st->open && (time->i != st->time.i || station->len != st->station_len ||
                     memcmp(station->s, st->station, st->station_len) != 0)) {
        if (!pivot_flush(st, sink))
            return false;
    }
    if (!st->open)
        group_open(st, station, time);
    int64_t k = key_index(st->pivot, &cells[st->pivot->key_cell]);
    if (k < 0)
        return true; /* a key that appeared after the columns were found */
    for (uint32_t i = 0;; i++) {
        struct cell *row = layer(st, i);
        if (row == NULL)
            return err_set(&sink->err, ERR_INTERNAL, "out of memory for a wide row");
        struct cell *at = &row[st->pivot->first_out + (unsigned)k];
        if (at->type == CELL_NULL || cells[st->pivot->value_cell].type == CELL_NULL) {
            if (at->type == CELL_NULL)
                *at = cells[st->pivot->value_cell];
            return true;
        }
    }
}
