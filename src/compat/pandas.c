#include "pandas.h"

#include "compat.h"

#include "obstream/core/civil.h"
#include "obstream/core/number.h"

#include <math.h>
#include <stdio.h>

enum { PRECISION = 6 };

void pandas_add_float(struct buf *out, double v)
{
    char *p = buf_tail(out, NUMBER_ROOM);
    if (p != NULL)
        buf_advance(out, iem_put_repr(p, v));
}

void pandas_add_field(struct buf *out, const char *s, size_t len, char delimiter)
{
    bool plain = true;
    for (size_t i = 0; i < len && plain; i++)
        plain = s[i] != delimiter && s[i] != '"' && s[i] != '\n' && s[i] != '\r';
    if (plain) {
        buf_add(out, s, len);
        return;
    }
    buf_putc(out, '"');
    for (size_t i = 0; i < len; i++) {
        if (s[i] == '"')
            buf_putc(out, '"');
        buf_putc(out, s[i]);
    }
    buf_putc(out, '"');
}

void pandas_add_time(struct buf *out, int64_t usec, bool day_only, bool quoted)
{
    char *p = buf_tail(out, NUMBER_ROOM);
    if (p == NULL)
        return;
    if (day_only) {
        buf_advance(out, number_day(p, floor_div(usec, USEC_PER_DAY)));
        return;
    }
    if (quoted)
        *p++ = '"';
    char *end = number_instant(p, usec) - 1; /* without the Z */
    *(char *)memchr(p, 'T', (size_t)(end - p)) = ' ';
    if (quoted)
        *end++ = '"';
    buf_advance(out, end);
}

void pandas_add_html(struct buf *out, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const char *entity = s[i] == '&'   ? "&amp;"
                             : s[i] == '<' ? "&lt;"
                             : s[i] == '>' ? "&gt;"
                                           : "";
        if (entity[0] != '\0')
            buf_puts(out, entity);
        else
            buf_putc(out, s[i]);
    }
}

void pandas_add_cell(struct buf *out, const char *tag, const char *s, size_t len)
{
    buf_printf(out, "      <%s>", tag);
    pandas_add_html(out, s, len);
    buf_printf(out, "</%s>\n", tag);
}

void pandas_column_note(struct pandas_column *c, double v)
{
    char text[NUMBER_ROOM];
    double a = fabs(v);
    c->great |= a > 1e6;
    c->small |= a > 0 && a < 1e-6;
    if (!isfinite(v))
        return;
    const char *start = signbit(v) ? text + 1 : text;
    const char *end = number_fixed(text, v, PRECISION);
    size_t whole = (size_t)(end - start) - PRECISION - 1;
    int decimals = PRECISION;
    while (decimals > 1 && *--end == '0')
        decimals--;
    if (whole > c->whole)
        c->whole = whole;
    if (decimals > c->decimals)
        c->decimals = decimals;
}

void pandas_column_print(const struct pandas_column *c, double v, struct buf *out)
{
    char *p = buf_tail(out, NUMBER_ROOM);
    if (p == NULL)
        return;
    /* A place for the sign, the digits, the point: pandas compares the whole width. */
    bool wide = 1 + c->whole + 1 + (size_t)c->decimals > PRECISION + 6;
    if (!isfinite(v))
        p = iem_put_repr(p, v);
    else if (c->small || (c->great && wide))
        p += snprintf(p, NUMBER_ROOM, "%.*e", PRECISION, v);
    else
        p = number_fixed(p, v, c->decimals > 0 ? c->decimals : 1);
    buf_advance(out, p);
}
