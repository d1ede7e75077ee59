/*
 * Workers fetch pieces of jobs in fair turn between clients.
 *
 * A job that has nothing to send is hungry; one that has may read ahead. Hungry jobs come first,
 * and among them clients in turn, so that a client with hundreds of downloads delays another one by
 * one segment; a client's new jobs come before its older ones. Reading ahead happens on workers
 * that would be idle, within the memory for finished segments.
 */
#ifndef OBSTREAM_STREAM_SCHEDULER_H
#define OBSTREAM_STREAM_SCHEDULER_H

#include "obstream/conf/conf.h"
#include "obstream/stream/job.h"

struct scheduler_stats {
    unsigned workers, busy;
    uint64_t jobs, clients;                                  /* now */
    uint64_t segments, rows, plain_bytes, retries, failures; /* ever */
    uint64_t ready_bytes;
};

struct scheduler *scheduler_new(const struct conf *conf, struct err *e);
/* Stops the workers; no job may be left. */
void scheduler_free(struct scheduler *s);

/* `client` names whose turn it is (an address). ERR_UNAVAILABLE when the queue is full. */
bool scheduler_submit(struct scheduler *s, struct job *j, const char *client,
                      struct err *e) MUST_CHECK;

struct scheduler_stats scheduler_stats(struct scheduler *s);

#endif
