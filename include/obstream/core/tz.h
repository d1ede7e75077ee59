/*
 * Time zones by the system's zone database, read through GLib's GTimeZone.
 *
 * A zone is loaded once per process, turned into a sorted table of transitions and never freed, so
 * a `const struct tz *` may be kept for ever and read by any thread without a lock. The table
 * covers the years 1800 to 2199; later instants keep the last offset. The database is the folder
 * $TZDIR or /usr/share/zoneinfo; its copies posix/ and right/ and the machine's "localtime" are no
 * zones.
 */
#ifndef OBSTREAM_CORE_TZ_H
#define OBSTREAM_CORE_TZ_H

#include "obstream/core/civil.h"

struct tz;

/* The zone of an IANA name ("America/Chicago", "UTC", "Etc/UTC"); NULL when there is none. Names
 * are case sensitive; paths that leave the database, POSIX strings and offsets are no names. */
const struct tz *tz_find(const char *name);
const struct tz *tz_utc(void);
const char *tz_name(const struct tz *tz);

/* Seconds east of UTC at an instant. `*until` (may be NULL) receives the first later instant at
 * which the answer may differ, INT64_MAX when never: callers in loops keep the pair. `*since`
 * likewise the instant from which it holds. */
int32_t tz_offset(const struct tz *tz, int64_t usec, int64_t *since, int64_t *until);
const char *tz_abbrev(const struct tz *tz, int64_t usec); /* "CDT"; lives as long as the zone */

/* The instant of a local time. An ambiguous one (fold) is its first occurrence; one in a gap is
 * taken with the offset before the gap, as Python's fold=0 does. */
int64_t tz_from_local(const struct tz *tz, const struct civil *local);

struct civil tz_to_local(const struct tz *tz, int64_t usec);

/* Candidate i of the zone names, sorted, NULL at the end: for the nearest valid name. */
const char *tz_candidate(const void *unused, size_t i);

#endif
