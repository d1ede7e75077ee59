/* Stations, windows, formats and units of a native request, over a catalog made here. */
#include "obstream/api/native.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct station stations[] = {
    { .id = "AMW",
      .network = "IA_ASOS",
      .state = "IA",
      .wfo = "DMX",
      .country = "US",
      .lon = -93.6,
      .lat = 42 },
    { .id = "D'M",
      .network = "IA_ASOS",
      .state = "IA",
      .wfo = "DMX",
      .country = "US",
      .lon = -93,
      .lat = 42 },
    { .id = "DSM",
      .network = "IA_ASOS",
      .state = "IA",
      .wfo = "DMX",
      .country = "US",
      .lon = -93.65,
      .lat = 41.5 },
    { .id = "DSM",
      .network = "IA_COOP",
      .state = "IA",
      .wfo = "DMX",
      .country = "US",
      .lon = -93.65,
      .lat = 41.5 },
    { .id = "NFFN", .network = "FJ__ASOS", .country = "FJ", .lon = 177.4, .lat = -17.7 },
    { .id = "XX1", .network = "IA_COOP", .state = "IA", .lon = NAN, .lat = NAN },
};
static struct network networks[] = { { .id = "FJ__ASOS" },
                                     { .id = "IA_ASOS" },
                                     { .id = "IA_COOP" } };
static struct catalog catalog = {
    .stations = stations,
    .station_count = ARRAY_SIZE(stations),
    .networks = networks,
    .network_count = ARRAY_SIZE(networks),
};

static bool is_asos(const struct station *st)
{
    return strstr(st->network, "ASOS") != NULL;
}

struct asking {
    struct arena arena;
    struct api_request r;
    struct native_params p;
    struct selection sel;
};

static struct asking *asking_new(void)
{
    struct asking *a = calloc(1, sizeof(*a));
    assert_non_null(a);
    arena_init(&a->arena, 8 << 20);
    a->r = (struct api_request){ .arena = &a->arena, .catalog = &catalog };
    a->r.faults.arena = &a->arena;
    a->r.now = civil_days(2024, 6, 1) * USEC_PER_DAY + 5;
    return a;
}

static void asking_free(struct asking *a)
{
    arena_release(&a->arena);
    free(a);
}

/* Fills the parameters of a query; its faults are the caller's. */
static struct asking *ask(const char *query)
{
    static const struct param *const all[] = { params_stations, params_time, params_rows,
                                               params_output, NULL };
    struct asking *a = asking_new();
    pairs_decode(&a->r.pairs, query, strlen(query), &a->r.faults);
    params_fill(all, &a->r.pairs, &a->p, &a->r.faults);
    return a;
}

static void selects(const char *query, const char *ids)
{
    struct asking *a = ask(query);
    struct buf got = BUF_INIT(1 << 20);
    if (!select_stations(&a->r, &a->p, is_asos, &a->sel))
        fail_msg("%s: %s", query, a->r.faults.items[0].detail);
    buf_puts(&got, a->sel.all ? "all:" : "");
    for (uint32_t i = 0; i < a->sel.count; i++)
        buf_printf(&got, "%s%s", i > 0 ? "," : "", a->sel.ids[i]);
    assert_string_equal(got.len > 0 ? got.data : "", ids);
    buf_release(&got);
    asking_free(a);
}

static void refuses(const char *query, const char *param, const char *detail)
{
    struct asking *a = ask(query);
    assert_false(select_stations(&a->r, &a->p, is_asos, &a->sel));
    assert_string_equal(a->r.faults.items[0].param, param);
    if (strstr(a->r.faults.items[0].detail, detail) == NULL)
        fail_msg("%s: %s", query, a->r.faults.items[0].detail);
    asking_free(a);
}

static void test_stations(void **state)
{
    (void)state;
    selects("", "all:AMW,DSM,NFFN");
    selects("station=DSM", "DSM");
    selects("station=dsm,amw,DSM", "AMW,DSM");
    selects("station=KDSM", "DSM");
    selects("station=xx1", "XX1");
    selects("station=!DSM", "AMW,NFFN");
    selects("station=DSM,AMW,!KAMW", "DSM");
    selects("network=ia_asos", "AMW,DSM");
    selects("network=IA_COOP", "");
    selects("network=IA_COOP&station=DSM", "DSM");
    selects("state=IA&station=DSM&country=fj", "");
    selects("country=fj", "NFFN");
    selects("wfo=DMX&station=!AMW", "DSM");
    selects("bbox=-94,41,-93,42", "AMW,DSM");
    selects("bbox=170,-20,-90,42", "AMW,DSM,NFFN");
    selects("bbox=170,-20,-170,42", "NFFN");
    selects("station=XX1&bbox=-180,-90,180,90", ""); /* nobody knows where it is */
}

static void test_unknown(void **state)
{
    (void)state;
    refuses("station=DSN", "station", "there is no station \"DSN\"; did you mean \"DSM\"?");
    refuses("station=!QQQQQQ", "station",
            "there is no station \"QQQQQQ\"; /api/stations lists them");
    refuses("network=IA_ASO", "network", "did you mean \"IA_ASOS\"?");
    refuses("state=ZZ", "state", "no station has the state \"ZZ\"");
    refuses("wfo=ZZZ", "wfo", "no station has the wfo \"ZZZ\"");
    refuses("country=ZZ", "country", "no station has the country \"ZZ\"");
    refuses("station=D'M", "station", "\"D'M\" holds characters");
    struct asking *a = ask("");
    for (int i = 0; i < 250; i++)
        strlist_add(&a->p.station, &a->arena, arena_printf(&a->arena, "NONE%d", i));
    assert_false(select_stations(&a->r, &a->p, is_asos, &a->sel));
    assert_int_equal(a->r.faults.count, 100);
    assert_int_equal(a->r.faults.unlisted, 150);
    asking_free(a);
}

static void window(const char *query, bool days, int64_t from, int64_t to)
{
    struct asking *a = ask(query);
    int64_t got_from = -1, got_to = -2;
    if (!native_window(&a->r, &a->p, days, &got_from, &got_to))
        fail_msg("%s: %s", query, a->r.faults.items[0].detail);
    if (got_from != from || got_to != to)
        fail_msg("%s: %lld to %lld", query, (long long)got_from, (long long)got_to);
    asking_free(a);
}

static void test_windows(void **state)
{
    (void)state;
    const int64_t june = civil_days(2024, 6, 1) * USEC_PER_DAY, now = june + 5;
    window("", false, -1, -2);
    window("sts=2024-06-01", false, june, -2);
    window("ets=2024-06-01T00:00:01", false, -1, june + USEC_PER_SEC);
    window("ets=2024-06-01T00:00:01", true, -1, june + USEC_PER_DAY);
    window("hours=3", false, now - 3 * USEC_PER_HOUR, now);
    window("days=2&ets=2024-06-01", false, june - 2 * USEC_PER_DAY, june);
    window("days=2", true, june - USEC_PER_DAY, june + USEC_PER_DAY);
    /* Out of the years that SQL knows. */
    int64_t first = civil_days(1, 1, 1) * USEC_PER_DAY,
            last = civil_days(9999, 12, 31) * USEC_PER_DAY;
    window("days=100000&ets=0001-01-02", false, first, first + USEC_PER_DAY);
    window("sts=0001-01-01T00:00%2B14:00&ets=0001-01-02", false, first, first + USEC_PER_DAY);
    window("sts=9999-12-30&ets=9999-12-31T23:59-12:00", false, last - USEC_PER_DAY, last);
    window("sts=9999-12-31T23:00&ets=9999-12-31T23:59", true, last, last);
}

static void test_bad_windows(void **state)
{
    (void)state;
    static const char *const queries[] = { "hours=1&days=1", "hours=1&sts=2024-06-01",
                                           "days=1&sts=2024-06-01&ets=2024-06-02",
                                           "sts=2024-06-02&ets=2024-06-01" };
    for (size_t i = 0; i < ARRAY_SIZE(queries); i++) {
        struct asking *a = ask(queries[i]);
        int64_t from = 0, to = 0;
        assert_false(native_window(&a->r, &a->p, false, &from, &to));
        assert_int_equal(a->r.faults.count, 1);
        asking_free(a);
    }
}

static void format(const char *query, const char *suffix, const char *accept, const char *name)
{
    struct asking *a = ask(query);
    a->r.path_format = suffix;
    a->r.accept = accept;
    const struct encoder *e = native_encoder(&a->r, &a->p);
    if (strcmp(e != NULL ? e->name : "none", name) != 0)
        fail_msg("%s, suffix %s, accept %s: %s", query, suffix, accept,
                 e != NULL ? e->name : "none");
    if (e == NULL)
        assert_true(a->r.faults.count + (a->r.err.kind != ERR_NONE) == 1);
    asking_free(a);
}

static void test_formats(void **state)
{
    (void)state;
    format("", NULL, NULL, "csv");
    format("", NULL, "", "csv");
    format("format=json", "tsv", "text/csv", "json");
    format("", "tsv", "application/json", "tsv");
    format("format=jso", NULL, NULL, "none");
    format("", "exe", NULL, "none");
    format("", NULL, "application/json", "json");
    format("", NULL, "APPLICATION/JSON; charset=utf-8", "json");
    format("", NULL, "application/*", "json");
    format("", NULL, "*/*", "csv");
    format("", NULL, "text/csv;q=0.5, application/json;q=0.9", "json");
    format("", NULL, "text/csv;q=0, application/json", "json");
    format("", NULL, "text/html,application/xhtml+xml,*/*;q=0.8", "csv");
    format("", NULL, "image/png, application/geo+json", "geojson");
    format("", NULL, "image/png", "none");
    format("", NULL, "text/csv;q=0", "none");
    format("", NULL, ",;=,q", "none");
}

static struct field fields[3];

static struct asking *shape(const char *query, struct plan *plan, bool *ok)
{
    static const struct field fresh[3] = {
        { .name = "station", .unit = "", .type = CELL_TEXT },
        { .name = "tmpf", .unit = "degF", .type = CELL_FLOAT4 },
        { .name = "sknt", .unit = "kt", .type = CELL_FLOAT4 },
    };
    struct asking *a = ask(query);
    memcpy(fields, fresh, sizeof(fields));
    *plan = (struct plan){ .shape = { .fields = fields, .count = 3 } };
    *ok = native_shape(&a->r, &a->p, plan);
    return a;
}

static void test_shape(void **state)
{
    (void)state;
    struct plan plan;
    bool ok;
    asking_free(shape("header=units&missing=M&trace=T&units=metric,tmpf:K", &plan, &ok));
    assert_true(ok);
    assert_int_equal(plan.shape.header, HEADER_UNITS);
    assert_string_equal(fields[1].unit, "K");
    assert_true(fields[1].flags & FIELD_CONVERT);
    assert_true(fabs(32 * fields[1].scale + fields[1].offset - 273.15) < 1e-9);
    assert_true(fields[2].flags & FIELD_CONVERT);
    asking_free(shape("header=none", &plan, &ok));
    assert_true(ok);
    assert_int_equal(plan.shape.header, HEADER_NONE);
    assert_string_equal(plan.shape.missing, "");
    assert_int_equal(fields[1].flags, 0);
}

static void test_bad_shape(void **state)
{
    (void)state;
    static const char *const queries[] = { "units=tmpf:kg",  "units=station:K", "units=nope:K",
                                           "units=furlongs", "units=:",         "units=tmpf:",
                                           "filename=a/b",   "filename=a%22b",  "filename=a%0ab",
                                           "filename=a%01b", "filename=a%7fb",  "filename=a%5cb" };
    for (size_t i = 0; i < ARRAY_SIZE(queries); i++) {
        struct plan plan;
        bool ok;
        struct asking *a = shape(queries[i], &plan, &ok);
        if (ok || a->r.faults.count != 1)
            fail_msg("%s: %zu faults", queries[i], a->r.faults.count);
        asking_free(a);
    }
    struct plan plan;
    bool ok;
    struct asking *a = shape("filename=%C3%A9t%C3%A9.csv", &plan, &ok);
    assert_true(ok);
    assert_string_equal(a->r.headers[0].value, "attachment; filename=\"\xc3\xa9t\xc3\xa9.csv\"");
    asking_free(a);
}

static void finds(const char *path, const char *endpoint, const char *suffix)
{
    struct asking *a = asking_new();
    a->r.path = path;
    const struct endpoint *e = endpoint_find(&a->r);
    assert_string_equal(e != NULL ? e->path : "none", endpoint);
    if (e != NULL && suffix != NULL)
        assert_string_equal(a->r.path_format, suffix);
    else if (e != NULL)
        assert_null(a->r.path_format);
    asking_free(a);
}

static void test_endpoints(void **state)
{
    (void)state;
    finds("/api/metar", "/api/metar", NULL);
    finds("/api/metar/", "/api/metar", NULL);
    finds("/api/metar.json", "/api/metar", "json");
    finds("/api/metar.", "/api/metar", "");
    finds("/api/metars", "none", NULL);
    finds("/api/metar/x", "none", NULL);
    finds("/api/metar.json/x", "none", NULL);
    finds("/healthz", "/healthz", NULL);
    finds("/healthz.json", "none", NULL);
    finds("", "none", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stations),  cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_windows),   cmocka_unit_test(test_bad_windows),
        cmocka_unit_test(test_formats),   cmocka_unit_test(test_shape),
        cmocka_unit_test(test_bad_shape), cmocka_unit_test(test_endpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
