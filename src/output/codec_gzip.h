/*
 * What codec_gzip asks of a deflate library: raw deflate (RFC 1951) of one segment after the other,
 * each with an empty window at its begin and a byte-aligned end that is not the end of the stream.
 */
#ifndef OBSTREAM_SRC_OUTPUT_CODEC_GZIP_H
#define OBSTREAM_SRC_OUTPUT_CODEC_GZIP_H

#include "obstream/output/chunk.h"

#ifdef HAVE_ISAL
#include <isa-l.h>
#define DEFLATER_QUOTE(x) #x
#define DEFLATER_TEXT(x) DEFLATER_QUOTE(x)
#define DEFLATER_FAST_LIBRARY                                                                      \
    "ISA-L " DEFLATER_TEXT(ISAL_MAJOR_VERSION) "." DEFLATER_TEXT(ISAL_MINOR_VERSION)
#else
#include <zlib.h>
#define DEFLATER_FAST_LIBRARY "zlib " ZLIB_VERSION
#endif

struct deflater {
    void *(*work_new)(int level); /* NULL when memory is exhausted */
    void (*work_free)(void *work);
    bool (*reset)(void *work);
    /* n is at most DEFLATER_PIECE; false when the library failed or `out` did. */
    bool (*write)(void *work, const void *p, size_t n, struct chunk_list *out);
    bool (*flush)(void *work, struct chunk_list *out);
    uint32_t (*crc)(uint32_t crc, const void *p, size_t n);
};

enum { DEFLATER_PIECE = 1 << 30 };

extern const struct deflater deflater_zlib;
#ifdef HAVE_ISAL
extern const struct deflater deflater_isal;
#endif

#endif
