/* What the files of /api/shef/summary share. */
#ifndef OBSTREAM_ENDPOINTS_SHEF_SUMMARY_H
#define OBSTREAM_ENDPOINTS_SHEF_SUMMARY_H

#include "obstream/api/catalog.h"
#include "obstream/api/group.h"
#include "obstream/query/grid.h"
#include "obstream/query/shef_tally.h"
#include "obstream/stream/transform.h"

/* plan->ctx */
struct summary_plan {
    const struct catalog *catalog;
    const char *columns, *tie; /* of the statement */
    enum period period;
    const struct tz *tz; /* NULL: the station's own */
    int64_t max_gap, memory;
};

/* Fetched: station, valid, key, depth, value, dv_interval. */
enum { READ_STATION, READ_VALID, READ_KEY, READ_DEPTH, READ_VALUE, READ_DV, READ_CELLS };

/* Made. */
enum summary_cell {
    SUMMARY_STATION,
    SUMMARY_VALID,
    SUMMARY_KEY,
    SUMMARY_DEPTH,
    SUMMARY_COUNT,
    SUMMARY_MEAN,
    SUMMARY_MIN,
    SUMMARY_MAX,
    SUMMARY_FIRST,
    SUMMARY_LAST,
    SUMMARY_SUM,
    SUMMARY_INCREMENT,
    SUMMARY_RESETS,
    SUMMARY_GAPS,
    SUMMARY_OVERLAPS,
    SUMMARY_REPEATS,
    SUMMARY_MISSING,
    SUMMARY_MIN_TIME,
    SUMMARY_MAX_TIME,
    SUMMARY_PERIOD,
    SUMMARY_TIMEZONE,
};

extern const struct transform summary_transform;

#endif
