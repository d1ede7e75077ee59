/* /api/1/daily: the columns of the three kinds of networks. */
#ifndef OBSTREAM_SRC_COMPAT_WS_DAILY_H
#define OBSTREAM_SRC_COMPAT_WS_DAILY_H

#include "ws.h"

/* How a column of the answer comes about. */
enum origin {
    PLAIN,   /* `sql`, an expression over the columns of the table */
    NOTHING, /* no value ever */
    STATION_ID,
    STATION_NAME,
    THE_DAY,
    LOCAL_TIME, /* the instant `sql` in the zone of the station */
    LOCAL_HOUR, /* its hour there as a number */
};

struct daily_column {
    struct frame_column frame;
    enum origin origin;
    const char *sql;
    Oid oid;
    const char *needs[3]; /* columns of the table that `sql` reads */
};

struct daily_kind {
    const char *suffix; /* of the network; NULL: any other */
    enum layout_table table;
    bool by_iemid; /* else by station id */
    const struct daily_column *columns;
    unsigned count;
};

/* By how the network's name ends. */
const struct daily_kind *daily_kind_of(const char *network);

#endif
