/* What the files of the catalog share; the tests build catalogs by hand with it. */
#ifndef OBSTREAM_API_CATALOG_PRIVATE_H
#define OBSTREAM_API_CATALOG_PRIVATE_H

#include "obstream/api/catalog.h"

/* An empty catalog with one reference; NULL: out of memory. */
struct catalog *catalog_new(void);

/* Room for one more behind `count` items of an array that only ever grew by this function (NULL at
 * first): the array, perhaps moved, or NULL when memory is exhausted (`items` stays as it is). */
void *catalog_grow(void *items, size_t count, size_t size);

/* Brings stations, networks and attributes into their order and counts the stations of each
 * network. */
void catalog_sort(struct catalog *c);

/* Makes `c` the current catalog; takes over the caller's reference. */
void catalog_publish(struct catalog_store *s, struct catalog *c);

/* The arrays, unsorted. A database without a table of attributes has none. */
bool catalog_read_stations(struct catalog *c, struct conn *conn, struct err *e) MUST_CHECK;
bool catalog_read_networks(struct catalog *c, struct conn *conn, struct err *e) MUST_CHECK;
bool catalog_read_attributes(struct catalog *c, struct conn *conn, struct err *e) MUST_CHECK;

/* first[] and last[] of the data set's archive tables; what cannot be found out is not known. */
void catalog_read_extents(struct catalog *c, enum dataset d, struct conn *conn);

#endif
