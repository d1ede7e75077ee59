/* What the encoders share beyond encoder.h: writers into memory with room made by the caller. */
#ifndef OBSTREAM_SRC_OUTPUT_ENCODER_PRIVATE_H
#define OBSTREAM_SRC_OUTPUT_ENCODER_PRIVATE_H

#include "obstream/core/number.h"
#include "obstream/output/encoder.h"

enum {
    SCALAR_ROOM = NUMBER_ROOM + 16, /* a value that is neither text nor null, and a separator */
    JSON_WIDEST = 6,                /* \u0001: bytes that one byte of text can become */
};

/* Writes a cell that is neither text nor null, at most NUMBER_ROOM bytes; returns the end. */
char *encode_scalar(struct encode_state *st, const struct field *f, const struct cell *c, char *p);

/* Writes a JSON string with quotes, at most JSON_WIDEST * len + 2 bytes; returns the end. */
char *encode_json_text(char *p, const char *s, size_t len);

/* Appends the object of a row: {"name":value,...}. */
void encode_json_object(struct encode_state *st, const struct cell *cells, struct buf *out);

/* Appends ],"rows":N and, when the answer was cut, "truncated":true, and closes the object. */
void encode_json_end(const struct answer_totals *totals, struct buf *out);

static inline char *encode_literal(char *p, const char *s, size_t len)
{
    memcpy(p, s, len);
    return p + len;
}

#endif
