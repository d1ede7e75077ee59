/* Schemas of parameters, rows and answers. */
#include "openapi.h"

#include <string.h>

/* As far as a pattern can tell: which of these are right is the parser's word. A parameter without
 * a value counts as absent, hence all of them match an empty one. */
#define NUMBER_PATTERN " *[-+]?[0-9.eE+-]+ *"
#define BBOX_PATTERN                                                                               \
    "^(" NUMBER_PATTERN "," NUMBER_PATTERN "," NUMBER_PATTERN "," NUMBER_PATTERN ")?$"
#define DATE_PATTERN "[0-9]{4}(-[0-9]{2}(-[0-9]{2}"
#define CLOCK_PATTERN "([Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?"
#define OFFSET_PATTERN "([Zz]|[-+ ][0-9]{2}(:?[0-9]{2})?)?)?"
#define TIME_PATTERN "^(" DATE_PATTERN CLOCK_PATTERN OFFSET_PATTERN ")?)?)?$"
#define UNITS_PATTERN "^(native|metric|us|[^:,]*:[^,]*)?$"

json_t *openapi_ref(const char *group, const char *name)
{
    return json_pack("{s:o}", "$ref", json_sprintf("#/components/%s/%s", group, name));
}

/* --- parameters --- */

static json_t *names(const char *list)
{
    json_t *array = json_array();
    while (list != NULL && *list != '\0') {
        size_t n = strcspn(list, ",");
        json_array_append_new(array, json_stringn(list, n));
        list += n + (list[n] == ',');
    }
    return array;
}

static json_t *format_names(const struct endpoint *e)
{
    json_t *array = json_array();
    for (const struct encoder *const *f = encoders; *f != NULL; f++)
        json_array_append_new(array, json_string((*f)->name));
    if (e->media_type != NULL && strncmp(e->media_type, "text/plain", 10) == 0)
        json_array_append_new(array, json_string("txt"));
    return array;
}

static json_t *column_names(const struct endpoint *e)
{
    json_t *array = json_array();
    for (size_t i = 0; i < e->column_count; i++)
        json_array_append_new(array, json_string(e->columns[i].name));
    return array;
}

/* A parameter without a value counts as absent. */
static json_t *or_empty(json_t *values)
{
    json_array_append_new(values, json_string(""));
    return values;
}

static json_t *bound(double v)
{
    return v == (double)(json_int_t)v && v > -1e15 && v < 1e16 ? json_integer((json_int_t)v)
                                                               : json_real(v);
}

static json_t *number_schema(const struct param *p)
{
    json_t *o = json_pack("{s:s}", "type", p->type == PARAM_COUNT ? "integer" : "number");
    json_object_set_new(o, "minimum", bound(p->min));
    json_object_set_new(o, "maximum", bound(p->max));
    if (p->standard != NULL)
        json_object_set_new(o, "default", bound(strtod(p->standard, NULL)));
    return o;
}

/* What the items of a list are held to; empty ones are left aside everywhere. */
static void constrain_item(const struct endpoint *e, const struct param *p, json_t *item)
{
    if (p->type == PARAM_CHOICES)
        json_object_set_new(item, "enum", or_empty(names(p->choices)));
    else if (str_eq(p->name, "vars") && e->column_count > 0 && !(e->flags & ENDPOINT_MORE_COLUMNS))
        json_object_set_new(item, "enum", or_empty(column_names(e)));
    else if (str_eq(p->name, "units"))
        json_object_set_new(item, "pattern", json_string(UNITS_PATTERN));
}

static json_t *list_schema(const struct endpoint *e, const struct param *p)
{
    json_t *item = json_pack("{s:s}", "type", "string");
    constrain_item(e, p, item);
    json_t *o = json_pack("{s:s, s:o}", "type", "array", "items", item);
    if (p->standard != NULL)
        json_object_set_new(o, "default", names(p->standard));
    return o;
}

static json_t *text_schema(const struct endpoint *e, const struct param *p)
{
    json_t *o = json_pack("{s:s}", "type", "string");
    if (p->type == PARAM_CHOICE)
        json_object_set_new(o, "enum", or_empty(names(p->choices)));
    else if (p->type == PARAM_BBOX)
        json_object_set_new(o, "pattern", json_string(BBOX_PATTERN));
    else if (p->type == PARAM_TIME)
        json_object_set_new(o, "pattern", json_string(TIME_PATTERN));
    else if (p->type == PARAM_TEXT && str_eq(p->name, "format") && (e->flags & ENDPOINT_FORMATS))
        json_object_set_new(o, "enum", or_empty(format_names(e)));
    if (p->standard != NULL)
        json_object_set_new(o, "default", json_string(p->standard));
    return o;
}

json_t *openapi_param_schema(const struct endpoint *e, const struct param *p)
{
    switch (p->type) {
    case PARAM_COUNT:
    case PARAM_NUMBER:
        return number_schema(p);
    case PARAM_LIST:
    case PARAM_CHOICES:
        return list_schema(e, p);
    default:
        return text_schema(e, p);
    }
}

/* --- rows --- */

/* An integer that has a unit may be asked for in another one. */
static const char *column_type(const struct column *c)
{
    switch (c->type) {
    case CELL_FLOAT4:
    case CELL_FLOAT8:
        return "number";
    case CELL_INT:
        return c->unit[0] != '\0' ? "number" : "integer";
    case CELL_BOOL:
        return "boolean";
    default:
        return "string";
    }
}

static const char *column_format(const struct column *c)
{
    static const char *const formats[] = {
        [CELL_INSTANT] = "date-time",
        [CELL_DAY] = "date",
        [CELL_INTERVAL] = "duration",
    };
    return c->type < ARRAY_SIZE(formats) ? formats[c->type] : NULL;
}

json_t *openapi_row_schema(const struct endpoint *e)
{
    json_t *columns = json_object();
    for (size_t i = 0; i < e->column_count; i++) {
        const struct column *c = &e->columns[i];
        json_t *o =
            json_pack("{s:[s,s], s:s}", "type", column_type(c), "null", "description", c->help);
        if (column_format(c) != NULL)
            json_object_set_new(o, "format", json_string(column_format(c)));
        if (c->unit[0] != '\0')
            json_object_set_new(o, "x-unit", json_string(c->unit));
        json_object_set_new(columns, c->name, o);
    }
    json_t *row = json_pack("{s:s, s:o}", "type", "object", "properties", columns);
    if (e->flags & ENDPOINT_MORE_COLUMNS)
        json_object_set_new(row, "additionalProperties",
                            json_pack("{s:[s,s,s]}", "type", "number", "string", "null"));
    else
        json_object_set_new(row, "additionalProperties", json_false());
    return row;
}

/* --- answers --- */

static json_t *rows_of(const char *row)
{
    return json_pack("{s:s, s:o}", "type", "array", "items", openapi_ref("schemas", row));
}

/* An object whose members `first` and `second` come before the number of rows. */
static json_t *counted(const char *first, json_t *first_schema, const char *second,
                       json_t *second_schema)
{
    json_t *members = json_object();
    json_object_set_new(members, first, first_schema);
    json_object_set_new(members, second, second_schema);
    json_object_set_new(members, "rows", json_pack("{s:s, s:i}", "type", "integer", "minimum", 0));
    json_object_set_new(
        members, "truncated",
        json_pack("{s:b, s:s}", "const", 1, "description", "there when limit cut the answer"));
    return json_pack("{s:s, s:[s,s,s], s:o, s:b}", "type", "object", "required", first, second,
                     "rows", "properties", members, "additionalProperties", 0);
}

static json_t *json_schema(const char *row)
{
    json_t *columns =
        json_pack("{s:s, s:o}", "type", "array", "items", openapi_ref("schemas", "Column"));
    return counted("columns", columns, "data", rows_of(row));
}

static json_t *geojson_schema(const char *row)
{
    json_t *feature =
        json_pack("{s:s, s:[s,s,s], s:{s:{s:s}, s:o, s:o}}", "type", "object", "required", "type",
                  "geometry", "properties", "properties", "type", "const", "Feature", "geometry",
                  openapi_ref("schemas", "Point"), "properties", openapi_ref("schemas", row));
    json_t *features = json_pack("{s:s, s:o}", "type", "array", "items", feature);
    return counted("type", json_pack("{s:s}", "const", "FeatureCollection"), "features", features);
}

static json_t *table_schema(const char *row)
{
    return counted("schema", openapi_ref("schemas", "TableSchema"), "data", rows_of(row));
}

static json_t *text_answer(const struct encoder *f)
{
    return json_pack("{s:s, s:s}", "type", "string", "description", f->help);
}

static json_t *format_schema(const struct encoder *f, const char *row)
{
    json_t *o = f == &encoder_json      ? json_schema(row)
                : f == &encoder_geojson ? geojson_schema(row)
                : f == &encoder_table   ? table_schema(row)
                                        : text_answer(f);
    if (f->document != NULL)
        json_object_set_new(o, "contentMediaType", json_string(f->mime));
    json_object_set_new(o, "description", json_string(f->help));
    return o;
}

json_t *openapi_content(const struct endpoint *e, const char *row)
{
    const char *mime = e->media_type != NULL ? e->media_type : "text/plain; charset=utf-8";
    json_t *content = json_object();
    if (!(e->flags & ENDPOINT_FORMATS)) {
        bool json = strstr(mime, "json") != NULL;
        json_object_set_new(content, mime,
                            json_pack("{s:{s:s}}", "schema", "type", json ? "object" : "string"));
        return content;
    }
    for (const struct encoder *const *f = encoders; *f != NULL; f++)
        json_object_set_new(content, (*f)->mime,
                            json_pack("{s:o}", "schema", format_schema(*f, row)));
    if (e->media_type != NULL) /* a format of its own */
        json_object_set_new(content, mime, json_pack("{s:{s:s}}", "schema", "type", "string"));
    return content;
}
