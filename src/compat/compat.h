/* What the compatibility services share: periods, stations, select lists, texts of values. */
#ifndef OBSTREAM_SRC_COMPAT_COMPAT_H
#define OBSTREAM_SRC_COMPAT_COMPAT_H

#include "iem_param.h"
#include "services.h"

#include "obstream/db/copy.h"
#include "obstream/stream/plan.h"

/* Fields of `struct endpoint` that all /cgi-bin services share. */
#define CGI_SERVICE                                                                                \
    .flags = ENDPOINT_DATABASE | ENDPOINT_LENIENT, .options = "GET, OPTIONS", .fail = iem_fail

/* --- time --- */

/* year1 ... minute1: local time of the request's zone. */
struct iem_pieces {
    struct param_count year, month, day, hour, minute;
};

struct iem_period {
    struct iem_time sts, ets;
    struct iem_pieces first, last;
    struct iem_pieces both; /* year, month, day without a number stand in for either */
};

#define IEM_PIECE_(type, m, n, text)                                                               \
    {                                                                                              \
        n, IEM_INT, 0, offsetof(type, m), NULL, NULL, NULL, 0, 0, text                             \
    }
#define IEM_PIECES_(type, m, n, which)                                                             \
    IEM_PIECE_(type, m.year, "year" n, "year of the " which " in the zone of `tz`"),               \
        IEM_PIECE_(type, m.month, "month" n, "its month, 1 to 12"),                                \
        IEM_PIECE_(type, m.day, "day" n,                                                           \
                   "its day, 1 to 31; days beyond the month's end are its "                        \
                   "last"),                                                                        \
        IEM_PIECE_(type, m.hour, "hour" n, "its hour, 0 to 23, default 0"),                        \
        IEM_PIECE_(type, m.minute, "minute" n, "its minute, 0 to 59, default 0")

/* Rows of a table: year1 to minute2; `m` is the member of type struct iem_period. */
#define IEM_PERIOD_PIECES(type, m)                                                                 \
    IEM_PIECES_(type, m.first, "1", "start"), IEM_PIECES_(type, m.last, "2", "end")
/* Rows for year, month and day, where the service takes them too. */
#define IEM_PERIOD_COMMON(type, m)                                                                 \
    IEM_PIECE_(type, m.both.year, "year", "stands in for year1 and year2"),                        \
        IEM_PIECE_(type, m.both.month, "month", "stands in for month1 and month2"),                \
        IEM_PIECE_(type, m.both.day, "day", "stands in for day1 and day2")

/* Start and end: sts and ets, or the pieces in `tz`. Faults when one of them is not there or is no
 * time. Ambiguous local times are their first occurrence, those in a gap keep the offset before. */
bool iem_period(struct api_request *r, const struct iem_period *t, const struct tz *tz,
                struct iem_time *from, struct iem_time *to);

/* As Python compares datetimes: the wall clocks of one zone, else the instants. */
int iem_time_compare(const struct iem_time *a, const struct iem_time *b);
/* Days later by the wall clock. False beyond the year 9999. */
bool iem_time_add_days(struct iem_time *t, int days);
struct iem_time iem_time_utc(int64_t usec);

/* The zone that names like MST and GMT are taken for; `tz` itself as a rule. */
const struct tz *iem_zone_meant(const struct tz *tz);

/* --- stations --- */

/* For `check`: ids and networks of capital letters, digits and `_`. */
const char *iem_check_network(const char *value);

/* The ids of all stations of the networks, ascending, unique. A fault for each unknown network,
 * naming the nearest. A network without stations adds none. */
bool iem_network_stations(struct api_request *r, const char *param, const struct strlist *networks,
                          struct strlist *ids);
void iem_sort_unique(struct strlist *ids);

/* --- statements --- */

/* A select list in the making; cell i of a fetched row is its column i. */
struct iem_select {
    struct api_request *r;
    enum layout_table table;
    struct buf sql;
    const char *names[COPY_COLUMNS];
    Oid oids[COPY_COLUMNS];
    unsigned count;
};

void iem_select_init(struct iem_select *s, struct api_request *r, enum layout_table table);
/* The cell of a column of the table; one that the table lacks is NULL of type `absent`. */
unsigned iem_select_column(struct iem_select *s, const char *column, Oid absent);
/* The cell of an expression (text of our own source code). */
unsigned iem_select_expr(struct iem_select *s, const char *sql, Oid oid);
/* Moves list and types into the plan and its query; err when something failed. */
bool iem_select_done(struct iem_select *s, struct plan *p);

/* False, with err set, when the database has no such table. */
bool iem_table_there(struct api_request *r, enum layout_table table);

/* Narrows a window to what the archive can hold: microseconds, half-open. */
void iem_window_clip(const struct api_request *r, enum layout_table table, int64_t *from,
                     int64_t *to);

/* A plan in the arena with pool, table and window set; NULL with err set. */
struct plan *iem_plan(struct api_request *r, enum layout_table table, int64_t from, int64_t to);

/* --- texts of values; all write at p and return the end, NUMBER_ROOM is enough --- */

/* Python's format(v, ".2f") of a float4 as a client reads it: 29.925 gives 29.93. nan, inf. */
char *iem_put_float4(char *p, float v, int decimals);
char *iem_put_float8(char *p, double v, int decimals); /* format(v, ".Nf") */
char *iem_put_repr(char *p, double v);                 /* repr(v): 1e-05, 0.1, 5.0, 1e+16, nan */
/* Bytes within ASCII of a text, line ends (and commas, if so asked) as blanks; at most len bytes.
 */
char *iem_put_ascii(char *p, const char *s, size_t len, bool commas);
/* str() of a datetime: 2024-12-31 12:00:00[.ffffff]+00:00 */
char *iem_put_time(char *p, const struct iem_time *t);
/* 2024-12-31 12:00 in the zone of the shape. */
char *iem_put_minute(struct encode_state *st, int64_t usec, char *p);

double iem_round_numpy(double v, int decimals);  /* scaled, nearest even, scaled back */
double iem_round_python(double v, int decimals); /* round(v, decimals): the exact value's nearest */
double iem_f2c(double f);                        /* degrees Fahrenheit to Celsius, (f - 32) / 1.8 */

#endif
