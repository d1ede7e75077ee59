/* Statements of grouped queries. */
#include "archive_private.h"

#include "obstream/query/sql.h"

#include <string.h>

/* The station a group is, or -1 for what lies between known ones. */
static int64_t group_station(const struct archive_query *q, uint32_t group)
{
    int64_t station = q->all ? group / 2 : group;
    return q->all && group % 2 == 0 ? -1 : station;
}

static const struct tz *station_zone(const struct archive_query *q, int64_t station)
{
    if (q->group->tz != NULL)
        return q->group->tz;
    return station < 0 ? tz_utc() : q->group->zones[station];
}

/* Do several zones share the windows of this order of rows? */
static bool mixed(const struct archive_query *q, const struct archive_slice *s)
{
    return q->group->tz == NULL && (q->by_time || s->count > 1);
}

bool archive_grid(const struct archive_query *q, const struct archive_slice *s, struct grid *out)
{
    if (q->group == NULL)
        return false;
    out->period = q->group->period;
    out->tz = mixed(q, s) ? tz_utc() : station_zone(q, group_station(q, s->first));
    return true;
}

static void add_zone_name(struct buf *out, const struct tz *tz)
{
    sql_id(out, tz_name(tz), strlen(tz_name(tz)));
}

/* " WHEN station IN (...) THEN 'zone'", nothing when no station of the slice has the zone. */
static void add_zone_case(const struct archive_query *q, const struct archive_slice *s,
                          const struct tz *tz, struct buf *out)
{
    bool any = false;
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        int64_t station = group_station(q, i);
        if (station < 0 || station_zone(q, station) != tz)
            continue;
        if (any)
            buf_puts(out, ", ");
        else
            buf_printf(out, " WHEN %s IN (", q->station);
        sql_id(out, q->stations[station], strlen(q->stations[station]));
        any = true;
    }
    if (!any)
        return;
    buf_puts(out, ") THEN ");
    add_zone_name(out, tz);
}

static void add_zone(const struct archive_query *q, const struct archive_slice *s, struct buf *out)
{
    if (q->group->tz != NULL || s->count == 1) {
        add_zone_name(out, station_zone(q, group_station(q, s->first)));
        buf_puts(out, "::text");
        return;
    }
    struct buf cases = BUF_INIT(BUF_LIMIT_SQL);
    for (uint32_t i = 0; i < q->group->distinct_count; i++) {
        if (q->group->distinct[i] != tz_utc())
            add_zone_case(q, s, q->group->distinct[i], &cases);
    }
    if (cases.len > 0)
        buf_printf(out, "CASE%s ELSE 'UTC' END", cases.data);
    else
        buf_puts(out, "'UTC'::text");
    out->failed |= cases.failed;
    buf_release(&cases);
}

/* The rows of all periods that start within the slice, in any of the zones. */
static struct archive_slice widened(const struct archive_query *q, const struct archive_slice *s)
{
    const struct archive_group *g = q->group;
    struct archive_slice out = *s;
    for (uint32_t i = 0; i < g->distinct_count; i++) {
        struct grid grid = { g->period, g->distinct[i] };
        int64_t from = grid_floor(&grid, s->from), to = grid_ceil(&grid, s->to);
        out.from = from < out.from ? from : out.from;
        out.to = to > out.to ? to : out.to;
    }
    if (g->period == PERIOD_HOUR)
        out.to += USEC_PER_HOUR; /* after a change by half an hour the period's name is before it */
    if (out.from < g->from || s->from <= g->from)
        out.from = g->from;
    if (out.to > g->to || s->to >= g->to)
        out.to = g->to;
    return out;
}

/* The first and the last period of the window may start outside of it. */
static void add_period_bounds(const struct archive_query *q, const struct archive_slice *s,
                              struct buf *out)
{
    const char *word = " WHERE ";
    if (s->from > q->group->from) {
        buf_printf(out, "%sobs_period >= ", word);
        sql_instant(out, s->from);
        word = " AND ";
    }
    if (s->to < q->group->to) {
        buf_printf(out, "%sobs_period < ", word);
        sql_instant(out, s->to);
    }
}

static void add_order(const struct archive_query *q, struct buf *out)
{
    const char *collate = q->collate ? " COLLATE \"C\"" : "";
    const char *direction = q->descending ? " DESC" : "";
    if (q->by_time)
        buf_printf(out, " ORDER BY obs_period%s, %s%s", direction, q->station, collate);
    else
        buf_printf(out, " ORDER BY %s%s, obs_period%s", q->station, collate, direction);
    buf_puts(out, q->tie);
}

void archive_group_sql(const struct archive_query *q, const struct archive_slice *s,
                       struct buf *out)
{
    const struct archive_group *g = q->group;
    /* A slice that is the whole window needs no bounds. */
    bool wide = mixed(q, s) && (s->from > g->from || s->to < g->to);
    struct archive_slice rows = wide ? widened(q, s) : *s;
    const char *period = period_name(g->period);
    buf_printf(out, "SELECT %s FROM (SELECT *%s FROM (SELECT *, ", q->columns, g->inner);
    if (q->time_is_day)
        buf_printf(out, "date_trunc('%s', %s::timestamp)::date", period, q->time);
    else
        buf_printf(out, "date_trunc('%s', %s, obs_zone)", period, q->time);
    buf_printf(out, " AS obs_period FROM (SELECT %s, %s%s, ", q->station, q->time, g->reads);
    add_zone(q, s, out);
    buf_puts(out, " AS obs_zone");
    archive_where(q, &rows, out);
    /* The fence has a long choice of zones made once for each row, not once for each use. */
    buf_puts(out, g->tz == NULL && s->count > 1 ? " OFFSET 0) AS a) AS b" : ") AS a) AS b");
    if (wide)
        add_period_bounds(q, s, out);
    buf_printf(out, ") AS c GROUP BY %s, obs_period, obs_zone%s", q->station, g->by);
    add_order(q, out);
}
