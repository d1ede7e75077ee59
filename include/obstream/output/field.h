/*
 * One column of an answer as an encoder sees it, and the options that shape all encodings.
 * Everything here is built once per request and read by many workers; nothing is owned.
 */
#ifndef OBSTREAM_OUTPUT_FIELD_H
#define OBSTREAM_OUTPUT_FIELD_H

#include "obstream/core/tz.h"
#include "obstream/query/cell.h"

#include <stddef.h>

enum field_flag {
    FIELD_TRACE = 1,   /* within (0, 0.009999), once converted: a trace of precipitation */
    FIELD_LOCAL = 2,   /* an instant printed in the request's zone as 2024-06-01T07:00:00-05:00 */
    FIELD_CONVERT = 4, /* value * scale + offset, printed with `decimals` decimals */
    FIELD_FIXED = 8,   /* printed with exactly `decimals` decimals */
};

struct field {
    const char *name; /* header and JSON member */
    const char *unit; /* "" when there is none */
    const char *help;
    enum cell_type type; /* what non-null cells of this column are */
    unsigned cell;       /* index into the row's cells */
    unsigned flags;
    double scale, offset;
    int decimals;
};

enum header_mode { HEADER_PLAIN, HEADER_UNITS, HEADER_NONE };

/* What an encoder needs to know besides the fields. */
struct shape {
    const struct field *fields;
    size_t count;
    const char *missing; /* text of null in csv and tsv, "" by default */
    const char *trace;   /* text of a trace in csv and tsv; NULL: the number itself */
    enum header_mode header;
    const struct tz *tz;    /* for FIELD_LOCAL */
    int lon_cell, lat_cell; /* cells with the position for geojson, -1 when there is none */
    const void *ctx;        /* for an encoder that belongs to one endpoint */
};

#endif
