#include "ws.h"

static const char *const format_names[] = {
    [FRAME_JSON] = "json", [FRAME_TXT] = "txt", [FRAME_GEOJSON] = "geojson"
};

static bool format_read(struct api_request *r, unsigned formats, enum frame_format *format)
{
    if (r->path_format == NULL || r->path_format[0] == '\0')
        return err_set(&r->err, ERR_NOT_FOUND, "there is nothing at %.200s: the path ends in .json",
                       r->path);
    for (unsigned i = 0; i < ARRAY_SIZE(format_names); i++) {
        if ((formats & 1u << i) && str_eq(r->path_format, format_names[i])) {
            *format = (enum frame_format)i;
            return true;
        }
    }
    fault_add(&r->faults, "fmt", r->path_format, "the format has to be json%s%s",
              formats & 1u << FRAME_GEOJSON ? ", txt" : " or txt",
              formats & 1u << FRAME_GEOJSON ? " or geojson" : "");
    return false;
}

/* The last value of a name, NULL when there is none. */
static const char *value_of(const struct api_request *r, const char *name)
{
    for (size_t i = r->pairs.count; i > 0; i--) {
        if (str_eq(r->pairs.items[i - 1].name, name))
            return r->pairs.items[i - 1].value;
    }
    return NULL;
}

static int64_t characters(const char *s)
{
    int64_t n = 0;
    for (; *s != '\0'; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static bool within(const struct ws_param *p, int64_t v)
{
    return (p->min == 0 && p->max == 0) || (v >= p->min && v <= p->max);
}

static void read_text(struct api_request *r, const struct ws_param *p, const char *value, void *to)
{
    const char *why = p->check != NULL ? p->check(value) : NULL;
    if (!within(p, characters(value)))
        fault_add(&r->faults, p->name, value, "%s has to have %lld to %lld characters", p->name,
                  (long long)p->min, (long long)p->max);
    else if (why != NULL)
        fault_add(&r->faults, p->name, value, "%s %s", p->name, why);
    *(const char **)to = value;
}

static void read_int(struct api_request *r, const struct ws_param *p, const char *value, void *to)
{
    struct param_count *n = to;
    n->set = iem_int_text(value, true, &n->value);
    if (!n->set)
        fault_add(&r->faults, p->name, value, "%s has to be a whole number", p->name);
    else if (!within(p, n->value))
        fault_add(&r->faults, p->name, value, "%s has to be within %lld and %lld", p->name,
                  (long long)p->min, (long long)p->max);
}

static void read_bool(struct api_request *r, const struct ws_param *p, const char *value, void *to)
{
    if (!iem_bool_text(value, to))
        fault_add(&r->faults, p->name, value, "%s has to be true or false", p->name);
}

static void read_time(struct api_request *r, const struct ws_param *p, const char *value, void *to)
{
    struct param_time *t = to;
    struct iem_time got;
    const char *why = NULL;
    t->set = iem_time_text(value, &got, &why);
    t->usec = t->set ? civil_to_usec(&got.local) : 0;
    if (!t->set)
        fault_add(&r->faults, p->name, value, "%s %s", p->name, why);
    else if (p->type == WS_DATE && t->usec % USEC_PER_DAY != 0)
        fault_add(&r->faults, p->name, value, "%s has to be a day: 2024-06-01", p->name);
    else if (p->type == WS_DATE && !within(p, t->usec / USEC_PER_DAY))
        fault_add(&r->faults, p->name, value, "%s lies outside of what this service has", p->name);
}

bool ws_read(struct api_request *r, const struct ws_param *params, unsigned formats, void *target,
             enum frame_format *format)
{
    static void (*const readers[])(struct api_request *, const struct ws_param *, const char *,
                                   void *) = {
        [WS_TEXT] = read_text, [WS_INT] = read_int,   [WS_BOOL] = read_bool,
        [WS_DATE] = read_time, [WS_TIME] = read_time,
    };
    format_read(r, formats, format);
    for (const struct ws_param *p = params; p->name != NULL; p++) {
        const char *value = value_of(r, p->name);
        if (value != NULL)
            readers[p->type](r, p, value, (char *)target + p->offset);
        else if (p->required)
            fault_add(&r->faults, p->name, NULL, "%s is missing: %s", p->name, p->help);
    }
    return r->err.kind == ERR_NONE && r->faults.count == 0;
}

static void put_string(struct buf *b, const char *s)
{
    frame_put_ascii(b, s, strlen(s), false);
}

static void put_fault(struct buf *b, const struct fault *f)
{
    buf_printf(b, "{\"type\":\"%s\",\"loc\":[\"%s\",", f->value != NULL ? "value_error" : "missing",
               str_eq(f->param, "fmt") ? "path" : "query");
    put_string(b, f->param);
    buf_puts(b, "],\"msg\":");
    put_string(b, f->detail);
    buf_puts(b, ",\"input\":");
    if (f->value != NULL)
        put_string(b, f->value);
    else
        buf_puts(b, "null");
    buf_putc(b, '}');
}

void ws_fail(struct api_request *r)
{
    bool faulty = r->faults.count > 0 && r->err.kind == ERR_NONE;
    struct buf *b = reply_body(r, faulty ? 422 : err_status(r->err.kind), "application/json");
    buf_puts(b, "{\"detail\":");
    if (faulty)
        buf_putc(b, '[');
    else
        put_string(b, r->err.msg);
    for (size_t i = 0; faulty && i < r->faults.count; i++) {
        if (i > 0)
            buf_putc(b, ',');
        put_fault(b, &r->faults.items[i]);
    }
    buf_puts(b, faulty ? "]}" : "}");
    if (r->err.kind == ERR_UNAVAILABLE)
        reply_header_add(r, "Retry-After", "2");
}
