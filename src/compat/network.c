/*
 * /geojson/network.py, /geojson/networks.py and /json/network.py: station metadata as Python's json
 * module prints it, from the catalog in memory.
 */
#include "compat.h"
#include "frame.h"
#include "pandas.h"

#include "obstream/core/number.h"

#include <ctype.h>

struct network_params {
    const char *network, *callback, *attribute;
    bool only_online;
};

#define AT(member) offsetof(struct network_params, member)

/* A name that is safe in a script: letters, digits, _ . $ and brackets. */
static const char *check_callback(const char *value)
{
    const char *s = value;
    while (isalnum((unsigned char)*s) || (*s != '\0' && strchr("_.$[]", *s) != NULL))
        s++;
    return *s == '\0' && s - value <= 100 ? NULL : "has to be the name of a function";
}

static const struct iem_param callback_params[] = {
    { "callback", IEM_TEXT, 0, AT(callback), NULL, NULL, check_callback, 0, 0,
      "name of a function the answer is wrapped in (JSONP)" },
    { .name = NULL },
};

static const struct iem_param geojson_params[] = {
    { "network", IEM_TEXT, 0, AT(network), "IA_ASOS", NULL, iem_check_network, 0, 0,
      "the network; AZOS: online stations of all ASOS networks; ASOS1MIN, TAF, HAS_HML: stations "
      "with that kind of data" },
    { "only_online", IEM_BOOL, 0, AT(only_online), "false", NULL, NULL, 0, 0,
      "only stations that report now" },
    { "has_attribute", IEM_TEXT, 0, AT(attribute), NULL, NULL, NULL, 0, 0,
      "only stations with this attribute" },
    { .name = NULL },
};

static const struct iem_param json_params[] = {
    { "network", IEM_TEXT, 0, AT(network), "IA_ASOS", NULL, NULL, 0, 0, "the network" },
    { .name = NULL },
};

static const struct iem_param *const geojson_tables[] = { geojson_params, callback_params, NULL };
static const struct iem_param *const json_tables[] = { json_params, callback_params, NULL };
static const struct iem_param *const networks_tables[] = { callback_params, NULL };

static const char differs[] = "Errors are plain sentences.\n"
                              "The answer is as old as the station table in memory, not a day.";

static const struct iem_service geojson_service = { geojson_tables, sizeof(struct network_params),
                                                    differs };
static const struct iem_service json_service = { json_tables, sizeof(struct network_params),
                                                 differs };
static const struct iem_service networks_service = { networks_tables, sizeof(struct network_params),
                                                     differs };

static void put_text(struct buf *b, const char *s)
{
    if (s != NULL)
        frame_put_ascii(b, s, strlen(s), false);
    else
        buf_puts(b, "null");
}

static void put_number(struct buf *b, double v)
{
    if (v == v)
        pandas_add_float(b, v);
    else
        buf_puts(b, "null");
}

static void put_now(struct buf *b, const struct api_request *r)
{
    struct civil t = civil_from_usec(r->now);
    buf_printf(b, "\"generated_at\": \"%04d-%02d-%02dT%02d:%02d:%02dZ\"", t.year, t.month, t.day,
               t.hour, t.minute, t.second);
}

/* The body, opened and closed with the call of the function that was asked for. */
static struct buf *body_open(struct api_request *r, const struct network_params *q,
                             const char *mime)
{
    struct buf *b = reply_body(r, 200, mime);
    if (q->callback != NULL)
        buf_printf(b, "%s(", q->callback);
    return b;
}

static bool body_close(struct api_request *r, const struct network_params *q, struct buf *b)
{
    if (q->callback != NULL)
        buf_putc(b, ')');
    return !b->failed || err_set(&r->err, ERR_INTERNAL, "out of memory");
}

/* --- stations as GeoJSON --- */

/* Networks that are none: stations by what they have. */
static const struct special {
    const char *name, *attribute;
} specials[] = {
    { "ASOS1MIN", "HAS1MIN" },
    { "TAF", "HASTAF" },
    { "HAS_HML", "HAS_HML" },
};

struct choice {
    const struct catalog *catalog;
    const char *network;   /* NULL: any */
    const char *attribute; /* NULL: any; else the only one that is shown */
    bool asos, fps, online;
};

enum { NINETIES = 7305 }; /* 1990-01-01 as days since 1970 */

/* What the IEM's forecast system knows: stations of the United States, some by a long record. */
static bool known_to_fps(const struct station *st)
{
    bool old = st->archive_begin != INT64_MIN && st->archive_begin < NINETIES;
    return str_eq(st->country, "US") &&
           (strcasestr(st->network, "ASOS") != NULL || str_eq(st->network, "ISUSM") ||
            (strcasestr(st->network, "CLIMATE") != NULL && old));
}

static struct choice choice_of(const struct api_request *r, const struct network_params *q)
{
    struct choice c = { r->catalog, q->network, q->attribute, .online = q->only_online };
    c.asos = str_eq(q->network, "AZOS");
    c.fps = str_eq(q->network, "FPS");
    if (c.asos || c.fps) {
        c.online = true;
        c.network = NULL;
    }
    for (size_t i = 0; i < ARRAY_SIZE(specials); i++) {
        if (str_eq(q->network, specials[i].name)) {
            c.network = NULL;
            c.attribute = specials[i].attribute;
            c.online = false;
        }
    }
    return c;
}

static bool shown(const struct choice *c, const struct station_attribute *a)
{
    return c->attribute == NULL || str_eq(c->attribute, a->attr);
}

static bool chosen(const struct choice *c, const struct station *st)
{
    size_t n, with = 0;
    if ((c->network != NULL && !str_eq(st->network, c->network)) || (c->online && !st->online) ||
        (c->asos && strcasestr(st->network, "ASOS") == NULL) || (c->fps && !known_to_fps(st)))
        return false;
    const struct station_attribute *a = catalog_attributes(c->catalog, st->iemid, &n);
    for (size_t i = 0; i < n; i++)
        with += shown(c, &a[i]);
    return c->attribute == NULL || with > 0;
}

/* A station without attributes has one without name: clients know it so. */
static void put_attributes(struct buf *b, const struct choice *c, const struct station *st)
{
    size_t n;
    const char *separator = "";
    const struct station_attribute *a = catalog_attributes(c->catalog, st->iemid, &n);
    buf_puts(b, "\"attributes\": {");
    for (size_t i = 0; i < n; i++) {
        if (!shown(c, &a[i]))
            continue;
        buf_puts(b, separator);
        put_text(b, a[i].attr);
        buf_puts(b, ": ");
        put_text(b, a[i].value != NULL ? a[i].value : "");
        separator = ", ";
    }
    if (separator[0] == '\0')
        buf_puts(b, "\"\": \"\"");
    buf_putc(b, '}');
}

static void put_year(struct buf *b, int64_t day, const char *none)
{
    int year, month, dom;
    if (day == INT64_MIN) {
        buf_puts(b, none);
        return;
    }
    civil_from_days(day, &year, &month, &dom);
    buf_add_int(b, year);
}

static void put_day(struct buf *b, int64_t day)
{
    char text[NUMBER_ROOM];
    if (day == INT64_MIN) {
        buf_puts(b, "null");
        return;
    }
    buf_putc(b, '"');
    buf_add(b, text, (size_t)(number_day(text, day) - text));
    buf_putc(b, '"');
}

static void put_point(struct buf *b, const struct station *st)
{
    if (st->lon != st->lon || st->lat != st->lat) {
        buf_puts(b, "null");
        return;
    }
    buf_puts(b, "{\"type\": \"Point\", \"coordinates\": [");
    frame_put_rounded(b, st->lon, 4);
    buf_puts(b, ", ");
    frame_put_rounded(b, st->lat, 4);
    buf_puts(b, "]}");
}

/* Texts that follow archive_end, in their order. */
static const struct member {
    const char *name;
    size_t offset;
} members[] = {
#define MEMBER(name, field)                                                                        \
    {                                                                                              \
        name, offsetof(struct station, field)                                                      \
    }
    MEMBER("state", state),
    MEMBER("country", country),
    MEMBER("climate_site", climate_site),
    MEMBER("wfo", wfo),
    MEMBER("tzname", tzname),
    MEMBER("ncdc81", ncdc81),
    MEMBER("ncei91", ncei91),
    MEMBER("ugc_county", ugc_county),
    MEMBER("ugc_zone", ugc_zone),
    MEMBER("county", county),
    MEMBER("sid", id),
    MEMBER("network", network),
};

static void put_properties(struct buf *b, const struct choice *c, const struct station *st)
{
    buf_puts(b, "{\"elevation\": ");
    put_number(b, st->elevation);
    buf_puts(b, ", \"sname\": ");
    put_text(b, st->name);
    buf_puts(b, ", \"time_domain\": \"(");
    put_year(b, st->archive_begin, "????");
    buf_putc(b, '-');
    put_year(b, st->archive_end, "Now");
    buf_puts(b, ")\", \"archive_begin\": ");
    put_day(b, st->archive_begin);
    buf_puts(b, ", \"archive_end\": ");
    put_day(b, st->archive_end);
    for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
        buf_printf(b, ", \"%s\": ", members[i].name);
        put_text(b, *(const char *const *)((const char *)st + members[i].offset));
    }
    buf_printf(b, ", \"online\": %s, \"synop\": ",
               st->online_value == INT64_MIN ? "null"
               : st->online                  ? "true"
                                             : "false");
    if (st->synop != INT64_MIN)
        buf_add_int(b, st->synop);
    else
        buf_puts(b, "null");
    buf_puts(b, ", ");
    put_attributes(b, c, st);
    buf_putc(b, '}');
}

static bool reply_stations(struct api_request *r, const struct network_params *q)
{
    const struct choice c = choice_of(r, q);
    size_t count = 0;
    struct buf *b = body_open(r, q, "application/vnd.geo+json");
    buf_puts(b, "{\"type\": \"FeatureCollection\", \"features\": [");
    for (size_t i = 0; i < r->catalog->station_count; i++) {
        const struct station *st = &r->catalog->stations[i];
        if (!chosen(&c, st))
            continue;
        buf_puts(b, count++ > 0 ? ", {\"type\": \"Feature\", \"id\": "
                                : "{\"type\": \"Feature\", \"id\": ");
        put_text(b, st->id);
        buf_puts(b, ", \"properties\": ");
        put_properties(b, &c, st);
        buf_puts(b, ", \"geometry\": ");
        put_point(b, st);
        buf_putc(b, '}');
    }
    buf_puts(b, "], ");
    put_now(b, r);
    buf_printf(b, ", \"count\": %zu}", count);
    return body_close(r, q, b);
}

static bool prepare_stations(struct api_request *r)
{
    const struct network_params *q = iem_read(r, &geojson_service);
    return q != NULL ? reply_stations(r, q) : iem_answered(r);
}

/* The network is part of the path. */
static bool prepare_path(struct api_request *r)
{
    struct network_params *q = iem_read(r, &geojson_service);
    if (q == NULL)
        return iem_answered(r);
    if (r->path_format == NULL || !str_eq(r->path_format, "geojson"))
        return err_set(&r->err, ERR_NOT_FOUND,
                       "there is nothing at %.200s: the path has to end in "
                       ".geojson",
                       r->path);
    q->network = r->path_argument;
    return reply_stations(r, q);
}

/* --- networks as GeoJSON --- */

static bool prepare_networks(struct api_request *r)
{
    const struct network_params *q = iem_read(r, &networks_service);
    size_t count = 0;
    if (q == NULL)
        return iem_answered(r);
    struct buf *b = body_open(r, q, "application/vnd.geo+json");
    buf_puts(b, "{\"type\": \"FeatureCollection\", \"features\": [");
    for (size_t i = 0; i < r->catalog->network_count; i++) {
        const struct network *n = &r->catalog->networks[i];
        if (n->extent_wkt == NULL)
            continue;
        buf_puts(b, count++ > 0 ? ", {\"type\": \"Feature\", \"id\": "
                                : "{\"type\": \"Feature\", \"id\": ");
        put_text(b, n->id);
        buf_puts(b, ", \"properties\": {\"name\": ");
        put_text(b, n->name);
        buf_puts(b, "}, \"geometry\": ");
        frame_put_wkt(b, n->extent_wkt, strlen(n->extent_wkt), true);
        buf_putc(b, '}');
    }
    buf_puts(b, "], ");
    put_now(b, r);
    buf_printf(b, ", \"count\": %zu}", count);
    return body_close(r, q, b);
}

/* --- stations as a short list --- */

static bool prepare_list(struct api_request *r)
{
    const struct network_params *q = iem_read(r, &json_service);
    const char *separator = "";
    if (q == NULL)
        return iem_answered(r);
    struct buf *b = body_open(r, q, "application/json");
    buf_puts(b, "{\"stations\": [");
    for (size_t i = 0; i < r->catalog->station_count; i++) {
        const struct station *st = &r->catalog->stations[i];
        if (!str_eq(st->network, q->network))
            continue;
        buf_printf(b, "%s{\"id\": ", separator);
        put_text(b, st->id);
        buf_puts(b, ", \"combo\": ");
        put_text(b,
                 arena_printf(r->arena, "[%s] %s", st->id, st->name != NULL ? st->name : "None"));
        buf_puts(b, ", \"name\": ");
        put_text(b, st->name);
        buf_puts(b, ", \"lon\": ");
        put_number(b, st->lon);
        buf_puts(b, ", \"lat\": ");
        put_number(b, st->lat);
        buf_putc(b, '}');
        separator = ", ";
    }
    buf_puts(b, "], ");
    put_now(b, r);
    buf_putc(b, '}');
    return body_close(r, q, b);
}

static const char *const geojson_aliases[] = { "/geojson/network.php", NULL };
static const char *const networks_aliases[] = { "/geojson/networks.php",
                                                "/geojson/networks.geojson", NULL };
static const char *const json_aliases[] = { "/json/network.php", NULL };

const struct endpoint service_geojson_network = {
    CGI_SERVICE,
    .path = "/geojson/network.py",
    .aliases = geojson_aliases,
    .summary = "Stations of a network as GeoJSON",
    .help = "An unknown network has no stations.",
    .prepare = prepare_stations,
    .examples = { "network=IA_ASOS", "network=AZOS" },
};

const struct endpoint service_geojson_network_path = {
    .flags = ENDPOINT_DATABASE | ENDPOINT_LENIENT | ENDPOINT_ARGUMENT | ENDPOINT_SUFFIX,
    .fail = iem_fail,
    .path = "/geojson/network/",
    .summary = "Stations of a network as GeoJSON",
    .help = "The network is part of the path: network/IA_ASOS.geojson.",
    .prepare = prepare_path,
    .examples = { "/geojson/network/IA_ASOS.geojson" },
};

const struct endpoint service_geojson_networks = {
    CGI_SERVICE,
    .path = "/geojson/networks.py",
    .aliases = networks_aliases,
    .summary = "Networks and their extent as GeoJSON",
    .help = "Networks without an extent are left out.",
    .prepare = prepare_networks,
    .examples = { "" },
};

const struct endpoint service_json_network = {
    CGI_SERVICE,
    .path = "/json/network.py",
    .aliases = json_aliases,
    .summary = "Stations of a network: id, name and position",
    .help = "An unknown network has no stations.",
    .prepare = prepare_list,
    .examples = { "network=IA_ASOS" },
};
