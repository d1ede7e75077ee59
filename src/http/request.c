/* From the raw request to a plan: target, form, endpoint, parameters. */
#include "internal.h"

#include "obstream/core/clock.h"
#include "obstream/obs/log.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REQUEST_MEMORY = 32 << 20 }; /* of one request: its parameters and station lists */

static const char *header(struct request *r, const char *name)
{
    return MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name);
}

struct joining {
    const char *name;
    struct buf text;
};

static enum MHD_Result join_value(void *cls, enum MHD_ValueKind kind, const char *name,
                                  const char *value)
{
    struct joining *j = cls;
    (void)kind;
    if (value != NULL && str_ieq(name, j->name))
        buf_printf(&j->text, "%s%s", j->text.len > 0 ? "," : "", value);
    return MHD_YES;
}

/* All values of a header that may stand several times, in their order; NULL when there is none. A
 * proxy may append a header of its own instead of to the client's. */
static const char *joined_header(struct request *r, const char *name)
{
    struct joining j = { name, BUF_INIT(BUF_LIMIT_MESSAGE) };
    MHD_get_connection_values(r->connection, MHD_HEADER_KIND, join_value, &j);
    const char *text =
        j.text.len > 0 && !j.text.failed ? arena_strdup(&r->arena, j.text.data) : NULL;
    buf_release(&j.text);
    return text;
}

static void peer_address(struct MHD_Connection *c, char *out, size_t room)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    snprintf(out, room, "unknown");
    if (info == NULL || info->client_addr == NULL)
        return;
    if (info->client_addr->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)info->client_addr)->sin_addr, out,
                  (socklen_t)room);
    else if (info->client_addr->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)info->client_addr)->sin6_addr, out,
                  (socklen_t)room);
}

/* Unique within and, by the start time, across runs. */
static void make_id(struct request *r)
{
    static atomic_ullong counter;
    unsigned long long n = atomic_fetch_add(&counter, 1);
    snprintf(r->id, sizeof(r->id), "%08llx%08llx",
             (unsigned long long)(r->server->api->started / 1000) & 0xffffffff, n & 0xffffffff);
}

static void link_request(struct request *r)
{
    struct server *s = r->server;
    pthread_mutex_lock(&s->lock);
    r->next = s->requests;
    if (s->requests != NULL)
        s->requests->prev = r;
    s->requests = r;
    pthread_mutex_unlock(&s->lock);
}

static const char *target_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    const struct connection *con = info != NULL ? info->socket_context : NULL;
    return con != NULL && con->target != NULL ? con->target : "/";
}

struct request *request_new(struct server *s, struct MHD_Connection *c, const char *method,
                            const char *version)
{
    char peer[INET6_ADDRSTRLEN];
    struct request *r = calloc(1, sizeof(*r));
    if (r == NULL)
        return NULL;
    atomic_init(&r->refs, 1);
    r->server = s;
    r->connection = c;
    r->spool_fd = -1;
    r->first_byte = -1;
    r->started = clock_wall();
    r->started_mono = clock_mono();
    r->codec = &codec_identity;
    arena_init(&r->arena, REQUEST_MEMORY);
    buf_init(&r->form, (size_t)s->api->conf->max_body + 1);
    r->method = arena_strdup(&r->arena, method);
    r->target = arena_strdup(&r->arena, target_of(c));
    const char *agent = header(r, "User-Agent");
    r->agent = arena_strdup(&r->arena, agent != NULL ? agent : "-");
    r->head = strcmp(method, "HEAD") == 0;
    r->http10 = strcmp(version, "HTTP/1.0") == 0;
    peer_address(c, peer, sizeof(peer));
    client_address(s->trusted, peer, joined_header(r, "X-Forwarded-For"), r->client,
                   sizeof(r->client));
    make_id(r);
    r->api = (struct api_request){ .arena = &r->arena, .api = s->api, .now = r->started };
    r->api.faults.arena = &r->arena;
    link_request(r);
    return r;
}

static void unlink_request(struct request *r)
{
    struct server *s = r->server;
    pthread_mutex_lock(&s->lock);
    if (r->prev != NULL)
        r->prev->next = r->next;
    else
        s->requests = r->next;
    if (r->next != NULL)
        r->next->prev = r->prev;
    if (s->requests == NULL)
        pthread_cond_broadcast(&s->idle);
    pthread_mutex_unlock(&s->lock);
}

void request_unref(struct request *r)
{
    if (atomic_fetch_sub(&r->refs, 1) != 1)
        return;
    chunk_list_release(&r->pending);
    if (r->spool_fd >= 0)
        close(r->spool_fd);
    buf_release(&r->form);
    if (r->api.catalog != NULL)
        catalog_put(r->api.catalog);
    arena_release(&r->arena);
    unlink_request(r);
    free(r);
}

void request_fail(struct request *r, enum err_kind kind, const char *why)
{
    err_set(&r->api.err, kind, "%s", why);
}

/* The decoded path, without the query. */
static const char *decoded_path(struct request *r)
{
    size_t n = strcspn(r->target, "?#");
    struct pairs one = { 0 };
    struct faults faults = { .arena = &r->arena };
    char *text = arena_strndup(&r->arena, r->target, n);
    for (char *p = text; p != NULL && *p != '\0'; p++) {
        if (*p == '&' || *p == '=' || *p == '+') /* plain in a path */
            return text;
    }
    pairs_decode(&one, text, n, &faults);
    return one.count == 1 && faults.count == 0 ? one.items[0].name : text;
}

static const char *endpoint_candidate(const void *unused, size_t i)
{
    (void)unused;
    return endpoints[i] != NULL ? endpoints[i]->path : NULL;
}

/* Some services are known to redirect a path that ends in a slash. */
static bool redirect_slash(struct request *r)
{
    struct api_request *q = &r->api;
    size_t n = strlen(q->path);
    const char *given = q->path;
    if (n < 2 || given[n - 1] != '/')
        return false;
    q->path = arena_strndup(&r->arena, given, n - 1);
    q->endpoint = q->path != NULL ? endpoint_find(q) : NULL;
    if (q->endpoint != NULL && (q->endpoint->flags & ENDPOINT_NO_SLASH)) {
        const char *query = strchr(r->target, '?');
        reply_body(q, 307, NULL);
        reply_header_add(q, "Location",
                         arena_printf(&r->arena, "%s%s", q->path, query != NULL ? query : ""));
        return true;
    }
    q->endpoint = NULL;
    q->path = given;
    return false;
}

static bool find_endpoint(struct request *r)
{
    struct api_request *q = &r->api;
    q->path = decoded_path(r);
    q->endpoint = endpoint_find(q);
    if (q->endpoint != NULL)
        return true;
    if (redirect_slash(r))
        return false;
    const char *near = str_nearest(q->path, endpoint_candidate, NULL);
    return err_set(&q->err, ERR_NOT_FOUND, "there is nothing at %.200s%s%s%s", q->path,
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static bool form_type_ok(struct request *r)
{
    const char *type = header(r, "Content-Type");
    if (r->form.len == 0 || type == NULL ||
        strncasecmp(type, "application/x-www-form-urlencoded", 33) == 0)
        return true;
    return err_set(&r->api.err, ERR_MEDIA_TYPE,
                   "a form of type \"%.100s\" is not read: send application/x-www-form-urlencoded",
                   type);
}

/* A request whose parameters do not fit into its memory: what it had is forgotten, so that there is
 * room to say so. */
static bool too_large(struct request *r)
{
    enum { LAST_WORDS = 1 << 20 };
    r->arena.failed = false;
    r->arena.limit += LAST_WORDS;
    r->api.pairs = (struct pairs){ 0 };
    r->api.faults = (struct faults){ .arena = &r->arena };
    return err_set(&r->api.err, ERR_TOO_LARGE,
                   "the parameters need more than %d MB: ask for fewer at a time",
                   REQUEST_MEMORY >> 20);
}

static bool read_pairs(struct request *r)
{
    struct api_request *q = &r->api;
    const char *query = strchr(r->target, '?');
    if (r->form.failed)
        return err_set(&q->err, ERR_TOO_LARGE, "the form is larger than %lld bytes",
                       (long long)r->server->api->conf->max_body);
    if (!form_type_ok(r))
        return false;
    size_t len = query != NULL ? strcspn(query + 1, "#") : 0;
    if (q->endpoint->flags & ENDPOINT_LENIENT) {
        if (r->form.len > 0) /* the form's fields come before the query's */
            pairs_decode_leniently(&q->pairs, &r->arena, r->form.data, r->form.len);
        if (len > 0)
            pairs_decode_leniently(&q->pairs, &r->arena, query + 1, len);
        return !r->arena.failed || too_large(r);
    }
    if (len > 0)
        pairs_decode(&q->pairs, query + 1, len, &q->faults);
    if (r->form.len > 0)
        pairs_decode(&q->pairs, r->form.data, r->form.len, &q->faults);
    return !r->arena.failed || too_large(r);
}

static bool method_allowed(struct request *r)
{
    const char *allow = r->api.endpoint->allow;
    if (allow == NULL || strstr(allow, r->method) != NULL)
        return true;
    return err_set(&r->api.err, ERR_METHOD, "%s is not served here: %s", r->method, allow);
}

static bool prepare(struct request *r)
{
    struct api_request *q = &r->api;
    if (strlen(r->target) > (size_t)r->server->api->conf->max_url)
        return err_set(&q->err, ERR_URI_TOO_LONG,
                       "the request target is longer than %lld bytes: send the selection as a POST "
                       "form",
                       (long long)r->server->api->conf->max_url);
    if (!find_endpoint(r) || !method_allowed(r) || !read_pairs(r))
        return false;
    q->accept = header(r, "Accept");
    q->host = header(r, "Host");
    q->method = r->method;
    q->catalog = catalog_get(q->api->store);
    if ((q->endpoint->flags & ENDPOINT_DATABASE) && q->catalog == NULL)
        return err_set(&q->err, ERR_UNAVAILABLE, "the database cannot be reached");
    if (str_eq(r->method, "OPTIONS"))
        return true;
    bool ok = q->endpoint->prepare(q);
    if (r->arena.failed)
        return too_large(r);
    return ok && q->faults.count == 0 && q->err.kind == ERR_NONE;
}

static void job_unused(void *request)
{
    request_unref(request);
}

static bool submit(struct request *r)
{
    if (atomic_load(&r->server->stopping))
        return err_set(&r->api.err, ERR_UNAVAILABLE, "the server stops");
    struct job *j = &r->job;
    j->plan = r->api.plan;
    j->plan->codec = r->codec;
    j->plan->level = (int)r->server->api->conf->gzip_level;
    bool document = j->plan->encoder->document != NULL;
    j->wake = document ? document_wake : watch_wake;
    j->suspend = document ? document_wait : watch_suspend;
    j->wake_ctx = r;
    if (!scheduler_submit(r->server->api->sched, j, r->client, &r->api.err))
        return false;
    atomic_fetch_add(&r->refs, 1); /* given back by job_unused() */
    return true;
}

enum MHD_Result request_start(struct request *r)
{
    bool options = str_eq(r->method, "OPTIONS");
    if (options && str_eq(r->target, "*"))
        return reply_options(r);
    if (r->api.err.kind != ERR_NONE || !prepare(r))
        return r->api.status == 307 ? reply_now(r) : reply_error(r);
    if (options)
        return reply_options(r);
    if (r->api.plan == NULL)
        return reply_now(r);
    if (r->api.plan->encoder->document == NULL) /* documents are compressed in themselves */
        r->codec = negotiate_codec(header(r, "Accept-Encoding"));
    if (r->head)
        return reply_head(r);
    if (!submit(r))
        return reply_error(r);
    r->state = REQUEST_WAITING;
    if (r->api.plan->encoder->document != NULL) {
        document_begin(r);
        return MHD_YES;
    }
    /* HTTP/1.0 cannot tell an aborted answer from its end: it gets a Content-Length. */
    r->whole = r->http10 || (r->api.limited && r->api.plan->row_limit <= 100000);
    return reply_job(r);
}

void request_completed(void *cls, struct MHD_Connection *c, void **con_cls,
                       enum MHD_RequestTerminationCode how)
{
    (void)cls;
    (void)c;
    struct request *r = *con_cls;
    if (r == NULL)
        return;
    *con_cls = NULL;
    struct access_entry entry = {
        .client = r->client,
        .method = r->method,
        .target = r->target,
        .request_id = r->id,
        .agent = r->agent,
        .coding = r->codec->name,
        .failure = r->job.err.kind != ERR_NONE                  ? r->job.err.msg
                   : r->api.err.kind != ERR_NONE                ? r->api.err.msg
                   : how != MHD_REQUEST_TERMINATED_COMPLETED_OK ? "the connection ended early"
                                                                : NULL,
        .status = r->status,
        .started = r->started,
        .duration = clock_mono() - r->started_mono,
        .first_byte = r->first_byte,
        .rows = r->job.rows,
        .plain_bytes = r->job.plain_bytes,
        .sent_bytes = r->sent,
    };
    log_access(&entry);
    if (r->job.submitted)
        job_leave(&r->job, job_unused, r);
    request_unref(r);
}
