/*
 * The end of a segment's rows: encodes cells, compresses, and knows where the last complete
 * station and time ended, so that a segment can be closed there. Rows equal in station and time are
 * put in the order of their text: databases give them in any order, and an answer should be the
 * same every time it is asked for.
 *
 * A sink belongs to one worker and is used for one segment after the other.
 */
#ifndef OBSTREAM_STREAM_SINK_H
#define OBSTREAM_STREAM_SINK_H

#include "obstream/stream/plan.h"

/* The encoded and compressed part of an answer that one query yields. */
struct segment {
    struct segment *next;
    uint32_t seq, part; /* place in the answer */
    bool last_part;     /* no further part of this place follows */
    bool truncated;     /* the row limit cut here */
    uint64_t rows;
    uint64_t fetched; /* rows of the database: more than `rows` where they are pivoted */
    struct plain_sum sum;
    struct chunk_list bytes;
};

enum { SINK_CODERS = 4 };

struct sink {
    const struct plan *plan;
    struct segment *segment;
    struct encode_state encode;
    struct buf plain;
    struct coder *coder;
    struct { /* coders of this worker, made when first used */
        const struct codec *codec;
        int level;
        struct coder *coder;
    } coders[SINK_CODERS];
    uint64_t remaining; /* rows that may still be encoded */
    size_t mark;        /* plain bytes of complete groups */
    uint64_t marked_rows;
    bool in_group;
    char station[STATION_ROOM]; /* of the group being filled */
    uint32_t station_len;
    int64_t time;
    size_t *starts; /* where the rows of this group begin in `plain` */
    uint32_t start_count, start_cap;
    struct buf sorted;
    bool have_done; /* a group was completed: the position of the last one */
    char done_station[STATION_ROOM];
    int64_t done_time;
    struct err err;
};

void sink_init(struct sink *s);
void sink_release(struct sink *s);

/* Starts a segment of at most `remaining` rows; takes a new empty segment. */
bool sink_begin(struct sink *s, const struct plan *p, struct segment *seg, uint64_t remaining,
                struct err *e) MUST_CHECK;

/* False: no further row is wanted (the limit is reached, or something failed: see err). */
bool sink_row(struct sink *s, const struct cell *cells);

/* Bytes of a produced document. */
void sink_write(struct sink *s, const void *p, size_t n);

/* Takes the rows of the last, perhaps incomplete, group back; false when there is no complete
 * group, then nothing was changed. */
bool sink_cut(struct sink *s);

/* Takes all rows back; only while no group was completed. */
void sink_drop(struct sink *s);

bool sink_end(struct sink *s, struct err *e) MUST_CHECK;

#endif
