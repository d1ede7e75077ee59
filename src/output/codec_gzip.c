/* Member format: RFC 1952. Blocks: RFC 1951, section 3.2. */
#include "codec_gzip.h"

#include "obstream/output/codec.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEVEL_FAST = 1,
    LEVEL_BEST = 9,
    STORED_MAX = 65535,
    STORED_HEAD = 5,
};

#ifdef HAVE_ISAL
static const struct deflater *const fast_deflater = &deflater_isal;
#else
static const struct deflater *const fast_deflater = &deflater_zlib;
#endif

struct coder {
    const struct deflater *deflater;
    void *work;
    struct chunk_list *out;
    struct plain_sum *sum;
    bool failed;
};

static struct coder *gzip_new(int level)
{
    struct coder *c = calloc(1, sizeof(*c));
    if (c == NULL)
        return NULL;
    if (level < 0)
        level = LEVEL_FAST;
    if (level > LEVEL_BEST)
        level = LEVEL_BEST;
    c->deflater = level == LEVEL_FAST ? fast_deflater : &deflater_zlib;
    c->work = c->deflater->work_new(level);
    if (c->work == NULL) {
        free(c);
        return NULL;
    }
    return c;
}

static void gzip_free(struct coder *c)
{
    if (c == NULL)
        return;
    c->deflater->work_free(c->work);
    free(c);
}

static void gzip_begin(struct coder *c, struct chunk_list *out, struct plain_sum *sum)
{
    c->out = out;
    c->sum = sum;
    *sum = (struct plain_sum){ 0 };
    c->failed = !c->deflater->reset(c->work);
}

static void gzip_write(struct coder *c, const void *p, size_t n)
{
    const unsigned char *from = p;
    while (n > 0 && !c->failed) {
        size_t part = n < DEFLATER_PIECE ? n : DEFLATER_PIECE;
        c->sum->crc = c->deflater->crc(c->sum->crc, from, part);
        c->sum->bytes += part;
        c->failed = !c->deflater->write(c->work, from, part, c->out);
        from += part;
        n -= part;
    }
}

static bool gzip_end(struct coder *c)
{
    /* A segment without bytes stays without bytes. */
    if (!c->failed && c->sum->bytes > 0)
        c->failed = !c->deflater->flush(c->work, c->out);
    return !c->failed && !c->out->failed;
}

static void gzip_open(struct chunk_list *out)
{
    /* clang-format off */
    static const unsigned char head[10] = {
        0x1f, 0x8b, /* magic */
        8,          /* deflate */
        0,          /* no flags */
        0, 0, 0, 0, /* no time: equal answers are equal bytes */
        0, 255,     /* neither best nor fastest, unknown system */
    };
    /* clang-format on */
    chunk_list_add(out, head, sizeof(head));
}

static void gzip_literal(struct chunk_list *out, struct plain_sum *sum, const void *p, size_t n)
{
    const unsigned char *from = p;
    sum->crc = n == 0 ? sum->crc : fast_deflater->crc(sum->crc, p, n);
    sum->bytes += n;
    while (n > 0) {
        unsigned len = n < STORED_MAX ? (unsigned)n : STORED_MAX;
        const unsigned char head[STORED_HEAD] = {
            0, /* not the last block, stored; the rest of the byte is padding */
            (unsigned char)len,
            (unsigned char)(len >> 8),
            (unsigned char)~len,
            (unsigned char)(~len >> 8),
        };
        chunk_list_add(out, head, sizeof(head));
        chunk_list_add(out, from, len);
        from += len;
        n -= len;
    }
}

static void gzip_close(struct chunk_list *out, const struct plain_sum *sum)
{
    /* Last block, fixed codes, end of block at once; then CRC and ISIZE. */
    unsigned char tail[10] = { 3, 0 };
    uint32_t size = (uint32_t)sum->bytes; /* ISIZE is modulo 2^32 */
    for (int i = 0; i < 4; i++) {
        tail[2 + i] = (unsigned char)(sum->crc >> (8 * i));
        tail[6 + i] = (unsigned char)(size >> (8 * i));
    }
    chunk_list_add(out, tail, sizeof(tail));
}

const struct codec codec_gzip = {
    .name = "gzip",
    .alias = "x-gzip",
    .library = DEFLATER_FAST_LIBRARY,
    .coder_new = gzip_new,
    .coder_free = gzip_free,
    .begin = gzip_begin,
    .write = gzip_write,
    .end = gzip_end,
    .open = gzip_open,
    .literal = gzip_literal,
    .close = gzip_close,
};
