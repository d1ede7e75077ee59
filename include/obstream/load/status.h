/* What is in the archive: per table rows, span, partitions and size, as lines for people. */
#ifndef OBSTREAM_LOAD_STATUS_H
#define OBSTREAM_LOAD_STATUS_H

#include "obstream/core/buf.h"
#include "obstream/core/err.h"

/* Estimated rows are those of the server's statistics (an estimate may be missing: "?"); `exact`
 * counts them, which reads the tables. */
bool status_report(const char *dsn, bool exact, struct buf *out, struct err *e) MUST_CHECK;

#endif
