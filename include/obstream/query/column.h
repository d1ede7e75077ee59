/*
 * Columns an endpoint offers, as a table. A column is read from the table (`source`), or computed
 * from others of the same row (`fn`, `needs`). What the endpoint declares here is what is checked,
 * fetched, encoded and described.
 */
#ifndef OBSTREAM_QUERY_COLUMN_H
#define OBSTREAM_QUERY_COLUMN_H

#include "obstream/query/cell.h"

#include <stddef.h>

enum column_flag {
    COLUMN_TRACE = 1,  /* precipitation: a small positive value is a trace */
    COLUMN_LOCAL = 2,  /* an instant in the zone of the request; offered when tz is given */
    COLUMN_EXTRA = 4,  /* only when asked for by name */
    COLUMN_PADDED = 8, /* bpchar: blanks at the end are cut */
};

enum { COLUMN_NEEDS = 4 };

struct computed;

struct column {
    const char *name;
    enum cell_type type;
    const char *unit; /* "" none */
    unsigned flags;
    const char *source; /* column of the table, NULL: computed */
    void (*fn)(const struct computed *c, const struct cell *cells, struct cell *out);
    const char *needs[COLUMN_NEEDS]; /* columns of the table that fn reads as in[0], in[1], ... */
    const char *help;
};

const struct column *column_find(const struct column *columns, size_t count, const char *name);

#endif
