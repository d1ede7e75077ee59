/*
 * Text to the binary form COPY takes, one value at a time, with every check the server would make:
 * so a COPY never fails on data. Internal to the loader.
 *
 * A value is appended as a big-endian 32-bit length and its bytes (PostgreSQL manual, "COPY", file
 * formats, binary); the bytes are those of the types' send functions.
 */
#ifndef OBSTREAM_LOAD_VALUE_H
#define OBSTREAM_LOAD_VALUE_H

#include "obstream/core/buf.h"

enum value_type {
    VALUE_ID,   /* text that also is an id: only characters the server can be asked for */
    VALUE_TEXT, /* varchar(n), or text when the size is 0 */
    VALUE_CHAR, /* char(n): trailing blanks mean nothing */
    VALUE_FLOAT4,
    VALUE_FLOAT8,
    VALUE_INT2,
    VALUE_INT4,
    VALUE_BOOL,
    VALUE_INSTANT,  /* timestamptz; without an offset UTC */
    VALUE_DAY,      /* date; a time after it must be midnight or is cut for none */
    VALUE_INTERVAL, /* "1 day 02:03:04" or ISO 8601 "P1DT2H3M4S" */
    VALUE_TEXTS,    /* varchar[]: {A,B} or blank separated */
    VALUE_INTS,     /* int4[]: likewise */
};

/* Appends the value; else leaves `out` as it was and returns why, in words that follow the quoted
 * value ("is not a number"). `size` is the most characters a text may have, 0: no limit. */
const char *value_encode(enum value_type type, unsigned size, const char *s, size_t len,
                         struct buf *out);

void value_null(struct buf *out);
void value_int(struct buf *out, int64_t v, unsigned bytes); /* of 2, 4 or 8 bytes */

/* Reads back what was appended at `p`: the number, microseconds or days since 1970. */
int64_t value_read_int(const char *p);
int64_t value_read_instant(const char *p);
int64_t value_read_day(const char *p);
int32_t value_length(const char *p); /* -1: null */

/* Texts to instants as above; exposed for tests. */
bool value_instant(const char *s, size_t len, int64_t *usec);

#endif
