/* Data frames: texts of values, dtypes, and the three formats. */
#include "../../src/compat/frame.h"
#include "../../src/compat/members.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char text[4096];

/* What a writer appended. */
static const char *taken(struct buf *b)
{
    assert_false(b->failed);
    assert_true(b->len < sizeof(text));
    memcpy(text, b->data != NULL ? b->data : "", b->len + 1);
    buf_release(b);
    return text;
}

static struct buf buffer = BUF_INIT(BUF_LIMIT_MESSAGE);
static struct buf *const out = &buffer;

/* The text that one call appended to `out`. */
#define WRITTEN(call) ((call), taken(out))

static void test_number(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *want;
    } cases[] = {
        { 0, "0.0" },
        { 81, "81.0" },
        { -4.5, "-4.5" },
        { 71.05984497070312, "71.0598449707" },
        { 0.0001, "0.0001" },
        { 9.399740000000001, "9.39974" },
        { 0.99999999999, "1.0" },
        { 2e16, "2e+16" },
        { 1e-16, "1e-16" },
        { 123456789.125, "123456789.125" },
        { NAN, "null" },
        { INFINITY, "null" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_string_equal(WRITTEN(frame_put_number(out, cases[i].v)), cases[i].want);
}

static void test_gdal(void **state)
{
    (void)state;
    assert_string_equal(WRITTEN(frame_put_gdal(out, 81)), "81.0");
    assert_string_equal(WRITTEN(frame_put_gdal(out, 71.05984497070312)), "71.059844970703125");
    assert_string_equal(WRITTEN(frame_put_gdal(out, 9.399740000000001)), "9.39974");
    assert_string_equal(WRITTEN(frame_put_gdal(out, 0.1)), "0.1");
    assert_string_equal(WRITTEN(frame_put_gdal(out, 7.0000005)), "7.0000004999999996");
    assert_string_equal(WRITTEN(frame_put_gdal(out, NAN)), "null");
    assert_string_equal(WRITTEN(frame_put_coordinate(out, -93.5)), "-93.5");
    assert_string_equal(WRITTEN(frame_put_coordinate(out, 42)), "42.0");
}

static void test_rounded(void **state)
{
    (void)state;
    static const struct {
        double v;
        const char *want;
    } cases[] = {
        { -93.00005, "-93" },     { 41.66205, "41.662" }, { -92.22385, "-92.2238" },
        { -92.22395, "-92.224" }, { 42, "42" },           { -93.6531, "-93.6531" },
        { 0.00001, "0" },         { -0.00001, "0" },      { 0.00009, "0.0001" },
        { 99.99996, "100" },      { 10, "10" },           { -0.4506, "-0.4506" },
        { 1.000051, "1.0001" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_string_equal(WRITTEN(frame_put_rounded(out, cases[i].v, 4)), cases[i].want);
}

static void test_text(void **state)
{
    (void)state;
    static const char odd[] = "a/\"\\\n\t\x01\x7f caf\xc3\xa9 \xf0\x9f\x8c\xa7";
    assert_string_equal(WRITTEN(frame_put_ascii(out, odd, sizeof(odd) - 1, true)),
                        "\"a\\/\\\"\\\\\\n\\t\\u0001\\u007f caf\\u00e9 \\ud83c\\udf27\"");
    assert_string_equal(WRITTEN(frame_put_ascii(out, "a/b", 3, false)), "\"a/b\"");
}

static void test_wkt(void **state)
{
    (void)state;
    static const char box[] = "POLYGON((-179.5 51.5,-130 71.5,-179.5 51.5))";
    static const char many[] = "MULTIPOLYGON(((1 2,3 4,1 2)),((5 6,7 8,5 6)))";
    static const char point[] = "POINT(1 2)";
    assert_string_equal(WRITTEN(frame_put_wkt(out, box, strlen(box), false)),
                        "{\"type\":\"Polygon\",\"coordinates\":[[[-179.5,51.5],[-130.0,71.5],"
                        "[-179.5,51.5]]]}");
    assert_string_equal(WRITTEN(frame_put_wkt(out, box, strlen(box), true)),
                        "{\"type\": \"Polygon\", \"coordinates\": [[[-179.5, 51.5], [-130, 71.5], "
                        "[-179.5, 51.5]]]}");
    assert_string_equal(WRITTEN(frame_put_wkt(out, many, strlen(many), false)),
                        "{\"type\":\"MultiPolygon\",\"coordinates\":[[[[1.0,2.0],[3.0,4.0],"
                        "[1.0,2.0]]],[[[5.0,6.0],[7.0,8.0],[5.0,6.0]]]]}");
    assert_string_equal(WRITTEN(frame_put_wkt(out, point, strlen(point), false)), "null");
    assert_string_equal(WRITTEN(frame_put_wkt(out, "", 0, false)), "null");
}

static void test_interval(void **state)
{
    (void)state;
    int64_t day = USEC_PER_DAY + 2 * USEC_PER_HOUR + 3 * USEC_PER_MIN + 4 * USEC_PER_SEC;
    assert_string_equal(WRITTEN(frame_put_interval(out, day)), "1 days 02:03:04");
    assert_string_equal(WRITTEN(frame_put_interval_iso(out, day)), "P1DT2H3M4S");
    assert_string_equal(WRITTEN(frame_put_interval(out, -3 * USEC_PER_HOUR)), "-1 days +21:00:00");
    assert_string_equal(WRITTEN(frame_put_interval(out, 500000)), "0 days 00:00:00.500000");
    assert_string_equal(WRITTEN(frame_put_interval_iso(out, 500000)), "P0DT0H0M0.500S");
}

static const struct frame_column columns[] = {
    { "id", FRAME_TEXT, 0, 4 },
    { "n", FRAME_INT, 0, 0 },
    { "gap", FRAME_INT, 0, 0 },
    { "x", FRAME_FLOAT, 0, 0 },
    { "yes", FRAME_BOOL, 0, 0 },
    { "maybe", FRAME_BOOL, 0, 0 },
    { "none", FRAME_FLOAT, 0, 0 },
    { "never", FRAME_FLOAT, FRAME_NUMBER, 0 },
    { "end", FRAME_STAMP, FRAME_STRING, 0 },
    { "span", FRAME_INTERVAL, 0, 0 },
    { "at", FRAME_MINUTE, 0, 0 },
    { "local", FRAME_LOCAL, 0, 0 },
    { "hour", FRAME_HOUR, 0, 0 },
};

enum { COLUMNS = ARRAY_SIZE(columns) };

static void keep_all(void *ctx, struct buf *b)
{
    (void)ctx;
    (void)b;
}

static const char *written(enum frame_format format, unsigned rows)
{
    enum frame_dtype dtypes[COLUMNS];
    struct frame f = {
        .format = format, .columns = columns, .count = COLUMNS, .dtypes = dtypes, .layer = { 1, 2 }
    };
    struct frame_rows r;
    int64_t noon = civil_days(2024, 6, 1) * USEC_PER_DAY + 12 * USEC_PER_HOUR + 7 * USEC_PER_SEC;
    struct cell at = { .type = CELL_INSTANT, .i = noon };
    struct cell yes = { .type = CELL_BOOL, .i = 1 };
    struct cell span = { .type = CELL_INTERVAL, .i = USEC_PER_HOUR };
    struct cell half = { .type = CELL_FLOAT4, .f4 = 29.925F };
    struct cell full[] = {
        cell_text("a,b", 3), cell_int(1), cell_int(4), half, yes, yes, cell_null(),
        cell_null(),         cell_null(), span,        at,   at,  at,  cell_float8(-93.5),
        cell_float8(42)
    };
    struct cell bare[] = { cell_text("abcd", 4), cell_int(2), cell_null(),
                           cell_float8(NAN),     yes,         cell_null(),
                           cell_null(),          cell_null(), cell_null(),
                           cell_null(),          cell_null(), cell_null(),
                           cell_null(),          cell_null(), cell_null() };
    frame_rows_init(&r, COLUMNS + 2);
    assert_true(rows < 1 || frame_rows_add(&r, full));
    assert_true(rows < 2 || frame_rows_add(&r, bare));
    struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
    frame_write(&f, &r, &b, keep_all, NULL);
    frame_rows_release(&r);
    return taken(&b);
}

static void test_json(void **state)
{
    (void)state;
    const char *got = written(FRAME_JSON, 2);
    assert_non_null(strstr(got, "{\"name\":\"id\",\"type\":\"string\",\"extDtype\":\"str\"}"));
    assert_non_null(strstr(got, "{\"name\":\"n\",\"type\":\"integer\"}"));
    assert_non_null(strstr(got, "{\"name\":\"gap\",\"type\":\"number\"}"));
    assert_non_null(strstr(got, "{\"name\":\"yes\",\"type\":\"boolean\"}"));
    assert_non_null(strstr(got, "{\"name\":\"maybe\",\"type\":\"string\"}"));
    assert_non_null(strstr(got, "{\"name\":\"none\",\"type\":\"string\"}"));
    assert_non_null(strstr(got, "{\"name\":\"never\",\"type\":\"number\"}"));
    assert_non_null(strstr(got, "{\"name\":\"end\",\"type\":\"string\",\"extDtype\":\"str\"}"));
    assert_non_null(strstr(got, "{\"name\":\"span\",\"type\":\"duration\"}"));
    assert_non_null(
        strstr(got, "{\"index\":0,\"id\":\"a,b \",\"n\":1,\"gap\":4.0,\"x\":29.925,\"yes\":true,"
                    "\"maybe\":true,\"none\":null,\"never\":null,\"end\":null,"
                    "\"span\":\"P0DT1H0M0S\",\"at\":\"2024-06-01T12:00Z\","
                    "\"local\":\"2024-06-01T12:00\",\"hour\":\"12\"},{\"index\":1,\"id\":\"abcd\","
                    "\"n\":2,\"gap\":null,\"x\":null,\"yes\":true,\"maybe\":null"));
    assert_non_null(strstr(got, "\"span\":\"NaT\""));
    got = written(FRAME_JSON, 0);
    assert_non_null(strstr(got, "{\"name\":\"n\",\"type\":\"string\"}"));
    assert_null(strstr(got, "extDtype"));
    assert_non_null(strstr(got, "\"pandas_version\":\"1.4.0\"},\"data\":[]}"));
}

static void test_txt(void **state)
{
    (void)state;
    assert_string_equal(written(FRAME_TXT, 2),
                        "id,n,gap,x,yes,maybe,none,never,end,span,at,local,hour\n"
                        "\"a,b \",1,4.0,29.925,True,True,,,,0 days 01:00:00,2024-06-01T12:00Z,"
                        "2024-06-01T12:00,12\nabcd,2,,,True,,,,,,,,\n");
    assert_string_equal(written(FRAME_TXT, 0),
                        "id,n,gap,x,yes,maybe,none,never,end,span,at,local,hour\n");
}

static void test_geojson(void **state)
{
    (void)state;
    const char *got = written(FRAME_GEOJSON, 2);
    assert_non_null(strstr(got, "\"name\": \"pyogrio_00000000000000010000000000000002\",\n"));
    assert_non_null(strstr(got, "{\"type\":\"Feature\",\"properties\":{\"id\":\"a,b \",\"n\":1,"
                                "\"gap\":4.0,\"x\":29.925,"));
    assert_non_null(strstr(got, "\"geometry\":{\"type\":\"Point\",\"coordinates\":[-93.5,42.0]}},\n"
                                "{\"type\":\"Feature\""));
    assert_non_null(strstr(got, "\"geometry\":null}\n]\n}\n"));
    assert_string_equal(written(FRAME_GEOJSON, 0),
                        "{\"type\": \"FeatureCollection\", \"features\": []}");
}

static void test_members(void **state)
{
    (void)state;
    const char *ids[] = { "AMW", "DS", "DSM" };
    static const struct station all[3];
    const struct station *items[] = { &all[0], &all[1], &all[2] };
    struct members m = { items, ids, 3 };
    assert_int_equal(members_index(&m, "DS", 2), 1);
    assert_int_equal(members_index(&m, "DSM", 3), 2);
    assert_int_equal(members_index(&m, "DSMX", 4), 3);
    assert_int_equal(members_index(&m, "A", 1), 3);
    assert_ptr_equal(members_find(&m, "AMW", 3), &all[0]);
    assert_null(members_find(&m, "", 0));
    struct buf sql = BUF_INIT(BUF_LIMIT_MESSAGE);
    members_from(&sql, &m, "coop.alldata", false);
    assert_string_equal(taken(&sql), " FROM coop.alldata WHERE station IN ('AMW', 'DS', 'DSM')");
    m.count = 1;
    members_from(&sql, &m, "iem.summary", true);
    assert_string_equal(taken(&sql), " FROM iem.summary AS s JOIN (VALUES (0, 'AMW')) AS members "
                                     "(member, station) ON members.member = s.iemid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number),  cmocka_unit_test(test_gdal),
        cmocka_unit_test(test_rounded), cmocka_unit_test(test_text),
        cmocka_unit_test(test_wkt),     cmocka_unit_test(test_interval),
        cmocka_unit_test(test_json),    cmocka_unit_test(test_txt),
        cmocka_unit_test(test_geojson), cmocka_unit_test(test_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
