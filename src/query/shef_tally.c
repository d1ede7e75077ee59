#include "obstream/query/shef_tally.h"

#include <math.h>

/* Archives hold a trace as 0.0001 inches, some as SHEF's own 0.001. */
static const double TRACE_MOST = 0.001, TRACE = 0.0001;

void shef_tally_period(struct shef_tally *t)
{
    *t = (struct shef_tally){ .have_previous = t->have_previous,
                              .previous_time = t->previous_time,
                              .previous = t->previous };
}

/* William Kahan, "Further remarks on reducing truncation errors" (CACM 1965). */
static void add(double *sum, double *compensation, double v)
{
    double y = v - *compensation, s = *sum + y;
    *compensation = isfinite(s) ? s - *sum - y : 0;
    *sum = s;
}

static void extremes(struct shef_tally *t, int64_t time, double value, bool repeat)
{
    if (t->count == 0) {
        t->first = t->min = t->max = value;
        t->min_time = t->max_time = time;
    }
    if (value < t->min) {
        t->min = value;
        t->min_time = time;
    }
    if (value > t->max) {
        t->max = value;
        t->max_time = time;
    }
    if (!repeat || t->count == 0)
        t->last = value;
    t->repeats += repeat;
    t->count++;
    add(&t->sum, &t->compensation, value);
}

static void increment(struct shef_tally *t, const struct shef_tally_rule *rule, int64_t time,
                      double value)
{
    double difference = value - t->previous;
    if (!t->have_previous || time - t->previous_time > rule->max_gap) {
        t->gaps++;
    } else if (difference < 0) {
        t->resets++;
    } else {
        t->amounts++;
        add(&t->amount, &t->amount_compensation, difference);
    }
}

static void amount(struct shef_tally *t, const struct shef_tally_rule *rule, int64_t time,
                   double value)
{
    t->overlaps += t->have_previous && time - t->previous_time < rule->duration;
    t->amounts++;
    if (value > 0 && value <= TRACE_MOST)
        t->traces++;
    else
        add(&t->amount, &t->amount_compensation, value);
}

void shef_tally_add(struct shef_tally *t, const struct shef_tally_rule *rule, int64_t time,
                    double value, bool before)
{
    if (isnan(value)) {
        t->missing += !before;
        return;
    }
    bool repeat = t->have_previous && time == t->previous_time;
    if (t->have_previous && time - t->previous_time > rule->memory)
        t->have_previous = false;
    if (!before)
        extremes(t, time, value, repeat);
    if (repeat)
        return;
    if (!before && rule->total == SHEF_TOTAL_INCREMENT)
        increment(t, rule, time, value);
    else if (!before && rule->total == SHEF_TOTAL_SUM)
        amount(t, rule, time, value);
    t->have_previous = true;
    t->previous_time = time;
    t->previous = value;
}

double shef_tally_mean(const struct shef_tally *t)
{
    return t->count > 0 ? t->sum / (double)t->count : NAN;
}

bool shef_tally_amount(const struct shef_tally *t, double *out)
{
    *out = t->amount == 0 && t->traces > 0 ? TRACE : t->amount;
    return t->amounts > 0;
}
