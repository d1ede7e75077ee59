/* Normals of the sites that stations of daily.py belong to. */
#include "daily.h"

#include "obstream/core/clock.h"
#include "obstream/query/sql.h"

#include <math.h>
#include <stdlib.h>

enum { ACQUIRE_USEC = 5000000, LEAP_YEAR = 2000 };

static int by_site(const void *a, const void *b)
{
    return strcmp(((const struct daily_normals *)a)->site, ((const struct daily_normals *)b)->site);
}

static struct daily_normals *site_find(const struct daily_request *d, const char *site)
{
    struct daily_normals key = { .site = site };
    return d->normal_count == 0 || site == NULL
               ? NULL
               : bsearch(&key, d->normals, d->normal_count, sizeof(key), by_site);
}

/* One entry for each site, without normals. */
static bool sites_collect(struct daily_request *d, struct arena *a, struct err *e)
{
    struct strlist sites = { 0 };
    for (size_t i = 0; i < d->members.count; i++) {
        const char *site = d->members.items[i]->ncei91;
        if (site != NULL && sql_id_ok(site, strlen(site)))
            strlist_add(&sites, a, site);
    }
    iem_sort_unique(&sites);
    d->normals = arena_array(a, sites.count + 1, sizeof(*d->normals));
    if (a->failed)
        return err_set(e, ERR_TOO_LARGE, "out of memory for the normals of %zu sites", sites.count);
    for (size_t i = 0; i < sites.count; i++)
        d->normals[i].site = sites.items[i];
    d->normal_count = sites.count;
    return true;
}

static int64_t day_of_year(int64_t day)
{
    int year, month, dom;
    civil_from_days(day, &year, &month, &dom);
    return civil_days(LEAP_YEAR, month, dom) - civil_days(LEAP_YEAR, 1, 1);
}

/* station, valid, high, low, precip */
static bool normal_row(void *ctx, const struct cell *cells)
{
    const struct daily_request *d = ctx;
    char site[STATION_ROOM];
    if (cells[0].type != CELL_TEXT || cells[1].type != CELL_DAY || cells[0].len >= sizeof(site))
        return true;
    *(char *)mempcpy(site, cells[0].s, cells[0].len) = '\0';
    struct daily_normals *n = site_find(d, site);
    int64_t i = day_of_year(cells[1].i);
    if (n == NULL)
        return true;
    n->there[i] = true;
    for (int k = 0; k < DAILY_NORMALS; k++)
        n->values[i][k] = cells[2 + k].type == CELL_FLOAT4 ? cells[2 + k].f4 : NAN;
    return true;
}

static bool normals_read(struct daily_request *d, struct conn *conn, struct err *e)
{
    static const Oid oids[] = { OID_TEXT, OID_DATE, OID_FLOAT4, OID_FLOAT4, OID_FLOAT4 };
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    struct strlist sites = { 0 };
    struct arena a = ARENA_INIT(BUF_LIMIT_SQL);
    for (size_t i = 0; i < d->normal_count; i++)
        strlist_add(&sites, &a, d->normals[i].site);
    buf_printf(&sql,
               "SELECT station::text, valid, high::float4, low::float4, precip::float4 "
               "FROM %s WHERE ",
               d->r->catalog->layout.tables[TABLE_COOP_NCEI91].sql_name);
    sql_id_in(&sql, "station", sites.items, sites.count);
    bool ok = !sql.failed && !a.failed &&
              query_rows(conn, sql.data, oids, ARRAY_SIZE(oids), normal_row, d, e);
    buf_release(&sql);
    arena_release(&a);
    return ok || err_set(e, ERR_INTERNAL, "the statement cannot be built");
}

bool daily_climate(struct plan *p, struct conn *conn, struct err *e)
{
    struct daily_request *d = (struct daily_request *)p->ctx;
    struct pool *coop = d->r->api->pools[DATASET_COOP];
    if (!d->r->catalog->layout.tables[TABLE_COOP_NCEI91].exists)
        return true;
    if (!sites_collect(d, p->arena, e) || d->normal_count == 0)
        return e->kind == ERR_NONE;
    if (coop == p->pool)
        return normals_read(d, conn, e);
    struct conn *other = pool_acquire(coop, clock_mono() + ACQUIRE_USEC, e);
    if (other == NULL)
        return false;
    bool ok = normals_read(d, other, e);
    pool_release(other, false);
    return ok;
}

static const struct daily_normals *normals_of(const struct computed *c, const struct cell *cells,
                                              int64_t *day)
{
    const struct daily_request *d = c->ctx;
    const struct cell *id = &cells[c->in[0]];
    const struct station *st = members_find(&d->members, id->s, id->len);
    *day = day_of_year(cells[c->in[1]].i);
    return st != NULL ? site_find(d, st->ncei91) : NULL;
}

void daily_normal(const struct computed *c, const struct cell *cells, struct cell *out)
{
    int64_t day;
    const struct daily_normals *n = normals_of(c, cells, &day);
    *out = cell_null();
    if (n == NULL || !n->there[day] || isnan(n->values[day][(int)c->args[0]]))
        return;
    out->type = CELL_FLOAT4;
    out->f4 = n->values[day][(int)c->args[0]];
}

void daily_site(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct daily_request *d = c->ctx;
    const struct cell *id = &cells[c->in[0]];
    const struct station *st = members_find(&d->members, id->s, id->len);
    *out = st != NULL && st->ncei91 != NULL ? cell_text(st->ncei91, (uint32_t)strlen(st->ncei91))
                                            : cell_null();
}

void daily_site_of_normal(const struct computed *c, const struct cell *cells, struct cell *out)
{
    int64_t day;
    const struct daily_normals *n = normals_of(c, cells, &day);
    *out = n != NULL && n->there[day] ? cell_text(n->site, (uint32_t)strlen(n->site)) : cell_null();
}
