/*
 * The SHEF parameter code and its dictionary.
 *
 * A parameter code (SHEF Code Manual, National Weather Service, 5 July 2012, section 3.3) is
 *
 *     PE  D  T  S  E  P
 *     physical element (2), duration, type, source, extremum, probability
 *
 * Keys of the archive are at least 6 and normally 7 characters; the archive also holds keys whose
 * source is two characters (HGIPCPZZ): beyond 7 characters positions count from the front for PE, D
 * and T and from the back for E and P, the rest is the source. Shorter keys lack their last parts.
 */
#ifndef OBSTREAM_QUERY_SHEF_H
#define OBSTREAM_QUERY_SHEF_H

#include <stdbool.h>
#include <stddef.h>

struct shef_code { /* one row of a code table, codes of 1 or 2 characters */
    const char *code, *name;
};

struct shef_element { /* SHEF manual, tables 1 and 13 */
    const char *pe;
    const char *name;
    const char *unit;        /* of values in the archive (English), "" when coded or none */
    const char *metric_unit; /* "" when there is none */
    double metric_scale, metric_offset; /* metric = value * scale + offset */
    int metric_decimals;                /* sensible for display */
    char default_duration; /* that a bare PE stands for: 'I' unless table 7 says otherwise */
};

/* What a key says, as pointers into the key (not terminated) with lengths. */
struct shef_key {
    const char *pe, *duration, *type, *source, *extremum, *probability;
    unsigned char pe_len, duration_len, type_len, source_len, extremum_len, probability_len;
};

/* Splits any text; parts that a short key lacks have length 0. */
struct shef_key shef_key_split(const char *key, size_t len);

const struct shef_element *shef_element_find(const char *pe); /* first two characters; or NULL */
const struct shef_element *shef_elements(size_t *count);      /* sorted by pe */

const struct shef_code *shef_durations(size_t *count);
const struct shef_code *shef_types(size_t *count); /* type and source, two characters */
const struct shef_code *shef_extremes(size_t *count);
const struct shef_code *shef_probabilities(size_t *count);
const struct shef_code *shef_qualifiers(size_t *count);

/* The row of one of these tables, all sorted by code, or NULL. `code` needs no NUL. */
const struct shef_code *shef_code_find(const struct shef_code *table, size_t count,
                                       const char *code, size_t len);

#endif
