#include "obstream/api/distance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EARTH_RADIUS_KM 6371.0088

static double radians(double degrees)
{
    return degrees * (M_PI / 180);
}

double distance_km(double lat1, double lon1, double lat2, double lon2)
{
    double dlat = sin(radians(lat2 - lat1) / 2), dlon = sin(radians(lon2 - lon1) / 2);
    double h = dlat * dlat + cos(radians(lat1)) * cos(radians(lat2)) * dlon * dlon;
    return 2 * EARTH_RADIUS_KM * asin(sqrt(h < 1 ? h : h >= 1 ? 1 : NAN));
}

double station_distance(const struct native_params *p, const struct station *st)
{
    if (!p->lat.set || !p->lon.set)
        return NAN;
    return distance_km(p->lat.value, p->lon.value, st->lat, st->lon);
}

bool station_within(const struct native_params *p, const struct station *st)
{
    return !p->radius.set || station_distance(p, st) <= p->radius.value; /* false for NaN */
}

double station_distance_shown(const struct native_params *p, const struct station *st)
{
    return round(station_distance(p, st) * 1000) / 1000;
}

static bool is_faulty(const struct api_request *r, const char *param)
{
    for (size_t i = 0; i < r->faults.count; i++) {
        if (str_eq(r->faults.items[i].param, param))
            return true;
    }
    return false;
}

void distance_check(struct api_request *r, const struct native_params *p)
{
    const struct {
        const char *name;
        const struct param_number *value;
    } parts[] = { { "lat", &p->lat }, { "lon", &p->lon }, { "radius", &p->radius } };
    if (!p->lat.set && !p->lon.set && !p->radius.set)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        if (!parts[i].value->set && !is_faulty(r, parts[i].name))
            fault_add(&r->faults, parts[i].name, NULL,
                      "lat, lon and radius (kilometres) belong together: %s is not given",
                      parts[i].name);
    }
}

struct placed {
    const char *id;
    double km;
};

static int nearer(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return x->km != y->km ? (x->km > y->km) - (x->km < y->km) : strcmp(x->id, y->id);
}

/* Of the entries of an id the nearest: its networks may place it differently. */
static double id_distance(const struct api_request *r, const struct native_params *p,
                          const char *id)
{
    size_t count = 0;
    const struct station *st = catalog_station(r->catalog, id, strlen(id), &count);
    double best = INFINITY;
    for (size_t i = 0; i < count; i++)
        best = fmin(best, station_distance(p, &st[i]));
    return best;
}

bool distance_sort(struct api_request *r, const struct native_params *p, const char **ids,
                   size_t count)
{
    struct placed *all = arena_array(r->arena, count + 1, sizeof(*all));
    if (all == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    for (size_t i = 0; i < count; i++)
        all[i] = (struct placed){ ids[i], id_distance(r, p, ids[i]) };
    if (count > 1)
        qsort(all, count, sizeof(*all), nearer);
    for (size_t i = 0; i < count; i++)
        ids[i] = all[i].id;
    return true;
}
