/*
 * What tables a database has, found out at start-up and on SIGHUP.
 *
 * In obstream's own layout one database holds a schema per data set (asos.alldata); in the IEM
 * layout each data set is a database of its own and names resolve by search_path (alldata), with
 * PostGIS positions. The layout says which; plans take table names and column types from it, so
 * that a column an operator's table lacks is read as NULL instead of failing.
 */
#ifndef OBSTREAM_DB_LAYOUT_H
#define OBSTREAM_DB_LAYOUT_H

#include "obstream/core/arena.h"
#include "obstream/db/pool.h"

/* data set, table, must it be there for the data set to be served? */
#define LAYOUT_TABLES(X)                                                                           \
    X(TABLE_ASOS_ALLDATA, DATASET_ASOS, "alldata", true)                                           \
    X(TABLE_ASOS_STATIONS, DATASET_ASOS, "stations", false)                                        \
    X(TABLE_HADS_RAW, DATASET_HADS, "raw", true)                                                   \
    X(TABLE_HADS_ALLDATA, DATASET_HADS, "alldata", false)                                          \
    X(TABLE_COOP_ALLDATA, DATASET_COOP, "alldata", true)                                           \
    X(TABLE_COOP_NCEI91, DATASET_COOP, "ncei_climate91", false)                                    \
    X(TABLE_COOP_CLIMATE51, DATASET_COOP, "climate51", false)                                      \
    X(TABLE_COOP_COCORAHS, DATASET_COOP, "alldata_cocorahs", false)                                \
    X(TABLE_IEM_CURRENT_SHEF, DATASET_IEM, "current_shef", false)                                  \
    X(TABLE_IEM_SUMMARY, DATASET_IEM, "summary", false)                                            \
    X(TABLE_IEM_CURRENT_LOG, DATASET_IEM, "current_log", false)                                    \
    X(TABLE_IEM_CURRENT, DATASET_IEM, "current", false)                                            \
    X(TABLE_IEM_STATIONS, DATASET_IEM, "stations", false)                                          \
    X(TABLE_STATIONS, DATASET_MESOSITE, "stations", true)                                          \
    X(TABLE_NETWORKS, DATASET_MESOSITE, "networks", true)                                          \
    X(TABLE_STATION_ATTRIBUTES, DATASET_MESOSITE, "station_attributes", false)                     \
    X(TABLE_STATION_THREADING, DATASET_MESOSITE, "station_threading", false)

#define LAYOUT_ENUM(id, dataset, name, required) id,
enum layout_table { LAYOUT_TABLES(LAYOUT_ENUM) TABLE_COUNT };
#undef LAYOUT_ENUM

struct layout_column {
    const char *name;
    Oid oid;
};

struct layout_entry {
    bool exists;
    const char *sql_name; /* "asos.alldata" or "alldata", quoted where needed */
    struct layout_column *columns;
    unsigned count;
};

struct layout {
    struct arena arena; /* owns all text */
    struct layout_entry tables[TABLE_COUNT];
    bool own[DATASET_COUNT];     /* obstream's own layout (schema per data set) */
    bool c_order[DATASET_COUNT]; /* station ids sort bytewise in this database */
};

/* Reads the tables of one data set into the layout, which starts as { 0 }; to read anew, fill
 * another layout. A missing required table is ERR_DATABASE, naming the table, the database and the
 * remedy (obstream schema). A column of a domain has the oid of the type below it. */
bool layout_discover(struct layout *l, enum dataset d, struct conn *conn, struct err *e) MUST_CHECK;
void layout_release(struct layout *l);

/* NULL when the table has no such column. */
const struct layout_column *layout_find(const struct layout *l, enum layout_table t,
                                        const char *column);
enum dataset layout_dataset(enum layout_table t);

#endif
