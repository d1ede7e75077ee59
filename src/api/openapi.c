/* The OpenAPI document: paths and their operations, made from the tables that validate requests. */
#include "openapi.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char about[] =
    "Archives of METAR, SHEF and climate observations. Answers stream: the first byte leaves "
    "before "
    "the last row is read, and there is no limit on stations, span or rows.\n\n"
    "Every GET may be a HEAD, and a POST with the parameters as a form for selections too long for "
    "a URL. Formats are chosen by `format`, by a suffix of the path (`/api/metar.json`) or by "
    "`Accept`. A parameter without a value counts as absent. CORS is open. Parquet is not offered: "
    "Debian has no library for it.\n\n"
    "The services of the Iowa Environmental Mesonet that are served alike below `/cgi-bin/request` "
    "and `/api/1` are described by their own help pages (`?help`), see [/docs/plain](/docs/plain).";

static const char *const body_statuses[] = { "413", "415", NULL };
static const char *const any_statuses[] = { "405", "414", "500", NULL };
static const char *const data_statuses[] = { "304", "400", "406", "413", "422",
                                             "502", "503", "504", NULL };

/* MetarRow of /api/metar */
static void row_name(const struct endpoint *e, char *out, size_t room)
{
    size_t n = 0;
    bool start = true;
    const char *s = strncmp(e->path, "/api/", 5) == 0 ? e->path + 5 : e->path;
    for (; *s != '\0' && n + 4 < room; s++) {
        if (isalnum((unsigned char)*s))
            out[n++] = (char)(start ? toupper((unsigned char)*s) : *s);
        start = !isalnum((unsigned char)*s);
    }
    snprintf(out + n, room - n, "Row");
}

static json_t *split(const char *list)
{
    json_t *array = json_array();
    while (*list != '\0') {
        size_t n = strcspn(list, ",");
        json_array_append_new(array, json_stringn(list, n));
        list += n + (list[n] == ',');
    }
    return array;
}

static json_t *param_example(const struct param *p)
{
    switch (p->type) {
    case PARAM_LIST:
    case PARAM_CHOICES:
        return split(p->example);
    case PARAM_COUNT:
        return json_integer(strtoll(p->example, NULL, 10));
    case PARAM_NUMBER:
        return json_real(strtod(p->example, NULL));
    default:
        return json_string(p->example);
    }
}

static json_t *param_json(const struct endpoint *e, const struct param *p)
{
    json_t *o = json_pack("{s:s, s:s, s:b, s:o}", "name", p->name, "in", "query", "required", 0,
                          "schema", openapi_param_schema(e, p));
    json_object_set_new(o, "description",
                        p->aliases != NULL ? json_sprintf("%s. Also: %s.", p->help, p->aliases)
                                           : json_string(p->help));
    if (p->example != NULL)
        json_object_set_new(o, "example", param_example(p));
    return o;
}

static json_t *params_json(const struct endpoint *e)
{
    json_t *list = json_array();
    for (const struct param *const *t = e->params; t != NULL && *t != NULL; t++) {
        for (const struct param *p = *t; p->name != NULL; p++)
            json_array_append_new(list, param_json(e, p));
    }
    return list;
}

static json_t *form_json(const struct endpoint *e)
{
    json_t *members = json_object();
    for (const struct param *const *t = e->params; t != NULL && *t != NULL; t++) {
        for (const struct param *p = *t; p->name != NULL; p++) {
            json_t *schema = openapi_param_schema(e, p);
            json_object_set_new(schema, "description", json_string(p->help));
            json_object_set_new(members, p->name, schema);
        }
    }
    return json_pack("{s:b, s:{s:{s:{s:s, s:o, s:b}}}}", "required", 0, "content",
                     "application/x-www-form-urlencoded", "schema", "type", "object", "properties",
                     members, "additionalProperties", 0);
}

static void add_statuses(json_t *responses, const char *const *statuses)
{
    for (; *statuses != NULL; statuses++)
        json_object_set_new(responses, *statuses, openapi_ref("responses", *statuses));
}

static json_t *answer_json(const struct endpoint *e, const char *row)
{
    static const char *const told[] = { "X-Request-Id", "X-Time-Window",       "X-Truncated",
                                        "ETag",         "Content-Disposition", "Cache-Control" };
    json_t *headers = json_object();
    size_t count = e->flags & ENDPOINT_FORMATS ? ARRAY_SIZE(told) : 1;
    for (size_t i = 0; i < count; i++)
        json_object_set_new(headers, told[i], openapi_ref("headers", told[i]));
    return json_pack("{s:s, s:o, s:o}", "description", e->summary, "headers", headers, "content",
                     openapi_content(e, row));
}

/* An endpoint that says 503 for itself does so in its own words. */
static json_t *responses_json(const struct endpoint *e, const char *row, bool form)
{
    json_t *o = json_pack("{s:o}", "200", answer_json(e, row));
    add_statuses(o, any_statuses);
    if (form)
        add_statuses(o, body_statuses);
    if (e->flags & ENDPOINT_FORMATS)
        add_statuses(o, data_statuses);
    else
        json_object_set_new(
            o, "503",
            json_pack("{s:s, s:{s:{s:{s:s}}, s:{s:o}}}", "description", "Not able to serve now.",
                      "content", "text/plain; charset=utf-8", "schema", "type", "string",
                      "application/problem+json", "schema", openapi_ref("schemas", "Problem")));
    return o;
}

static json_t *help_text(const struct endpoint *e)
{
    struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
    buf_puts(&b, e->help);
    for (size_t i = 0; i < ARRAY_SIZE(e->examples) && e->examples[i] != NULL; i++) {
        const char *mark = e->examples[i][0] != '\0' ? "?" : "";
        buf_printf(&b, "%s\n* [%s%s%s](%s%s%s)", i == 0 ? "\n\nExamples:\n" : "", e->path, mark,
                   e->examples[i], e->path, mark, e->examples[i]);
    }
    json_t *text = json_string(b.failed ? e->help : b.data);
    buf_release(&b);
    return text;
}

static json_t *operation_json(const struct endpoint *e, const char *row, const char *verb)
{
    bool form = str_eq(verb, "post");
    json_t *o = json_pack("{s:s, s:o, s:[s], s:o}", "summary", e->summary, "description",
                          help_text(e), "tags", e->flags & ENDPOINT_FORMATS ? "data" : "service",
                          "responses", responses_json(e, row, form));
    json_object_set_new(o, "operationId", json_sprintf("%s%.*s", verb, (int)strlen(row) - 3, row));
    if (form)
        json_object_set_new(o, "requestBody", form_json(e));
    else
        json_object_set_new(o, "parameters", params_json(e));
    return o;
}

static void add_endpoint(json_t *paths, json_t *schemas, const struct endpoint *e)
{
    char row[64];
    row_name(e, row, sizeof(row));
    json_t *path = json_pack("{s:o}", "get", operation_json(e, row, "get"));
    if (e->flags & ENDPOINT_FORMATS) {
        json_object_set_new(path, "post", operation_json(e, row, "post"));
        json_object_set_new(schemas, row, openapi_row_schema(e));
    }
    json_object_set_new(paths, e->path, path);
}

static char *document(void)
{
    json_t *paths = json_object(), *schemas = openapi_shared_schemas();
    for (const struct endpoint *const *e = endpoints; *e != NULL; e++) {
        if (endpoint_is_native(*e) && !((*e)->flags & ENDPOINT_ARGUMENT))
            add_endpoint(paths, schemas, *e);
    }
    json_t *root =
        json_pack("{s:s, s:{s:s, s:s, s:s}, s:[{s:s}], s:o, s:{s:o, s:o, s:o}}", "openapi", "3.1.0",
                  "info", "title", "obstream", "version", OBSTREAM_VERSION, "description", about,
                  "servers", "url", "/", "paths", paths, "components", "schemas", schemas,
                  "headers", openapi_shared_headers(), "responses", openapi_shared_responses());
    char *text = root != NULL ? json_dumps(root, JSON_INDENT(1)) : NULL;
    json_decref(root);
    return text;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *kept;

static void make_once(void)
{
    kept = document();
}

const char *openapi_json(void)
{
    pthread_once(&once, make_once);
    return kept;
}
