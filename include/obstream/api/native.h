/* The parameters that the native archive endpoints share, and how a plan is composed from them. */
#ifndef OBSTREAM_API_NATIVE_H
#define OBSTREAM_API_NATIVE_H

#include "obstream/api/endpoint.h"

struct native_params {
    /* which stations */
    struct strlist station, network, state, wfo, country;
    struct param_bbox bbox;
    struct param_number lat, lon, radius; /* degrees, kilometres */
    /* which time */
    struct param_time sts, ets;
    struct param_count hours, days;
    const struct tz *tz;
    /* which columns, how */
    struct strlist vars, units;
    const char *format, *missing, *trace, *sort, *order, *header, *filename;
    struct param_count limit;
    /* METAR */
    struct strlist report_type;
    /* SHEF */
    struct strlist pe, duration, ts, extremum, key, pedts, qualifier;
    struct param_number min_value, max_value;
    const char *layout;
    /* climodat */
    struct param_number gdd_base, gdd_ceil, hdd_base, cdd_base;
    /* metadata */
    const char *online;
    /* SHEF: dictionary, summary, exceed */
    struct strlist table;
    const char *stage, *direction;
    struct param_number threshold, min_duration, gap, max_gap;
    /* grouped answers */
    const char *by; /* hour, day, week, month, year */
    /* climodat aggregates and records */
    const char *scope, *normals, *rollup;
    struct strlist stat, region;
    struct param_count maxmissing;
    struct param_number min_coverage, sdd_base;
};

extern const struct param params_stations[], params_time[], params_rows[], params_output[];

/* The stations a request selects. */
struct selection {
    bool all;         /* no station parameter was given */
    const char **ids; /* ascending, unique; with `all`: split points */
    uint32_t count;
    const int64_t *numbers; /* iemid of each; NULL before select_numbered() */
};

/* Which entries of the station table belong to a data set. */
typedef bool (*station_class)(const struct station *st);

/* Faults name unknown stations, networks, states. False when there are any. */
bool select_stations(struct api_request *r, const struct native_params *p, station_class belongs,
                     struct selection *out);
/* Turns a selection of ids, `all` too, into one of the entries behind them that belong, each with
 * its number. False, with err set, when memory is exhausted. */
bool select_numbered(struct api_request *r, const struct native_params *p, station_class belongs,
                     struct selection *sel);
/* The same choice for metadata: does one entry match the parameters? */
bool select_matches(const struct native_params *p, const struct station *st);
bool select_check(struct api_request *r, const struct native_params *p, station_class belongs);

/* A column that a statement of its own yields, or a transform. */
struct derived {
    const char *name;
    Oid oid;
};

/* An archive endpoint: a table of stations and times and the columns it offers. */
struct archive_spec {
    enum layout_table table;
    const char *station, *time; /* columns of the table, and names of the answer's first two */
    const char *number; /* the table knows stations by this column (iemid); NULL: by `station` */
    bool time_is_day;
    const char *tie;                /* order of rows equal in station and time */
    double rows_per_day, row_bytes; /* of a station: a first guess */
    station_class belongs;
    const struct column *columns;
    size_t column_count;
    /* Where the cells are not columns of the table: what they are, cell i being row i; the first
     * two are station and an instant. NULL-terminated; the endpoint sets plan->query.statement. */
    const struct derived *derived;
    const struct group_spec *group; /* see group.h; NULL: rows as they are */
    int fresh; /* seconds that an answer whose window is open may be kept; 0: 60 */
};

/* Composes the plan. `filter` is SQL made by sql.h (" AND ..."), or "". NULL after a fault or err.
 */
struct plan *native_plan(struct api_request *r, const struct native_params *p,
                         const struct archive_spec *spec, const char *filter);

/* The parts of it that endpoints with other sources use. */
const struct encoder *native_encoder(struct api_request *r, const struct native_params *p);
bool native_window(struct api_request *r, const struct native_params *p, bool days, int64_t *from,
                   int64_t *to);
bool native_shape(struct api_request *r, const struct native_params *p, struct plan *plan);

/* A plan over rows from memory: all of `columns` that vars asks for, cell i being column i. */
struct plan *native_memory_plan(struct api_request *r, const struct native_params *p,
                                const struct column *columns, size_t count);

#endif
