/* Answers grouped by station and period of the calendar. */
#include "obstream/api/group.h"

#include "obstream/db/copy.h"
#include "obstream/query/sql.h"

#include <string.h>

const struct tz *native_station_zone(const struct catalog *c, const char *id)
{
    const struct station *st = catalog_station(c, id, strlen(id), NULL);
    const struct tz *tz = st != NULL && st->tzname != NULL ? tz_find(st->tzname) : NULL;
    return tz != NULL ? tz : tz_utc();
}

static bool add_distinct(const struct tz **list, uint32_t *count, const struct tz *tz)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (list[i] == tz)
            return false;
    }
    list[(*count)++] = tz;
    return true;
}

static bool station_zones(struct api_request *r, const struct archive_query *q,
                          struct archive_group *g)
{
    const struct tz **zones = arena_array(r->arena, q->count + 1, sizeof(*zones));
    const struct tz **distinct = arena_array(r->arena, q->count + 1, sizeof(*distinct));
    if (zones == NULL || distinct == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    if (q->all) /* rows without metadata */
        add_distinct(distinct, &g->distinct_count, tz_utc());
    for (uint32_t i = 0; i < q->count; i++) {
        zones[i] = native_station_zone(r->catalog, q->stations[i]);
        add_distinct(distinct, &g->distinct_count, zones[i]);
    }
    if (g->distinct_count <= 1)
        g->tz = g->distinct_count == 1 ? distinct[0] : tz_utc();
    g->zones = zones;
    g->distinct = distinct;
    return true;
}

/* ", column" for each, NULL for those that the operator's table lacks. */
static const char *reads_text(struct api_request *r, const struct archive_spec *spec)
{
    struct buf b = BUF_INIT(BUF_LIMIT_SQL);
    buf_puts(&b, "");
    for (const char *const *read = spec->group->reads; *read != NULL; read++) {
        const char *type = strstr(*read, "::");
        const char *name =
            type == NULL ? *read : arena_strndup(r->arena, *read, (size_t)(type - *read));
        const struct layout_column *c =
            name != NULL ? layout_find(&r->catalog->layout, spec->table, name) : NULL;
        b.failed |= name == NULL;
        if (c != NULL)
            buf_printf(&b, ", %s AS %s", c->name, name);
        else
            buf_printf(&b, ", NULL%s AS %s", type != NULL ? type : "::float4", name);
    }
    const char *text = b.failed ? NULL : arena_strdup(r->arena, b.data != NULL ? b.data : "");
    buf_release(&b);
    return text;
}

bool native_group(struct api_request *r, const struct native_params *p,
                  const struct archive_spec *spec, struct plan *plan)
{
    struct archive_group *g = arena_alloc(r->arena, sizeof(*g));
    const char *reads = reads_text(r, spec);
    if (g == NULL || reads == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    *g = (struct archive_group){ .tz = spec->time_is_day ? tz_utc() : p->tz,
                                 .reads = reads,
                                 .inner = spec->group->inner,
                                 .by = spec->group->by,
                                 .from = plan->from,
                                 .to = plan->to };
    if (!period_find(p->by, &g->period))
        return err_set(&r->err, ERR_INTERNAL, "a grouped answer without a period");
    if (g->tz == NULL && !station_zones(r, &plan->query, g))
        return false;
    plan->query.group = g;
    plan->scan_per_day = spec->rows_per_day;
    plan->rows_per_day = spec->group->rows / period_days(g->period);
    return true;
}
