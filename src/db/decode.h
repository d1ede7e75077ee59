/* Decoding one value of PostgreSQL's binary format, by type; internal to db. */
#ifndef OBSTREAM_DB_DECODE_H
#define OBSTREAM_DB_DECODE_H

#include "obstream/db/copy.h"

#include <endian.h>
#include <string.h>

struct copy_decoder {
    Oid oid;
    uint32_t width; /* bytes of a value; 0: any number */
    /* `p` holds len bytes, which may be changed; false: not a value of this type */
    bool (*decode)(char *p, uint32_t len, struct cell *out);
};

const struct copy_decoder *decoder_find(Oid oid); /* NULL: there is none */

static inline uint16_t load16(const char *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof(v));
    return be16toh(v);
}

static inline uint32_t load32(const char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof(v));
    return be32toh(v);
}

static inline uint64_t load64(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof(v));
    return be64toh(v);
}

#endif
