/* Rows of /api/climodat/aggregate: reads what the periods hold, weights areas, compares with the
 * normals. One piece of the answer is some members; their periods lie in memory until they are
 * written. */
#include "climodat.h"

#include "obstream/db/copy.h"
#include "obstream/stream/sink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values are shown, and ranked, to four decimals. */
#define SHOWN 1e4
#define MICRO 1e6
#define FULL (1 - 1e-9) /* sums of weights are not exact */

/* An output of a member in a period. While an area is summed up, `value` is weighted. */
struct value {
    double value; /* NaN: none; days count from the period's start */
    double weight;
    int32_t day; /* of an extreme */
};

struct slot {
    bool there;      /* there are rows */
    int32_t missing; /* days without data, of the output that lacks most */
    double combined; /* part of the area, of combined outputs */
};

struct filling {
    const struct aggregate *x;
    struct selecting reading;
    const struct member *members; /* those whose slots these are */
    uint32_t member_count;
    const struct member *area; /* the one being summed up; NULL: stations are members */
    struct slot *slots;        /* by member, then period */
    struct value *values;      /* by member, period, output */
    double *sorted;            /* of one output and key */
};

static struct slot *slot_of(const struct filling *f, size_t member, size_t period)
{
    return &f->slots[member * f->x->period_count + period];
}

static struct value *values_of(const struct filling *f, size_t member, size_t period)
{
    return &f->values[(member * f->x->period_count + period) * f->x->output_count];
}

/* ---- reading ---- */

static size_t find_text(const struct cell *id, const char *const *ids, size_t count)
{
    size_t lo = 0, hi = count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        int c = strncmp(ids[mid], id->s, id->len);
        if (c == 0 && ids[mid][id->len] == '\0')
            return mid;
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return SIZE_MAX;
}

/* The longest run of neighbouring days in a list of them; of equal ones the first. */
static int longest_run(const struct cell *list, int32_t *start)
{
    int best = 0, run = 0;
    long last = 0;
    const char *s = list->s, *end = list->s + list->len;
    while (s < end) {
        bool minus = *s == '-';
        long day = 0;
        for (s += minus; s < end && *s != ' '; s++)
            day = day * 10 + (*s - '0');
        s++;
        day = minus ? -day : day;
        run = run > 0 && day == last + 1 ? run + 1 : 1;
        last = day;
        if (run > best) {
            best = run;
            *start = (int32_t)(day - run + 1);
        }
    }
    return best;
}

/* Are there enough days with data? */
static bool enough_days(const struct output *o, const struct climo_period *p, int64_t n)
{
    if (o->stat == STAT_COUNT && o->compare == NULL)
        return true;
    return n > 0 && p->end - p->start - n <= o->maxmissing;
}

/* NaN when there is none: a first day of what never was. */
static double wire_value(const struct output *o, const struct climo_period *p, const struct cell *c,
                         int32_t *day)
{
    double n = (double)c[WIRE_N].i, v = c[WIRE_VALUE].type == CELL_NULL ? NAN : c[WIRE_VALUE].f8;
    if (output_has_day(o) && c[WIRE_EXTRA].type == CELL_INT)
        *day = (int32_t)c[WIRE_EXTRA].i;
    switch (o->stat) {
    case STAT_MEAN:
        return v / n / MICRO;
    case STAT_FIRST:
    case STAT_LAST:
        return v - p->start;
    case STAT_STREAK:
        return c[WIRE_EXTRA].type == CELL_TEXT ? longest_run(&c[WIRE_EXTRA], day) : 0;
    case STAT_COUNT:
        return o->compare != NULL ? v : n;
    default:
        return o->compare != NULL ? v : v / MICRO;
    }
}

static void take_output(struct filling *f, const struct output *o, const struct climo_period *p,
                        const struct cell *c, size_t from, struct slot *slot, struct value *to)
{
    bool enough = enough_days(o, p, c[WIRE_N].i);
    int missing = p->end - p->start - (int)c[WIRE_N].i;
    if (f->area == NULL || o->combined || enough)
        slot->missing = missing > slot->missing ? missing : slot->missing;
    if (o->combined && c[WIRE_AREA].type == CELL_FLOAT8 &&
        c[WIRE_AREA].f8 / f->area->weight < slot->combined)
        slot->combined = c[WIRE_AREA].f8 / f->area->weight;
    if (!enough)
        return;
    double w = f->area != NULL && !o->combined ? f->area->weights[from] : 1;
    double v = wire_value(o, p, c, &to->day);
    to->value = to->weight > 0 ? to->value + w * v : w * v;
    to->weight += w;
}

static bool take_row(void *ctx, const struct cell *cells)
{
    struct filling *f = ctx;
    const struct selecting *s = &f->reading;
    int64_t number = cells[WIRE_PERIOD].i;
    size_t from = s->weights != NULL ? 0 : find_text(&cells[WIRE_STATION], s->stations, s->count);
    if (from == SIZE_MAX || number < 1 || number % 2 == 0 ||
        (size_t)number / 2 >= f->x->period_count)
        return true;
    size_t at = (size_t)number / 2, member = f->area != NULL ? 0 : from;
    struct slot *slot = slot_of(f, member, at);
    struct value *values = values_of(f, member, at);
    const struct cell *c = cells + WIRE_OUTPUTS;
    slot->there = true;
    for (unsigned i = 0; i < s->output_count; i++) {
        take_output(f, s->outputs[i], &f->x->periods[at], c, from, slot,
                    &values[s->outputs[i] - f->x->outputs]);
        c += s->weights != NULL ? WIRE_AREA + 1 : WIRE_AREA;
    }
    return true;
}

static bool take_touched(void *ctx, const struct cell *cells)
{
    struct filling *f = ctx;
    f->reading.rollup = cells[0].i < TOUCHED_MANY;
    return true;
}

static bool choose_source(struct filling *f, struct conn *conn, struct err *e)
{
    static const Oid oids[] = { OID_INT8 };
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    f->reading.rollup = false;
    if (!aggregate_in_rollup(&f->reading))
        return true;
    aggregate_touched_sql(&f->reading, &sql);
    bool ok = sql.failed ? err_set(e, ERR_INTERNAL, "the statement cannot be built")
                         : query_rows(conn, sql.data, oids, 1, take_touched, f, e);
    buf_release(&sql);
    return ok;
}

static bool read_rows(struct filling *f, struct conn *conn, struct err *e)
{
    const struct selecting *s = &f->reading;
    Oid oids[WIRE_OUTPUTS + OUTPUTS * (WIRE_AREA + 1)] = { OID_TEXT, OID_INT4 };
    unsigned n = WIRE_OUTPUTS;
    for (unsigned i = 0; i < s->output_count; i++) {
        oids[n++] = OID_INT8;
        oids[n++] = OID_FLOAT8;
        oids[n++] = s->outputs[i]->stat == STAT_STREAK ? OID_TEXT : OID_INT4;
        if (s->weights != NULL)
            oids[n++] = OID_FLOAT8;
    }
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    if (!choose_source(f, conn, e))
        return false;
    aggregate_sql(s, &sql);
    bool ok = sql.failed ? err_set(e, ERR_INTERNAL, "the statement cannot be built")
                         : query_rows(conn, sql.data, oids, n, take_row, f, e);
    buf_release(&sql);
    return ok;
}

/* A statement has at most COPY_COLUMNS columns: outputs are read in groups. */
static bool read_outputs(struct filling *f, bool combined, struct conn *conn, struct err *e)
{
    const struct aggregate *x = f->x;
    const unsigned most = (COPY_COLUMNS - WIRE_OUTPUTS) / (WIRE_AREA + 1);
    bool ok = true;
    f->reading.output_count = 0;
    for (unsigned i = 0; ok && i < x->output_count; i++) {
        if (x->outputs[i].combined == combined)
            f->reading.outputs[f->reading.output_count++] = &x->outputs[i];
        if (f->reading.output_count == most || i + 1 == x->output_count) {
            ok = f->reading.output_count == 0 || read_rows(f, conn, e);
            f->reading.output_count = 0;
        }
    }
    return ok;
}

/* ---- values ---- */

/* The least part of the area that an output of this period stands for. */
static double finish_values(const struct filling *f, size_t member, size_t period)
{
    const struct aggregate *x = f->x;
    struct value *v = values_of(f, member, period);
    double least = 1;
    for (unsigned i = 0; i < x->output_count; i++, v++) {
        bool weighted = f->area != NULL && !x->outputs[i].combined;
        double part = v->weight / (weighted ? f->area->weight : 1);
        if (v->weight == 0 || part < x->p->min_coverage.value * FULL)
            v->value = NAN;
        else
            v->value = rint(v->value / v->weight * SHOWN) / SHOWN;
        if (x->outputs[i].combined && v->weight > 0)
            part = slot_of(f, member, period)->combined;
        least = part < least ? part : least;
    }
    return least > FULL ? 1 : rint(least * SHOWN) / SHOWN;
}

struct comparison {
    double normal, departure, percentile;
    int rank, years;
};

/* Against the values of the same period of the normals' years. Rank 1 is the lowest; equal ones
 * share the best rank, as in sports. */
static struct comparison compare(const struct filling *f, size_t member,
                                 const struct climo_period *p, unsigned output, double v)
{
    const struct aggregate *x = f->x;
    struct comparison c = { .normal = NAN, .departure = NAN, .percentile = NAN };
    double sum = 0;
    int below = 0, equal = 0;
    for (size_t i = x->normal_first[p->key]; i < x->normal_first[p->key + 1]; i++) {
        double other = values_of(f, member, x->normal_periods[i])[output].value;
        if (isnan(other))
            continue;
        c.years++;
        sum += other;
        below += other < v;
        equal += other == v;
    }
    if (c.years == 0)
        return c;
    c.normal = sum / c.years;
    if (isnan(v))
        return c;
    c.departure = v - c.normal;
    c.rank = below + 1;
    c.percentile = 100 * (below + 0.5 * equal) / c.years;
    return c;
}

static struct cell shown_cell(double v)
{
    return isnan(v) ? cell_null() : cell_float8(rint(v * SHOWN) / SHOWN + 0.0);
}

static struct cell day_cell(double v)
{
    return isnan(v) ? cell_null() : (struct cell){ .type = CELL_DAY, .i = (int64_t)v };
}

static void put_output(const struct filling *f, size_t member, size_t period, unsigned i,
                       struct cell *cells)
{
    const struct aggregate *x = f->x;
    const struct output *o = &x->outputs[i];
    const struct climo_period *p = &x->periods[period];
    const struct value *v = &values_of(f, member, period)[i];
    struct cell *c = cells + o->cell;
    bool day = output_is_day(o);
    *c++ = day ? day_cell(p->start + v->value) : shown_cell(v->value);
    if (output_has_day(o))
        *c++ = isnan(v->value) || v->day == INT32_MIN ? cell_null() : day_cell(v->day);
    if (x->normals_from == 0)
        return;
    struct comparison n = compare(f, member, p, i, v->value);
    *c++ = day ? day_cell(p->start + rint(n.normal)) : shown_cell(n.normal);
    *c++ = shown_cell(n.departure);
    *c++ = n.rank > 0 ? cell_int(n.rank) : cell_null();
    *c++ = shown_cell(n.percentile);
    *c++ = cell_int(n.years);
}

static bool put_row(const struct filling *f, size_t member, size_t period, struct cell *cells,
                    struct sink *sink)
{
    const struct aggregate *x = f->x;
    const struct member *m = f->area != NULL ? f->area : &f->members[member];
    const struct climo_period *p = &x->periods[period];
    const struct slot *slot = slot_of(f, member, period);
    char label[LABEL_ROOM];
    struct cell *c = cells;
    *c++ = cell_text(m->id, (uint32_t)strlen(m->id));
    *c++ = (struct cell){ .type = CELL_DAY, .i = p->start };
    *c++ = (struct cell){ .type = CELL_DAY, .i = p->end - 1 };
    *c++ = cell_text(label, (uint32_t)by_label(&x->by, p, label));
    *c++ = m->name != NULL ? cell_text(m->name, (uint32_t)strlen(m->name)) : cell_null();
    *c++ = cell_int(slot->missing);
    *c++ = cell_float8(slot->combined);
    *c++ = shown_cell(m->lon);
    *c++ = shown_cell(m->lat);
    for (unsigned i = 0; i < x->output_count; i++)
        put_output(f, member, period, i, cells);
    return sink_row(sink, cells);
}

static bool put_member(const struct filling *f, size_t member, bool descending, struct cell *cells,
                       struct sink *sink)
{
    size_t n = f->x->period_count;
    for (size_t i = 0; i < n; i++) {
        struct slot *slot = slot_of(f, member, i);
        if (slot->there)
            slot->combined = finish_values(f, member, i);
    }
    for (size_t i = 0; i < n; i++) {
        size_t at = descending ? n - 1 - i : i;
        if (f->x->periods[at].shown && slot_of(f, member, at)->there &&
            !put_row(f, member, at, cells, sink))
            return false;
    }
    return true;
}

static void clear(struct filling *f)
{
    size_t slots = f->member_count * f->x->period_count;
    for (size_t i = 0; i < slots; i++)
        f->slots[i] = (struct slot){ .combined = 1 };
    for (size_t i = 0; i < slots * f->x->output_count; i++)
        f->values[i] = (struct value){ .value = NAN, .day = INT32_MIN };
}

/* ---- the members of a piece ---- */

static bool fill_area(struct filling *f, const struct member *area, bool descending,
                      struct cell *cells, struct conn *conn, struct sink *sink, struct err *e)
{
    f->area = area;
    clear(f);
    f->reading = (struct selecting){ .x = f->x, .stations = area->stations, .count = area->count };
    if (!read_outputs(f, false, conn, e))
        return false;
    f->reading.weights = area->weights;
    f->reading.weight = area->weight;
    if (!read_outputs(f, true, conn, e))
        return false;
    put_member(f, 0, descending, cells, sink);
    return true;
}

static bool fill_stations(struct filling *f, const char *const *ids, bool descending,
                          struct cell *cells, struct conn *conn, struct sink *sink, struct err *e)
{
    clear(f);
    f->reading = (struct selecting){ .x = f->x, .stations = ids, .count = f->member_count };
    if (!read_outputs(f, false, conn, e))
        return false;
    for (size_t i = 0; i < f->member_count && put_member(f, i, descending, cells, sink); i++)
        ;
    return true;
}

static bool filling_new(struct filling *f, struct cell **cells, struct err *e)
{
    size_t slots = f->member_count * f->x->period_count;
    f->slots = calloc(slots, sizeof(*f->slots));
    f->values = calloc(slots * f->x->output_count, sizeof(*f->values));
    *cells = calloc(f->x->cells, sizeof(**cells));
    return (f->slots != NULL && f->values != NULL && *cells != NULL) ||
           err_set(e, ERR_TOO_LARGE, "out of memory for %zu periods: ask for a shorter window",
                   slots);
}

bool aggregate_fill(const struct plan *p, const struct archive_slice *slice, struct conn *conn,
                    struct sink *sink, struct err *e)
{
    const struct aggregate *x = p->ctx;
    struct filling f = { .x = x, .members = x->members + slice->first };
    struct cell *cells = NULL;
    bool ok = true;
    if (x->period_count == 0)
        return true;
    f.member_count = x->areas ? 1 : slice->count;
    if (!filling_new(&f, &cells, e))
        ok = false;
    else if (!x->areas)
        ok = fill_stations(&f, p->query.stations + slice->first, p->query.descending, cells, conn,
                           sink, e);
    else
        for (uint32_t i = 0; ok && i < slice->count; i++)
            ok = fill_area(&f, &f.members[i], p->query.descending, cells, conn, sink, e);
    free(f.slots);
    free(f.values);
    free(cells);
    return ok;
}
