/* Times and intervals as PostgreSQL, obstream and the IEM services print them. */
#include "obstream/core/civil.h"
#include "value.h"
#include "value_text.h"

struct cursor {
    const char *s, *end;
};

static bool take(struct cursor *c, char ch)
{
    if (c->s == c->end || *c->s != ch)
        return false;
    c->s++;
    return true;
}

static bool take_any(struct cursor *c, const char *set)
{
    if (c->s == c->end || memchr(set, *c->s, strlen(set)) == NULL)
        return false;
    c->s++;
    return true;
}

/* Exactly n digits. */
static bool take_fixed(struct cursor *c, int n, int *v)
{
    if (c->end - c->s < n)
        return false;
    *v = 0;
    for (int i = 0; i < n; i++) {
        unsigned digit = (unsigned)(c->s[i] - '0');
        if (digit > 9)
            return false;
        *v = *v * 10 + (int)digit;
    }
    c->s += n;
    return true;
}

/* A fraction after its point, as microseconds; what is finer is cut. */
static bool take_fraction(struct cursor *c, int *usec)
{
    int digit, unit = 100000;
    *usec = 0;
    if (!take_fixed(c, 1, &digit))
        return false;
    do {
        *usec += digit * unit;
        unit /= 10;
    } while (take_fixed(c, 1, &digit));
    return true;
}

/* Z, +00, +0530 or +05:30; nothing is UTC. */
static bool take_offset(struct cursor *c, int64_t *usec)
{
    int hours = 0, minutes = 0;
    *usec = 0;
    if (c->s == c->end || take_any(c, "Zz"))
        return true;
    bool west = *c->s == '-';
    if (!take_any(c, "+-") || !take_fixed(c, 2, &hours))
        return false;
    if ((take(c, ':') || c->s != c->end) && !take_fixed(c, 2, &minutes))
        return false;
    *usec = hours * USEC_PER_HOUR + minutes * USEC_PER_MIN;
    if (west)
        *usec = -*usec;
    return hours <= 15 && minutes < 60;
}

static bool take_clock(struct cursor *c, struct civil *t)
{
    if (!take_fixed(c, 2, &t->hour) || !take(c, ':') || !take_fixed(c, 2, &t->minute))
        return false;
    if (!take(c, ':'))
        return true;
    if (!take_fixed(c, 2, &t->second))
        return false;
    return !take(c, '.') || take_fraction(c, &t->usec);
}

bool value_instant(const char *s, size_t len, int64_t *usec)
{
    struct cursor c = { s, s + len };
    struct civil t = { 0 };
    int64_t offset = 0;
    if (!take_fixed(&c, 4, &t.year) || !take_any(&c, "-/") || !take_fixed(&c, 2, &t.month) ||
        !take_any(&c, "-/") || !take_fixed(&c, 2, &t.day))
        return false;
    if (take_any(&c, "T t") && (!take_clock(&c, &t) || !take_offset(&c, &offset)))
        return false;
    if (c.s != c.end || !civil_valid(&t))
        return false;
    *usec = civil_to_usec(&t) - offset;
    return true;
}

/* A number with sign and fraction, in millionths. */
static bool take_number(struct cursor *c, int64_t *millionths)
{
    bool negative = take(c, '-');
    int digit, fraction = 0, count = 0;
    int64_t whole = 0;
    if (!negative)
        take(c, '+');
    for (; count < 7 && take_fixed(c, 1, &digit); count++)
        whole = whole * 10 + digit;
    if (count == 0 || (take(c, '.') && !take_fraction(c, &fraction)))
        return false;
    *millionths = whole * 1000000 + fraction;
    if (negative)
        *millionths = -*millionths;
    return true;
}

struct duration {
    int64_t usec, days, months;
};

static void add_unit(struct duration *d, int64_t millionths, int64_t months, int64_t days,
                     int64_t usec)
{
    d->months += millionths / 1000000 * months;
    d->days += millionths / 1000000 * days;
    d->usec += millionths / 1000000 * usec + millionths % 1000000 * usec / 1000000;
}

/* ISO 8601: P[n]Y[n]M[n]W[n]DT[n]H[n]M[n]S */
static bool iso_duration(struct cursor *c, struct duration *d)
{
    bool time = false, any = false;
    while (c->s != c->end) {
        int64_t n;
        if (!time && take(c, 'T'))
            time = true;
        if (!take_number(c, &n))
            return false;
        if (!time && take(c, 'Y'))
            add_unit(d, n, 12, 0, 0);
        else if (!time && take(c, 'M'))
            add_unit(d, n, 1, 0, 0);
        else if (!time && take(c, 'W'))
            add_unit(d, n, 0, 7, 0);
        else if (!time && take(c, 'D'))
            add_unit(d, n, 0, 1, 0);
        else if (time && take(c, 'H'))
            add_unit(d, n, 0, 0, USEC_PER_HOUR);
        else if (time && take(c, 'M'))
            add_unit(d, n, 0, 0, USEC_PER_MIN);
        else if (time && take(c, 'S'))
            add_unit(d, n, 0, 0, USEC_PER_SEC);
        else
            return false;
        any = true;
    }
    return any;
}

static bool take_word(struct cursor *c, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(c->end - c->s) < n || memcmp(c->s, word, n) != 0)
        return false;
    c->s += n;
    take(c, 's');
    return true;
}

/* hh:mm:ss[.f] after its sign and hours. */
static bool clock_rest(struct cursor *c, int64_t hours, bool negative, struct duration *d)
{
    struct civil t = { 0 };
    if (!take_fixed(c, 2, &t.minute) || (take(c, ':') && !take_fixed(c, 2, &t.second)) ||
        (take(c, '.') && !take_fraction(c, &t.usec)) || t.minute > 59 || t.second > 59)
        return false;
    int64_t usec = (hours < 0 ? -hours : hours) * USEC_PER_HOUR + t.minute * USEC_PER_MIN +
                   t.second * USEC_PER_SEC + t.usec;
    d->usec += negative ? -usec : usec;
    return true;
}

/* PostgreSQL's own: 1 year 2 mons -3 days +04:05:06.5 */
static bool pg_duration(struct cursor *c, struct duration *d)
{
    do {
        bool negative = c->s != c->end && *c->s == '-';
        int64_t n;
        if (!take_number(c, &n))
            return false;
        if (take(c, ':')) {
            if (!clock_rest(c, n / 1000000, negative, d))
                return false;
        } else if (!take(c, ' ')) {
            return false;
        } else if (take_word(c, "year")) {
            add_unit(d, n, 12, 0, 0);
        } else if (take_word(c, "mon")) {
            add_unit(d, n, 1, 0, 0);
        } else if (take_word(c, "day")) {
            add_unit(d, n, 0, 1, 0);
        } else {
            return false;
        }
    } while (take(c, ' '));
    return true;
}

bool value_interval(const char *s, size_t len, int64_t *usec, int32_t *days, int32_t *months)
{
    struct cursor c = { s, s + len };
    struct duration d = { 0 };
    bool negative = len > 1 && s[0] == '-' && s[1] == 'P';
    if (negative)
        c.s++;
    bool iso = take(&c, 'P');
    if (!(iso ? iso_duration(&c, &d) : pg_duration(&c, &d)) || c.s != c.end)
        return false;
    if (d.months > INT32_MAX || d.months < INT32_MIN || d.days > INT32_MAX || d.days < INT32_MIN)
        return false;
    int sign = negative ? -1 : 1;
    *usec = sign * d.usec;
    *days = sign * (int32_t)d.days;
    *months = sign * (int32_t)d.months;
    return true;
}
