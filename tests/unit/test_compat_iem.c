/* The rules of the IEM services: parameters, periods, texts of values. Expectations are what Python
 * and pydantic do with the same text. */
#include "../../src/compat/compat.h"

#include "obstream/core/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct form {
    const char *text;
    struct strlist list, repeat;
    struct param_count count, ranged;
    struct param_number number;
    bool flag;
    const struct tz *tz;
    struct iem_time aware, day;
    struct iem_period period;
};

static const char *check_short(const char *value)
{
    return strlen(value) == 3 ? NULL : "has to have three letters";
}

#define AT(m) offsetof(struct form, m)

static const struct iem_param rows[] = {
    { "text", IEM_TEXT, 0, AT(text), "a", "a,b,empty", NULL, 0, 0, "a text" },
    { "list", IEM_LIST, 0, AT(list), NULL, NULL, check_short, 0, 0, "a list" },
    { "repeat", IEM_REPEAT, 0, AT(repeat), NULL, NULL, NULL, 0, 0, "a list without commas" },
    { "count", IEM_INT, 0, AT(count), NULL, NULL, NULL, 0, 0, "a count" },
    { "ranged", IEM_INT, 0, AT(ranged), "7", NULL, NULL, 1, 12, "within bounds" },
    { "number", IEM_NUMBER, 0, AT(number), NULL, NULL, NULL, 0, 0, "a number" },
    { "flag", IEM_BOOL, 0, AT(flag), "no", NULL, NULL, 0, 0, "a flag" },
    { "tz", IEM_ZONE, 0, AT(tz), "UTC", NULL, NULL, 0, 0, "a zone" },
    { "aware", IEM_AWARE, 0, AT(aware), NULL, NULL, NULL, 0, 0, "a time" },
    { "date", IEM_DATE, 0, AT(day), NULL, NULL, NULL, 0, 0, "a day" },
    IEM_PERIOD_PIECES(struct form, period),
    IEM_PERIOD_COMMON(struct form, period),
    { .name = NULL },
};

static const struct iem_param *const tables[] = { rows, NULL };
static const struct iem_service service = { tables, sizeof(struct form), "It differs." };
static const struct endpoint endpoint = {
    .path = "/x.py", .summary = "x <y>", .help = "z", .examples = { "a=1&b=2" }
};

struct request {
    struct arena arena;
    struct api_request r;
    struct form *form;
};

static void ask(struct request *q, const char *query)
{
    memset(q, 0, sizeof(*q));
    arena_init(&q->arena, 1 << 22);
    q->r.arena = &q->arena;
    q->r.faults.arena = &q->arena;
    q->r.endpoint = &endpoint;
    pairs_decode_leniently(&q->r.pairs, &q->arena, query, strlen(query));
    q->form = iem_read(&q->r, &service);
}

static void done(struct request *q)
{
    arena_release(&q->arena);
}

static void expect_faults(const char *query, const char *params)
{
    struct request q;
    char got[256] = "";
    ask(&q, query);
    for (size_t i = 0; i < q.r.faults.count; i++) {
        size_t n = strlen(got);
        snprintf(got + n, sizeof(got) - n, "%s%s", i > 0 ? "," : "", q.r.faults.items[i].param);
    }
    if (strcmp(got, params) != 0)
        print_error("%s\n", query);
    assert_string_equal(got, params);
    assert_true((q.form == NULL) == (params[0] != '\0'));
    done(&q);
}

static void test_absent_and_spelling(void **state)
{
    (void)state;
    struct request q;
    ask(&q, "text=&count=&TEXT=b&foo=%3Cb%3E&list=");
    assert_non_null(q.form);
    assert_string_equal(q.form->text, "a");
    assert_false(q.form->count.set);
    assert_int_equal(q.form->list.count, 0);
    assert_int_equal(q.form->ranged.value, 7);
    assert_ptr_equal(q.form->tz, tz_utc());
    done(&q);
    ask(&q, "list=ABC&list[]=DEF&list=GHI"); /* the later spelling, not merged */
    assert_int_equal(q.form->list.count, 1);
    assert_string_equal(q.form->list.items[0], "DEF");
    done(&q);
    ask(&q, "list[]=DEF&list=ABC&list[]=");
    assert_string_equal(q.form->list.items[0], "ABC");
    done(&q);
    ask(&q, "list=ABC&list[]="); /* an empty one does not count */
    assert_string_equal(q.form->list.items[0], "ABC");
    done(&q);
}

static void test_lists(void **state)
{
    (void)state;
    struct request q;
    ask(&q, "list=ABC,%20DEF&list=GHI&repeat=a,b&repeat=");
    assert_int_equal(q.form->list.count, 3);
    assert_string_equal(q.form->list.items[1], "DEF");
    assert_int_equal(q.form->repeat.count, 2);
    assert_string_equal(q.form->repeat.items[0], "a,b");
    done(&q);
    expect_faults("list=ABC,", "list");
    expect_faults("list=ABC&list=", "list");
}

static void test_scalars(void **state)
{
    (void)state;
    struct request q;
    ask(&q, "count=%20%2B2_024.0%20&flag=oN&number=nan&ranged=012&tz=UTC&tz=UTC");
    assert_non_null(q.form);
    assert_int_equal(q.form->count.value, 2024);
    assert_int_equal(q.form->ranged.value, 12);
    assert_true(q.form->flag);
    assert_true(isnan(q.form->number.value));
    done(&q);
    expect_faults("count=1&count=1", "count");
    expect_faults("count=1.5", "count");
    expect_faults("count=2__024", "count");
    expect_faults("count=_1", "count");
    expect_faults("count=%2B", "count");
    expect_faults("count=1e3", "count");
    expect_faults("ranged=13&text=c", "text,ranged");
    expect_faults("flag=2", "flag");
    expect_faults("number=0x10", "number");
    expect_faults("number=1e", "number");
    expect_faults("tz=UTC&tz=America/Chicago", "tz");
    expect_faults("tz=central", "tz");
    expect_faults("repeat=%3Cscript&text=b", "repeat");
    expect_faults("repeat=JavaScript:x", "repeat");
    expect_faults("repeat=1%3C2&repeat=%3C%20b", "repeat");
    expect_faults("repeat=%3C%20b", "");
}

static void test_ints(void **state)
{
    (void)state;
    int64_t v = 1;
    assert_true(iem_int_text("-9223372036854775808", false, &v) && v == INT64_MIN);
    assert_true(iem_int_text("9223372036854775808", false, &v) && v == INT64_MAX);
    assert_true(iem_int_text("9223372036854775806", false, &v) && v == INT64_MAX - 1);
    assert_true(iem_int_text("-99999999999999999999", false, &v) && v == INT64_MIN);
    assert_false(iem_int_text("3.0", false, &v));
    assert_true(iem_int_text("3.0", true, &v) && v == 3);
    assert_false(iem_int_text("", true, &v));
}

static void expect_time(const char *text, const char *printed)
{
    struct iem_time t;
    const char *why = NULL;
    char out[NUMBER_ROOM];
    bool ok = iem_time_text(text, &t, &why);
    if (ok != (printed != NULL))
        print_error("%s\n", text);
    assert_true(ok == (printed != NULL));
    assert_true(ok || why != NULL);
    if (!ok)
        return;
    *iem_put_time(out, &t) = '\0';
    assert_string_equal(out, printed);
}

static void test_times(void **state)
{
    (void)state;
    expect_time("2024-12-31T12:00Z", "2024-12-31 12:00:00+00:00");
    expect_time("2024-12-31t12:00:30-06:00", "2024-12-31 12:00:30-06:00");
    expect_time("2024-12-31 12:00:00.25+0530", "2024-12-31 12:00:00.250000+05:30");
    expect_time("2024-12-31T12:00:00.1234567z", "2024-12-31 12:00:00.123456+00:00");
    expect_time("2024-12-31", "2024-12-31 00:00:00");
    expect_time("1735646400", "2024-12-31 12:00:00+00:00");
    expect_time("1735646400500", "2024-12-31 12:00:00.500000+00:00");
    expect_time("-1", "1969-12-31 23:59:59+00:00");
    expect_time("20241231T120000Z", NULL);
    expect_time("2024-12-31T12", NULL);
    expect_time("2024-12-31T24:00Z", NULL);
    expect_time("2024-02-30T00:00Z", NULL);
    expect_time("2024-12-31T12:00 00:00", NULL);
    expect_time("2024-12-31T12:00+06", NULL);
    expect_time("yesterday", NULL);
    expect_time("-", NULL);
    expect_faults("aware=2024-12-31T12:00", "aware");
    expect_faults("date=2024-12-31T12:00Z", "date");
    expect_faults("date=2024-12-31T00:00:00Z", "");
}

static void expect_period(const char *query, const char *from, const char *to)
{
    struct request q;
    struct iem_time a, b;
    char out[NUMBER_ROOM];
    ask(&q, query);
    assert_non_null(q.form);
    bool ok = iem_period(&q.r, &q.form->period, q.form->tz, &a, &b);
    assert_true(ok == (from != NULL));
    assert_true(ok == (q.r.faults.count == 0));
    if (ok) {
        *iem_put_time(out, &a) = '\0';
        assert_string_equal(out, from);
        *iem_put_time(out, &b) = '\0';
        assert_string_equal(out, to);
    }
    done(&q);
}

static void test_periods(void **state)
{
    (void)state;
    expect_period("year1=2023&month1=2&day1=31&year2=2024&month2=02&day2=030&hour2=23&minute2=59",
                  "2023-02-28 00:00:00+00:00", "2024-02-29 23:59:00+00:00");
    expect_period("year=2023&month1=1&month2=2&day=3", "2023-01-03 00:00:00+00:00",
                  "2023-02-03 00:00:00+00:00");
    /* a gap keeps the offset before it, a fold is its first occurrence */
    expect_period(
        "tz=America/Chicago&year=2023&month1=3&day1=12&hour1=2&minute1=30&month2=11&day2=5&"
        "hour2=1&minute2=30",
        "2023-03-12 02:30:00-06:00", "2023-11-05 01:30:00-05:00");
    expect_period("year=2023&month1=1&day1=1&month2=1", NULL, NULL);
    expect_period("year=2023&month=13&day=1", NULL, NULL);
    expect_period("year=2023&month=1&day=32", NULL, NULL);
    expect_period("year=0&month=1&day=1", NULL, NULL);
    expect_period("year=2023&month=1&day=1&hour2=24", NULL, NULL);
    expect_period("tz=MST&year=2023&month=7&day=1", "2023-07-01 00:00:00-06:00",
                  "2023-07-01 00:00:00-06:00");
}

static void test_time_arithmetic(void **state)
{
    (void)state;
    struct request q;
    struct iem_time a, b;
    ask(&q, "tz=America/Chicago&year=2023&month=3&day=12&hour1=2&minute1=30&hour2=3&minute2=15");
    assert_true(iem_period(&q.r, &q.form->period, q.form->tz, &a, &b));
    assert_true(a.usec > b.usec);                   /* in the gap: later than it looks */
    assert_int_equal(iem_time_compare(&a, &b), -1); /* one zone: the clocks are compared */
    b.zone = NULL;
    assert_int_equal(iem_time_compare(&a, &b), 1);
    int64_t before = a.usec;
    assert_true(iem_time_add_days(&a, 1));
    assert_int_equal(a.usec - before, 23 * USEC_PER_HOUR);
    a = iem_time_utc((civil_days(9999, 12, 31)) * USEC_PER_DAY);
    assert_false(iem_time_add_days(&a, 1));
    done(&q);
}

static void expect_float4(float v, const char *text)
{
    char out[NUMBER_ROOM];
    *iem_put_float4(out, v, 2) = '\0';
    assert_string_equal(out, text);
}

static void test_float4(void **state)
{
    (void)state;
    expect_float4(29.925f, "29.93");
    expect_float4(30.005f, "30.00");
    expect_float4(0.125f, "0.12");
    expect_float4(2.675f, "2.67");
    expect_float4(-0.001f, "-0.00");
    expect_float4(-0.0f, "-0.00");
    expect_float4(0, "0.00");
    expect_float4(NAN, "nan");
    expect_float4(-INFINITY, "-inf");
    expect_float4(25000, "25000.00");
    expect_float4(1e20f, "100000000000000000000.00");
    /* the short way is the long way */
    uint32_t seed = 1;
    for (int i = 0; i < 300000; i++) {
        char got[NUMBER_ROOM], want[NUMBER_ROOM];
        float v;
        seed = seed * 1664525 + 1013904223;
        memcpy(&v, &seed, sizeof(v));
        if (i % 2 == 0)
            v = (float)((int32_t)(seed >> 8) % 2000000) / (i % 4 == 0 ? 100.0f : 1000.0f);
        if (!isfinite(v))
            continue;
        *iem_put_float4(got, v, 2) = '\0';
        *number_fixed(want, number_widen(v), 2) = '\0';
        assert_string_equal(got, want);
    }
}

static void expect_repr(double v, const char *text)
{
    char out[NUMBER_ROOM];
    *iem_put_repr(out, v) = '\0';
    assert_string_equal(out, text);
}

static void test_repr(void **state)
{
    (void)state;
    expect_repr(0.15000000000000002, "0.15000000000000002");
    expect_repr(123456790, "123456790.0");
    expect_repr(1e-05, "1e-05");
    expect_repr(0.0001, "0.0001");
    expect_repr(1e15, "1000000000000000.0");
    expect_repr(-1234567890123456.5, "-1234567890123456.5");
    expect_repr(9007199254740993e0, "9007199254740992.0");
    expect_repr(1e16, "1e+16");
    expect_repr(1.5e300, "1.5e+300");
    expect_repr(-0.0, "-0.0");
    expect_repr(NAN, "nan");
    expect_repr(INFINITY, "inf");
    assert_true(iem_round_python(2.675, 2) == 2.67);
    assert_true(iem_round_python(0.5, 0) == 0);
    assert_true(iem_round_numpy(2.675, 2) == 2.68); /* 267.5 to 268, the even one */
    assert_true(iem_round_numpy(0.125, 2) == 0.12);
    assert_true(iem_f2c(212) == 100);
}

static void test_ascii(void **state)
{
    (void)state;
    static const char text[] = "a,b\nc\t\"\xc3\xa9!";
    char out[32];
    *iem_put_ascii(out, text, sizeof(text) - 1, true) = '\0';
    assert_string_equal(out, "a b c\t\"!");
    *iem_put_ascii(out, text, sizeof(text) - 1, false) = '\0';
    assert_string_equal(out, "a,b c\t\"!");
}

static void test_failure_text(void **state)
{
    (void)state;
    struct request q;
    ask(&q, "text=c&tz=Amerca/Chicago");
    iem_fail(&q.r);
    assert_int_equal(q.r.status, 422);
    assert_string_equal(q.r.mime, "text/plain");
    assert_string_equal(
        q.r.body->data,
        "text: \"c\" has to be one of a,b,empty.\n"
        "tz: \"Amerca/Chicago\" has to be a time zone of the IANA database; did you "
        "mean \"America/Chicago\"?\n");
    done(&q);
    ask(&q, "text=a");
    err_set(&q.r.err, ERR_UNAVAILABLE, "the database\ncannot be reached");
    iem_fail(&q.r);
    assert_int_equal(q.r.status, 503);
    assert_string_equal(q.r.body->data, "the database cannot be reached.\n");
    done(&q);
}

static void test_help(void **state)
{
    (void)state;
    struct request q;
    ask(&q, "count=x&help");
    assert_null(q.form);
    assert_true(iem_answered(&q.r));
    assert_int_equal(q.r.faults.count, 0);
    assert_int_equal(q.r.status, 200);
    assert_non_null(strstr(q.r.body->data, "<strong>x &lt;y&gt;</strong>"));
    assert_non_null(strstr(q.r.body->data, "<td>minute2</td>"));
    assert_non_null(strstr(q.r.body->data, "<li>It differs.</li>"));
    assert_non_null(strstr(q.r.body->data, "/x.py?a=1&amp;b=2"));
    done(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absent_and_spelling),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_ints),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_periods),
        cmocka_unit_test(test_time_arithmetic),
        cmocka_unit_test(test_float4),
        cmocka_unit_test(test_repr),
        cmocka_unit_test(test_ascii),
        cmocka_unit_test(test_failure_text),
        cmocka_unit_test(test_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
