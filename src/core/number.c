#include "obstream/core/number.h"

#include "obstream/core/civil.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

enum { POW5_COUNT = 28, POW10_COUNT = 20, POW10_EXACT = 22 };

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

/* The powers of five that fit 64 bits; those of ten are 5^k * 2^k. */
static const uint64_t pow5[POW5_COUNT] = {
    1,
    5,
    25,
    125,
    625,
    3125,
    15625,
    78125,
    390625,
    1953125,
    9765625,
    48828125,
    244140625,
    1220703125,
    6103515625,
    30517578125,
    152587890625,
    762939453125,
    3814697265625,
    19073486328125,
    95367431640625,
    476837158203125,
    2384185791015625,
    11920928955078125,
    59604644775390625,
    298023223876953125,
    1490116119384765625,
    7450580596923828125,
};

/* The powers of ten that a double holds exactly. */
static const double pow10_exact[POW10_EXACT + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

/* digits * 10^exp */
struct decimal {
    uint64_t digits;
    int exp;
};

/* mant * 2^exp; `narrow`: the next smaller number is half as far away as the next greater one. */
struct binary {
    uint64_t mant;
    int exp;
    bool narrow;
};

/* What tells float4 and float8 apart. */
struct format {
    int fraction_bits, exp_mask, exp_bias;
    int digits;   /* this many always read back as the same number */
    int fixed_to; /* the greatest decimal exponent printed without e+dd */
};

static const struct format float4 = { 23, 0xff, 150, 9, 5 };
static const struct format float8 = { 52, 0x7ff, 1075, 17, 14 };

char *number_2(char *p, int v)
{
    memcpy(p, pairs + 2 * v, 2);
    return p + 2;
}

char *number_4(char *p, int v)
{
    return number_2(number_2(p, v / 100), v % 100);
}

static int digit_count(uint64_t v)
{
    int guess = (64 - __builtin_clzll(v | 1)) * 1233 >> 12; /* log10(2) = 1233 / 4096 */
    if (guess >= POW10_COUNT)
        return POW10_COUNT;
    return guess + (v >= pow5[guess] << guess) + (v == 0);
}

/* Writes v so that it ends before `end`; returns its first character. */
static char *put_backward(char *end, uint64_t v)
{
    while (v >= 100) {
        end -= 2;
        memcpy(end, pairs + 2 * (v % 100), 2);
        v /= 100;
    }
    if (v >= 10) {
        end -= 2;
        memcpy(end, pairs + 2 * v, 2);
    } else {
        *--end = (char)('0' + v);
    }
    return end;
}

static char *put_uint(char *p, uint64_t v)
{
    char *end = p + digit_count(v);
    put_backward(end, v);
    return end;
}

/* v / 10^decimals in fixed notation, with all its decimals */
static char *put_fixed(char *p, uint64_t v, int decimals)
{
    if (decimals == 0)
        return put_uint(p, v);
    int len = digit_count(v);
    char *end = p + (len > decimals ? len : decimals + 1) + 1;
    char *q = end;
    for (; decimals >= 2; decimals -= 2) {
        q -= 2;
        memcpy(q, pairs + 2 * (v % 100), 2);
        v /= 100;
    }
    if (decimals == 1) {
        *--q = (char)('0' + v % 10);
        v /= 10;
    }
    *--q = '.';
    put_backward(q, v);
    return end;
}

char *number_int(char *p, int64_t v)
{
    if (v < 0)
        *p++ = '-';
    return put_uint(p, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static struct binary binary_split(uint64_t bits, const struct format *f)
{
    uint64_t hidden = UINT64_C(1) << f->fraction_bits;
    uint64_t fraction = bits & (hidden - 1);
    int field = (int)(bits >> f->fraction_bits) & f->exp_mask;
    return (struct binary){ .mant = field == 0 ? fraction : fraction | hidden,
                            .exp = (field == 0 ? 1 : field) - f->exp_bias,
                            .narrow = fraction == 0 && field > 1 };
}

/* floor(x * 2^shift), and whether anything was cut off */
static uint64_t shifted(u128 x, int shift, bool *rest)
{
    if (shift >= 0) {
        *rest = false;
        return (uint64_t)x << shift;
    }
    *rest = (x & (((u128)1 << -shift) - 1)) != 0;
    return (uint64_t)(x >> -shift);
}

/* Cuts digits off while a shorter number is left between low and high, both of which are not
 * allowed themselves (low is a floor, so low + 1 is the least candidate). */
static struct decimal cut_digits(uint64_t low, uint64_t mid, uint64_t high, bool rest, int exp)
{
    unsigned last = 0;
    while (high / 100 > low / 100) {
        unsigned two = (unsigned)(mid % 100);
        rest |= last != 0 || two % 10 != 0;
        last = two / 10;
        low /= 100, mid /= 100, high /= 100, exp += 2;
    }
    if (high / 10 > low / 10) {
        rest |= last != 0;
        last = (unsigned)(mid % 10);
        low /= 10, mid /= 10, exp++;
    }
    bool up = last > 5 || (last == 5 && (rest || mid % 2 != 0));
    return (struct decimal){ mid + (up || mid == low), exp };
}

/*
 * The shortest digits between the neighbours' midpoints, nearest to the number: the search of Ulf
 * Adams, "Ryu: fast float-to-string conversion" (PLDI 2018), as PostgreSQL has it, without the
 * midpoints themselves. Where 10^k has its five-part in 64 bits the products are exact in 128 bits
 * and need no tables; false outside (about 1e-10..1e18 for float8).
 */
static bool shortest_exact(const struct binary *b, const struct format *f, struct decimal *d)
{
    int top = 63 - __builtin_clzll(b->mant) + b->exp;
    int k = f->digits - (top * 78913 >> 18); /* floor(top * log10(2)): one digit more than needed */
    if (k < 0 || k >= POW5_COUNT)
        return false;
    u128 five = pow5[k], mid = 4 * (u128)b->mant * five;
    int shift = b->exp - 2 + k;
    bool low_rest, mid_rest, high_rest;
    uint64_t lo = shifted(mid - (b->narrow ? 1 : 2) * five, shift, &low_rest);
    uint64_t m = shifted(mid, shift, &mid_rest);
    uint64_t hi = shifted(mid + 2 * five, shift, &high_rest);
    *d = cut_digits(lo, m, high_rest ? hi : hi - 1, mid_rest, -k);
    return true;
}

/* Whether d is exactly halfway between the number and a neighbour, given that it reads back as the
 * number. Halfway points are odd multiples of a power of two, so comparing odd parts decides; with
 * the digits at hand only exponents within the table can make one. */
static bool is_midpoint(struct decimal d, const struct binary *b)
{
    if (d.exp < 0 || d.exp >= POW5_COUNT || d.digits == 0)
        return false;
    u128 odd = (u128)d.digits * pow5[d.exp];
    while (odd % 2 == 0)
        odd /= 2;
    return odd == 2 * b->mant + 1 || odd == 2 * b->mant - 1 ||
           (b->narrow && odd == 4 * b->mant - 1);
}

static bool reads_back(struct decimal d, double v, const struct binary *b, const struct format *f)
{
    char text[40];
    snprintf(text, sizeof(text), "%llue%d", (unsigned long long)d.digits, d.exp);
    double got = f == &float4 ? (double)strtof(text, NULL) : strtod(text, NULL);
    return got == v && !is_midpoint(d, b);
}

/* The same by trial, for numbers too great or too small for exact products. */
static struct decimal shortest_by_trial(double v, const struct binary *b, const struct format *f)
{
    struct decimal d = { 0, 0 };
    for (int n = 1; n <= f->digits; n++) {
        char text[40], *e;
        snprintf(text, sizeof(text), "%.*e", n - 1, v);
        if (n > 1)
            memmove(text + 1, text + 2, strlen(text + 1));
        d.digits = strtoull(text, &e, 10);
        d.exp = (int)strtol(e + 1, NULL, 10) - (n - 1);
        if (reads_back(d, v, b, f))
            break;
        struct decimal above = { d.digits + 1, d.exp }; /* inside where the lower side is narrow */
        if (b->narrow && reads_back(above, v, b, f))
            return above;
    }
    return d;
}

static struct decimal shortest(double v, uint64_t bits, const struct format *f)
{
    struct binary b = binary_split(bits, f);
    struct decimal d;
    return shortest_exact(&b, f, &d) ? d : shortest_by_trial(v, &b, f);
}

/* Values of few digits, as measured ones are: no other decimal of up to six digits is as near to a
 * float4, so the first that is near enough is the shortest. v * 10^k is exact in a double; half the
 * distance between neighbours is v * 2^-25 to v * 2^-24, in between shortest() has to decide. */
static bool float4_few_digits(double v, struct decimal *d)
{
    for (int k = 0; k <= 4; k++) {
        double scaled = v * pow10_exact[k];
        if (!(scaled < 999999))
            return false;
        int32_t n = (int32_t)(scaled + 0.5);
        double miss = fabs(scaled - n);
        if (miss < scaled * 0x1p-25) {
            *d = (struct decimal){ (uint64_t)n, -k };
            return true;
        }
        if (miss < scaled * 0x1p-24)
            return false;
    }
    return false;
}

static struct decimal float4_decimal(float v)
{
    struct decimal d;
    float a = fabsf(v);
    if (a >= 1e-4f && float4_few_digits(a, &d))
        return d;
    uint32_t bits;
    memcpy(&bits, &a, sizeof(bits));
    return shortest(a, bits, &float4);
}

/* As above: decimals of up to 15 digits are farther apart than neighbours, and never midpoints. */
static struct decimal float8_decimal(double v)
{
    double a = fabs(v);
    for (int k = 0; k <= 4 && a >= 1e-4; k++) {
        double scaled = a * pow10_exact[k];
        if (!(scaled < 999999999999999))
            break;
        int64_t n = (int64_t)(scaled + 0.5);
        if ((double)n / pow10_exact[k] == a)
            return (struct decimal){ (uint64_t)n, -k };
    }
    uint64_t bits;
    memcpy(&bits, &a, sizeof(bits));
    return shortest(a, bits, &float8);
}

static char *put_exponent(char *p, int exp)
{
    *p++ = 'e';
    *p++ = exp < 0 ? '-' : '+';
    exp = abs(exp);
    return exp < 100 ? number_2(p, exp) : put_uint(p, (uint64_t)exp);
}

static char *put_decimal(char *p, struct decimal d, const struct format *f)
{
    while (d.exp < 0 && d.digits % 10 == 0)
        d.digits /= 10, d.exp++;
    int len = digit_count(d.digits), exp = d.exp + len - 1;
    if (exp < -4 || exp > f->fixed_to) {
        for (; d.digits % 10 == 0; len--)
            d.digits /= 10;
        return put_exponent(put_fixed(p, d.digits, len - 1), exp);
    }
    if (d.exp <= 0)
        return put_fixed(p, d.digits, -d.exp);
    p = put_uint(p, d.digits);
    memset(p, '0', (size_t)d.exp);
    return p + d.exp;
}

/* NaN, infinities and zeros; NULL for all other numbers */
static char *put_special(char *p, double v)
{
    const char *s;
    if (isnan(v))
        s = "NaN";
    else if (isinf(v))
        s = v < 0 ? "-Infinity" : "Infinity";
    else if (v == 0)
        s = signbit(v) ? "-0" : "0";
    else
        return NULL;
    return mempcpy(p, s, strlen(s));
}

char *number_float4(char *p, float v)
{
    char *end = put_special(p, v);
    if (end != NULL)
        return end;
    if (v < 0)
        *p++ = '-';
    return put_decimal(p, float4_decimal(v), &float4);
}

char *number_float8(char *p, double v)
{
    char *end = put_special(p, v);
    if (end != NULL)
        return end;
    if (v < 0)
        *p++ = '-';
    return put_decimal(p, float8_decimal(v), &float8);
}

double number_widen(float v)
{
    if (!isfinite(v) || v == 0)
        return v;
    struct decimal d = float4_decimal(v);
    double wide;
    if (d.exp < -POW10_EXACT || d.exp > POW10_EXACT) {
        char text[40];
        snprintf(text, sizeof(text), "%llue%d", (unsigned long long)d.digits, d.exp);
        wide = strtod(text, NULL);
    } else if (d.exp < 0) {
        wide = (double)d.digits / pow10_exact[-d.exp]; /* both exact: correctly rounded */
    } else {
        wide = (double)d.digits * pow10_exact[d.exp];
    }
    return v < 0 ? -wide : wide;
}

char *number_fixed(char *p, double v, int decimals)
{
    double scale = pow10_exact[decimals], scaled = fabs(v) * scale;
    if (!(scaled < 0x1p51)) /* or NaN */
        return p + snprintf(p, NUMBER_ROOM, "%.*f", decimals, v);
    /* Below 2^51 the distance to the nearest integer is exact and a multiple of the last place of
     * `scaled`, whose own error is at most half of that: only at a distance of exactly one half can
     * the error decide, and fma() gives it without loss. */
    double nearest = rint(scaled), distance = scaled - nearest;
    if (fabs(distance) == 0.5) {
        double error = fma(fabs(v), scale, -scaled);
        if (distance * error > 0)
            nearest += distance > 0 ? 1 : -1;
    }
    if (signbit(v))
        *p++ = '-';
    return put_fixed(p, (uint64_t)nearest, decimals);
}

static char *put_year(char *p, int year)
{
    if (year >= 0 && year <= 9999)
        return number_4(p, year);
    *p++ = year < 0 ? '-' : '+';
    year = abs(year);
    return year <= 9999 ? number_4(p, year) : put_uint(p, (uint64_t)year);
}

static char *put_date(char *p, int year, int month, int day)
{
    p = put_year(p, year);
    *p++ = '-';
    p = number_2(p, month);
    *p++ = '-';
    return number_2(p, day);
}

char *number_day(char *p, int64_t days)
{
    int year, month, day;
    civil_from_days(days, &year, &month, &day);
    return put_date(p, year, month, day);
}

char *number_instant(char *p, int64_t usec)
{
    struct civil c = civil_from_usec(usec);
    p = put_date(p, c.year, c.month, c.day);
    *p++ = 'T';
    p = number_2(p, c.hour);
    *p++ = ':';
    p = number_2(p, c.minute);
    *p++ = ':';
    p = number_2(p, c.second);
    if (c.usec != 0) {
        *p++ = '.';
        p = number_4(number_2(p, c.usec / 10000), c.usec % 10000);
    }
    *p++ = 'Z';
    return p;
}
