/* /api/openapi.json: the description for programs. */
#include "common.h"

#include <string.h>

static bool prepare(struct api_request *r)
{
    const char *text = openapi_json();
    if (text == NULL)
        return err_set(&r->err, ERR_INTERNAL, "the description cannot be made");
    reply_header_add(r, "Cache-Control", "public, max-age=3600");
    return text_reply(r, r->endpoint->media_type, text, strlen(text));
}

const struct endpoint endpoint_openapi = {
    .path = "/api/openapi.json",
    .summary = "Description for programs",
    .help = "Endpoints, parameters, formats and columns as OpenAPI 3.1, made from the tables that "
            "check requests.",
    .prepare = prepare,
    .allow = "GET, HEAD, OPTIONS",
    .media_type = "application/json",
    .examples = { "" },
};
