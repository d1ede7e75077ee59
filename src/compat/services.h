/* The compatibility services: one row each, taken into endpoints[] by src/endpoints/endpoints.c. A
 * service is a `const struct endpoint service_NAME` of src/compat/NAME.c. Longer paths come before
 * their beginnings. */
#ifndef OBSTREAM_SRC_COMPAT_SERVICES_H
#define OBSTREAM_SRC_COMPAT_SERVICES_H

#include "obstream/api/endpoint.h"

#define COMPAT_SERVICES(X)                                                                         \
    X(service_asos)                                                                                \
    X(service_metars)                                                                              \
    X(service_hads)                                                                                \
    X(service_coopobs)                                                                             \
    X(service_coop)                                                                                \
    X(service_daily)                                                                               \
    X(service_ws_last_shef)                                                                        \
    X(service_ws_shef_currents)                                                                    \
    X(service_ws_climo)                                                                            \
    X(service_ws_networks)                                                                         \
    X(service_ws_network)                                                                          \
    X(service_ws_station)                                                                          \
    X(service_ws_servertime)                                                                       \
    X(service_ws_obhistory)                                                                        \
    X(service_ws_daily)                                                                            \
    X(service_geojson_network)                                                                     \
    X(service_geojson_network_path)                                                                \
    X(service_geojson_networks)                                                                    \
    X(service_json_network)                                                                        \
    X(service_ws_interval)

#define COMPAT_DECLARE(name) extern const struct endpoint name;
COMPAT_SERVICES(COMPAT_DECLARE)
#undef COMPAT_DECLARE

#endif
