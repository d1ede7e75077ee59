/*
 * Lists of fixed-size blocks that hold finished bytes. Blocks come from one process-wide free list
 * (thread-safe), so that hundreds of answers in flight neither fragment the heap nor copy.
 */
#ifndef OBSTREAM_OUTPUT_CHUNK_H
#define OBSTREAM_OUTPUT_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHUNK_SIZE = 32 << 10, CHUNK_KEEP = 256 }; /* bytes of a block; free blocks kept */

struct chunk {
    struct chunk *next;
    uint32_t pos, len; /* data[pos] to data[len - 1] are still in the list */
    unsigned char data[CHUNK_SIZE];
};

struct chunk_list {
    struct chunk *first, *last;
    uint64_t bytes;
    bool failed; /* sticky, as in buf.h */
};

#define CHUNK_LIST_INIT ((struct chunk_list){ 0 })

void chunk_list_release(struct chunk_list *l); /* gives the blocks back; empty afterwards */
void chunk_list_add(struct chunk_list *l, const void *p, size_t n);

/* Room at the end for a writer: *room bytes at the result (at least 1), or NULL when memory is
 * exhausted; then chunk_list_advance() says how many were used. */
unsigned char *chunk_list_tail(struct chunk_list *l, size_t *room);
void chunk_list_advance(struct chunk_list *l, size_t n);

/* Takes up to n bytes from the front into p; returns how many. */
size_t chunk_list_take(struct chunk_list *l, void *p, size_t n);

/* Moves all blocks of `from` behind those of `to`. */
void chunk_list_append(struct chunk_list *to, struct chunk_list *from);

/* For tests and metrics: blocks now in use by lists. */
uint64_t chunk_in_use(void);

#endif
