/*
 * Data frames: rows under named columns, written as pandas and GDAL write them.
 *
 *   json     `orient=table`: an object with the schema of the columns and the rows, each with its
 *            number as `index`; texts as \u escapes, / as \/, numbers to 10 decimals
 *   txt      CSV with LF, missing values empty, True and False, 4.0 for whole numbers in a column
 *            that has missing ones
 *   geojson  a FeatureCollection as GDAL's GeoJSON driver prints it, one feature per line
 *
 * What a column is in the schema depends on its values (frame_dtypes()): whole numbers become
 * floating ones when any is missing, and a column without any value is an object column. A frame
 * is either held whole (struct frame_rows) or streamed by the encoders of frame_plan.c, once the
 * number of rows and of values per column have been counted.
 *
 * Sources: pandas "Table schema" (pandas-dev, io.rst) and its ujson encoder, GDAL's GeoJSON driver
 * documentation, and the recorded answers.
 */
#ifndef OBSTREAM_SRC_COMPAT_FRAME_H
#define OBSTREAM_SRC_COMPAT_FRAME_H

#include "obstream/core/buf.h"
#include "obstream/core/arena.h"
#include "obstream/query/cell.h"

enum frame_kind {
    FRAME_TEXT,
    FRAME_FLOAT, /* of float4, float8 or int cells */
    FRAME_INT,
    FRAME_BOOL,
    FRAME_STAMP,  /* instant: 2024-06-01T12:00:00Z; also of days */
    FRAME_MINUTE, /* instant: 2024-06-01T12:00Z */
    FRAME_LOCAL,  /* a local time as if it were an instant: 2024-06-01T07:00 */
    FRAME_DAY,    /* 2024-06-01 */
    FRAME_HOUR,   /* instant: its hour, 07 */
    FRAME_INTERVAL,
};

enum frame_flag {
    FRAME_STRING = 1, /* a text column even when all values are missing */
    FRAME_NUMBER = 2, /* a floating column likewise */
};

struct frame_column {
    const char *name;
    enum frame_kind kind;
    unsigned flags;
    unsigned width; /* texts are padded with blanks to so many bytes, as char(n) is */
};

enum frame_dtype { DTYPE_OBJECT, DTYPE_STR, DTYPE_FLOAT, DTYPE_INT, DTYPE_BOOL, DTYPE_TIMEDELTA };

enum frame_format { FRAME_JSON, FRAME_TXT, FRAME_GEOJSON };

/* Cell i of a row belongs to column i; the geometry's cells come after them. */
struct frame {
    enum frame_format format;
    const struct frame_column *columns;
    unsigned count;
    enum frame_dtype *dtypes; /* of each column */
    uint64_t rows;            /* in all */
    bool outline;             /* the geometry is one text cell of WKT, else lon and lat */
    uint64_t layer[2];        /* the random name GDAL gives the layer */
};

extern const char *const frame_mimes[];      /* by format */
extern const char *const frame_separators[]; /* between rows */

/* The dtypes from how many values each column has. */
void frame_dtypes(struct frame *f, const uint64_t *values);

void frame_head(const struct frame *f, struct buf *out);
void frame_row(const struct frame *f, uint64_t index, const struct cell *cells, struct buf *out);
void frame_tail(const struct frame *f, struct buf *out);

/* Rows held whole: cells and texts are copied. */
struct frame_rows {
    struct arena arena;
    struct cell *cells;
    unsigned width; /* cells of a row */
    size_t count, cap;
};

enum { FRAME_MEMORY = 512 << 20 }; /* bytes of texts of one frame held whole */

void frame_rows_init(struct frame_rows *r, unsigned width);
void frame_rows_release(struct frame_rows *r);
/* False, and arena.failed, when memory is exhausted; also a row function for query_rows(). */
bool frame_rows_add(void *rows, const struct cell *cells);

/* Counts, decides the dtypes (f->dtypes has room for f->count) and writes the whole; emit() takes
 * the bytes of `out`, which it may clear. */
void frame_write(struct frame *f, const struct frame_rows *r, struct buf *out,
                 void (*emit)(void *ctx, struct buf *out), void *ctx);

/* --- texts of values (frame_text.c) --- */

void frame_put_number(struct buf *out, double v); /* pandas JSON: at most 10 decimals; null */
void frame_put_gdal(struct buf *out, double v);   /* GDAL property: 17 digits unless 15 say it */
void frame_put_coordinate(struct buf *out, double v);
/* A JSON string of ASCII: other characters as \u escapes in small letters. */
void frame_put_ascii(struct buf *out, const char *s, size_t len, bool escape_slash);
/* PostGIS: the shortest decimal digits, cut to `decimals` (ties to even), no zeros at the end. */
void frame_put_rounded(struct buf *out, double v, int decimals);
/* A POLYGON or MULTIPOLYGON as GeoJSON geometry, null for anything else. `spaced`: as Python's json
 * module prints what PostGIS gave (9 decimals), else as GDAL does. */
void frame_put_wkt(struct buf *out, const char *wkt, size_t len, bool spaced);
void frame_put_interval(struct buf *out, int64_t usec);     /* 1 days 02:03:04 */
void frame_put_interval_iso(struct buf *out, int64_t usec); /* P1DT2H3M4S */

#endif
