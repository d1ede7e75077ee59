/*
 * The server's log on standard error (one line an event: time, level, text) and the access log.
 * Thread-safe; a line is written whole. Control characters and bytes beyond ASCII of what clients
 * sent are escaped, so that nobody can forge a line.
 */
#ifndef OBSTREAM_OBS_LOG_H
#define OBSTREAM_OBS_LOG_H

#include "obstream/conf/conf.h"

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

bool log_open(const struct conf *c, struct err *e) MUST_CHECK;
bool log_reopen(struct err *e) MUST_CHECK; /* after rotation */
void log_close(void);

void log_line(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct access_entry {
    const char *client, *method, *target, *request_id, *agent, *coding, *failure;
    int status;
    int64_t started, duration; /* wall clock; microseconds */
    int64_t first_byte;        /* microseconds from the start, -1: none was sent */
    uint64_t rows, plain_bytes, sent_bytes;
};

void log_access(const struct access_entry *a);

#endif
