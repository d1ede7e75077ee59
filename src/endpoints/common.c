#include "common.h"

#include "obstream/api/distance.h"

#include <string.h>

struct native_params *native_read(struct api_request *r)
{
    struct native_params *p = arena_alloc(r->arena, sizeof(*p));
    if (p == NULL) {
        err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
        return NULL;
    }
    params_fill(r->endpoint->params, &r->pairs, p, &r->faults);
    /* Defaults of parameters that an endpoint does not offer. */
    r->plan_params = p;
    if (p->sort == NULL)
        p->sort = "station";
    if (p->order == NULL)
        p->order = "asc";
    if (p->header == NULL)
        p->header = "plain";
    return p;
}

static const struct station *row_station(const struct computed *c, const struct cell *cells)
{
    const struct api_request *r = c->ctx;
    const struct cell *id = &cells[c->in[0]];
    return id->type == CELL_TEXT ? catalog_station(r->catalog, id->s, id->len, NULL) : NULL;
}

static struct cell number_cell(double v)
{
    return v == v ? cell_float8(v) : cell_null(); /* NaN: not known */
}

void cell_station_lon(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct station *st = row_station(c, cells);
    *out = st != NULL ? number_cell(st->lon) : cell_null();
}

void cell_station_lat(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct station *st = row_station(c, cells);
    *out = st != NULL ? number_cell(st->lat) : cell_null();
}

void cell_station_elevation(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct station *st = row_station(c, cells);
    *out = st != NULL ? number_cell(st->elevation) : cell_null();
}

void cell_station_distance(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct api_request *r = c->ctx;
    const struct station *st = row_station(c, cells);
    *out = st != NULL ? number_cell(station_distance_shown(r->plan_params, st)) : cell_null();
}

void cell_station_name(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct station *st = row_station(c, cells);
    const char *name = st != NULL ? st->name : NULL;
    *out = name != NULL ? cell_text(name, (uint32_t)strlen(name)) : cell_null();
}
