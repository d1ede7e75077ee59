/* /api/shef/elements: the dictionary of SHEF codes (SHEF Code Manual of 5 July 2012). */
#include "shef.h"

#include <string.h>

static const struct column columns[] = {
    COLUMN("table", CELL_TEXT, "", 0,
           "which part of a key: element, duration, type (with source), extremum, probability; or "
           "qualifier"),
    COLUMN("code", CELL_TEXT, "", 0, "the code"),
    COLUMN("name", CELL_TEXT, "", 0, "what it means"),
    COLUMN("unit", CELL_TEXT, "", 0, "unit of values in the archive; empty: coded or none"),
    COLUMN("metric_unit", CELL_TEXT, "", 0, "unit with units=metric"),
    COLUMN("metric_scale", CELL_FLOAT8, "", 0, "metric = value * metric_scale + metric_offset"),
    COLUMN("metric_offset", CELL_FLOAT8, "", 0, "see metric_scale"),
    COLUMN("default_duration", CELL_TEXT, "", 0, "duration code that a bare element stands for"),
    COLUMN("seconds", CELL_INT, "s", 0, "length of a duration; empty: not fixed"),
    COLUMN("total", CELL_TEXT, "", 0,
           "how /api/shef/summary totals the element: increment (an accumulator), sum, or not"),
};

static const struct param own_params[] = {
    { "table", NULL, PARAM_CHOICES, offsetof(struct native_params, table), NULL,
      "element,duration,type,extremum,probability,qualifier", 0, 0,
      "only these tables; all when absent", "element" },
    { "code", NULL, PARAM_LIST, offsetof(struct native_params, key), NULL, NULL, 0, 0,
      "only these codes", "HG,PC" },
    { .name = NULL },
};

static const struct param *const params[] = { own_params, params_output, NULL };

static struct cell text_cell(const char *s)
{
    return s[0] != '\0' ? cell_text(s, (uint32_t)strlen(s)) : cell_null();
}

static bool wanted(const struct native_params *p, const char *table, const char *code)
{
    return (p->table.count == 0 || strlist_has(&p->table, table)) &&
           (p->key.count == 0 || strlist_has(&p->key, code));
}

static bool element_row(const struct shef_element *e, struct sink *sink)
{
    struct cell c[ARRAY_SIZE(columns)] = {
        text_cell("element"),
        text_cell(e->pe),
        text_cell(e->name),
        text_cell(e->unit),
        text_cell(e->metric_unit),
        cell_float8(e->metric_scale),
        cell_float8(e->metric_offset),
        cell_text(&e->default_duration, 1),
        cell_null(),
        cell_null(),
    };
    enum shef_total total = shef_total(e->pe, strlen(e->pe));
    if (e->metric_unit[0] == '\0')
        c[5] = c[6] = cell_null();
    if (total != SHEF_TOTAL_NONE)
        c[9] = text_cell(total == SHEF_TOTAL_INCREMENT ? "increment" : "sum");
    return sink_row(sink, c);
}

static bool code_row(const char *table, const struct shef_code *code, struct sink *sink)
{
    struct cell c[ARRAY_SIZE(columns)];
    for (size_t i = 0; i < ARRAY_SIZE(c); i++)
        c[i] = cell_null();
    c[0] = text_cell(table);
    c[1] = text_cell(code->code);
    c[2] = text_cell(code->name);
    int64_t seconds = str_eq(table, "duration") ? shef_duration_seconds(code->code[0]) : 0;
    if (seconds > 0)
        c[8] = cell_int(seconds);
    return sink_row(sink, c);
}

/* Beside that of elements. */
static const struct {
    const char *name;
    const struct shef_code *(*rows)(size_t *count);
} tables[] = {
    { "duration", shef_durations },   { "type", shef_types },
    { "extremum", shef_extremes },    { "probability", shef_probabilities },
    { "qualifier", shef_qualifiers },
};

static bool known(const char *code)
{
    size_t n;
    const struct shef_element *elements = shef_elements(&n);
    for (size_t i = 0; i < n; i++) {
        if (str_eq(elements[i].pe, code))
            return true;
    }
    for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
        const struct shef_code *codes = tables[t].rows(&n);
        for (size_t i = 0; i < n; i++) {
            if (str_eq(codes[i].code, code))
                return true;
        }
    }
    return false;
}

static void check_codes(struct api_request *r, const struct native_params *p)
{
    for (size_t i = 0; i < p->key.count; i++) {
        if (!known(p->key.items[i]))
            fault_add(&r->faults, "code", p->key.items[i],
                      "no table has a code \"%.32s\"; without code= the answer lists all of them",
                      p->key.items[i]);
    }
}

static void generate(const struct plan *plan, struct sink *sink)
{
    const struct native_params *p = plan->ctx;
    size_t n;
    const struct shef_element *elements = shef_elements(&n);
    for (size_t i = 0; i < n; i++) {
        if (wanted(p, "element", elements[i].pe) && !element_row(&elements[i], sink))
            return;
    }
    for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
        const struct shef_code *codes = tables[t].rows(&n);
        for (size_t i = 0; i < n; i++) {
            if (wanted(p, tables[t].name, codes[i].code) &&
                !code_row(tables[t].name, &codes[i], sink))
                return;
        }
    }
}

static bool prepare(struct api_request *r)
{
    struct native_params *p = native_read(r);
    if (p == NULL)
        return false;
    check_codes(r, p);
    r->plan = native_memory_plan(r, p, columns, ARRAY_SIZE(columns));
    if (r->plan == NULL || r->faults.count > 0)
        return false;
    r->plan->ctx = p;
    r->plan->generate = generate;
    reply_header_add(r, "Cache-Control", "public, max-age=86400");
    return true;
}

const struct endpoint endpoint_shef_elements = {
    .path = "/api/shef/elements",
    .summary = "SHEF dictionary",
    .help = "Codes of the SHEF parameter code and of qualifiers, with units: SHEF Code Manual, "
            "National Weather Service, 5 July 2012.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE,
    .params = params,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .prepare = prepare,
    .examples = { "", "table=element&code=HG,QR,PC&format=json", "table=duration,qualifier" },
};
