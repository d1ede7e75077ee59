/* Values as pydantic and Python's int() and float() take them. */
#include "compat.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

static const char *const truths[] = { "yes", "y", "true", "t", "on", "1" };
static const char *const untruths[] = { "no", "n", "false", "f", "off", "0" };

bool iem_bool_text(const char *text, bool *out)
{
    for (size_t i = 0; i < ARRAY_SIZE(truths); i++) {
        if (strcasecmp(text, truths[i]) == 0 || strcasecmp(text, untruths[i]) == 0) {
            *out = strcasecmp(text, truths[i]) == 0;
            return true;
        }
    }
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t trimmed(const char **text)
{
    while (isspace((unsigned char)**text))
        (*text)++;
    size_t n = strlen(*text);
    while (n > 0 && isspace((unsigned char)(*text)[n - 1]))
        n--;
    return n;
}

bool iem_int_text(const char *text, bool decimals, int64_t *out)
{
    size_t n = trimmed(&text), i = 0;
    bool negative = n > 0 && text[0] == '-';
    if (n > 0 && (text[0] == '-' || text[0] == '+'))
        i++;
    const char *dot = decimals ? memchr(text, '.', n) : NULL;
    if (dot != NULL) {
        size_t zeros = strspn(dot + 1, "0");
        if (dot + 1 + zeros != text + n)
            return false;
        n = (size_t)(dot - text);
    }
    if (i == n)
        return false;
    int64_t v = 0; /* negative: that side reaches one farther */
    bool huge = false;
    for (size_t first = i; i < n; i++) {
        if (text[i] == '_' && i > first && is_digit(text[i - 1]) && i + 1 < n &&
            is_digit(text[i + 1]))
            continue;
        if (!is_digit(text[i]))
            return false;
        huge = huge || __builtin_mul_overflow(v, 10, &v) ||
               __builtin_sub_overflow(v, text[i] - '0', &v);
    }
    huge = huge || (!negative && v == INT64_MIN);
    *out = huge ? (negative ? INT64_MIN : INT64_MAX) : negative ? v : -v;
    return true;
}

bool iem_number_text(const char *text, double *out)
{
    char copy[128];
    size_t n = trimmed(&text), k = 0;
    if (n == 0 || n >= sizeof(copy))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '_' && i > 0 && is_digit(text[i - 1]) && i + 1 < n && is_digit(text[i + 1]))
            continue;
        if (strchr("xXpP(", text[i]) != NULL)
            return false;
        copy[k++] = text[i];
    }
    copy[k] = '\0';
    char *end;
    *out = strtod(copy, &end);
    return *end == '\0';
}

/* --- times --- */

static bool take_digits(const char **s, int n, int *value)
{
    int v = 0;
    for (int i = 0; i < n; i++) {
        if (!is_digit((*s)[i]))
            return false;
        v = v * 10 + ((*s)[i] - '0');
    }
    *s += n;
    *value = v;
    return true;
}

static bool take_day(const char **s, struct civil *c)
{
    return take_digits(s, 4, &c->year) && *(*s)++ == '-' && take_digits(s, 2, &c->month) &&
           *(*s)++ == '-' && take_digits(s, 2, &c->day);
}

/* A fraction is cut to microseconds. */
static bool take_fraction(const char **s, int *usec)
{
    int n = 0;
    for (; is_digit(**s); n++, (*s)++)
        *usec = n < 6 ? *usec * 10 + (**s - '0') : *usec;
    for (int i = n; i < 6; i++)
        *usec *= 10;
    return n > 0;
}

static bool take_clock(const char **s, struct civil *c)
{
    if (!take_digits(s, 2, &c->hour) || *(*s)++ != ':' || !take_digits(s, 2, &c->minute))
        return false;
    if (**s != ':')
        return true;
    (*s)++;
    if (!take_digits(s, 2, &c->second))
        return false;
    if (**s != '.' && **s != ',')
        return true;
    (*s)++;
    return take_fraction(s, &c->usec);
}

static bool take_offset(const char **s, struct iem_time *t)
{
    int hour, minute, sign = **s == '-' ? -1 : 1;
    if (**s == '\0')
        return true;
    t->aware = true;
    if (**s == 'Z' || **s == 'z') {
        (*s)++;
        return true;
    }
    if (**s != '+' && **s != '-')
        return false;
    (*s)++;
    if (!take_digits(s, 2, &hour))
        return false;
    *s += **s == ':';
    if (!take_digits(s, 2, &minute) || hour > 23 || minute > 59)
        return false;
    t->offset = sign * (hour * 3600 + minute * 60);
    return true;
}

/* Unix seconds with a fraction, or milliseconds beyond 2e10, as pydantic tells them apart. */
static bool epoch_text(const char *text, struct iem_time *out)
{
    const double watershed = 2e10;
    size_t digits = strspn(text + (text[0] == '-' || text[0] == '+'), "0123456789.");
    double v;
    if (text[0] == '\0' || text[digits + (text[0] == '-' || text[0] == '+')] != '\0' ||
        !iem_number_text(text, &v))
        return false;
    double usec = fabs(v) > watershed ? v * 1e3 : v * 1e6;
    if (!(fabs(usec) < 9e18))
        return false;
    *out = iem_time_utc((int64_t)llrint(usec));
    return civil_valid(&out->local);
}

bool iem_time_text(const char *text, struct iem_time *out, const char **why)
{
    const char *s = text;
    *out = (struct iem_time){ .set = true };
    if (epoch_text(text, out))
        return true;
    *out = (struct iem_time){ .set = true };
    *why = "has to be a time like 2024-06-01T12:00Z (a + in a URL is written %2B)";
    bool ok = take_day(&s, &out->local);
    if (ok && *s != '\0')
        ok = strchr("Tt _", *s++) != NULL && take_clock(&s, &out->local) && take_offset(&s, out);
    if (!ok || *s != '\0')
        return false;
    *why = "has to be a day and a clock time that exist";
    out->usec = civil_to_usec(&out->local) - out->offset * USEC_PER_SEC;
    return civil_valid(&out->local);
}
