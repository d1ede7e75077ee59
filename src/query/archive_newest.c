/* The newest row of each station. */
#include "archive_private.h"

#include "obstream/query/sql.h"

#include <string.h>

static void add_stations(const struct archive_query *q, const struct archive_slice *s,
                         struct buf *out)
{
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        buf_puts(out, i > s->first ? "), (" : "(");
        sql_id(out, q->stations[i], strlen(q->stations[i]));
    }
    buf_putc(out, ')');
}

void archive_newest_sql(const struct archive_query *q, const struct archive_slice *s,
                        struct buf *out)
{
    const char *collate = q->collate ? " COLLATE \"C\"" : "";
    const char *direction = q->descending ? " DESC" : "";
    buf_printf(out, "SELECT %s FROM (VALUES ", q->columns);
    add_stations(q, s, out);
    buf_printf(out,
               ") AS wanted (obs_id) CROSS JOIN LATERAL (SELECT * FROM %s WHERE %s = obs_id AND ",
               q->table, q->station);
    archive_bounds(q, s, out);
    buf_printf(out, "%s ORDER BY %s DESC%s LIMIT 1) AS newest", q->filter, q->time, q->tie);
    if (q->by_time)
        buf_printf(out, " ORDER BY %s%s, %s%s", q->time, direction, q->station, collate);
    else
        buf_printf(out, " ORDER BY %s%s", q->station, collate);
}
