/* What the files of archive.h share. */
#ifndef OBSTREAM_QUERY_ARCHIVE_PRIVATE_H
#define OBSTREAM_QUERY_ARCHIVE_PRIVATE_H

#include "obstream/query/archive.h"

/* "time >= ... AND time < ..." of a slice. */
void archive_bounds(const struct archive_query *q, const struct archive_slice *s, struct buf *out);

void archive_group_sql(const struct archive_query *q, const struct archive_slice *s,
                       struct buf *out);
void archive_newest_sql(const struct archive_query *q, const struct archive_slice *s,
                        struct buf *out);

#endif
