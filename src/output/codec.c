#include "obstream/output/codec.h"

#include <zlib.h>

const struct codec *const codecs[] = { &codec_gzip, &codec_identity, NULL };

void plain_sum_join(struct plain_sum *sum, const struct plain_sum *segment)
{
    sum->crc = (uint32_t)crc32_combine(sum->crc, segment->crc, (z_off_t)segment->bytes);
    sum->bytes += segment->bytes;
}
