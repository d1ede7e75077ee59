/* A new endpoint is one file and one row here. Longer paths come before their beginnings. */
#include "common.h"

#include "../compat/services.h"

#define SERVICE(name) &name,

const struct endpoint *const endpoints[] = {
    &endpoint_metar,    &endpoint_shef,       &endpoint_climodat, &endpoint_stations,
    &endpoint_networks, &endpoint_healthz,    &endpoint_readyz,   &endpoint_openapi,
    &endpoint_coop,     &endpoint_docs_files, &endpoint_docs,     COMPAT_SERVICES(SERVICE) NULL,
};
