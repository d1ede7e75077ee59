/* What the files of /api/climodat/aggregate and /api/climodat/records share. */
#ifndef OBSTREAM_ENDPOINTS_CLIMODAT_H
#define OBSTREAM_ENDPOINTS_CLIMODAT_H

#include "common.h"

/* ---- areas ---- */

enum { STATES = 48, REGIONS = 9 };

struct climate_state {
    const char *id; /* two letters; the average's station is these and 0000 */
    double land;    /* square miles */
    int region;     /* index into climate_regions */
};

struct climate_region {
    const char *id, *name;
};

extern const struct climate_state climate_states[STATES]; /* ascending by id */
extern const struct climate_region climate_regions[REGIONS];

/* ---- periods ---- */

enum by_kind { BY_DAY, BY_WEEK, BY_MONTH, BY_SEASON, BY_YEAR, BY_WATERYEAR, BY_WINDOW };

struct by {
    enum by_kind kind;
    int from, to; /* of a window: month * 100 + day, both included */
};

/* A stretch of whole days that is one row of the answer. */
struct climo_period {
    int32_t start, end; /* days since 1970-01-01; end is the first one behind it */
    int16_t year;       /* it is named by */
    int16_t key;        /* which of its year's periods: what normals compare */
    bool shown, normal; /* belongs to the window asked for; to the normals */
};

enum { KEYS = 1300, LABEL_ROOM = 24 };

bool by_parse(const char *text, struct by *out);
/* The number of the first period that ends on `day` or later; by_period() tells which it is. A
 * window on 29 February alone is empty (start == end) in other years. */
int64_t by_index(const struct by *b, int64_t day);
struct climo_period by_period(const struct by *b, int64_t index);
/* 2024-06-01, 2024-W05, 2024-06, 2024-DJF, 2024 */
size_t by_label(const struct by *b, const struct climo_period *p, char out[LABEL_ROOM]);
bool by_whole_months(const struct by *b);

/* ---- what is asked for ---- */

enum quantity {
    Q_HIGH,
    Q_LOW,
    Q_AVG,
    Q_PRECIP,
    Q_SNOW,
    Q_SNOWD,
    Q_GDD,
    Q_HDD,
    Q_CDD,
    Q_SDD,
    QUANTITIES
};
enum stat {
    STAT_MEAN,
    STAT_SUM,
    STAT_MIN,
    STAT_MAX,
    STAT_COUNT,
    STAT_FIRST,
    STAT_LAST,
    STAT_STREAK,
    STATS
};

struct quantity_info {
    const char *name, *unit, *difference; /* unit of a departure */
    enum stat standard;
    bool amount;       /* 0.0001 is a trace */
    const char *count; /* column of the roll-up with its days */
    bool extremes;     /* the roll-up has name_min, name_max and their days */
    const char *help;
};

extern const struct quantity_info quantities[QUANTITIES];

/* One value of a row. */
struct output {
    const char *name;
    enum quantity quantity;
    enum stat stat;
    const char *compare; /* SQL operator of a condition; NULL: the quantity itself */
    double threshold;
    bool combined; /* of an area: made from the area's own daily values */
    int maxmissing;
    unsigned cell; /* first cell of the answer's row */
};

enum { OUTPUTS = 40 };

/* A member of the scope: one station, or states that are weighted. */
struct member {
    const char *id, *name;
    const char *const *stations;
    const double *weights;
    uint32_t count;
    double weight;   /* of all */
    double lon, lat; /* NaN for areas */
};

/* Cells of a row before its outputs. */
enum {
    ROW_ID,
    ROW_START,
    ROW_END,
    ROW_PERIOD,
    ROW_NAME,
    ROW_MISSING,
    ROW_COVERAGE,
    ROW_LON,
    ROW_LAT,
    ROW_OUTPUTS
};

struct aggregate {
    const struct native_params *p;
    const struct catalog *catalog;
    struct by by;
    bool areas;             /* members are weighted means of states */
    struct member *members; /* ascending by id */
    uint32_t member_count;
    struct climo_period *periods; /* ascending */
    size_t period_count;
    bool steady;            /* periods follow each other without a gap */
    size_t *normal_periods; /* those that are normal, by key, then year */
    size_t normal_first[KEYS + 1];
    int normals_from, normals_to; /* 0: not asked for */
    struct output outputs[OUTPUTS];
    unsigned output_count;
    unsigned cells;
};

/* Years like 1991-2020; a fault otherwise. NULL is none: 0 and 0 stay as they are. */
bool normals_parse(struct api_request *r, const char *text, int *from, int *to);

/* The outputs that vars and stat ask for; faults otherwise. */
bool aggregate_outputs(struct api_request *r, struct aggregate *x);
/* Whether an output's value is a day, or has one beside it. */
bool output_is_day(const struct output *o);
bool output_has_day(const struct output *o);
const char *output_unit(const struct output *o);

/* ---- statements and rows ---- */

/* Cells of a statement's row: station, period, then for each output the days with data, its value
 * and a day (of a streak: all days of the condition), for combined ones also the area's part. */
enum { WIRE_STATION, WIRE_PERIOD, WIRE_OUTPUTS, WIRE_N = 0, WIRE_VALUE, WIRE_EXTRA, WIRE_AREA };

/* Which outputs, of which stations. */
struct selecting {
    const struct aggregate *x;
    const char *const *stations;
    const double *weights; /* NULL: each station by itself; else they are combined day by day */
    double weight;         /* of the whole area */
    uint32_t count;
    bool rollup; /* read it, and of months written since the daily rows */
    const struct output *outputs[OUTPUTS];
    unsigned output_count;
};

/* Does the roll-up hold what is needed? */
bool aggregate_in_rollup(const struct selecting *s);
/* Counts, up to a bound, the months that were written since: one int8. With as many as the bound
 * the daily rows alone are faster. */
enum { TOUCHED_MANY = 2000 };
void aggregate_touched_sql(const struct selecting *s, struct buf *out);
void aggregate_sql(const struct selecting *s, struct buf *out);
bool aggregate_fill(const struct plan *p, const struct archive_slice *slice, struct conn *conn,
                    struct sink *sink, struct err *e);

#endif
