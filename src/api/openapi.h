/* What the files that write the OpenAPI document share: jansson values, references given away. */
#ifndef OBSTREAM_SRC_API_OPENAPI_H
#define OBSTREAM_SRC_API_OPENAPI_H

#include "obstream/api/endpoint.h"

#include <jansson.h>

/* Of a parameter's value in a query. */
json_t *openapi_param_schema(const struct endpoint *e, const struct param *p);
/* Of one row as a JSON object. */
json_t *openapi_row_schema(const struct endpoint *e);
/* Media types and schemas of the 200 answer; rows are those of the component `row`. */
json_t *openapi_content(const struct endpoint *e, const char *row);
/* Schemas, headers and responses that all paths refer to. */
json_t *openapi_shared_schemas(void);
json_t *openapi_shared_headers(void);
json_t *openapi_shared_responses(void);

json_t *openapi_ref(const char *group, const char *name); /* {"$ref": "#/components/..."} */

#endif
