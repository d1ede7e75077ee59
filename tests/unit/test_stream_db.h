/* A small archive for the tests of the stream: in memory, to know the right answers, and in a
 * database. It has gaps, a minute denser than a statement's LIMIT, an instant at which every
 * station reports often, and rows that are equal in station and time, or altogether. */
#ifndef OBSTREAM_TEST_STREAM_DB_H
#define OBSTREAM_TEST_STREAM_DB_H

#include "test_db.h"
#include "test_stream.h"

#include "obstream/core/civil.h"
#include "obstream/core/number.h"
#include "obstream/stream/sink.h"

enum { STATIONS = 5, KEYS = 3, DAYS = 20, ROWS_MAX = 8000, NOTE_LEN = 330, LINE_ROOM = 480 };

/* Bytewise order; most collations order them otherwise. */
static const char *const station_ids[STATIONS] = { "A", "A-1", "AB", "B", "b" };
static const char *const key_names[KEYS] = { "HGIRG", "PPHRG", "TAIRG" };

struct obs {
    int station, key;
    int64_t valid;
    float v;
    char note[NOTE_LEN + 1];
    char line[LINE_ROOM]; /* as CSV */
};

static struct obs *archive; /* in no order */
static size_t archive_rows;
static int64_t archive_from, archive_to;
static struct pool *archive_pool;

static inline void obs_add(struct random *r, int station, int64_t valid)
{
    struct obs *o = &archive[archive_rows++];
    assert_true(archive_rows <= ROWS_MAX);
    *o = (struct obs){ .station = station, .valid = valid };
    o->key = (int)random_in(r, 0, KEYS - 1);
    o->v = (float)random_in(r, -80, 80) / 2;
    int n = (int)random_in(r, NOTE_LEN - 40, NOTE_LEN);
    for (int i = 0; i < n; i++)
        o->note[i] = (char)('a' + (i < 4 ? random_in(r, 0, 25) : i % 26));
}

static inline void obs_line(struct obs *o)
{
    char time[64], *end = number_instant(time, o->valid);
    *end = '\0';
    snprintf(o->line, sizeof(o->line), "%s,%s,%g,%s\n", station_ids[o->station], time, (double)o->v,
             o->note);
}

static inline void archive_make(void)
{
    struct random r = random_start(11);
    archive = calloc(ROWS_MAX, sizeof(*archive));
    assert_non_null(archive);
    int64_t day = civil_days(2024, 2, 20);
    archive_from = day * USEC_PER_DAY + USEC_PER_HOUR / 3;
    archive_to = (day + DAYS) * USEC_PER_DAY - 7 * USEC_PER_HOUR;
    for (int s = 0; s < STATIONS; s++) {
        for (int64_t h = 0; h < DAYS * 24; h++) {
            if (s == 3 && h > 100 && h < 360)
                continue; /* a gap */
            int64_t valid = day * USEC_PER_DAY + h * USEC_PER_HOUR + random_in(&r, 0, 3) * 1234567;
            obs_add(&r, s, valid);
            while (random_in(&r, 0, 19) == 0)
                obs_add(&r, s, valid);
        }
        for (int i = 0; i < 200; i++)
            obs_add(&r, s, (day + 5) * USEC_PER_DAY);
    }
    for (int i = 0; i < 900; i++)
        obs_add(&r, 2, (day + 9) * USEC_PER_DAY + 60 * USEC_PER_SEC);
    for (int i = 0; i < 40; i++) { /* the same twice */
        struct obs twin = archive[random_in(&r, 0, (int64_t)archive_rows - 1)];
        archive[archive_rows++] = twin;
    }
    for (size_t i = archive_rows - 1; i > 0; i--) { /* in no order */
        struct obs *a = &archive[i], *b = &archive[random_in(&r, 0, (int64_t)i)], swap = *a;
        *a = *b;
        *b = swap;
    }
    for (size_t i = 0; i < archive_rows; i++)
        obs_line(&archive[i]);
}

static inline void archive_load(void)
{
    struct buf sql = BUF_INIT(64 << 20);
    buf_puts(&sql, "CREATE TABLE obs (station varchar(8) COLLATE \"C\" NOT NULL, valid timestamptz "
                   "NOT NULL, key varchar(8) COLLATE \"C\", v float4, note text); "
                   "CREATE INDEX ON obs (station, valid); CREATE INDEX ON obs (valid); "
                   "INSERT INTO obs VALUES ");
    for (size_t i = 0; i < archive_rows; i++) {
        const struct obs *o = &archive[i];
        char time[64], *end = number_instant(time, o->valid);
        *end = '\0';
        buf_printf(&sql, "%s('%s', '%s', '%s', %g, '%s')", i > 0 ? ", " : "",
                   station_ids[o->station], time, key_names[o->key], (double)o->v, o->note);
    }
    buf_puts(&sql, "; ANALYZE obs");
    assert_false(sql.failed);
    db_exec(db_dsn, sql.data);
    buf_release(&sql);
}

static inline int archive_setup(void **state)
{
    if (db_group_setup(state) != 0)
        return -1;
    if (db_dsn == NULL)
        return 0;
    archive_make();
    archive_load();
    archive_pool = pool_new(db_dsn, &db_conf);
    return archive_pool != NULL ? 0 : -1;
}

static inline int archive_teardown(void **state)
{
    if (archive_pool != NULL)
        pool_free(archive_pool);
    free(archive);
    return db_group_teardown(state);
}

static const struct field obs_fields[] = {
    { .name = "station", .unit = "", .type = CELL_TEXT, .cell = 0 },
    { .name = "valid", .unit = "", .type = CELL_INSTANT, .cell = 1 },
    { .name = "v", .unit = "", .type = CELL_FLOAT4, .cell = 2 },
    { .name = "note", .unit = "", .type = CELL_TEXT, .cell = 3 },
};
static const Oid obs_oids[] = { OID_VARCHAR, OID_TIMESTAMPTZ, OID_FLOAT4, OID_TEXT };

/* A plan over the whole archive. */
static inline struct plan obs_plan(bool by_time, bool descending)
{
    return (struct plan){ .pool = archive_pool,
                          .query = { .table = "obs",
                                     .station = "station",
                                     .time = "valid",
                                     .columns = "station, valid, v, note",
                                     .filter = "",
                                     .tie = "",
                                     .stations = station_ids,
                                     .count = STATIONS,
                                     .by_time = by_time,
                                     .descending = descending },
                          .oids = obs_oids,
                          .wire_cells = 4,
                          .cells = 4,
                          .station_cell = 0,
                          .time_cell = 1,
                          .from = archive_from,
                          .to = archive_to,
                          .rows_per_day = 24,
                          .row_bytes = 350,
                          .encoder = &encoder_csv,
                          .codec = &codec_identity,
                          .level = -1,
                          .shape = { .fields = obs_fields,
                                     .count = ARRAY_SIZE(obs_fields),
                                     .missing = "",
                                     .tz = tz_utc(),
                                     .lon_cell = -1,
                                     .lat_cell = -1 } };
}

#endif
