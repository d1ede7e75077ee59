#include "internal.h"

#include "obstream/core/clock.h"
#include "obstream/obs/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A form that is too large, up to DISCARDED bytes, is read to its end and dropped: an answer before
 * the end would be lost to a client that is still sending. */
enum { BACKLOG = 4096, CONNECTION_MEMORY = 128 << 10, DISCARDED = 64 << 20 };

/* The raw target arrives before libmicrohttpd decodes it. */
static void *keep_target(void *cls, const char *uri, struct MHD_Connection *c)
{
    (void)cls;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct connection *con = info != NULL ? info->socket_context : NULL;
    if (con != NULL) {
        free(con->target);
        con->target = strdup(uri);
    }
    return NULL;
}

static void connection_changed(void *cls, struct MHD_Connection *c, void **ctx,
                               enum MHD_ConnectionNotificationCode code)
{
    (void)cls;
    (void)c;
    struct connection *con = *ctx;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *ctx = calloc(1, sizeof(*con));
    } else if (con != NULL) {
        free(con->target);
        free(con);
        *ctx = NULL;
    }
}

static bool known_method(const char *method)
{
    static const char *const methods[] = { "GET", "HEAD", "POST", "OPTIONS" };
    for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
        if (str_eq(methods[i], method))
            return true;
    }
    return false;
}

/* What can be refused before a form is read; true: now, not at its end. */
static bool refused_early(struct request *r)
{
    const char *text =
        MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Content-Length");
    long long length = text != NULL ? strtoll(text, NULL, 10) : 0;
    if (!known_method(r->method))
        err_set(&r->api.err, ERR_METHOD, "%.32s is not served here: GET, HEAD, POST, OPTIONS",
                r->method);
    else if (length > r->server->api->conf->max_body)
        err_set(&r->api.err, ERR_TOO_LARGE, "the form is larger than %lld bytes (server.max_body)",
                (long long)r->server->api->conf->max_body);
    else if (!r->http10 &&
             MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Host") == NULL)
        err_set(&r->api.err, ERR_PARAM, "an HTTP/1.1 request needs a Host header");
    return r->api.err.kind != ERR_NONE && length > DISCARDED;
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **con_cls)
{
    (void)url;
    struct request *r = *con_cls;
    if (r == NULL) {
        r = *con_cls = request_new(cls, c, method, version);
        if (r == NULL)
            return MHD_NO;
        return refused_early(r) ? reply_error(r) : MHD_YES;
    }
    if (*size > 0) {
        if (r->api.err.kind == ERR_NONE)
            buf_add(&r->form, data, *size);
        *size = 0;
        return MHD_YES;
    }
    if (r->state == REQUEST_WAITING)
        return reply_job(r);
    if (r->state == REQUEST_REPLYING)
        return MHD_YES;
    return request_start(r);
}

static void mhd_log(void *cls, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
static void mhd_log(void *cls, const char *fmt, va_list ap)
{
    char text[512];
    (void)cls;
    vsnprintf(text, sizeof(text), fmt, ap);
    log_line(LOG_DEBUG, "libmicrohttpd: %s", text);
}

static int listen_socket(const struct conf *conf, unsigned *port, struct err *e)
{
    struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                              .ai_socktype = SOCK_STREAM },
                    *list;
    char service[16];
    snprintf(service, sizeof(service), "%lld", (long long)conf->port);
    if (getaddrinfo(conf->listen, service, &hints, &list) != 0) {
        err_set(e, ERR_PARAM, "server.listen = \"%s\" is no numeric address", conf->listen);
        return -1;
    }
    int one = 1;
    int fd = socket(list->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
              bind(fd, list->ai_addr, list->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0;
    struct sockaddr_storage bound;
    socklen_t len = sizeof(bound);
    if (ok && getsockname(fd, (struct sockaddr *)&bound, &len) == 0)
        *port = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                                  : ((struct sockaddr_in *)&bound)->sin_port);
    if (!ok) {
        err_set(e, ERR_IO, "cannot listen on %s port %s: %s%s", conf->listen, service,
                strerror(errno),
                errno == EADDRINUSE ? "; another program has it: choose another server.port" : "");
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    freeaddrinfo(list);
    return fd;
}

static bool daemon_start(struct server *s, int fd, struct err *e)
{
    const struct conf *conf = s->api->conf;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = (unsigned)(conf->threads > 0 ? conf->threads : cores > 1 ? cores : 1);
    struct MHD_OptionItem options[] = {
        { MHD_OPTION_LISTEN_SOCKET, fd, NULL },
        { MHD_OPTION_CONNECTION_LIMIT, (intptr_t)conf->connections, NULL },
        { MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, NULL },
        { MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)conf->idle_timeout, NULL },
        { MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)request_completed, s },
        { MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)connection_changed, s },
        { MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)keep_target, s },
        /* The last two: a pool of one thread is refused, and means none. */
        { threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)threads, NULL },
        { MHD_OPTION_END, 0, NULL },
    };
    s->daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                                     MHD_USE_ERROR_LOG | MHD_USE_ITC,
                                 0, NULL, NULL, handle, s, MHD_OPTION_EXTERNAL_LOGGER, mhd_log,
                                 NULL, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
    return s->daemon != NULL || err_set(e, ERR_INTERNAL,
                                        "the HTTP server cannot start with %u threads and %lld "
                                        "connections (server.threads, server.connections)",
                                        threads, (long long)conf->connections);
}

static void server_free(struct server *s)
{
    proxy_list_free(s->trusted);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->idle);
    free(s);
}

static bool write_port(const struct conf *conf, unsigned port, struct err *e)
{
    if (conf->port_file[0] == '\0')
        return true;
    FILE *f = fopen(conf->port_file, "we");
    bool ok = f != NULL && fprintf(f, "%u\n", port) > 0;
    ok = f != NULL && fclose(f) == 0 && ok;
    return ok || err_set(e, ERR_IO, "cannot write %s (server.port_file): %s", conf->port_file,
                         strerror(errno));
}

struct server *server_start(const struct api *api, struct err *e)
{
    struct server *s = calloc(1, sizeof(*s));
    if (s == NULL) {
        err_set(e, ERR_INTERNAL, "out of memory");
        return NULL;
    }
    s->api = api;
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->idle, &attr);
    pthread_condattr_destroy(&attr);
    s->trusted = proxy_list_parse(api->conf->trusted_proxies, e);
    int fd = s->trusted != NULL ? listen_socket(api->conf, &s->port, e) : -1;
    if (fd >= 0 && documents_start(s, e) && daemon_start(s, fd, e) && watch_start(s) &&
        write_port(api->conf, s->port, e))
        return s;
    if (s->daemon != NULL) {
        watch_stop(s);
        MHD_stop_daemon(s->daemon); /* closes the socket */
    } else if (fd >= 0) {
        close(fd);
    }
    documents_stop(s);
    server_free(s);
    return NULL;
}

unsigned server_port(const struct server *s)
{
    return s->port;
}

/* Waits until no request is left; false when the time is over. */
static bool wait_idle(struct server *s, int64_t until)
{
    struct timespec ts = { .tv_sec = until / 1000000, .tv_nsec = until % 1000000 * 1000 };
    pthread_mutex_lock(&s->lock);
    while (s->requests != NULL && clock_mono() < until)
        pthread_cond_timedwait(&s->idle, &s->lock, &ts);
    bool idle = s->requests == NULL;
    pthread_mutex_unlock(&s->lock);
    return idle;
}

/* Suspended connections must be resumed before the daemon stops: their jobs fail, which wakes
 * them. */
static void fail_all(struct server *s)
{
    struct request **all = NULL;
    size_t n = 0;
    pthread_mutex_lock(&s->lock);
    for (struct request *r = s->requests; r != NULL; r = r->next)
        n++;
    all = calloc(n + 1, sizeof(*all));
    n = 0;
    for (struct request *r = s->requests; all != NULL && r != NULL; r = r->next) {
        if (!r->job.submitted)
            continue;
        atomic_fetch_add(&r->refs, 1);
        all[n++] = r;
    }
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < n; i++) {
        job_fail(&all[i]->job, ERR_UNAVAILABLE, "the server stops");
        request_unref(all[i]);
    }
    free(all);
}

/* Until nothing is under way: what began just before `stopping` was set may be suspended by now. */
static void end_requests(struct server *s, int64_t until)
{
    enum { LOOK_AGAIN_USEC = 20000 };
    do {
        fail_all(s);
    } while (!wait_idle(s, clock_mono() + LOOK_AGAIN_USEC) && clock_mono() < until);
}

bool server_stop(struct server *s)
{
    enum { GRACE_USEC = 2000000 };
    atomic_store(&s->draining, true);
    int fd = MHD_quiesce_daemon(s->daemon);
    if (!wait_idle(s, clock_mono() + s->api->conf->drain_timeout * 1000))
        log_line(LOG_WARNING, "answers still run after server.drain_timeout: they are aborted");
    atomic_store(&s->stopping, true);
    end_requests(s, clock_mono() + GRACE_USEC);
    watch_stop(s);
    fail_all(s);
    documents_stop(s);
    MHD_stop_daemon(s->daemon);
    if (fd >= 0)
        close(fd);
    if (!wait_idle(s, clock_mono() + GRACE_USEC)) {
        log_line(LOG_WARNING, "the database does not answer: its queries are not waited for");
        return false;
    }
    server_free(s);
    return true;
}
