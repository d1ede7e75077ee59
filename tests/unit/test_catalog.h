/* What the tests of the catalog share: small tables in a database, and catalogs read from them. */
#ifndef OBSTREAM_TEST_CATALOG_H
#define OBSTREAM_TEST_CATALOG_H

#include "test_db.h"

#include "obstream/api/catalog.h"
#include "obstream/core/civil.h"

static struct pool *pool;

static const char mesosite_sql[] =
    "CREATE SCHEMA mesosite; CREATE TABLE mesosite.stations (id varchar(64), name varchar, "
    "network varchar(20), state char(2), ugc_county char(6), elevation real, online boolean, "
    "archive_begin date, archive_end date, synop int4, iemid int4, lon float8, lat float8, "
    "params varchar); "
    "INSERT INTO mesosite.stations VALUES "
    "('DSM', 'Des Moines', 'IA_ASOS', 'IA', 'IAC', 293.7, true, '1933-01-01', NULL, 99999, 7, "
    "-93.65, 41.53, ''), "
    "('DSM', 'Des Moines', 'IA_COOP', 'I', NULL, NULL, NULL, NULL, '2020-02-29', NULL, NULL, "
    "NULL, NULL, NULL); INSERT INTO mesosite.stations (id, name, network) VALUES "
    "('DSM', '', 'IACLIMATE'), ('amw', NULL, 'IA_ASOS'), ('AMW', NULL, 'IA_ASOS'), "
    "(NULL, 'x', 'IA_ASOS'), ('NONET', 'x', NULL); "
    "CREATE TABLE mesosite.networks (id varchar(12), name varchar, tzname varchar(32)); "
    "INSERT INTO mesosite.networks VALUES ('IA_COOP', 'Coop', NULL), "
    "('IA_ASOS', 'Iowa ASOS', 'America/Chicago'), ('EMPTY', NULL, NULL)";

static inline void schemas_drop(void)
{
    db_exec(db_dsn, "SET client_min_messages = error; DROP SCHEMA IF EXISTS mesosite, asos, hads, "
                    "coop, iem CASCADE");
}

static inline void load_with(struct catalog_store *s, struct pool *const pools[DATASET_COUNT])
{
    struct err e = ERR_INIT;
    if (!catalog_load(s, pools, &e))
        fail_msg("%s", e.msg);
}

static inline const struct catalog *load(struct catalog_store *s)
{
    struct pool *const pools[] = { pool, pool, pool, pool, pool };
    load_with(s, pools);
    return catalog_get(s);
}

static inline int setup(void **state)
{
    if (db_group_setup(state) != 0)
        return -1;
    if (db_dsn != NULL)
        pool = pool_new(db_dsn, &db_conf);
    return 0;
}

static inline int teardown(void **state)
{
    if (pool != NULL)
        pool_free(pool);
    return db_group_teardown(state);
}

static inline int schemas_teardown(void **state)
{
    (void)state;
    if (db_dsn != NULL)
        schemas_drop();
    return 0;
}

#endif
