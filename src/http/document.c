/*
 * Answers that are made as a whole (output/document.h): a few threads of ours take the rows of
 * jobs as they become ready, a piece of each in turn, feed them to the documents, and wake the
 * connection when a file is finished. The connection is suspended meanwhile, hence the request
 * stays; its client's going is noticed by the watcher, which fails the job.
 *
 * A request is on the queue, in the hands of one thread, or its job waits for rows: the job's
 * wake-up puts it back on the queue.
 */
#include "internal.h"

#include <stdlib.h>

enum { DOCUMENT_THREADS = 2 };

struct documents {
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct request *first, *last;
    pthread_t threads[DOCUMENT_THREADS];
    int running;
    bool stop;
};

static void enqueue(struct documents *d, struct request *r)
{
    pthread_mutex_lock(&d->lock);
    r->document_next = NULL;
    if (d->first == NULL)
        d->first = r;
    else
        d->last->document_next = r;
    d->last = r;
    pthread_cond_signal(&d->work);
    pthread_mutex_unlock(&d->lock);
}

/* NULL when there will be none any more. */
static struct request *dequeue(struct documents *d)
{
    pthread_mutex_lock(&d->lock);
    while (d->first == NULL && !d->stop)
        pthread_cond_wait(&d->work, &d->lock);
    struct request *r = d->first;
    if (r != NULL)
        d->first = r->document_next;
    pthread_mutex_unlock(&d->lock);
    return r;
}

static bool feed(struct request *r)
{
    char block[16384];
    const struct document_class *class = r->api.plan->encoder->document;
    size_t n;
    bool ok = true;
    while (ok && (n = chunk_list_take(&r->pending, block, sizeof(block))) > 0)
        ok = class->feed(r->document, block, n, &r->api.err);
    return ok;
}

/* One piece of the rows; false: the request is put on the queue again, or will be. */
static bool step(struct request *r, bool *again)
{
    const struct document_class *class = r->api.plan->encoder->document;
    *again = false;
    if (r->document == NULL)
        r->document =
            class->begin(&r->api.plan->shape, r->server->api->conf->spool_dir, &r->api.err);
    if (r->document == NULL)
        return true;
    switch (job_take(&r->job, &r->pending)) {
    case JOB_WAIT:
        return false;
    case JOB_BYTES:
        *again = feed(r);
        return !*again;
    case JOB_FAILED:
        err_set(&r->api.err, r->job.err.kind, "%s", r->job.err.msg);
        return true;
    case JOB_END:
        r->spool_fd = class->finish(r->document, &r->api.err);
        return true;
    }
    return true;
}

static void *documents_main(void *arg)
{
    struct documents *d = arg;
    struct request *r;
    while ((r = dequeue(d)) != NULL) {
        bool again;
        if (!step(r, &again)) {
            if (again)
                enqueue(d, r);
            continue;
        }
        if (r->document != NULL)
            r->api.plan->encoder->document->free(r->document);
        r->document = NULL;
        r->document_done = true;
        watch_wake(r); /* the request may be gone from here on */
    }
    return NULL;
}

void document_begin(struct request *r)
{
    watch_suspend(r);
    enqueue(r->server->documents, r);
}

void document_wake(void *request)
{
    struct request *r = request;
    enqueue(r->server->documents, r);
}

void document_wait(void *request)
{
    (void)request; /* its connection is suspended all the time */
}

bool documents_start(struct server *s, struct err *e)
{
    struct documents *d = calloc(1, sizeof(*d));
    if (d == NULL)
        return err_set(e, ERR_INTERNAL, "out of memory");
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->work, NULL);
    s->documents = d;
    while (d->running < DOCUMENT_THREADS &&
           pthread_create(&d->threads[d->running], NULL, documents_main, d) == 0)
        d->running++;
    return d->running > 0 || err_set(e, ERR_INTERNAL, "no thread can be started for documents");
}

void documents_stop(struct server *s)
{
    struct documents *d = s->documents;
    if (d == NULL)
        return;
    pthread_mutex_lock(&d->lock);
    d->stop = true;
    pthread_cond_broadcast(&d->work);
    pthread_mutex_unlock(&d->lock);
    while (d->running > 0)
        pthread_join(d->threads[--d->running], NULL);
    pthread_cond_destroy(&d->work);
    pthread_mutex_destroy(&d->lock);
    free(d);
    s->documents = NULL;
}
