#include "encoder_private.h"

#include "obstream/core/strutil.h"

#include <math.h>

#define TRACE_BELOW 0.009999

const struct encoder *const encoders[] = {
    &encoder_csv,     &encoder_tsv,   &encoder_json, &encoder_ndjson,
    &encoder_geojson, &encoder_table, &encoder_xlsx, NULL,
};

const struct encoder *encoder_find(const char *name)
{
    for (const struct encoder *const *e = encoders; *e != NULL; e++)
        if (str_eq((*e)->name, name))
            return *e;
    return NULL;
}

void encode_begin(struct encode_state *st, const struct shape *shape)
{
    /* The empty interval [0, 0) and a day that no instant has: the caches hold nothing. */
    *st = (struct encode_state){ .shape = shape, .day = INT64_MIN };
}

/* The number in a cell, converted when the field asks for it; NaN when it holds none. */
static double real_value(const struct field *f, const struct cell *c)
{
    double v;
    switch (c->type) {
    case CELL_FLOAT4:
        v = number_widen(c->f4);
        break;
    case CELL_FLOAT8:
        v = c->f8;
        break;
    case CELL_INT:
        v = (double)c->i;
        break;
    default:
        return NAN;
    }
    return f->flags & FIELD_CONVERT ? v * f->scale + f->offset : v;
}

bool encode_is_trace(const struct field *f, const struct cell *c)
{
    if (!(f->flags & FIELD_TRACE))
        return false;
    /* Nearly all amounts are 0: spare them the decimal text behind number_widen(). */
    if (c->type == CELL_FLOAT4 && c->f4 == 0 && !(f->flags & FIELD_CONVERT))
        return false;
    double v = real_value(f, c);
    return v > 0 && v < TRACE_BELOW;
}

static char *put_decimals(const struct field *f, const struct cell *c, char *start)
{
    double v = real_value(f, c);
    if (!isfinite(v))
        return number_float8(start, v);
    char *p = number_fixed(start, v, f->decimals);
    if (f->flags & FIELD_FIXED)
        return p;
    if (f->decimals > 0) {
        while (p[-1] == '0')
            p--;
        if (p[-1] == '.')
            p--;
    }
    if (p - start == 2 && start[0] == '-' && start[1] == '0') { /* -0.04 with one decimal is 0 */
        start[0] = '0';
        p = start + 1;
    }
    return p;
}

static int32_t zone_offset(struct encode_state *st, int64_t usec)
{
    if (usec < st->zone_since || usec >= st->zone_until)
        st->zone_offset = tz_offset(st->shape->tz, usec, &st->zone_since, &st->zone_until);
    return st->zone_offset;
}

static char *put_day(struct encode_state *st, int64_t day, char *p)
{
    if (day != st->day) {
        /* The days of all instants have at most 13 characters (+294247-01-10). */
        st->day_len = (unsigned char)(number_day(p, day) - p);
        memcpy(st->day_text, p, st->day_len);
        st->day = day;
        return p + st->day_len;
    }
    memcpy(p, st->day_text, sizeof(st->day_text));
    return p + st->day_len;
}

static char *put_clock(int64_t usec, char *p)
{
    int sec = (int)(usec / USEC_PER_SEC), frac = (int)(usec % USEC_PER_SEC);
    p = number_2(p, sec / 3600);
    *p++ = ':';
    p = number_2(p, sec / 60 % 60);
    *p++ = ':';
    p = number_2(p, sec % 60);
    if (frac != 0) {
        *p++ = '.';
        p = number_2(p, frac / 10000);
        p = number_4(p, frac % 10000);
    }
    return p;
}

/* +hh:mm, and seconds where local mean time had them, as Python prints them. */
static char *put_offset(int32_t sec, char *p)
{
    *p++ = sec < 0 ? '-' : '+';
    if (sec < 0)
        sec = -sec;
    p = number_2(p, sec / 3600);
    *p++ = ':';
    p = number_2(p, sec / 60 % 60);
    if (sec % 60 != 0) {
        *p++ = ':';
        p = number_2(p, sec % 60);
    }
    return p;
}

static char *put_instant(struct encode_state *st, const struct field *f, int64_t usec, char *p)
{
    bool local = f->flags & FIELD_LOCAL;
    int32_t offset = local ? zone_offset(st, usec) : 0;
    int64_t day = usec / USEC_PER_DAY;
    int64_t clock = usec % USEC_PER_DAY + offset * USEC_PER_SEC; /* within two days of zero */
    int64_t carry = floor_div(clock, USEC_PER_DAY);
    p = put_day(st, day + carry, p);
    *p++ = 'T';
    p = put_clock(clock - carry * USEC_PER_DAY, p);
    if (local)
        return put_offset(offset, p);
    *p++ = 'Z';
    return p;
}

static char *put_duration_part(uint64_t n, char unit, char *p)
{
    if (n == 0)
        return p;
    p = number_int(p, (int64_t)n);
    *p++ = unit;
    return p;
}

/* ISO 8601, with a sign in front as ISO 8601-2 has it: PT6H, P1DT6H, PT0.5S, -PT15M. */
static char *put_interval(int64_t usec, char *p)
{
    uint64_t u = usec < 0 ? 0 - (uint64_t)usec : (uint64_t)usec;
    uint64_t sec = u / USEC_PER_SEC % 60, frac = u % USEC_PER_SEC;
    if (usec < 0)
        *p++ = '-';
    *p++ = 'P';
    p = put_duration_part(u / USEC_PER_DAY, 'D', p);
    if (u % USEC_PER_DAY == 0 && u != 0)
        return p;
    *p++ = 'T';
    p = put_duration_part(u / USEC_PER_HOUR % 24, 'H', p);
    p = put_duration_part(u / USEC_PER_MIN % 60, 'M', p);
    if (sec == 0 && frac == 0 && u != 0)
        return p;
    p = number_int(p, (int64_t)sec);
    if (frac != 0) {
        *p++ = '.';
        p = number_2(p, (int)(frac / 10000));
        p = number_4(p, (int)(frac % 10000));
        while (p[-1] == '0')
            p--;
    }
    *p++ = 'S';
    return p;
}

char *encode_scalar(struct encode_state *st, const struct field *f, const struct cell *c, char *p)
{
    switch (c->type) {
    case CELL_FLOAT4:
        return f->flags & (FIELD_CONVERT | FIELD_FIXED) ? put_decimals(f, c, p)
                                                        : number_float4(p, c->f4);
    case CELL_FLOAT8:
        return f->flags & (FIELD_CONVERT | FIELD_FIXED) ? put_decimals(f, c, p)
                                                        : number_float8(p, c->f8);
    case CELL_INT:
        return f->flags & (FIELD_CONVERT | FIELD_FIXED) ? put_decimals(f, c, p)
                                                        : number_int(p, c->i);
    case CELL_BOOL:
        return c->i ? encode_literal(p, "true", 4) : encode_literal(p, "false", 5);
    case CELL_INSTANT:
        return put_instant(st, f, c->i, p);
    case CELL_DAY:
        return number_day(p, c->i);
    case CELL_INTERVAL:
        return put_interval(c->i, p);
    case CELL_NULL:
    case CELL_TEXT:
        break;
    }
    return p;
}

void encode_value(struct encode_state *st, const struct field *f, const struct cell *c,
                  struct buf *out)
{
    if (c->type == CELL_TEXT) {
        buf_add(out, c->s, c->len);
        return;
    }
    char *p = buf_tail(out, SCALAR_ROOM);
    if (p != NULL)
        buf_advance(out, encode_scalar(st, f, c, p));
}
