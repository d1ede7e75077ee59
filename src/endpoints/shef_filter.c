/* The filters of the SHEF endpoints: parameters, and the SQL condition they make. */
#include "shef.h"

#include "obstream/query/sql.h"

#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(struct native_params, field)
#define LIST(n, f, h, ex)                                                                          \
    {                                                                                              \
        n, NULL, PARAM_LIST, AT(f), NULL, NULL, 0, 0, h, ex                                        \
    }

const struct param shef_filter_params[] = {
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
    { .name = NULL },
};

const struct param shef_limit_params[] = {
    { "limit", NULL, PARAM_COUNT, AT(limit), NULL, NULL, 1, 1e15,
      "rows at most; X-Truncated: true says that there were more", "1000" },
    { .name = NULL },
};

bool shef_key_chosen(const struct native_params *p)
{
    return p->key.count > 0 || p->pedts.count > 0 || p->pe.count > 0;
}

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

const char *shef_filter(struct api_request *r, const struct native_params *p)
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
