/* Texts of values as Python's format(), str() and repr() print them. */
#include "compat.h"

#include "obstream/core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double powers[] = { 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };

static char *put_special(char *p, double v)
{
    const char *s = isnan(v) ? "nan" : v < 0 ? "-inf" : "inf";
    return mempcpy(p, s, strlen(s));
}

char *iem_put_float8(char *p, double v, int decimals)
{
    return isfinite(v) ? number_fixed(p, v, decimals) : put_special(p, v);
}

static char *put_hundredths(char *p, uint32_t n)
{
    uint32_t whole = n / 100;
    if (whole < 10) {
        *p++ = (char)('0' + whole);
    } else if (whole < 100) {
        p = number_2(p, (int)whole);
    } else {
        p = number_int(p, whole);
    }
    *p++ = '.';
    return number_2(p, (int)(n % 100));
}

/* Most values have at most two decimals: if a decimal of up to six digits lies within half the
 * distance to the next float4 (v * 2^-25 at least) it is the shortest text, and is what is printed.
 */
char *iem_put_float4(char *p, float v, int decimals)
{
    double scaled = fabs((double)v) * 100;
    if (decimals == 2 && scaled < 999999) {
        uint32_t n = (uint32_t)(scaled + 0.5);
        if (fabs(scaled - n) <= scaled * 0x1p-25) {
            if (signbit(v))
                *p++ = '-';
            return put_hundredths(p, n);
        }
    }
    return iem_put_float8(p, isfinite(v) ? number_widen(v) : (double)v, decimals);
}

/* PostgreSQL's notation of a float8 is Python's, but for whole numbers and 1e15 to 1e16. */
char *iem_put_repr(char *p, double v)
{
    if (!isfinite(v))
        return put_special(p, v);
    char *end = number_float8(p, v);
    char *e = memchr(p, 'e', (size_t)(end - p));
    if (e == NULL) {
        if (memchr(p, '.', (size_t)(end - p)) == NULL)
            end = mempcpy(end, ".0", 2);
        return end;
    }
    if (end - e != 4 || memcmp(e, "e+15", 4) != 0)
        return end;
    char digits[24];
    size_t n = 0;
    for (const char *s = p; s < e; s++) {
        if (*s >= '0' && *s <= '9' && n < sizeof(digits))
            digits[n++] = *s;
    }
    while (n < 17)
        digits[n++] = '0';
    p += v < 0;
    p = mempcpy(p, digits, 16);
    *p++ = '.';
    *p++ = digits[16];
    return p;
}

char *iem_put_ascii(char *p, const char *s, size_t len, bool commas)
{
    for (size_t i = 0; i < len; i++) {
        char c = s[i];
        *p = c == '\n' || (commas && c == ',') ? ' ' : c;
        p += (signed char)c >= 0;
    }
    return p;
}

static char *put_clock(char *p, int64_t usec)
{
    int sec = (int)(usec / USEC_PER_SEC), frac = (int)(usec % USEC_PER_SEC);
    p = number_2(p, sec / 3600);
    *p++ = ':';
    p = number_2(p, sec / 60 % 60);
    *p++ = ':';
    p = number_2(p, sec % 60);
    if (frac != 0) {
        *p++ = '.';
        p = number_4(number_2(p, frac / 10000), frac % 10000);
    }
    return p;
}

char *iem_put_time(char *p, const struct iem_time *t)
{
    int64_t wall = civil_to_usec(&t->local), day = floor_div(wall, USEC_PER_DAY);
    int32_t offset = t->offset;
    p = number_day(p, day);
    *p++ = ' ';
    p = put_clock(p, wall - day * USEC_PER_DAY);
    if (!t->aware)
        return p;
    *p++ = offset < 0 ? '-' : '+';
    offset = abs(offset);
    p = number_2(p, offset / 3600);
    *p++ = ':';
    p = number_2(p, offset / 60 % 60);
    if (offset % 60 != 0) {
        *p++ = ':';
        p = number_2(p, offset % 60);
    }
    return p;
}

char *iem_put_minute(struct encode_state *st, int64_t usec, char *p)
{
    const int64_t end = INT64_MAX - USEC_PER_DAY; /* infinity has no day: the last one that has */
    usec = usec > end ? end : usec < -end ? -end : usec;
    if (usec < st->zone_since || usec >= st->zone_until)
        st->zone_offset = tz_offset(st->shape->tz, usec, &st->zone_since, &st->zone_until);
    int64_t wall = usec + st->zone_offset * USEC_PER_SEC;
    int64_t day = floor_div(wall, USEC_PER_DAY);
    if (day != st->day) {
        st->day_len = (unsigned char)(number_day(p, day) - p);
        memcpy(st->day_text, p, st->day_len);
        st->day = day;
    }
    memcpy(p, st->day_text, sizeof(st->day_text));
    p += st->day_len;
    int minute = (int)((wall - day * USEC_PER_DAY) / USEC_PER_MIN);
    *p++ = ' ';
    p = number_2(p, minute / 60);
    *p++ = ':';
    return number_2(p, minute % 60);
}

double iem_round_numpy(double v, int decimals)
{
    return rint(v * powers[decimals]) / powers[decimals];
}

double iem_round_python(double v, int decimals)
{
    char text[NUMBER_ROOM];
    if (!isfinite(v))
        return v;
    *number_fixed(text, v, decimals) = '\0';
    return strtod(text, NULL);
}

double iem_f2c(double f)
{
    return (f - 32.0) / 1.8;
}
