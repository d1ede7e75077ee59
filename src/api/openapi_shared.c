/* The components that all paths of the OpenAPI document share. */
#include "openapi.h"

#include <string.h>

static json_t *described(const char *type, const char *description)
{
    return json_pack("{s:s, s:s}", "type", type, "description", description);
}

static json_t *fault_schema(void)
{
    return json_pack("{s:s, s:[s,s], s:{s:o, s:o, s:o}}", "type", "object", "required", "parameter",
                     "detail", "properties", "parameter",
                     described("string", "name of the parameter"), "value",
                     json_pack("{s:[s,s], s:s}", "type", "string", "null", "description",
                               "what was given, as far as it can be shown"),
                     "detail", described("string", "what is wrong, and the remedy"));
}

static json_t *problem_schema(void)
{
    json_t *members = json_object();
    json_object_set_new(members, "type", described("string", "urn:obstream:problem:..."));
    json_object_set_new(members, "title", described("string", "the kind of problem"));
    json_object_set_new(members, "status", described("integer", "the HTTP status"));
    json_object_set_new(members, "detail", described("string", "what is wrong, and the remedy"));
    json_object_set_new(members, "instance", described("string", "the path that was asked for"));
    json_object_set_new(members, "errors",
                        json_pack("{s:s, s:o, s:s}", "type", "array", "items",
                                  openapi_ref("schemas", "Fault"), "description",
                                  "all faults of the request at once"));
    return json_pack("{s:s, s:[s,s,s,s], s:o, s:s}", "type", "object", "required", "type", "title",
                     "status", "detail", "properties", members, "description",
                     "a problem document (RFC 9457)");
}

static json_t *column_schema(void)
{
    return json_pack("{s:s, s:[s,s,s], s:{s:o, s:{s:[s,s], s:s}, s:{s:[s,s,s,s,s,s,s,s]}}}", "type",
                     "object", "required", "name", "unit", "type", "properties", "name",
                     described("string", "name of the column"), "unit", "type", "string", "null",
                     "description", "unit of its values", "type", "enum", "null", "number",
                     "integer", "boolean", "string", "datetime", "date", "duration");
}

static json_t *point_schema(void)
{
    return json_pack("{s:[s,s], s:[s,s], s:{s:{s:s}, s:{s:s, s:{s:s}, s:i, s:i}}, s:s}", "type",
                     "object", "null", "required", "type", "coordinates", "properties", "type",
                     "const", "Point", "coordinates", "type", "array", "items", "type", "number",
                     "minItems", 2, "maxItems", 2, "description",
                     "longitude and latitude; null when they are not known");
}

static json_t *table_schema_schema(void)
{
    json_t *field = json_pack("{s:s, s:[s,s]}", "type", "object", "required", "name", "type");
    return json_pack("{s:s, s:[s,s], s:{s:{s:s, s:o}, s:o}}", "type", "object", "required",
                     "fields", "pandas_version", "properties", "fields", "type", "array", "items",
                     field, "pandas_version", described("string", "version of the schema"));
}

json_t *openapi_shared_schemas(void)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "Problem", problem_schema(), "Fault",
                     fault_schema(), "Column", column_schema(), "Point", point_schema(),
                     "TableSchema", table_schema_schema());
}

static const struct {
    const char *name, *description;
} shared_headers[] = {
    { "X-Request-Id", "names the request; it is in the server's log too" },
    { "X-Time-Window", "the window [from, to) as it was understood, UTC" },
    { "X-Truncated", "true when limit cut the answer; of a streamed answer it is a trailer" },
    { "ETag", "of an answer that is known before its first byte: then If-None-Match gives 304" },
    { "Cache-Control", "how long the answer may be kept" },
    { "Content-Disposition", "the name of the download that filename asks for" },
    { "Retry-After", "seconds until it makes sense to ask again" },
    { "Allow", "the methods that are served" },
};

json_t *openapi_shared_headers(void)
{
    json_t *o = json_object();
    for (size_t i = 0; i < ARRAY_SIZE(shared_headers); i++)
        json_object_set_new(o, shared_headers[i].name,
                            json_pack("{s:s, s:{s:s}}", "description",
                                      shared_headers[i].description, "schema", "type", "string"));
    return o;
}

/* When each status of a failure is sent. */
static const struct {
    int status;
    const char *description;
} failures[] = {
    { 400, "Parameters are not valid: all faults are named." },
    { 404, "There is nothing at this path." },
    { 405, "The method is not served here." },
    { 406, "None of the types in Accept is offered." },
    { 413, "The form, or what the request needs, is too large." },
    { 414, "The request target is too long: send a form by POST." },
    { 415, "The body is no application/x-www-form-urlencoded form." },
    { 422, "The answer does not fit the format: a spreadsheet has 1,048,576 rows." },
    { 500, "Internal error." },
    { 502, "The database refused the query." },
    { 503, "The database cannot be reached, or the server is busy or about to stop." },
    { 504, "The database did not answer in time." },
};

json_t *openapi_shared_responses(void)
{
    json_t *o = json_object();
    char name[16];
    for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
        snprintf(name, sizeof(name), "%d", failures[i].status);
        json_object_set_new(
            o, name,
            json_pack("{s:s, s:{s:o}, s:{s:{s:o}}}", "description", failures[i].description,
                      "headers", "X-Request-Id", openapi_ref("headers", "X-Request-Id"), "content",
                      "application/problem+json", "schema", openapi_ref("schemas", "Problem")));
    }
    json_object_set_new(
        o, "304",
        json_pack("{s:s}", "description", "The client has this answer already (If-None-Match)."));
    return o;
}
