/* /cgi-bin/request/coop.py: what its parts share. */
#ifndef OBSTREAM_SRC_COMPAT_COOP_H
#define OBSTREAM_SRC_COMPAT_COOP_H

#include "compat.h"

enum coop_what { COOP_VIEW, COOP_DOWNLOAD, COOP_EXCEL };

/* Crop models, in the order in which one is chosen when several are asked for. */
enum coop_model {
    COOP_DAYCENT,
    COOP_CENTURY,
    COOP_APSIM,
    COOP_DNDC,
    COOP_SALUS,
    COOP_SWAT,
    COOP_MODELS,
    COOP_NO_MODEL = COOP_MODELS,
};

/* A request, read and checked. Days count from 1970-01-01. */
struct coop_request {
    struct api_request *r;
    struct strlist given;            /* stations as asked for */
    struct strlist ids;              /* those that a table can hold: ascending, unique */
    const struct station **stations; /* entry of ids.items[i], NULL when there is none */
    const struct strlist *vars;
    enum coop_what what;
    int64_t first, last; /* the period, both included */
    int64_t today;
    char delimiter;
    bool gis, header, scenario;
    /* A scenario replicates the days from scenario_first to the end of its year into last's year.
     * Without one both lie in a year to come. */
    int scenario_year;
    int64_t scenario_first, scenario_last;
};

/* The climodat entry of an id: the one in the network of its state. NULL when there is none. */
const struct station *coop_station(const struct catalog *c, const char *id);
/* The same of the request's stations; the name falls back to the id. */
const struct station *coop_known(const struct coop_request *q, const char *id, size_t len);
const char *coop_name(const struct coop_request *q, const char *id);

/* The day of another year; INT64_MIN for 29 February of a common year. */
int64_t coop_replicate(int64_t day, int year);
int coop_day_of_year(int64_t day);

/* The daily table as text or spreadsheet. */
/* The lines that begin a file; `st` NULL: none about the station. */
void coop_put_lead(const struct coop_request *q, char mark, const struct station *st, int64_t first,
                   int64_t last, struct buf *out);

bool coop_table_plan(struct coop_request *q);
/* The input files of a crop model. */
bool coop_model_plan(struct coop_request *q, enum coop_model model);

/* One more condition of a statement; stations none of which can exist match nothing. */
void coop_sql_stations(struct buf *sql, const struct strlist *ids);
void coop_sql_days(struct buf *sql, int64_t first, int64_t last);
/* A column of coop.alldata, NULL where the table lacks it. */
const char *coop_sql_column(const struct coop_request *q, const char *name, const char *type);

/* For documents: the producer writes every byte. */
extern const struct encoder coop_document;

#endif
