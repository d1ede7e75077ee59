/* What the endpoint files share. */
#ifndef OBSTREAM_ENDPOINTS_COMMON_H
#define OBSTREAM_ENDPOINTS_COMMON_H

#include "obstream/api/native.h"
#include "obstream/api/station_class.h"

/* Cells of one column of the table, and of columns computed from the station table. */
#define COLUMN(n, t, u, f, h)                                                                      \
    {                                                                                              \
        n, t, u, f, n, NULL, { NULL }, h                                                           \
    }
#define COMPUTED(n, t, u, f, fn, h, ...)                                                           \
    {                                                                                              \
        n, t, u, f, NULL, fn, { __VA_ARGS__ }, h                                                   \
    }
#define LOCAL_TIME(source)                                                                         \
    {                                                                                              \
        "local_valid", CELL_INSTANT, "", COLUMN_LOCAL, source, NULL, { NULL },                     \
            "valid in the zone of the request; offered when tz is given"                           \
    }

/* lon, lat, elevation and name of the row's station, when asked for: needs the station column. */
void cell_station_lon(const struct computed *c, const struct cell *cells, struct cell *out);
void cell_station_lat(const struct computed *c, const struct cell *cells, struct cell *out);
void cell_station_elevation(const struct computed *c, const struct cell *cells, struct cell *out);
void cell_station_distance(const struct computed *c, const struct cell *cells, struct cell *out);
void cell_station_name(const struct computed *c, const struct cell *cells, struct cell *out);

#define STATION_COLUMNS                                                                            \
    COMPUTED("lon", CELL_FLOAT8, "deg", COLUMN_EXTRA, cell_station_lon,                            \
             "longitude of the station, degrees east", "station"),                                 \
        COMPUTED("lat", CELL_FLOAT8, "deg", COLUMN_EXTRA, cell_station_lat,                        \
                 "latitude of the station, degrees north", "station"),                             \
        COMPUTED("elevation", CELL_FLOAT8, "m", COLUMN_EXTRA, cell_station_elevation,              \
                 "elevation of the station", "station"),                                           \
        COMPUTED("name", CELL_TEXT, "", COLUMN_EXTRA, cell_station_name, "name of the station",    \
                 "station"),                                                                       \
        COMPUTED("distance", CELL_FLOAT8, "km", COLUMN_EXTRA, cell_station_distance,               \
                 "great-circle distance of the station from lat, lon", "station")

/* The typed parameters of a native request; NULL after a fault. */
struct native_params *native_read(struct api_request *r);

/* Turns the long plan of r into the wide one. */
bool shef_wide(struct api_request *r, const struct native_params *p);

extern const struct endpoint endpoint_metar, endpoint_shef, endpoint_climodat, endpoint_stations,
    endpoint_networks, endpoint_healthz, endpoint_readyz;
extern const struct endpoint endpoint_metar_latest, endpoint_metar_raw, endpoint_metar_summary;

extern const struct endpoint endpoint_shef_latest, endpoint_shef_inventory, endpoint_shef_elements,
    endpoint_shef_summary, endpoint_shef_exceed;

extern const struct endpoint endpoint_climodat_aggregate, endpoint_climodat_records;
extern const struct endpoint endpoint_openapi, endpoint_docs, endpoint_docs_files, endpoint_coop;

#endif
