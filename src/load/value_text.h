/* The longer conversions of value.c: times, intervals, texts, arrays. Internal to the loader. */
#ifndef OBSTREAM_LOAD_VALUE_TEXT_H
#define OBSTREAM_LOAD_VALUE_TEXT_H

#include "obstream/core/buf.h"

bool value_interval(const char *s, size_t len, int64_t *usec, int32_t *days, int32_t *months);

/* NULL, or what is wrong with the text. */
const char *value_whole(const char *s, size_t len, int64_t min, int64_t max, int64_t *v);
const char *value_encode_text(unsigned size, const char *s, size_t len, struct buf *out);
const char *value_encode_array(bool numbers, const char *s, size_t len, struct buf *out);

#endif
