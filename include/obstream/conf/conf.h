/*
 * The configuration: one table row per key (section, key, type, default as text, bounds, help).
 * Defaults take the same path as what a user writes, so that they are checked alike.
 *
 *     struct conf conf;
 *     if (!conf_init(&conf, &err) || !conf_read_file(&conf, path, &err)) ...
 *     conf_release(&conf);
 *
 * Strings are owned by the conf. It is read-only once the server runs.
 */
#ifndef OBSTREAM_CONF_CONF_H
#define OBSTREAM_CONF_CONF_H

#include "obstream/conf/dataset.h"
#include "obstream/core/buf.h"
#include "obstream/core/err.h"

#include <stddef.h>
#include <stdint.h>

struct conf {
    /* [server] */
    char *listen;          /* numeric address */
    int64_t port;          /* 0: any free port, printed at start */
    int64_t threads;       /* HTTP threads, 0: as many as cores */
    int64_t connections;   /* at most, all clients together */
    int64_t idle_timeout;  /* seconds a kept connection may be silent */
    int64_t drain_timeout; /* milliseconds that running answers get at SIGTERM */
    char *trusted_proxies; /* addresses or networks whose X-Forwarded-For is believed */
    int64_t max_body;      /* bytes of a POST form */
    int64_t max_url;       /* bytes of the request target */
    char *port_file;       /* the port is written here once the server listens; "" none */
    /* [database] */
    char *dsn;                        /* libpq connection string for every data set */
    char *dataset_dsn[DATASET_COUNT]; /* "" means dsn */
    int64_t pool_size;                /* connections per distinct connection string */
    int64_t acquire_timeout;          /* milliseconds a request waits for the database */
    int64_t connect_timeout;          /* seconds */
    int64_t statement_timeout;        /* milliseconds, 0 none */
    int64_t connection_lifetime;      /* seconds, spread by a quarter */
    int64_t station_refresh;          /* seconds between readings of the station table */
    /* [stream] */
    int64_t workers;        /* threads that fetch segments; 0: by cores */
    int64_t segment_target; /* bytes of plain rows a segment aims at */
    int64_t segment_first;  /* bytes the first segment aims at */
    int64_t memory;         /* bytes of finished segments of all answers together */
    int64_t read_ahead;     /* segments of one answer in flight or waiting */
    int64_t queue_limit;    /* answers waiting or running, beyond it 503 */
    int64_t spool_memory;   /* bytes of an answer completed first that stay in memory */
    char *spool_dir;        /* where larger ones go */
    /* [output] */
    int64_t gzip_level; /* -1: the fastest there is; 1 to 9 zlib */
    /* [log] */
    char *log_level;  /* error, warning, info, debug */
    char *access_log; /* file, "-" for standard error, "" none */
};

bool conf_init(struct conf *c, struct err *e) MUST_CHECK; /* defaults, then OBSTREAM_DSN */
void conf_release(struct conf *c);

/* Every fault names file, line, key and remedy. */
bool conf_read_file(struct conf *c, const char *path, struct err *e) MUST_CHECK;

/* One key as "section.key" = value, as the -o option gives it. */
bool conf_set(struct conf *c, const char *name, const char *value, struct err *e) MUST_CHECK;

const char *conf_dsn(const struct conf *c, enum dataset d);

/* The live configuration as a commented INI file (which reads back) or as JSON with helps. */
void conf_print_ini(const struct conf *c, struct buf *out);
char *conf_print_json(const struct conf *c); /* malloc'ed; passwords are masked */

#endif
