#include "obstream/output/codec.h"

#include <stdlib.h>

struct coder {
    struct chunk_list *out;
    struct plain_sum *sum;
};

static struct coder *identity_new(int level)
{
    (void)level;
    return calloc(1, sizeof(struct coder));
}

static void identity_free(struct coder *c)
{
    free(c);
}

static void identity_begin(struct coder *c, struct chunk_list *out, struct plain_sum *sum)
{
    c->out = out;
    c->sum = sum;
    *sum = (struct plain_sum){ 0 };
}

static void identity_literal(struct chunk_list *out, struct plain_sum *sum, const void *p, size_t n)
{
    chunk_list_add(out, p, n);
    sum->bytes += n;
}

static void identity_write(struct coder *c, const void *p, size_t n)
{
    identity_literal(c->out, c->sum, p, n);
}

static bool identity_end(struct coder *c)
{
    return !c->out->failed;
}

static void identity_open(struct chunk_list *out)
{
    (void)out;
}

static void identity_close(struct chunk_list *out, const struct plain_sum *sum)
{
    (void)out;
    (void)sum;
}

const struct codec codec_identity = {
    .name = "identity",
    .library = "none",
    .coder_new = identity_new,
    .coder_free = identity_free,
    .begin = identity_begin,
    .write = identity_write,
    .end = identity_end,
    .open = identity_open,
    .literal = identity_literal,
    .close = identity_close,
};
