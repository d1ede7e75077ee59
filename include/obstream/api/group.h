/* Archive endpoints whose rows are grouped by station and period of the calendar. */
#ifndef OBSTREAM_API_GROUP_H
#define OBSTREAM_API_GROUP_H

#include "obstream/api/native.h"

/* Rows grouped by station and the period `by` of the request: see archive_group. Sources of such
 * columns are expressions over station, the time column, reads, inner, obs_period and obs_zone, of
 * the type of the column (counts are int8: cast, and numeric too); the second column's source is
 * obs_period. `needs` of computed columns are sources of other columns. */
struct group_spec {
    const char *const *reads; /* columns of the table, NULL-terminated; where it lacks one, NULL of
                                 type float4, or of another one: "peak_wind_time::timestamptz" */
    const char *inner, *by;
    double rows; /* of a station and period: a first guess */
};

/* The zone of a station's own clock; UTC when it has none, or one that does not exist. */
const struct tz *native_station_zone(const struct catalog *c, const char *id);

/* Makes the plan's query, complete but for this, a grouped one, in the zone of the request or else
 * in that of each station. */
bool native_group(struct api_request *r, const struct native_params *p,
                  const struct archive_spec *spec, struct plan *plan);

#endif
