/*
 * Events above or below a threshold in a series of readings, found in one pass.
 *
 * An event starts at the first reading at or beyond the threshold and ends at the first one that is
 * not: until then nobody knows that it is over. An event that the series ends in is open. Events
 * whose readings beyond the threshold are at most `gap` apart are one. Times in microseconds.
 */
#ifndef OBSTREAM_QUERY_EXCEED_H
#define OBSTREAM_QUERY_EXCEED_H

#include <stdbool.h>
#include <stdint.h>

struct exceed_rule {
    double threshold;
    bool below;           /* at or below, and the peak is the lowest value */
    int64_t gap;          /* 0: nothing is joined */
    int64_t min_duration; /* shorter events are left out */
};

struct exceed_event {
    int64_t start, last; /* first and last reading beyond */
    bool start_known;    /* the series has a reading before it */
    bool open;           /* it has no end yet */
    int64_t end;
    double peak;
    int64_t peak_time;    /* of the first such reading */
    uint64_t count;       /* readings beyond */
    int64_t longest_wait; /* between readings from start to end */
};

/* From the start, or the last reading of an open event. */
int64_t exceed_duration(const struct exceed_event *e);

struct exceed {
    struct exceed_rule rule;
    bool seen;    /* a reading */
    int64_t time; /* of the last one */
    bool held;    /* event is one that goes on, or that may still be joined */
    struct exceed_event event;
};

void exceed_begin(struct exceed *x, const struct exceed_rule *rule);

/* The next reading, later than the one before. True: *done is an event that is over. */
bool exceed_add(struct exceed *x, int64_t time, double value, struct exceed_event *done);
/* The series is over. */
bool exceed_end(struct exceed *x, struct exceed_event *done);

#endif
