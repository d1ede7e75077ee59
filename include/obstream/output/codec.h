/*
 * Codecs (content codings) turn the plain bytes of segments into the bytes that are sent. A
 * segment is coded on its own, so that segments can be made by several workers, kept and joined:
 *
 *     answer = codec->open()  literal(head)  segment...  codec->close(crc, length)
 *
 * gzip: one member; a segment is raw deflate that starts with an empty window and ends byte
 * aligned (full flush); separators and other short literals are stored blocks; the checksum of the
 * whole comes from the segments' by crc32_combine.
 *
 * A coder is the working memory of one worker for one codec: made once, used for one segment
 * after the other.
 */
#ifndef OBSTREAM_OUTPUT_CODEC_H
#define OBSTREAM_OUTPUT_CODEC_H

#include "obstream/core/err.h"
#include "obstream/output/chunk.h"

/* Running sum of plain bytes. */
struct plain_sum {
    uint32_t crc; /* CRC-32 as in gzip; kept by every codec that needs it, else 0 */
    uint64_t bytes;
};

struct coder;

struct codec {
    const char *name;    /* identity, gzip, zstd: the Content-Encoding token */
    const char *alias;   /* x-gzip, or NULL */
    const char *library; /* what does the work: "ISA-L 2.30", "zlib 1.2.13" */
    /* NULL when memory is exhausted. Level 0 to 9 as in zlib, -1 for the fastest that compresses; a
     * codec without levels takes any. */
    struct coder *(*coder_new)(int level);
    void (*coder_free)(struct coder *c);
    /* begin, write..., end code one segment into `out` and its plain sum into `sum`. */
    void (*begin)(struct coder *c, struct chunk_list *out, struct plain_sum *sum);
    void (*write)(struct coder *c, const void *p, size_t n);
    bool (*end)(struct coder *c); /* false: memory exhausted or the library failed */
    /* Parts of the joined answer, appended to `out`. */
    void (*open)(struct chunk_list *out);
    void (*literal)(struct chunk_list *out, struct plain_sum *sum, const void *p, size_t n);
    void (*close)(struct chunk_list *out, const struct plain_sum *sum);
};

extern const struct codec codec_identity, codec_gzip;

/* All codecs that are built in, NULL-terminated, best first. */
extern const struct codec *const codecs[];

/* Adds the sum of a segment to that of what came before it. */
void plain_sum_join(struct plain_sum *sum, const struct plain_sum *segment);

#endif
