/*
 * Statements over a station-and-time table: a query says which rows and columns a request wants, a
 * slice which part of them one segment fetches. archive_sql() is pure, hence testable and fuzzed.
 *
 * Stations are either the named ones (station k is group k) or all there are: then `stations` are
 * known ids, ascending, group 2k + 1 is station k, and the even groups hold whatever lies before,
 * between and behind them; so no row is lost whose station has no metadata. Ids sort bytewise,
 * hence `collate` where the column's own order is another one: rows between ids would be lost.
 */
#ifndef OBSTREAM_QUERY_ARCHIVE_H
#define OBSTREAM_QUERY_ARCHIVE_H

#include "obstream/core/buf.h"

#include <stdint.h>

enum { STATION_ROOM = 72 };

struct archive_query {
    const char *table;   /* as the layout names it */
    const char *station; /* column */
    const char *time;    /* column */
    const char *number;  /* column, where the table knows stations by numbers: `station` then is the
                            name under which their ids are joined to it; NULL: it has the ids */
    const int64_t *numbers; /* with it: one for each of `stations`, which then are not `all` */
    bool time_is_day;       /* a date column; slices then start and end at 00 UTC */
    bool collate;           /* the station column does not sort bytewise by itself */
    const char *columns;    /* select list */
    const char *filter;     /* "" or " AND ..." made by sql.h */
    const char *tie;        /* "" or ", column": order of rows equal in station and time */
    const char *const *stations;
    uint32_t count;
    bool all;        /* stations are split points */
    bool by_time;    /* order by time, then station; else by station, then time */
    bool descending; /* in time; stations always ascend */
    bool own_order;  /* by station: as they are listed (nearest first); a slice then holds one */
};

struct archive_slice {
    uint32_t first, count; /* groups */
    int64_t from, to;      /* microseconds, half-open */
    bool resumed;          /* only what comes after this position in the order */
    char after_station[STATION_ROOM];
    int64_t after_time;
    uint64_t limit; /* 0: none */
};

/* How many groups the query has. */
uint32_t archive_groups(const struct archive_query *q);

/* Whether a slice holds one station for certain. Only then may it be cut in time and still be in
 * order by station. */
bool archive_one_station(const struct archive_query *q, const struct archive_slice *s);

void archive_sql(const struct archive_query *q, const struct archive_slice *s, struct buf *out);

/* The distinct values of `column` in a slice, unordered. */
void archive_distinct_sql(const struct archive_query *q, const struct archive_slice *s,
                          const char *column, struct buf *out);

#endif
