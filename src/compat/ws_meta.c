/* /api/1/networks, network/ID, station/ID and servertime: from the catalog in memory. */
#include "ws.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

#define COUNT(a) ((unsigned)ARRAY_SIZE(a))

static const struct ws_param no_params[] = { { .name = NULL } };

static struct cell text_cell(const char *s)
{
    return s != NULL ? cell_text(s, (uint32_t)strlen(s)) : cell_null();
}

static struct cell whole_cell(int64_t v, enum cell_type type)
{
    return v != INT64_MIN ? (struct cell){ .type = type, .i = v } : cell_null();
}

static struct cell number_cell(double v)
{
    return v == v ? cell_float8(v) : cell_null();
}

static bool reply(struct api_request *r, struct frame *f, struct frame_rows *rows)
{
    bool ok = frame_reply(r, f, rows);
    frame_rows_release(rows);
    return ok;
}

/* --- networks --- */

static const struct frame_column network_columns[] = {
    { "id", FRAME_TEXT, 0, 0 },
    { "name", FRAME_TEXT, 0, 0 },
    { "tzname", FRAME_TEXT, 0, 0 },
    { "extent", FRAME_TEXT, 0, 0 },
    { "windrose_update", FRAME_STAMP, 0, 0 },
};

static bool prepare_networks(struct api_request *r)
{
    enum frame_format format = FRAME_JSON;
    struct frame_rows rows;
    if (!ws_read(r, no_params, WS_ALL, NULL, &format))
        return false;
    struct frame *f = frame_new(r, format, network_columns, COUNT(network_columns));
    if (f == NULL)
        return false;
    f->outline = true;
    frame_rows_init(&rows, COUNT(network_columns) + 1);
    for (size_t i = 0; i < r->catalog->network_count; i++) {
        const struct network *n = &r->catalog->networks[i];
        struct cell cells[] = { text_cell(n->id),
                                text_cell(n->name),
                                text_cell(n->tzname),
                                text_cell(n->extent_hex),
                                whole_cell(n->windrose_update, CELL_INSTANT),
                                text_cell(n->extent_wkt) };
        frame_rows_add(&rows, cells);
    }
    reply_header_add(r, "Cache-Control", "public, max-age=3600");
    return reply(r, f, &rows);
}

/* --- stations --- */

enum source { FROM_TEXT, FROM_NUMBER, FROM_INT, FROM_DAY, FROM_TIME };

/* All columns of the station table in its order: name, kind, flags, width of a char(n), how struct
 * station holds it, member. */
#define STATION_COLUMNS(X)                                                                         \
    X("id", FRAME_TEXT, 0, 0, FROM_TEXT, id)                                                       \
    X("synop", FRAME_INT, 0, 0, FROM_INT, synop)                                                   \
    X("name", FRAME_TEXT, 0, 0, FROM_TEXT, name)                                                   \
    X("state", FRAME_TEXT, 0, 2, FROM_TEXT, state)                                                 \
    X("country", FRAME_TEXT, 0, 2, FROM_TEXT, country)                                             \
    X("elevation", FRAME_FLOAT, 0, 0, FROM_NUMBER, elevation)                                      \
    X("network", FRAME_TEXT, 0, 0, FROM_TEXT, network)                                             \
    X("online", FRAME_BOOL, 0, 0, FROM_INT, online_value)                                          \
    X("params", FRAME_TEXT, 0, 0, FROM_TEXT, params)                                               \
    X("county", FRAME_TEXT, 0, 0, FROM_TEXT, county)                                               \
    X("plot_name", FRAME_TEXT, 0, 0, FROM_TEXT, plot_name)                                         \
    X("climate_site", FRAME_TEXT, 0, 0, FROM_TEXT, climate_site)                                   \
    X("remote_id", FRAME_INT, 0, 0, FROM_INT, remote_id)                                           \
    X("nwn_id", FRAME_INT, 0, 0, FROM_INT, nwn_id)                                                 \
    X("spri", FRAME_INT, 0, 0, FROM_INT, spri)                                                     \
    X("wfo", FRAME_TEXT, 0, 0, FROM_TEXT, wfo)                                                     \
    X("archive_begin", FRAME_STAMP, FRAME_STRING, 0, FROM_DAY, archive_begin)                      \
    X("archive_end", FRAME_STAMP, FRAME_STRING, 0, FROM_DAY, archive_end)                          \
    X("modified", FRAME_STAMP, 0, 0, FROM_TIME, modified)                                          \
    X("tzname", FRAME_TEXT, 0, 0, FROM_TEXT, tzname)                                               \
    X("iemid", FRAME_INT, 0, 0, FROM_INT, iemid)                                                   \
    X("metasite", FRAME_BOOL, 0, 0, FROM_INT, metasite)                                            \
    X("sigstage_low", FRAME_FLOAT, 0, 0, FROM_NUMBER, sigstage[0])                                 \
    X("sigstage_action", FRAME_FLOAT, 0, 0, FROM_NUMBER, sigstage[1])                              \
    X("sigstage_bankfull", FRAME_FLOAT, 0, 0, FROM_NUMBER, sigstage[2])                            \
    X("sigstage_flood", FRAME_FLOAT, 0, 0, FROM_NUMBER, sigstage[3])                               \
    X("sigstage_moderate", FRAME_FLOAT, 0, 0, FROM_NUMBER, sigstage[4])                            \
    X("sigstage_major", FRAME_FLOAT, 0, 0, FROM_NUMBER, sigstage[5])                               \
    X("sigstage_record", FRAME_FLOAT, 0, 0, FROM_NUMBER, sigstage[6])                              \
    X("ugc_county", FRAME_TEXT, 0, 6, FROM_TEXT, ugc_county)                                       \
    X("ugc_zone", FRAME_TEXT, 0, 6, FROM_TEXT, ugc_zone)                                           \
    X("ncdc81", FRAME_TEXT, 0, 0, FROM_TEXT, ncdc81)                                               \
    X("ncei91", FRAME_TEXT, 0, 0, FROM_TEXT, ncei91)                                               \
    X("temp24_hour", FRAME_INT, 0, 0, FROM_INT, temp24_hour)                                       \
    X("precip24_hour", FRAME_INT, 0, 0, FROM_INT, precip24_hour)                                   \
    X("wigos", FRAME_TEXT, 0, 0, FROM_TEXT, wigos)                                                 \
    X("longitude", FRAME_FLOAT, 0, 0, FROM_NUMBER, lon)                                            \
    X("latitude", FRAME_FLOAT, 0, 0, FROM_NUMBER, lat)

static const struct frame_column station_columns[] = {
#define STATION_FRAME(name, kind, flags, width, from, member) { name, kind, flags, width },
    STATION_COLUMNS(STATION_FRAME)
#undef STATION_FRAME
};

static const struct member {
    enum source from;
    size_t offset;
} station_members[] = {
#define STATION_MEMBER(name, kind, flags, width, from, member)                                     \
    { from, offsetof(struct station, member) },
    STATION_COLUMNS(STATION_MEMBER)
#undef STATION_MEMBER
};

static struct cell member_cell(const struct station *st, const struct member *m)
{
    const char *at = (const char *)st + m->offset;
    switch (m->from) {
    case FROM_TEXT:
        return text_cell(*(const char *const *)at);
    case FROM_NUMBER:
        return number_cell(*(const double *)at);
    case FROM_DAY:
        return whole_cell(*(const int64_t *)at, CELL_DAY);
    case FROM_TIME:
        return whole_cell(*(const int64_t *)at, CELL_INSTANT);
    case FROM_INT:
        break;
    }
    return whole_cell(*(const int64_t *)at, CELL_INT);
}

static bool station_add(struct frame_rows *rows, const struct station *st)
{
    struct cell cells[ARRAY_SIZE(station_columns) + 2];
    for (size_t i = 0; i < ARRAY_SIZE(station_columns); i++)
        cells[i] = member_cell(st, &station_members[i]);
    cells[ARRAY_SIZE(station_columns)] = number_cell(st->lon);
    cells[ARRAY_SIZE(station_columns) + 1] = number_cell(st->lat);
    return frame_rows_add(rows, cells);
}

/* By name, those without one last; by id what has the same name. */
static int by_name(const void *va, const void *vb)
{
    const struct station *a = *(const struct station *const *)va;
    const struct station *b = *(const struct station *const *)vb;
    if (a->name == NULL || b->name == NULL)
        return (a->name == NULL) - (b->name == NULL);
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a > b) - (a < b);
}

struct found {
    const struct station **items;
    size_t count;
};

static bool stations_reply(struct api_request *r, enum frame_format format, struct found *s,
                           bool sorted)
{
    struct frame_rows rows;
    struct frame *f = frame_new(r, format, station_columns, COUNT(station_columns));
    if (f == NULL)
        return false;
    if (sorted && s->count > 1)
        qsort(s->items, s->count, sizeof(*s->items), by_name);
    frame_rows_init(&rows, COUNT(station_columns) + 2);
    for (size_t i = 0; i < s->count && station_add(&rows, s->items[i]); i++)
        continue;
    return reply(r, f, &rows);
}

static bool has_attribute(const struct catalog *c, const struct station *st, const char *attr)
{
    size_t n;
    const struct station_attribute *a = catalog_attributes(c, st->iemid, &n);
    for (size_t i = 0; i < n; i++) {
        if (str_eq(a[i].attr, attr))
            return true;
    }
    return false;
}

static bool in_network(const struct catalog *c, const struct station *st, const char *network)
{
    if (str_eq(network, "ASOS1MIN"))
        return strcasestr(st->network, "ASOS") != NULL && has_attribute(c, st, "HAS1MIN");
    return str_eq(st->network, network);
}

static bool prepare_network(struct api_request *r)
{
    enum frame_format format = FRAME_JSON;
    const struct catalog *c = r->catalog;
    if (!ws_read(r, no_params, WS_ALL, NULL, &format))
        return false;
    struct found s = { .items = arena_array(r->arena, c->station_count, sizeof(*s.items)) };
    for (size_t i = 0; s.items != NULL && i < c->station_count; i++) {
        if (in_network(c, &c->stations[i], r->path_argument))
            s.items[s.count++] = &c->stations[i];
    }
    if (s.count == 0)
        return err_set(&r->err, ERR_NOT_FOUND, "there are no stations in a network \"%.64s\"",
                       r->path_argument);
    reply_header_add(r, "Cache-Control", "public, max-age=600");
    return stations_reply(r, format, &s, !str_eq(r->path_argument, "ASOS1MIN"));
}

static bool prepare_station(struct api_request *r)
{
    enum frame_format format = FRAME_JSON;
    if (!ws_read(r, no_params, WS_ALL, NULL, &format))
        return false;
    struct found s = { .count = 0 };
    const char *id = r->path_argument;
    const struct station *first = catalog_station(r->catalog, id, strlen(id), &s.count);
    if (first == NULL)
        return err_set(&r->err, ERR_NOT_FOUND, "there is no station \"%.64s\"", id);
    s.items = arena_array(r->arena, s.count, sizeof(*s.items));
    for (size_t i = 0; s.items != NULL && i < s.count; i++)
        s.items[i] = first + i;
    return s.items != NULL && stations_reply(r, format, &s, true);
}

static bool prepare_servertime(struct api_request *r)
{
    struct civil t = civil_from_usec(r->now);
    buf_printf(reply_body(r, 200, "application/json"), "\"%04d-%02d-%02dT%02d:%02d:%02dZ\"", t.year,
               t.month, t.day, t.hour, t.minute, t.second);
    return true;
}

const struct endpoint service_ws_networks = {
    WS_SERVICE,
    .path = "/api/1/networks",
    .summary = "Networks, as iem-web-services answers",
    .help = "All networks with their extent; .json, .txt or .geojson.",
    .prepare = prepare_networks,
    .examples = { "/api/1/networks.json" },
};

const struct endpoint service_ws_network = {
    .flags = WS_FLAGS | ENDPOINT_ARGUMENT,
    .allow = "GET",
    .fail = ws_fail,
    .path = "/api/1/network/",
    .summary = "Stations of a network, as iem-web-services answers",
    .help = "The network follows in the path: network/IA_ASOS.json, .txt or .geojson.",
    .prepare = prepare_network,
    .examples = { "/api/1/network/IA_ASOS.json" },
};

const struct endpoint service_ws_station = {
    .flags = WS_FLAGS | ENDPOINT_ARGUMENT,
    .allow = "GET",
    .fail = ws_fail,
    .path = "/api/1/station/",
    .summary = "One station, as iem-web-services answers",
    .help = "The id follows in the path: station/DSM.json, .txt or .geojson. One row per network.",
    .prepare = prepare_station,
    .examples = { "/api/1/station/DSM.json" },
};

const struct endpoint service_ws_servertime = {
    .flags = ENDPOINT_LENIENT | ENDPOINT_NO_SLASH,
    .allow = "GET",
    .fail = ws_fail,
    .path = "/api/1/servertime",
    .summary = "The time, as iem-web-services answers",
    .help = "The server's clock, in UTC.",
    .prepare = prepare_servertime,
    .examples = { "" },
};
