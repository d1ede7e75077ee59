/* The consumer's side of a job: joining segments in order. */
#include "internal.h"

#include "obstream/core/clock.h"

#include <stdlib.h>
#include <string.h>

/* Head, separators and tail are coded as literals so that segments stay independent of them. */
static void add_literal(struct job *j, struct buf *text, struct chunk_list *out)
{
    if (text->failed)
        out->failed = true;
    else if (text->len > 0)
        j->plan->codec->literal(out, &j->sum, text->data, text->len);
    buf_release(text);
}

static void add_head(struct job *j, struct chunk_list *out)
{
    struct buf text = BUF_INIT(BUF_LIMIT_DOCUMENT);
    j->plan->codec->open(out);
    j->plan->encoder->head(&j->plan->shape, &text);
    add_literal(j, &text, out);
    j->head_sent = true;
}

static void add_tail(struct job *j, struct chunk_list *out)
{
    struct buf text = BUF_INIT(BUF_LIMIT_DOCUMENT);
    struct answer_totals totals = { .rows = j->rows, .truncated = j->truncated };
    j->plan->encoder->tail(&j->plan->shape, &totals, &text);
    add_literal(j, &text, out);
    j->plan->codec->close(out, &j->sum);
    j->tail_sent = true;
}

bool job_can_send(const struct job *j)
{
    return j->ready != NULL && j->ready->seq == j->send_seq && j->ready->part == j->send_part;
}

static bool job_finished(const struct job *j)
{
    return job_planned(j) && j->in_flight == 0 && j->ready == NULL;
}

static void take_segment(struct job *j, struct chunk_list *out)
{
    struct segment *seg = j->ready;
    const char *separator = j->plan->encoder->separator;
    j->ready = seg->next;
    j->ready_count--;
    if (seg->rows > 0) {
        if (j->rows_sent && separator[0] != '\0')
            j->plan->codec->literal(out, &j->sum, separator, strlen(separator));
        j->rows_sent = true;
        plain_sum_join(&j->sum, &seg->sum);
        j->ready_bytes -= seg->bytes.bytes;
        j->held_bytes += seg->bytes.bytes;
        chunk_list_append(out, &seg->bytes);
    } else {
        j->ready_bytes -= seg->bytes.bytes;
        j->sched->ready_bytes -= seg->bytes.bytes;
    }
    if (seg->last_part) {
        j->send_seq++;
        j->send_part = 0;
    } else {
        j->send_part++;
    }
    segment_free(seg);
}

static enum job_result look(const struct job *j)
{
    if (j->err.kind != ERR_NONE)
        return JOB_FAILED;
    if (job_planned(j) && j->in_flight == 0)
        return JOB_END; /* all there is is ready */
    return job_can_send(j) ? JOB_BYTES : JOB_WAIT;
}

bool job_wants_wake(struct job *j)
{
    if (!j->waiting || look(j) == JOB_WAIT)
        return false;
    j->waiting = false;
    return true;
}

static void wait_locked(struct job *j)
{
    j->waiting = true;
    j->suspend(j->wake_ctx);
}

enum job_result job_look(struct job *j)
{
    pthread_mutex_lock(&j->sched->lock);
    enum job_result r = look(j);
    if (r == JOB_WAIT)
        wait_locked(j);
    pthread_mutex_unlock(&j->sched->lock);
    return r;
}

enum job_result job_take(struct job *j, struct chunk_list *out)
{
    struct scheduler *s = j->sched;
    pthread_mutex_lock(&s->lock);
    s->ready_bytes -= j->held_bytes; /* what was taken before has been sent */
    j->held_bytes = 0;
    if (s->ring[LIST_AHEAD] != NULL)
        pthread_cond_signal(&s->work); /* there may be memory for reading ahead again */
    uint64_t before = out->bytes;
    enum job_result r = look(j);
    if (r == JOB_END && j->tail_sent) {
        pthread_mutex_unlock(&s->lock);
        return JOB_END;
    }
    if (r == JOB_WAIT) {
        wait_locked(j);
    } else if (r != JOB_FAILED) {
        if (!j->head_sent)
            add_head(j, out);
        while (job_can_send(j) && out->bytes - before < CHUNK_SIZE)
            take_segment(j, out);
        if (job_finished(j))
            add_tail(j, out);
        r = JOB_BYTES;
        j->sent_bytes += out->bytes - before;
        j->plain_bytes = j->sum.bytes;
        job_relist(j);
    }
    pthread_mutex_unlock(&s->lock);
    if (r == JOB_BYTES && out->failed) {
        job_fail(j, ERR_INTERNAL, "out of memory");
        return JOB_FAILED;
    }
    return r;
}

void job_fail(struct job *j, enum err_kind kind, const char *why)
{
    struct scheduler *s = j->sched;
    pthread_mutex_lock(&s->lock);
    err_set(&j->err, kind, "%s", why);
    atomic_store(&j->cancelled, true);
    queue_remove(j);
    if (j->in_flight > 0 || j->preparing) {
        s->pending_cancel++;
        pthread_cond_signal(&s->reap);
    }
    bool wake = job_wants_wake(j);
    void (*call)(void *) = j->wake;
    void *ctx = j->wake_ctx;
    pthread_mutex_unlock(&s->lock);
    if (wake)
        call(ctx);
}

static void drop_results(struct job *j)
{
    while (j->ready != NULL) {
        struct segment *seg = j->ready;
        j->ready = seg->next;
        segment_free(seg);
    }
    while (j->retry != NULL) {
        struct piece *piece = j->retry;
        j->retry = piece->next;
        free(piece);
    }
    j->sched->ready_bytes -= j->ready_bytes + j->held_bytes;
    j->ready_bytes = j->held_bytes = 0;
    j->ready_count = 0;
}

/* Lock held; true: the caller calls unused() after unlocking. */
static bool job_release_locked(struct job *j)
{
    if (j->in_flight > 0 || j->preparing || j->unused == NULL)
        return false;
    drop_results(j);
    j->client->jobs--;
    client_drop(j->sched, j->client);
    j->sched->job_count--;
    return true;
}

void job_leave(struct job *j, void (*unused)(void *ctx), void *ctx)
{
    struct scheduler *s = j->sched;
    if (!j->submitted) {
        unused(ctx);
        return;
    }
    pthread_mutex_lock(&s->lock);
    atomic_store(&j->cancelled, true);
    j->waiting = false;
    queue_remove(j);
    j->unused = unused;
    j->unused_ctx = ctx;
    bool done = job_release_locked(j);
    if (!done) {
        s->pending_cancel++;
        pthread_cond_signal(&s->reap);
    }
    pthread_mutex_unlock(&s->lock);
    if (done)
        unused(ctx);
}

static void ready_insert(struct job *j, struct segment *seg)
{
    struct segment **at = &j->ready;
    while (*at != NULL &&
           ((*at)->seq < seg->seq || ((*at)->seq == seg->seq && (*at)->part < seg->part)))
        at = &(*at)->next;
    seg->next = *at;
    *at = seg;
    j->ready_count++;
    j->ready_bytes += seg->bytes.bytes;
    j->sched->ready_bytes += seg->bytes.bytes;
}

static void retry_insert(struct job *j, const struct piece *piece)
{
    struct piece *copy = malloc(sizeof(*copy));
    if (copy == NULL) {
        err_set(&j->err, ERR_INTERNAL, "out of memory");
        return;
    }
    *copy = *piece;
    struct piece **at = &j->retry;
    while (*at != NULL && (*at)->seq < piece->seq)
        at = &(*at)->next;
    copy->next = *at;
    *at = copy;
}

enum { RETRY_PAUSE_USEC = 100000, MAX_ATTEMPTS = 4 };

/* Nothing of the piece was sent: it can be fetched again, on another connection. */
static void piece_lost(struct job *j, const struct piece *piece, const struct err *e)
{
    int64_t now = clock_mono();
    if (j->unavailable_since == 0)
        j->unavailable_since = now;
    bool waited = now - j->unavailable_since > j->sched->conf->acquire_timeout * 1000;
    if (e->kind != ERR_UNAVAILABLE || (waited && j->attempts >= MAX_ATTEMPTS)) {
        /* Answers are counted, not their pieces, nor clients that went. */
        j->sched->stats.failures += j->err.kind == ERR_NONE && !atomic_load(&j->cancelled);
        err_set(&j->err, e->kind, "%s", e->msg);
        return;
    }
    j->attempts++;
    j->sched->stats.retries++;
    j->retry_at = j->attempts == 1 ? 0 : now + RETRY_PAUSE_USEC;
    if (piece != NULL)
        retry_insert(j, piece);
}

static void piece_done(struct job *j, const struct piece *piece, struct fetched *got)
{
    struct scheduler *s = j->sched;
    struct segment *seg = got->segment;
    j->attempts = 0;
    j->retry_at = j->unavailable_since = 0;
    j->segments++;
    j->rows += seg->rows;
    s->stats.segments++;
    s->stats.rows += seg->rows;
    s->stats.plain_bytes += seg->sum.bytes;
    cursor_learn(&j->cursor, j->plan, piece, seg, job_target(s));
    if (seg->truncated) {
        j->truncated = true;
        j->cursor.done = true;
        seg->last_part = true;
    } else if (got->more) {
        struct piece rest = *piece;
        rest.part++;
        rest.slice = got->rest;
        if (rest.slice.resumed)
            cursor_take_back(j, &rest);
        retry_insert(j, &rest);
    }
    ready_insert(j, seg);
}

/* A worker is done with a piece (or with prepare: piece NULL). Lock held. */
void job_complete(struct job *j, const struct piece *piece, struct fetched *got)
{
    if (piece != NULL)
        j->in_flight--;
    if (got->segment != NULL)
        piece_done(j, piece, got);
    else if (got->err.kind != ERR_NONE)
        piece_lost(j, piece, &got->err);
    if (j->unused == NULL)
        job_relist(j);
    bool wake = j->unused == NULL && job_wants_wake(j);
    bool free_it = job_release_locked(j);
    if (!wake && !free_it)
        return;
    /* Callbacks may take other locks, and end the job's life. */
    struct scheduler *s = j->sched;
    void (*call)(void *) = wake ? j->wake : j->unused;
    void *ctx = wake ? j->wake_ctx : j->unused_ctx;
    pthread_mutex_unlock(&s->lock);
    call(ctx);
    pthread_mutex_lock(&s->lock);
}
