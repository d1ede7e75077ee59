/* encoder_xlsx: rows become cells, cells in pieces of any size become the file. */
#include "obstream/core/civil.h"
#include "obstream/core/strutil.h"
#include "obstream/output/encoder.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { SHEET_ROWS = 1048576 };

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

static const struct field fields[] = {
    { .name = "station", .unit = "", .type = CELL_TEXT, .cell = 0 },
    { .name = "valid", .unit = "", .type = CELL_INSTANT, .cell = 1 },
    { .name = "local", .unit = "", .type = CELL_INSTANT, .cell = 1, .flags = FIELD_LOCAL },
    { .name = "tmpf",
      .unit = "degC",
      .type = CELL_FLOAT4,
      .cell = 2,
      .flags = FIELD_CONVERT,
      .scale = 5.0 / 9,
      .offset = -160.0 / 9,
      .decimals = 1 },
};

static struct shape shape_of(size_t count, enum header_mode header)
{
    return (struct shape){ .fields = fields,
                           .count = count,
                           .missing = "",
                           .header = header,
                           .tz = tz_find("America/Chicago"),
                           .lon_cell = -1,
                           .lat_cell = -1 };
}

static void encode(const struct shape *shape, const struct cell *cells, struct buf *out)
{
    struct encode_state st;
    encode_begin(&st, shape);
    encoder_xlsx.row(&st, cells, out);
}

static const struct cell row[] = { { .type = CELL_TEXT, .s = "DSM", .len = 3 },
                                   { .type = CELL_INSTANT, .i = INT64_C(1717243200000000) },
                                   { .type = CELL_FLOAT4, .f4 = 77 } };

static void test_cells(void **state)
{
    (void)state;
    static const char want[] = "sDSM\0t1717243200000000\0t1717225200000000\0n25\0";
    struct shape shape = shape_of(4, HEADER_PLAIN);
    struct buf out = BUF_INIT(BUF_LIMIT_MESSAGE);
    encode(&shape, row, &out);
    assert_int_equal(out.len, sizeof(want) - 1);
    assert_memory_equal(out.data, want, sizeof(want) - 1);
    buf_release(&out);
}

/* The whole file, malloc'ed. */
static char *read_all(int fd, size_t *len)
{
    char *data = malloc(1 << 20);
    ssize_t n = read(fd, data, 1 << 20);
    assert_true(n > 0);
    *len = (size_t)n;
    close(fd);
    return data;
}

static char *made(const struct shape *shape, const struct buf *rows, size_t piece, size_t *len)
{
    struct err e = ERR_INIT;
    const struct document_class *class = encoder_xlsx.document;
    struct document *d = class->begin(shape, dir, &e);
    assert_non_null(d);
    for (size_t at = 0; at < rows->len; at += piece)
        assert_true(
            class->feed(d, rows->data + at, rows->len - at < piece ? rows->len - at : piece, &e));
    int fd = class->finish(d, &e);
    assert_true(fd >= 0);
    class->free(d);
    return read_all(fd, len);
}

/* The sizes of all members, from the central directory: they tell the sheet's length too. */
static void test_pieces_do_not_matter(void **state)
{
    (void)state;
    struct shape shape = shape_of(4, HEADER_UNITS);
    struct buf rows = BUF_INIT(BUF_LIMIT_MESSAGE);
    size_t len, other;
    for (int i = 0; i < 50; i++)
        encode(&shape, row, &rows);
    char *whole = made(&shape, &rows, rows.len, &len);
    assert_memory_equal(whole, "PK\3\4", 4);
    for (size_t piece = 1; piece < 40; piece += 6) {
        char *parts = made(&shape, &rows, piece, &other);
        assert_int_equal(other, len);
        free(parts);
    }
    free(whole);
    buf_release(&rows);
}

/* What does not fit is refused, and nothing stays behind. */
static void test_full_sheet(void **state)
{
    (void)state;
    struct shape shape = shape_of(1, HEADER_NONE);
    struct err e = ERR_INIT;
    const struct document_class *class = encoder_xlsx.document;
    struct document *d = class->begin(&shape, dir, &e);
    assert_non_null(d);
    for (int i = 0; i < SHEET_ROWS; i++)
        assert_true(class->feed(d, "-", 2, &e));
    assert_false(class->feed(d, "-", 2, &e));
    assert_int_equal(e.kind, ERR_UNPROCESSABLE);
    assert_non_null(strstr(e.msg, "1048576"));
    assert_int_equal(class->finish(d, &e), -1);
    class->free(d);
}

static void test_no_room(void **state)
{
    (void)state;
    struct shape shape = shape_of(1, HEADER_NONE);
    struct err e = ERR_INIT;
    assert_null(encoder_xlsx.document->begin(&shape, "/nowhere", &e));
    assert_int_equal(e.kind, ERR_IO);
    encoder_xlsx.document->free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_pieces_do_not_matter),
        cmocka_unit_test(test_full_sheet),
        cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
