#include "decode.h"

#include "obstream/core/civil.h"
#include "obstream/core/strutil.h"

/* From 1970-01-01 to 2000-01-01, where PostgreSQL counts from. */
enum { EPOCH_DAYS = 10957 };
static const int64_t EPOCH_USEC = EPOCH_DAYS * USEC_PER_DAY;

static bool decode_bool(char *p, uint32_t len, struct cell *out)
{
    (void)len;
    *out = (struct cell){ .type = CELL_BOOL, .i = *p != 0 };
    return true;
}

static bool decode_int2(char *p, uint32_t len, struct cell *out)
{
    (void)len;
    *out = cell_int((int16_t)load16(p));
    return true;
}

static bool decode_int4(char *p, uint32_t len, struct cell *out)
{
    (void)len;
    *out = cell_int((int32_t)load32(p));
    return true;
}

static bool decode_int8(char *p, uint32_t len, struct cell *out)
{
    (void)len;
    *out = cell_int((int64_t)load64(p));
    return true;
}

static bool decode_float4(char *p, uint32_t len, struct cell *out)
{
    (void)len;
    uint32_t bits = load32(p);
    *out = (struct cell){ .type = CELL_FLOAT4 };
    memcpy(&out->f4, &bits, sizeof(bits));
    return true;
}

static bool decode_float8(char *p, uint32_t len, struct cell *out)
{
    (void)len;
    uint64_t bits = load64(p);
    *out = (struct cell){ .type = CELL_FLOAT8 };
    memcpy(&out->f8, &bits, sizeof(bits));
    return true;
}

static bool decode_text(char *p, uint32_t len, struct cell *out)
{
    *out = cell_text(p, len);
    return true;
}

/* The last finite timestamp of PostgreSQL, in the year 294276, lies past the end of 64 bits
 * counted from 1970. */
static bool decode_timestamptz(char *p, uint32_t len, struct cell *out)
{
    (void)len;
    int64_t v = (int64_t)load64(p);
    if (v != INT64_MAX && v != INT64_MIN && __builtin_add_overflow(v, EPOCH_USEC, &v))
        v = INT64_MAX - 1;
    *out = (struct cell){ .type = CELL_INSTANT, .i = v };
    return true;
}

static bool decode_date(char *p, uint32_t len, struct cell *out)
{
    (void)len;
    int32_t v = (int32_t)load32(p);
    int64_t days = v == INT32_MAX ? INT64_MAX : v == INT32_MIN ? INT64_MIN : v + EPOCH_DAYS;
    *out = (struct cell){ .type = CELL_DAY, .i = days };
    return true;
}

/* Microseconds, days, months. */
static bool decode_interval(char *p, uint32_t len, struct cell *out)
{
    (void)len;
    int64_t usec = (int64_t)load64(p), days = (int32_t)load32(p + 8);
    days += 30 * (int64_t)(int32_t)load32(p + 12);
    int64_t whole, sum;
    if (__builtin_mul_overflow(days, USEC_PER_DAY, &whole))
        sum = days > 0 ? INT64_MAX - 1 : INT64_MIN + 1;
    else if (__builtin_add_overflow(whole, usec, &sum))
        sum = usec > 0 ? INT64_MAX - 1 : INT64_MIN + 1;
    *out = (struct cell){ .type = CELL_INTERVAL, .i = sum };
    return true;
}

/* Dimensions, flags, element type, size and lower bound per dimension, then length and bytes of
 * each element. The joined text is written over the elements: a blank is shorter than a length. */
static bool decode_array(char *p, uint32_t len, struct cell *out)
{
    if (len < 12 || load32(p) > 6 || len < 12 + 8 * load32(p))
        return false;
    char *end = p + len, *text = p + 12 + 8 * load32(p), *to = text;
    for (p = text; p < end;) {
        if (end - p < 4)
            return false;
        int32_t n = (int32_t)load32(p);
        p += 4;
        if (n == -1)
            continue;
        if (n < 0 || n > end - p)
            return false;
        if (to != text)
            *to++ = ' ';
        memmove(to, p, (size_t)n);
        to += n;
        p += n;
    }
    *out = cell_text(text, (uint32_t)(to - text));
    return true;
}

/* What is most frequent in the tables comes first. */
static const struct copy_decoder decoders[] = {
    { OID_FLOAT4, 4, decode_float4 },    { OID_VARCHAR, 0, decode_text },
    { OID_BPCHAR, 0, decode_text },      { OID_INT4, 4, decode_int4 },
    { OID_INT2, 2, decode_int2 },        { OID_TIMESTAMPTZ, 8, decode_timestamptz },
    { OID_DATE, 4, decode_date },        { OID_BOOL, 1, decode_bool },
    { OID_TEXT, 0, decode_text },        { OID_FLOAT8, 8, decode_float8 },
    { OID_INT8, 8, decode_int8 },        { OID_VARCHAR_ARRAY, 0, decode_array },
    { OID_TEXT_ARRAY, 0, decode_array }, { OID_INTERVAL, 16, decode_interval },
};

const struct copy_decoder *decoder_find(Oid oid)
{
    for (size_t i = 0; i < ARRAY_SIZE(decoders); i++) {
        if (decoders[i].oid == oid)
            return &decoders[i];
    }
    return NULL;
}
