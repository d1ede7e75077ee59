/* Encoders: golden answers, made of segments joined as the server joins them. */
#include "obstream/core/strutil.h"
#include "obstream/output/encoder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NOON INT64_C(1717243200000000) /* 2024-06-01T12:00:00Z */

static struct cell cell_float4(float v)
{
    return (struct cell){ .type = CELL_FLOAT4, .f4 = v };
}

static struct cell cell_of(enum cell_type type, int64_t v)
{
    return (struct cell){ .type = type, .i = v };
}

static struct cell text(const char *s)
{
    return cell_text(s, (uint32_t)strlen(s));
}

/* Five columns in another order than their cells; cells 5 and 6 hold the position. */
static const struct field fields[] = {
    { .name = "station", .unit = "", .type = CELL_TEXT, .cell = 1 },
    { .name = "valid", .unit = "UTC", .type = CELL_INSTANT, .cell = 0 },
    { .name = "tmpf", .unit = "°F", .type = CELL_FLOAT4, .cell = 2 },
    { .name = "p01i", .unit = "in", .type = CELL_FLOAT4, .cell = 3, .flags = FIELD_TRACE },
    { .name = "metar", .unit = "", .type = CELL_TEXT, .cell = 4 },
};

static struct shape make_shape(void)
{
    return (struct shape){
        .fields = fields,
        .count = ARRAY_SIZE(fields),
        .missing = "",
        .tz = tz_find("America/Chicago"),
        .lon_cell = 5,
        .lat_cell = 6,
    };
}

enum { CELLS = 7 };

static const struct cell *sample_row(int i)
{
    static struct cell rows[3][CELLS];
    const struct cell all[3][CELLS] = {
        { cell_of(CELL_INSTANT, NOON), text("DSM"), cell_float4(70), cell_float4(0.0001f),
          text("KDSM 011200Z 10SM"), cell_float8(-93.648), cell_float8(41.5338) },
        { cell_of(CELL_INSTANT, NOON + 2220 * USEC_PER_SEC), text("D,M"), cell_null(),
          cell_float4(0.01f), text("a \"b\"\tc\\\nd"), cell_null(), cell_float8(41.5338) },
        { cell_null(), text(""), cell_float4(-3.9f), cell_float4(0), cell_null(), cell_null(),
          cell_null() },
    };
    memcpy(rows, all, sizeof(rows));
    return rows[i];
}

/* The answer of rows 0 to rows - 1 in segments of `per_segment` rows, joined by the rule of
 * encoder.h. */
static char *answer(const struct encoder *e, const struct shape *shape, int rows, int per_segment,
                    bool truncated)
{
    struct buf out = BUF_INIT(BUF_LIMIT_MESSAGE);
    struct answer_totals totals = { (uint64_t)rows, truncated };
    size_t len;
    e->head(shape, &out);
    for (int first = 0; first < rows; first += per_segment) {
        struct encode_state st;
        encode_begin(&st, shape);
        if (first > 0)
            buf_puts(&out, e->separator);
        for (int i = first; i < rows && i < first + per_segment; i++, st.rows++)
            e->row(&st, sample_row(i), &out);
    }
    e->tail(shape, &totals, &out);
    char *s = buf_detach(&out, &len);
    assert_non_null(s);
    assert_int_equal(strlen(s), len);
    return s;
}

static void expect_answer(const struct encoder *e, const struct shape *shape, int rows,
                          bool truncated, const char *expected)
{
    for (int per_segment = 1; per_segment <= 3; per_segment++) {
        char *got = answer(e, shape, rows, per_segment, truncated);
        assert_string_equal(got, expected);
        free(got);
    }
}

static void test_csv(void **state)
{
    struct shape shape = make_shape();
    (void)state;
    expect_answer(&encoder_csv, &shape, 3, false,
                  "station,valid,tmpf,p01i,metar\n"
                  "DSM,2024-06-01T12:00:00Z,70,0.0001,KDSM 011200Z 10SM\n"
                  "\"D,M\",2024-06-01T12:37:00Z,,0.01,\"a \"\"b\"\"\tc\\\nd\"\n"
                  "\"\",,-3.9,0,\n");
    expect_answer(&encoder_csv, &shape, 0, true, "station,valid,tmpf,p01i,metar\n");
    shape.header = HEADER_UNITS;
    shape.missing = "M";
    shape.trace = "T";
    expect_answer(&encoder_csv, &shape, 3, true,
                  "station,valid,tmpf,p01i,metar\n"
                  ",UTC,°F,in,\n"
                  "DSM,2024-06-01T12:00:00Z,70,T,KDSM 011200Z 10SM\n"
                  "\"D,M\",2024-06-01T12:37:00Z,M,0.01,\"a \"\"b\"\"\tc\\\nd\"\n"
                  ",M,-3.9,0,M\n");
    shape.header = HEADER_NONE;
    shape.missing = "DSM"; /* a text that reads like the null, and a null that needs quotes */
    shape.trace = "a,b";
    expect_answer(&encoder_csv, &shape, 1, false,
                  "\"DSM\",2024-06-01T12:00:00Z,70,\"a,b\",KDSM 011200Z 10SM\n");
}

static void test_tsv(void **state)
{
    struct shape shape = make_shape();
    (void)state;
    expect_answer(&encoder_tsv, &shape, 3, false,
                  "station\tvalid\ttmpf\tp01i\tmetar\n"
                  "DSM\t2024-06-01T12:00:00Z\t70\t0.0001\tKDSM 011200Z 10SM\n"
                  "D,M\t2024-06-01T12:37:00Z\t\t0.01\ta \"b\"\\tc\\\\\\nd\n"
                  "\t\t-3.9\t0\t\n");
    shape.header = HEADER_UNITS;
    shape.missing = "M";
    shape.trace = "T";
    expect_answer(&encoder_tsv, &shape, 1, false,
                  "station\tvalid\ttmpf\tp01i\tmetar\n\tUTC\t°F\tin\t\n"
                  "DSM\t2024-06-01T12:00:00Z\t70\tT\tKDSM 011200Z 10SM\n");
}

#define JSON_COLUMNS                                                                               \
    "{\"columns\":[{\"name\":\"station\",\"unit\":null,\"type\":\"string\"},"                      \
    "{\"name\":\"valid\",\"unit\":\"UTC\",\"type\":\"datetime\"},"                                 \
    "{\"name\":\"tmpf\",\"unit\":\"°F\",\"type\":\"number\"},"                                    \
    "{\"name\":\"p01i\",\"unit\":\"in\",\"type\":\"number\"},"                                     \
    "{\"name\":\"metar\",\"unit\":null,\"type\":\"string\"}],\"data\":[\n"
#define JSON_ROW_0                                                                                 \
    "{\"station\":\"DSM\",\"valid\":\"2024-06-01T12:00:00Z\",\"tmpf\":70,\"p01i\":0.0001,"         \
    "\"metar\":\"KDSM 011200Z 10SM\"}"
#define JSON_ROW_1                                                                                 \
    "{\"station\":\"D,M\",\"valid\":\"2024-06-01T12:37:00Z\",\"tmpf\":null,\"p01i\":0.01,"         \
    "\"metar\":\"a \\\"b\\\"\\tc\\\\\\nd\"}"
#define JSON_ROW_2 "{\"station\":\"\",\"valid\":null,\"tmpf\":-3.9,\"p01i\":0,\"metar\":null}"

static void test_json(void **state)
{
    struct shape shape = make_shape();
    (void)state;
    shape.missing = "M"; /* neither of them concerns JSON */
    shape.trace = "T";
    expect_answer(&encoder_json, &shape, 3, false,
                  JSON_COLUMNS JSON_ROW_0 ",\n" JSON_ROW_1 ",\n" JSON_ROW_2 "\n],\"rows\":3}\n");
    expect_answer(&encoder_json, &shape, 1, true,
                  JSON_COLUMNS JSON_ROW_0 "\n],\"rows\":1,\"truncated\":true}\n");
    expect_answer(&encoder_json, &shape, 0, false, JSON_COLUMNS "\n],\"rows\":0}\n");
    expect_answer(&encoder_ndjson, &shape, 3, true,
                  JSON_ROW_0 "\n" JSON_ROW_1 "\n" JSON_ROW_2 "\n");
    expect_answer(&encoder_ndjson, &shape, 0, false, "");
    shape.count = 0;
    expect_answer(&encoder_ndjson, &shape, 1, false, "{}\n");
}

static void test_geojson(void **state)
{
    struct shape shape = make_shape();
    (void)state;
    expect_answer(&encoder_geojson, &shape, 2, true,
                  "{\"type\":\"FeatureCollection\",\"features\":[\n"
                  "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":"
                  "[-93.648,41.5338]},\"properties\":" JSON_ROW_0 "},\n"
                  "{\"type\":\"Feature\",\"geometry\":null,\"properties\":" JSON_ROW_1 "}\n"
                  "],\"rows\":2,\"truncated\":true}\n");
    shape.lon_cell = -1;
    expect_answer(&encoder_geojson, &shape, 1, false,
                  "{\"type\":\"FeatureCollection\",\"features\":[\n"
                  "{\"type\":\"Feature\",\"geometry\":null,\"properties\":" JSON_ROW_0 "}\n"
                  "],\"rows\":1}\n");
    shape.lon_cell = 4; /* a text is no coordinate */
    expect_answer(&encoder_geojson, &shape, 0, false,
                  "{\"type\":\"FeatureCollection\",\"features\":[\n\n],\"rows\":0}\n");
    char *got = answer(&encoder_geojson, &shape, 1, 1, false);
    assert_non_null(strstr(got, "\"geometry\":null"));
    free(got);
}

/* Names and units are escaped like texts. */
static void test_odd_names(void **state)
{
    const struct field odd[] = {
        { .name = "a\"b,c", .unit = "x\ty", .type = CELL_INT, .cell = 0 },
        { .name = "d",
          .unit = "",
          .type = CELL_INT,
          .cell = 0,
          .flags = FIELD_CONVERT,
          .scale = 1 },
    };
    struct shape shape = make_shape();
    struct buf out = BUF_INIT(BUF_LIMIT_MESSAGE);
    struct encode_state st;
    struct cell c = cell_int(1);
    (void)state;
    shape.fields = odd;
    shape.count = 2;
    shape.header = HEADER_UNITS;
    encoder_csv.head(&shape, &out);
    encoder_tsv.head(&shape, &out);
    encoder_json.head(&shape, &out);
    encode_begin(&st, &shape);
    encoder_json.row(&st, &c, &out);
    assert_string_equal(
        out.data, "\"a\"\"b,c\",d\nx\ty,\n"
                  "a\"b,c\td\nx\\ty\t\n"
                  "{\"columns\":[{\"name\":\"a\\\"b,c\",\"unit\":\"x\\ty\",\"type\":\"integer\"},"
                  "{\"name\":\"d\",\"unit\":null,\"type\":\"number\"}],\"data\":[\n"
                  "{\"a\\\"b,c\":1,\"d\":1}");
    buf_release(&out);
}

/* A text larger than any first guess arrives whole; at the limit the buffer fails visibly. */
static void test_large_text(void **state)
{
    enum { SIZE = 300000 };
    struct shape shape = make_shape();
    struct encode_state st;
    char *big = malloc(SIZE);
    struct cell cells[CELLS];
    (void)state;
    assert_non_null(big);
    memset(big, '"', SIZE);
    memcpy(cells, sample_row(0), sizeof(cells));
    cells[4] = cell_text(big, SIZE);
    for (const struct encoder *const *e = encoders; *e != NULL; e++) {
        struct buf out = BUF_INIT(4 << 20), small = BUF_INIT(100000);
        encode_begin(&st, &shape);
        (*e)->row(&st, cells, &out);
        assert_false(out.failed);
        size_t quotes = 0;
        for (size_t i = 0; i < out.len; i++)
            quotes += out.data[i] == '"';
        assert_true(quotes >= SIZE);
        (*e)->row(&st, cells, &small);
        assert_true(small.failed);
        buf_release(&out);
        buf_release(&small);
    }
    free(big);
}

/* Types as pandas.read_json(orient="table") knows them. */
static void test_pandas_table(void **state)
{
    static const struct field all[] = {
        { .name = "s", .unit = "", .type = CELL_TEXT, .cell = 0 },
        { .name = "t", .unit = "", .type = CELL_INSTANT, .cell = 1 },
        { .name = "l", .unit = "", .type = CELL_INSTANT, .cell = 1, .flags = FIELD_LOCAL },
        { .name = "d", .unit = "", .type = CELL_DAY, .cell = 2 },
        { .name = "n", .unit = "degF", .type = CELL_FLOAT4, .cell = 3 },
        { .name = "i", .unit = "", .type = CELL_INT, .cell = 4 },
        { .name = "c", .unit = "mm", .type = CELL_INT, .cell = 4, .flags = FIELD_FIXED },
        { .name = "b", .unit = "", .type = CELL_BOOL, .cell = 4 },
        { .name = "v", .unit = "", .type = CELL_INTERVAL, .cell = 4 },
    };
    (void)state;
    struct shape shape = {
        .fields = all, .count = ARRAY_SIZE(all), .lon_cell = -1, .lat_cell = -1
    };
    expect_answer(&encoder_table, &shape, 0, true,
                  "{\"schema\":{\"fields\":[{\"name\":\"s\",\"type\":\"string\"},"
                  "{\"name\":\"t\",\"type\":\"datetime\",\"tz\":\"UTC\"},"
                  "{\"name\":\"l\",\"type\":\"string\"},"
                  "{\"name\":\"d\",\"type\":\"datetime\"},"
                  "{\"name\":\"n\",\"type\":\"number\",\"unit\":\"degF\"},"
                  "{\"name\":\"i\",\"type\":\"integer\",\"extDtype\":\"Int64\"},"
                  "{\"name\":\"c\",\"type\":\"number\",\"unit\":\"mm\"},"
                  "{\"name\":\"b\",\"type\":\"boolean\",\"extDtype\":\"boolean\"},"
                  "{\"name\":\"v\",\"type\":\"string\"}],\"pandas_version\":\"1.4.0\"},"
                  "\"data\":[\n\n],\"rows\":0,\"truncated\":true}\n");
    shape = make_shape();
    shape.count = 1;
    expect_answer(&encoder_table, &shape, 2, false,
                  "{\"schema\":{\"fields\":[{\"name\":\"station\",\"type\":\"string\"}],"
                  "\"pandas_version\":\"1.4.0\"},\"data\":[\n{\"station\":\"DSM\"},\n"
                  "{\"station\":\"D,M\"}\n],\"rows\":2}\n");
}

static void test_table(void **state)
{
    static const char *const names[] = {
        "csv", "tsv", "json", "ndjson", "geojson", "table", "xlsx"
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        assert_string_equal(encoders[i]->name, names[i]);
        assert_ptr_equal(encoder_find(names[i]), encoders[i]);
        assert_int_equal(encoders[i]->needs_position, encoders[i] == &encoder_geojson);
        assert_true(strlen(encoders[i]->help) > 20);
    }
    assert_null(encoders[ARRAY_SIZE(names)]);
    assert_null(encoder_find("CSV"));
    assert_null(encoder_find(""));
    assert_string_equal(encoder_csv.mime, "text/csv; charset=utf-8");
    assert_string_equal(encoder_tsv.mime, "text/tab-separated-values; charset=utf-8");
    assert_string_equal(encoder_json.mime, "application/json");
    assert_string_equal(encoder_ndjson.mime, "application/x-ndjson");
    assert_string_equal(encoder_geojson.mime, "application/geo+json");
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        assert_int_equal(encoders[i]->document != NULL, encoders[i] == &encoder_xlsx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),       cmocka_unit_test(test_tsv),
        cmocka_unit_test(test_json),      cmocka_unit_test(test_geojson),
        cmocka_unit_test(test_odd_names), cmocka_unit_test(test_large_text),
        cmocka_unit_test(test_table),     cmocka_unit_test(test_pandas_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
