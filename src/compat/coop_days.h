/* Days of coop.alldata for the models' files. */
#ifndef OBSTREAM_SRC_COMPAT_COOP_DAYS_H
#define OBSTREAM_SRC_COMPAT_COOP_DAYS_H

#include "coop.h"
#include "coop_model.h"

/* Which days: those with high and low, and with `precip` also with precipitation. */
struct coop_span {
    const struct strlist *ids;
    int64_t first, last; /* both included */
    bool precip;
};

/* Calls fn() for each day, by day; false from it stops, and is no failure. */
typedef bool (*coop_day_fn)(void *ctx, const struct coop_day *d);
bool coop_days(const struct coop_request *q, struct conn *conn, const struct coop_span *span,
               coop_day_fn fn, void *ctx, struct err *e);

/* One year of a station, to be replicated. */
struct coop_year {
    struct coop_day days[12][31];
    bool there[12][31], any;
};

bool coop_year_read(const struct coop_request *q, struct conn *conn, struct coop_year *y,
                    struct err *e);
/* The record for a day of any year; 28 February stands in for the 29th. NULL when there is none. */
const struct coop_day *coop_year_find(const struct coop_year *y, int64_t day);

/* Means of the normals at a station of the normals' table; NaN when there are none. */
struct coop_normals {
    double mean, warmest, coldest; /* degrees Fahrenheit */
};
bool coop_normals_read(const struct coop_request *q, struct conn *conn, const char *id,
                       struct coop_normals *n, struct err *e);

/* Months of complete days, ascending by year and month, all from `first` to `last`, with a scenario
 * that falls into today's year. */
typedef bool (*coop_month_fn)(void *ctx, int year, int month, const struct coop_month *m);
bool coop_months(const struct coop_request *q, struct conn *conn, int64_t first, int64_t last,
                 coop_month_fn fn, void *ctx, struct err *e);

#endif
