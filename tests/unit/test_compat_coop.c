/* coop.py: model lines, columns, the union's statement, zip files. */
#include "../../src/compat/coop_model.h"
#include "../../src/compat/coop_table.h"
#include "../../src/compat/zipfile.h"

#include "obstream/stream/sink.h"

#include <math.h>
#include <minizip/unzip.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

static void expect(struct buf *b, const char *want)
{
    assert_false(b->failed);
    assert_string_equal(b->data, want);
    buf_clear(b);
}

static void test_model_lines(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
    struct coop_day d = { civil_days(2024, 12, 31), 95, 32, 0.25, 9.3659 };
    struct coop_day gaps = { civil_days(2023, 3, 1), 32, -40, NAN, NAN };
    apsim_line(&b, d.day, &d);
    expect(&b, "2024        366      9.366       35.0        0.0       6.35\n");
    d.srad = NAN;
    apsim_line(&b, civil_days(2023, 1, 9), &d);
    expect(&b, "2023          9    -99.000       35.0        0.0       6.35\n");
    daycent_line(&b, d.day, &d);
    expect(&b, "31 12 2024 366 35.00 0.00 0.64\n");
    salus_line(&b, "IATAME", d.day, &d, 2);
    expect(&b, "IATA, 2024, 366, -99.0000, 35.00, 0.00, 6.35, , , , 2\n");
    dndc_line(&b, d.day, &d);
    expect(&b, "366 35.00 0.00 0.64\n");
    swat_precip_line(&b, gaps.day, &gaps);
    expect(&b, "2023060  nan\n");
    swat_precip_line(&b, gaps.day, &d);
    expect(&b, "2023060  6.3\n");
    swat_temp_line(&b, gaps.day, &gaps);
    expect(&b, "2023060  0.0-40.0\n");
    buf_release(&b);
}

static void test_model_climate(void **state)
{
    (void)state;
    struct buf b = BUF_INIT(BUF_LIMIT_MESSAGE);
    apsim_climate_lines(&b, NAN, NAN, NAN);
    expect(&b, "tav = -72.778 (oC) ! annual average ambient temperature\n");
    apsim_climate_lines(&b, 50, 68, 32);
    expect(&b, "tav = 10.000 (oC) ! annual average ambient temperature\n"
               "amp = 20.000 (oC) ! annual amplitude in mean monthly temperature\n");
    struct coop_month months[12];
    for (int m = 0; m < 12; m++)
        months[m] = (struct coop_month){ { COOP_NO_DATA, COOP_NO_DATA, COOP_NO_DATA } };
    months[0] = (struct coop_month){ { 320.5, -14.068, 2 } };
    century_lines(&b, 2018, months);
    expect(&b, "prec  2018 320.50 -99.00 -99.00 -99.00 -99.00 -99.00 -99.00 -99.00 -99.00 -99.00 "
               "-99.00 -99.00\n"
               "tmin  2018 -14.07 -99.00 -99.00 -99.00 -99.00 -99.00 -99.00 -99.00 -99.00 -99.00 "
               "-99.00 -99.00\n"
               "tmax  2018   2.00 -99.00 -99.00 -99.00 -99.00 -99.00 -99.00 -99.00 -99.00 -99.00 "
               "-99.00 -99.00\n");
    buf_release(&b);
}

static void test_replicate(void **state)
{
    (void)state;
    assert_int_equal(coop_replicate(civil_days(2020, 2, 29), 2024), civil_days(2024, 2, 29));
    assert_true(coop_replicate(civil_days(2020, 2, 29), 2023) == INT64_MIN);
    assert_int_equal(coop_replicate(civil_days(2020, 12, 31), 2023), civil_days(2023, 12, 31));
    assert_int_equal(coop_day_of_year(civil_days(2020, 12, 31)), 366);
    assert_int_equal(coop_day_of_year(civil_days(2023, 1, 1)), 1);
}

/* --- with a request --- */

static struct station one = {
    .id = "IATAME", .name = "Ames Area", .network = "IACLIMATE", .lon = -93.62177, .lat = 41.99206
};
static const struct station *stations[] = { &one };
static struct layout_column known[] = { { "station", OID_BPCHAR },
                                        { "day", OID_DATE },
                                        { "high", OID_INT4 },
                                        { "low", OID_INT4 },
                                        { "precip", OID_FLOAT4 } };
static const char *ids[] = { "IATAME" };

struct fixture {
    struct catalog catalog;
    struct api_request r;
    struct arena arena;
    struct coop_request q;
};

static void fixture_init(struct fixture *f, int year, int month, int day)
{
    memset(f, 0, sizeof(*f));
    arena_init(&f->arena, 1 << 20);
    f->catalog.layout.tables[TABLE_COOP_ALLDATA] =
        (struct layout_entry){ true, "coop.alldata", known, ARRAY_SIZE(known) };
    f->r = (struct api_request){ .arena = &f->arena, .catalog = &f->catalog };
    f->q = (struct coop_request){ .r = &f->r, .stations = stations };
    f->q.ids = (struct strlist){ ids, 1, 1 };
    f->q.first = civil_days(year, 1, 1);
    f->q.last = civil_days(year, month, day);
    f->q.scenario_year = 2020;
    f->q.scenario_first = civil_days(2020, month, day);
    f->q.scenario_last = civil_days(2020, 12, 31);
}

static void test_union(void **state)
{
    (void)state;
    struct fixture f;
    struct buf b = BUF_INIT(BUF_LIMIT_SQL);
    fixture_init(&f, 2023, 2, 10);
    coop_union_sql(&f.q, true, &b);
    assert_false(b.failed);
    assert_non_null(strstr(b.data,
                           "station = 'IATAME' AND day >= DATE '2023-01-01' AND day <= DATE "
                           "'2023-02-10'"));
    assert_non_null(strstr(b.data, "day >= DATE '2020-02-10' AND day <= DATE '2020-12-31'"));
    assert_non_null(strstr(b.data, "make_date(2023, "));
    assert_non_null(strstr(b.data, "<> '0229'"));
    assert_non_null(strstr(b.data, "NULL::float4 AS snow"));
    buf_clear(&b);
    arena_release(&f.arena);
    fixture_init(&f, 2024, 2, 10);
    coop_union_sql(&f.q, false, &b);
    assert_null(strstr(b.data, "<> '0229'")); /* a leap year has a place for it */
    assert_null(strstr(b.data, "to_char"));
    buf_clear(&b);
    f.q.ids.count = 0;
    coop_union_sql(&f.q, false, &b);
    assert_false(b.failed);
    assert_non_null(strstr(b.data, "WHERE false"));
    buf_release(&b);
    arena_release(&f.arena);
}

static const struct coop_var mm = { "precipmm", COOP_MM, { "precip" }, 0 };
static const struct coop_var celsius = { "highc", COOP_CELSIUS, { "high" }, 0 };
static const struct coop_var gdd = { "gdd_50_86", COOP_GDD, { "high", "low" }, 50 };
static const struct coop_var mean = { "era5land_soilt4_avg", COOP_MEAN, { "a", "b" }, 0 };
static const struct coop_var lat = { "lat", COOP_LAT, { NULL }, 0 };
static const struct coop_var doy = { "doy", COOP_DOY, { NULL }, 0 };

static struct cell float4(float v)
{
    return (struct cell){ .type = CELL_FLOAT4, .f4 = v };
}

static struct cell value(struct coop_table *t, const struct coop_var *v, struct cell a,
                         struct cell b)
{
    struct cell cells[] = {
        cell_text("IATAME  ", 8), { .type = CELL_DAY, .i = civil_days(2024, 12, 31) }, a, b
    };
    struct coop_column c = { v->name, v, { 2, 3 } };
    return coop_cell(t, &c, cells);
}

static void test_values(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 2024, 12, 31);
    struct coop_table t = { .q = &f.q, .doy_cell = -1 };
    struct cell none = cell_null();
    assert_float_equal(value(&t, &mm, float4(1.27f), none).f8, 32.3, 1e-12);
    assert_float_equal(value(&t, &mm, float4(0.254f), none).f8, 6.5, 1e-12);
    assert_int_equal(value(&t, &mm, none, none).type, CELL_NULL);
    assert_float_equal(value(&t, &celsius, cell_int(-3), none).f8, -19.4, 1e-12);
    assert_false(signbit(value(&t, &celsius, cell_int(32), none).f8));
    assert_float_equal(value(&t, &gdd, cell_int(95), cell_int(70)).f8, 28, 0);
    assert_float_equal(value(&t, &gdd, cell_int(53), cell_int(20)).f8, 1.5, 0);
    assert_int_equal(value(&t, &gdd, cell_int(53), none).type, CELL_NULL);
    assert_true(value(&t, &mean, float4(29.93f), float4(30.83f)).f8 == 30.380001068115234);
    assert_float_equal(value(&t, &lat, none, none).f8, 41.99206, 0);
    assert_int_equal(value(&t, &doy, none, none).i, 366);
    t.doy_cell = 2;
    assert_int_equal(value(&t, &doy, cell_int(7), none).i, 7);
    arena_release(&f.arena);
}

/* --- zip files --- */

static char *read_member(const char *path, const char *name)
{
    char *text = calloc(1, 256);
    unzFile z = unzOpen64(path);
    assert_non_null(z);
    assert_int_equal(unzLocateFile(z, name, 1), UNZ_OK);
    assert_int_equal(unzOpenCurrentFile(z), UNZ_OK);
    assert_true(unzReadCurrentFile(z, text, 255) >= 0);
    assert_int_equal(unzCloseCurrentFile(z), UNZ_OK); /* checks the CRC */
    unzClose(z);
    return text;
}

static void save(struct segment *seg, const char *path)
{
    char block[4096];
    size_t n;
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    while ((n = chunk_list_take(&seg->bytes, block, sizeof(block))) > 0)
        assert_int_equal(fwrite(block, 1, n, f), n);
    fclose(f);
}

static void test_zip(void **state)
{
    (void)state;
    char dir[] = "/tmp/obstream-zip-XXXXXX", path[64];
    struct err e = ERR_INIT;
    struct sink sink;
    struct segment seg = { 0 };
    struct plan plan = { .codec = &codec_identity };
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/a.zip", dir);
    sink_init(&sink);
    assert_true(sink_begin(&sink, &plan, &seg, UINT64_MAX, &e));
    struct zipfile *z = zipfile_new(dir, &e);
    assert_non_null(z);
    zipfile_begin(z, "a/first.txt", civil_days(2024, 6, 1) * USEC_PER_DAY);
    zipfile_add(z, "one ", 4);
    zipfile_add(z, "two", 3);
    zipfile_begin(z, "b/empty.txt", 0);
    assert_true(zipfile_good(z));
    assert_true(zipfile_send(z, &sink, &e));
    zipfile_free(z);
    assert_true(sink_end(&sink, &e));
    save(&seg, path);
    char *first = read_member(path, "a/first.txt"), *empty = read_member(path, "b/empty.txt");
    assert_string_equal(first, "one two");
    assert_string_equal(empty, "");
    free(first);
    free(empty);
    chunk_list_release(&seg.bytes);
    sink_release(&sink);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0); /* nothing was left behind */
    assert_null(zipfile_new("/nowhere/at/all", &e));
    assert_int_equal(e.kind, ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_lines), cmocka_unit_test(test_model_climate),
        cmocka_unit_test(test_replicate),   cmocka_unit_test(test_union),
        cmocka_unit_test(test_values),      cmocka_unit_test(test_zip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
