/* Station selection against the in-memory station table. */
#include "obstream/api/distance.h"
#include "obstream/query/sql.h"

#include <stdlib.h>
#include <string.h>

struct naming {
    struct api_request *r;
    const struct catalog *catalog;
    size_t unknown; /* ids so far */
};

static const char *station_candidate(const void *ctx, size_t i)
{
    const struct catalog *c = ctx;
    return i < c->station_count ? c->stations[i].id : NULL;
}

static const char *network_candidate(const void *ctx, size_t i)
{
    const struct catalog *c = ctx;
    return i < c->network_count ? c->networks[i].id : NULL;
}

static char *upper(struct arena *a, const char *s)
{
    char *copy = arena_strdup(a, s);
    for (char *p = copy; p != NULL && *p != '\0'; p++) {
        if (*p >= 'a' && *p <= 'z')
            *p = (char)(*p - 'a' + 'A');
    }
    return copy;
}

/* The id as the table spells it: as given, in capitals, without the K of a US airport. */
static const char *known_id(struct naming *n, const char *id)
{
    const struct station *st = catalog_station(n->catalog, id, strlen(id), NULL);
    const char *up = st == NULL ? upper(n->r->arena, id) : NULL;
    if (up != NULL)
        st = catalog_station(n->catalog, up, strlen(up), NULL);
    if (st == NULL && up != NULL && up[0] == 'K' && strlen(up) == 4)
        st = catalog_station(n->catalog, up + 1, 3, NULL);
    return st != NULL ? st->id : NULL;
}

static void unknown_station(struct naming *n, const char *id)
{
    n->unknown++;
    const char *near = n->r->faults.count < FAULTS_NEAREST && n->catalog->station_count > 0
                           ? str_nearest(id, station_candidate, n->catalog)
                           : NULL;
    fault_add(&n->r->faults, "station", id, "there is no station \"%.64s\"%s%s%s", id,
              near ? "; did you mean \"" : "; /api/stations lists them", near ? near : "",
              near ? "\"?" : "");
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted ids of `given` that start (or do not start) with '!'. */
static struct strlist resolve(struct naming *n, const struct strlist *given, bool excluded)
{
    struct strlist out = { 0 };
    for (size_t i = 0; i < given->count; i++) {
        const char *id = given->items[i];
        bool minus = id[0] == '!';
        if (minus != excluded)
            continue;
        const char *known = known_id(n, id + minus);
        if (known != NULL)
            strlist_add(&out, n->r->arena, known);
        else
            unknown_station(n, id + minus);
    }
    if (out.count > 1)
        qsort(out.items, out.count, sizeof(*out.items), by_text);
    return out;
}

static bool sorted_has(const struct strlist *l, const char *id)
{
    return l->count > 0 && bsearch(&id, l->items, l->count, sizeof(*l->items), by_text) != NULL;
}

static bool text_in(const struct strlist *l, const char *text)
{
    for (size_t i = 0; text != NULL && i < l->count; i++) {
        if (str_ieq(l->items[i], text))
            return true;
    }
    return l->count == 0;
}

static bool in_bbox(const struct param_bbox *b, const struct station *st)
{
    if (!b->set)
        return true;
    bool lat = st->lat >= b->south && st->lat <= b->north; /* false for NaN */
    bool lon = b->west <= b->east ? st->lon >= b->west && st->lon <= b->east
                                  : st->lon >= b->west || st->lon <= b->east;
    return lat && lon;
}

bool select_matches(const struct native_params *p, const struct station *st)
{
    return text_in(&p->network, st->network) && text_in(&p->state, st->state) &&
           text_in(&p->wfo, st->wfo) && text_in(&p->country, st->country) &&
           in_bbox(&p->bbox, st) && station_within(p, st);
}

static const char *station_text(const struct station *st, size_t offset)
{
    return *(const char *const *)((const char *)st + offset);
}

/* Each value of a metadata filter must occur in the station table. */
static void check_values(struct api_request *r, const char *param, const struct strlist *values,
                         size_t offset)
{
    const struct catalog *c = r->catalog;
    for (size_t i = 0; i < values->count && r->faults.count < FAULTS_LISTED; i++) {
        bool found = false;
        for (size_t k = 0; k < c->station_count && !found; k++) {
            const char *text = station_text(&c->stations[k], offset);
            found = text != NULL && str_ieq(text, values->items[i]);
        }
        if (found)
            continue;
        const char *near = offset == offsetof(struct station, network)
                               ? str_nearest(values->items[i], network_candidate, c)
                               : NULL;
        fault_add(&r->faults, param, values->items[i], "no station has the %s \"%.64s\"%s%s%s",
                  param, values->items[i], near ? "; did you mean \"" : "", near ? near : "",
                  near ? "\"?" : "");
    }
}

static void check_metadata(struct api_request *r, const struct native_params *p)
{
    check_values(r, "network", &p->network, offsetof(struct station, network));
    check_values(r, "state", &p->state, offsetof(struct station, state));
    check_values(r, "wfo", &p->wfo, offsetof(struct station, wfo));
    check_values(r, "country", &p->country, offsetof(struct station, country));
    distance_check(r, p);
}

bool select_check(struct api_request *r, const struct native_params *p, station_class belongs)
{
    (void)belongs;
    check_metadata(r, p);
    return r->faults.count == 0;
}

static bool any_filter(const struct native_params *p)
{
    return p->network.count > 0 || p->state.count > 0 || p->wfo.count > 0 || p->country.count > 0 ||
           p->bbox.set || p->radius.set;
}

struct numbered {
    const char **ids;
    int64_t *numbers;
    uint32_t count;
};

static void add_entries(struct numbered *n, const struct native_params *p, station_class belongs,
                        const struct station *st, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (st[i].iemid == INT64_MIN || !belongs(&st[i]) || !select_matches(p, &st[i]) ||
            !sql_id_ok(st[i].id, strlen(st[i].id)))
            continue;
        n->ids[n->count] = st[i].id;
        n->numbers[n->count++] = st[i].iemid;
    }
}

bool select_numbered(struct api_request *r, const struct native_params *p, station_class belongs,
                     struct selection *sel)
{
    const struct catalog *c = r->catalog;
    struct numbered n = { .ids = arena_array(r->arena, c->station_count + 1, sizeof(*n.ids)),
                          .numbers =
                              arena_array(r->arena, c->station_count + 1, sizeof(*n.numbers)) };
    if (n.ids == NULL || n.numbers == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    if (sel->all)
        add_entries(&n, p, belongs, c->stations, c->station_count);
    for (uint32_t i = 0; !sel->all && i < sel->count; i++) {
        size_t count = 0;
        const struct station *st = catalog_station(c, sel->ids[i], strlen(sel->ids[i]), &count);
        add_entries(&n, p, belongs, st, count);
    }
    *sel = (struct selection){ .ids = n.ids, .count = n.count, .numbers = n.numbers };
    return true;
}

bool select_stations(struct api_request *r, const struct native_params *p, station_class belongs,
                     struct selection *out)
{
    struct naming n = { .r = r, .catalog = r->catalog };
    struct strlist wanted = resolve(&n, &p->station, false);
    struct strlist excluded = resolve(&n, &p->station, true);
    struct strlist ids = { 0 };
    bool named = wanted.count > 0 || n.unknown > 0;
    check_metadata(r, p);
    *out = (struct selection){ .all = !named && !any_filter(p) && excluded.count == 0 };
    for (size_t i = 0; i < n.catalog->station_count; i++) {
        const struct station *st = &n.catalog->stations[i];
        bool repeated = ids.count > 0 && str_eq(ids.items[ids.count - 1], st->id);
        if (repeated || (named ? !sorted_has(&wanted, st->id) : !belongs(st)) ||
            sorted_has(&excluded, st->id) || !select_matches(p, st))
            continue;
        if (sql_id_ok(st->id, strlen(st->id)))
            strlist_add(&ids, r->arena, st->id);
        else if (named)
            fault_add(&r->faults, "station", st->id,
                      "the id \"%.64s\" holds characters that ids of archives do not", st->id);
    }
    out->ids = ids.items;
    out->count = (uint32_t)ids.count;
    return r->faults.count == 0;
}
