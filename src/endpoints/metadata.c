/* /api/stations and /api/networks: from the station table in memory. */
#include "common.h"

#include "obstream/api/distance.h"

#include <stdlib.h>
#include <string.h>

#define META(n, t, u, h)                                                                           \
    {                                                                                              \
        n, t, u, 0, n, NULL, { NULL }, h                                                           \
    }

static const struct column station_columns[] = {
    META("id", CELL_TEXT, "", "station id"),
    META("network", CELL_TEXT, "", "network id"),
    META("name", CELL_TEXT, "", "name"),
    META("lon", CELL_FLOAT8, "deg", "longitude, degrees east"),
    META("lat", CELL_FLOAT8, "deg", "latitude, degrees north"),
    META("elevation", CELL_FLOAT8, "m", "elevation"),
    META("state", CELL_TEXT, "", "state, two letters"),
    META("country", CELL_TEXT, "", "country, two letters"),
    META("county", CELL_TEXT, "", "county"),
    META("wfo", CELL_TEXT, "", "weather forecast office"),
    META("tzname", CELL_TEXT, "", "IANA time zone"),
    META("climate_site", CELL_TEXT, "", "climodat id that covers the station"),
    META("archive_begin", CELL_DAY, "", "first day of the period of record"),
    META("archive_end", CELL_DAY, "", "last day of the period of record; empty: still reporting"),
    META("online", CELL_BOOL, "", "is reporting now"),
    { "distance",
      CELL_FLOAT8,
      "km",
      COLUMN_EXTRA,
      "distance",
      NULL,
      { NULL },
      "great-circle distance from lat, lon" },
};

static const struct column network_columns[] = {
    META("id", CELL_TEXT, "", "network id"),
    META("name", CELL_TEXT, "", "name"),
    META("tzname", CELL_TEXT, "", "IANA time zone"),
    META("stations", CELL_INT, "", "stations it has"),
};

static const struct param online_params[] = {
    { "online", NULL, PARAM_CHOICE, offsetof(struct native_params, online), NULL, "yes,no", 0, 0,
      "only stations that report now, or only others", "yes" },
    { .name = NULL },
};

static const struct param *const station_params[] = { params_stations, online_params, params_output,
                                                      NULL };
static const struct param *const network_params[] = { params_output, NULL };

static struct cell text_cell(const char *s)
{
    return s != NULL ? cell_text(s, (uint32_t)strlen(s)) : cell_null();
}

static struct cell day_cell(int64_t day)
{
    return day == INT64_MIN ? cell_null() : (struct cell){ .type = CELL_DAY, .i = day };
}

static struct cell number_cell(double v)
{
    return v == v ? cell_float8(v) : cell_null();
}

static void station_cells(const struct native_params *p, const struct station *st, struct cell *c)
{
    *c++ = text_cell(st->id);
    *c++ = text_cell(st->network);
    *c++ = text_cell(st->name);
    *c++ = number_cell(st->lon);
    *c++ = number_cell(st->lat);
    *c++ = number_cell(st->elevation);
    *c++ = text_cell(st->state);
    *c++ = text_cell(st->country);
    *c++ = text_cell(st->county);
    *c++ = text_cell(st->wfo);
    *c++ = text_cell(st->tzname);
    *c++ = text_cell(st->climate_site);
    *c++ = day_cell(st->archive_begin);
    *c++ = day_cell(st->archive_end);
    *c++ = (struct cell){ .type = CELL_BOOL, .i = st->online };
    *c++ = number_cell(station_distance_shown(p, st));
}

/* Without a station parameter every entry qualifies that the other parameters let pass. */
struct listing {
    struct api_request *r;
    const struct native_params *p;
    struct selection sel;
    const struct station **stations; /* that are listed, in order */
    size_t count;
};

static bool listed(const struct listing *l, const struct station *st)
{
    if (!select_matches(l->p, st))
        return false;
    if (l->p->online != NULL && st->online != str_eq(l->p->online, "yes"))
        return false;
    uint32_t lo = 0, hi = l->sel.count;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        int c = strcmp(l->sel.ids[mid], st->id);
        if (c == 0)
            return true;
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return l->sel.all;
}

static int nearer(const void *a, const void *b, void *params)
{
    const struct station *x = *(const struct station *const *)a;
    const struct station *y = *(const struct station *const *)b;
    double dx = station_distance(params, x), dy = station_distance(params, y);
    /* As they follow each other in the station table, where they are equally far. */
    return dx != dy ? (dx > dy) - (dx < dy) : (x > y) - (x < y);
}

/* Which entries of the station table are listed: by id, or nearest first. */
static bool list_stations(struct listing *l)
{
    const struct catalog *c = l->r->catalog;
    struct native_params *p = (struct native_params *)l->p;
    l->stations = arena_array(l->r->arena, c->station_count + 1, sizeof(*l->stations));
    if (l->stations == NULL)
        return err_set(&l->r->err, ERR_TOO_LARGE, "the request needs too much memory");
    for (size_t i = 0; i < c->station_count; i++) {
        if (listed(l, &c->stations[i]))
            l->stations[l->count++] = &c->stations[i];
    }
    if (p->radius.set && l->count > 1)
        qsort_r(l->stations, l->count, sizeof(*l->stations), nearer, p);
    return true;
}

static void generate_stations(const struct plan *p, struct sink *sink)
{
    const struct listing *l = p->ctx;
    struct cell cells[ARRAY_SIZE(station_columns)];
    for (size_t i = 0; i < l->count; i++) {
        station_cells(l->p, l->stations[i], cells);
        if (!sink_row(sink, cells))
            return;
    }
}

static void generate_networks(const struct plan *p, struct sink *sink)
{
    const struct listing *l = p->ctx;
    const struct catalog *c = l->r->catalog;
    for (size_t i = 0; i < c->network_count; i++) {
        const struct network *n = &c->networks[i];
        struct cell cells[] = { text_cell(n->id), text_cell(n->name), text_cell(n->tzname),
                                cell_int((int64_t)n->stations) };
        if (!sink_row(sink, cells))
            return;
    }
}

static bool any_station(const struct station *st)
{
    (void)st;
    return true;
}

static bool prepare(struct api_request *r, const struct column *columns, size_t count,
                    void (*generate)(const struct plan *, struct sink *))
{
    struct listing *l = arena_alloc(r->arena, sizeof(*l));
    struct native_params *p = native_read(r);
    if (l == NULL || p == NULL)
        return false;
    *l = (struct listing){ .r = r, .p = p };
    bool ok = select_stations(r, p, any_station, &l->sel);
    r->plan = native_memory_plan(r, p, columns, count);
    if (!ok || r->plan == NULL)
        return false;
    r->plan->ctx = l;
    r->plan->generate = generate;
    reply_header_add(r, "Cache-Control", "public, max-age=300");
    return true;
}

static bool prepare_stations(struct api_request *r)
{
    if (!prepare(r, station_columns, ARRAY_SIZE(station_columns), generate_stations))
        return false;
    if (!list_stations((struct listing *)r->plan->ctx))
        return false;
    r->plan->shape.lon_cell = 3;
    r->plan->shape.lat_cell = 4;
    return true;
}

static bool prepare_networks(struct api_request *r)
{
    return prepare(r, network_columns, ARRAY_SIZE(network_columns), generate_networks);
}

const struct endpoint endpoint_stations = {
    .path = "/api/stations",
    .summary = "Stations",
    .help = "Position, zone and period of record of stations, one a row and network; with radius "
            "nearest "
            "first.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE,
    .params = station_params,
    .columns = station_columns,
    .column_count = ARRAY_SIZE(station_columns),
    .prepare = prepare_stations,
    .examples = { "network=IA_ASOS", "state=IA&format=geojson", "bbox=-96.7,40.3,-90.1,43.6" },
};

const struct endpoint endpoint_networks = {
    .path = "/api/networks",
    .summary = "Networks",
    .help = "The networks that stations belong to.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE,
    .params = network_params,
    .columns = network_columns,
    .column_count = ARRAY_SIZE(network_columns),
    .prepare = prepare_networks,
    .examples = { "", "format=json" },
};
