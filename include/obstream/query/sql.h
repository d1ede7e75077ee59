/*
 * The only place that makes SQL text. COPY carries no bound parameters, hence no user text ever
 * reaches SQL: values are typed, ids and keys are checked against a fixed alphabet, and anything
 * else marks the buffer failed, so that the statement is never sent.
 */
#ifndef OBSTREAM_QUERY_SQL_H
#define OBSTREAM_QUERY_SQL_H

#include "obstream/core/buf.h"

/* Text from our own source code or from the layout (already quoted there). */
void sql_text(struct buf *b, const char *text);

void sql_int(struct buf *b, int64_t v);
void sql_float4(struct buf *b, double v);      /* finite as float4: compares with a real column */
void sql_float8(struct buf *b, double v);      /* finite only */
void sql_instant(struct buf *b, int64_t usec); /* TIMESTAMPTZ '...'; years 1..9999 */
void sql_day(struct buf *b, int64_t days);     /* DATE '...' */

/* A quoted id: letters, digits, blank and _-.:+/#@ up to 64 characters. */
void sql_id(struct buf *b, const char *id, size_t len);

/* A quoted LIKE pattern of a SHEF key: letters and digits, `*` for any text; up to 16 characters.
 */
void sql_key_pattern(struct buf *b, const char *pattern);

/* `column IN ('a', 'b')`, or `column = 'a'` for one; none is a failure. */
void sql_id_in(struct buf *b, const char *column, const char *const *ids, size_t count);

bool sql_id_ok(const char *id, size_t len);
bool sql_key_pattern_ok(const char *pattern);

#endif
