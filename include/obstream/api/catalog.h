/*
 * What the server knows of the databases: their layout, the station table, the networks. A catalog
 * is read whole, then never changes; requests hold a reference while they use it, so that a newer
 * one can take its place at any time.
 */
#ifndef OBSTREAM_API_CATALOG_H
#define OBSTREAM_API_CATALOG_H

#include "obstream/db/layout.h"

#include <stdatomic.h>

enum { SIGSTAGE_COUNT = 7 }; /* low, action, bankfull, flood, moderate, major, record */

/* NULL text, NaN numbers, INT64_MIN days, instants and whole numbers where the database has NULL,
 * or lacks the column. Entries without id or network cannot be asked for and are left out. */
struct station {
    const char *id, *name, *network;
    const char *state, *country, *county, *wfo, *tzname, *climate_site, *plot_name;
    const char *ugc_county, *ugc_zone, *ncdc81, *ncei91, *wigos, *params;
    double lon, lat;                    /* degrees */
    double elevation;                   /* metres */
    double sigstage[SIGSTAGE_COUNT];    /* feet: stages of a river */
    int64_t archive_begin, archive_end; /* days */
    int64_t modified;                   /* microseconds */
    int64_t iemid, synop, remote_id, nwn_id, spri, temp24_hour, precip24_hour;
    int64_t online_value, metasite; /* the columns `online` and `metasite`: 0, 1 or null */
    bool online;
};

/* The extent as text and as hexadecimal EWKB (capital letters); NULL when not known. */
struct network {
    const char *id, *name, *tzname, *extent_wkt, *extent_hex;
    int64_t windrose_update; /* microseconds, INT64_MIN when null */
    size_t stations;         /* how many the station table has */
};

struct station_attribute {
    int64_t iemid;
    const char *attr, *value; /* value: NULL when null */
};

struct catalog {
    atomic_uint refs;
    struct arena arena; /* owns the texts */
    struct layout layout;
    const char *fault[DATASET_COUNT]; /* why a data set is not served: its tables do not exist
                                         then; NULL when it is */
    struct station *stations;         /* ascending by id, then network */
    size_t station_count;
    struct network *networks; /* ascending by id */
    size_t network_count;
    struct station_attribute *attributes; /* ascending by iemid, then attr */
    size_t attribute_count;
    /* Extent in time: no row was before `first` nor at `last` or later when the catalog was read
     * (rows may have come since). Microseconds; INT64_MIN and INT64_MAX when not known, both 0 when
     * the table is empty. Looked up for asos.alldata, hads.raw, coop.alldata and iem.summary. */
    int64_t first[TABLE_COUNT], last[TABLE_COUNT];
    int64_t loaded; /* wall clock when the reading began, microseconds */
};

/* The place where the current catalog is found. */
struct catalog_store;

struct catalog_store *catalog_store_new(void);    /* NULL: out of memory */
void catalog_store_free(struct catalog_store *s); /* references that are out stay good */

/*
 * Reads everything anew through the pools (one per data set; equal ones may be shared). Keeps the
 * old catalog when that fails: ERR_UNAVAILABLE, ERR_TIMEOUT or ERR_DATABASE of mesosite, whose
 * stations and networks are required. Another data set that fails gets a `fault` and no tables, or
 * the layout that the old catalog has while its database just does not answer.
 */
bool catalog_load(struct catalog_store *s, struct pool *const pools[DATASET_COUNT],
                  struct err *e) MUST_CHECK;

/* A reference to the current catalog, NULL while none was ever read. */
const struct catalog *catalog_get(struct catalog_store *s);
void catalog_put(const struct catalog *c); /* NULL is allowed */

/* The first entry of an id (there is one per network), NULL when unknown; *count (may be NULL)
 * receives how many follow each other with this id. */
const struct station *catalog_station(const struct catalog *c, const char *id, size_t len,
                                      size_t *count);
const struct network *catalog_network(const struct catalog *c, const char *id);
/* The first attribute of a station, NULL when it has none; *count receives how many there are. */
const struct station_attribute *catalog_attributes(const struct catalog *c, int64_t iemid,
                                                   size_t *count);

#endif
