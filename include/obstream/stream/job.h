/*
 * A job is one answer being made: its plan, what of it has been planned, the segments that are
 * ready, and who waits for them.
 *
 * Life: the request allocates the job in its arena and submits it; workers fetch its pieces; the
 * request takes the joined bytes in order with job_take() and, always, ends with job_leave(), which
 * cancels what still runs. Since an HTTP thread must not wait for a query to notice that,
 * job_leave() takes a function that is called (from any thread) once no worker uses the job any
 * more; the request frees its arena there.
 *
 * Everything here is guarded by the scheduler's lock.
 */
#ifndef OBSTREAM_STREAM_JOB_H
#define OBSTREAM_STREAM_JOB_H

#include "obstream/stream/plan.h"
#include "obstream/stream/sink.h"

#include <stdatomic.h>

struct scheduler;
struct client;

struct piece {
    struct piece *next;
    uint32_t seq, part;
    struct archive_slice slice;
    double bytes_guess; /* plain bytes it was planned for */
};

/* Where planning stands: the group and time of the next piece. */
struct cursor {
    uint32_t group;
    int64_t time;
    bool done;
    double density;    /* plain bytes a station yields in a day */
    bool measured;     /* density comes from segments, not from the plan's guess */
    bool probing;      /* the last piece was empty: one at a time until there are rows again */
    double row_bytes;  /* plain bytes of a fetched row */
    double next_bytes; /* aim of the next piece */
};

enum job_result { JOB_BYTES, JOB_WAIT, JOB_END, JOB_FAILED };

struct job {
    /* set by the request */
    struct plan *plan;
    void (*wake)(void *ctx);    /* the consumer waits and there is something to take */
    void (*suspend)(void *ctx); /* called under the lock when the consumer has to wait */
    void *wake_ctx;

    /* the scheduler's */
    struct scheduler *sched;
    struct client *client;
    struct job *next, *prev; /* on one of the client's lists */
    int list;                /* which one, see scheduler.c */
    struct cursor cursor;
    struct piece *retry; /* pieces to be fetched before new ones are planned */
    uint32_t next_seq;
    uint32_t in_flight, ready_count;
    struct segment *ready; /* by (seq, part) */
    uint64_t ready_bytes, held_bytes;
    uint32_t send_seq, send_part;
    bool prepared, preparing, head_sent, rows_sent, tail_sent, waiting, submitted;
    atomic_bool cancelled;
    int64_t retry_at, unavailable_since; /* monotonic; 0: no trouble */
    unsigned attempts; /* of pieces lost with their connection, since the last success */
    void (*unused)(void *ctx);
    void *unused_ctx;
    /* results */
    struct err err;
    uint64_t rows, plain_bytes, sent_bytes, segments;
    struct plain_sum sum; /* of what was joined */
    bool truncated;
};

/* Moves what can be sent next behind `out` (head, one segment, tail). JOB_WAIT: suspend() was
 * called and wake() will be, once. What was taken before counts as sent by then. */
enum job_result job_take(struct job *j, struct chunk_list *out);

/* For the first reply: what is known now. JOB_END: everything is ready to be taken; JOB_BYTES:
 * there is a first part; else as job_take(). Does not take. */
enum job_result job_look(struct job *j);

/* Cancels; `unused(ctx)` is called exactly once, perhaps before job_leave() returns. */
void job_leave(struct job *j, void (*unused)(void *ctx), void *ctx);

/* Wakes the consumer with a failure, e.g. because its client is gone. */
void job_fail(struct job *j, enum err_kind kind, const char *why);

#endif
