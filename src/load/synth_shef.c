/*
 * hads.raw: gauges with stage and flow, rain buckets, reservoirs, air temperature, and at some
 * sites the observer's daily report.
 *
 * Rain of the weather field runs through a quick and a slow linear reservoir into the river; stage
 * follows flow by a power-law rating. Every calendar year is run from 1 October before it (the
 * start of the water year, when the PC accumulators are reset), so that a year can be made alone.
 */
#include "obstream/load/synth_parts.h"
#include "obstream/load/synth_weather.h"

#include "obstream/core/civil.h"

#include <math.h>
#include <string.h>

const char synth_shef_header[] =
    "station,valid,key,value,depth,unit_convention,qualifier,dv_interval\n";
const char synth_current_header[] =
    "station,valid,physical_code,duration,source,type,extremum,probability,value,depth,"
    "dv_interval,qualifier,unit_convention,product_id,comment\n";

enum {
    QUARTER = 900,   /* seconds; the step of the run */
    REPORT_HOUR = 7, /* of the daily report, local standard time */
    MOST_KEYS = 12,
};

enum shef_key { HG, HP, LS, PC, PPD, PPH, QR, SD, SFD, TA, TN, TX, KEY_COUNT };

/* By code, which is the order of the rows of one time. */
static const struct {
    const char *code;
    int places;
} keys[KEY_COUNT] = {
    [HG] = { "HGIRGZZ", 2 }, [HP] = { "HPIRGZZ", 2 },  [LS] = { "LSIRGZZ", 1 },
    [PC] = { "PCIRGZZ", 2 }, [PPD] = { "PPDRZZZ", 2 }, [PPH] = { "PPHRGZZ", 2 },
    [QR] = { "QRIRGZZ", 3 }, [SD] = { "SDIRZZZ", 0 },  [SFD] = { "SFDRZZZ", 1 },
    [TA] = { "TAIRGZZ", 0 }, [TN] = { "TAIRZNZ", 0 },  [TX] = { "TAIRZXZ", 0 },
};

struct value {
    enum shef_key key;
    double v;
    bool trace;
    char qualifier; /* 0 none */
};

struct site {
    const struct fact_station *fact;
    uint64_t key;
    struct synth_sky sky;
    bool reservoir, observer;
    int every;                           /* seconds between reports of stage and accumulated rain */
    double base_flow, area, quick, slow; /* kcfs; kcfs per inch an hour; hours */
    double low_stage, rating, pool, pool_area;
};

struct run {
    struct site s;
    double fast_store, slow_store, pool_store; /* inches, inches, kcfs-hours */
    double fallen, hour_mark, day_mark;        /* inches since October */
    double snow, day_snow, high, low;
    struct value now[MOST_KEYS];
    int count;
    void (*emit)(void *ctx, const struct site *s, int64_t t, const struct value *v);
    void *ctx;
};

static bool has_word(const char *name, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strstr(name, *words) != NULL)
            return true;
    return false;
}

static void site_init(struct site *s, uint64_t seed, const struct fact_station *f)
{
    static const char *const pools[] = { "Lake", "Reservoir", " Dam", "Pool", NULL };
    static const char *const great[] = { "Mississippi", "Missouri",    "Tennessee",
                                         "Kanawha",     "Connecticut", NULL };
    static const char *const small[] = { "Creek", "Run", "Brook", "Wash", NULL };
    uint64_t h = synth_hash_text(synth_hash(seed, 91), f->id);
    double u = synth_unit(h), w = synth_unit(synth_hash(h, 1));
    double size = has_word(f->name, great) ? 50 : has_word(f->name, small) ? 0.03 : 0.5;
    *s = (struct site){ .fact = f, .key = h };
    synth_sky_init(&s->sky, seed, f);
    s->reservoir = has_word(f->name, pools) && strstr(f->name, "below") == NULL;
    s->observer = (h >> 5) % 5 < 2;
    s->every = (h >> 9) % 3 == 0 ? 3600 : QUARTER;
    s->base_flow = size * (0.5 + 2 * u) * s->sky.climate.precip / 35;
    double runoff = s->sky.climate.precip / 8766 * 0.4; /* inches an hour */
    s->area = 0.75 * s->base_flow / runoff;             /* so that the mean flow is the base */
    s->quick = 16 + 40 * w + 20 * log(1 + size);
    s->slow = 250 + 200 * u;
    s->low_stage = 1 + 4 * w;
    s->rating = (5 + 6 * u) / pow(s->base_flow * 10, 0.45); /* ten times the base: 5 to 11 feet */
    s->pool = (double)((h >> 20) % 1500) / 2 + 400;
    s->pool_area = 400 + 4000 * w;
}

static double flow_of(const struct run *r)
{
    const struct site *s = &r->s;
    return s->base_flow * 0.25 +
           s->area * (0.55 * r->fast_store / s->quick + 0.45 * r->slow_store / s->slow);
}

static void flow_step(struct run *r, const struct synth_air *a, double hours)
{
    double frozen = a->temp < 33 ? 0.1 : 0.45; /* part of the rain that runs off */
    double in = a->rate * hours * frozen;
    r->fast_store += in - r->fast_store * hours / r->s.quick;
    r->slow_store += in - r->slow_store * hours / r->s.slow;
    double fill = (flow_of(r) - r->s.base_flow) * hours;
    r->pool_store += fill - r->pool_store * hours / 500;
}

static double stage_of(const struct site *s, double flow)
{
    return s->low_stage + s->rating * pow(flow, 0.45);
}

static void add_value(struct run *r, enum shef_key key, double v)
{
    if (r->count < MOST_KEYS)
        r->now[r->count++] = (struct value){ .key = key, .v = v };
}

static void add_rain(struct run *r, enum shef_key key, double fallen, double mark)
{
    int tips = (int)(fallen * 100) - (int)(mark * 100);
    add_value(r, key, tips / 100.0);
    if (key == PPD && tips == 0 && fallen > mark)
        r->now[r->count - 1].trace = true;
}

static void add_levels(struct run *r)
{
    const struct site *s = &r->s;
    double flow = flow_of(r);
    if (s->reservoir) {
        double x = r->pool_store / (s->base_flow * 120);
        double level = x > 0 ? 12 * (1 - exp(-x / 4)) : -6 * (1 - exp(x / 3));
        add_value(r, HP, s->pool + level);
        add_value(r, LS, s->pool_area / 20 * pow(1 + (level + 15) / 60, 2.2));
        return;
    }
    add_value(r, HG, stage_of(s, flow));
    add_value(r, QR, flow);
}

static void add_daily(struct run *r)
{
    add_rain(r, PPD, r->fallen, r->day_mark);
    add_value(r, TX, round(r->high));
    add_value(r, TN, round(r->low));
    bool winter = r->snow > 0 || r->day_snow > 0;
    if (winter || r->s.fact->lat > 40) {
        add_value(r, SFD, r->day_snow);
        add_value(r, SD, round(r->snow));
    }
    r->day_mark = r->fallen;
    r->day_snow = 0;
    r->high = -999;
    r->low = 999;
}

/* One value in 400 is lost, one in 300 carries a qualifier. */
static void flush(struct run *r, int64_t t)
{
    for (int i = 1; i < r->count; i++) /* by key: a dozen at most */
        for (int k = i; k > 0 && r->now[k].key < r->now[k - 1].key; k--) {
            struct value swap = r->now[k];
            r->now[k] = r->now[k - 1];
            r->now[k - 1] = swap;
        }
    for (int i = 0; i < r->count; i++) {
        struct value *v = &r->now[i];
        uint64_t dice = synth_hash(r->s.key ^ (uint64_t)v->key << 56, (uint64_t)t);
        if (dice % 400 == 0)
            continue;
        if ((dice >> 16) % 300 == 0)
            v->qualifier = "EQSV"[dice >> 40 & 3];
        r->emit(r->ctx, &r->s, t, v);
    }
    r->count = 0;
}

static void report(struct run *r, const struct synth_air *a, int64_t t)
{
    int64_t hour = floor_div(t, 3600), local = hour + fact_zone_hours(r->s.fact->zone);
    bool on_hour = hour * 3600 == t;
    bool daily = on_hour && local - floor_div(local, 24) * 24 == REPORT_HOUR;
    if (floor_div(t, r->s.every) * r->s.every == t) {
        add_levels(r);
        add_value(r, PC, (int)(r->fallen * 100) / 100.0);
    }
    if (on_hour) {
        add_rain(r, PPH, r->fallen, r->hour_mark);
        add_value(r, TA, round(a->temp));
        r->hour_mark = r->fallen;
    }
    if (daily && r->s.observer)
        add_daily(r);
}

static void step(struct run *r, int64_t t, int64_t reset)
{
    struct synth_air a;
    double hours = QUARTER / 3600.0, fell;
    synth_air_core(&r->s.sky, t, &a);
    if (t == reset)
        r->fallen = r->hour_mark = r->day_mark = 0;
    r->fallen += a.rate * hours;
    r->snow = synth_snow_step(r->snow, &a, hours, &fell);
    r->day_snow += fell;
    r->high = a.temp > r->high ? a.temp : r->high;
    r->low = a.temp < r->low ? a.temp : r->low;
    flow_step(r, &a, hours);
    report(r, &a, t);
}

/* The values of a site from `begin` to before `end`, Unix seconds within one calendar year. */
static void site_year(struct run *r, int64_t begin, int64_t end)
{
    int year, month, day;
    civil_from_days(floor_div(begin, 86400), &year, &month, &day);
    int64_t start = civil_days(year - 1, 10, 1) * 86400;
    int64_t reset = civil_days(year, 10, 1) * 86400;
    double mean = r->s.sky.climate.precip / 8766 * 0.4; /* inches an hour that run off */
    r->fast_store = mean * r->s.quick;
    r->slow_store = mean * r->s.slow;
    r->high = -999;
    r->low = 999;
    for (int64_t t = start; t < end; t += QUARTER) {
        step(r, t, reset);
        if (t >= begin)
            flush(r, t);
        r->count = 0;
    }
}

/* ---- tables ---- */

/* Rows by the million: no printf. As PostgreSQL prints a number, without trailing zeros. */
static char *put_scaled(char *p, double v, int places)
{
    static const int units[] = { 1, 10, 100, 1000 };
    long x = lround(v * units[places]);
    char digits[24];
    int n = 0;
    if (x < 0) {
        *p++ = '-';
        x = -x;
    }
    for (; places > 0 && x % 10 == 0; places--)
        x /= 10;
    for (; n < places; x /= 10)
        digits[n++] = (char)('0' + x % 10);
    if (places > 0)
        digits[n++] = '.';
    do {
        digits[n++] = (char)('0' + x % 10);
        x /= 10;
    } while (x > 0);
    while (n > 0)
        *p++ = digits[--n];
    return p;
}

struct rows {
    struct buf *out;
    uint64_t count;
    int64_t day; /* whose text stands in `date` */
    char date[12];
};

static void two(char *p, int v)
{
    p[0] = (char)('0' + v / 10);
    p[1] = (char)('0' + v % 10);
}

static char *put_text(char *p, const char *s)
{
    size_t n = strlen(s);
    memcpy(p, s, n);
    return p + n;
}

static void set_day(struct rows *r, int64_t day)
{
    int year, month, mday;
    civil_from_days(day, &year, &month, &mday);
    memcpy(r->date, "0000-00-00", 11);
    two(r->date, year / 100);
    two(r->date + 2, year % 100);
    two(r->date + 5, month);
    two(r->date + 8, mday);
    r->day = day;
}

static void add_row(void *ctx, const struct site *s, int64_t t, const struct value *v)
{
    struct rows *r = ctx;
    char *p = buf_tail(r->out, 160);
    int64_t day = floor_div(t, 86400);
    int minute = (int)((t - day * 86400) / 60);
    if (p == NULL)
        return;
    if (day != r->day)
        set_day(r, day);
    char clock[] = " 00:00:00+00,";
    two(clock + 1, minute / 60);
    two(clock + 4, minute % 60);
    p = put_text(p, s->fact->id);
    *p++ = ',';
    p = put_text(put_text(p, r->date), clock);
    p = put_text(p, keys[v->key].code);
    *p++ = ',';
    p = v->trace ? put_text(p, "0.0001") : put_scaled(p, v->v, keys[v->key].places);
    p = put_text(p, ",,E,");
    if (v->qualifier != 0)
        *p++ = v->qualifier;
    p = put_text(p, ",\n");
    buf_advance(r->out, p);
    r->count++;
}

uint64_t synth_make_shef(const struct synth_plan *p, size_t unit, struct buf *out)
{
    int64_t first = synth_begin(&p->o, p->o.shef_years), begin, end;
    size_t at = p->shef[synth_year_unit(unit, first, p->o.end, &begin, &end)];
    struct rows rows = { .out = out, .day = INT64_MIN };
    struct run r = { .emit = add_row, .ctx = &rows };
    site_init(&r.s, p->o.seed, fact_shef(at));
    site_year(&r, begin * 86400, end * 86400);
    return rows.count;
}

/* The newest value of each key. */
struct newest {
    struct value value[KEY_COUNT];
    int64_t t[KEY_COUNT];
    bool seen[KEY_COUNT];
};

static void keep_newest(void *ctx, const struct site *s, int64_t t, const struct value *v)
{
    struct newest *n = ctx;
    (void)s;
    n->value[v->key] = *v;
    n->t[v->key] = t;
    n->seen[v->key] = true;
}

/* The key in pieces. The columns source and type hold what SHEF calls type and source, as the IEM
 * has them. */
static void put_current(struct buf *out, const char *id, int64_t t, const struct value *v)
{
    const char *k = keys[v->key].code;
    struct civil c = civil_from_usec(t * USEC_PER_SEC);
    char number[32];
    *(v->trace ? put_text(number, "0.0001") : put_scaled(number, v->v, keys[v->key].places)) = '\0';
    buf_printf(out, "%s,%04d-%02d-%02d %02d:%02d:00+00,%.2s,%c,%c,%c,%c,%c,%s,,,", id, c.year,
               c.month, c.day, c.hour, c.minute, k, k[2], k[3], k[4], k[5], k[6], number);
    if (v->qualifier != 0)
        buf_putc(out, v->qualifier);
    buf_puts(out, ",E,,\n");
}

uint64_t synth_make_current(const struct synth_plan *p, size_t unit, struct buf *out)
{
    const struct fact_station *f = fact_shef(p->shef[unit]);
    int64_t first = synth_begin(&p->o, p->o.shef_years), begin = p->o.end - 1;
    struct newest n = { .seen = { false } };
    struct run r = { .emit = keep_newest, .ctx = &n };
    int year, month, day;
    uint64_t rows = 0;
    civil_from_days(begin, &year, &month, &day);
    if (begin - 1 >= first && (month > 1 || day > 1))
        begin--; /* two days, so that each daily key is there */
    site_init(&r.s, p->o.seed, f);
    site_year(&r, begin * 86400, p->o.end * 86400);
    for (int k = 0; k < KEY_COUNT; k++)
        if (n.seen[k]) {
            put_current(out, f->id, n.t[k], &n.value[k]);
            rows++;
        }
    return rows;
}
