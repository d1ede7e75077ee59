/* Which part of the answer is fetched next: small pieces first, larger ones as rows are counted. */
#include "internal.h"

#include "obstream/query/window.h"

/* A grouped piece reads about so many rows of the table at most: a second or two. */
static const double GROUP_SCAN = 300000;

/* Until it was measured: a wide row takes at most so many fetched ones. */
enum { PIVOT_GUESS = 32 };

enum { WHOLE_MOST = 400 }; /* stations of one statement */

enum { ROWS_FLOOR = 512 }; /* a statement asks for at least so many rows */

/* A piece may turn out this much denser than planned before it is closed early. */
static const double CAP_FACTOR = 3.0;

void cursor_init(struct cursor *c, const struct plan *p, const struct conf *conf)
{
    *c = (struct cursor){
        .time = p->query.descending ? p->to : p->from,
        .density = p->rows_per_day * p->row_bytes,
        .row_bytes =
            p->pivot != NULL && p->pivot->count > 0
                ? p->row_bytes / (p->pivot->count < PIVOT_GUESS ? p->pivot->count : PIVOT_GUESS)
                : p->row_bytes,
        .next_bytes = (double)conf->segment_first,
        .done = p->produce == NULL && (p->from >= p->to || plan_groups(p) == 0),
    };
}

uint32_t plan_groups(const struct plan *p)
{
    return p->pool == NULL || p->produce != NULL ? 1 : archive_groups(&p->query);
}

/* Stations, as far as they are known, in a number of groups. */
static double stations_in(const struct plan *p, uint32_t groups)
{
    return p->query.all ? (groups + 1) / 2 : groups;
}

static int64_t days_to_usec(double days)
{
    const double longest = 4e6; /* days: beyond any archive, within int64_t */
    double usec = (days < longest ? days : longest) * (double)USEC_PER_DAY;
    return usec < (double)USEC_PER_HOUR ? USEC_PER_HOUR : (int64_t)usec;
}

/* The next stretch of time for the groups [first, first + count); true when it reaches the end. */
static bool take_window(struct cursor *c, const struct plan *p, struct archive_slice *s,
                        double days)
{
    int64_t length = days_to_usec(days);
    struct grid grid;
    bool grouped = archive_grid(&p->query, s, &grid);
    if (p->query.descending) {
        s->to = c->time;
        s->from = grouped ? grid_window_start(&grid, p->from, length, c->time)
                          : window_start(p->from, length, c->time);
        c->time = s->from;
        return s->from <= p->from;
    }
    s->from = c->time;
    s->to = grouped ? grid_window_end(&grid, c->time, length, p->to)
                    : window_end(c->time, length, p->to);
    c->time = s->to;
    return s->to >= p->to;
}

static void next_group(struct cursor *c, const struct plan *p, uint32_t count)
{
    c->group += count;
    c->time = p->query.descending ? p->to : p->from;
    c->done = c->group >= plan_groups(p);
}

/* By station: whole windows of several stations while they are small, else parts of one. What lies
 * between known stations is not cut in time: there may be many. */
static void next_by_station(struct cursor *c, const struct plan *p, struct archive_slice *s)
{
    bool fresh = c->time == (p->query.descending ? p->to : p->from);
    double span = (double)(p->to - p->from) / (double)USEC_PER_DAY;
    double per_station = c->density * span;
    s->first = c->group;
    s->count = 1;
    bool several = !p->query.own_order && per_station * 2 <= c->next_bytes;
    if (fresh && (several || p->query.newest)) {
        double n = c->next_bytes / (per_station > 1 ? per_station : 1) * (p->query.all ? 2 : 1);
        uint32_t left = plan_groups(p) - c->group;
        s->count = n < 1 ? 1 : n < (double)left ? (uint32_t)n : left;
        uint32_t most = p->fill_groups > 0 && p->fill_groups < 400 ? p->fill_groups : 400;
        if (p->query.own_order)
            most = 1;
        if (s->count > most)
            s->count = most; /* keeps the statement and its planning short */
        s->from = p->from;
        s->to = p->to;
        next_group(c, p, s->count);
    } else if (p->fill != NULL || !archive_one_station(&p->query, s)) {
        s->from = p->from;
        s->to = p->to;
        next_group(c, p, 1);
    } else if (take_window(c, p, s, c->next_bytes / c->density)) {
        next_group(c, p, 1);
    }
}

/* Whole windows of as many stations as the first guess allows: what a piece yields tells nothing
 * of how much it had to read. */
static void next_whole(struct cursor *c, const struct plan *p, struct archive_slice *s)
{
    double days = (double)(p->to - p->from) / (double)USEC_PER_DAY;
    double n = c->next_bytes / (p->rows_per_day * p->row_bytes * days);
    uint32_t left = plan_groups(p) - c->group;
    s->first = c->group;
    s->count = n < 1 ? 1 : n < WHOLE_MOST ? (uint32_t)n : WHOLE_MOST;
    s->count = p->query.own_order ? 1 : s->count;
    s->count *= p->query.all ? 2 : 1; /* what lies between two stations is mostly nothing */
    s->count = s->count < left ? s->count : left;
    s->from = p->from;
    s->to = p->to;
    next_group(c, p, s->count);
}

static void next_by_time(struct cursor *c, const struct plan *p, struct archive_slice *s)
{
    uint32_t groups = plan_groups(p);
    s->first = 0;
    s->count = groups;
    if (p->query.newest) {
        s->from = p->from;
        s->to = p->to;
        c->done = true;
    } else if (take_window(c, p, s, c->next_bytes / (c->density * stations_in(p, groups)))) {
        c->done = true;
    }
}

/* Grouped rows are few, but many are read for each: what is read is bounded too. */
static double piece_target(const struct cursor *c, const struct plan *p, double target)
{
    if (p->query.group == NULL || p->scan_per_day <= p->rows_per_day)
        return target;
    double most = c->row_bytes * GROUP_SCAN * p->rows_per_day / p->scan_per_day;
    return most < target ? most : target;
}

bool cursor_next(struct job *j, double target, struct piece *out)
{
    struct cursor *c = &j->cursor;
    const struct plan *p = j->plan;
    if (c->done)
        return false;
    *out = (struct piece){ .seq = j->next_seq++ };
    if (p->pool == NULL || p->produce != NULL) {
        c->done = true;
        return true;
    }
    target = piece_target(c, p, target);
    if (c->next_bytes > target)
        c->next_bytes = target;
    if (p->whole)
        next_whole(c, p, &out->slice);
    else if (p->query.by_time)
        next_by_time(c, p, &out->slice);
    else
        next_by_station(c, p, &out->slice);
    out->bytes_guess = c->next_bytes;
    double cap = CAP_FACTOR * (c->next_bytes > 65536 ? c->next_bytes : 65536) / c->row_bytes;
    if (p->query.group == NULL && !p->query.newest && !p->whole && p->transform == NULL)
        out->slice.limit = cap > ROWS_FLOOR ? (uint64_t)cap : ROWS_FLOOR;
    /* Until something was measured each piece may only double: the guess can be far off. */
    c->next_bytes = c->measured ? target : c->next_bytes * 2;
    return true;
}

void cursor_learn(struct cursor *c, const struct plan *p, const struct piece *piece,
                  const struct segment *seg, double target)
{
    double days = (double)(piece->slice.to - piece->slice.from) / (double)USEC_PER_DAY;
    const struct archive_slice *s = &piece->slice;
    bool between = s->count == 1 && !archive_one_station(&p->query, s); /* tells nothing */
    double stations = stations_in(p, p->query.by_time ? plan_groups(p) : s->count);
    if (p->pool == NULL || p->produce != NULL || p->whole || days <= 0 || stations <= 0 ||
        piece->part > 0 || (between && !p->query.by_time))
        return;
    double bytes = (double)seg->sum.bytes;
    c->probing = seg->rows == 0;
    if (seg->rows > 0)
        c->row_bytes = bytes / (double)(seg->fetched > seg->rows ? seg->fetched : seg->rows);
    double density = bytes / (days * stations);
    /* Closed early: most of its window may have been a gap before the rows began. */
    double guess = p->rows_per_day * c->row_bytes;
    if (!seg->last_part)
        density = density * 2 > guess ? density * 2 : guess;
    double floor = c->density / 8; /* gaps are crossed in growing steps, not in one leap */
    c->density = density > floor ? density : floor;
    if (seg->rows > 0 || c->density < 1)
        c->measured = true;
    if (c->density < 1e-3)
        c->density = 1e-3;
    target = piece_target(c, p, target);
    if (c->measured && c->next_bytes < target)
        c->next_bytes = c->next_bytes * 4 < target ? c->next_bytes * 4 : target;
}

void cursor_take_back(struct job *j, struct piece *rest)
{
    struct cursor *c = &j->cursor;
    struct archive_slice *s = &rest->slice;
    const struct archive_query *q = &j->plan->query;
    if (!q->by_time && !archive_one_station(q, s))
        return;
    if (q->descending)
        s->to = s->after_time + 1 < s->to ? s->after_time + 1 : s->to;
    else
        s->from = s->after_time > s->from ? s->after_time : s->from;
    if (rest->seq + 1 != j->next_seq)
        return; /* later pieces are under way already */
    double stations = q->by_time ? stations_in(j->plan, plan_groups(j->plan)) : 1;
    int64_t length = days_to_usec(c->next_bytes / (c->density * stations));
    int64_t end =
        q->descending ? window_start(s->from, length, s->to) : window_end(s->from, length, s->to);
    if (end == (q->descending ? s->from : s->to))
        return;
    c->time = end;
    c->group = s->first;
    c->done = false;
    *(q->descending ? &s->from : &s->to) = end;
}
