/*
 * Encoded rows on their way to the database: the tuples of a binary COPY, and what they cover.
 * Internal to the loader.
 */
#ifndef OBSTREAM_LOAD_BATCH_H
#define OBSTREAM_LOAD_BATCH_H

#include "obstream/core/buf.h"
#include "plan.h"

enum { BATCH_ROW_DEAD = 1U << 31, BATCH_ROWS_MAX = 1 << 17, ID_ROOM = 72 };

struct batch_span { /* the time the rows of one id cover */
    char id[ID_ROOM];
    unsigned char len;
    int64_t from, to; /* microseconds, both included */
};

struct batch {
    struct buf rows;
    uint32_t *starts; /* offset of each tuple; BATCH_ROW_DEAD: a later row has its key */
    uint64_t *hashes; /* of its key */
    uint32_t count, cap;
    uint32_t *slots; /* hash table of row numbers + 1; twice cap, a power of two */
    struct batch_span *spans;
    uint32_t span_count, span_cap;
    uint32_t *span_slots; /* hash table of span numbers + 1; twice span_cap */
    uint32_t *parts;      /* partitions the rows fall into, see batch_part_* */
    uint32_t part_count, part_cap;
    int64_t from, to;              /* over all spans */
    uint64_t superseded, repeated; /* rows of this batch that a later one replaced, or equalled */
    int year_max;                  /* a later one is taken for a misreading */
    bool failed;                   /* out of memory */
};

void batch_init(struct batch *b);
void batch_release(struct batch *b);
void batch_clear(struct batch *b); /* keeps the memory */

/* Takes the tuple that starts at `start` of b->rows, whose slot i stands at at[i]. NULL, or why
 * the row cannot be stored (*slot is to blame); then the tuple is to be cut off again. */
const char *batch_add(struct batch *b, const struct plan *p, uint32_t start, const uint32_t *at,
                      int *slot);

/* Where the slots of the tuple at `start` stand; returns where it ends. */
uint32_t batch_offsets(const struct batch *b, const struct plan *p, uint32_t start, uint32_t *at);

/* Calls put() with the live tuples, in pieces; false as soon as put() is. */
bool batch_each(const struct batch *b, bool (*put)(void *ctx, const char *bytes, size_t len),
                void *ctx);
uint32_t batch_live(const struct batch *b);

/* A partition as a number: year * 12 + month - 1, or two characters of an id. */
static inline uint32_t batch_part_prefix(const char *id)
{
    return (uint32_t)(unsigned char)id[0] << 8 | (unsigned char)id[1];
}

#endif
