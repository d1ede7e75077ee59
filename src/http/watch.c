/*
 * Suspended connections. While a connection is suspended libmicrohttpd neither sees its client go
 * nor lets its timeout run, so a thread of ours looks at their sockets.
 */
#include "internal.h"

#include <poll.h>
#include <stdlib.h>

enum { WATCH_PERIOD_MSEC = 250 };

static void link_suspended(struct server *s, struct request *r)
{
    r->watched = true;
    r->watch_prev = NULL;
    r->watch_next = s->suspended;
    if (s->suspended != NULL)
        s->suspended->watch_prev = r;
    s->suspended = r;
}

static void unlink_suspended(struct server *s, struct request *r)
{
    r->watched = false;
    if (r->watch_prev != NULL)
        r->watch_prev->watch_next = r->watch_next;
    else
        s->suspended = r->watch_next;
    if (r->watch_next != NULL)
        r->watch_next->watch_prev = r->watch_prev;
}

void watch_suspend(void *request)
{
    struct request *r = request;
    pthread_mutex_lock(&r->server->lock);
    link_suspended(r->server, r);
    pthread_mutex_unlock(&r->server->lock);
    MHD_suspend_connection(r->connection);
}

/* Called once for each suspension, by whoever makes the job ready. */
void watch_wake(void *request)
{
    struct request *r = request;
    struct MHD_Connection *connection = r->connection;
    pthread_mutex_lock(&r->server->lock);
    unlink_suspended(r->server, r);
    pthread_mutex_unlock(&r->server->lock);
    MHD_resume_connection(connection); /* the request may be gone from here on */
}

static int socket_of(const struct request *r)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info != NULL ? info->connect_fd : -1;
}

/* References to the suspended requests and their sockets; the caller gives them back. */
static size_t snapshot(struct server *s, struct request ***requests, struct pollfd **fds)
{
    size_t n = 0;
    for (struct request *r = s->suspended; r != NULL; r = r->watch_next)
        n++;
    *requests = calloc(n + 1, sizeof(**requests));
    *fds = calloc(n + 1, sizeof(**fds));
    if (*requests == NULL || *fds == NULL)
        return 0;
    size_t i = 0;
    for (struct request *r = s->suspended; r != NULL; r = r->watch_next, i++) {
        atomic_fetch_add(&r->refs, 1);
        (*requests)[i] = r;
        (*fds)[i] = (struct pollfd){ .fd = socket_of(r), .events = POLLRDHUP };
    }
    return n;
}

/* Sockets are looked at under the lock: a connection cannot be resumed and closed meanwhile. */
static void look_once(struct server *s)
{
    struct request **requests;
    struct pollfd *fds;
    pthread_mutex_lock(&s->lock);
    size_t n = snapshot(s, &requests, &fds);
    int gone = n > 0 ? poll(fds, n, 0) : 0;
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < n; i++) {
        if (gone > 0 && (fds[i].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0)
            job_fail(&requests[i]->job, ERR_CANCELLED, "the client is gone");
        request_unref(requests[i]);
    }
    free(requests);
    free(fds);
}

static void *watcher_main(void *arg)
{
    struct server *s = arg;
    pthread_mutex_lock(&s->lock);
    while (!s->stop) {
        pthread_mutex_unlock(&s->lock);
        look_once(s);
        poll(NULL, 0, WATCH_PERIOD_MSEC);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

bool watch_start(struct server *s)
{
    s->watching = pthread_create(&s->watcher, NULL, watcher_main, s) == 0;
    return s->watching;
}

void watch_stop(struct server *s)
{
    if (!s->watching)
        return;
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->watcher, NULL);
    s->watching = false;
}
