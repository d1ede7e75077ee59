/* param.h: decoding of forms, and every type of parameter with its faults. */
#include "obstream/api/endpoint.h"
#include "obstream/api/param.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct target {
    const char *text, *choice, *standard;
    struct strlist list, choices;
    const struct tz *tz;
    struct param_time time;
    struct param_count count;
    struct param_number number;
    struct param_bbox bbox;
};

#define AT(field) offsetof(struct target, field)

static const struct param one[] = {
    { "text", "t,words", PARAM_TEXT, AT(text), NULL, NULL, 0, 0, "", "" },
    { "list", NULL, PARAM_LIST, AT(list), NULL, NULL, 0, 0, "", "" },
    { "time", NULL, PARAM_TIME, AT(time), NULL, NULL, 0, 0, "", "" },
    { .name = NULL },
};
static const struct param two[] = {
    { "choice", NULL, PARAM_CHOICE, AT(choice), NULL, "asc,desc", 0, 0, "", "" },
    { "standard", NULL, PARAM_CHOICE, AT(standard), "asc", "asc,desc", 0, 0, "", "" },
    { "choices", NULL, PARAM_CHOICES, AT(choices), NULL, "rain,snow,1", 0, 0, "", "" },
    { "tz", NULL, PARAM_ZONE, AT(tz), NULL, NULL, 0, 0, "", "" },
    { "count", NULL, PARAM_COUNT, AT(count), NULL, NULL, 1, 1e15, "", "" },
    { "number", NULL, PARAM_NUMBER, AT(number), NULL, NULL, -5, 5, "", "" },
    { "bbox", NULL, PARAM_BBOX, AT(bbox), NULL, NULL, 0, 0, "", "" },
    { .name = NULL },
};
static const struct param *const tables[] = { one, two, NULL };

struct reading {
    struct arena arena;
    struct pairs pairs;
    struct faults faults;
    struct target target;
};

static int setup(void **state)
{
    struct reading *r = calloc(1, sizeof(*r));
    *state = r;
    return r == NULL ? -1 : (arena_init(&r->arena, 1 << 20), 0);
}

static int teardown(void **state)
{
    struct reading *r = *state;
    arena_release(&r->arena);
    free(r);
    return 0;
}

/* Starts anew. The text ends where its memory does. */
static void decode(struct reading *r, const char *text, size_t len)
{
    char *copy = malloc(len > 0 ? len : 1);
    assert_non_null(copy);
    memcpy(copy, text, len);
    arena_release(&r->arena);
    r->pairs = (struct pairs){ 0 };
    r->faults = (struct faults){ .arena = &r->arena };
    r->target = (struct target){ 0 };
    pairs_decode(&r->pairs, copy, len, &r->faults);
    free(copy);
}

static const struct target *fill(struct reading *r, const char *query)
{
    decode(r, query, strlen(query));
    params_fill(tables, &r->pairs, &r->target, &r->faults);
    return &r->target;
}

static const struct target *good(struct reading *r, const char *query)
{
    const struct target *t = fill(r, query);
    if (r->faults.count > 0)
        fail_msg("%s: %s", query, r->faults.items[0].detail);
    return t;
}

static void bad(struct reading *r, const char *query, const char *param, const char *detail)
{
    fill(r, query);
    if (r->faults.count != 1)
        fail_msg("%s has %zu faults", query, r->faults.count);
    assert_string_equal(r->faults.items[0].param, param);
    if (strstr(r->faults.items[0].detail, detail) == NULL)
        fail_msg("%s: %s", query, r->faults.items[0].detail);
}

static void test_types(void **state)
{
    struct reading *r = *state;
    const struct target *t =
        good(r, "text=a+b%2B%25&list=x,+y&list=,z,&choices=rain,1&choice=desc");
    assert_string_equal(t->text, "a b+%");
    assert_int_equal(t->list.count, 3);
    assert_string_equal(t->list.items[1], "y");
    assert_string_equal(t->list.items[2], "z");
    assert_int_equal(t->choices.count, 2);
    assert_string_equal(t->choice, "desc");
    assert_string_equal(t->standard, "asc");
    assert_null(t->tz);
    assert_false(t->time.set || t->count.set || t->number.set || t->bbox.set);
    t = good(r, "count=1000000000000000&number=-2.5e0&bbox=170,-10,-170,10.5&words=%C3%A9");
    assert_true(t->count.set && t->number.set && t->bbox.set);
    assert_int_equal(t->count.value, 1000000000000000);
    assert_true(t->number.value == -2.5);
    assert_true(t->bbox.west == 170 && t->bbox.south == -10 && t->bbox.east == -170 &&
                t->bbox.north == 10.5);
    assert_string_equal(t->text, "\xc3\xa9");
    t = good(r, "&&text=&t=&standard=&=&count=");
    assert_null(t->text);
    assert_string_equal(t->standard, "asc");
    assert_false(t->count.set);
}

/* The zone counts wherever it stands. */
static void test_time(void **state)
{
    struct reading *r = *state;
    assert_int_equal(good(r, "time=2024-06-01")->time.usec, INT64_C(1717200000000000));
    const struct target *t = good(r, "time=2024-06-01T00:00&tz=America/Chicago");
    assert_int_equal(t->time.usec, INT64_C(1717218000000000));
    assert_ptr_equal(t->tz, tz_find("America/Chicago"));
    assert_int_equal(good(r, "time=2024-06-01T00:00Z&tz=America/Chicago")->time.usec,
                     INT64_C(1717200000000000));
    bad(r, "time=yesterday", "time", "yesterday");
    bad(r, "time=2024-13-01", "time", "month 13");
}

static void test_faults(void **state)
{
    struct reading *r = *state;
    bad(r, "txt=1", "txt", "there is no parameter \"txt\"; did you mean \"text\"?");
    bad(r, "completely=1", "completely", "there is no parameter \"completely\"");
    bad(r, "Text=1", "Text", "did you mean \"text\"?");
    bad(r, "choice=desk", "choice", "\"desk\" is none of asc,desc; did you mean \"desc\"?");
    bad(r, "choice=asc,desc", "choice", "is none of");
}

static void test_more_faults(void **state)
{
    struct reading *r = *state;
    bad(r, "choices=rain,hail", "choices", "\"hail\" is none of rain,snow,1");
    bad(r, "tz=America/Chicgo", "tz", "did you mean \"America/Chicago\"?");
    bad(r, "tz=Nowhere/At/All/Really", "tz", "like America/Chicago or UTC");
    bad(r, "count=0", "count", "0 is out of range: 1 to 1000000000000000");
    bad(r, "count=1.5", "count", "is not a whole number");
    bad(r, "count=nan", "count", "is not a whole number");
    bad(r, "count=1e400", "count", "is not a whole number");
    bad(r, "count=0x10", "count", "is not a whole number");
    bad(r, "count=5x", "count", "is not a whole number");
    bad(r, "number=inf", "number", "is not a number");
    bad(r, "number=5.001", "number", "out of range: -5 to 5");
    bad(r, "number=+", "number", "is not a number");
    bad(r, "bbox=1,2,3", "bbox", "is not west,south,east,north");
    bad(r, "bbox=1,2,3,nan", "bbox", "is not west,south,east,north");
    bad(r, "bbox=1,2,3,4,5", "bbox", "is not west,south,east,north");
    bad(r, "bbox=1,5,3,4", "bbox", "south <= north");
    bad(r, "bbox=1,2,181,4", "bbox", "longitudes are -180 to 180");
    bad(r, "text=1&t=2", "text", "text is given more than once");
    bad(r, "count=1&count=1", "count", "count is given more than once");
}

static void test_all_at_once(void **state)
{
    struct reading *r = *state;
    fill(r, "nope=1&choice=x&count=y&number=z&tz=a/b&time=t&bbox=b&choices=c,d&q=%zz&%ff=1");
    assert_int_equal(r->faults.count, 11);
}

static void undecodable(struct reading *r, const char *text, size_t len, const char *why)
{
    decode(r, text, len);
    assert_int_equal(r->pairs.count, 0);
    assert_int_equal(r->faults.count, 1);
    if (strstr(r->faults.items[0].detail, why) == NULL)
        fail_msg("%s: %s", text, r->faults.items[0].detail);
}

static void test_strict(void **state)
{
    struct reading *r = *state;
    static const char *const percent[] = { "a=%",  "a=%4", "a=%4g",  "a=%g4",
                                           "a=x%", "%=1",  "a=%%41", "a=%+1" };
    static const char *const utf8[] = {
        "a=%80",       "a=%c0%af",       "a=%c1%bf",       "a=%e0%9f%bf",    "a=%ed%a0%80",
        "a=%ed%bf%bf", "a=%f0%8f%bf%bf", "a=%f4%90%80%80", "a=%f5%80%80%80", "a=%e2%82",
        "a=%e2%82x",   "a=%ff",          "a=\xff",         "%c3=1",          "a=%f0%9f%98",
    };
    for (size_t i = 0; i < ARRAY_SIZE(percent); i++)
        undecodable(r, percent[i], strlen(percent[i]), "two hexadecimal digits");
    for (size_t i = 0; i < ARRAY_SIZE(utf8); i++)
        undecodable(r, utf8[i], strlen(utf8[i]), "not UTF-8");
    undecodable(r, "a=%00", 5, "NUL byte");
    undecodable(r, "a=b\0c", 5, "NUL byte");
    undecodable(r, "a=%c3%00", 8, "NUL byte");
    static const char valid[] = "a=%f0%9f%98%80%ed%9f%bf%f4%8f%bf%bf&b&=c&d=1=2&e=%41%6A";
    decode(r, valid, strlen(valid));
    assert_int_equal(r->faults.count, 0);
    assert_int_equal(r->pairs.count, 5);
    assert_string_equal(r->pairs.items[0].value, "\xf0\x9f\x98\x80\xed\x9f\xbf\xf4\x8f\xbf\xbf");
    assert_string_equal(r->pairs.items[1].name, "b");
    assert_string_equal(r->pairs.items[1].value, "");
    assert_string_equal(r->pairs.items[2].name, "");
    assert_string_equal(r->pairs.items[3].value, "1=2");
    assert_string_equal(r->pairs.items[4].value, "Aj");
}

/* What Python 3 gives for parse_qsl(text, keep_blank_values=True). */
static void test_lenient(void **state)
{
    struct reading *r = *state;
#define BAD "\xef\xbf\xbd"
    static const struct {
        const char *text, *value;
    } cases[] = {
        { "a=%", "%" },
        { "a=%4", "%4" },
        { "a=%zz+%41", "%zz A" },
        { "a=%%41", "%A" },
        { "a=%80x", BAD "x" },
        { "a=%c0%af", BAD BAD },
        { "a=%ed%a0%80", BAD BAD BAD },
        { "a=%e2%82x", BAD "x" },
        { "a=%e2%82", BAD },
        { "a=%f0%9f%98", BAD },
        { "a=%f0%9f%98%c3%a9", BAD "\xc3\xa9" },
        { "a=%f4%90%80%80", BAD BAD BAD BAD },
        { "a=%f0%8f%bf", BAD BAD BAD },
        { "a=%e0%9f%bf", BAD BAD BAD },
        { "a=b%00c", "b" },
        { "a=", "" },
        { "a", "" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct pairs p = { 0 };
        pairs_decode_leniently(&p, &r->arena, cases[i].text, strlen(cases[i].text));
        assert_int_equal(p.count, 1);
        if (strcmp(p.items[0].value, cases[i].value) != 0)
            fail_msg("%s gives %s", cases[i].text, p.items[0].value);
    }
}

static void test_mend(void **state)
{
    (void)state;
    char text[] = "a\xc3\xa9\xff\xe2\x82";
    assert_string_equal(utf8_mend(text), "a\xc3\xa9???");
    assert_null(utf8_mend(NULL));
}

/* A long value is cut in its fault, perhaps within a character: the problem document is whole. */
static void test_problem(void **state)
{
    struct reading *r = *state;
    char query[512] = "count=x";
    for (size_t i = 0; i < 100; i++)
        memcpy(query + 7 + 2 * i, "\xc3\xa9", 3);
    fill(r, query);
    struct api_request q = { .arena = &r->arena, .faults = r->faults, .path = "/\xff" };
    problem_reply(&q);
    assert_int_equal(q.status, 400);
    json_t *root = json_loads(q.body->data, 0, NULL);
    assert_non_null(root);
    const char *detail = json_string_value(json_object_get(root, "detail"));
    const json_t *fault = json_array_get(json_object_get(root, "errors"), 0);
    assert_non_null(detail);
    assert_non_null(strstr(detail, "is not a whole number"));
    assert_string_equal(json_string_value(json_object_get(fault, "detail")), detail);
    assert_non_null(json_string_value(json_object_get(fault, "value")));
    assert_string_equal(json_string_value(json_object_get(root, "instance")), "/?");
    json_decref(root);
}

/* Without memory a request is refused: the arena says so, and nothing crashes. */
static void test_no_memory(void **state)
{
    (void)state;
    struct arena a = ARENA_INIT(4096);
    struct pairs p = { 0 };
    struct faults f = { .arena = &a };
    struct target t = { 0 };
    for (int i = 0; i < 500; i++)
        pairs_decode(&p, "list=a,b,c&nope=%zz&no=1", 24, &f);
    params_fill(tables, &p, &t, &f);
    assert_true(a.failed);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),       cmocka_unit_test(test_time),
        cmocka_unit_test(test_faults),      cmocka_unit_test(test_more_faults),
        cmocka_unit_test(test_all_at_once), cmocka_unit_test(test_strict),
        cmocka_unit_test(test_lenient),     cmocka_unit_test(test_mend),
        cmocka_unit_test(test_problem),     cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
