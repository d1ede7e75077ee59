#include "archive_private.h"

#include "obstream/query/sql.h"

#include <stdio.h>

uint32_t archive_groups(const struct archive_query *q)
{
    return q->all ? 2 * q->count + 1 : q->count;
}

bool archive_one_station(const struct archive_query *q, const struct archive_slice *s)
{
    return s->count == 1 && (!q->all || s->first % 2 == 1);
}

/* A bound on days is the first day that starts at usec or later. */
static void add_time(const struct archive_query *q, struct buf *out, int64_t usec)
{
    if (q->time_is_day)
        sql_day(out, floor_div(usec, USEC_PER_DAY) + (usec % USEC_PER_DAY != 0));
    else
        sql_instant(out, usec);
}

/* A position is an exact day, not a bound to be rounded. */
static void add_position(const struct archive_query *q, struct buf *out, int64_t usec)
{
    if (q->time_is_day)
        sql_day(out, floor_div(usec, USEC_PER_DAY));
    else
        sql_instant(out, usec);
}

/* The station column where its order counts. */
struct key_text {
    char text[STATION_ROOM + 16];
};

static struct key_text station_key(const struct archive_query *q, struct buf *out)
{
    struct key_text k;
    int n =
        snprintf(k.text, sizeof(k.text), "%s%s", q->station, q->collate ? " COLLATE \"C\"" : "");
    out->failed |= n >= (int)sizeof(k.text);
    return k;
}

static void add_bound(const struct archive_query *q, struct buf *out, const char *op,
                      const char *id)
{
    buf_printf(out, " AND %s %s ", station_key(q, out).text, op);
    sql_id(out, id, strlen(id));
}

/* Group 2k + 1 is station k, group 2k what lies between it and the one before. */
static void add_range(const struct archive_query *q, const struct archive_slice *s, struct buf *out)
{
    uint32_t last = s->first + s->count - 1;
    if (s->first % 2 == 1)
        add_bound(q, out, ">=", q->stations[s->first / 2]);
    else if (s->first > 0)
        add_bound(q, out, ">", q->stations[s->first / 2 - 1]);
    if (last % 2 == 1)
        add_bound(q, out, "<=", q->stations[last / 2]);
    else if (last / 2 < q->count)
        add_bound(q, out, "<", q->stations[last / 2]);
}

static void add_stations(const struct archive_query *q, const struct archive_slice *s,
                         struct buf *out)
{
    if (q->all && !archive_one_station(q, s)) {
        add_range(q, s, out);
        return;
    }
    buf_puts(out, " AND ");
    sql_id_in(out, q->station, q->stations + (q->all ? s->first / 2 : s->first), s->count);
}

/* The order is (station, time) or (time, station); time may descend, stations never do. */
static void add_position_filter(const struct archive_query *q, const struct archive_slice *s,
                                struct buf *out)
{
    size_t len = strlen(s->after_station);
    struct key_text station = station_key(q, out);
    const char *first = q->by_time ? q->time : station.text;
    const char *second = q->by_time ? station.text : q->time;
    const char *op = q->descending ? "<" : ">";
    if (!q->descending) {
        buf_printf(out, " AND (%s, %s) > (", first, second);
        if (q->by_time) {
            add_position(q, out, s->after_time);
            buf_puts(out, ", ");
        }
        sql_id(out, s->after_station, len);
        if (!q->by_time) {
            buf_puts(out, ", ");
            add_position(q, out, s->after_time);
        }
        buf_putc(out, ')');
        return;
    }
    buf_printf(out, " AND (%s %s ", first, q->by_time ? op : ">");
    if (q->by_time)
        add_position(q, out, s->after_time);
    else
        sql_id(out, s->after_station, len);
    buf_printf(out, " OR (%s = ", first);
    if (q->by_time)
        add_position(q, out, s->after_time);
    else
        sql_id(out, s->after_station, len);
    buf_printf(out, " AND %s %s ", second, q->by_time ? ">" : op);
    if (q->by_time)
        sql_id(out, s->after_station, len);
    else
        add_position(q, out, s->after_time);
    buf_puts(out, "))");
}

static void add_order(const struct archive_query *q, const struct archive_slice *s, struct buf *out)
{
    const char *direction = q->descending ? " DESC" : "";
    struct key_text station = station_key(q, out);
    if (archive_one_station(q, s))
        buf_printf(out, " ORDER BY %s%s", q->time, direction);
    else if (q->by_time)
        buf_printf(out, " ORDER BY %s%s, %s", q->time, direction, station.text);
    else
        buf_printf(out, " ORDER BY %s, %s%s", station.text, q->time, direction);
    buf_puts(out, q->tie);
}

void archive_bounds(const struct archive_query *q, const struct archive_slice *s, struct buf *out)
{
    buf_printf(out, "%s >= ", q->time);
    add_time(q, out, s->from);
    buf_printf(out, " AND %s < ", q->time);
    add_time(q, out, s->to);
}

/* The table with the ids of the slice's stations beside their numbers. */
static void add_numbered(const struct archive_query *q, const struct archive_slice *s,
                         struct buf *out)
{
    buf_printf(out, "(SELECT numbered.%s, t.* FROM %s AS t JOIN (VALUES ", q->station, q->table);
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        buf_puts(out, i > s->first ? ", (" : "(");
        sql_int(out, q->numbers[i]);
        buf_puts(out, ", ");
        sql_id(out, q->stations[i], strlen(q->stations[i]));
        buf_putc(out, ')');
    }
    buf_printf(out, ") AS numbered (number, %s) ON numbered.number = t.%s) AS known", q->station,
               q->number);
}

void archive_where(const struct archive_query *q, const struct archive_slice *s, struct buf *out)
{
    buf_puts(out, " FROM ");
    if (q->number != NULL)
        add_numbered(q, s, out);
    else
        buf_puts(out, q->table);
    buf_puts(out, " WHERE ");
    archive_bounds(q, s, out);
    if (q->number == NULL)
        add_stations(q, s, out);
    if (s->resumed)
        add_position_filter(q, s, out);
    buf_puts(out, q->filter);
}

void archive_sql(const struct archive_query *q, const struct archive_slice *s, struct buf *out)
{
    if (q->statement != NULL) {
        q->statement(q, s, out);
        return;
    }
    if (q->group != NULL) {
        archive_group_sql(q, s, out);
        return;
    }
    if (q->newest) {
        archive_newest_sql(q, s, out);
        return;
    }
    buf_printf(out, "SELECT %s", q->columns);
    archive_where(q, s, out);
    add_order(q, s, out);
    if (s->limit > 0) {
        buf_puts(out, " LIMIT ");
        buf_add_int(out, (int64_t)s->limit);
    }
}

void archive_distinct_sql(const struct archive_query *q, const struct archive_slice *s,
                          const char *column, struct buf *out)
{
    buf_printf(out, "SELECT DISTINCT %s", column);
    archive_where(q, s, out);
}
