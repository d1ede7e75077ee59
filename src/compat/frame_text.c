/* The texts of single values in data frames. */
#include "compat.h"
#include "frame.h"

#include "obstream/core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * The shortest digits that read back as v, when they are few and need no exponent: what the longer
 * ways below come to as well, in less time. Values of float4 columns have at most nine digits.
 */
static bool put_short(struct buf *out, double v, size_t digits, size_t decimals)
{
    char *p = buf_tail(out, NUMBER_ROOM);
    if (p == NULL)
        return true;
    char *end = number_float8(p, v);
    const char *dot = memchr(p, '.', (size_t)(end - p));
    size_t after = dot != NULL ? (size_t)(end - dot) - 1 : 0;
    size_t significant = (size_t)(end - p) - (dot != NULL) - (v < 0);
    if (memmem(p, (size_t)(end - p), "000000", 6) || memmem(p, (size_t)(end - p), "999999", 6))
        return false; /* GDAL shies away from such runs */
    if (significant > digits || after > decimals || memchr(p, 'e', (size_t)(end - p)) != NULL)
        return false;
    if (dot == NULL)
        end = mempcpy(end, ".0", 2);
    buf_advance(out, end);
    return true;
}

/* pandas' ujson: the fraction is scaled to 10 digits and rounded, halves to odd ones up; trailing
 * zeros go, but one. Very large and very small numbers are printed by %g. */
void frame_put_number(struct buf *out, double v)
{
    const double scale = 1e10;
    double size = fabs(v);
    if (!isfinite(v)) {
        buf_puts(out, "null");
        return;
    }
    if (size < 1e5 && /* and no zero with a sign */
        put_short(out, v + 0.0, 16, 10))
        return;
    if (size > 1e16 - 1 || (size != 0 && size < 1e-15)) {
        buf_printf(out, "%.10g", v);
        return;
    }
    uint64_t whole = (uint64_t)size;
    double scaled = (size - (double)whole) * scale;
    uint64_t fraction = (uint64_t)scaled;
    double rest = scaled - (double)fraction;
    if (rest > 0.5 || (rest == 0.5 && (fraction == 0 || (fraction & 1) != 0)))
        fraction++;
    if ((double)fraction >= scale) {
        fraction = 0;
        whole++;
    }
    char digits[24];
    int n = snprintf(digits, sizeof(digits), "%010llu", (unsigned long long)fraction);
    while (n > 1 && digits[n - 1] == '0')
        n--;
    buf_printf(out, "%s%llu.%.*s", v < 0 ? "-" : "", (unsigned long long)whole, n, digits);
}

static void put_significant(struct buf *out, double v, int digits)
{
    char text[64];
    snprintf(text, sizeof(text), "%.*g", digits, v);
    buf_puts(out, text);
    if (text[strcspn(text, ".e")] == '\0')
        buf_puts(out, ".0");
}

static bool digits_awkward(double v, int digits)
{
    char text[64];
    snprintf(text, sizeof(text), "%.*g", digits, v);
    const char *dot = strchr(text, '.');
    return dot != NULL && (strstr(dot, "999999") != NULL || strstr(dot, "000000") != NULL);
}

/* GDAL takes fewer digits than 17 where they avoid a run of nines or zeros. */
void frame_put_gdal(struct buf *out, double v)
{
    if (!isfinite(v)) {
        buf_puts(out, "null");
        return;
    }
    if (put_short(out, v, 9, 9))
        return;
    for (int digits = 17; digits >= 14; digits--) {
        if (!digits_awkward(v, digits)) {
            put_significant(out, v, digits);
            return;
        }
    }
    put_significant(out, v, 17);
}

void frame_put_coordinate(struct buf *out, double v)
{
    if (!put_short(out, v, 15, 15))
        put_significant(out, v, 15);
}

/* The digits after the point that are cut off: below, at or above one half of the last kept one. */
static int compare_half(const char *cut)
{
    size_t zeros = strspn(cut + 1, "0");
    return cut[0] != '5' ? (cut[0] > '5') - (cut[0] < '5') : cut[1 + zeros] != '\0';
}

/* v / 10^decimals as text, with all decimals. */
static void put_scaled(char *text, int64_t v, int decimals)
{
    int64_t unit = 1;
    for (int i = 0; i < decimals; i++)
        unit *= 10;
    char *p = number_int(text, v / unit);
    *p++ = '.';
    for (unit /= 10; unit > 0; unit /= 10)
        *p++ = (char)('0' + v / unit % 10);
    *p = '\0';
}

void frame_put_rounded(struct buf *out, double v, int decimals)
{
    char text[NUMBER_ROOM + 1];
    *number_float8(text, fabs(v)) = '\0';
    char *dot = strchr(text, '.');
    if (strchr(text, 'e') != NULL) {
        *number_fixed(text, fabs(v), decimals) = '\0';
    } else if (dot != NULL && strlen(dot + 1) > (size_t)decimals) {
        const char *cut = dot + 1 + decimals;
        int64_t kept = 0;
        for (const char *s = text; s < cut; s++)
            kept = *s == '.' ? kept : kept * 10 + (*s - '0');
        int half = compare_half(cut);
        kept += half > 0 || (half == 0 && (kept & 1) != 0);
        put_scaled(text, kept, decimals);
    }
    size_t n = strlen(text);
    while (strchr(text, '.') != NULL && (text[n - 1] == '0' || text[n - 1] == '.')) {
        n--;
        if (text[n] == '.')
            break;
    }
    text[n] = '\0';
    buf_printf(out, "%s%s", v < 0 && strcmp(text, "0") != 0 ? "-" : "", text);
}

/* One character of UTF-8 at s (valid as the database gave it, never beyond `end`). */
static uint32_t character(const char **s, const char *end)
{
    const unsigned char *u = (const unsigned char *)*s;
    int more = u[0] >= 0xf0 ? 3 : u[0] >= 0xe0 ? 2 : u[0] >= 0xc0 ? 1 : 0;
    uint32_t c = more == 3 ? u[0] & 7u : more == 2 ? u[0] & 15u : more == 1 ? u[0] & 31u : u[0];
    for ((*s)++; more > 0 && *s < end; more--, (*s)++)
        c = c << 6 | ((unsigned char)**s & 63u);
    return c;
}

static const char short_escapes[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
    ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
};

static void put_character(struct buf *out, uint32_t c, bool escape_slash)
{
    if (c < 256 && short_escapes[c] != 0)
        buf_printf(out, "\\%c", short_escapes[c]);
    else if (c == '/' && escape_slash)
        buf_puts(out, "\\/");
    else if (c >= 0x10000)
        buf_printf(out, "\\u%04x\\u%04x", 0xd800u + ((c - 0x10000) >> 10),
                   0xdc00u + ((c - 0x10000) & 0x3ff));
    else if (c < ' ' || c > '~')
        buf_printf(out, "\\u%04x", c);
    else
        buf_putc(out, (char)c);
}

void frame_put_ascii(struct buf *out, const char *s, size_t len, bool escape_slash)
{
    const char *end = s + len, *plain = s;
    buf_putc(out, '"');
    while (s < end) {
        unsigned char c = (unsigned char)*s;
        if (c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '/') {
            s++;
            continue;
        }
        buf_add(out, plain, (size_t)(s - plain));
        put_character(out, character(&s, end), escape_slash);
        plain = s;
    }
    buf_add(out, plain, (size_t)(end - plain));
    buf_putc(out, '"');
}

static void put_coordinate_9(struct buf *out, double v)
{
    frame_put_rounded(out, v, 9);
}

/* How the two writers of GeoJSON space their punctuation, and print a coordinate. */
static const struct wkt_style {
    const char *comma, *colon;
    void (*put)(struct buf *out, double v);
} styles[] = {
    { ",", ":", frame_put_coordinate },
    { ", ", ": ", put_coordinate_9 },
};

/* A position is a list of numbers where the text has no bracket. */
static const char *put_position(struct buf *out, const struct wkt_style *style, const char *s)
{
    char *end;
    buf_putc(out, '[');
    for (int i = 0; i < 3; i++) {
        double v = strtod(s, &end);
        if (end == s)
            break;
        if (i > 0)
            buf_puts(out, style->comma);
        style->put(out, v);
        s = end;
    }
    buf_putc(out, ']');
    return s;
}

static void put_rings(struct buf *out, const struct wkt_style *style, const char *s)
{
    while (*s != '\0') {
        if (*s == '(' || *s == ')') {
            buf_putc(out, *s == '(' ? '[' : ']');
        } else if (*s == ',') {
            buf_puts(out, style->comma);
        } else if (*s != ' ') {
            const char *next = put_position(out, style, s);
            s = next > s ? next - 1 : s;
        }
        s++;
    }
}

void frame_put_wkt(struct buf *out, const char *wkt, size_t len, bool spaced)
{
    const struct wkt_style *style = &styles[spaced];
    char *text = strndup(wkt, len);
    bool many = text != NULL && strncasecmp(text, "MULTIPOLYGON", 12) == 0;
    const char *rings = text != NULL ? strchr(text, '(') : NULL;
    if (rings == NULL || (!many && strncasecmp(text, "POLYGON", 7) != 0)) {
        buf_puts(out, "null");
    } else {
        buf_printf(out, "{\"type\"%s\"%s\"%s\"coordinates\"%s", style->colon,
                   many ? "MultiPolygon" : "Polygon", style->comma, style->colon);
        put_rings(out, style, rings);
        buf_putc(out, '}');
    }
    free(text);
}

struct span {
    int64_t days;
    int hours, minutes, seconds, usec;
};

static struct span span_of(int64_t usec)
{
    int64_t days = floor_div(usec, USEC_PER_DAY), rest = usec - days * USEC_PER_DAY;
    return (struct span){ days, (int)(rest / USEC_PER_HOUR), (int)(rest / USEC_PER_MIN % 60),
                          (int)(rest / USEC_PER_SEC % 60), (int)(rest % USEC_PER_SEC) };
}

void frame_put_interval(struct buf *out, int64_t usec)
{
    struct span s = span_of(usec);
    buf_printf(out, "%lld days %s%02d:%02d:%02d", (long long)s.days, s.days < 0 ? "+" : "", s.hours,
               s.minutes, s.seconds);
    if (s.usec != 0)
        buf_printf(out, ".%06d", s.usec);
}

void frame_put_interval_iso(struct buf *out, int64_t usec)
{
    struct span s = span_of(usec);
    buf_printf(out, "P%lldDT%dH%dM%d", (long long)s.days, s.hours, s.minutes, s.seconds);
    if (s.usec % 1000 != 0)
        buf_printf(out, ".%06d", s.usec);
    else if (s.usec != 0)
        buf_printf(out, ".%03d", s.usec / 1000);
    buf_putc(out, 'S');
}
