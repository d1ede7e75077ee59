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
#include "obstream/query/grid.h"

enum { STATION_ROOM = 72 };

struct archive_slice;

/*
 * Rows grouped by station and period of the calendar. The statement then is
 *
 *     SELECT columns FROM (SELECT *<inner> FROM (SELECT *, ... AS obs_period FROM
 *         (SELECT station, time, <reads>, ... AS obs_zone FROM table WHERE ...)))
 *     GROUP BY station, obs_period, obs_zone<by> ORDER BY station, obs_period
 *
 * without LIMIT: rows are as many as stations and periods. obs_zone is the name of the station's
 * zone, obs_period the start of the period in it: a timestamptz, a date where time_is_day.
 * Slices must not cut a period (see grid.h); but the window's own ends may.
 */
struct archive_group {
    enum period period;
    const struct tz *tz;              /* of all stations; NULL: `zones` */
    const struct tz *const *zones;    /* by station; rows of stations between known ones take UTC */
    const struct tz *const *distinct; /* those of `zones` and UTC, each once */
    uint32_t distinct_count;
    const char *reads; /* "" or ", column": what of the table the expressions use */
    const char *inner; /* "" or ", expression AS name", e.g. with window functions */
    const char *by;    /* "" or ", column" */
    int64_t from, to;  /* the whole window */
};

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
    const struct archive_group *group; /* NULL: rows as they are */
    /* Only the newest row of each station in the window, probed for by station, so that an index is
     * enough; of several at one time the first by `tie`. Named stations, slices of the whole
     * window, no limit and no resumption. */
    bool newest;
    /* Writes the whole statement of a slice, with archive_where(); NULL: rows of the table. */
    void (*statement)(const struct archive_query *q, const struct archive_slice *s,
                      struct buf *out);
    const void *statement_ctx;
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

/* The part of it that chooses rows: " FROM table WHERE ...". */
void archive_where(const struct archive_query *q, const struct archive_slice *s, struct buf *out);

/* The grid on whose boundaries windows of a grouped query are cut; false: it is not grouped. Where
 * stations of several zones share a window it is that of UTC, and the slice [from, to) then means
 * periods that start there. */
bool archive_grid(const struct archive_query *q, const struct archive_slice *s, struct grid *out);

/* The distinct values of `column` in a slice, unordered. */
void archive_distinct_sql(const struct archive_query *q, const struct archive_slice *s,
                          const char *column, struct buf *out);

#endif
