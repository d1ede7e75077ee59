/*
 * Answers. A plan's answer takes one of four ways: small and complete at the first look (one
 * buffer with Content-Length), streamed in chunks, completed first (HTTP/1.0, small limits) in
 * memory or, above a size, in a file; or made as a document (document.c).
 */
#include "internal.h"

#include "obstream/core/clock.h"
#include "obstream/obs/log.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_SIZE = 128 << 10, SMALL_ANSWER = 256 << 10 };

static const char *allowed(const struct request *r)
{
    const struct endpoint *e = r->api.endpoint;
    return e != NULL && e->allow != NULL ? e->allow : "GET, HEAD, POST, OPTIONS";
}

static void set(struct MHD_Response *m, const char *name, const char *value)
{
    if (value != NULL)
        MHD_add_response_header(m, name, value);
}

static void common_headers(struct request *r, struct MHD_Response *m)
{
    set(m, "X-Request-Id", r->id);
    set(m, "Access-Control-Allow-Origin", "*");
    set(m, "Access-Control-Expose-Headers",
        "X-Request-Id, X-Time-Window, X-Truncated, Content-Disposition, Retry-After, ETag");
    set(m, "X-Content-Type-Options", "nosniff");
    for (unsigned i = 0; i < r->api.header_count; i++)
        set(m, r->api.headers[i].name, r->api.headers[i].value);
    if (atomic_load(&r->server->draining))
        set(m, "Connection", "close");
}

static enum MHD_Result queue(struct request *r, int status, struct MHD_Response *m)
{
    if (m == NULL)
        return MHD_NO;
    common_headers(r, m);
    r->status = status;
    r->state = REQUEST_REPLYING;
    enum MHD_Result result = MHD_queue_response(r->connection, (unsigned)status, m);
    MHD_destroy_response(m);
    return result;
}

static struct MHD_Response *buffer_response(const void *data, size_t len)
{
    return MHD_create_response_from_buffer(len, (void *)(len > 0 ? data : ""),
                                           MHD_RESPMEM_MUST_COPY);
}

enum MHD_Result reply_now(struct request *r)
{
    struct api_request *q = &r->api;
    bool ok = q->body != NULL && !q->body->failed;
    struct MHD_Response *m =
        ok ? buffer_response(q->body->data, q->body->len) : buffer_response("", 0);
    if (m == NULL)
        return MHD_NO;
    if (ok && q->mime != NULL)
        set(m, "Content-Type", q->mime);
    r->sent = ok ? q->body->len : 0;
    return queue(r, ok ? q->status : 500, m);
}

enum MHD_Result reply_error(struct request *r)
{
    if (r->api.faults.count == 0 && err_status(r->api.err.kind) >= 500)
        log_line(LOG_WARNING, "answer %s is %d: %s", r->id, err_status(r->api.err.kind),
                 r->api.err.msg);
    r->api.header_count = 0;
    r->codec = &codec_identity;
    const struct endpoint *e = r->api.endpoint;
    if (e != NULL && e->fail != NULL)
        e->fail(&r->api);
    else
        problem_reply(&r->api);
    reply_header_add(&r->api, "Cache-Control", "no-store");
    if (r->api.err.kind == ERR_METHOD)
        reply_header_add(&r->api, "Allow", allowed(r));
    return reply_now(r);
}

enum MHD_Result reply_options(struct request *r)
{
    const struct endpoint *e = r->api.endpoint;
    const char *told = e != NULL && e->options != NULL ? e->options : allowed(r);
    reply_header_add(&r->api, "Allow", told);
    reply_header_add(&r->api, "Access-Control-Allow-Methods", told);
    reply_header_add(&r->api, "Access-Control-Allow-Headers", "*");
    reply_header_add(&r->api, "Access-Control-Max-Age", "86400");
    return queue(r, 204, buffer_response("", 0));
}

static void plan_headers(struct request *r, struct MHD_Response *m)
{
    const struct plan *p = r->api.plan;
    set(m, "Content-Type", p->mime != NULL ? p->mime : p->encoder->mime);
    set(m, "Vary", "Accept, Accept-Encoding");
    if (r->codec != &codec_identity)
        set(m, "Content-Encoding", r->codec->name);
}

static ssize_t read_nothing(void *cls, uint64_t pos, char *data, size_t max)
{
    (void)cls;
    (void)pos;
    (void)data;
    (void)max;
    return MHD_CONTENT_READER_END_OF_STREAM;
}

enum MHD_Result reply_head(struct request *r)
{
    struct MHD_Response *m =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1024, read_nothing, NULL, NULL);
    if (m != NULL)
        plan_headers(r, m);
    return queue(r, 200, m);
}

static void note_first_byte(struct request *r)
{
    if (r->first_byte < 0)
        r->first_byte = clock_mono() - r->started_mono;
}

/* Bytes of the answer as libmicrohttpd asks for them. Returning 0 is only allowed after the
 * connection was suspended, which job_take() does. */
static ssize_t read_answer(void *cls, uint64_t pos, char *data, size_t max)
{
    struct request *r = cls;
    (void)pos;
    while (r->pending.bytes == 0) {
        switch (job_take(&r->job, &r->pending)) {
        case JOB_WAIT:
            return 0;
        case JOB_END:
            if (r->job.truncated && r->response != NULL)
                MHD_add_response_footer(r->response, "X-Truncated", "true");
            return MHD_CONTENT_READER_END_OF_STREAM;
        case JOB_FAILED:
            log_line(LOG_WARNING, "answer %s aborted: %s", r->id, r->job.err.msg);
            return MHD_CONTENT_READER_END_WITH_ERROR;
        case JOB_BYTES:
            break;
        }
    }
    note_first_byte(r);
    size_t n = chunk_list_take(&r->pending, data, max);
    r->sent += n;
    return (ssize_t)n;
}

static enum MHD_Result stream_answer(struct request *r)
{
    struct MHD_Response *m =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_SIZE, read_answer, r, NULL);
    if (m == NULL)
        return MHD_NO;
    r->response = m;
    plan_headers(r, m);
    return queue(r, 200, m);
}

static enum MHD_Result job_failed(struct request *r)
{
    err_set(&r->api.err, r->job.err.kind, "%s", r->job.err.msg);
    if (r->job.err.kind == ERR_CANCELLED)
        return MHD_NO; /* nobody is there to read an answer */
    return reply_error(r);
}

/* From the bytes themselves, since nothing else tells that the archive's rows are the same: an
 * answer that is known before its first byte has an ETag, one that streams has none. */
static const char *entity_tag(struct request *r, const char *data, size_t n)
{
    enum { SHOWN = 32 };
    gchar *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)data, n);
    const char *tag = sum != NULL ? arena_printf(&r->arena, "\"%.*s\"", SHOWN, sum) : NULL;
    g_free(sum);
    return tag;
}

static bool client_has(struct request *r, const char *tag)
{
    const char *given =
        MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);
    return tag != NULL && given != NULL && str_eq(r->method, "GET") &&
           (str_eq(given, "*") || strstr(given, tag) != NULL);
}

static enum MHD_Result send_buffer(struct request *r)
{
    size_t n = r->pending.bytes;
    char *data = malloc(n > 0 ? n : 1);
    if (data == NULL)
        return MHD_NO;
    chunk_list_take(&r->pending, data, n);
    const char *tag = entity_tag(r, data, n);
    if (client_has(r, tag)) {
        free(data);
        struct MHD_Response *same = buffer_response("", 0);
        if (same != NULL) {
            set(same, "Vary", "Accept, Accept-Encoding");
            set(same, "ETag", tag);
        }
        note_first_byte(r);
        return queue(r, 304, same);
    }
    struct MHD_Response *m = MHD_create_response_from_buffer(n, data, MHD_RESPMEM_MUST_FREE);
    if (m == NULL) {
        free(data);
        return MHD_NO;
    }
    plan_headers(r, m);
    set(m, "ETag", tag);
    if (r->job.truncated)
        set(m, "X-Truncated", "true");
    note_first_byte(r);
    r->sent = n;
    return queue(r, 200, m);
}

/* --- answers completed first --- */

static bool spool_open(struct request *r)
{
    const char *dir = r->server->api->conf->spool_dir;
    r->spool_fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (r->spool_fd < 0) { /* not every file system can make nameless files */
        char *path = arena_printf(&r->arena, "%s/obstream-XXXXXX", dir);
        r->spool_fd = path != NULL ? mkostemp(path, O_CLOEXEC) : -1;
        if (r->spool_fd >= 0)
            unlink(path);
    }
    return r->spool_fd >= 0 ||
           err_set(&r->api.err, ERR_IO, "cannot write to %s (stream.spool_dir): %s", dir,
                   strerror(errno));
}

static bool spool_write(struct request *r)
{
    char block[16384];
    size_t n;
    if (r->spool_fd < 0 && !spool_open(r))
        return false;
    while ((n = chunk_list_take(&r->pending, block, sizeof(block))) > 0) {
        for (size_t done = 0; done < n;) {
            ssize_t w = write(r->spool_fd, block + done, n - done);
            if (w < 0 && errno != EINTR)
                return err_set(&r->api.err, ERR_IO, "cannot write to %s (stream.spool_dir): %s",
                               r->server->api->conf->spool_dir, strerror(errno));
            done += w > 0 ? (size_t)w : 0;
        }
        r->spooled += n;
    }
    return true;
}

/* The file that holds the answer. */
static enum MHD_Result send_file(struct request *r)
{
    struct MHD_Response *m = MHD_create_response_from_fd64(r->spooled, r->spool_fd);
    if (m == NULL)
        return MHD_NO;
    r->spool_fd = -1; /* the response closes it */
    plan_headers(r, m);
    if (r->job.truncated)
        set(m, "X-Truncated", "true");
    note_first_byte(r);
    r->sent = r->spooled;
    return queue(r, 200, m);
}

static enum MHD_Result send_spool(struct request *r)
{
    if (r->spool_fd < 0)
        return send_buffer(r);
    return spool_write(r) ? send_file(r) : reply_error(r);
}

static enum MHD_Result complete_first(struct request *r)
{
    for (;;) {
        switch (job_take(&r->job, &r->pending)) {
        case JOB_WAIT:
            return MHD_YES;
        case JOB_FAILED:
            return job_failed(r);
        case JOB_END:
            return send_spool(r);
        case JOB_BYTES:
            if (r->pending.bytes > (uint64_t)r->server->api->conf->spool_memory && !spool_write(r))
                return reply_error(r);
        }
    }
}

/* A finished file, or why there is none. */
static enum MHD_Result reply_document(struct request *r)
{
    struct stat st;
    if (!r->document_done)
        return MHD_YES;
    if (r->api.err.kind == ERR_CANCELLED)
        return MHD_NO;
    if (r->api.err.kind != ERR_NONE)
        return reply_error(r);
    if (fstat(r->spool_fd, &st) != 0) {
        err_set(&r->api.err, ERR_IO, "the document is gone: %s", strerror(errno));
        return reply_error(r);
    }
    r->spooled = (uint64_t)st.st_size;
    return send_file(r);
}

enum MHD_Result reply_job(struct request *r)
{
    if (r->api.plan->encoder->document != NULL)
        return reply_document(r);
    if (r->whole)
        return complete_first(r);
    switch (job_look(&r->job)) {
    case JOB_WAIT:
        return MHD_YES;
    case JOB_FAILED:
        return job_failed(r);
    case JOB_END:
        if (r->job.ready_bytes <= SMALL_ANSWER)
            return complete_first(r);
        /* fall through */
    case JOB_BYTES:
        break;
    }
    return stream_answer(r);
}
