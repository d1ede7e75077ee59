/* ISA-L's stateful deflate at its level 1: four times zlib's level 1 at the same size. */
#ifdef HAVE_ISAL

#include "codec_gzip.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

struct isal_work {
    struct isal_zstream z;
    unsigned char level_buf[ISAL_DEF_LVL1_DEFAULT];
};

static void *work_new(int level)
{
    struct isal_work *w = malloc(sizeof(*w));
    if (w == NULL)
        return NULL;
    isal_deflate_init(&w->z);
    w->z.level = (uint32_t)level;
    w->z.level_buf = w->level_buf;
    w->z.level_buf_size = sizeof(w->level_buf);
    w->z.gzip_flag = IGZIP_DEFLATE;
    return w;
}

static void work_free(void *work)
{
    free(work);
}

static bool work_reset(void *work)
{
    struct isal_work *w = work;
    isal_deflate_reset(&w->z);
    w->z.end_of_stream = 0;
    return true;
}

/* As with zlib, output that is just full may cost one more empty stored block at a flush. It would
 * go on for ever with a room of 5 bytes each time; the next chunk is empty, so it does not. */
static bool run(struct isal_work *w, uint16_t flush, struct chunk_list *out)
{
    w->z.flush = flush;
    do {
        size_t room;
        unsigned char *p = chunk_list_tail(out, &room);
        if (p == NULL)
            return false;
        w->z.next_out = p;
        w->z.avail_out = (uint32_t)room;
        if (isal_deflate(&w->z) != COMP_OK)
            return false;
        chunk_list_advance(out, room - w->z.avail_out);
    } while (w->z.avail_out == 0);
    return w->z.avail_in == 0;
}

static bool work_write(void *work, const void *p, size_t n, struct chunk_list *out)
{
    struct isal_work *w = work;
    w->z.next_in = (uint8_t *)(uintptr_t)p; /* only read */
    w->z.avail_in = (uint32_t)n;
    return run(w, NO_FLUSH, out);
}

static bool work_flush(void *work, struct chunk_list *out)
{
    struct isal_work *w = work;
    w->z.next_in = NULL;
    w->z.avail_in = 0;
    return run(w, FULL_FLUSH, out);
}

static uint32_t crc(uint32_t sum, const void *p, size_t n)
{
    return crc32_gzip_refl(sum, p, n);
}

const struct deflater deflater_isal = {
    .work_new = work_new,
    .work_free = work_free,
    .reset = work_reset,
    .write = work_write,
    .flush = work_flush,
    .crc = crc,
};

#else
/* ISO C forbids an empty translation unit. */
extern const int deflater_isal_absent;
#endif
