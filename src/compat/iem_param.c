#include "compat.h"

#include <strings.h>

/* The values of one parameter, in the order given. */
struct values {
    const char *const *items;
    size_t count;
};

struct reading {
    struct api_request *r;
    const struct iem_param *row;
    void *field;
};

static bool spelled(const char *name, const char *own, bool brackets)
{
    size_t n = strlen(own);
    return strncmp(name, own, n) == 0 && strcmp(name + n, brackets ? "[]" : "") == 0;
}

/* The values under one spelling; *first receives the place of the first one. */
static struct strlist values_spelled(const struct api_request *r, const char *name, bool brackets,
                                     size_t *first)
{
    struct strlist l = { 0 };
    for (size_t i = 0; i < r->pairs.count; i++) {
        if (!spelled(r->pairs.items[i].name, name, brackets))
            continue;
        if (l.count == 0)
            *first = i;
        strlist_add(&l, r->arena, r->pairs.items[i].value);
    }
    if (l.count == 1 && l.items[0][0] == '\0')
        l.count = 0;
    return l;
}

static struct strlist values_of(const struct api_request *r, const char *name)
{
    size_t at = 0, at_brackets = 0;
    struct strlist plain = values_spelled(r, name, false, &at);
    struct strlist brackets = values_spelled(r, name, true, &at_brackets);
    if (plain.count == 0 || (brackets.count > 0 && at_brackets > at))
        return brackets;
    return plain;
}

static void fault(const struct reading *x, const char *value, const char *why)
{
    fault_add(&x->r->faults, x->row->name, value, "\"%.100s\" %s", value, why);
}

static bool in_choices(const char *choices, const char *value)
{
    size_t n = strlen(value);
    while (*choices != '\0') {
        size_t m = strcspn(choices, ",");
        if (m == n && memcmp(choices, value, n) == 0)
            return true;
        choices += m + (choices[m] == ',');
    }
    return false;
}

static bool text_good(const struct reading *x, const char *value)
{
    const struct iem_param *row = x->row;
    const char *why = row->check != NULL ? row->check(value) : NULL;
    if (why != NULL) {
        fault(x, value, why);
        return false;
    }
    if (row->choices == NULL || in_choices(row->choices, value))
        return true;
    fault_add(&x->r->faults, row->name, value, "\"%.100s\" has to be one of %s", value,
              row->choices);
    return false;
}

static void fill_item(const struct reading *x, const char *start, size_t len)
{
    while (len > 0 && strchr(" \t\r\n\v\f", start[0]) != NULL) {
        start++;
        len--;
    }
    while (len > 0 && strchr(" \t\r\n\v\f", start[len - 1]) != NULL)
        len--;
    const char *item = arena_strndup(x->r->arena, start, len);
    if (item != NULL && text_good(x, item))
        strlist_add(x->field, x->r->arena, item);
}

/* Pieces between commas, the empty ones too: whether they are good is for `check` to say. */
static void fill_list(const struct reading *x, const char *value)
{
    for (const char *s = value;; s++) {
        size_t n = strcspn(s, ",");
        fill_item(x, s, n);
        s += n;
        if (*s == '\0')
            return;
    }
}

static void fill_int(const struct reading *x, const char *value)
{
    const struct iem_param *row = x->row;
    int64_t v;
    if (!iem_int_text(value, true, &v))
        fault(x, value, "has to be a whole number");
    else if ((row->min != 0 || row->max != 0) && (v < row->min || v > row->max))
        fault_add(&x->r->faults, row->name, value, "\"%.100s\" has to be within %lld to %lld",
                  value, (long long)row->min, (long long)row->max);
    else
        *(struct param_count *)x->field = (struct param_count){ true, v };
}

static void fill_number(const struct reading *x, const char *value)
{
    double v;
    if (iem_number_text(value, &v))
        *(struct param_number *)x->field = (struct param_number){ true, v };
    else
        fault(x, value, "has to be a number");
}

static void fill_bool(const struct reading *x, const char *value)
{
    if (!iem_bool_text(value, x->field))
        fault(x, value, "has to be yes or no");
}

static void fill_zone(const struct reading *x, const char *value)
{
    const struct tz *tz = tz_find(str_eq(value, "etc/utc") ? "UTC" : value);
    if (tz != NULL) {
        *(const struct tz **)x->field = iem_zone_meant(tz);
        return;
    }
    const char *near = str_nearest(value, tz_candidate, NULL);
    fault_add(&x->r->faults, x->row->name, value,
              "\"%.100s\" has to be a time zone of the IANA database%s%s%s", value,
              near ? "; did you mean \"" : ", like America/Chicago or UTC", near ? near : "",
              near ? "\"?" : "");
}

static void fill_time(const struct reading *x, const char *value)
{
    struct iem_time t;
    const char *why;
    if (!iem_time_text(value, &t, &why)) {
        fault(x, value, why);
        return;
    }
    bool midnight =
        t.local.hour == 0 && t.local.minute == 0 && t.local.second == 0 && t.local.usec == 0;
    if (x->row->type == IEM_AWARE && !t.aware)
        fault(x, value, "has to name its time zone: end it with Z or an offset like -06:00");
    else if (x->row->type == IEM_DATE && !midnight)
        fault(x, value, "has to be a day, without a time of day");
    else
        *(struct iem_time *)x->field = t;
}

static void fill_value(const struct reading *x, const char *value)
{
    switch (x->row->type) {
    case IEM_TEXT:
        if (text_good(x, value))
            *(const char **)x->field = value;
        break;
    case IEM_LIST:
        fill_list(x, value);
        break;
    case IEM_REPEAT:
        if (text_good(x, value))
            strlist_add(x->field, x->r->arena, value);
        break;
    case IEM_INT:
        fill_int(x, value);
        break;
    case IEM_NUMBER:
        fill_number(x, value);
        break;
    case IEM_BOOL:
        fill_bool(x, value);
        break;
    case IEM_ZONE:
        fill_zone(x, value);
        break;
    case IEM_AWARE:
    case IEM_TIME:
    case IEM_DATE:
        fill_time(x, value);
        break;
    }
}

static bool all_alike(const struct strlist *l)
{
    for (size_t i = 1; i < l->count; i++) {
        if (!str_eq(l->items[0], l->items[i]))
            return false;
    }
    return true;
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '/' ||
           c == '!' || c == '?' || c == '_';
}

static bool is_script(const char *value)
{
    for (const char *s = strchr(value, '<'); s != NULL; s = strchr(s + 1, '<')) {
        if (is_word(s[1]))
            return true;
    }
    return strcasestr(value, "javascript:") != NULL;
}

static void fill_row(const struct reading *x)
{
    const struct iem_param *row = x->row;
    struct strlist given = values_of(x->r, row->name);
    bool list = row->type == IEM_LIST || row->type == IEM_REPEAT;
    if (given.count == 0) {
        if (row->standard != NULL)
            fill_value(x, row->standard);
        else if (row->flags & IEM_REQUIRED)
            fault_add(&x->r->faults, row->name, NULL, "it has to be given: %s", row->help);
        return;
    }
    if (given.count > 1 && !list && !(row->type == IEM_ZONE && all_alike(&given))) {
        fault_add(&x->r->faults, row->name, given.items[0], "it is given %zu times: give it once",
                  given.count);
        return;
    }
    size_t faults = x->r->faults.count;
    for (size_t i = 0; i < (list ? given.count : 1); i++) {
        if (is_script(given.items[i]))
            fault(x, given.items[i], "looks like a script, which no value of this service is");
        else
            fill_value(x, given.items[i]);
    }
    if (list && x->r->faults.count > faults + 8)
        x->r->faults.count = faults + 8; /* a long list of bad ids tells nothing more */
}

static bool help_wanted(const struct api_request *r)
{
    for (size_t i = 0; i < r->pairs.count; i++) {
        if (str_eq(r->pairs.items[i].name, "help"))
            return true;
    }
    return false;
}

void *iem_read(struct api_request *r, const struct iem_service *s)
{
    if (help_wanted(r)) {
        iem_help_page(r, s);
        return NULL;
    }
    char *target = arena_alloc(r->arena, s->size);
    if (target == NULL) {
        err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
        return NULL;
    }
    for (const struct iem_param *const *t = s->params; *t != NULL; t++) {
        struct reading x = { .r = r };
        for (x.row = *t; x.row->name != NULL; x.row++) {
            x.field = target + x.row->offset;
            fill_row(&x);
        }
    }
    return r->faults.count == 0 ? target : NULL;
}

bool iem_answered(const struct api_request *r)
{
    return r->body != NULL;
}
