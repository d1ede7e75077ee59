/* GeoJSON (RFC 7946): a feature a row; `rows` and `truncated` are foreign members (section 6.1). */
#include "encoder_private.h"

#include <math.h>

#define FEATURE "{\"type\":\"Feature\",\"geometry\":"
#define POINT "{\"type\":\"Point\",\"coordinates\":["
#define PROPERTIES ",\"properties\":"

static bool cell_has_number(const struct cell *c)
{
    switch (c->type) {
    case CELL_FLOAT4:
        return isfinite(c->f4);
    case CELL_FLOAT8:
        return isfinite(c->f8);
    case CELL_INT:
        return true;
    default:
        return false;
    }
}

static void put_geometry(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    static const struct field bare = { .name = "coordinate", .unit = "", .type = CELL_FLOAT8 };
    const struct shape *shape = st->shape;
    const struct cell *lon = shape->lon_cell < 0 ? NULL : &cells[shape->lon_cell];
    const struct cell *lat = shape->lat_cell < 0 ? NULL : &cells[shape->lat_cell];
    if (lon == NULL || lat == NULL || !cell_has_number(lon) || !cell_has_number(lat)) {
        buf_puts(out, "null");
        return;
    }
    buf_puts(out, POINT);
    encode_value(st, &bare, lon, out);
    buf_putc(out, ',');
    encode_value(st, &bare, lat, out);
    buf_puts(out, "]}");
}

static void geojson_head(const struct shape *shape, struct buf *out)
{
    (void)shape;
    buf_puts(out, "{\"type\":\"FeatureCollection\",\"features\":[\n");
}

static void geojson_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    if (st->rows > 0)
        buf_add(out, ",\n", 2);
    buf_puts(out, FEATURE);
    put_geometry(st, cells, out);
    buf_puts(out, PROPERTIES);
    encode_json_object(st, cells, out);
    buf_putc(out, '}');
}

static void geojson_tail(const struct shape *shape, const struct answer_totals *totals,
                         struct buf *out)
{
    (void)shape;
    encode_json_end(totals, out);
}

const struct encoder encoder_geojson = {
    .name = "geojson",
    .mime = "application/geo+json",
    .extension = "geojson",
    .separator = ",\n",
    .help =
        "A GeoJSON FeatureCollection, one feature a row: the station's position as a point (null "
        "when it is not known) and all columns as properties; `rows` and `truncated` as in json.",
    .needs_position = true,
    .head = geojson_head,
    .row = geojson_row,
    .tail = geojson_tail,
};
