/* The run of a station through a year: routine reports, specials, and what adds up between them. */
#include "synth_metar_private.h"

#include "obstream/core/civil.h"

#include <stdio.h>
#include <string.h>

enum {
    STEP = 20 * 60, /* seconds between two looks at the air */
    STEPS_PER_HOUR = 3,
    LEAD_IN = 26 * 3600, /* full run before the year, for the sums of the first reports */
    FREEZING_KIND = 3,
};

/* An amount that grows: hundredths seen, and whether there was anything at all. */
struct amount {
    int hundredths;
    bool any;
};

struct run {
    const struct metar_station *s;
    struct synth_sky sky;
    uint64_t key;
    double snow;   /* inches on the ground */
    double fallen; /* all water since the start, inches */
    int tips;      /* hundredths of it that were counted */
    double glazed; /* ice of the hour, inches */
    struct amount p1, p3, p6, p24, i1, i3, i6;
    int max6, min6, max24, min24; /* METAR_ABSENT when nothing was seen */
    int slp[4];                   /* of the last routine reports, newest first */
    int peak, peak_from;
    int64_t peak_t;
    int kind, told_kind; /* precipitation now, and in the last report */
    int told_sky;        /* category of ceiling and visibility there */
    char events[16];
};

static int utc_hour(int64_t t)
{
    return (int)(floor_div(t, 3600) - floor_div(t, 86400) * 24);
}

static void amount_add(struct amount *a, int hundredths, bool any)
{
    a->hundredths += hundredths;
    a->any = a->any || any;
}

static int amount_take(struct amount *a)
{
    int v = a->any ? a->hundredths : METAR_ABSENT;
    *a = (struct amount){ 0 };
    return v;
}

static void extend(int *low, int *high, int v)
{
    if (*low == METAR_ABSENT || v < *low)
        *low = v;
    if (*high == METAR_ABSENT || v > *high)
        *high = v;
}

void metar_station_init(struct metar_station *s, uint64_t seed, const struct fact_station *f)
{
    static const struct {
        const char *id;
        int minute;
    } known[] = { { "DSM", 54 }, { "AMW", 53 } };
    uint64_t h = synth_hash_text(synth_hash(seed, 77), f->id);
    bool major = f->wfo[0] != '\0';
    *s = (struct metar_station){ .fact = f, .minute = 51 + (int)(h % 6) };
    s->awos = !major && (h >> 8) % 100 < 35;
    s->automatic = s->awos || !major || (h >> 16) % 100 < 40;
    if (s->awos)
        s->minute = 55;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].id, f->id) == 0)
            s->minute = known[i].minute;
    size_t n = strlen(f->id);
    s->icao[0] = 'K';
    memcpy(s->icao + (n == 3), f->id, n);
}

/* Ceiling and visibility in the classes whose change calls for a special (FMH-1, 2.5.2). */
static int sky_class(const struct metar_obs *o)
{
    double miles = 10;
    int ceiling = 999;
    if (o->vis != METAR_ABSENT)
        metar_visibility(o->vis, &miles);
    for (int i = o->layers - 1; i >= 0; i--)
        if (o->cover[i] >= COVER_BKN)
            ceiling = o->height[i];
    int v = miles < 1 ? 0 : miles < 3 ? 1 : 2;
    int c = ceiling < 5 ? 0 : ceiling < 10 ? 1 : ceiling < 15 ? 2 : ceiling < 30 ? 3 : 4;
    return v * 8 + c;
}

static void note_event(struct run *r, int kind, int64_t t)
{
    int minute = (int)(floor_div(t, 60) - floor_div(t, 3600) * 60);
    char *e = r->events;
    if (kind != 0)
        snprintf(e, sizeof(r->events), "%sB%02d", metar_event_name(kind), minute);
    else if (e[0] != '\0' && strchr(e, 'E') == NULL)
        snprintf(e + strlen(e), sizeof(r->events) - strlen(e), "E%02d", minute);
    else
        snprintf(e, sizeof(r->events), "%sE%02d", metar_event_name(r->kind), minute);
    r->kind = kind;
}

/* What happens whether or not anybody reports it. */
static void live(struct run *r, const struct synth_air *a, const struct metar_obs *o, int kind,
                 int64_t t)
{
    double hours = 1.0 / STEPS_PER_HOUR, fell;
    r->snow = synth_snow_step(r->snow, a, hours, &fell);
    r->fallen += a->rate * hours;
    int tips = (int)(r->fallen * 100) - r->tips;
    r->tips += tips;
    amount_add(&r->p1, tips, kind != 0 || tips > 0);
    if (kind == FREEZING_KIND) {
        r->glazed += a->rate * hours * 0.6;
        r->i1.any = true;
    }
    extend(&r->min6, &r->max6, o->temp);
    extend(&r->min24, &r->max24, o->temp);
    int top = (int)(a->speed * a->gustiness + 2.5);
    if (top > 25 && (r->peak == METAR_ABSENT || top > r->peak)) {
        int from = (int)(a->from / 10 + 0.5) * 10;
        r->peak = top;
        r->peak_from = from == 0 ? 360 : from;
        r->peak_t = t - (int64_t)(synth_hash(r->key, (uint64_t)t) % 9) * 60;
    }
    if (kind != r->kind)
        note_event(r, kind, t);
}

/* Remarks that routine and special reports share. */
static void remarks(const struct run *r, struct metar_obs *o)
{
    if (r->p1.any)
        o->p1 = r->p1.hundredths;
    if (r->s->awos)
        return;
    memcpy(o->events, r->events, sizeof(o->events));
    if (r->peak != METAR_ABSENT) {
        o->peak = r->peak;
        o->peak_from = r->peak_from;
        o->peak_t = r->peak_t;
    }
    if (o->peak != METAR_ABSENT && o->gust != METAR_ABSENT && o->gust > o->peak)
        o->peak = o->gust;
}

static void hourly_sums(struct run *r, struct metar_obs *o)
{
    int tips = r->p1.hundredths, ice = (int)(r->glazed * 100);
    bool any = r->p1.any, glaze = r->i1.any;
    amount_add(&r->p3, tips, any);
    amount_add(&r->p6, tips, any);
    amount_add(&r->p24, tips, any);
    amount_add(&r->i3, ice, glaze);
    amount_add(&r->i6, ice, glaze);
    r->p1 = r->i1 = (struct amount){ 0 };
    r->glazed = 0;
    if (glaze && !r->s->awos)
        o->ice1 = ice;
}

/* The groups of the hours 00, 03, 06 ... UTC and of local midnight. */
static void synoptic(struct run *r, struct metar_obs *o, int hour)
{
    int p3 = METAR_ABSENT, p6 = METAR_ABSENT, p24 = METAR_ABSENT, i3 = p3, i6 = p3;
    int local = (hour + 24 + fact_zone_hours(r->s->fact->zone)) % 24;
    bool six = hour % 6 == 0, three = hour % 3 == 0, quiet = r->s->awos;
    if (three) {
        p3 = amount_take(&r->p3);
        i3 = amount_take(&r->i3);
    }
    if (six) {
        p6 = amount_take(&r->p6);
        i6 = amount_take(&r->i6);
    }
    if (hour == 12)
        p24 = amount_take(&r->p24);
    if (!quiet) {
        o->p3 = six ? METAR_ABSENT : p3;
        o->p6 = p6;
        o->p24 = p24;
        o->ice3 = i3;
        o->ice6 = i6;
        o->max6 = six ? r->max6 : METAR_ABSENT;
        o->min6 = six ? r->min6 : METAR_ABSENT;
        o->max24 = local == 0 ? r->max24 : METAR_ABSENT;
        o->min24 = local == 0 ? r->min24 : METAR_ABSENT;
        if (six && r->snow >= 0.5)
            o->snow_depth = (int)(r->snow + 0.5);
        if (three && r->slp[3] != METAR_ABSENT && o->slp != METAR_ABSENT)
            o->tendency = o->slp - r->slp[3];
    }
    if (six)
        r->max6 = r->min6 = METAR_ABSENT;
    if (local == 0)
        r->max24 = r->min24 = METAR_ABSENT;
}

static void routine(struct run *r, struct metar_obs *o)
{
    int hour = (utc_hour(o->t) + 1) % 24;
    remarks(r, o);
    hourly_sums(r, o);
    memmove(r->slp + 1, r->slp, 3 * sizeof(r->slp[0]));
    r->slp[0] = o->slp;
    synoptic(r, o, hour);
    r->events[0] = '\0';
    r->peak = METAR_ABSENT;
}

/* A station is down for some hours on one day in 250, and loses one report in 300. */
static bool lost(const struct run *r, int64_t t, uint64_t dice)
{
    uint64_t day = synth_hash(r->key, (uint64_t)floor_div(t, 86400) ^ 0x5a5a);
    int64_t from = (int64_t)(day >> 16) % 20, hours = 2 + (int64_t)(day >> 32 & 7);
    int64_t hour = utc_hour(t);
    if (day % 250 == 0 && hour >= from && hour < from + hours)
        return true;
    return (dice >> 52) % 300 == 0;
}

static bool is_special(const struct run *r, const struct metar_obs *o, int kind)
{
    if (r->s->awos)
        return false;
    return (kind != 0) != (r->told_kind != 0) || sky_class(o) != r->told_sky;
}

static void step(struct run *r, int64_t t, bool on_hour, bool report,
                 void (*emit)(void *ctx, const struct metar_obs *o), void *ctx)
{
    struct synth_air air;
    struct metar_obs o;
    uint64_t dice = synth_hash(r->key, (uint64_t)t);
    synth_air_at(&r->sky, t, &air);
    int kind = metar_observe(r->s, &air, r->snow, dice, &o);
    o.t = t;
    live(r, &air, &o, kind, t);
    if (on_hour)
        routine(r, &o);
    else if (!report || !is_special(r, &o, kind))
        return;
    else
        remarks(r, &o);
    o.special = !on_hour;
    r->told_kind = kind;
    r->told_sky = sky_class(&o);
    if (!report || lost(r, t, dice))
        return;
    metar_drop_some(dice, &o);
    emit(ctx, &o);
}

/* Snow lies for months: from October on, in coarse steps. */
static double snow_before(struct synth_sky *sky, int64_t from, int64_t to)
{
    double snow = 0, fell;
    struct synth_air air;
    for (int64_t t = from; t < to; t += 3 * 3600) {
        synth_air_core(sky, t, &air);
        snow = synth_snow_step(snow, &air, 3, &fell);
    }
    return snow;
}

void metar_year(const struct metar_station *s, uint64_t seed, int64_t begin, int64_t end,
                void (*emit)(void *ctx, const struct metar_obs *o), void *ctx)
{
    struct run r = { .s = s, .key = synth_hash_text(synth_hash(seed, 78), s->fact->id) };
    int year, month, day;
    civil_from_days(floor_div(begin, 86400), &year, &month, &day);
    int64_t start = civil_days(year, 1, 1) * 86400 - LEAD_IN;
    synth_sky_init(&r.sky, seed, s->fact);
    r.snow = snow_before(&r.sky, civil_days(year - 1, 10, 1) * 86400, start);
    r.max6 = r.min6 = r.max24 = r.min24 = r.peak = METAR_ABSENT;
    for (int i = 0; i < 4; i++)
        r.slp[i] = METAR_ABSENT;
    for (int64_t hour = start; hour < end; hour += 3600)
        for (int i = STEPS_PER_HOUR - 1; i >= 0; i--) {
            int64_t t = hour + s->minute * 60 - i * STEP;
            if (t < end)
                step(&r, t, i == 0, t >= begin, emit, ctx);
        }
}
