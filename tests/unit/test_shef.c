/* The SHEF tables: order, completeness, spot values of the manual; splitting of keys. */
#include "obstream/query/shef.h"

#include "obstream/core/strutil.h"
#include "obstream/query/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef const struct shef_code *(*code_table)(size_t *count);

struct table_case {
    code_table table;
    size_t count, longest;
};

static const struct table_case tables[] = {
    { shef_durations, 25, 1 },     { shef_types, 346, 2 },     { shef_extremes, 21, 1 },
    { shef_probabilities, 31, 1 }, { shef_qualifiers, 16, 1 },
};

static void test_codes_sorted_and_complete(void **state)
{
    (void)state;
    for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
        size_t count = 0;
        const struct shef_code *rows = tables[t].table(&count);
        assert_int_equal(count, tables[t].count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(strlen(rows[i].code), tables[t].longest);
            assert_true(strlen(rows[i].name) > 0);
            if (i > 0)
                assert_true(strcmp(rows[i - 1].code, rows[i].code) < 0);
            assert_ptr_equal(shef_code_find(rows, count, rows[i].code, strlen(rows[i].code)),
                             &rows[i]);
        }
    }
}

static const char *name_of(code_table table, const char *code)
{
    size_t count;
    const struct shef_code *rows = table(&count);
    const struct shef_code *row = shef_code_find(rows, count, code, strlen(code));
    return row != NULL ? row->name : NULL;
}

static void test_codes_of_the_manual(void **state)
{
    (void)state;
    assert_string_equal(name_of(shef_durations, "I"), "Instantaneous");
    assert_string_equal(name_of(shef_durations, "H"), "1 hour");
    assert_string_equal(name_of(shef_durations, "Q"), "6 hours");
    assert_string_equal(name_of(shef_durations, "U"), "1 minute");
    assert_string_equal(name_of(shef_types, "RG"), "Observed, GOES satellite");
    assert_string_equal(name_of(shef_types, "R2"), "Observed, sensor 2");
    assert_string_equal(name_of(shef_types, "2Z"), "Processed, level 2, source not given");
    assert_string_equal(name_of(shef_types, "CF"), "Contingency, flash flood guidance");
    assert_string_equal(name_of(shef_types, "FF"), "Forecast with forecast precipitation (QPF)");
    assert_string_equal(name_of(shef_types, "PN"), "Processed, process 13");
    assert_string_equal(name_of(shef_extremes, "N"), "Minimum of the day");
    assert_string_equal(name_of(shef_extremes, "X"), "Maximum of the day");
    assert_string_equal(name_of(shef_extremes, "R"), "Maximum of 6 hours");
    assert_string_equal(name_of(shef_extremes, "H"), "Minimum of 6 hours");
    assert_string_equal(name_of(shef_probabilities, "5"), "0.5 chance of the value or less");
    assert_string_equal(name_of(shef_probabilities, "M"), "Mean, expected value");
    assert_string_equal(name_of(shef_qualifiers, "E"), "Estimated");
    assert_string_equal(name_of(shef_qualifiers, "R"), "Bad, rejected by level 1");
}

static void test_codes_unknown(void **state)
{
    (void)state;
    assert_null(name_of(shef_durations, "O"));
    assert_null(name_of(shef_durations, ""));
    assert_null(name_of(shef_durations, "HH"));
    assert_null(name_of(shef_types, "R"));
    assert_null(name_of(shef_types, "R1"));
    assert_null(name_of(shef_types, "RGZ"));
    assert_null(name_of(shef_types, "rg"));
    size_t count;
    const struct shef_code *rows = shef_types(&count);
    assert_string_equal(shef_code_find(rows, count, "RGZZ", 2)->code, "RG");
    assert_null(shef_code_find(rows, count, "R\0G", 3));
}

static void test_elements_sorted_and_found(void **state)
{
    (void)state;
    size_t count = 0, durations = 0;
    const struct shef_element *e = shef_elements(&count);
    const struct shef_code *d = shef_durations(&durations);
    assert_int_equal(count, 256);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(strlen(e[i].pe), 2);
        assert_true(strlen(e[i].name) > 0);
        if (i > 0)
            assert_true(strcmp(e[i - 1].pe, e[i].pe) < 0);
        assert_ptr_equal(shef_element_find(e[i].pe), &e[i]);
        assert_non_null(shef_code_find(d, durations, &e[i].default_duration, 1));
    }
}

/* The factors of the elements are those of unit.c. */
static void test_elements_convert(void **state)
{
    (void)state;
    size_t count = 0, converted = 0;
    const struct shef_element *e = shef_elements(&count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(*e[i].unit == '\0', *e[i].metric_unit == '\0');
        if (*e[i].unit == '\0')
            continue;
        double scale, offset;
        int decimals;
        assert_string_equal(unit_name(e[i].unit), e[i].unit);
        assert_string_equal(unit_name(e[i].metric_unit), e[i].metric_unit);
        assert_true(unit_convert(e[i].unit, e[i].metric_unit, &scale, &offset, &decimals));
        assert_true(fabs(scale / e[i].metric_scale - 1) < 1e-14);
        assert_true(fabs(offset - e[i].metric_offset) < 1e-14);
        assert_in_range(e[i].metric_decimals, 0, 3);
        converted++;
    }
    assert_int_equal(converted, 198);
}

struct element_case {
    const char *pe, *unit, *metric;
    double value, in_metric;
    char duration;
};

static const struct element_case element_cases[] = {
    { "HG", "ft", "m", 10, 3.048, 'I' },
    { "QR", "kcfs", "m3/s", 1, 28.316846592, 'I' },
    { "TA", "degF", "degC", 32, 0, 'I' },
    { "TX", "degF", "degC", 212, 100, 'I' },
    { "TH", "degF.d", "degC.d", 18, 10, 'S' },
    { "TJ", "delta_degF", "delta_degC", -9, -5, 'I' },
    { "PP", "in", "mm", 1, 25.4, 'D' },
    { "PC", "in", "mm", 26.43, 671.322, 'I' },
    { "PF", "in", "mm", 1, 25.4, 'T' },
    { "SD", "in", "cm", 10, 25.4, 'I' },
    { "SF", "in", "cm", 1, 2.54, 'D' },
    { "PA", "inHg", "hPa", 29.92, 1013.207481, 'I' },
    { "LS", "kaf", "hm3", 1, 1.23348183754752, 'I' },
    { "LA", "kacre", "km2", 1, 4.0468564224, 'I' },
    { "US", "mph", "m/s", 10, 4.4704, 'I' },
    { "QF", "mph", "km/h", 10, 16.09344, 'I' },
    { "XV", "mi", "km", 10, 16.09344, 'I' },
    { "XU", "g/ft3", "g/m3", 1, 35.31466672148859, 'I' },
    { "RI", "ly", "MJ/m2", 100, 4.184, 'D' },
    { "XR", "%", "%", 50, 50, 'I' },
    { "XG", "", "", 7, 7, 'J' },
    { "XP", "", "", 7, 7, 'Q' },
    { "QV", "kaf", "hm3", 0, 0, 'D' },
    { "AD", "", "", 1, 1, 'Z' },
};

static void test_elements_of_the_manual(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(element_cases); i++) {
        const struct element_case *c = &element_cases[i];
        const struct shef_element *e = shef_element_find(c->pe);
        assert_non_null(e);
        assert_string_equal(e->unit, c->unit);
        assert_string_equal(e->metric_unit, c->metric);
        assert_true(fabs(c->value * e->metric_scale + e->metric_offset - c->in_metric) < 1e-6);
        assert_int_equal(e->default_duration, c->duration);
    }
    assert_string_equal(shef_element_find("HGIRGZZ")->name, "River stage");
    assert_null(shef_element_find(""));
    assert_null(shef_element_find("H"));
    assert_null(shef_element_find("hg"));
    assert_null(shef_element_find("QQ"));
}

struct split_case {
    const char *key, *pe, *duration, *type, *source, *extremum, *probability;
};

static const struct split_case split_cases[] = {
    { "HGIRGZZ", "HG", "I", "R", "G", "Z", "Z" },
    { "HGIPCPZZ", "HG", "I", "P", "CP", "Z", "Z" },
    { "TAIRZX", "TA", "I", "R", "Z", "X", "" },
    { "PPH", "PP", "H", "", "", "", "" },
    { "P", "P", "", "", "", "", "" },
    { "", "", "", "", "", "", "" },
};

static void expect_part(const char *part, unsigned char len, const char *expected)
{
    assert_int_equal(len, strlen(expected));
    assert_memory_equal(part, expected, len);
}

static void test_split(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(split_cases); i++) {
        const struct split_case *c = &split_cases[i];
        struct shef_key k = shef_key_split(c->key, strlen(c->key));
        expect_part(k.pe, k.pe_len, c->pe);
        expect_part(k.duration, k.duration_len, c->duration);
        expect_part(k.type, k.type_len, c->type);
        expect_part(k.source, k.source_len, c->source);
        expect_part(k.extremum, k.extremum_len, c->extremum);
        expect_part(k.probability, k.probability_len, c->probability);
    }
}

static void test_split_long(void **state)
{
    (void)state;
    char key[1000];
    memset(key, 's', sizeof(key));
    memcpy(key, "HGIR", 4);
    memcpy(key + sizeof(key) - 2, "XM", 2);
    struct shef_key k = shef_key_split(key, sizeof(key));
    assert_int_equal(k.source_len, 255);
    expect_part(k.extremum, k.extremum_len, "X");
    expect_part(k.probability, k.probability_len, "M");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes_sorted_and_complete),
        cmocka_unit_test(test_codes_of_the_manual),
        cmocka_unit_test(test_codes_unknown),
        cmocka_unit_test(test_elements_sorted_and_found),
        cmocka_unit_test(test_elements_convert),
        cmocka_unit_test(test_elements_of_the_manual),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_split_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
