/* Events of one series after the other: rows come by station, key, depth and time. */
#include "shef.h"
#include "shef_exceed.h"

#include "obstream/core/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *data;
    uint32_t len, room;
};

struct state {
    const struct plan *plan;
    const struct exceed_plan *x;
    const struct outlet *to;
    struct cell *out; /* plan->cells */
    bool open;        /* a series */
    struct text station, key;
    struct cell depth;
    bool usable; /* it has a threshold */
    struct exceed events;
    bool failed;
};

static void release(void *ptr)
{
    struct state *st = ptr;
    free(st->station.data);
    free(st->key.data);
    free(st->out);
    free(st);
}

static void *begin(const struct plan *p, const struct archive_slice *s, const struct outlet *to)
{
    (void)s;
    struct state *st = calloc(1, sizeof(*st));
    if (st == NULL)
        return NULL;
    st->plan = p;
    st->x = p->ctx;
    st->to = to;
    st->out = calloc(p->cells, sizeof(*st->out));
    if (st->out != NULL)
        return st;
    release(st);
    return NULL;
}

static bool text_is(const struct text *t, const struct cell *c)
{
    return t->len == c->len && memcmp(t->data, c->s, c->len) == 0;
}

static void text_set(struct state *st, struct text *t, const struct cell *c)
{
    if (c->len > t->room || t->data == NULL) {
        char *grown = realloc(t->data, c->len + 1);
        st->failed |= grown == NULL;
        if (grown == NULL)
            return;
        t->data = grown;
        t->room = c->len;
    }
    memcpy(t->data, c->s, c->len);
    t->len = c->len;
}

static double hours(int64_t usec)
{
    return round((double)usec / (double)USEC_PER_HOUR * 1e4) / 1e4;
}

static struct cell instant(int64_t usec)
{
    return (struct cell){ .type = CELL_INSTANT, .i = usec };
}

static bool emit(struct state *st, const struct exceed_event *e)
{
    struct cell *c = st->out;
    const char *stage = st->x->stage_name;
    c[EVENT_STATION] = cell_text(st->station.data, st->station.len);
    c[EVENT_KEY] = cell_text(st->key.data, st->key.len);
    c[EVENT_DEPTH] = st->depth;
    c[EVENT_START] = instant(e->start);
    c[EVENT_START_KNOWN] = (struct cell){ .type = CELL_BOOL, .i = e->start_known };
    c[EVENT_PEAK] = cell_float8(e->peak);
    c[EVENT_PEAK_TIME] = instant(e->peak_time);
    c[EVENT_END] = e->open ? cell_null() : instant(e->end);
    c[EVENT_LAST] = instant(e->last);
    c[EVENT_DURATION] = cell_float8(hours(exceed_duration(e)));
    c[EVENT_COUNT] = cell_int((int64_t)e->count);
    c[EVENT_LONGEST_WAIT] = cell_float8(hours(e->longest_wait));
    c[EVENT_THRESHOLD] = cell_float8(st->events.rule.threshold);
    c[EVENT_STAGE] = stage != NULL ? cell_text(stage, (uint32_t)strlen(stage)) : cell_null();
    return st->to->emit(st->to->ctx, c);
}

static bool close_series(struct state *st)
{
    struct exceed_event e;
    bool done = st->open && st->usable && exceed_end(&st->events, &e);
    st->open = false;
    return !done || emit(st, &e);
}

static bool same_series(const struct state *st, const struct cell *cells)
{
    const struct cell *depth = &cells[READ_DEPTH];
    return st->open && text_is(&st->key, &cells[READ_KEY]) &&
           text_is(&st->station, &cells[READ_STATION]) && depth->type == st->depth.type &&
           (depth->type == CELL_NULL || depth->i == st->depth.i);
}

static bool open_series(struct state *st, const struct cell *cells)
{
    const struct cell *id = &cells[READ_STATION];
    struct exceed_rule rule = st->x->rule;
    if (!close_series(st))
        return false;
    text_set(st, &st->station, id);
    text_set(st, &st->key, &cells[READ_KEY]);
    st->depth = cells[READ_DEPTH];
    st->open = !st->failed;
    if (st->x->stage >= 0)
        rule.threshold = exceed_station_stage(st->x->catalog, id->s, id->len, st->x->stage);
    st->usable = !isnan(rule.threshold);
    exceed_begin(&st->events, &rule);
    return !st->failed;
}

static bool row(void *ptr, const struct cell *cells)
{
    struct state *st = ptr;
    struct exceed_event e;
    int64_t time = cells[READ_VALID].i;
    if (!same_series(st, cells) && !open_series(st, cells))
        return false;
    if (!st->usable || shef_value_missing(&cells[READ_VALUE]) ||
        (st->events.seen && time == st->events.time))
        return true;
    double value = number_widen(cells[READ_VALUE].f4);
    return !exceed_add(&st->events, time, value, &e) || emit(st, &e);
}

static bool end(void *ptr)
{
    return close_series(ptr);
}

static bool failed(const void *ptr)
{
    return ((const struct state *)ptr)->failed;
}

const struct transform exceed_transform = { begin, row, end, failed, release };
