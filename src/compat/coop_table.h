/* The daily table of coop.py: columns, statements, and its two forms. */
#ifndef OBSTREAM_SRC_COMPAT_COOP_TABLE_H
#define OBSTREAM_SRC_COMPAT_COOP_TABLE_H

#include "coop.h"

enum coop_kind {
    COOP_STATION,
    COOP_NAME,
    COOP_LAT,
    COOP_LON,
    COOP_DAY_TEXT,
    COOP_DOY,
    COOP_VALUE, /* of the table */
    COOP_GDD,   /* by base and ceiling of 86 degF */
    COOP_CELSIUS,
    COOP_MM,
    COOP_MEAN, /* of two columns */
};

/* A column that can be asked for. */
struct coop_var {
    const char *name;
    enum coop_kind kind;
    const char *source[2]; /* columns of the table */
    int base;
};

/* A column of this answer. */
struct coop_column {
    const char *name;
    const struct coop_var *var; /* NULL: unknown, in the header alone */
    unsigned cells[2];
};

enum { COOP_CELL_STATION, COOP_CELL_DAY };

struct coop_table {
    struct coop_request *q;
    struct coop_column *columns;
    size_t count;
    int doy_cell;    /* a replicated day keeps the number it has in its own year; -1: by the day */
    const char *sql; /* of the whole table */
};

/* The value of a column in a row: what a spreadsheet's cell holds. */
struct cell coop_cell(const struct coop_table *t, const struct coop_column *c,
                      const struct cell *cells);

/*
 * Rows and scenario as one table, in parentheses and named "total". With `whole` it is the union
 * that the recorded service makes, column by column: rows of one day come in the order in which the
 * database's hash table gives them, which spreadsheets and scenarios of one station show. Without,
 * `day` is a date and the table can be read in slices.
 */
void coop_union_sql(const struct coop_request *q, bool whole, struct buf *sql);

bool coop_xlsx_produce(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e);

#endif
