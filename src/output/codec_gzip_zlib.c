#include "codec_gzip.h"

#include <stdlib.h>
#include <zlib.h>

enum { RAW_WINDOW = -15, MEM_LEVEL = 9 }; /* negative: neither zlib nor gzip wrapper */

static void *work_new(int level)
{
    z_stream *z = calloc(1, sizeof(*z));
    if (z == NULL)
        return NULL;
    if (deflateInit2(z, level, Z_DEFLATED, RAW_WINDOW, MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(z);
        return NULL;
    }
    return z;
}

static void work_free(void *work)
{
    deflateEnd(work); /* Z_DATA_ERROR only says that a segment was given up half-way */
    free(work);
}

static bool work_reset(void *work)
{
    return deflateReset(work) == Z_OK;
}

/* zlib asks to be called again as long as it fills the output. When a flush ends just at the end of
 * a block that costs one more empty stored block. */
static bool run(z_stream *z, int flush, struct chunk_list *out)
{
    do {
        size_t room;
        unsigned char *p = chunk_list_tail(out, &room);
        if (p == NULL)
            return false;
        z->next_out = p;
        z->avail_out = (uInt)room;
        int rc = deflate(z, flush);
        chunk_list_advance(out, room - z->avail_out);
        if (rc != Z_OK && rc != Z_BUF_ERROR)
            return false;
    } while (z->avail_out == 0);
    return z->avail_in == 0;
}

static bool work_write(void *work, const void *p, size_t n, struct chunk_list *out)
{
    z_stream *z = work;
    z->next_in = (z_const Bytef *)p;
    z->avail_in = (uInt)n;
    return run(z, Z_NO_FLUSH, out);
}

static bool work_flush(void *work, struct chunk_list *out)
{
    z_stream *z = work;
    z->next_in = Z_NULL;
    z->avail_in = 0;
    return run(z, Z_FULL_FLUSH, out);
}

static uint32_t crc(uint32_t sum, const void *p, size_t n)
{
    return (uint32_t)crc32_z(sum, p, n);
}

const struct deflater deflater_zlib = {
    .work_new = work_new,
    .work_free = work_free,
    .reset = work_reset,
    .write = work_write,
    .flush = work_flush,
    .crc = crc,
};
