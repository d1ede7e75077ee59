#include "obstream/stream/pivot.h"

#include "obstream/core/number.h"

#include <stdlib.h>
#include <string.h>

void pivot_begin(struct pivot_state *st, const struct plan *p,
                 bool (*emit)(void *ctx, const struct cell *cells), void *ctx, struct err *e)
{
    *st = (struct pivot_state){
        .plan = p, .pivot = p->pivot, .emit = emit, .emit_ctx = ctx, .err = e
    };
}

void pivot_release(struct pivot_state *st)
{
    free(st->rows);
    free(st->sums);
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

/* The sum as pandas makes it: William Kahan, "Further remarks on reducing truncation
 * errors" (CACM 1965). An infinite sum has no compensation. */
static void sum_add(struct pivot_sum *s, const struct cell *value)
{
    double v = value->type == CELL_FLOAT4 ? number_widen(value->f4) : value->f8;
    double y = v - s->compensation, t = s->sum + y;
    s->compensation = t - s->sum - y;
    if (s->compensation != s->compensation)
        s->compensation = 0;
    s->sum = t;
    s->count++;
}

static void put_means(struct pivot_state *st, struct cell *row)
{
    for (uint32_t k = 0; k < st->pivot->count; k++) {
        struct pivot_sum *s = &st->sums[k];
        if (s->count > 0)
            row[st->pivot->first_out + k] = cell_float8(s->sum / s->count);
        *s = (struct pivot_sum){ 0 };
    }
}

bool pivot_flush(struct pivot_state *st)
{
    bool go_on = true;
    if (st->open && st->used > 0 && st->pivot->average)
        put_means(st, st->rows);
    for (uint32_t i = 0; st->open && i < st->used && go_on; i++) {
        struct cell *row = st->rows + (size_t)i * st->plan->cells;
        row[st->plan->station_cell] = cell_text(st->station, st->station_len);
        row[st->plan->time_cell] = st->time;
        go_on = st->emit(st->emit_ctx, row);
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

static bool no_memory(struct pivot_state *st)
{
    return err_set(st->err, ERR_INTERNAL, "out of memory for a wide row");
}

static bool cell_before(const struct cell *a, const struct cell *b)
{
    if (a->type == CELL_FLOAT4)
        return a->f4 < b->f4 || (b->f4 != b->f4 && a->f4 == a->f4);
    if (a->type == CELL_FLOAT8)
        return a->f8 < b->f8 || (b->f8 != b->f8 && a->f8 == a->f8);
    return a->i < b->i;
}

/* Values of one key stand one below the other, ascending: databases give them in any order. */
static bool keep_value(struct pivot_state *st, int64_t k, struct cell value)
{
    for (uint32_t i = 0;; i++) {
        struct cell *row = layer(st, i);
        if (row == NULL)
            return no_memory(st);
        struct cell *at = &row[st->pivot->first_out + (unsigned)k], old = *at;
        if (old.type == CELL_NULL || (value.type != CELL_NULL && cell_before(&value, &old))) {
            *at = value;
            value = old;
        }
        if (value.type == CELL_NULL)
            return true;
    }
}

/* Into the sum that becomes the mean. */
static bool take_value(struct pivot_state *st, int64_t k, const struct cell *value)
{
    if (st->sums == NULL)
        st->sums = calloc(st->pivot->count, sizeof(*st->sums));
    if (st->sums == NULL || layer(st, 0) == NULL)
        return no_memory(st);
    if (value->type != CELL_NULL)
        sum_add(&st->sums[k], value);
    return true;
}

bool pivot_row(struct pivot_state *st, const struct cell *cells)
{
    const struct cell *station = &cells[st->plan->station_cell];
    const struct cell *time = &cells[st->plan->time_cell];
    if (st->open && (time->i != st->time.i || station->len != st->station_len ||
                     memcmp(station->s, st->station, st->station_len) != 0)) {
        if (!pivot_flush(st))
            return false;
    }
    if (!st->open)
        group_open(st, station, time);
    int64_t k = key_index(st->pivot, &cells[st->pivot->key_cell]);
    if (k < 0)
        return true; /* a key that appeared after the columns were found */
    const struct cell *value = &cells[st->pivot->value_cell];
    return st->pivot->average ? take_value(st, k, value) : keep_value(st, k, *value);
}
