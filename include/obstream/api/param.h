/*
 * Parameters as a table: each row says name, type, where the typed value goes, bounds and help.
 * The endpoint's plan receives the filled struct and never sees a string it did not ask for. An
 * undeclared parameter is a fault. All faults of a request are collected before it is refused.
 */
#ifndef OBSTREAM_API_PARAM_H
#define OBSTREAM_API_PARAM_H

#include "obstream/core/strutil.h"
#include "obstream/core/tz.h"

#include <stdint.h>

enum param_type {
    PARAM_TEXT,    /* const char * */
    PARAM_LIST,    /* struct strlist: repeated or comma separated */
    PARAM_CHOICE,  /* const char *, one of `choices` */
    PARAM_CHOICES, /* struct strlist, each one of `choices` */
    PARAM_ZONE,    /* const struct tz * */
    PARAM_TIME,    /* struct param_time; zone-less text in the zone of the request */
    PARAM_COUNT,   /* struct param_count: whole number within min..max */
    PARAM_NUMBER,  /* struct param_number within min..max */
    PARAM_BBOX,    /* struct param_bbox: west,south,east,north */
};

struct param_time {
    bool set;
    int64_t usec;
};

struct param_count {
    bool set;
    int64_t value;
};

struct param_number {
    bool set;
    double value;
};

struct param_bbox {
    bool set;
    double west, south, east, north; /* west > east crosses 180 degrees */
};

struct param {
    const char *name;
    const char *aliases; /* comma separated, or NULL */
    enum param_type type;
    size_t offset;
    const char *standard; /* default as text, NULL: none */
    const char *choices;  /* comma separated */
    double min, max;
    const char *help, *example;
};

/* A name and value of the query or form, decoded. */
struct pair {
    const char *name, *value;
};

struct pairs {
    struct pair *items;
    size_t count, cap;
};

struct fault {
    const char *param, *value, *detail;
};

/* A request of many thousand faults lists the first FAULTS_LISTED and counts the rest; looking for
 * the nearest name is costly, so only the first FAULTS_NEAREST get one. */
enum { FAULTS_LISTED = 100, FAULTS_NEAREST = 10 };

struct faults {
    struct arena *arena;
    struct fault *items;
    size_t count, cap;
    size_t unlisted;
};

/* detail names what is wrong and the remedy. */
void fault_add(struct faults *f, const char *param, const char *value, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Replaces bytes that are not UTF-8 by `?`, in place; returns the text, which may be NULL. */
char *utf8_mend(char *text);

/* Decodes application/x-www-form-urlencoded text. Bad percent codes, NUL bytes and bytes that are
 * not UTF-8 are faults. */
void pairs_decode(struct pairs *p, const char *text, size_t len, struct faults *f);

/* The same as Python's parse_qsl: bad percent codes stay as they are, bytes that are not UTF-8
 * become U+FFFD, a NUL ends the value; nothing is a fault. Values may be empty. */
void pairs_decode_leniently(struct pairs *p, struct arena *a, const char *text, size_t len);

/* Fills `target` from the pairs by the tables (NULL-terminated list of tables that end with a row
 * without name). Parameters without a value count as absent. */
void params_fill(const struct param *const *tables, const struct pairs *pairs, void *target,
                 struct faults *f);

#endif
