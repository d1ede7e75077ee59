#include "obstream/query/sql.h"

#include "obstream/core/civil.h"
#include "obstream/core/number.h"

#include <math.h>
#include <string.h>

enum { ID_LEN = 64, KEY_LEN = 16 };

void sql_text(struct buf *b, const char *text)
{
    buf_puts(b, text);
}

void sql_int(struct buf *b, int64_t v)
{
    buf_add_int(b, v);
}

void sql_float4(struct buf *b, double v)
{
    if (!isfinite((float)v)) {
        b->failed = true;
        return;
    }
    buf_printf(b, "%.9g::float4", (double)(float)v);
}

void sql_float8(struct buf *b, double v)
{
    if (!isfinite(v)) {
        b->failed = true;
        return;
    }
    buf_printf(b, "%.17g::float8", v);
}

static bool year_ok(int64_t days)
{
    return days >= civil_days(1, 1, 1) && days <= civil_days(9999, 12, 31);
}

void sql_instant(struct buf *b, int64_t usec)
{
    if (!year_ok(floor_div(usec, USEC_PER_DAY))) {
        b->failed = true;
        return;
    }
    struct civil c = civil_from_usec(usec);
    buf_printf(b, "TIMESTAMPTZ '%04d-%02d-%02d %02d:%02d:%02d.%06d+00'", c.year, c.month, c.day,
               c.hour, c.minute, c.second, c.usec);
}

void sql_day(struct buf *b, int64_t days)
{
    int y, m, d;
    if (!year_ok(days)) {
        b->failed = true;
        return;
    }
    civil_from_days(days, &y, &m, &d);
    buf_printf(b, "DATE '%04d-%02d-%02d'", y, m, d);
}

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool sql_id_ok(const char *id, size_t len)
{
    if (len == 0 || len > ID_LEN)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (id[i] == '\0' || (!is_alnum(id[i]) && strchr(" _-.:+/#@", id[i]) == NULL))
            return false;
    }
    return true;
}

void sql_id(struct buf *b, const char *id, size_t len)
{
    if (!sql_id_ok(id, len)) {
        b->failed = true;
        return;
    }
    buf_putc(b, '\'');
    buf_add(b, id, len);
    buf_putc(b, '\'');
}

bool sql_key_pattern_ok(const char *pattern)
{
    size_t n = strlen(pattern);
    if (n == 0 || n > KEY_LEN)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!is_alnum(pattern[i]) && pattern[i] != '*')
            return false;
    }
    return true;
}

void sql_key_pattern(struct buf *b, const char *pattern)
{
    if (!sql_key_pattern_ok(pattern)) {
        b->failed = true;
        return;
    }
    buf_putc(b, '\'');
    for (const char *p = pattern; *p != '\0'; p++)
        buf_putc(b, *p == '*' ? '%' : *p);
    buf_putc(b, '\'');
}

void sql_id_in(struct buf *b, const char *column, const char *const *ids, size_t count)
{
    if (count == 0)
        b->failed = true; /* `IN ()` is no SQL */
    buf_puts(b, column);
    buf_puts(b, count == 1 ? " = " : " IN (");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_puts(b, ", ");
        sql_id(b, ids[i], strlen(ids[i]));
    }
    if (count != 1)
        buf_putc(b, ')');
}
