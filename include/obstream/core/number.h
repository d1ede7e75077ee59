/*
 * Numbers to text, for the hot path. Every function writes at `p` without a NUL and returns the
 * end; NUMBER_ROOM bytes are enough for any of them.
 *
 * number_float4() prints what PostgreSQL prints for a float4 (the shortest digits that read back as
 * the same float4; fixed notation for exponents -4 to 5, else d.ddde+dd; NaN, Infinity,
 * -Infinity), number_float8() the same for float8 (fixed for exponents -4 to 14).
 */
#ifndef OBSTREAM_CORE_NUMBER_H
#define OBSTREAM_CORE_NUMBER_H

#include <stdint.h>

enum { NUMBER_ROOM = 400 };

char *number_int(char *p, int64_t v);
char *number_float4(char *p, float v);
char *number_float8(char *p, double v);

/* The double that the shortest decimal text of the float4 denotes: 29.925f gives 29.925, not
 * 29.92499923706055. Formatting with a fixed number of decimals starts from it. */
double number_widen(float v);

/* What C's printf("%.*f") prints in the C locale, decimals 0 to 9, correctly rounded (ties of the
 * exact binary value to even). */
char *number_fixed(char *p, double v, int decimals);

/* Two and four digits with leading zeros; v within 0..99 and 0..9999. */
char *number_2(char *p, int v);
char *number_4(char *p, int v);

/* 2024-06-01, and 2024-06-01T12:00:00Z with .ffffff only when there are microseconds. Years outside
 * 0000..9999 are printed with a sign. */
char *number_day(char *p, int64_t days);
char *number_instant(char *p, int64_t usec);

#endif
