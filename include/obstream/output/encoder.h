/*
 * Encoders turn rows of cells into bytes. One file per format, one row in encoders[].
 *
 * The bytes of a segment do not depend on its place in the answer, so that segments can be made in
 * any order, kept and joined: an answer is  head, segment, separator, segment, ..., tail  where
 * segments without rows (and the separator beside them) are left out.
 *
 *     encoder->head(shape, out)              once
 *     encoder->row(&state, cells, out)       for each row of each segment; the encoder itself puts
 *                                            its separator before every row but a segment's first
 *     encoder->tail(shape, &totals, out)     once
 *
 * Appending to `out` cannot fail visibly (see buf.h), hence no error handling here. `struct
 * encode_state` is initialised per segment by encode_begin() and belongs to one thread.
 */
#ifndef OBSTREAM_OUTPUT_ENCODER_H
#define OBSTREAM_OUTPUT_ENCODER_H

#include "obstream/core/buf.h"
#include "obstream/output/document.h"

struct encode_state {
    const struct shape *shape;
    uint64_t rows; /* encoded so far in this segment; the caller counts after each row() */
    /* Caches: neighbouring rows share a day and an offset. */
    int64_t day;
    char day_text[16];
    unsigned char day_len;
    int64_t zone_since, zone_until; /* offset below holds in [since, until) */
    int32_t zone_offset;
};

struct answer_totals {
    uint64_t rows;
    bool truncated; /* `limit` cut the answer */
};

struct encoder {
    const char *name; /* value of format= and path suffix */
    const char *mime; /* with its charset */
    const char *extension;
    const char *separator; /* between segments that have rows; "" for line formats */
    const char *help;
    bool needs_position;                   /* reads shape.lon_cell and lat_cell */
    const struct document_class *document; /* makes the file from the rows; NULL: the rows are it */
    void (*head)(const struct shape *shape, struct buf *out);
    void (*row)(struct encode_state *st, const struct cell *cells, struct buf *out);
    void (*tail)(const struct shape *shape, const struct answer_totals *totals, struct buf *out);
};

extern const struct encoder encoder_csv, encoder_tsv, encoder_json, encoder_ndjson, encoder_geojson,
    encoder_table, encoder_xlsx;

/* All encoders, NULL-terminated, in the order in which they are offered. */
extern const struct encoder *const encoders[];

const struct encoder *encoder_find(const char *name); /* NULL when unknown */
void encode_begin(struct encode_state *st, const struct shape *shape);

/* The parts that formats share: the plain text of a cell (numbers, instants, converted values),
 * without quoting, and the cell of a field. A null cell must not be passed to encode_value(). */
void encode_value(struct encode_state *st, const struct field *f, const struct cell *c,
                  struct buf *out);
bool encode_is_trace(const struct field *f, const struct cell *c);

/* A JSON string with quotes: escapes ", \, control characters, and replaces bytes that are not
 * UTF-8 by U+FFFD. */
void encode_json_string(struct buf *out, const char *s, size_t len);

#endif
