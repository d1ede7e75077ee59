/*
 * The one result type: a function that can fail returns bool and takes a `struct err *`.
 *
 *     if (!thing_open(&t, path, err))
 *         return false;
 *
 * The first failure is kept: err_set() on an err that is already set does nothing, so that the
 * cause is reported and not its consequences. A kind decides the HTTP status and the slug of the
 * problem document (RFC 9457). No memory is owned.
 */
#ifndef OBSTREAM_CORE_ERR_H
#define OBSTREAM_CORE_ERR_H

#include <stdbool.h>

/* kind, HTTP status, slug, title */
#define ERR_KINDS(X)                                                                               \
    X(ERR_NONE, 200, "ok", "OK")                                                                   \
    X(ERR_PARAM, 400, "bad-parameter", "A parameter is not valid")                                 \
    X(ERR_NOT_FOUND, 404, "not-found", "No such resource")                                         \
    X(ERR_METHOD, 405, "method-not-allowed", "Method not allowed")                                 \
    X(ERR_NOT_ACCEPTABLE, 406, "not-acceptable", "No acceptable format")                           \
    X(ERR_TOO_LARGE, 413, "too-large", "The request is too large")                                 \
    X(ERR_URI_TOO_LONG, 414, "uri-too-long", "The request target is too long")                     \
    X(ERR_MEDIA_TYPE, 415, "unsupported-media-type", "Unsupported media type")                     \
    X(ERR_UNPROCESSABLE, 422, "unprocessable", "The request cannot be processed")                  \
    X(ERR_INTERNAL, 500, "internal", "Internal error")                                             \
    X(ERR_DATABASE, 502, "database-error", "The database refused the query")                       \
    X(ERR_UNAVAILABLE, 503, "unavailable", "The service is not available now")                     \
    X(ERR_TIMEOUT, 504, "timeout", "The database did not answer in time")                          \
    X(ERR_IO, 500, "io-error", "Input or output failed")                                           \
    X(ERR_CANCELLED, 499, "cancelled", "The client is gone")

#define ERR_ENUM(kind, status, slug, title) kind,
enum err_kind { ERR_KINDS(ERR_ENUM) ERR_KIND_COUNT };
#undef ERR_ENUM

enum { ERR_MSG_SIZE = 768 };

struct err {
    enum err_kind kind; /* ERR_NONE while nothing has failed */
    char msg[ERR_MSG_SIZE];
};

#define ERR_INIT ((struct err){ .kind = ERR_NONE })
#define MUST_CHECK __attribute__((warn_unused_result))

/* Records the failure if `e` holds none yet; always returns false. `e` may be NULL. */
bool err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

void err_clear(struct err *e);

int err_status(enum err_kind kind);        /* HTTP status */
const char *err_slug(enum err_kind kind);  /* last part of the problem type */
const char *err_title(enum err_kind kind); /* short summary of the kind */

#endif
