/* Stations of networks, select lists and windows of the services' plans. */
#include "compat.h"

#include "obstream/query/sql.h"

#include <stdlib.h>

const char *iem_check_network(const char *value)
{
    const char *allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    bool ok = value[0] != '\0' && value[strspn(value, allowed)] == '\0';
    return ok ? NULL : "has to be the id of a network, like IA_ASOS";
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void iem_sort_unique(struct strlist *ids)
{
    size_t n = 0;
    if (ids->count > 1)
        qsort(ids->items, ids->count, sizeof(*ids->items), compare_ids);
    for (size_t i = 0; i < ids->count; i++) {
        if (n == 0 || !str_eq(ids->items[n - 1], ids->items[i]))
            ids->items[n++] = ids->items[i];
    }
    ids->count = n;
}

static const char *network_candidate(const void *ctx, size_t i)
{
    const struct catalog *c = ctx;
    return i < c->network_count ? c->networks[i].id : NULL;
}

static bool network_known(struct api_request *r, const char *param, const char *id)
{
    if (catalog_network(r->catalog, id) != NULL)
        return true;
    for (size_t i = 0; i < r->catalog->station_count; i++) {
        if (str_eq(r->catalog->stations[i].network, id))
            return true;
    }
    const char *near = str_nearest(id, network_candidate, r->catalog);
    fault_add(&r->faults, param, id, "there is no network \"%.64s\"%s%s%s", id,
              near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    return false;
}

bool iem_network_stations(struct api_request *r, const char *param, const struct strlist *networks,
                          struct strlist *ids)
{
    const struct catalog *c = r->catalog;
    bool ok = true;
    for (size_t i = 0; i < networks->count; i++)
        ok = network_known(r, param, networks->items[i]) && ok;
    for (size_t i = 0; ok && i < c->station_count; i++) {
        const struct station *st = &c->stations[i];
        if (strlist_has(networks, st->network) && sql_id_ok(st->id, strlen(st->id)))
            strlist_add(ids, r->arena, st->id);
    }
    iem_sort_unique(ids);
    return ok;
}

void iem_select_init(struct iem_select *s, struct api_request *r, enum layout_table table)
{
    memset(s, 0, sizeof(*s));
    s->r = r;
    s->table = table;
    buf_init(&s->sql, BUF_LIMIT_SQL);
}

static unsigned select_add(struct iem_select *s, const char *name, Oid oid)
{
    if (s->count == COPY_COLUMNS) {
        s->sql.failed = true;
        return 0;
    }
    s->names[s->count] = name;
    s->oids[s->count] = oid;
    return s->count++;
}

unsigned iem_select_expr(struct iem_select *s, const char *sql, Oid oid)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (str_eq(s->names[i], sql))
            return i;
    }
    buf_puts(&s->sql, s->count > 0 ? ", " : "");
    sql_text(&s->sql, sql);
    return select_add(s, sql, oid);
}

/* A type that is not decoded is read as float8, as the native endpoints do. */
unsigned iem_select_column(struct iem_select *s, const char *column, Oid absent)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (str_eq(s->names[i], column))
            return i;
    }
    const struct layout_column *c = layout_find(&s->r->catalog->layout, s->table, column);
    buf_puts(&s->sql, s->count > 0 ? ", " : "");
    if (c == NULL) {
        bool number = absent == OID_FLOAT4 || absent == OID_FLOAT8;
        buf_puts(&s->sql, number ? "NULL::float8" : "NULL::text");
        return select_add(s, column, number ? OID_FLOAT8 : OID_TEXT);
    }
    if (copy_decodes(c->oid)) {
        sql_text(&s->sql, c->name);
        return select_add(s, column, c->oid);
    }
    buf_printf(&s->sql, "%s::float8", c->name);
    return select_add(s, column, OID_FLOAT8);
}

bool iem_select_done(struct iem_select *s, struct plan *p)
{
    struct arena *a = s->r->arena;
    Oid *oids = arena_array(a, s->count, sizeof(*oids));
    const char *list = s->sql.failed ? NULL : arena_strdup(a, s->sql.data);
    buf_release(&s->sql);
    if (oids == NULL || list == NULL)
        return err_set(&s->r->err, ERR_TOO_LARGE, "the request needs too much memory");
    memcpy(oids, s->oids, s->count * sizeof(*oids));
    p->oids = oids;
    p->wire_cells = p->cells = s->count;
    p->query.columns = list;
    return true;
}

bool iem_table_there(struct api_request *r, enum layout_table table)
{
    if (r->catalog->layout.tables[table].exists)
        return true;
    return err_set(&r->err, ERR_UNAVAILABLE,
                   "the database of this data set (%s) lacks a table that the service needs",
                   dataset_name(layout_dataset(table)));
}

/* Rows may have come since the catalog was read, but not from the day after tomorrow. */
void iem_window_clip(const struct api_request *r, enum layout_table table, int64_t *from,
                     int64_t *to)
{
    int64_t first = r->catalog->first[table], last = r->catalog->last[table];
    int64_t newest = r->now + 2 * USEC_PER_DAY;
    int64_t oldest = civil_days(1, 1, 1) * USEC_PER_DAY;
    if (first < oldest)
        first = oldest;
    if (last == INT64_MAX)
        last = civil_days(9999, 12, 31) * USEC_PER_DAY;
    else if (last < newest)
        last = newest;
    if (*from < first)
        *from = first;
    if (*to > last)
        *to = last;
}

struct plan *iem_plan(struct api_request *r, enum layout_table table, int64_t from, int64_t to)
{
    if (!iem_table_there(r, table))
        return NULL;
    struct plan *p = arena_alloc(r->arena, sizeof(*p));
    if (p == NULL) {
        err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
        return NULL;
    }
    p->arena = r->arena;
    p->ctx = r;
    p->pool = r->api->pools[layout_dataset(table)];
    p->query.table = r->catalog->layout.tables[table].sql_name;
    p->query.filter = p->query.tie = "";
    p->from = from;
    p->to = to;
    p->shape.lon_cell = p->shape.lat_cell = -1;
    p->shape.missing = "";
    p->shape.tz = tz_utc();
    return p;
}
