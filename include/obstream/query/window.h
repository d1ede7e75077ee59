/*
 * Windows of time: half-open [from, to) in microseconds, cut at calendar boundaries (UTC), so that
 * the same stretch of the archive is the same segment for every request.
 */
#ifndef OBSTREAM_QUERY_WINDOW_H
#define OBSTREAM_QUERY_WINDOW_H

#include <stdint.h>

/* The end of a window that starts at `from` and is about `length` microseconds long: the last
 * boundary of the largest calendar unit (hour, day, month, year) not longer than `length` that is
 * within from + length, at least the next one; never beyond `to`. */
int64_t window_end(int64_t from, int64_t length, int64_t to);

/* The same backwards, for descending order: the start of a window that ends at `to`. */
int64_t window_start(int64_t from, int64_t length, int64_t to);

#endif
