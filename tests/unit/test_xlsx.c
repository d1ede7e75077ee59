#include "obstream/core/civil.h"
#include "obstream/core/strutil.h"
#include "obstream/output/xlsx.h"
#include "obstream/stream/send.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

enum { ROW_LIMIT = 1048576, COLUMN_LIMIT = 16384 };

static char dir[] = "/tmp/obstream-test-XXXXXX";

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) == NULL;
}

static int remove_dir(void **state)
{
    (void)state;
    return rmdir(dir); /* fails when a test left a file in it */
}

/* The packed bytes, malloc'ed. */
static unsigned char *packed(struct xlsx *x, size_t *len, struct err *e)
{
    struct plan plan = { .codec = &codec_identity, .encoder = &encoder_csv };
    struct segment seg = { .seq = 0 };
    struct sink sink;
    sink_init(&sink);
    assert_true(sink_begin(&sink, &plan, &seg, UINT64_MAX, e));
    unsigned char *bytes = NULL;
    if (xlsx_send(x, &sink, e)) {
        assert_true(sink_end(&sink, e));
        *len = seg.bytes.bytes;
        bytes = malloc(*len);
        chunk_list_take(&seg.bytes, bytes, *len);
    }
    chunk_list_release(&seg.bytes);
    sink_release(&sink);
    return bytes;
}

static unsigned number_at(const unsigned char *p, int bytes)
{
    unsigned v = 0;
    for (int i = bytes - 1; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

static char *inflated(const unsigned char *data, unsigned packed_size, unsigned size)
{
    char *text = calloc(1, (size_t)size + 1);
    z_stream z = { .next_in = (unsigned char *)data,
                   .avail_in = packed_size,
                   .next_out = (unsigned char *)text,
                   .avail_out = size };
    assert_int_equal(inflateInit2(&z, -MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    inflateEnd(&z);
    return text;
}

/* A member by the central directory of the archive (APPNOTE.TXT 4.3.12); malloc'ed. */
static char *member(const unsigned char *zip, size_t len, const char *name)
{
    for (size_t i = 0; i + 46 < len; i++) {
        if (memcmp(zip + i, "PK\1\2", 4) != 0)
            continue;
        unsigned name_len = number_at(zip + i + 28, 2);
        if (name_len != strlen(name) || memcmp(zip + i + 46, name, name_len) != 0)
            continue;
        const unsigned char *local = zip + number_at(zip + i + 42, 4);
        const unsigned char *data =
            local + 30 + number_at(local + 26, 2) + number_at(local + 28, 2);
        return inflated(data, number_at(zip + i + 20, 4), number_at(zip + i + 24, 4));
    }
    return NULL;
}

static void fill(struct xlsx *x)
{
    const struct cell cells[] = { cell_null(),
                                  { .type = CELL_FLOAT4, .f4 = 29.925f },
                                  { .type = CELL_BOOL, .i = 1 },
                                  cell_text("a<b", 3) };
    assert_true(xlsx_row(x));
    xlsx_puts(x, "station");
    xlsx_puts(x, NULL);
    xlsx_text(x, "ABC", 2);
    for (int i = 0; i < 3; i++) {
        assert_true(xlsx_row(x));
        if (i == 0)
            xlsx_puts(x, "X");
        else
            xlsx_skip(x);
        xlsx_instant(x, INT64_C(1717243200000000)); /* 2024-06-01T12:00:00Z */
        xlsx_day(x, 19875);                         /* 2024-06-01 */
        xlsx_number(x, 0.1);
        for (size_t k = 0; k < ARRAY_SIZE(cells); k++)
            xlsx_cell(x, &cells[k]);
        xlsx_number(x, __builtin_inf());
    }
    xlsx_merge_rows(x, 0, 1, xlsx_row_number(x));
    xlsx_merge_rows(x, 1, 2, 2);
}

static void test_sheet(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "<c r=\"A1\" t=\"inlineStr\"><is><t>station</t></is></c><c r=\"C1\"",
        "<t>AB</t>",
        "<row r=\"2\"",
        "<t>X</t>",
        "<c r=\"B2\" s=\"1\"><v>45444.5</v></c><c r=\"C2\" s=\"2\"><v>45444</v></c>"
        "<c r=\"D2\"><v>0.1</v></c><c r=\"F2\"><v>29.925</v></c><c r=\"G2\" t=\"b\"><v>1</v></c>",
        "<t>a&lt;b</t>",
        "<t>inf</t>",
        "<c r=\"B4\" s=\"1\">",
        "<mergeCells count=\"1\"><mergeCell ref=\"A2:A4\"/></mergeCells>",
    };
    struct err e = ERR_INIT;
    size_t len = 0;
    struct xlsx *x = xlsx_new(dir, "Data", &e);
    assert_non_null(x);
    fill(x);
    unsigned char *zip = packed(x, &len, &e);
    assert_non_null(zip);
    char *sheet = member(zip, len, "xl/worksheets/sheet1.xml");
    char *book = member(zip, len, "xl/workbook.xml");
    assert_non_null(sheet);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        if (strstr(sheet, parts[i]) == NULL)
            fail_msg("%s is not in %s", parts[i], sheet);
    }
    assert_null(strstr(sheet, "r=\"A3\""));
    assert_non_null(strstr(book, "<sheet name=\"Data\""));
    free(sheet);
    free(book);
    free(zip);
    xlsx_free(x);
}

static void assert_refused(struct xlsx *x, const char *word)
{
    struct err e = ERR_INIT;
    size_t len = 0;
    assert_null(packed(x, &len, &e));
    assert_int_equal(e.kind, ERR_UNPROCESSABLE);
    assert_non_null(strstr(e.msg, word));
    xlsx_free(x);
}

static void test_rows(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    struct xlsx *x = xlsx_new(dir, "Data", &e);
    assert_non_null(x);
    for (uint32_t i = 0; i < ROW_LIMIT; i++)
        assert_true(xlsx_row(x));
    xlsx_number(x, 1); /* the last row can be filled */
    assert_false(xlsx_row(x));
    assert_refused(x, "rows");
}

static void test_columns(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    struct xlsx *x = xlsx_new(dir, "Data", &e);
    assert_non_null(x);
    xlsx_row(x);
    for (int i = 0; i < COLUMN_LIMIT; i++)
        xlsx_number(x, i);
    assert_true(xlsx_row(x));
    for (int i = 0; i <= COLUMN_LIMIT; i++)
        xlsx_number(x, i);
    assert_false(xlsx_row(x));
    assert_refused(x, "columns");
}

static void test_text(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    char text[40000];
    memset(text, 'x', sizeof(text));
    struct xlsx *x = xlsx_new(dir, "Data", &e);
    assert_non_null(x);
    xlsx_row(x);
    xlsx_text(x, text, 32767);
    assert_true(xlsx_row(x));
    xlsx_text(x, text, 32768);
    assert_false(xlsx_row(x));
    assert_refused(x, "32767");
}

static void test_no_folder(void **state)
{
    (void)state;
    struct err e = ERR_INIT;
    assert_null(xlsx_new("/nonexistent", "Data", &e));
    assert_int_equal(e.kind, ERR_IO);
    assert_non_null(strstr(e.msg, "/nonexistent"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sheet),     cmocka_unit_test(test_rows),
        cmocka_unit_test(test_columns),   cmocka_unit_test(test_text),
        cmocka_unit_test(test_no_folder),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
