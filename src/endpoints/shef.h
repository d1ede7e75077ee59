/* What the SHEF endpoints share. All of them read hads.raw. */
#ifndef OBSTREAM_ENDPOINTS_SHEF_H
#define OBSTREAM_ENDPOINTS_SHEF_H

#include "common.h"

#include "obstream/db/copy.h"
#include "obstream/query/shef.h"

/* pe, duration, ts, extremum, key, pedts, qualifier, min_value, max_value. */
extern const struct param shef_filter_params[];
/* limit alone: these answers have one order. */
extern const struct param shef_limit_params[];

/* The filters as SQL (" AND ..." or ""); faults name what is no code. */
const char *shef_filter(struct api_request *r, const struct native_params *p);
bool shef_key_chosen(const struct native_params *p); /* key, pedts or pe is given */

/* Parts of the parameter code in the cell `key`. */
#define SHEF_PART_CELL(field)                                                                      \
    void shef_cell_##field(const struct computed *c, const struct cell *cells, struct cell *out)
SHEF_PART_CELL(pe);
SHEF_PART_CELL(duration);
SHEF_PART_CELL(type);
SHEF_PART_CELL(source);
SHEF_PART_CELL(extremum);
SHEF_PART_CELL(probability);
SHEF_PART_CELL(unit);    /* of the element; metric with units=metric */
SHEF_PART_CELL(value);   /* needs key and a value: the element's conversion */
SHEF_PART_CELL(element); /* its name */
#undef SHEF_PART_CELL

#define SHEF_PART(n, flags, h) COMPUTED(#n, CELL_TEXT, "", flags, shef_cell_##n, h, "key")
#define SHEF_PE_HELP "physical element, two letters: HG stage, PP precipitation"
#define SHEF_DURATION_HELP "duration code: I instantaneous, H hour, D day"
#define SHEF_PARTS(flags)                                                                          \
    SHEF_PART(pe, flags, SHEF_PE_HELP), SHEF_PART(duration, flags, SHEF_DURATION_HELP),            \
        SHEF_PARTS_BEHIND_DURATION(flags)
#define SHEF_PARTS_BEHIND_DURATION(flags)                                                          \
    SHEF_PART(type, flags, "type code: R reading, F forecast"),                                    \
        SHEF_PART(source, flags, "source code: G GOES, Z unspecified"),                            \
        SHEF_PART(extremum, flags, "extremum code: X maximum, N minimum, Z none"),                 \
        SHEF_PART(probability, flags, "probability code: Z none")
#define SHEF_VALUE(n, h) COMPUTED(#n, CELL_FLOAT8, "", 0, shef_cell_value, h, "key", #n)
#define SHEF_UNIT(h) COMPUTED("unit", CELL_TEXT, "", 0, shef_cell_unit, h, "key")
#define SHEF_KEY_HELP "SHEF parameter code: pe, duration, type, source, extremum, probability"

/* A column of hads.raw, or a typed NULL where the operator's table lacks it. */
const char *shef_raw_column(struct api_request *r, const char *name, const char *type);
/* Order of values of one key and time: those not flagged first, then questionable, then bad. */
const char *shef_quality(struct api_request *r);

/* A value that stands for none: null, NaN, and -9999 or less by convention. */
bool shef_value_missing(const struct cell *value);

#endif
