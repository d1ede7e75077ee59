/* The description that --describe prints: made from the same tables that validate requests. */
#include "obstream/api/endpoint.h"

#include <jansson.h>

static const char *const type_names[] = {
    [PARAM_TEXT] = "text",       [PARAM_LIST] = "list",     [PARAM_CHOICE] = "choice",
    [PARAM_CHOICES] = "choices", [PARAM_ZONE] = "timezone", [PARAM_TIME] = "time",
    [PARAM_COUNT] = "integer",   [PARAM_NUMBER] = "number", [PARAM_BBOX] = "bbox",
};

static const char *const cell_names[] = {
    [CELL_NULL] = "null",       [CELL_FLOAT4] = "number", [CELL_FLOAT8] = "number",
    [CELL_INT] = "integer",     [CELL_BOOL] = "boolean",  [CELL_TEXT] = "string",
    [CELL_INSTANT] = "instant", [CELL_DAY] = "date",      [CELL_INTERVAL] = "duration",
};

static json_t *split(const char *list)
{
    struct arena a = ARENA_INIT(64 << 10);
    struct strlist parts = { 0 };
    json_t *array = json_array();
    strlist_split(&parts, &a, list);
    for (size_t i = 0; i < parts.count; i++)
        json_array_append_new(array, json_string(parts.items[i]));
    arena_release(&a);
    return array;
}

static json_t *param_json(const struct param *p)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(p->name));
    json_object_set_new(o, "type", json_string(type_names[p->type]));
    if (p->aliases != NULL)
        json_object_set_new(o, "aliases", split(p->aliases));
    if (p->standard != NULL)
        json_object_set_new(o, "default", json_string(p->standard));
    if (p->choices != NULL)
        json_object_set_new(o, "choices", split(p->choices));
    if (p->type == PARAM_COUNT || p->type == PARAM_NUMBER) {
        json_object_set_new(o, "minimum", json_real(p->min));
        json_object_set_new(o, "maximum", json_real(p->max));
    }
    json_object_set_new(o, "help", json_string(p->help));
    if (p->example != NULL)
        json_object_set_new(o, "example", json_string(p->example));
    return o;
}

static json_t *column_json(const struct column *c)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(c->name));
    json_object_set_new(o, "type", json_string(cell_names[c->type]));
    json_object_set_new(o, "unit", c->unit[0] != '\0' ? json_string(c->unit) : json_null());
    json_object_set_new(o, "on_request", json_boolean(c->flags & COLUMN_EXTRA));
    json_object_set_new(o, "help", json_string(c->help));
    return o;
}

static json_t *formats_json(void)
{
    json_t *list = json_array();
    for (const struct encoder *const *e = encoders; *e != NULL; e++) {
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string((*e)->name));
        json_object_set_new(o, "media_type", json_string((*e)->mime));
        json_object_set_new(o, "help", json_string((*e)->help));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *codings_json(void)
{
    json_t *list = json_array();
    for (const struct codec *const *c = codecs; *c != NULL; c++) {
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string((*c)->name));
        json_object_set_new(o, "library", json_string((*c)->library));
        json_array_append_new(list, o);
    }
    return list;
}

/* A whole target, or the query of the endpoint's path. */
static json_t *example_json(const struct endpoint *e, const char *example)
{
    if (example[0] == '/')
        return json_string(example);
    return json_sprintf(example[0] != '\0' ? "%s?%s" : "%s", e->path, example);
}

static json_t *endpoint_json(const struct endpoint *e)
{
    json_t *o = json_object(), *params = json_array(), *columns = json_array();
    json_t *examples = json_array();
    for (const struct param *const *t = e->params; t != NULL && *t != NULL; t++) {
        for (const struct param *p = *t; p->name != NULL; p++)
            json_array_append_new(params, param_json(p));
    }
    for (size_t i = 0; i < e->column_count; i++)
        json_array_append_new(columns, column_json(&e->columns[i]));
    for (size_t i = 0; i < 4 && e->examples[i] != NULL; i++)
        json_array_append_new(examples, example_json(e, e->examples[i]));
    json_object_set_new(o, "path", json_string(e->path));
    json_object_set_new(o, "summary", json_string(e->summary));
    json_object_set_new(o, "help", json_string(e->help));
    json_object_set_new(o, "parameters", params);
    json_object_set_new(o, "columns", columns);
    json_object_set_new(o, "more_columns", json_boolean(e->flags & ENDPOINT_MORE_COLUMNS));
    json_object_set_new(o, "formats", json_boolean(e->flags & ENDPOINT_FORMATS));
    json_object_set_new(o, "examples", examples);
    return o;
}

char *describe_json(void)
{
    json_t *root = json_object(), *list = json_array();
    for (const struct endpoint *const *e = endpoints; *e != NULL; e++)
        json_array_append_new(list, endpoint_json(*e));
    json_object_set_new(root, "name", json_string("obstream"));
    json_object_set_new(root, "version", json_string(OBSTREAM_VERSION));
    json_object_set_new(root, "endpoints", list);
    json_object_set_new(root, "formats", formats_json());
    json_object_set_new(root, "not_offered",
                        json_pack("{s:s}", "parquet", "Debian has no library for it"));
    json_object_set_new(root, "codings", codings_json());
    char *text = json_dumps(root, JSON_INDENT(2));
    json_decref(root);
    return text;
}
