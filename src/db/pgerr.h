/* Errors of PostgreSQL as errors of obstream; internal to db. */
#ifndef OBSTREAM_DB_PGERR_H
#define OBSTREAM_DB_PGERR_H

#include "obstream/db/pool.h"

/* Records what went wrong, by SQLSTATE (PostgreSQL manual, appendix A); `res` may be NULL. Returns
 * whether the connection can still be used. */
bool pgerr_record(struct conn *conn, const PGresult *res, struct err *e);

/* The message with every run of white space as one blank, cut to size - 1 bytes with "..." at the
 * end when it is longer. */
void pgerr_one_line(char *out, size_t size, const char *message);

#endif
