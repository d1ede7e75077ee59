/*
 * What the readings of one SHEF series come to in a period: extremes, mean, and the amount of
 * precipitation or the like.
 *
 * Amounts. An accumulator (PC) gives the sum of positive differences between successive readings,
 * booked at the later one. A drop is a reset, a wait longer than max_gap a gap: both are counted,
 * their difference is not. Elements that come as amounts (PP) are summed; a reading that starts
 * before the one before it ended (its duration tells) is counted as an overlap: the sum then has
 * some rain twice. A trace counts as nothing, a sum of nothing but traces is a trace.
 *
 * Several values of one time: all count for the extremes and the mean, the first one for amounts.
 */
#ifndef OBSTREAM_QUERY_SHEF_TALLY_H
#define OBSTREAM_QUERY_SHEF_TALLY_H

#include "obstream/query/shef.h"

#include <stdint.h>

struct shef_tally_rule {
    enum shef_total total;
    int64_t duration; /* microseconds that a reading covers, 0: not known */
    int64_t max_gap;  /* microseconds */
    int64_t memory;   /* a reading that is longer ago is forgotten, whether or not it is known */
};

struct shef_tally {
    /* the series so far */
    bool have_previous;
    int64_t previous_time;
    double previous;
    /* the period */
    int64_t count, missing, repeats;
    double sum, compensation; /* of all values, for the mean (Kahan) */
    double min, max, first, last;
    int64_t min_time, max_time;
    double amount, amount_compensation;
    int64_t amounts, traces, resets, gaps, overlaps;
};

/* A period starts; the series goes on. */
void shef_tally_period(struct shef_tally *t);

/* The next reading, not earlier than the one before; NaN for a missing value. A reading that only
 * precedes the period (`before`) is remembered for differences. */
void shef_tally_add(struct shef_tally *t, const struct shef_tally_rule *rule, int64_t time,
                    double value, bool before);

double shef_tally_mean(const struct shef_tally *t);              /* NaN without values */
bool shef_tally_amount(const struct shef_tally *t, double *out); /* false: there is none */

#endif
