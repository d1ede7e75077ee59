/* Tallies of a station's series, period after period: rows come by station and time. */
#include "shef.h"
#include "shef_summary.h"

#include "obstream/core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct series {
    char *key; /* malloc'ed */
    uint32_t len;
    struct cell depth;
    struct shef_tally_rule rule;
    struct shef_tally tally;
};

struct state {
    const struct summary_plan *x;
    const struct outlet *to;
    struct cell *out; /* plan->cells */
    int64_t from;     /* earlier rows only come for the differences */
    char *station;    /* malloc'ed */
    uint32_t station_len;
    struct grid grid;
    int64_t start, end; /* of the period; end INT64_MIN: none yet */
    char period[48];    /* by the local clock */
    uint32_t period_len;
    struct series *series; /* ascending by key, then depth */
    size_t count, cap, last;
    bool failed;
};

static void forget_series(struct state *st)
{
    for (size_t i = 0; i < st->count; i++)
        free(st->series[i].key);
    st->count = st->last = 0;
}

static void release(void *ptr)
{
    struct state *st = ptr;
    forget_series(st);
    free(st->series);
    free(st->station);
    free(st->out);
    free(st);
}

static void *begin(const struct plan *p, const struct archive_slice *s, const struct outlet *to)
{
    struct state *st = calloc(1, sizeof(*st));
    if (st == NULL)
        return NULL;
    *st = (struct state){ .x = p->ctx, .to = to, .from = s->from, .end = INT64_MIN };
    st->out = calloc(p->cells, sizeof(*st->out));
    if (st->out != NULL)
        return st;
    release(st);
    return NULL;
}

/* --- rows that leave --- */

/* Sums of decimal fractions: what binary arithmetic adds beyond the sixth digit is no news. */
static struct cell number(double v)
{
    if (isnan(v))
        return cell_null();
    return cell_float8(fabs(v) < 1e9 ? round(v * 1e6) / 1e6 : v);
}

static struct cell instant(int64_t usec)
{
    return (struct cell){ .type = CELL_INSTANT, .i = usec };
}

static void put_values(struct cell *c, const struct shef_tally *t)
{
    bool any = t->count > 0;
    c[SUMMARY_COUNT] = cell_int(t->count);
    c[SUMMARY_MEAN] = number(shef_tally_mean(t));
    c[SUMMARY_MIN] = any ? cell_float8(t->min) : cell_null();
    c[SUMMARY_MAX] = any ? cell_float8(t->max) : cell_null();
    c[SUMMARY_FIRST] = any ? cell_float8(t->first) : cell_null();
    c[SUMMARY_LAST] = any ? cell_float8(t->last) : cell_null();
    c[SUMMARY_MIN_TIME] = any ? instant(t->min_time) : cell_null();
    c[SUMMARY_MAX_TIME] = any ? instant(t->max_time) : cell_null();
    c[SUMMARY_REPEATS] = cell_int(t->repeats);
    c[SUMMARY_MISSING] = cell_int(t->missing);
}

static void put_amounts(struct cell *c, const struct series *s)
{
    const struct shef_tally *t = &s->tally;
    bool sum = s->rule.total == SHEF_TOTAL_SUM, pile = s->rule.total == SHEF_TOTAL_INCREMENT;
    double amount;
    struct cell total = shef_tally_amount(t, &amount) ? number(amount) : cell_null();
    c[SUMMARY_SUM] = sum ? total : cell_null();
    c[SUMMARY_INCREMENT] = pile ? total : cell_null();
    c[SUMMARY_RESETS] = pile ? cell_int(t->resets) : cell_null();
    c[SUMMARY_GAPS] = pile ? cell_int(t->gaps) : cell_null();
    c[SUMMARY_OVERLAPS] = sum ? cell_int(t->overlaps) : cell_null();
}

static bool emit(struct state *st, const struct series *s)
{
    struct cell *c = st->out;
    c[SUMMARY_STATION] = cell_text(st->station, st->station_len);
    c[SUMMARY_VALID] = instant(st->start);
    c[SUMMARY_PERIOD] = cell_text(st->period, st->period_len);
    c[SUMMARY_TIMEZONE] = cell_text(tz_name(st->grid.tz), (uint32_t)strlen(tz_name(st->grid.tz)));
    c[SUMMARY_KEY] = cell_text(s->key, s->len);
    c[SUMMARY_DEPTH] = s->depth;
    put_values(c, &s->tally);
    put_amounts(c, s);
    return st->to->emit(st->to->ctx, c);
}

static bool close_period(struct state *st)
{
    bool go_on = true;
    for (size_t i = 0; i < st->count && st->end != INT64_MIN; i++) {
        struct series *s = &st->series[i];
        if (go_on && s->tally.count + s->tally.missing > 0)
            go_on = emit(st, s);
        shef_tally_period(&s->tally);
    }
    st->end = INT64_MIN;
    return go_on;
}

/* --- rows that come --- */

static bool open_station(struct state *st, const struct cell *id)
{
    bool go_on = close_period(st);
    char *copy = strndup(id->s, id->len);
    forget_series(st);
    free(st->station);
    st->station = copy;
    st->station_len = id->len;
    st->failed |= copy == NULL;
    if (st->failed)
        return false;
    st->grid = (struct grid){ st->x->period, st->x->tz };
    if (st->grid.tz == NULL)
        st->grid.tz = native_station_zone(st->x->catalog, copy);
    return go_on;
}

static int order(const struct series *s, const struct cell *key, const struct cell *depth)
{
    int c = memcmp(s->key, key->s, s->len < key->len ? s->len : key->len);
    if (c == 0)
        c = (s->len > key->len) - (s->len < key->len);
    if (c == 0) /* as in the statement: without a depth last */
        c = (s->depth.type == CELL_NULL) - (depth->type == CELL_NULL);
    if (c == 0 && depth->type != CELL_NULL)
        c = (s->depth.i > depth->i) - (s->depth.i < depth->i);
    return c;
}

static struct shef_tally_rule series_rule(const struct summary_plan *x, const struct cell *key)
{
    struct shef_key k = shef_key_split(key->s, key->len);
    char duration = k.duration_len > 0 ? k.duration[0] : 'Z';
    char pe[3] = { key->len > 0 ? key->s[0] : '\0', key->len > 1 ? key->s[1] : '\0', '\0' };
    const struct shef_element *e = shef_element_find(pe);
    if (duration == 'Z' && e != NULL)
        duration = e->default_duration;
    struct shef_tally_rule rule = { .total = shef_total(pe, strlen(pe)),
                                    .duration = shef_duration_seconds(duration) * USEC_PER_SEC,
                                    .max_gap = x->max_gap,
                                    .memory = x->memory };
    /* So far this season, or since seven o'clock: such amounts do not add up. */
    if (rule.total == SHEF_TOTAL_SUM && strchr("NPRSX", duration) != NULL)
        rule.total = SHEF_TOTAL_NONE;
    return rule;
}

static struct series *add_series(struct state *st, size_t at, const struct cell *cells)
{
    if (st->count == st->cap) {
        size_t cap = st->cap == 0 ? 16 : st->cap * 2;
        struct series *grown = realloc(st->series, cap * sizeof(*grown));
        if (grown == NULL)
            return NULL;
        st->series = grown;
        st->cap = cap;
    }
    char *key = strndup(cells[READ_KEY].s, cells[READ_KEY].len);
    if (key == NULL)
        return NULL;
    memmove(&st->series[at + 1], &st->series[at], (st->count - at) * sizeof(*st->series));
    st->series[at] = (struct series){ .key = key,
                                      .len = cells[READ_KEY].len,
                                      .depth = cells[READ_DEPTH],
                                      .rule = series_rule(st->x, &cells[READ_KEY]) };
    st->count++;
    return &st->series[at];
}

/* Rows of one time come in the order of the series: the next one is mostly the one wanted. */
static struct series *find_series(struct state *st, const struct cell *cells)
{
    const struct cell *key = &cells[READ_KEY], *depth = &cells[READ_DEPTH];
    for (size_t i = st->last; i < st->last + 2 && i < st->count; i++) {
        if (order(&st->series[i], key, depth) == 0) {
            st->last = i;
            return &st->series[i];
        }
    }
    size_t low = 0, high = st->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (order(&st->series[mid], key, depth) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    st->last = low;
    if (low < st->count && order(&st->series[low], key, depth) == 0)
        return &st->series[low];
    return add_series(st, low, cells);
}

static void open_period(struct state *st, int64_t time)
{
    static const int lengths[] = { [PERIOD_HOUR] = 16,
                                   [PERIOD_DAY] = 10,
                                   [PERIOD_WEEK] = 10,
                                   [PERIOD_MONTH] = 7,
                                   [PERIOD_YEAR] = 4 };
    st->start = grid_floor(&st->grid, time);
    st->end = grid_ceil(&st->grid, time + 1);
    struct civil c = tz_to_local(st->grid.tz, st->start);
    snprintf(st->period, sizeof(st->period), "%04d-%02d-%02dT%02d:%02d", c.year, c.month, c.day,
             c.hour, c.minute);
    st->period_len = (uint32_t)lengths[st->x->period];
}

static bool row(void *ptr, const struct cell *cells)
{
    struct state *st = ptr;
    const struct cell *id = &cells[READ_STATION], *value = &cells[READ_VALUE];
    int64_t time = cells[READ_VALID].i;
    bool before = time < st->from;
    if ((st->station == NULL || id->len != st->station_len ||
         memcmp(id->s, st->station, id->len) != 0) &&
        !open_station(st, id))
        return false;
    if (!before && time >= st->end) {
        if (!close_period(st))
            return false;
        open_period(st, time);
    }
    struct series *s = find_series(st, cells);
    st->failed |= s == NULL;
    if (st->failed)
        return false;
    if (cells[READ_DV].type == CELL_INTERVAL)
        s->rule.duration = cells[READ_DV].i;
    shef_tally_add(&s->tally, &s->rule, time,
                   shef_value_missing(value) ? NAN : number_widen(value->f4), before);
    return true;
}

static bool end(void *ptr)
{
    return close_period(ptr);
}

static bool failed(const void *ptr)
{
    return ((const struct state *)ptr)->failed;
}

const struct transform summary_transform = { begin, row, end, failed, release };
