/* What the files of /api/shef/exceed share. */
#ifndef OBSTREAM_ENDPOINTS_SHEF_EXCEED_H
#define OBSTREAM_ENDPOINTS_SHEF_EXCEED_H

#include "obstream/api/catalog.h"
#include "obstream/query/exceed.h"
#include "obstream/stream/transform.h"

/* plan->ctx */
struct exceed_plan {
    const struct catalog *catalog;
    const char *depth_column, *quality;
    int stage; /* of station.sigstage, -1: the rule has the threshold */
    const char *stage_name;
    struct exceed_rule rule;
};

/* Fetched: station, key, depth, valid, value. */
enum { READ_STATION, READ_KEY, READ_DEPTH, READ_VALID, READ_VALUE };

/* Made. */
enum exceed_cell {
    EVENT_STATION,
    EVENT_START,
    EVENT_KEY,
    EVENT_START_KNOWN,
    EVENT_PEAK,
    EVENT_PEAK_TIME,
    EVENT_END,
    EVENT_LAST,
    EVENT_DURATION,
    EVENT_COUNT,
    EVENT_LONGEST_WAIT,
    EVENT_THRESHOLD,
    EVENT_STAGE,
    EVENT_DEPTH,
};

extern const struct transform exceed_transform;

/* NaN when the station has no such stage. */
double exceed_station_stage(const struct catalog *c, const char *id, size_t len, int stage);

#endif
