/*
 * The services below /api/1: their parameters as a table, read by the rules of the web framework
 * their clients know. Of a repeated parameter the last value stands, an empty value is a value,
 * unknown parameters are ignored, the format is the suffix of the path. GET only. Errors are a JSON
 * object with the member `detail`: a text, or with status 422 a list of objects type, loc, msg and
 * input.
 */
#ifndef OBSTREAM_SRC_COMPAT_WS_H
#define OBSTREAM_SRC_COMPAT_WS_H

#include "frame_plan.h"

#include "obstream/core/number.h"

enum ws_type {
    WS_TEXT, /* const char *; min, max: characters */
    WS_INT,  /* struct param_count; min, max */
    WS_BOOL, /* bool */
    WS_DATE, /* struct param_time: midnight UTC of the day; min, max: days */
    WS_TIME, /* struct param_time: the clock time as if it were UTC, whatever its offset */
};

struct ws_param {
    const char *name;
    enum ws_type type;
    bool required;
    size_t offset;
    int64_t min, max;                        /* both 0: any */
    const char *(*check)(const char *value); /* of a text: NULL, or what it has to be */
    const char *help;
};

/* Fills `target` (zeroed by the caller) from r->pairs; params ends with a row without name. Finds
 * the format among the bits 1 << FRAME_... of `formats`. False with faults or err. */
bool ws_read(struct api_request *r, const struct ws_param *params, unsigned formats, void *target,
             enum frame_format *format);

void ws_fail(struct api_request *r);

/*
 * A frame whose columns come from one table. Column i is read from `source`; where the table lacks
 * it, it is NULL of type `absent`. The instants of FRAME_LOCAL columns are moved into a zone.
 */
struct ws_source {
    const char *source; /* NULL: filled by the service */
    Oid absent;
};

/* The select list into the plan (oids, query.columns); map[i] is the cell of column i. */
bool ws_select(struct api_request *r, struct plan *p, enum layout_table table,
               const struct ws_source *sources, unsigned count, unsigned *map);

/* Runs SELECT list FROM table `rest` (" WHERE ...") and adds its rows; cells beyond the columns of
 * the frame are null. */
struct ws_reading {
    const struct plan *plan;
    const struct frame *frame;
    const unsigned *map;
    const struct tz *tz; /* NULL: no column is local */
    struct frame_rows *rows;
};
bool ws_table_read(const struct ws_reading *x, struct conn *conn, const char *rest, struct err *e);

enum {
    WS_ALL = 1 << FRAME_JSON | 1 << FRAME_TXT | 1 << FRAME_GEOJSON,
    WS_TABLES = 1 << FRAME_JSON | 1 << FRAME_TXT
};

/* Fields of `struct endpoint` that all of them share. */
#define WS_FLAGS (ENDPOINT_DATABASE | ENDPOINT_LENIENT | ENDPOINT_NO_SLASH | ENDPOINT_SUFFIX)
#define WS_SERVICE .flags = WS_FLAGS, .allow = "GET", .fail = ws_fail

#endif
