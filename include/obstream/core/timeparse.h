/*
 * Text to instants, as the common parameters sts and ets take them.
 *
 * Accepted: YYYY, YYYY-MM, YYYY-MM-DD, and a date followed by `T`, `t` or one blank and hh:mm,
 * hh:mm:ss or hh:mm:ss.f (1 to 9 digits, cut to microseconds), then nothing, `Z`, `z`, +hh, +hhmm
 * or +hh:mm (a `-` likewise). 24:00 is refused. A raw `+` that a client forgot to escape arrives as
 * a blank: "2024-06-01T12:00 00:00" is understood as an offset.
 */
#ifndef OBSTREAM_CORE_TIMEPARSE_H
#define OBSTREAM_CORE_TIMEPARSE_H

#include "obstream/core/err.h"
#include "obstream/core/tz.h"

/* Zone-less text is local time of `tz`. On failure the message names the text and the remedy. */
bool time_parse(const char *text, const struct tz *tz, int64_t *usec, struct err *e) MUST_CHECK;

/* The same, but tells the zone apart: *aware says whether the text named an offset or Z. */
bool time_parse_civil(const char *text, struct civil *local, bool *aware, int32_t *offset_sec,
                      struct err *e) MUST_CHECK;

/* A day: YYYY-MM-DD (also YYYY-MM and YYYY, the first day). */
bool day_parse(const char *text, int64_t *days, struct err *e) MUST_CHECK;

#endif
