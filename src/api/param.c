#include "obstream/api/param.h"

#include "obstream/core/timeparse.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_VALUE = 100 }; /* characters of a bad value that an error repeats */

void fault_add(struct faults *f, const char *param, const char *value, const char *fmt, ...)
{
    char detail[512];
    va_list ap;
    if (f->count >= FAULTS_LISTED) {
        f->unlisted++;
        return;
    }
    va_start(ap, fmt);
    vsnprintf(detail, sizeof(detail), fmt, ap);
    va_end(ap);
    if (f->count == f->cap) {
        size_t cap = f->cap == 0 ? 8 : f->cap * 2;
        struct fault *items = arena_array(f->arena, cap, sizeof(*items));
        if (items == NULL)
            return;
        if (f->count > 0)
            memcpy(items, f->items, f->count * sizeof(*items));
        f->items = items;
        f->cap = cap;
    }
    f->items[f->count++] = (struct fault){
        .param = arena_strdup(f->arena, param),
        .value = value == NULL
                     ? NULL
                     : utf8_mend(arena_strndup(f->arena, value, strnlen(value, SHOWN_VALUE))),
        .detail = utf8_mend(arena_strdup(f->arena, detail)),
    };
}

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Steps over one UTF-8 sequence, or over the bytes that Unicode (chapter 3, "U+FFFD Substitution of
 * Maximal Subparts") and Python replace by one U+FFFD. A NUL ends any sequence. */
static size_t utf8_step(const unsigned char *s, bool *valid)
{
    bool lead = s[0] >= 0xc2 && s[0] <= 0xf4;
    size_t n = s[0] < 0x80 ? 1 : !lead ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    unsigned low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
    unsigned high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
    *valid = n > 0;
    for (size_t i = 1; i < n; i++) {
        if (s[i] < low || s[i] > high) {
            *valid = false;
            return i;
        }
        low = 0x80;
        high = 0xbf;
    }
    return n > 0 ? n : 1;
}

static bool utf8_valid(const char *text)
{
    bool valid = true;
    const unsigned char *s = (const unsigned char *)text;
    while (*s != '\0' && valid)
        s += utf8_step(s, &valid);
    return valid;
}

char *utf8_mend(char *text)
{
    bool valid;
    size_t n;
    for (char *s = text; s != NULL && *s != '\0'; s += n) {
        n = utf8_step((const unsigned char *)s, &valid);
        if (!valid)
            memset(s, '?', n);
    }
    return text;
}

/* NULL when the text holds a bad percent code, a NUL or bad UTF-8; *why then says which. */
static const char *decode(struct arena *a, const char *s, size_t len, const char **why)
{
    char *out = arena_alloc(a, len + 1), *p = out;
    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < len; i++) {
        char c = s[i];
        if (c == '+') {
            c = ' ';
        } else if (c == '%') {
            int hi = i + 2 < len ? hex(s[i + 1]) : -1;
            int lo = i + 2 < len ? hex(s[i + 2]) : -1;
            if (hi < 0 || lo < 0) {
                *why =
                    "a % must be followed by two hexadecimal digits; write %25 for a percent sign";
                return NULL;
            }
            c = (char)(hi * 16 + lo);
            i += 2;
        }
        if (c == '\0') {
            *why = "it holds a NUL byte";
            return NULL;
        }
        *p++ = c;
    }
    *p = '\0';
    if (!utf8_valid(out)) {
        *why = "it is not UTF-8";
        return NULL;
    }
    return out;
}

static void pair_add(struct pairs *p, struct arena *a, const char *name, const char *value)
{
    if (p->count == p->cap) {
        size_t cap = p->cap == 0 ? 16 : p->cap * 2;
        struct pair *items = arena_array(a, cap, sizeof(*items));
        if (items == NULL)
            return;
        if (p->count > 0)
            memcpy(items, p->items, p->count * sizeof(*items));
        p->items = items;
        p->cap = cap;
    }
    p->items[p->count++] = (struct pair){ .name = name, .value = value };
}

void pairs_decode(struct pairs *p, const char *text, size_t len, struct faults *f)
{
    const char *end = text + len;
    while (text < end) {
        const char *amp = memchr(text, '&', (size_t)(end - text));
        const char *stop = amp != NULL ? amp : end;
        const char *eq = memchr(text, '=', (size_t)(stop - text));
        const char *name_end = eq != NULL ? eq : stop;
        const char *why = "out of memory";
        const char *name = decode(f->arena, text, (size_t)(name_end - text), &why);
        const char *value =
            eq == NULL ? "" : decode(f->arena, eq + 1, (size_t)(stop - eq - 1), &why);
        if (name == NULL || value == NULL)
            fault_add(f, name != NULL ? name : "?", NULL,
                      "this part of the query cannot be read: %s", why);
        else if (name[0] != '\0' || value[0] != '\0')
            pair_add(p, f->arena, name, value);
        text = stop + 1;
    }
}

static const char *decode_leniently(struct arena *a, const char *s, size_t len)
{
    char *raw = arena_alloc(a, len + 1), *out = arena_alloc(a, 3 * len + 1), *p = raw;
    if (raw == NULL || out == NULL)
        return NULL;
    for (size_t i = 0; i < len; i++) {
        bool code = s[i] == '%' && i + 2 < len && hex(s[i + 1]) >= 0 && hex(s[i + 2]) >= 0;
        *p++ = code ? (char)(hex(s[i + 1]) * 16 + hex(s[i + 2])) : s[i] == '+' ? ' ' : s[i];
        i += code ? 2 : 0;
    }
    *p = '\0';
    char *o = out;
    for (const unsigned char *u = (const unsigned char *)raw; *u != '\0';) {
        bool valid;
        size_t n = utf8_step(u, &valid);
        memcpy(o, valid ? (const char *)u : "\xef\xbf\xbd", valid ? n : 3);
        o += valid ? n : 3;
        u += n;
    }
    *o = '\0';
    return out;
}

void pairs_decode_leniently(struct pairs *p, struct arena *a, const char *text, size_t len)
{
    const char *end = text + len;
    while (text < end) {
        const char *amp = memchr(text, '&', (size_t)(end - text));
        const char *stop = amp != NULL ? amp : end;
        const char *eq = memchr(text, '=', (size_t)(stop - text));
        const char *name_end = eq != NULL ? eq : stop;
        const char *name = decode_leniently(a, text, (size_t)(name_end - text));
        const char *value = eq == NULL ? "" : decode_leniently(a, eq + 1, (size_t)(stop - eq - 1));
        if (name != NULL && value != NULL && (name[0] != '\0' || value[0] != '\0'))
            pair_add(p, a, name, value);
        text = stop + 1;
    }
}

static bool in_list(const char *list, const char *name)
{
    size_t n = strlen(name);
    while (list != NULL && *list != '\0') {
        size_t m = strcspn(list, ",");
        if (m == n && memcmp(list, name, n) == 0)
            return true;
        list += m + (list[m] == ',');
    }
    return false;
}

static bool row_named(const struct param *row, const char *name)
{
    return str_eq(row->name, name) || in_list(row->aliases, name);
}

static const struct param *row_find(const struct param *const *tables, const char *name)
{
    for (; *tables != NULL; tables++) {
        for (const struct param *row = *tables; row->name != NULL; row++) {
            if (row_named(row, name))
                return row;
        }
    }
    return NULL;
}

static const char *row_candidate(const void *ctx, size_t i)
{
    for (const struct param *const *tables = ctx; *tables != NULL; tables++) {
        for (const struct param *row = *tables; row->name != NULL; row++) {
            if (i-- == 0)
                return row->name;
        }
    }
    return NULL;
}

struct filling {
    const struct param *row;
    void *field;
    const struct tz *tz;
    struct faults *faults;
};

static bool parse_double(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out) && strpbrk(text, "xX") == NULL;
}

static void fill_choice(const struct filling *x, const char *value)
{
    if (in_list(x->row->choices, value))
        return;
    struct strlist choices = { 0 };
    strlist_split(&choices, x->faults->arena, x->row->choices);
    const char *best = NULL;
    unsigned near = 3;
    for (size_t i = 0; i < choices.count; i++) {
        unsigned d = str_distance(value, choices.items[i]);
        if (d < near) {
            near = d;
            best = choices.items[i];
        }
    }
    fault_add(x->faults, x->row->name, value, "\"%.100s\" is none of %s%s%s%s", value,
              x->row->choices, best ? "; did you mean \"" : "", best ? best : "",
              best ? "\"?" : "");
}

static void fill_number(const struct filling *x, const char *value)
{
    double v;
    bool whole = x->row->type == PARAM_COUNT;
    if (!parse_double(value, &v) || (whole && v != floor(v)))
        fault_add(x->faults, x->row->name, value, "\"%.100s\" is not a %s", value,
                  whole ? "whole number" : "number");
    else if (v < x->row->min || v > x->row->max)
        fault_add(x->faults, x->row->name, value, "%.100s is out of range: %.16g to %.16g", value,
                  x->row->min, x->row->max);
    else if (whole)
        *(struct param_count *)x->field = (struct param_count){ true, (int64_t)v };
    else
        *(struct param_number *)x->field = (struct param_number){ true, v };
}

static void fill_zone(const struct filling *x, const char *value)
{
    const struct tz *tz = tz_find(value);
    if (tz != NULL) {
        *(const struct tz **)x->field = tz;
        return;
    }
    const char *near = str_nearest(value, tz_candidate, NULL);
    fault_add(x->faults, x->row->name, value,
              "\"%.100s\" is no time zone of the IANA database%s%s%s", value,
              near ? "; did you mean \"" : ", like America/Chicago or UTC", near ? near : "",
              near ? "\"?" : "");
}

static void fill_time(const struct filling *x, const char *value)
{
    struct err e = ERR_INIT;
    struct param_time t = { .set = true };
    if (time_parse(value, x->tz, &t.usec, &e))
        *(struct param_time *)x->field = t;
    else
        fault_add(x->faults, x->row->name, value, "%s", e.msg);
}

static void fill_bbox(const struct filling *x, const char *value)
{
    struct strlist parts = { 0 };
    double v[4];
    strlist_split(&parts, x->faults->arena, value);
    bool ok = parts.count == 4;
    for (size_t i = 0; ok && i < 4; i++)
        ok = parse_double(parts.items[i], &v[i]);
    if (!ok) {
        fault_add(x->faults, x->row->name, value,
                  "\"%.100s\" is not west,south,east,north in degrees, like -96.7,40.3,-90.1,43.6",
                  value);
        return;
    }
    if (v[0] < -180 || v[0] > 180 || v[2] < -180 || v[2] > 180 || v[1] < -90 || v[3] > 90 ||
        v[1] > v[3]) {
        fault_add(x->faults, x->row->name, value,
                  "%.100s: longitudes are -180 to 180, latitudes -90 to 90 with south <= north",
                  value);
        return;
    }
    *(struct param_bbox *)x->field = (struct param_bbox){ true, v[0], v[1], v[2], v[3] };
}

static void fill_list(const struct filling *x, const char *value)
{
    struct strlist *list = x->field;
    size_t before = list->count;
    strlist_split(list, x->faults->arena, value);
    for (size_t i = before; x->row->type == PARAM_CHOICES && i < list->count; i++)
        fill_choice(x, list->items[i]);
}

static void fill_value(const struct filling *x, const char *value)
{
    switch (x->row->type) {
    case PARAM_CHOICE:
        fill_choice(x, value);
        /* fall through */
    case PARAM_TEXT:
        *(const char **)x->field = value;
        break;
    case PARAM_LIST:
    case PARAM_CHOICES:
        fill_list(x, value);
        break;
    case PARAM_ZONE:
        fill_zone(x, value);
        break;
    case PARAM_TIME:
        fill_time(x, value);
        break;
    case PARAM_COUNT:
    case PARAM_NUMBER:
        fill_number(x, value);
        break;
    case PARAM_BBOX:
        fill_bbox(x, value);
        break;
    }
}

static bool repeatable(const struct param *row)
{
    return row->type == PARAM_LIST || row->type == PARAM_CHOICES;
}

/* Values of one row: all of a list, the only one of a scalar. */
static void fill_row(struct filling *x, const struct pairs *pairs)
{
    size_t seen = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair *p = &pairs->items[i];
        if (p->value[0] == '\0' || !row_named(x->row, p->name))
            continue;
        if (++seen > 1 && !repeatable(x->row)) {
            fault_add(x->faults, x->row->name, p->value, "%s is given more than once",
                      x->row->name);
            return;
        }
        fill_value(x, p->value);
    }
    if (seen == 0 && x->row->standard != NULL)
        fill_value(x, x->row->standard);
}

static void check_names(const struct param *const *tables, const struct pairs *pairs,
                        struct faults *f)
{
    for (size_t i = 0; i < pairs->count; i++) {
        const char *name = pairs->items[i].name;
        if (row_find(tables, name) != NULL)
            continue;
        const char *near =
            f->count < FAULTS_NEAREST ? str_nearest(name, row_candidate, tables) : NULL;
        fault_add(f, name, pairs->items[i].value, "there is no parameter \"%.100s\"%s%s%s", name,
                  near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
}

void params_fill(const struct param *const *tables, const struct pairs *pairs, void *target,
                 struct faults *f)
{
    struct filling x = { .tz = tz_utc(), .faults = f };
    check_names(tables, pairs, f);
    /* Zones first: times are read in them. */
    for (int zones = 1; zones >= 0; zones--) {
        for (const struct param *const *t = tables; *t != NULL; t++) {
            for (x.row = *t; x.row->name != NULL; x.row++) {
                if ((x.row->type == PARAM_ZONE) != (zones == 1))
                    continue;
                x.field = (char *)target + x.row->offset;
                fill_row(&x, pairs);
                if (zones == 1 && *(const struct tz **)x.field != NULL)
                    x.tz = *(const struct tz **)x.field;
            }
        }
    }
}
