/* What the files of /cgi-bin/request/hads.py share. */
#ifndef OBSTREAM_SRC_COMPAT_HADS_H
#define OBSTREAM_SRC_COMPAT_HADS_H

#include "compat.h"
#include "pandas.h"

struct hads_params {
    const char *delim, *network, *thresholdvar, *what;
    struct strlist stations;
    struct param_number threshold;
    struct iem_period period;
};

/* The rows of one station in the answer. */
struct hads_span {
    const char *station;
    int64_t first;
    uint64_t rows;
};

/* One request: plan->ctx, and the context of its encoders. */
struct hads {
    struct api_request *r;
    const struct hads_params *p;
    char delimiter;
    bool several;              /* stations were asked for, whether or not they have rows */
    unsigned text_headers;     /* how many headers an answer keeps that is but a sentence */
    const char *threshold_key; /* NULL: no search */
    /* what is found before the first row is sent */
    struct strlist keys;           /* ascending */
    bool days_only;                /* all times are midnight */
    struct pandas_column *columns; /* HTML: one per key */
    struct hads_span *spans;       /* HTML: by station */
    size_t span_count, span_cap;
};

/* The cells of a row: what is fetched, then one per key. */
enum hads_cell { HADS_STATION, HADS_VALID, HADS_KEY, HADS_VALUE, HADS_WIRE };

/* plan->prepare: what the columns are, and whether there is anything at all. */
bool hads_prepare(struct plan *p, struct conn *conn, struct err *e);

/* Calls emit() with all rows of the plan, station after station, pivoted; its false ends the walk.
 */
bool hads_walk(const struct plan *p, struct conn *conn,
               bool (*emit)(void *ctx, const struct cell *cells), void *ctx, struct err *e);

/* The spreadsheet, and the answer of a threshold search in any form. */
bool hads_produce_xlsx(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e);
bool hads_produce_events(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e);

extern const struct encoder hads_encoder_text; /* delimited */
extern const struct encoder hads_encoder_html;
extern const struct encoder hads_encoder_whole; /* shape.ctx is all there is to say, or NULL */

#define HADS_MIME_XLSX "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

#endif
