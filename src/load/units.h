/*
 * The units the archive keeps, and the line of units below a header. Internal to the loader.
 *
 * header=units of the server puts the unit of each column below its name. Such a line is no row,
 * and a file in other units must not be loaded.
 */
#ifndef OBSTREAM_LOAD_UNITS_H
#define OBSTREAM_LOAD_UNITS_H

#include "plan.h"

/* The unit of a column in the archive; NULL: none, or the data set does not fix it. */
const char *units_of(const char *column);

/* Are these fields (NULL: empty) a line of units? All required columns are empty in it. */
bool units_is_line(const struct plan *p, const char *const *fields, unsigned count);

/* False when one of them is not the archive's own. */
bool units_check(const struct plan *p, const char *const *fields, struct err *e) MUST_CHECK;

#endif
