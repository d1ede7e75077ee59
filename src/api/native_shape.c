/* Units, header and texts of an answer. */
#include "obstream/api/native.h"

#include "obstream/query/unit.h"

#include <string.h>

static void convert(struct api_request *r, struct field *f, const char *to, bool must)
{
    const char *name = unit_name(to);
    if (f->flags & FIELD_CONVERT)
        return; /* the first one asked for stands */
    if (name != NULL && str_eq(name, f->unit))
        return;
    if (f->unit[0] != '\0' && unit_convert(f->unit, to, &f->scale, &f->offset, &f->decimals)) {
        f->flags |= FIELD_CONVERT;
        f->unit = name;
        return;
    }
    if (!must)
        return;
    struct buf list = BUF_INIT(BUF_LIMIT_MESSAGE);
    for (size_t i = 0; f->unit[0] != '\0' && unit_candidate(f->unit, i) != NULL; i++)
        buf_printf(&list, "%s%s", i > 0 ? ", " : "", unit_candidate(f->unit, i));
    fault_add(&r->faults, "units", to, "%s cannot be given in \"%.32s\"%s%s", f->name, to,
              list.len > 0 ? ": it can be given in " : ": it has no unit",
              list.len > 0 ? list.data : "");
    buf_release(&list);
}

static void column_unit(struct api_request *r, struct plan *plan, const char *item)
{
    const char *colon = strchr(item, ':');
    struct field *fields = (struct field *)plan->shape.fields;
    for (size_t i = 0; i < plan->shape.count; i++) {
        size_t n = strlen(fields[i].name);
        if (n == (size_t)(colon - item) && memcmp(fields[i].name, item, n) == 0) {
            convert(r, &fields[i], colon + 1, true);
            return;
        }
    }
    fault_add(&r->faults, "units", item, "\"%.64s\" names no column of this answer", item);
}

static void apply_units(struct api_request *r, const struct native_params *p, struct plan *plan)
{
    enum unit_system system = UNITS_NATIVE;
    for (size_t i = 0; i < p->units.count && r->faults.count < FAULTS_LISTED; i++) {
        const char *item = p->units.items[i];
        if (strchr(item, ':') != NULL)
            column_unit(r, plan, item);
        else if (str_eq(item, "metric"))
            system = UNITS_METRIC;
        else if (str_eq(item, "us"))
            system = UNITS_US;
        else if (!str_eq(item, "native"))
            fault_add(&r->faults, "units", item,
                      "\"%.64s\" is none of native, metric, us and column:unit", item);
    }
    struct field *fields = (struct field *)plan->shape.fields;
    for (size_t i = 0; system != UNITS_NATIVE && i < plan->shape.count; i++) {
        const char *to = unit_in_system(fields[i].unit, system);
        if (fields[i].unit[0] != '\0' && to != NULL)
            convert(r, &fields[i], to, false);
    }
}

static bool filename_ok(const char *name)
{
    for (const char *s = name; *s != '\0'; s++) {
        if ((unsigned char)*s < ' ' || *s == 0x7f || strchr("\"\\/", *s) != NULL)
            return false;
    }
    return strlen(name) <= 200;
}

/* These texts stand in every row: long ones would make small answers large. */
static void check_text(struct api_request *r, const char *name, const char *text)
{
    enum { LONGEST_TEXT = 32 };
    if (text != NULL && strlen(text) > LONGEST_TEXT)
        fault_add(&r->faults, name, text, "the text for %s values has at most %d bytes", name,
                  LONGEST_TEXT);
}

bool native_shape(struct api_request *r, const struct native_params *p, struct plan *plan)
{
    struct shape *s = &plan->shape;
    check_text(r, "missing", p->missing);
    check_text(r, "trace", p->trace);
    s->missing = p->missing != NULL ? p->missing : "";
    s->trace = p->trace;
    s->header = str_eq(p->header, "units")  ? HEADER_UNITS
                : str_eq(p->header, "none") ? HEADER_NONE
                                            : HEADER_PLAIN;
    s->tz = p->tz != NULL ? p->tz : tz_utc();
    apply_units(r, p, plan);
    if (p->filename != NULL) {
        if (!filename_ok(p->filename))
            fault_add(&r->faults, "filename", p->filename,
                      "a file name has no slash, quote or control character and at most 200 bytes");
        reply_header_add(r, "Content-Disposition",
                         arena_printf(r->arena, "attachment; filename=\"%s\"", p->filename));
    }
    return r->faults.count == 0;
}
