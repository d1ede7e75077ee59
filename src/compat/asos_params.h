/* The parameters of asos.py and the columns it offers. */
#ifndef OBSTREAM_SRC_COMPAT_ASOS_PARAMS_H
#define OBSTREAM_SRC_COMPAT_ASOS_PARAMS_H

#include "compat.h"

struct asos_params {
    struct strlist data, network, station, report_type;
    struct iem_period period;
    struct param_count hours;
    const struct tz *tz;
    const char *format, *missing, *trace;
    bool direct, elev, latlon, nometa;
};

extern const struct iem_service asos_service;

enum asos_kind {
    ASOS_NUMBER,  /* two decimals */
    ASOS_TRACE,   /* the same, and a small positive amount is a trace */
    ASOS_COUNT,   /* a whole number as it is */
    ASOS_TEXT,    /* as it is */
    ASOS_REPORT,  /* text within ASCII, commas and line ends as blanks */
    ASOS_MINUTE,  /* an instant as 2024-06-01 12:00 local time */
    ASOS_DEGREES, /* four decimals */
};

struct asos_column {
    const char *name;   /* value of `data` */
    const char *header; /* name in the answer */
    const char *source; /* column of the table */
    enum asos_kind kind;
    bool extra;           /* not part of `all` */
    double (*fn)(double); /* computes it from the source; NULL: the source itself */
    const char *unit, *help;
};

extern const struct asos_column asos_columns[];
extern const size_t asos_column_count;

const struct asos_column *asos_column_find(const char *name); /* NULL when there is none */

/* asos.c: the encoders of the two delimiters. `shape.ctx` is the struct asos_answer. */
extern const struct encoder encoder_asos_comma, encoder_asos_tab;

struct asos_answer {
    const char *preface;         /* the #DEBUG lines, or "" */
    const enum asos_kind *kinds; /* one for each field */
    const char *missing, *trace;
    size_t missing_len, trace_len;
    bool header;
};

#endif
