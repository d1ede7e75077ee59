/*
 * Endpoints as a table, and one request on its way through it.
 *
 * An endpoint's `prepare` reads the request's parameters and leaves either a plan (an answer that
 * streams) or a finished body. It runs on an HTTP thread and must not wait for the database. What
 * was wrong is left in faults (all at once) or in err.
 */
#ifndef OBSTREAM_API_ENDPOINT_H
#define OBSTREAM_API_ENDPOINT_H

#include "obstream/api/catalog.h"
#include "obstream/api/param.h"
#include "obstream/query/column.h"
#include "obstream/stream/scheduler.h"

/* What all requests share. */
struct api {
    const struct conf *conf;
    struct pool *pools[DATASET_COUNT];
    struct catalog_store *store;
    struct scheduler *sched;
    int64_t started; /* wall clock */
};

struct native_params;

struct reply_header {
    const char *name, *value;
};

enum { REPLY_HEADERS = 12 };

struct api_request {
    struct arena *arena;
    const struct api *api;
    const struct catalog
        *catalog; /* held for the request; NULL while the database was never read */
    const struct endpoint *endpoint;
    struct pairs pairs;
    struct faults faults;
    struct err err;
    const char *path_format;   /* /api/metar.json: "json"; else NULL */
    const char *path_argument; /* /api/1/network/IA_ASOS.json: "IA_ASOS" (ENDPOINT_ARGUMENT) */
    const char *method;
    const char *host;   /* header, or NULL */
    const char *accept; /* header, or NULL */
    const char *path;
    int64_t now;                             /* wall clock, microseconds */
    const struct native_params *plan_params; /* for computed cells that depend on them */

    /* what prepare leaves */
    struct plan *plan;
    int status;       /* with `body` */
    const char *mime; /* with `body` */
    struct buf *body; /* in the arena, released with it */
    struct reply_header headers[REPLY_HEADERS];
    unsigned header_count;
    bool limited; /* the answer must say whether it was cut: complete it first if it is small */
};

enum endpoint_flag {
    ENDPOINT_FORMATS = 1,   /* answers in any encoder's format, by format=, suffix or Accept */
    ENDPOINT_DATABASE = 2,  /* needs the catalog: 503 without */
    ENDPOINT_SUFFIX = 4,    /* any suffix belongs to the path: kept in path_format, not checked */
    ENDPOINT_ARGUMENT = 8,  /* the path goes on with one more name: kept in path_argument */
    ENDPOINT_LENIENT = 16,  /* bad percent codes and bad UTF-8 pass as Python's parse_qsl does */
    ENDPOINT_NO_SLASH = 32, /* a slash at the end is redirected (307), not accepted */
    ENDPOINT_MORE_COLUMNS = 64, /* answers may have columns that the table does not name */
};

struct endpoint {
    const char *path;
    const char *summary, *help;
    unsigned flags;
    const struct param *const *params; /* NULL-terminated list of tables; NULL: none */
    const struct column *columns;
    size_t column_count;
    bool (*prepare)(struct api_request *r);
    /* query strings, or whole targets that start with a slash */
    const char *examples[4];
    const char *const *aliases;          /* further paths, NULL-terminated; NULL: none */
    const char *allow;                   /* methods; NULL: GET, HEAD, POST, OPTIONS */
    const char *options;                 /* what OPTIONS tells; NULL: the methods allowed */
    void (*fail)(struct api_request *r); /* makes the answer of a failure; NULL: problem_reply() */
    const char *media_type; /* of what is no encoder's answer; NULL: text/plain; charset=utf-8 */
};

/* All endpoints; NULL-terminated. */
extern const struct endpoint *const endpoints[];

/* The endpoint of r->path, NULL when there is none; fills path_format and path_argument. */
const struct endpoint *endpoint_find(struct api_request *r);

void reply_header_add(struct api_request *r, const char *name, const char *value);

/* The finished body of a request: empty at first, freed with the request. */
struct buf *reply_body(struct api_request *r, int status, const char *mime);

/* The problem document (RFC 9457) of a failed request, into reply_body(). */
void problem_reply(struct api_request *r);

/* Leaves a plan that answers with a text that outlives the request, or lies in its arena;
 * compressed if the client likes. */
bool text_reply(struct api_request *r, const char *mime, const char *text, size_t len);

/* An endpoint whose failures are problem documents: not one of the compatibility services. */
static inline bool endpoint_is_native(const struct endpoint *e)
{
    return e->fail == NULL;
}

/* OpenAPI 3.1, made of the tables once and kept; NULL when memory is exhausted. */
const char *openapi_json(void);

/* The whole description as JSON, malloc'ed: endpoints, parameters, columns, formats, codings. */
char *describe_json(void);

#endif
