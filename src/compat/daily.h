/* /cgi-bin/request/daily.py: what its files share. */
#ifndef OBSTREAM_SRC_COMPAT_DAILY_H
#define OBSTREAM_SRC_COMPAT_DAILY_H

#include "members.h"

enum daily_origin {
    DAILY_SUMMARY, /* a column of the summaries */
    DAILY_STATION,
    DAILY_DAY,
    DAILY_CLIMATE,        /* the station's normal of that day of the year */
    DAILY_SITE,           /* id of the site whose normals these are */
    DAILY_SITE_OF_NORMAL, /* the same, null where the day has no normal */
    DAILY_SDAY,           /* month and day, 0229 */
};

struct daily_column {
    const char *name;
    enum daily_origin origin;
    const char *source; /* column of its table */
    bool extra;         /* only when asked for by name */
};

extern const struct daily_column daily_columns[];
extern const unsigned daily_column_count;

enum { DAILY_COLUMNS_MAX = 32, DAILY_NORMALS = 3, DAILY_YEAR = 366 };

/* The normals of one site: high, low, precipitation; NaN: none. `there`: the table has the day. */
struct daily_normals {
    const char *site;
    float values[DAILY_YEAR][DAILY_NORMALS];
    bool there[DAILY_YEAR];
};

struct daily_request {
    struct api_request *r;
    struct members members;
    const char *missing; /* text of a null; NULL: an empty field, null in JSON */
    const struct daily_column *columns[DAILY_COLUMNS_MAX];
    unsigned cells[DAILY_COLUMNS_MAX]; /* where they are in a row */
    unsigned count;
    bool climate; /* the normals are needed */
    struct computed computed[DAILY_COLUMNS_MAX];
    Oid oids[DAILY_COLUMNS_MAX];
    /* filled by daily_climate() */
    struct daily_normals *normals; /* ascending by site */
    size_t normal_count;
};

/* plan->prepare: reads the normals of all sites of the members. */
bool daily_climate(struct plan *p, struct conn *conn, struct err *e);

/* Cells that come from the station or its normals: plan->computed, ctx is the request, in[0] the
 * station, in[1] the day; args[0] is the number of the normal. */
void daily_normal(const struct computed *c, const struct cell *cells, struct cell *out);
void daily_site(const struct computed *c, const struct cell *cells, struct cell *out);
void daily_site_of_normal(const struct computed *c, const struct cell *cells, struct cell *out);

extern const struct encoder daily_encoder_csv, daily_encoder_json; /* shape.ctx: the request */

/* plan->produce: a spreadsheet. */
bool daily_excel(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e);

#endif
