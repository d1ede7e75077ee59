#include "members.h"

#include "obstream/query/sql.h"

static bool wanted(const struct station *st, const char *network, const char *id, bool by_iemid)
{
    return str_eq(st->network, network) && (id == NULL || str_eq(st->id, id)) &&
           (!by_iemid || st->iemid != INT64_MIN) && sql_id_ok(st->id, strlen(st->id));
}

bool members_of_network(struct api_request *r, const char *network, const char *id, bool by_iemid,
                        struct members *out)
{
    const struct catalog *c = r->catalog;
    size_t count = 0;
    for (size_t i = 0; i < c->station_count; i++)
        count += wanted(&c->stations[i], network, id, by_iemid);
    *out = (struct members){ arena_array(r->arena, count + 1, sizeof(*out->items)),
                             arena_array(r->arena, count + 1, sizeof(*out->ids)), 0 };
    if (out->items == NULL || out->ids == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    for (size_t i = 0; i < c->station_count; i++) {
        if (!wanted(&c->stations[i], network, id, by_iemid))
            continue;
        out->ids[out->count] = c->stations[i].id;
        out->items[out->count++] = &c->stations[i];
    }
    return true;
}

size_t members_index(const struct members *m, const char *id, size_t len)
{
    size_t low = 0, high = m->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2, have = strlen(m->ids[mid]);
        int order = memcmp(m->ids[mid], id, have < len ? have : len);
        if (order == 0)
            order = (have > len) - (have < len);
        if (order == 0)
            return mid;
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return m->count;
}

const struct station *members_find(const struct members *m, const char *id, size_t len)
{
    size_t i = members_index(m, id, len);
    return i < m->count ? m->items[i] : NULL;
}

void members_from(struct buf *sql, const struct members *m, const char *table, bool by_iemid)
{
    sql_text(sql, " FROM ");
    sql_text(sql, table);
    if (!by_iemid) {
        sql_text(sql, " WHERE ");
        sql_id_in(sql, "station", m->ids, m->count);
        return;
    }
    sql_text(sql, " AS s JOIN (VALUES ");
    for (size_t i = 0; i < m->count; i++) {
        sql_text(sql, i > 0 ? ", (" : "(");
        sql_int(sql, m->items[i]->iemid);
        sql_text(sql, ", ");
        sql_id(sql, m->ids[i], strlen(m->ids[i]));
        sql_text(sql, ")");
    }
    sql_text(sql, ") AS members (member, station) ON members.member = s.iemid");
}

const char *members_station(bool by_iemid)
{
    return by_iemid ? "members.station COLLATE \"C\"" : "station::text COLLATE \"C\"";
}

const struct tz *members_zone(const struct station *st)
{
    const struct tz *tz = st != NULL && st->tzname != NULL ? tz_find(st->tzname) : NULL;
    return tz != NULL ? tz : tz_utc();
}
