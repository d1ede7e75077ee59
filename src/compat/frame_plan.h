/* Plans whose answer is a data frame: held whole, or streamed. */
#ifndef OBSTREAM_SRC_COMPAT_FRAME_PLAN_H
#define OBSTREAM_SRC_COMPAT_FRAME_PLAN_H

#include "compat.h"
#include "frame.h"

/* A frame in the request's arena without rows and dtypes. NULL with err set. */
struct frame *frame_new(struct api_request *r, enum frame_format format,
                        const struct frame_column *columns, unsigned count);

/* A finished body with status 200, of rows that need no database. */
bool frame_reply(struct api_request *r, struct frame *f, const struct frame_rows *rows);

/*
 * A plan that makes the frame whole. fill() runs on a worker, adds rows to `rows` and may give the
 * frame other columns (memory of rows->arena), then with frame_rows_width(). It is repeated from
 * the start when the connection is lost.
 */
typedef bool (*frame_fill)(const struct plan *p, struct conn *conn, struct frame *f,
                           struct frame_rows *rows, struct err *e);
struct plan *frame_document(struct api_request *r, enum dataset d, const struct frame *f,
                            const void *ctx, frame_fill fill);
const void *frame_context(const struct plan *p); /* the `ctx` given */

/*
 * A frame whose rows stream. Cells of a row are found by `map` (of each column, then of lon and
 * lat); base[day - first_day] and the cell `place_cell` add up to the row's number. Made by the
 * service, finished in plan->prepare.
 */
struct frame_stream {
    struct frame frame;
    const unsigned *map;
    unsigned day_cell, place_cell;
    int64_t first_day;
    size_t days;
    uint64_t *base;
};

extern const struct encoder frame_encoders[]; /* by format; shape.ctx is a struct frame_stream */

#endif
