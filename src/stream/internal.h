/* What the files of the stream layer share. */
#ifndef OBSTREAM_STREAM_INTERNAL_H
#define OBSTREAM_STREAM_INTERNAL_H

#include "obstream/stream/scheduler.h"

#include <pthread.h>

/* A client's jobs by state; a job is on exactly one list, or on none while it wants nothing. */
enum job_list { LIST_NONE = -1, LIST_NEW, LIST_HUNGRY, LIST_AHEAD, LIST_DELAYED, LIST_COUNT };

struct job_queue {
    struct job *first, *last;
};

struct client {
    char name[64];
    struct client *hash_next;
    struct client *next[LIST_COUNT], *prev[LIST_COUNT]; /* ring of clients with such jobs */
    bool on_ring[LIST_COUNT];
    struct job_queue lists[LIST_COUNT];
    unsigned jobs;
};

struct worker {
    struct scheduler *sched;
    pthread_t thread;
    struct sink sink;
    pthread_mutex_t lease_lock; /* guards the next three against the end of the lease */
    struct conn *conn;          /* leased now */
    struct job *leased_for;     /* while conn is set: its job, which therefore lives */
    bool cancel_sent;
    struct job *job; /* being worked for; guarded by the scheduler's lock */
    bool ahead;
};

enum { CLIENT_BUCKETS = 1024 };

struct scheduler {
    pthread_mutex_t lock;
    pthread_cond_t work; /* for workers */
    pthread_cond_t reap; /* for the thread that cancels queries */
    const struct conf *conf;
    struct worker *workers;
    unsigned worker_count, busy, busy_ahead, ahead_limit;
    pthread_t reaper;
    bool reaping, stop;
    unsigned pending_cancel;
    struct client *buckets[CLIENT_BUCKETS];
    struct client *ring[LIST_COUNT]; /* the client whose turn is next */
    unsigned new_streak;
    uint64_t job_count;
    struct scheduler_stats stats;
    uint64_t ready_bytes;
};

/* What a worker brings back from one piece. */
struct fetched {
    struct segment *segment; /* NULL when it failed */
    bool more;               /* the rest of the piece follows from `rest` */
    struct archive_slice rest;
    struct err err;
};

/* worker side, no lock held */
void fetch_piece(struct worker *w, struct job *j, const struct piece *piece, uint64_t remaining,
                 struct fetched *out);
bool fetch_prepare(struct worker *w, struct job *j, struct err *e);

/* planning; lock held */
void cursor_init(struct cursor *c, const struct plan *p, const struct conf *conf);
bool cursor_next(struct job *j, double target, struct piece *out);
void cursor_learn(struct cursor *c, const struct plan *p, const struct piece *piece,
                  const struct segment *seg, double target);
/* What is left of a piece that was closed early: narrows it, and when nothing was planned beyond it
 * gives the far part back to the cursor, so that the rest is fetched side by side again. */
void cursor_take_back(struct job *j, struct piece *rest);

/* queues; lock held */
void job_relist(struct job *j);
struct job *queue_pick(struct scheduler *s, bool *ahead);
void queue_remove(struct job *j);
struct client *client_get(struct scheduler *s, const char *name);
void client_drop(struct scheduler *s, struct client *c); /* when it has no jobs */
double job_target(const struct scheduler *s);
bool job_planned(const struct job *j);  /* nothing is left to be fetched */
bool job_can_send(const struct job *j); /* the segment that is sent next is ready */
void job_complete(struct job *j, const struct piece *piece, struct fetched *got);
bool job_wants_wake(struct job *j); /* clears `waiting` when it says yes */
void segment_free(struct segment *seg);

#endif
