/*
 * A zip file, written member after member in constant memory: minizip keeps it in a temporary file
 * below `dir` (conf->spool_dir) until it is whole. Members are stored, as the recorded service
 * does.
 *
 *     struct zipfile *z = zipfile_new(dir, e);
 *     ok = z != NULL;
 *     while (ok && more) {
 *         zipfile_begin(z, "folder/name.txt", now);      ends the member before it
 *         zipfile_add(z, bytes, len);
 *     }
 *     ok = ok && zipfile_send(z, sink, e);
 *     zipfile_free(z);                                   always; removes the file; NULL is allowed
 *
 * Failure is sticky and reported by zipfile_send().
 */
#ifndef OBSTREAM_SRC_COMPAT_ZIPFILE_H
#define OBSTREAM_SRC_COMPAT_ZIPFILE_H

#include "obstream/core/err.h"

#include <stddef.h>
#include <stdint.h>

struct sink;
struct zipfile;

struct zipfile *zipfile_new(const char *dir, struct err *e) MUST_CHECK; /* NULL after a failure */
void zipfile_free(struct zipfile *z);

/* `now` in microseconds: the time of the member, UTC. */
void zipfile_begin(struct zipfile *z, const char *name, int64_t now);
void zipfile_add(struct zipfile *z, const void *p, size_t len);
bool zipfile_good(const struct zipfile *z); /* false: it makes no sense to go on */

bool zipfile_send(struct zipfile *z, struct sink *sink, struct err *e) MUST_CHECK;

#endif
