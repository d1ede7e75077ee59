/* Joined segments are one gzip member that zlib's inflate reads back byte for byte. With a folder
 * in OBSTREAM_CODEC_DUMP, test_random_splits leaves the members and their plain text there, to be
 * read by other programs. */
#include "obstream/output/codec.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

/* -1 and 1 are ISA-L where it is built in, the others zlib. */
static const int levels[] = { -1, 0, 1, 2, 6, 9 };
enum { LEVELS = sizeof(levels) / sizeof(levels[0]), BIG = 3 << 20 };

struct answer {
    struct chunk_list out;
    struct plain_sum sum;
    unsigned char *plain;
    size_t len, cap;
};

static void remember(struct answer *a, const void *p, size_t n)
{
    if (a->len + n > a->cap) {
        a->cap = 2 * (a->len + n);
        a->plain = realloc(a->plain, a->cap);
        assert_non_null(a->plain);
    }
    if (n > 0)
        memcpy(a->plain + a->len, p, n);
    a->len += n;
}

static void literal(struct answer *a, const struct codec *codec, const void *p, size_t n)
{
    codec->literal(&a->out, &a->sum, p, n);
    remember(a, p, n);
}

/* Codes n bytes as one segment, in pieces of at most `piece`, and joins it to the answer. */
static void segment(struct answer *a, const struct codec *codec, struct coder *coder,
                    const unsigned char *p, size_t n, size_t piece)
{
    struct chunk_list out = CHUNK_LIST_INIT;
    struct plain_sum sum = { 99, 99 };
    codec->begin(coder, &out, &sum);
    for (size_t at = 0; at < n; at += piece)
        codec->write(coder, p + at, n - at < piece ? n - at : piece);
    assert_true(codec->end(coder));
    assert_int_equal(sum.bytes, n);
    if (n == 0)
        assert_int_equal(out.bytes, 0);
    chunk_list_append(&a->out, &out);
    plain_sum_join(&a->sum, &sum);
    remember(a, p, n);
}

static unsigned char *drain(struct chunk_list *l, size_t *len)
{
    *len = l->bytes;
    unsigned char *p = malloc(*len + 1);
    assert_non_null(p);
    assert_int_equal(chunk_list_take(l, p, *len + 1), *len);
    return p;
}

static void dump(const char *suffix, int id, const void *p, size_t n)
{
    char path[512];
    const char *folder = getenv("OBSTREAM_CODEC_DUMP");
    if (folder == NULL)
        return;
    snprintf(path, sizeof(path), "%s/%03d.%s", folder, id, suffix);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Ends the answer, inflates it and compares; returns the coded length. */
static size_t finish_gzip(struct answer *a, int id)
{
    size_t coded_len;
    codec_gzip.close(&a->out, &a->sum);
    assert_false(a->out.failed);
    assert_int_equal(a->sum.bytes, a->len);
    unsigned char *coded = drain(&a->out, &coded_len);
    unsigned char *back = malloc(a->len + 1);
    z_stream z = { .next_in = coded, .avail_in = (uInt)coded_len };
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    z.next_out = back;
    z.avail_out = (uInt)a->len + 1;
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END); /* checks CRC and ISIZE */
    assert_int_equal(z.total_out, a->len);
    assert_int_equal(z.avail_in, 0);
    inflateEnd(&z);
    if (a->len > 0)
        assert_memory_equal(back, a->plain, a->len);
    if (id >= 0) {
        dump("gz", id, coded, coded_len);
        dump("plain", id, a->plain, a->len);
    }
    free(back);
    free(coded);
    free(a->plain);
    return coded_len;
}

/* Lines with much in common, or bytes without any order. */
static unsigned char *make_text(size_t n, bool random, unsigned seed)
{
    unsigned char *p = malloc(n + 128);
    size_t at = 0;
    assert_non_null(p);
    while (at < n && random)
        p[at++] = (unsigned char)(rand_r(&seed) >> 5);
    while (at < n)
        at +=
            (size_t)snprintf((char *)p + at, 128, "KDSM,2024-06-%02dT%02d:54:00Z,%d.%d,%d.0,,0.0\n",
                             1 + rand_r(&seed) % 30, rand_r(&seed) % 24, rand_r(&seed) % 90,
                             rand_r(&seed) % 10, rand_r(&seed) % 360);
    return p;
}

static size_t random_length(unsigned *seed)
{
    switch (rand_r(seed) % 5) {
    case 0:
        return 0;
    case 1:
        return 1 + (size_t)rand_r(seed) % 16;
    case 2:
        return (size_t)rand_r(seed) % 2000;
    case 3:
        return (size_t)rand_r(seed) % 70000;
    default:
        return (size_t)rand_r(seed) % 400000;
    }
}

static void test_random_splits(void **state)
{
    (void)state;
    for (int round = 0; round < 8 * LEVELS; round++) {
        unsigned seed = 77 + (unsigned)round;
        struct coder *coder = codec_gzip.coder_new(levels[round % LEVELS]);
        struct answer a = { 0 };
        unsigned char *text = make_text(400000, round / LEVELS % 4 == 3, seed);
        assert_non_null(coder);
        codec_gzip.open(&a.out);
        literal(&a, &codec_gzip, "{\"data\":[\n", (size_t)rand_r(&seed) % 11);
        for (int i = rand_r(&seed) % 12; i >= 0; i--) {
            size_t piece = rand_r(&seed) % 3 == 0 ? 1 + (size_t)rand_r(&seed) % 500 : 400000;
            segment(&a, &codec_gzip, coder, text, random_length(&seed), piece);
            literal(&a, &codec_gzip, ",\n", (size_t)rand_r(&seed) % 3);
        }
        finish_gzip(&a, round);
        codec_gzip.coder_free(coder);
        free(text);
    }
}

static void test_big_segments(void **state)
{
    (void)state;
    for (int random = 0; random < 2; random++) {
        unsigned char *text = make_text(BIG, random, 5);
        for (int i = 0; i < LEVELS; i++) {
            struct coder *coder = codec_gzip.coder_new(levels[i]);
            struct answer a = { 0 };
            codec_gzip.open(&a.out);
            for (int n = 0; n < 3; n++)
                segment(&a, &codec_gzip, coder, text, BIG, n == 0 ? 32768 : BIG);
            size_t coded = finish_gzip(&a, -1);
            if (!random && levels[i] != 0) /* and it does compress */
                assert_in_range(coded, 1, BIG);
            codec_gzip.coder_free(coder);
        }
        free(text);
    }
}

/* Many lengths of one segment: every way in which the flush can meet the end of a block. */
static void test_every_length(void **state)
{
    unsigned char *text = make_text(1500, true, 3);
    (void)state;
    for (int i = 0; i < LEVELS; i++) {
        struct coder *coder = codec_gzip.coder_new(levels[i]);
        for (size_t n = 0; n < 1500; n += 1 + n / 100) {
            struct answer a = { 0 };
            codec_gzip.open(&a.out);
            segment(&a, &codec_gzip, coder, text, n, 700);
            segment(&a, &codec_gzip, coder, text, n, n + 1);
            finish_gzip(&a, -1);
        }
        codec_gzip.coder_free(coder);
    }
    free(text);
}

/* The coded size passes the end of a chunk and of the coder's own buffer at every distance. */
static void test_block_borders(void **state)
{
    unsigned char *text = make_text(70000, true, 4);
    (void)state;
    for (int i = 0; i < LEVELS; i++) {
        struct coder *coder = codec_gzip.coder_new(levels[i]);
        for (size_t n = 0; n < 48; n++) {
            struct answer a = { 0 };
            codec_gzip.open(&a.out);
            segment(&a, &codec_gzip, coder, text, CHUNK_SIZE - 30 + n, SIZE_MAX / 2);
            segment(&a, &codec_gzip, coder, text, 2 * CHUNK_SIZE - 60 + n, SIZE_MAX / 2);
            segment(&a, &codec_gzip, coder, text, 2 * CHUNK_SIZE - 540 + 12 * n, 20000);
            finish_gzip(&a, -1);
        }
        codec_gzip.coder_free(coder);
    }
    free(text);
}

static void test_literals(void **state)
{
    static const size_t lengths[] = { 0, 1, 65534, 65535, 65536, 131070, 131071, 400000 };
    unsigned char *text = make_text(400000, true, 9);
    (void)state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct answer a = { 0 };
        codec_gzip.open(&a.out);
        literal(&a, &codec_gzip, text, lengths[i]);
        literal(&a, &codec_gzip, "tail", 4);
        finish_gzip(&a, -1);
    }
    free(text);
}

static void test_bytes_of_an_empty_answer(void **state)
{
    static const unsigned char expected[] = {
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    };
    struct chunk_list out = CHUNK_LIST_INIT;
    struct plain_sum sum = { 0 };
    unsigned char got[sizeof(expected) + 1];
    (void)state;
    codec_gzip.open(&out);
    codec_gzip.close(&out, &sum);
    assert_int_equal(chunk_list_take(&out, got, sizeof(got)), sizeof(expected));
    assert_memory_equal(got, expected, sizeof(expected));
}

/* ISIZE is the length modulo 2^32; sums join as if the bytes had been summed at once. */
static void test_sums(void **state)
{
    struct plain_sum all = { 0 }, part;
    struct chunk_list out = CHUNK_LIST_INIT;
    unsigned char got[20];
    (void)state;
    part = (struct plain_sum){ (uint32_t)crc32(0, (const Bytef *)"12345", 5), 5 };
    plain_sum_join(&all, &part);
    part = (struct plain_sum){ (uint32_t)crc32(0, (const Bytef *)"6789", 4), 4 };
    plain_sum_join(&all, &part);
    part = (struct plain_sum){ 0, 0 };
    plain_sum_join(&all, &part);
    assert_int_equal(all.crc, 0xcbf43926); /* the check value of CRC-32 */
    assert_int_equal(all.bytes, 9);
    all.bytes = (UINT64_C(3) << 32) + 0x01020304;
    codec_gzip.close(&out, &all);
    assert_int_equal(chunk_list_take(&out, got, sizeof(got)), 10);
    assert_memory_equal(got, "\x03\x00\x26\x39\xf4\xcb\x04\x03\x02\x01", 10);
}

static void test_failed_output(void **state)
{
    (void)state;
    for (int i = 0; i < LEVELS; i++) {
        struct coder *coder = codec_gzip.coder_new(levels[i]);
        unsigned char *text = make_text(200000, true, 2);
        struct chunk_list bad = { .failed = true };
        struct plain_sum sum;
        struct answer a = { 0 };
        codec_gzip.begin(coder, &bad, &sum);
        codec_gzip.write(coder, text, 200000);
        assert_false(codec_gzip.end(coder));
        assert_int_equal(bad.bytes, 0);
        bad = CHUNK_LIST_INIT;
        codec_gzip.begin(coder, &bad, &sum); /* given up half-way */
        codec_gzip.write(coder, text + 1, 100);
        codec_gzip.write(coder, text, 100000);
        chunk_list_release(&bad);
        codec_gzip.open(&a.out); /* and the coder is of use again */
        segment(&a, &codec_gzip, coder, text, 200000, 200000);
        finish_gzip(&a, -1);
        codec_gzip.coder_free(coder);
        free(text);
    }
}

static void *code_alone(void *arg)
{
    struct coder *coder = codec_gzip.coder_new(*(const int *)arg);
    unsigned char *text = make_text(100000, false, 1);
    for (int i = 0; i < 10; i++) {
        struct answer a = { 0 };
        codec_gzip.open(&a.out);
        segment(&a, &codec_gzip, coder, text, 100000, 30000);
        segment(&a, &codec_gzip, coder, text, 50000, 30000);
        finish_gzip(&a, -1);
    }
    free(text);
    codec_gzip.coder_free(coder);
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[LEVELS];
    uint64_t before = chunk_in_use();
    (void)state;
    for (int i = 0; i < LEVELS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, code_alone, (void *)&levels[i]), 0);
    for (int i = 0; i < LEVELS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(chunk_in_use(), before);
}

static void test_identity(void **state)
{
    struct coder *coder = codec_identity.coder_new(0);
    struct answer a = { 0 };
    size_t len;
    (void)state;
    codec_identity.open(&a.out);
    literal(&a, &codec_identity, "[", 1);
    segment(&a, &codec_identity, coder, (const unsigned char *)"one,two", 7, 3);
    segment(&a, &codec_identity, coder, (const unsigned char *)"", 0, 1);
    literal(&a, &codec_identity, "]", 1);
    codec_identity.close(&a.out, &a.sum);
    assert_int_equal(a.sum.bytes, 9);
    unsigned char *got = drain(&a.out, &len);
    assert_int_equal(len, 9);
    assert_memory_equal(got, "[one,two]", 9);
    free(got);
    free(a.plain);
    codec_identity.coder_free(coder);
}

static void test_table(void **state)
{
    (void)state;
    assert_ptr_equal(codecs[0], &codec_gzip);
    assert_ptr_equal(codecs[1], &codec_identity);
    assert_null(codecs[2]);
    assert_string_equal(codec_gzip.name, "gzip");
    assert_string_equal(codec_gzip.alias, "x-gzip");
    assert_string_equal(codec_identity.name, "identity");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_splits), cmocka_unit_test(test_big_segments),
        cmocka_unit_test(test_every_length),  cmocka_unit_test(test_block_borders),
        cmocka_unit_test(test_literals),      cmocka_unit_test(test_bytes_of_an_empty_answer),
        cmocka_unit_test(test_sums),          cmocka_unit_test(test_failed_output),
        cmocka_unit_test(test_threads),       cmocka_unit_test(test_identity),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
