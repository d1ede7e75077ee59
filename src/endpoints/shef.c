/* /api/shef: the SHEF archive (hads.raw), one value a row or one column a key. */
#include "common.h"

#include "obstream/core/number.h"
#include "obstream/query/shef.h"
#include "obstream/query/sql.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(struct native_params, field)
#define LIST(n, f, h, ex)                                                                          \
    {                                                                                              \
        n, NULL, PARAM_LIST, AT(f), NULL, NULL, 0, 0, h, ex                                        \
    }
#define PART(n, field, h) COMPUTED(n, CELL_TEXT, "", 0, cell_##field, h, "key")

/* Parts of the parameter code point into the key. */
#define KEY_PART(field)                                                                            \
    static void cell_##field(const struct computed *c, const struct cell *cells, struct cell *out) \
    {                                                                                              \
        const struct cell *key = &cells[c->in[0]];                                                 \
        *out = cell_null();                                                                        \
        if (key->type != CELL_TEXT)                                                                \
            return;                                                                                \
        struct shef_key k = shef_key_split(key->s, key->len);                                      \
        if (k.field##_len > 0)                                                                     \
            *out = cell_text(k.field, k.field##_len);                                              \
    }
KEY_PART(pe)
KEY_PART(duration)
KEY_PART(type)
KEY_PART(source)
KEY_PART(extremum)
KEY_PART(probability)
#undef KEY_PART

static const struct shef_element *key_element(const struct cell *key)
{
    char pe[3] = "";
    if (key->type != CELL_TEXT || key->len < 2)
        return NULL;
    memcpy(pe, key->s, 2);
    return shef_element_find(pe);
}

static bool metric(const struct computed *c)
{
    const struct api_request *r = c->ctx;
    return strlist_has(&r->plan_params->units, "metric");
}

static void cell_unit(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct shef_element *e = key_element(&cells[c->in[0]]);
    *out = cell_null();
    if (e == NULL)
        return;
    const char *unit = metric(c) && e->metric_unit[0] != '\0' ? e->metric_unit : e->unit;
    if (unit[0] != '\0')
        *out = cell_text(unit, (uint32_t)strlen(unit));
}

/* The element's conversion; -9999 and below are missing by convention and stay as they are. */
static void cell_value(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct shef_element *e = key_element(&cells[c->in[0]]);
    *out = cells[c->in[1]];
    if (e == NULL || !metric(c) || e->metric_unit[0] == '\0' || out->type != CELL_FLOAT4)
        return;
    double v = number_widen(out->f4);
    if (v <= -9999)
        return;
    double scale = pow(10, e->metric_decimals + 2);
    *out = cell_float8(round((v * e->metric_scale + e->metric_offset) * scale) / scale);
}

static const struct column columns[] = {
    COLUMN("station", CELL_TEXT, "", 0, "station id (NWSLI)"),
    COLUMN("valid", CELL_INSTANT, "", 0, "time of the value, UTC"),
    LOCAL_TIME("valid"),
    COLUMN("key", CELL_TEXT, "", 0,
           "SHEF parameter code: pe, duration, type, source, extremum, "
           "probability"),
    PART("pe", pe, "physical element, two letters: HG stage, PP precipitation"),
    PART("duration", duration, "duration code: I instantaneous, H hour, D day"),
    PART("type", type, "type code: R reading, F forecast"),
    PART("source", source, "source code: G GOES, Z unspecified"),
    PART("extremum", extremum, "extremum code: X maximum, N minimum, Z none"),
    PART("probability", probability, "probability code: Z none"),
    COMPUTED("value", CELL_FLOAT4, "", 0, cell_value, "the value, in `unit`", "key", "value"),
    COMPUTED("unit", CELL_TEXT, "", 0, cell_unit, "unit of the value; metric with units=metric",
             "key"),
    COLUMN("qualifier", CELL_TEXT, "", COLUMN_PADDED, "data qualifier code"),
    COLUMN("depth", CELL_INT, "in", 0, "depth below ground of paired elements"),
    COLUMN("dv_interval", CELL_INTERVAL, "", 0,
           "duration that a variable duration code stands for"),
    COLUMN("unit_convention", CELL_TEXT, "", COLUMN_PADDED, "E English, S standard"),
    STATION_COLUMNS,
};

static const struct param own_params[] = {
    LIST("pe", pe, "physical elements, two letters", "HG,QR"),
    LIST("duration", duration, "duration codes, one letter", "I"),
    LIST("ts", ts, "type and source codes, one or two characters", "RG"),
    LIST("extremum", extremum, "extremum codes, one letter", "Z"),
    LIST("key", key, "parameter codes, * stands for any text", "HGIRG*"),
    LIST("pedts", pedts, "the first five characters of parameter codes", "HGIRG"),
    LIST("qualifier", qualifier, "qualifier codes, one letter; none: values without one", "none"),
    { "min_value", NULL, PARAM_NUMBER, AT(min_value), NULL, NULL, -1e30, 1e30,
      "only values at or above, in archive units", "10" },
    { "max_value", NULL, PARAM_NUMBER, AT(max_value), NULL, NULL, -1e30, 1e30,
      "only values at or below, in archive units", "20" },
    { "layout", NULL, PARAM_CHOICE, AT(layout), "long", "long,wide", 0, 0,
      "long: one value a row; wide: one column for each key", "wide" },
    { .name = NULL },
};

static const struct param *const params[] = { params_stations, params_time,   params_rows,
                                              own_params,      params_output, NULL };

static const struct archive_spec spec = {
    .table = TABLE_HADS_RAW,
    .station = "station",
    .time = "valid",
    .tie = "",
    .rows_per_day = 100,
    .row_bytes = 90,
    .belongs = station_reports_shef,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
};

/* A list of codes as patterns of the key: each code stands at `at` and fills up to `room`. */
struct code_filter {
    const char *param;
    const struct strlist *codes;
    unsigned at, min, max;
    bool open; /* any text may follow, and * is allowed */
};

static void add_pattern(struct api_request *r, const struct code_filter *f, const char *code,
                        struct buf *b)
{
    char pattern[32] = "";
    size_t n = strlen(code);
    const char *star = f->open ? "*" : "";
    if (n < f->min || n > f->max || strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789*") != n ||
        (!f->open && strchr(code, '*') != NULL)) {
        fault_add(&r->faults, f->param, code, "\"%.32s\" is no SHEF %s code: %u to %u capitals%s",
                  code, f->param, f->min, f->max, f->open ? ", * for any text" : "");
        return;
    }
    snprintf(pattern, sizeof(pattern), "%s%s", code, f->max == 5 && n < 8 ? star : "");
    sql_text(b, "key LIKE ");
    sql_key_pattern(b, pattern);
}

/* key, pedts: patterns of the whole key. */
static void pattern_filter(struct api_request *r, const struct code_filter *f, struct buf *b)
{
    for (size_t i = 0; i < f->codes->count; i++) {
        sql_text(b, i == 0 ? " AND (" : " OR ");
        add_pattern(r, f, f->codes->items[i], b);
    }
    if (f->codes->count > 0)
        sql_text(b, ")");
}

/* pe, duration, ts, extremum: a part of the key is one of the codes. */
static void part_filter(struct api_request *r, const struct code_filter *f, struct buf *b)
{
    for (size_t i = 0; i < f->codes->count; i++) {
        const char *code = f->codes->items[i];
        size_t n = strlen(code);
        if (n < f->min || n > f->max || !sql_key_pattern_ok(code) || strchr(code, '*') != NULL) {
            fault_add(&r->faults, f->param, code,
                      "\"%.32s\" is no SHEF %s code: %u to %u letters or digits", code, f->param,
                      f->min, f->max);
            continue;
        }
        sql_text(b, i == 0 ? " AND (substr(key, " : " OR substr(key, ");
        sql_int(b, f->at);
        sql_text(b, ", ");
        sql_int(b, (int64_t)n);
        sql_text(b, ") = ");
        sql_id(b, code, n);
    }
    if (f->codes->count > 0)
        sql_text(b, ")");
}

static void qualifier_filter(struct api_request *r, const struct native_params *p, struct buf *b)
{
    for (size_t i = 0; i < p->qualifier.count; i++) {
        const char *code = p->qualifier.items[i];
        sql_text(b, i == 0 ? " AND (" : " OR ");
        if (str_eq(code, "none")) {
            sql_text(b, "qualifier IS NULL");
            continue;
        }
        if (strlen(code) != 1 || !sql_key_pattern_ok(code) || code[0] == '*')
            fault_add(&r->faults, "qualifier", code,
                      "\"%.32s\" is no qualifier: one letter, or none", code);
        sql_text(b, "qualifier = ");
        sql_id(b, code, strlen(code));
    }
    if (p->qualifier.count > 0)
        sql_text(b, ")");
}

static void value_filter(const struct native_params *p, struct buf *b)
{
    if (p->min_value.set) {
        sql_text(b, " AND value >= ");
        sql_float4(b, p->min_value.value);
    }
    if (p->max_value.set) {
        sql_text(b, " AND value <= ");
        sql_float4(b, p->max_value.value);
    }
}

static const char *shef_filter(struct api_request *r, const struct native_params *p)
{
    const struct code_filter parts[] = {
        { "pe", &p->pe, 1, 2, 2, false },
        { "duration", &p->duration, 3, 1, 1, false },
        { "ts", &p->ts, 4, 1, 2, false },
        { "extremum", &p->extremum, 6, 1, 1, false },
    };
    struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        part_filter(r, &parts[i], &b);
    pattern_filter(r, &(struct code_filter){ "key", &p->key, 1, 1, 11, true }, &b);
    pattern_filter(r, &(struct code_filter){ "pedts", &p->pedts, 1, 5, 5, true }, &b);
    qualifier_filter(r, p, &b);
    value_filter(p, &b);
    const char *text = arena_strdup(r->arena, b.failed || b.data == NULL ? "" : b.data);
    if (b.failed && r->faults.count == 0)
        err_set(&r->err, ERR_INTERNAL, "the filter cannot be built");
    buf_release(&b);
    return text;
}

static bool prepare(struct api_request *r)
{
    struct native_params *p = native_read(r);
    if (p == NULL)
        return false;
    r->plan_params = p;
    const char *filter = shef_filter(r, p);
    r->plan = native_plan(r, p, &spec, filter);
    if (r->plan != NULL && str_eq(p->layout, "wide"))
        return shef_wide(r, p);
    return r->plan != NULL;
}

const struct endpoint endpoint_shef = {
    .path = "/api/shef",
    .summary = "SHEF archive",
    .help = "Values of river, reservoir and rain gauges by SHEF parameter code.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE | ENDPOINT_MORE_COLUMNS,
    .params = params,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .prepare = prepare,
    .examples = { "station=AESI4&sts=2025-09-01&ets=2025-09-03",
                  "station=AESI4&pe=HG&layout=wide&sts=2025-09-01&ets=2025-09-03",
                  "state=IA&key=PPHRG*&sts=2025-09-01&ets=2025-09-03&units=metric&format=json" },
};
