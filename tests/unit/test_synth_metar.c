/*
 * Every made-up METAR is decoded here by a reader of its own, written from FMH-1 and not from the
 * generator, and compared with the columns of its row.
 */
#include "obstream/load/synth.h"
#include "obstream/load/synth_parts.h"

#include "obstream/core/civil.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COLUMNS = 39, STATIONS = 40 };

enum column {
    STATION,
    VALID,
    TMPF,
    DWPF,
    DRCT,
    SKNT,
    ALTI,
    GUST,
    VSBY,
    SKYC1,
    SKYC2,
    SKYC3,
    SKYL1,
    SKYL2,
    SKYL3,
    METAR,
    SKYC4,
    SKYL4,
    P03I,
    P06I,
    P24I,
    MAX6,
    MIN6,
    MAX24,
    MIN24,
    MSLP,
    P01I,
    WXCODES,
    REPORT_TYPE,
    ICE1,
    ICE3,
    ICE6,
    FEEL,
    RELH,
    PEAK_GUST,
    PEAK_DRCT,
    PEAK_TIME,
    SNOWDEPTH,
    EDITABLE
};

struct csv_row {
    char *field[COLUMNS];
    bool quoted[COLUMNS];
};

/* Splits a line in place. */
static void split(char *line, struct csv_row *r)
{
    memset(r, 0, sizeof(*r));
    for (int n = 0; n < COLUMNS; n++) {
        r->quoted[n] = *line == '"';
        if (r->quoted[n])
            line++;
        r->field[n] = line;
        line += strcspn(line, r->quoted[n] ? "\"" : ",");
        if (r->quoted[n])
            *line++ = '\0';
        bool last = n == COLUMNS - 1;
        assert_int_equal(*line, last ? '\0' : ',');
        if (!last)
            *line++ = '\0';
    }
}

/* What a reader finds in a report; NaN where there is nothing. */
struct report {
    char icao[8], sky[4][4], weather[64], peak_clock[8];
    int day, clock, layers;
    bool automatic, variable, slp_missing;
    double t_body, d_body, t, d, from, speed, gust, miles, altimeter, slp;
    double p1, six, p24, i1, i3, i6, max6, min6, max24, min24, depth, peak_from, peak, height[4];
};

static double number(const char *s, int n)
{
    char text[16];
    snprintf(text, sizeof(text), "%.*s", n, s);
    for (const char *p = text; *p != '\0'; p++)
        assert_in_range(*p, '0', '9');
    return strtod(text, NULL);
}

static double celsius(const char *s) /* snnn */
{
    double v = number(s + 1, 3) / 10;
    return s[0] == '1' ? -v : v;
}

static double body_celsius(const char *s)
{
    return s[0] == 'M' ? -number(s + 1, 2) : number(s, 2);
}

static bool digits(const char *s, size_t n)
{
    return strlen(s) == n && strspn(s, "0123456789") == n;
}

static double amount(double hundredths)
{
    return hundredths == 0 ? 0.0001 : hundredths / 100;
}

static void read_wind(struct report *r, const char *w)
{
    r->variable = strncmp(w, "VRB", 3) == 0;
    r->from = r->variable ? NAN : number(w, 3);
    size_t n = strspn(w + 3, "0123456789");
    r->speed = number(w + 3, (int)n);
    if (w[3 + n] == 'G')
        r->gust = number(w + 4 + n, (int)strcspn(w + 4 + n, "K"));
}

static double read_miles(const char *w)
{
    const char *slash = strchr(w, '/');
    double v = number(w, (int)strcspn(w, "/S"));
    return slash != NULL ? v / number(slash + 1, (int)strcspn(slash + 1, "S")) : v;
}

static void read_sky(struct report *r, const char *w)
{
    size_t n = strcspn(w, "0123456789");
    assert_true(r->layers < 4);
    snprintf(r->sky[r->layers], 4, "%.*s", (int)n, w);
    r->height[r->layers] = w[n] != '\0' ? number(w + n, 3) * 100 : NAN;
    r->layers++;
}

static bool is_sky(const char *w)
{
    static const char *const covers[] = { "CLR", "FEW", "SCT", "BKN", "OVC", "VV0" };
    for (size_t i = 0; i < sizeof(covers) / sizeof(covers[0]); i++)
        if (strncmp(w, covers[i], 3) == 0)
            return true;
    return false;
}

/* One word before RMK; `whole` carries "1" of "1 1/2SM". */
static void read_body(struct report *r, const char *w, double *whole)
{
    size_t n = strlen(w);
    if (strcmp(w, "AUTO") == 0) {
        r->automatic = true;
    } else if (n > 2 && strcmp(w + n - 2, "KT") == 0) {
        read_wind(r, w);
    } else if (n > 2 && strcmp(w + n - 2, "SM") == 0) {
        r->miles = read_miles(w) + *whole;
    } else if (digits(w, 1)) {
        *whole = number(w, 1);
    } else if (is_sky(w)) {
        read_sky(r, w);
    } else if (w[0] == 'A' && digits(w + 1, 4)) {
        r->altimeter = number(w + 1, 4) / 100;
    } else if (strchr(w, '/') != NULL) {
        const char *dew = strchr(w, '/') + 1;
        r->t_body = body_celsius(w);
        if (*dew != '\0')
            r->d_body = body_celsius(dew);
    } else {
        size_t used = strlen(r->weather);
        snprintf(r->weather + used, sizeof(r->weather) - used, "%s%s", used > 0 ? "," : "", w);
    }
}

static void read_peak(struct report *r, const char *w)
{
    const char *slash = strchr(w, '/');
    assert_non_null(slash);
    r->peak_from = number(w, 3);
    r->peak = number(w + 3, (int)(slash - w - 3));
    snprintf(r->peak_clock, sizeof(r->peak_clock), "%s", slash + 1);
}

static void read_remark(struct report *r, const char *w)
{
    size_t n = strlen(w);
    if (strcmp(w, "SLPNO") == 0) {
        r->slp_missing = true;
    } else if (strncmp(w, "SLP", 3) == 0) {
        double v = number(w + 3, 3) / 10;
        r->slp = v + (v < 50 ? 1000 : 900);
    } else if (strncmp(w, "4/", 2) == 0) {
        r->depth = number(w + 2, 3);
    } else if (w[0] == 'P' && digits(w + 1, 4)) {
        r->p1 = amount(number(w + 1, 4));
    } else if (w[0] == 'I' && digits(w + 1, 4)) {
        *(w[1] == '1' ? &r->i1 : w[1] == '3' ? &r->i3 : &r->i6) = amount(number(w + 2, 3));
    } else if (w[0] == 'T' && (digits(w + 1, 8) || digits(w + 1, 4))) {
        r->t = celsius(w + 1);
        if (n == 9)
            r->d = celsius(w + 5);
    } else if (digits(w, 9) && w[0] == '4') {
        r->max24 = celsius(w + 1);
        r->min24 = celsius(w + 5);
    } else if (digits(w, 5)) {
        switch (w[0]) {
        case '1':
            r->max6 = celsius(w + 1);
            break;
        case '2':
            r->min6 = celsius(w + 1);
            break;
        case '6':
            r->six = amount(number(w + 1, 4));
            break;
        case '7':
            r->p24 = amount(number(w + 1, 4));
            break;
        case '5':
            assert_in_range(w[1], '0', '8');
            break;
        default:
            fail_msg("what is %s", w);
        }
    } else if (strcmp(w, "AO2") != 0 && strcmp(w, "$") != 0) {
        /* begin and end of precipitation */
        assert_non_null(strpbrk(w, "BE"));
        assert_true(digits(w + n - 2, 2));
    }
}

static void read_report(struct report *r, const char *text)
{
    char copy[300], *state = NULL;
    double whole = 0;
    int at = 0;
    bool remarks = false, peak = false;
    *r = (struct report){ .layers = 0 };
    double *all[] = { &r->t_body, &r->d_body, &r->t,         &r->d,         &r->from, &r->speed,
                      &r->gust,   &r->miles,  &r->altimeter, &r->slp,       &r->p1,   &r->six,
                      &r->p24,    &r->i1,     &r->i3,        &r->i6,        &r->max6, &r->min6,
                      &r->max24,  &r->min24,  &r->depth,     &r->peak_from, &r->peak };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        *all[i] = NAN;
    assert_true(strlen(text) < 256 && strstr(text, "  ") == NULL);
    snprintf(copy, sizeof(copy), "%s", text);
    for (char *w = strtok_r(copy, " ", &state); w; w = strtok_r(NULL, " ", &state), at++) {
        if (at == 0) {
            snprintf(r->icao, sizeof(r->icao), "%s", w);
        } else if (at == 1) {
            assert_true(strlen(w) == 7 && w[6] == 'Z');
            r->day = (int)number(w, 2);
            r->clock = (int)number(w + 2, 4);
        } else if (strcmp(w, "RMK") == 0) {
            remarks = true;
        } else if (!remarks) {
            read_body(r, w, &whole);
        } else if (strcmp(w, "PK") == 0 || strcmp(w, "WND") == 0) {
            peak = true;
        } else if (peak) {
            read_peak(r, w);
            peak = false;
        } else {
            read_remark(r, w);
        }
    }
}

/* ---- comparison ---- */

static void same(const struct csv_row *c, enum column k, double v, double within)
{
    const char *s = c->field[k];
    if (isnan(v) != (*s == '\0') || (!isnan(v) && fabs(strtod(s, NULL) - v) > within))
        fail_msg("column %d is \"%s\", the report says %g: %s", k, s, v, c->field[METAR]);
}

static double fahrenheit(double c)
{
    return round((c * 1.8 + 32) * 10) / 10;
}

static void check_temps(const struct csv_row *c, const struct report *r)
{
    double t = isnan(r->t) ? r->t_body : r->t, d = isnan(r->t) ? r->d_body : r->d;
    same(c, TMPF, fahrenheit(t), 1e-9);
    same(c, DWPF, fahrenheit(d), 1e-9);
    if (!isnan(r->t))
        assert_true(fabs(r->t - r->t_body) <= 0.5 + 1e-9);
    if (!isnan(r->t) && !isnan(r->d))
        assert_true(r->d <= r->t && fabs(r->d - r->d_body) <= 0.5 + 1e-9);
    same(c, MAX6, fahrenheit(r->max6), 1e-9);
    same(c, MIN6, fahrenheit(r->min6), 1e-9);
    same(c, MAX24, fahrenheit(r->max24), 1e-9);
    same(c, MIN24, fahrenheit(r->min24), 1e-9);
    if (!isnan(r->max6))
        assert_true(r->max6 >= r->min6 && (isnan(t) || (r->max6 >= t && r->min6 <= t)));
}

/* NWS: heat index of the Weather Prediction Center's page, wind chill of 2001. */
static double apparent(double t, double r, double knots)
{
    double v = pow(knots * 1.150779, 0.16);
    if (t <= 50 && knots * 1.150779 > 3)
        return 35.74 + 0.6215 * t - 35.75 * v + 0.4275 * t * v;
    double steadman = 0.5 * (t + 61.0 + ((t - 68.0) * 1.2) + (r * 0.094));
    if (t < 80)
        return t;
    if ((steadman + t) / 2 < 80)
        return (steadman + t) / 2;
    double hi = -42.379 + 2.04901523 * t + 10.14333127 * r - .22475541 * t * r - .00683783 * t * t -
                .05481717 * r * r + .00122874 * t * t * r + .00085282 * t * r * r -
                .00000199 * t * t * r * r;
    if (r < 13 && t <= 112)
        hi -= ((13 - r) / 4) * sqrt((17 - fabs(t - 95.)) / 17);
    if (r > 85 && t <= 87)
        hi += ((r - 85) / 10) * ((87 - t) / 5);
    return hi;
}

static void check_derived(const struct csv_row *c, const struct report *r)
{
    double t = (isnan(r->t) ? r->t_body : r->t), d = isnan(r->t) ? r->d_body : r->d;
    t = (fahrenheit(t) - 32) / 1.8;
    d = (fahrenheit(d) - 32) / 1.8;
    double es = 6.112 * exp(17.67 * t / (t + 243.5)), e = 6.112 * exp(17.67 * d / (d + 243.5));
    double rh = 100 * e / es;
    same(c, RELH, rh, 0.0051);
    same(c, FEEL, isnan(rh) || isnan(r->speed) ? NAN : apparent(t * 1.8 + 32, rh, r->speed), 0.011);
}

static void check_wind(const struct csv_row *c, const struct report *r)
{
    same(c, DRCT, r->from, 0);
    same(c, SKNT, r->speed, 0);
    same(c, GUST, r->gust, 0);
    same(c, PEAK_GUST, r->peak, 0);
    same(c, PEAK_DRCT, r->peak_from, 0);
    assert_true(isnan(r->gust) || r->gust > r->speed);
    assert_true(isnan(r->from) || (r->from <= 360 && fmod(r->from, 10) == 0));
    assert_true(isnan(r->speed) || (r->speed == 0) == (r->from == 0));
    assert_int_equal(c->field[PEAK_TIME][0] == '\0', isnan(r->peak));
    if (isnan(r->peak))
        return;
    char clock[8];
    snprintf(clock, sizeof(clock), "%.2s%.2s", c->field[PEAK_TIME] + 11, c->field[PEAK_TIME] + 14);
    assert_string_equal(clock, r->peak_clock);
    assert_true(strcmp(c->field[PEAK_TIME], c->field[VALID]) <= 0 && r->peak > 25);
}

static void check_sky(const struct csv_row *c, const struct report *r)
{
    static const enum column cover[] = { SKYC1, SKYC2, SKYC3, SKYC4 };
    static const enum column height[] = { SKYL1, SKYL2, SKYL3, SKYL4 };
    assert_true(r->layers >= 1);
    for (int i = 0; i < 4; i++) {
        char text[8];
        bool has = i < r->layers;
        snprintf(text, sizeof(text), "%s%s", has ? r->sky[i] : "",
                 has && strcmp(r->sky[i], "VV") == 0 ? " " : "");
        assert_string_equal(c->field[cover[i]], text);
        same(c, height[i], has ? r->height[i] : NAN, 0);
        if (has && i > 0)
            assert_true(r->height[i] > r->height[i - 1]);
    }
    same(c, VSBY, r->miles, 0);
    same(c, ALTI, r->altimeter, 0.0001);
    same(c, MSLP, r->slp, 0.0001);
}

static void check_amounts(const struct csv_row *c, const struct report *r)
{
    int hour = (r->clock / 100 + 1) % 24;
    same(c, P01I, isnan(r->p1) ? 0 : r->p1, 1e-9);
    same(c, P03I, hour % 6 == 3 ? r->six : NAN, 1e-9);
    same(c, P06I, hour % 6 == 0 ? r->six : NAN, 1e-9);
    same(c, P24I, r->p24, 1e-9);
    same(c, ICE1, r->i1, 1e-9);
    same(c, ICE3, r->i3, 1e-9);
    same(c, ICE6, r->i6, 1e-9);
    same(c, SNOWDEPTH, r->depth, 0);
    assert_true(isnan(r->six) || hour % 3 == 0);
    assert_true(isnan(r->p24) || hour == 12);
    if (!isnan(r->six) && !isnan(r->p1))
        assert_true(r->six >= r->p1 - 1e-9);
}

static void check_rest(const struct csv_row *c, const struct report *r)
{
    char text[96] = "", icao[8];
    if (r->weather[0] != '\0')
        snprintf(text, sizeof(text), "{%s}", r->weather);
    assert_string_equal(c->field[WXCODES], text);
    assert_int_equal(c->quoted[WXCODES], strchr(text, ',') != NULL);
    snprintf(icao, sizeof(icao), "%s%s", strlen(c->field[STATION]) == 3 ? "K" : "",
             c->field[STATION]);
    assert_string_equal(r->icao, icao);
    assert_int_equal(r->day, (int)strtol(c->field[VALID] + 8, NULL, 10));
    assert_int_equal(r->clock, (int)strtol(c->field[VALID] + 11, NULL, 10) * 100 +
                                   (int)strtol(c->field[VALID] + 14, NULL, 10));
    assert_string_equal(c->field[VALID] + 16, ":00+00");
    assert_string_equal(c->field[EDITABLE], "t");
    int type = (int)strtol(c->field[REPORT_TYPE], NULL, 10);
    assert_true(type == 3 || type == 4);
    assert_int_equal(type == 3, r->clock % 100 >= 51);
    assert_true(type == 3 || isnan(r->max6));
}

struct totals {
    long rows, specials, gusts, peaks, snow, thunder, ice, traces, lost;
    double low, high;
};

static void count(struct totals *t, const struct csv_row *c, const struct report *r)
{
    double f = strtod(c->field[TMPF], NULL);
    t->rows++;
    t->specials += c->field[REPORT_TYPE][0] == '4';
    t->gusts += !isnan(r->gust);
    t->peaks += !isnan(r->peak);
    t->snow += strstr(r->weather, "SN") != NULL;
    t->thunder += strstr(r->weather, "TS") != NULL;
    t->ice += !isnan(r->i1);
    t->traces += r->p1 == 0.0001;
    t->lost += c->field[TMPF][0] == '\0';
    t->low = f < t->low ? f : t->low;
    t->high = f > t->high ? f : t->high;
}

static void check_unit(char *rows, struct totals *t)
{
    char last[80] = "", now[80], *state = NULL;
    for (char *line = strtok_r(rows, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
        struct csv_row c;
        struct report r;
        split(line, &c);
        read_report(&r, c.field[METAR]);
        check_temps(&c, &r);
        check_derived(&c, &r);
        check_wind(&c, &r);
        check_sky(&c, &r);
        check_amounts(&c, &r);
        check_rest(&c, &r);
        snprintf(now, sizeof(now), "%s %s", c.field[STATION], c.field[VALID]);
        assert_true(strcmp(last, now) < 0);
        memcpy(last, now, sizeof(last));
        count(t, &c, &r);
    }
}

static void text_equals_columns(void **state)
{
    struct synth_options o;
    struct synth_plan plan;
    struct err e = ERR_INIT;
    struct totals t = { .low = 999, .high = -999 };
    (void)state;
    synth_options_init(&o);
    o.end = civil_days(2024, 6, 15);
    o.stations = STATIONS;
    assert_true(synth_plan_init(&plan, &o, &e));
    const struct synth_table_info *table = synth_table(SYNTH_METAR);
    for (size_t unit = 0; unit < table->units(&plan); unit++) {
        struct buf b = BUF_INIT(BUF_LIMIT_SEGMENT);
        long before = t.rows;
        uint64_t rows = table->make(&plan, unit, &b);
        assert_false(b.failed);
        check_unit(b.data, &t);
        assert_int_equal(t.rows - before, (long)rows);
        buf_release(&b);
    }
    synth_plan_release(&plan);
    double days = 366.0 * STATIONS;
    assert_true(t.rows / days > 24 && t.rows / days < 32);
    assert_true(t.specials > t.rows / 20 && t.gusts > t.rows / 50 && t.peaks > t.rows / 500);
    assert_true(t.snow > 1000 && t.thunder > 1000 && t.ice > 50 && t.traces > 1000);
    assert_true(t.lost > 100 && t.lost < t.rows / 100);
    assert_true(t.low > -70 && t.low < 0 && t.high > 95 && t.high < 125);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(text_equals_columns) };
    return cmocka_run_group_tests_name("synth METAR", tests, NULL, NULL);
}
