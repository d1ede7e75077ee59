/*
 * Instants and calendar days. An instant is a count of microseconds since 1970-01-01T00:00:00Z, a
 * day a count of days since 1970-01-01, both proleptic Gregorian and signed. Formulas: Howard
 * Hinnant, "chrono-compatible low-level date algorithms" (days_from_civil, civil_from_days).
 */
#ifndef OBSTREAM_CORE_CIVIL_H
#define OBSTREAM_CORE_CIVIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define USEC_PER_SEC INT64_C(1000000)
#define USEC_PER_MIN (60 * USEC_PER_SEC)
#define USEC_PER_HOUR (3600 * USEC_PER_SEC)
#define USEC_PER_DAY (86400 * USEC_PER_SEC)

struct civil {
    int year, month, day; /* month and day from 1 */
    int hour, minute, second, usec;
};

int64_t civil_days(int year, int month, int day); /* month may be out of range and is carried */
void civil_from_days(int64_t days, int *year, int *month, int *day);

int64_t civil_to_usec(const struct civil *c);
struct civil civil_from_usec(int64_t usec);

bool civil_is_leap(int year);
int civil_month_days(int year, int month);
bool civil_valid(const struct civil *c); /* year 1..9999 and every field within its range */

static inline int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

#endif
