#include "obstream/query/exceed.h"

void exceed_begin(struct exceed *x, const struct exceed_rule *rule)
{
    *x = (struct exceed){ .rule = *rule };
}

int64_t exceed_duration(const struct exceed_event *e)
{
    return (e->open ? e->last : e->end) - e->start;
}

static bool release(struct exceed *x, struct exceed_event *done)
{
    if (!x->held)
        return false;
    x->held = false;
    *done = x->event;
    return exceed_duration(done) >= x->rule.min_duration;
}

static void start(struct exceed *x, int64_t time, double value)
{
    x->held = true;
    x->event = (struct exceed_event){ .start = time,
                                      .last = time,
                                      .start_known = x->seen,
                                      .open = true,
                                      .peak = value,
                                      .peak_time = time,
                                      .count = 1 };
}

static void extend(struct exceed *x, int64_t time, double value)
{
    struct exceed_event *e = &x->event;
    bool higher = x->rule.below ? value < e->peak : value > e->peak;
    e->open = true;
    e->last = time;
    e->count++;
    if (higher) {
        e->peak = value;
        e->peak_time = time;
    }
}

bool exceed_add(struct exceed *x, int64_t time, double value, struct exceed_event *done)
{
    bool beyond = x->rule.below ? value <= x->rule.threshold : value >= x->rule.threshold;
    bool late = x->held && !x->event.open && time - x->event.last > x->rule.gap;
    bool out = late && release(x, done);
    if (x->held && time - x->time > x->event.longest_wait)
        x->event.longest_wait = time - x->time;
    if (beyond && x->held) {
        extend(x, time, value);
    } else if (beyond) {
        start(x, time, value);
    } else if (x->held && x->event.open) {
        x->event.open = false;
        x->event.end = time;
        if (time - x->event.last > x->rule.gap)
            out = release(x, done);
    }
    x->seen = true;
    x->time = time;
    return out;
}

bool exceed_end(struct exceed *x, struct exceed_event *done)
{
    return release(x, done);
}
