/* What the fuzzers share: typed values out of the fuzzer's bytes, and a check that stays. */
#ifndef OBSTREAM_FUZZ_H
#define OBSTREAM_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(what)                                                                                 \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what);                     \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct input {
    const uint8_t *data;
    size_t size;
};

static inline void input_take(struct input *in, void *to, size_t n)
{
    size_t have = n < in->size ? n : in->size;
    memset(to, 0, n);
    if (have > 0)
        memcpy(to, in->data, have);
    in->data += have;
    in->size -= have;
}

static inline uint8_t input_byte(struct input *in)
{
    uint8_t b;
    input_take(in, &b, 1);
    return b;
}

static inline int64_t input_int64(struct input *in)
{
    int64_t v;
    input_take(in, &v, sizeof(v));
    return v;
}

/* What is left as a text in memory of exactly its size; the caller frees it. */
static inline char *input_text(const struct input *in)
{
    char *text = malloc(in->size + 1);
    MUST(text != NULL);
    if (in->size > 0)
        memcpy(text, in->data, in->size);
    text[in->size] = '\0';
    return text;
}

#endif
