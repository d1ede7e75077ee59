/* Stations of a network, and the rows of tables that know them by iemid. */
#ifndef OBSTREAM_SRC_COMPAT_MEMBERS_H
#define OBSTREAM_SRC_COMPAT_MEMBERS_H

#include "compat.h"

struct members {
    const struct station **items; /* ascending by id */
    const char **ids;             /* theirs */
    size_t count;
};

/* All of a network, or the one of an id, that can be named in a statement and, where wanted, have
 * an iemid. None is no failure; false with err set when memory is short. */
bool members_of_network(struct api_request *r, const char *network, const char *id, bool by_iemid,
                        struct members *out);

const struct station *members_find(const struct members *m, const char *id, size_t len);
size_t members_index(const struct members *m, const char *id, size_t len); /* m->count: unknown */

/* " FROM table ...": rows of these stations, at least one; their id is members_station() there. */
void members_from(struct buf *sql, const struct members *m, const char *table, bool by_iemid);
const char *members_station(bool by_iemid);

/* The zone of a station, UTC when it has none. */
const struct tz *members_zone(const struct station *st);

#endif
