/* /api/1/obhistory: what the files of the service share. */
#ifndef OBSTREAM_SRC_COMPAT_WS_OBHISTORY_H
#define OBSTREAM_SRC_COMPAT_WS_OBHISTORY_H

#include "ws.h"

/* One local day of one station. */
struct obhistory {
    const char *station;
    const struct tz *tz;
    int64_t from, to;   /* microseconds, half-open */
    int year;           /* of the local day; 0: there cannot be rows */
    bool full;          /* all columns the service knows, also empty ones */
    const char *ending; /* of the statement: WHERE ... ORDER BY ...; NULL: no rows */
    const unsigned *map;
    const char *raw, *alldata; /* tables of the SHEF branch; alldata may be NULL */
};

/* A frame of the SHEF archive: one column per key, then the converted elements. */
bool obhistory_shef(const struct plan *p, struct conn *conn, struct frame *f,
                    struct frame_rows *rows, struct err *e);

/* With `full`: adds the columns that are not among the `count` ones yet, at most OBHISTORY_MORE,
 * which have no value then. Returns the new number of columns. */
enum { OBHISTORY_MORE = 40 };
unsigned obhistory_full(const struct obhistory *x, struct frame_column *columns, unsigned count);

#endif
