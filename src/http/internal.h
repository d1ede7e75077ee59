/* What the files of the http layer share. */
#ifndef OBSTREAM_HTTP_INTERNAL_H
#define OBSTREAM_HTTP_INTERNAL_H

#include "obstream/http/negotiate.h"
#include "obstream/http/server.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>

/* Of a connection: what must be known before the request exists. */
struct connection {
    char *target; /* raw request target, as received; NULL when memory was exhausted */
};

enum request_state {
    REQUEST_READING, /* the form is arriving */
    REQUEST_WAITING, /* for the first segment, or for all of them */
    REQUEST_REPLYING,
};

/*
 * One request. Its memory is held by up to three parties (`refs`): libmicrohttpd until the request
 * completed, the job until no worker uses it, the watcher while it looks at it.
 */
struct request {
    atomic_uint refs;
    struct arena arena;
    struct server *server;
    struct MHD_Connection *connection;
    struct MHD_Response *response; /* while it streams */
    struct api_request api;
    struct job job;
    enum request_state state;
    const char *method, *target, *agent;
    bool head, http10, whole; /* whole: the answer is completed before it is sent */
    struct buf form;
    struct chunk_list pending; /* taken from the job, not yet sent */
    const struct codec *codec;
    struct document *document; /* being filled; only its thread uses it */
    bool document_done;
    struct request *document_next;
    int spool_fd;
    uint64_t spooled;
    char client[64], id[24];
    int status;
    int64_t started, started_mono, first_byte;
    uint64_t sent;
    struct request *next, *prev;             /* all requests of the server */
    struct request *watch_next, *watch_prev; /* suspended ones */
    bool watched;
};

struct server {
    const struct api *api;
    struct MHD_Daemon *daemon;
    struct proxy_list *trusted;
    unsigned port;
    atomic_bool draining; /* no new connections; those there are may still ask */
    atomic_bool stopping; /* nothing new is begun */
    pthread_mutex_t lock; /* guards the two lists */
    pthread_cond_t idle;  /* the list of requests became empty */
    struct request *requests, *suspended;
    struct documents *documents;
    pthread_t watcher;
    bool watching, stop;
};

/* request.c */
void request_completed(void *cls, struct MHD_Connection *c, void **con_cls,
                       enum MHD_RequestTerminationCode how);
struct request *request_new(struct server *s, struct MHD_Connection *c, const char *method,
                            const char *version);
void request_unref(struct request *r);
enum MHD_Result request_start(struct request *r);
void request_fail(struct request *r, enum err_kind kind, const char *why);

/* reply.c */
enum MHD_Result reply_now(struct request *r);   /* a finished body */
enum MHD_Result reply_job(struct request *r);   /* as far as the job is */
enum MHD_Result reply_error(struct request *r); /* the problem document of r->api */
enum MHD_Result reply_head(struct request *r);  /* the headers GET would have */
enum MHD_Result reply_options(struct request *r);

/* watch.c */
void watch_suspend(void *request); /* called under the scheduler's lock */
void watch_wake(void *request);
bool watch_start(struct server *s);
void watch_stop(struct server *s);

/* document.c */
void document_begin(struct request *r); /* suspends the connection until the document is done */
void document_wake(void *request);
void document_wait(void *request);
bool documents_start(struct server *s, struct err *e);
void documents_stop(struct server *s);

#endif
