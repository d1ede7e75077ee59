/* A new endpoint is one file and one row here. Longer paths come before their beginnings. */
#include "common.h"

#include "../compat/services.h"

#define SERVICE(name) &name,

const struct endpoint *const endpoints[] = {
    &endpoint_metar,
    &endpoint_shef,
    &endpoint_climodat,
    &endpoint_stations,
    &endpoint_networks,
    &endpoint_healthz,
    &endpoint_readyz,
    COMPAT_SERVICES(SERVICE) & endpoint_metar_latest,
    &endpoint_metar_raw,
    &endpoint_metar_summary,
    &endpoint_shef_latest,
    &endpoint_shef_inventory,
    &endpoint_shef_elements,
    &endpoint_shef_summary,
    &endpoint_shef_exceed,
    &endpoint_climodat_aggregate,
    &endpoint_climodat_records,
    &endpoint_openapi,
    &endpoint_coop,
    &endpoint_docs_files,
    &endpoint_docs,
    NULL,
};
