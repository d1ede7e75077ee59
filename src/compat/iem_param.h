/*
 * Parameters of the /cgi-bin services as a table, read by the rules their clients know:
 *
 * - Names are case sensitive. `x[]` means `x`; the two are not merged, the spelling that first
 *   appears later stands. Names not in the table are ignored.
 * - A parameter given once without a value is absent. A scalar given twice is a fault, but a zone
 *   may be repeated alike.
 * - Whole numbers pass with blanks around them, a sign, leading zeros, single underscores between
 *   digits and zero decimals (2024.0); booleans are yes/no, y/n, t/f, true/false, on/off, 1/0.
 * - Times have T, t, _ or a blank between day and clock, seconds and a fraction when wanted, Z, z,
 *   +hh:mm or +hhmm; or are Unix seconds, or milliseconds from 2e10 on.
 * - Values that look like script (`<x`, `javascript:`) are refused.
 *
 * All faults are collected, in the order of the table; they make the status 422. Texts live in the
 * arena of the request.
 */
#ifndef OBSTREAM_SRC_COMPAT_IEM_PARAM_H
#define OBSTREAM_SRC_COMPAT_IEM_PARAM_H

#include "obstream/api/endpoint.h"

enum iem_type {
    IEM_TEXT,   /* const char *; NULL: absent */
    IEM_LIST,   /* struct strlist: repeated, each value comma separated; blanks around are cut */
    IEM_REPEAT, /* struct strlist: repeated only */
    IEM_INT,    /* struct param_count */
    IEM_NUMBER, /* struct param_number; nan and inf are numbers */
    IEM_BOOL,   /* bool */
    IEM_ZONE,   /* const struct tz * */
    IEM_AWARE,  /* struct iem_time; text without a zone is a fault */
    IEM_TIME,   /* struct iem_time; `aware` tells */
    IEM_DATE,   /* struct iem_time: a day; a time of day other than midnight is a fault */
};

enum iem_flag {
    IEM_REQUIRED = 1,
    IEM_HIDDEN = 2, /* accepted, but not on the help page */
};

/* A point in time as it was given: what is printed again is the local time and its offset. */
struct iem_time {
    bool set, aware;
    struct civil local;
    int32_t offset;        /* seconds east of UTC, 0 when not aware */
    int64_t usec;          /* the instant; of a time without a zone as if it were UTC */
    const struct tz *zone; /* of pieces; NULL for text, whose zone is its offset */
};

struct iem_param {
    const char *name;
    enum iem_type type;
    unsigned flags;
    size_t offset;
    const char *standard; /* default as text, NULL: none */
    const char *choices;  /* comma separated: what a text or a list's item may be; NULL: anything */
    /* NULL when a text or a list's item is good, else what it must be: "has to be ..." */
    const char *(*check)(const char *value);
    int64_t min, max; /* of an IEM_INT; both 0: any */
    const char *help;
};

/* The parameters of a service and what its help page says beside them. */
struct iem_service {
    const struct iem_param *const *params; /* NULL-terminated list of tables that end with a row
                                              without name */
    size_t size;                           /* of the struct that is filled */
    const char *differs; /* where the answers are meant to differ; one sentence a line */
};

/*
 * Fills a new struct of s->size from r->pairs. NULL when there is nothing to go on with: then
 * either
 * `?help` was asked for and its page is the reply (return iem_answered(r) from prepare), or
 * r->faults or r->err tell why.
 */
void *iem_read(struct api_request *r, const struct iem_service *s);
bool iem_answered(const struct api_request *r);

/* The help page: HTML from the table, the endpoint's summary, help and examples. */
void iem_help_page(struct api_request *r, const struct iem_service *s);

/* endpoint->fail: text/plain, a sentence a line; 422 for faults, else the status of r->err. */
void iem_fail(struct api_request *r);

/* The parts of iem_read(), for services with rules of their own. */
bool iem_bool_text(const char *text, bool *out);
/* With `decimals` zero decimals pass (pydantic), without they do not (Python's int()). Numbers
 * beyond 64 bits become INT64_MAX or INT64_MIN. */
bool iem_int_text(const char *text, bool decimals, int64_t *out);
bool iem_number_text(const char *text, double *out);
/* False: *why says what is wrong. A day alone is its midnight, not aware. */
bool iem_time_text(const char *text, struct iem_time *out, const char **why);

#endif
