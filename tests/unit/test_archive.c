/* archive.h: the exact statements, and, with a database, that slices yield every row once. */
#include "test_db.h"
#include "test_random.h"

#include "obstream/core/civil.h"
#include "obstream/query/archive.h"

static const char *const named[] = { "AMW", "DSM", "OTM" };

static struct archive_query query(void)
{
    return (struct archive_query){ .table = "asos.alldata",
                                   .station = "station",
                                   .time = "valid",
                                   .columns = "station, valid",
                                   .filter = " AND x = 1",
                                   .tie = ", seq",
                                   .stations = named,
                                   .count = 3 };
}

#define WHERE                                                                                      \
    "SELECT station, valid FROM asos.alldata WHERE valid >= TIMESTAMPTZ '2024-02-28 "              \
    "12:00:00.000000+00' AND valid < TIMESTAMPTZ '2024-03-01 00:00:00.000000+00'"
#define AFTER "TIMESTAMPTZ '2024-02-29 06:30:00.000001+00'"

static struct archive_slice slice(uint32_t first, uint32_t count)
{
    int64_t day = civil_days(2024, 2, 28) * USEC_PER_DAY;
    return (struct archive_slice){ .first = first,
                                   .count = count,
                                   .from = day + 12 * USEC_PER_HOUR,
                                   .to = day + 2 * USEC_PER_DAY,
                                   .after_station = "DSM",
                                   .after_time = day + USEC_PER_DAY + 6 * USEC_PER_HOUR +
                                                 1800 * USEC_PER_SEC + 1 };
}

static void says(const struct archive_query *q, const struct archive_slice *s, const char *want)
{
    struct buf b = BUF_INIT(BUF_LIMIT_SQL);
    archive_sql(q, s, &b);
    assert_false(b.failed);
    assert_string_equal(b.data, want);
    buf_release(&b);
}

#define PERIODS(zone, from, to)                                                                    \
    "SELECT station, count(*) FROM (SELECT *, x FROM (SELECT *, date_trunc('day', valid, "         \
    "obs_zone) AS obs_period FROM (SELECT station, valid, tmpf, " zone " AS obs_zone FROM "        \
    "asos.alldata WHERE valid >= TIMESTAMPTZ '" from "' AND valid < TIMESTAMPTZ '" to "'"

static void test_grouped(void **state)
{
    (void)state;
    const struct tz *zones[] = { tz_utc(), tz_find("America/Chicago"), tz_utc() };
    struct archive_query q = query();
    struct archive_slice s = slice(1, 1);
    struct archive_group g = { .period = PERIOD_DAY,
                               .zones = zones,
                               .distinct = zones,
                               .distinct_count = 2,
                               .reads = ", tmpf",
                               .inner = ", x",
                               .by = ", key",
                               .from = s.from - USEC_PER_DAY,
                               .to = s.to + USEC_PER_DAY };
    struct grid grid;
    assert_false(archive_grid(&q, &s, &grid));
    q.columns = "station, count(*)";
    q.group = &g;
    assert_true(archive_grid(&q, &s, &grid));
    assert_ptr_equal(grid.tz, zones[1]);
    says(&q, &s,
         PERIODS("'America/Chicago'::text", "2024-02-28 12:00:00.000000+00",
                 "2024-03-01 00:00:00.000000+00") " AND station = 'DSM' AND x = 1) AS a) AS b) "
                                                  "AS c GROUP BY station, obs_period, obs_zone, "
                                                  "key ORDER BY station, obs_period, seq");
    q.by_time = q.descending = true;
    s = slice(0, 3);
    s.from = civil_days(2024, 2, 28) * USEC_PER_DAY;
    assert_true(archive_grid(&q, &s, &grid));
    assert_ptr_equal(grid.tz, tz_utc());
    says(&q, &s,
         PERIODS("CASE WHEN station IN ('DSM') THEN 'America/Chicago' ELSE 'UTC' END",
                 "2024-02-27 12:00:00.000000+00",
                 "2024-03-01 06:00:00.000000+00") " AND station IN ('AMW', 'DSM', 'OTM') AND x = "
                                                  "1 OFFSET 0) AS a) AS b WHERE obs_period >= "
                                                  "TIMESTAMPTZ '2024-02-28 00:00:00.000000+00' AND "
                                                  "obs_period < TIMESTAMPTZ '2024-03-01 "
                                                  "00:00:00.000000+00') AS c GROUP BY station, "
                                                  "obs_period, obs_zone, key ORDER BY "
                                                  "obs_period DESC, station, seq");
}

static void test_newest(void **state)
{
    (void)state;
    struct archive_query q = query();
    struct archive_slice s = slice(1, 2);
    q.newest = true;
    says(&q, &s,
         "SELECT station, valid FROM (VALUES ('DSM'), ('OTM')) AS wanted (obs_id) CROSS JOIN "
         "LATERAL (SELECT * FROM asos.alldata WHERE station = obs_id AND valid >= TIMESTAMPTZ "
         "'2024-02-28 12:00:00.000000+00' AND valid < TIMESTAMPTZ '2024-03-01 00:00:00.000000+00' "
         "AND x = 1 ORDER BY valid DESC, seq LIMIT 1) AS newest ORDER BY station");
    q.by_time = q.descending = true;
    q.stations = named + 1;
    s = slice(0, 1);
    says(&q, &s,
         "SELECT station, valid FROM (VALUES ('DSM')) AS wanted (obs_id) CROSS JOIN LATERAL "
         "(SELECT * FROM asos.alldata WHERE station = obs_id AND valid >= TIMESTAMPTZ '2024-02-28 "
         "12:00:00.000000+00' AND valid < TIMESTAMPTZ '2024-03-01 00:00:00.000000+00' AND x = 1 "
         "ORDER BY valid DESC, seq LIMIT 1) AS newest ORDER BY valid DESC, station");
}

static void test_named(void **state)
{
    (void)state;
    struct archive_query q = query();
    struct archive_slice s = slice(1, 1);
    assert_int_equal(archive_groups(&q), 3);
    says(&q, &s, WHERE " AND station = 'DSM' AND x = 1 ORDER BY valid, seq");
    s.limit = 77;
    q.descending = true;
    says(&q, &s, WHERE " AND station = 'DSM' AND x = 1 ORDER BY valid DESC, seq LIMIT 77");
    s = slice(0, 2);
    says(&q, &s,
         WHERE " AND station IN ('AMW', 'DSM') AND x = 1 ORDER BY station, valid DESC, seq");
    q.by_time = true;
    says(&q, &s,
         WHERE " AND station IN ('AMW', 'DSM') AND x = 1 ORDER BY valid DESC, station, seq");
    q.descending = false;
    q.tie = q.filter = "";
    says(&q, &s, WHERE " AND station IN ('AMW', 'DSM') ORDER BY valid, station");
    q.by_time = false;
    says(&q, &s, WHERE " AND station IN ('AMW', 'DSM') ORDER BY station, valid");
}

/* The ids of the slice's stations are joined to their numbers; nothing else names them. */
static void test_numbered(void **state)
{
    (void)state;
    static const int64_t numbers[] = { 17, 4, 9001 };
    struct archive_query q = query();
    struct archive_slice s = slice(1, 2);
    q.number = "iemid";
    q.numbers = numbers;
    q.collate = true;
    says(&q, &s,
         "SELECT station, valid FROM (SELECT numbered.station, t.* FROM asos.alldata AS t JOIN "
         "(VALUES (4, 'DSM'), (9001, 'OTM')) AS numbered (number, station) ON numbered.number = "
         "t.iemid) AS known WHERE valid >= TIMESTAMPTZ '2024-02-28 12:00:00.000000+00' AND valid < "
         "TIMESTAMPTZ '2024-03-01 00:00:00.000000+00' AND x = 1 ORDER BY station COLLATE \"C\", "
         "valid, seq");
}

static void test_resumed(void **state)
{
    (void)state;
    struct archive_query q = query();
    struct archive_slice s = slice(0, 3);
    s.resumed = true;
    q.tie = q.filter = "";
#define IN3 WHERE " AND station IN ('AMW', 'DSM', 'OTM') AND "
    says(&q, &s, IN3 "(station, valid) > ('DSM', " AFTER ") ORDER BY station, valid");
    q.by_time = true;
    says(&q, &s, IN3 "(valid, station) > (" AFTER ", 'DSM') ORDER BY valid, station");
    q.descending = true;
    says(&q, &s,
         IN3 "(valid < " AFTER " OR (valid = " AFTER " AND station > 'DSM')) ORDER BY valid DESC, "
             "station");
    q.by_time = false;
    says(&q, &s,
         IN3 "(station > 'DSM' OR (station = 'DSM' AND valid < " AFTER ")) ORDER BY station, valid "
             "DESC");
}

static void test_all(void **state)
{
    (void)state;
    struct archive_query q = query();
    struct archive_slice s = slice(0, 7);
    q.all = true;
    q.tie = q.filter = "";
    assert_int_equal(archive_groups(&q), 7);
    says(&q, &s, WHERE " ORDER BY station, valid");
    s = slice(0, 1);
    says(&q, &s, WHERE " AND station < 'AMW' ORDER BY station, valid");
    assert_false(archive_one_station(&q, &s));
    s = slice(1, 1);
    says(&q, &s, WHERE " AND station = 'AMW' ORDER BY valid");
    assert_true(archive_one_station(&q, &s));
    s = slice(2, 1);
    says(&q, &s, WHERE " AND station > 'AMW' AND station < 'DSM' ORDER BY station, valid");
    s = slice(1, 3);
    says(&q, &s, WHERE " AND station >= 'AMW' AND station <= 'DSM' ORDER BY station, valid");
    s = slice(4, 3);
    q.collate = true;
    says(&q, &s, WHERE " AND station COLLATE \"C\" > 'DSM' ORDER BY station COLLATE \"C\", valid");
    q.count = 0;
    s = slice(0, 1);
    q.by_time = true;
    assert_int_equal(archive_groups(&q), 1);
    says(&q, &s, WHERE " ORDER BY valid, station COLLATE \"C\"");
}

static void test_days(void **state)
{
    (void)state;
    struct archive_query q = query();
    struct archive_slice s = slice(0, 1);
    struct buf b = BUF_INIT(BUF_LIMIT_SQL);
    q.time_is_day = true;
    q.time = "day";
    s.resumed = true;
    archive_sql(&q, &s, &b);
    assert_string_equal(b.data, "SELECT station, valid FROM asos.alldata WHERE day >= DATE "
                                "'2024-02-29' AND day < DATE '2024-03-01' AND station = 'AMW' AND "
                                "(station, day) > ('DSM', DATE '2024-02-29') AND x = 1 ORDER BY "
                                "day, seq");
    buf_clear(&b);
    s.resumed = false;
    archive_distinct_sql(&q, &s, "key", &b);
    assert_string_equal(b.data, "SELECT DISTINCT key FROM asos.alldata WHERE day >= DATE "
                                "'2024-02-29' AND day < DATE '2024-03-01' AND station = 'AMW' AND "
                                "x = 1");
    buf_release(&b);
}

static void test_refused(void **state)
{
    (void)state;
    struct archive_query q = query();
    struct archive_slice s = slice(0, 1);
    struct buf b = BUF_INIT(BUF_LIMIT_SQL);
    s.to = INT64_MAX;
    archive_sql(&q, &s, &b);
    assert_true(b.failed);
    buf_release(&b);
    s = slice(0, 1);
    s.resumed = true;
    memcpy(s.after_station, "D'M", 4);
    archive_sql(&q, &s, &b);
    assert_true(b.failed);
    buf_release(&b);
}

/* --- slices over a table --- */

enum { TABLE_ROWS = 600, SEEN_MAX = 2000 };

static const Oid seen_oids[] = { OID_TEXT, OID_TIMESTAMPTZ, OID_INT8 };

struct seen {
    struct {
        char station[STATION_ROOM];
        int64_t time, seq;
    } rows[SEEN_MAX];
    size_t count;
};

static bool seen_row(void *ctx, const struct cell *cells)
{
    struct seen *s = ctx;
    assert_true(s->count < SEEN_MAX);
    memcpy(s->rows[s->count].station, cells[0].s, cells[0].len);
    s->rows[s->count].station[cells[0].len] = '\0';
    s->rows[s->count].time = cells[1].i;
    s->rows[s->count].seq = cells[2].i;
    s->count++;
    return true;
}

/* One slice by parts: each takes a few rows, keeps complete station-and-times, goes on behind. */
static void slice_read(struct conn *c, struct random *r, const struct archive_query *q,
                       struct archive_slice s, struct seen *out)
{
    for (bool more = true; more;) {
        struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
        struct err e = ERR_INIT;
        size_t first = out->count;
        s.limit = (uint64_t)random_in(r, 20, 200);
        archive_sql(q, &s, &sql);
        assert_false(sql.failed);
        if (!query_rows(c, sql.data, seen_oids, 3, seen_row, out, &e))
            fail_msg("%s: %s", e.msg, sql.data);
        buf_release(&sql);
        more = out->count - first == s.limit;
        while (more && out->count > first + 1 &&
               out->rows[out->count - 1].time == out->rows[out->count - 2].time &&
               str_eq(out->rows[out->count - 1].station, out->rows[out->count - 2].station))
            out->count--;
        out->count -= more;
        if (!more)
            break;
        assert_true(out->count > first);
        s.resumed = true;
        memcpy(s.after_station, out->rows[out->count - 1].station, STATION_ROOM);
        s.after_time = out->rows[out->count - 1].time;
    }
}

/* All slices in order: by time windows of all groups, by station groups, cut in time where that
 * keeps the order. */
static void all_read(struct conn *c, struct random *r, const struct archive_query *q, int64_t from,
                     int64_t to, struct seen *out)
{
    uint32_t groups = archive_groups(q);
    for (uint32_t first = 0, n; first < groups; first += n) {
        n = q->by_time ? groups : (uint32_t)random_in(r, 1, (int64_t)(groups - first));
        struct archive_slice s = { .first = first, .count = n };
        bool cut = q->by_time || archive_one_station(q, &s);
        int64_t middle = cut ? random_in(r, from, to) : to;
        const int64_t windows[2][2] = { { from, middle }, { middle, to } };
        for (int i = 0; i < 2; i++) {
            const int64_t *window = windows[i ^ q->descending];
            s.from = window[0];
            s.to = window[1];
            if (s.from < s.to)
                slice_read(c, r, q, s, out);
        }
    }
}

static void check_order(const struct archive_query *q, const struct seen *s)
{
    for (size_t i = 1; i < s->count; i++) {
        int station = strcmp(s->rows[i].station, s->rows[i - 1].station);
        int time =
            (s->rows[i].time > s->rows[i - 1].time) - (s->rows[i].time < s->rows[i - 1].time);
        if (q->descending)
            time = -time;
        if ((q->by_time ? time : station) < 0 ||
            ((q->by_time ? time : station) == 0 && (q->by_time ? station : time) < 0))
            fail_msg("row %zu is out of order: %s behind %s", i, s->rows[i].station,
                     s->rows[i - 1].station);
    }
}

static void check_once(const struct seen *s, size_t want)
{
    bool found[TABLE_ROWS] = { false };
    for (size_t i = 0; i < s->count; i++) {
        assert_in_range(s->rows[i].seq, 0, TABLE_ROWS - 1);
        if (found[s->rows[i].seq])
            fail_msg("row %d comes twice", (int)s->rows[i].seq);
        found[s->rows[i].seq] = true;
    }
    assert_int_equal(s->count, want);
}

static void table_make(const char *collation)
{
    char sql[1024];
    snprintf(
        sql, sizeof(sql),
        "SET client_min_messages = error; DROP TABLE IF EXISTS obs; "
        "CREATE TABLE obs (station varchar(8) COLLATE \"%s\", valid timestamptz, seq int8); "
        "INSERT INTO obs SELECT (ARRAY['a','A','A-1','A 1','AB','b','B','_','1'])[1 + i * 7 %% 9], "
        "timestamptz '2024-02-28 00:00+00' + ((i * i) %% 97) * interval '7 minutes', i "
        "FROM generate_series(0, %d) AS i; SET timezone = 'UTC'",
        collation, TABLE_ROWS - 1);
    db_exec(db_dsn, sql);
}

static void rounds_run(bool collate)
{
    static const char *const splits[] = { "A", "A-1", "AB", "C", "a", "zz" };
    static struct seen seen;
    struct random r = random_start(collate ? 21 : 22);
    struct pool *pool = pool_new(db_dsn, &db_conf);
    struct conn *c = db_lease(pool);
    int64_t from = civil_days(2024, 2, 28) * USEC_PER_DAY, to = from + USEC_PER_DAY;
    for (int round = 0; round < 60; round++) {
        struct archive_query q = query();
        q.table = "obs";
        q.columns = "station::text, valid, seq";
        q.filter = "";
        q.tie = ", seq";
        q.all = true;
        q.collate = collate;
        q.count = (uint32_t)random_in(&r, 0, 6);
        q.stations = splits + random_in(&r, 0, 6 - q.count);
        q.by_time = random_in(&r, 0, 1);
        q.descending = random_in(&r, 0, 1);
        seen.count = 0;
        all_read(c, &r, &q, from, to, &seen);
        check_once(&seen, TABLE_ROWS);
        check_order(&q, &seen);
    }
    pool_release(c, false);
    pool_free(pool);
}

static void test_every_row_once(void **state)
{
    (void)state;
    db_need();
    table_make("C");
    rounds_run(false);
}

/* A database that sorts "a" before "B". */
static void test_other_collation(void **state)
{
    (void)state;
    db_need();
    table_make("und-x-icu");
    rounds_run(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grouped),        cmocka_unit_test(test_newest),
        cmocka_unit_test(test_named),          cmocka_unit_test(test_numbered),
        cmocka_unit_test(test_resumed),        cmocka_unit_test(test_all),
        cmocka_unit_test(test_days),           cmocka_unit_test(test_refused),
        cmocka_unit_test(test_every_row_once), cmocka_unit_test(test_other_collation),
    };
    return cmocka_run_group_tests(tests, db_group_setup, db_group_teardown);
}
