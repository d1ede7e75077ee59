#include "value.h"

#include "obstream/core/civil.h"
#include "obstream/core/strutil.h"
#include "obstream/query/sql.h"
#include "value_text.h"

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

enum { PG_EPOCH_DAYS = 10957, NUMBER_MAX = 63 }; /* 2000-01-01, where PostgreSQL counts from */

void value_int(struct buf *out, int64_t v, unsigned bytes)
{
    char *p = buf_tail(out, sizeof(uint32_t) + bytes);
    if (p == NULL)
        return;
    uint32_t head = htobe32(bytes);
    uint64_t big = htobe64((uint64_t)v);
    memcpy(p, &head, sizeof(head));
    memcpy(p + sizeof(head), (const char *)&big + (sizeof(big) - bytes), bytes);
    buf_advance(out, p + sizeof(head) + bytes);
}

void value_null(struct buf *out)
{
    static const uint32_t none = UINT32_MAX;
    buf_add(out, &none, sizeof(none));
}

int32_t value_length(const char *p)
{
    uint32_t n;
    memcpy(&n, p, sizeof(n));
    return (int32_t)be32toh(n);
}

int64_t value_read_int(const char *p)
{
    uint32_t bytes = (uint32_t)value_length(p);
    uint64_t v = 0;
    for (uint32_t i = 0; i < bytes; i++)
        v = v << 8 | (unsigned char)p[sizeof(uint32_t) + i];
    unsigned unused = 64 - 8 * bytes;
    return (int64_t)(v << unused) >> unused;
}

int64_t value_read_instant(const char *p)
{
    return value_read_int(p) + PG_EPOCH_DAYS * USEC_PER_DAY;
}

int64_t value_read_day(const char *p)
{
    return value_read_int(p) + PG_EPOCH_DAYS;
}

/* Decimals that a float holds exactly in numerator and power of ten: one rounding, as strtof(). */
static bool float_short(const char *s, size_t len, float *v)
{
    static const float power[] = { 1, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F, 1e6F, 1e7F };
    size_t i = len > 0 && s[0] == '-';
    uint32_t digits = 0;
    size_t count = 0, point = len;
    for (; i < len; i++) {
        if (s[i] == '.' && point == len) {
            point = i;
        } else if (s[i] >= '0' && s[i] <= '9' && count < 7) {
            digits = digits * 10 + (uint32_t)(s[i] - '0');
            count++;
        } else {
            return false;
        }
    }
    if (count == 0 || digits >= 1U << 24)
        return false;
    *v = (float)digits / power[point == len ? 0 : len - point - 1];
    if (s[0] == '-')
        *v = -*v;
    return true;
}

/* The whole text as a number of C's or PostgreSQL's spelling; no hexadecimal. */
static const char *real_parse(const char *s, size_t len, bool narrow, double *v)
{
    char text[NUMBER_MAX + 1], *end;
    if (len == 0 || len > NUMBER_MAX)
        return "is not a number";
    memcpy(text, s, len);
    text[len] = '\0';
    if (text[strspn(text, "+-0123456789.eE")] != '\0' && strcasecmp(text, "nan") != 0 &&
        strcasecmp(text, "infinity") != 0 && strcasecmp(text, "-infinity") != 0)
        return "is not a number";
    errno = 0;
    *v = narrow ? (double)strtof(text, &end) : strtod(text, &end);
    if (*end != '\0' || end == text)
        return "is not a number";
    if (errno == ERANGE && (*v == 0 || isinf(*v)))
        return "is out of range";
    return NULL;
}

static const char *encode_float4(const char *s, size_t len, struct buf *out)
{
    float f;
    if (!float_short(s, len, &f)) {
        double v;
        const char *why = real_parse(s, len, true, &v);
        if (why != NULL)
            return why;
        f = (float)v;
    }
    uint32_t bits;
    memcpy(&bits, &f, sizeof(bits));
    value_int(out, bits, 4);
    return NULL;
}

static const char *encode_float8(const char *s, size_t len, struct buf *out)
{
    double v;
    const char *why = real_parse(s, len, false, &v);
    if (why != NULL)
        return why;
    int64_t bits;
    memcpy(&bits, &v, sizeof(bits));
    value_int(out, bits, 8);
    return NULL;
}

/* Digits with a sign; decimals only when they are zero, as services print integers ("200.00"). */
const char *value_whole(const char *s, size_t len, int64_t min, int64_t max, int64_t *v)
{
    size_t i = len > 0 && (s[0] == '-' || s[0] == '+');
    size_t first = i;
    int64_t n = 0;
    for (; i < len && s[i] >= '0' && s[i] <= '9'; i++) {
        if (n > INT_MAX)
            return "is out of range";
        n = n * 10 + (s[i] - '0');
    }
    if (i == first)
        return "is not a whole number";
    if (i < len && s[i] == '.') {
        for (i++; i < len && s[i] == '0'; i++)
            ;
    }
    if (i < len)
        return "is not a whole number";
    *v = s[0] == '-' ? -n : n;
    return *v < min || *v > max ? "is out of range" : NULL;
}

static const char *encode_int(const char *s, size_t len, unsigned bytes, struct buf *out)
{
    int64_t v;
    const char *why = bytes == 2 ? value_whole(s, len, INT16_MIN, INT16_MAX, &v)
                                 : value_whole(s, len, INT32_MIN, INT32_MAX, &v);
    if (why == NULL)
        value_int(out, v, bytes);
    return why;
}

static const char *encode_bool(const char *s, size_t len, struct buf *out)
{
    static const char *const words[] = { "f", "t", "false", "true", "no",  "yes",
                                         "n", "y", "0",     "1",    "off", "on" };
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        if (strlen(words[i]) == len && strncasecmp(words[i], s, len) == 0) {
            value_int(out, i % 2, 1);
            return NULL;
        }
    }
    return "is neither true nor false";
}

static const char *encode_instant(const char *s, size_t len, struct buf *out)
{
    int64_t usec;
    if (!value_instant(s, len, &usec))
        return "is not a time like 2024-06-01T12:00:00Z";
    value_int(out, usec - PG_EPOCH_DAYS * USEC_PER_DAY, 8);
    return NULL;
}

static const char *encode_day(const char *s, size_t len, struct buf *out)
{
    int64_t usec;
    if (!value_instant(s, len, &usec) || usec % USEC_PER_DAY != 0)
        return "is not a day like 2024-06-01";
    value_int(out, usec / USEC_PER_DAY - PG_EPOCH_DAYS, 4);
    return NULL;
}

static const char *encode_interval(const char *s, size_t len, struct buf *out)
{
    int64_t usec;
    int32_t days, months;
    if (!value_interval(s, len, &usec, &days, &months))
        return "is not an interval like 1 day 02:00:00 or P1DT2H";
    struct { /* interval_send(): no padding */
        uint32_t len;
        uint32_t usec[2];
        uint32_t days, months;
    } wire = { .len = htobe32(16),
               .days = htobe32((uint32_t)days),
               .months = htobe32((uint32_t)months) };
    uint64_t big = htobe64((uint64_t)usec);
    memcpy(wire.usec, &big, sizeof(big));
    buf_add(out, &wire, sizeof(wire));
    return NULL;
}

const char *value_encode(enum value_type type, unsigned size, const char *s, size_t len,
                         struct buf *out)
{
    switch (type) {
    case VALUE_FLOAT4:
        return encode_float4(s, len, out);
    case VALUE_FLOAT8:
        return encode_float8(s, len, out);
    case VALUE_INT2:
        return encode_int(s, len, 2, out);
    case VALUE_INT4:
        return encode_int(s, len, 4, out);
    case VALUE_BOOL:
        return encode_bool(s, len, out);
    case VALUE_INSTANT:
        return encode_instant(s, len, out);
    case VALUE_DAY:
        return encode_day(s, len, out);
    case VALUE_INTERVAL:
        return encode_interval(s, len, out);
    case VALUE_TEXTS:
    case VALUE_INTS:
        return value_encode_array(type == VALUE_INTS, s, len, out);
    case VALUE_ID:
        if (!sql_id_ok(s, len))
            return "is not an id: letters, digits, blanks and _-.:+/#@ are allowed";
        return value_encode_text(size, s, len, out);
    case VALUE_CHAR:
        while (len > 0 && s[len - 1] == ' ')
            len--;
        return value_encode_text(size, s, len, out);
    case VALUE_TEXT:
        break;
    }
    return value_encode_text(size, s, len, out);
}
