/*
 * Units of measure, their spellings and conversions.
 *
 * A unit is named by text such as degF, kt, inHg or kcfs; case does not matter, and common other
 * spellings (F, knots, mb, ft3/s) mean the same unit. "" is no unit and converts to nothing.
 *
 * Factors: NIST Special Publication 811 (2008), appendix B, where exact; length, area, volume and
 * flow follow the international foot of 1959 (0.3048 m), also for acres. Differences of temperature
 * (delta_degF) and degree days (degF.d) are quantities of their own: they convert without offset.
 */
#ifndef OBSTREAM_QUERY_UNIT_H
#define OBSTREAM_QUERY_UNIT_H

#include <stdbool.h>
#include <stddef.h>

enum unit_system { UNITS_NATIVE, UNITS_METRIC, UNITS_US };

/* The one name of the unit that `spelling` means, or NULL when no unit is spelled so. */
const char *unit_name(const char *spelling);

/* value in `to` = value in `from` * scale + offset. `decimals` is how many are sensible to show in
 * `to`. False, with nothing set, when either is unknown or they measure different things. */
bool unit_convert(const char *from, const char *to, double *scale, double *offset, int *decimals);

/* The unit that `system` uses for what `unit` measures: degF is degC in metric units, mi is km. The
 * argument itself when the system leaves it as it is, or when it is unknown. */
const char *unit_in_system(const char *unit, enum unit_system system);

/* Names of the units that the unit `from` (a const char *) converts to, itself included: number i,
 * or NULL at the end. Fits str_nearest(). */
const char *unit_candidate(const void *from, size_t i);

#endif
