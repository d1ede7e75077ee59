/* The made-up archive as a whole: same bytes again, order, bounds, agreement between tables. */
#include "obstream/load/synth.h"
#include "obstream/load/facts.h"
#include "obstream/load/synth_parts.h"
#include "obstream/load/synth_weather.h"

#include "obstream/core/civil.h"
#include "obstream/core/tz.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

enum { MOST_FIELDS = 48 };

/* Keeps every table in memory. */
struct memory {
    struct buf table[SYNTH_TABLE_COUNT];
    int now;
};

static bool memory_begin(void *ctx, const struct synth_table_info *t, struct err *e)
{
    struct memory *m = ctx;
    (void)e;
    for (m->now = 0; synth_table(m->now) != t;)
        m->now++;
    buf_init(&m->table[m->now], BUF_LIMIT_SEGMENT);
    return true;
}

static bool memory_write(void *ctx, const void *bytes, size_t n, struct err *e)
{
    struct memory *m = ctx;
    (void)e;
    buf_add(&m->table[m->now], bytes, n);
    return true;
}

static bool memory_end(void *ctx, struct err *e)
{
    struct memory *m = ctx;
    (void)e;
    assert_false(m->table[m->now].failed);
    return true;
}

static void small(struct synth_options *o)
{
    synth_options_init(o);
    o->end = civil_days(2023, 3, 10);
    o->stations = 4;
    o->shef_sites = 2;
    o->climodat_stations = 66;
    o->climodat_years = 3;
    o->sets |= SYNTH_SET_SUMMARY;
    o->threads = 1;
}

static void make(const struct synth_options *o, struct memory *m, struct synth_counts *counts)
{
    struct synth_sink sink = { m, false, memory_begin, memory_write, memory_end };
    struct err e = ERR_INIT;
    *m = (struct memory){ .now = 0 };
    if (!synth_run(o, &sink, counts, NULL, NULL, &e))
        fail_msg("%s", e.msg);
}

static void release(struct memory *m)
{
    for (int t = 0; t < SYNTH_TABLE_COUNT; t++)
        buf_release(&m->table[t]);
}

static void assert_same(const struct memory *a, const struct memory *b)
{
    for (int t = 0; t < SYNTH_TABLE_COUNT; t++) {
        assert_int_equal(a->table[t].len, b->table[t].len);
        assert_memory_equal(a->table[t].data, b->table[t].data, a->table[t].len);
    }
}

static void same_again(void **state)
{
    struct synth_options o;
    struct synth_counts counts;
    struct memory one, three, other;
    (void)state;
    small(&o);
    make(&o, &one, &counts);
    o.threads = 3;
    make(&o, &three, &counts);
    assert_same(&one, &three);
    o.seed = 2;
    make(&o, &other, &counts);
    static const enum synth_table vary[] = { SYNTH_METAR, SYNTH_SHEF, SYNTH_COOP,
                                             SYNTH_CURRENT_SHEF, SYNTH_SUMMARY };
    for (size_t i = 0; i < sizeof(vary) / sizeof(vary[0]); i++) {
        const struct buf *a = &one.table[vary[i]], *b = &other.table[vary[i]];
        assert_true(a->len != b->len || memcmp(a->data, b->data, a->len) != 0);
    }
    release(&one);
    release(&three);
    release(&other);
}

/* The rows of one station, from its first to its last. */
static size_t rows_of(const struct buf *b, const char *id, const char **from)
{
    char start[16];
    snprintf(start, sizeof(start), "\n%s,", id);
    const char *p = strstr(b->data, start);
    assert_non_null(p);
    *from = ++p;
    while (strncmp(p, start + 1, strlen(start + 1)) == 0)
        p = strchr(p, '\n') + 1;
    return (size_t)(p - *from);
}

/* The rows of a small archive stand unchanged in a larger one. */
static void part_of_larger(void **state)
{
    static const struct {
        enum synth_table table;
        const char *id;
    } picks[] = { { SYNTH_METAR, "DSM" }, { SYNTH_SHEF, "AESI4" }, { SYNTH_COOP, "IA0000" } };
    struct synth_options o;
    struct synth_counts counts;
    struct memory few, many;
    (void)state;
    small(&o);
    make(&o, &few, &counts);
    o.stations = 6;
    o.shef_sites = 3;
    o.climodat_stations = 70;
    o.years = o.shef_years = 2;
    o.climodat_years = 5;
    make(&o, &many, &counts);
    for (size_t i = 0; i < sizeof(picks) / sizeof(picks[0]); i++) {
        const char *a, *b;
        size_t n = rows_of(&few.table[picks[i].table], picks[i].id, &a);
        size_t m = rows_of(&many.table[picks[i].table], picks[i].id, &b);
        assert_true(m > n && n > 1000);
        assert_memory_equal(a, b + (m - n), n);
    }
    release(&few);
    release(&many);
}

/* The number that a text starts with. */
static double value(const char *text)
{
    return strtod(text, NULL);
}

/* Splits a line of CSV without quotes in place; returns the number of fields. */
static int split(char *line, char **field)
{
    int n = 0;
    for (field[n++] = line; *line != '\0'; line++)
        if (*line == ',') {
            *line = '\0';
            assert_true(n < MOST_FIELDS);
            field[n++] = line + 1;
        }
    return n;
}

/* Calls row() for each line after the header; all lines have as many fields as the header. */
static long each_row(struct buf *b, void (*row)(void *ctx, char **field), void *ctx)
{
    char *state = NULL, *field[MOST_FIELDS];
    long rows = 0;
    int columns = split(strtok_r(b->data, "\n", &state), field);
    for (char *line; (line = strtok_r(NULL, "\n", &state)) != NULL; rows++) {
        assert_int_equal(split(line, field), columns);
        row(ctx, field);
    }
    return rows;
}

struct order {
    char last[64];
};

static void in_order(struct order *o, const char *station, const char *time, const char *key)
{
    char now[64];
    snprintf(now, sizeof(now), "%-8s %s %s", station, time, key);
    assert_true(strcmp(o->last, now) < 0);
    memcpy(o->last, now, sizeof(now));
}

struct coop {
    struct order order;
    double cold, hot, snow;
    long missing;
};

static void coop_row(void *ctx, char **f)
{
    struct coop *c = ctx;
    char sday[8];
    in_order(&c->order, f[0], f[1], "");
    snprintf(sday, sizeof(sday), "%.2s%.2s", f[1] + 5, f[1] + 8);
    assert_string_equal(f[6], sday);
    assert_true(value(f[7]) == value(f[1]));
    assert_true((int)value(f[8]) == (int)value(f[6]) / 100);
    bool state = strcmp(f[0] + 2, "0000") == 0;
    assert_string_equal(f[10], state ? "t" : "f");
    assert_string_equal(f[12], f[0][2] == 'T' ? "24" : "7");
    if (f[2][0] == '\0' || f[4][0] == '\0' || f[9][0] == '\0') {
        assert_true(f[0][2] != 'T' && !state);
        c->missing++;
        return;
    }
    double high = value(f[2]), low = value(f[3]), sun = value(f[16]);
    assert_true(high >= low && high < 125 && low > -65 && high - low < 70);
    assert_true(value(f[4]) >= 0 && value(f[4]) < 12 && value(f[5]) >= 0);
    assert_true(sun > 0 && sun < 36);
    c->hot = high > c->hot ? high : c->hot;
    c->cold = low < c->cold ? low : c->cold;
    c->snow += value(f[5]);
}

static void climodat_is_sane(void **state)
{
    struct synth_options o;
    struct synth_counts counts;
    struct memory m;
    struct coop c = { .cold = 999, .hot = -999 };
    (void)state;
    small(&o);
    o.sets = SYNTH_SET_CLIMODAT;
    make(&o, &m, &counts);
    long rows = each_row(&m.table[SYNTH_COOP], coop_row, &c);
    assert_int_equal(rows, 66 * (365 * 3));
    assert_int_equal(rows, (long)counts.rows[SYNTH_COOP]);
    assert_true(c.cold < -10 && c.hot > 100 && c.snow > 100 && c.missing > 50);
    release(&m);
}

/* The mean of thirty years agrees with the climate it was made from. */
static void climate_agrees(void **state)
{
    struct fact_station iowa = { "X", "", "IA", 42, -93.5, 335, Z_CENTRAL, "", "" };
    struct synth_sky sky;
    struct synth_air air;
    double temp = 0, rain = 0;
    (void)state;
    synth_sky_init(&sky, 7, &iowa);
    const int hours = 30 * 8766;
    for (int h = 0; h < hours; h++) {
        synth_air_at(&sky, h * INT64_C(3600), &air);
        temp += air.temp / hours;
        rain += air.rate / 30;
        assert_true(air.dew <= air.temp && air.rate >= 0 && air.speed >= 0 && air.slp > 940);
    }
    assert_true(fabs(temp - 48) < 2);
    assert_true(fabs(rain / sky.climate.precip - 1) < 0.15);
}

struct shef {
    struct order order;
    char station[16], time[32];
    double pc, stage, flow, last_stage, last_flow;
    long qualified, compared;
};

/* Stage and flow of one time: the river is no lower when it carries more. */
static void rating_row(struct shef *s, const char *time, bool flow, double v)
{
    assert_true(v > 0 && v < (flow ? 3000 : 70));
    if (!flow) {
        s->stage = v;
        snprintf(s->time, sizeof(s->time), "%s", time);
        return;
    }
    if (strcmp(s->time, time) != 0) /* the stage of this time is missing */
        return;
    if (s->last_flow > 0) {
        assert_true(v <= s->last_flow || s->stage >= s->last_stage);
        assert_true(v >= s->last_flow || s->stage <= s->last_stage);
        s->compared++;
    }
    s->last_flow = v;
    s->last_stage = s->stage;
}

static void shef_row(void *ctx, char **f)
{
    struct shef *s = ctx;
    double v = value(f[3]);
    in_order(&s->order, f[0], f[1], f[2]);
    assert_int_equal(strlen(f[2]), 7);
    assert_string_equal(f[5], "E");
    if (strcmp(s->station, f[0]) != 0) {
        snprintf(s->station, sizeof(s->station), "%s", f[0]);
        s->pc = s->last_flow = 0;
        s->time[0] = '\0';
    }
    if (strcmp(f[2], "PCIRGZZ") == 0) {
        if (v < s->pc) /* the first value after the turn of the water year */
            assert_true(strncmp(f[1] + 5, "10-01 0", 7) == 0);
        s->pc = v;
    } else if (strcmp(f[2], "HGIRGZZ") == 0 || strcmp(f[2], "QRIRGZZ") == 0) {
        rating_row(s, f[1], f[2][0] == 'Q', v);
    }
    s->qualified += f[6][0] != '\0';
}

/* Newest value by station and element, as current_shef must have it. */
struct current {
    const struct buf *all;
    long rows;
};

static void current_row(void *ctx, char **f)
{
    struct current *c = ctx;
    char row[128];
    snprintf(row, sizeof(row), "\n%s,%s,%s%s%s%s%s%s,%s,,E,%s,\n", f[0], f[1], f[2], f[3], f[4],
             f[5], f[6], f[7], f[8], f[11]);
    assert_non_null(strstr(c->all->data, row));
    c->rows++;
}

static void shef_is_sane(void **state)
{
    struct synth_options o;
    struct synth_counts counts;
    struct memory m;
    struct shef s = { .pc = 0 };
    (void)state;
    small(&o);
    o.sets = SYNTH_SET_SHEF;
    o.shef_sites = 9;
    make(&o, &m, &counts);
    struct current c = { .all = &m.table[SYNTH_SHEF] };
    long newest = each_row(&m.table[SYNTH_CURRENT_SHEF], current_row, &c);
    assert_int_equal(newest, c.rows);
    assert_true(newest >= 9 * 5);
    long rows = each_row(&m.table[SYNTH_SHEF], shef_row, &s);
    assert_int_equal(rows, (long)counts.rows[SYNTH_SHEF]);
    assert_true(rows > 9 * 365 * 100 && s.qualified > rows / 1000 && s.compared > rows / 5);
    release(&m);
}

struct stations {
    char seen[256 * 32];
    const struct buf *networks;
    const char *all; /* the table as it was */
    int n;
};

static void station_row(void *ctx, char **f)
{
    struct stations *s = ctx;
    char key[64];
    snprintf(key, sizeof(key), "|%s %s|", f[0], f[6]);
    assert_null(strstr(s->seen, key));
    size_t used = strlen(s->seen);
    assert_true(used + strlen(key) < sizeof(s->seen));
    memcpy(s->seen + used, key, strlen(key) + 1);
    double lon = value(f[36]), lat = value(f[37]);
    assert_true(lon > -180 && lon < -60 && lat > 15 && lat < 75);
    assert_non_null(tz_find(f[19]));
    snprintf(key, sizeof(key), "\n%s,", f[6]);
    assert_non_null(strstr(s->networks->data, key));
    if (f[11][0] != '\0') {
        snprintf(key, sizeof(key), "\n%s,", f[11]);
        assert_non_null(strstr(s->all, key));
    }
    s->n++;
}

static void stations_are_whole(void **state)
{
    struct synth_options o;
    struct synth_counts counts;
    struct memory m;
    static struct stations s;
    (void)state;
    small(&o);
    o.sets = SYNTH_SET_METAR;
    o.stations = 50;
    make(&o, &m, &counts);
    char *all = strdup(m.table[SYNTH_STATIONS].data);
    s = (struct stations){ .networks = &m.table[SYNTH_NETWORKS], .all = all };
    each_row(&m.table[SYNTH_STATIONS], station_row, &s);
    assert_int_equal(s.n, 50 + 2 + 66);
    free(all);
    release(&m);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void facts_are_sound(void **state)
{
    size_t n = synth_climate_count();
    char(*ids)[8] = calloc(n, sizeof(*ids));
    (void)state;
    assert_non_null(ids);
    assert_true(fact_metar_count() > 1500 && fact_shef_count() >= 40);
    assert_int_equal(fact_state_count(), FACT_CONTIGUOUS + 2);
    for (size_t i = 0; i < n; i++) {
        struct synth_climate_site s;
        assert_true(synth_climate_site(i, &s));
        assert_int_equal(strlen(s.id), 6);
        assert_non_null(fact_state_find(s.fact.state));
        assert_true(strlen(s.name) <= 64 && strchr(s.name, ',') == NULL);
        memcpy(ids[i], s.id, sizeof(ids[i]));
    }
    qsort(ids, n, sizeof(*ids), by_text);
    for (size_t i = 1; i < n; i++)
        assert_string_not_equal(ids[i - 1], ids[i]);
    for (size_t i = 0; i < fact_metar_count(); i++) {
        const struct fact_station *f = fact_metar(i);
        assert_true(strlen(f->id) == 3 || f->id[0] == 'P');
        assert_true(f->elevation > -80 && f->elevation < 3600);
    }
    assert_null(fact_metar(fact_metar_count()));
    free(ids);
}

static void too_many_is_refused(void **state)
{
    struct synth_options o;
    struct synth_plan p;
    struct err e = ERR_INIT;
    char max[32];
    (void)state;
    synth_options_init(&o);
    o.stations = fact_metar_count() + 1;
    assert_false(synth_plan_init(&p, &o, &e));
    snprintf(max, sizeof(max), "%zu or less", fact_metar_count());
    assert_non_null(strstr(e.msg, max));
    err_clear(&e);
    synth_options_init(&o);
    o.years = 0;
    assert_false(synth_plan_init(&p, &o, &e));
    assert_non_null(strstr(e.msg, "--years 0"));
}

/* A gzip file holds what the plain one does, and nothing is left half written. */
static void gzip_equals_plain(void **state)
{
    char dir[] = "/tmp/obstream-synth-XXXXXX", path[64];
    struct synth_options o;
    struct synth_counts counts;
    struct memory m;
    struct err e = ERR_INIT;
    (void)state;
    assert_non_null(mkdtemp(dir));
    small(&o);
    o.sets = SYNTH_SET_SHEF;
    make(&o, &m, &counts);
    struct synth_sink *sink = synth_dir_new(dir, true, &e);
    assert_non_null(sink);
    assert_true(synth_run(&o, sink, &counts, NULL, NULL, &e));
    synth_dir_free(sink);
    for (int t = 0; t < SYNTH_TABLE_COUNT; t++) {
        if (m.table[t].len == 0)
            continue;
        snprintf(path, sizeof(path), "%s/%s.csv.gz", dir, synth_table(t)->name);
        char *text = calloc(1, m.table[t].len + 1);
        gzFile f = gzopen(path, "rb");
        assert_true(text != NULL && f != NULL);
        assert_int_equal(gzread(f, text, (unsigned)m.table[t].len + 1), m.table[t].len);
        assert_memory_equal(text, m.table[t].data, m.table[t].len);
        gzclose(f);
        free(text);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(dir), 0);
    release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_again),        cmocka_unit_test(part_of_larger),
        cmocka_unit_test(climodat_is_sane),  cmocka_unit_test(climate_agrees),
        cmocka_unit_test(shef_is_sane),      cmocka_unit_test(stations_are_whole),
        cmocka_unit_test(facts_are_sound),   cmocka_unit_test(too_many_is_refused),
        cmocka_unit_test(gzip_equals_plain),
    };
    return cmocka_run_group_tests_name("synth", tests, NULL, NULL);
}
