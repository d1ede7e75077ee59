/* asos.alldata, and the daily summaries of the same reports. */
#include "obstream/load/synth_metar.h"
#include "obstream/load/synth_parts.h"

#include "obstream/core/civil.h"
#include "obstream/core/tz.h"

#include <math.h>
#include <string.h>

const char synth_summary_header[] =
    "iemid,day,max_tmpf,min_tmpf,max_dwpf,min_dwpf,max_sknt,max_sknt_ts,max_gust,max_gust_ts,"
    "max_drct,avg_sknt,vector_avg_drct,pday,snowd,max_rh,min_rh,avg_rh,max_feel,min_feel,"
    "avg_feel\n";

struct rows {
    struct buf *out;
    const struct metar_station *s;
    uint64_t count;
};

static void add_row(void *ctx, const struct metar_obs *o)
{
    struct rows *r = ctx;
    metar_csv(r->out, r->s->fact->id, r->s->icao, o);
    r->count++;
}

/* The station and days of a unit of both tables. */
static size_t unit_of(const struct synth_plan *p, size_t unit, int64_t *begin, int64_t *end)
{
    int64_t first = synth_begin(&p->o, p->o.years);
    return p->metar[synth_year_unit(unit, first, p->o.end, begin, end)];
}

uint64_t synth_make_metar(const struct synth_plan *p, size_t unit, struct buf *out)
{
    int64_t begin, end;
    size_t at = unit_of(p, unit, &begin, &end);
    struct metar_station s;
    metar_station_init(&s, p->o.seed, fact_metar(at));
    struct rows r = { .out = out, .s = &s };
    metar_year(&s, p->o.seed, begin * 86400, end * 86400, add_row, &r);
    return r.count;
}

/* ---- daily summaries ---- */

/* Least, largest and mean of what was there. */
struct range {
    double low, high, sum;
    int n;
};

struct day {
    struct buf *out;
    const struct tz *tz;
    int iemid;
    uint64_t count;
    int64_t day, first, last; /* days since 1970-01-01, local; only first to last - 1 are written */
    struct range temp, dew, wind, gust, humid, feel;
    int64_t wind_t, gust_t;
    double east, north;
    int max_from, snow, rain; /* rain in hundredths, METAR_ABSENT none */
    bool open;
};

static bool take(struct range *r, double v)
{
    bool highest = r->n == 0 || v > r->high;
    if (highest)
        r->high = v;
    if (r->n == 0 || v < r->low)
        r->low = v;
    r->sum += v;
    r->n++;
    return highest;
}

static void put_field(struct buf *out, bool there, double v, int places)
{
    if (there)
        buf_printf(out, ",%.*f", places, v);
    else
        buf_putc(out, ',');
}

static void put_pair(struct buf *out, const struct range *r, int places)
{
    put_field(out, r->n > 0, r->high, places);
    put_field(out, r->n > 0, r->low, places);
}

static void put_peak(struct buf *out, const struct range *r, int64_t t)
{
    put_field(out, r->n > 0, r->high, 0);
    if (r->n == 0) {
        buf_putc(out, ',');
        return;
    }
    struct civil c = civil_from_usec(t * USEC_PER_SEC);
    buf_printf(out, ",%04d-%02d-%02d %02d:%02d:00+00", c.year, c.month, c.day, c.hour, c.minute);
}

static void put_rain(struct buf *out, int rain)
{
    if (rain == METAR_TRACE)
        buf_puts(out, ",0.0001");
    else
        put_field(out, true, rain == METAR_ABSENT ? 0 : rain / 100.0, 2);
}

static void put_day(const struct day *d)
{
    int year, month, mday;
    double from = atan2(d->east, d->north) * 57.29577951308232;
    civil_from_days(d->day, &year, &month, &mday);
    buf_printf(d->out, "%d,%04d-%02d-%02d", d->iemid, year, month, mday);
    put_pair(d->out, &d->temp, 1);
    put_pair(d->out, &d->dew, 1);
    put_peak(d->out, &d->wind, d->wind_t);
    put_peak(d->out, &d->gust, d->gust_t);
    put_field(d->out, d->max_from != METAR_ABSENT, d->max_from, 0);
    put_field(d->out, d->wind.n > 0, d->wind.sum / (d->wind.n ? d->wind.n : 1), 3);
    put_field(d->out, d->wind.n > 0, from < 0 ? from + 360 : from, 1);
    put_rain(d->out, d->rain);
    put_field(d->out, d->snow != METAR_ABSENT, d->snow, 0);
    put_pair(d->out, &d->humid, 2);
    put_field(d->out, d->humid.n > 0, d->humid.sum / (d->humid.n ? d->humid.n : 1), 2);
    put_pair(d->out, &d->feel, 2);
    put_field(d->out, d->feel.n > 0, d->feel.sum / (d->feel.n ? d->feel.n : 1), 2);
    buf_putc(d->out, '\n');
}

static void close_day(struct day *d)
{
    if (d->open && d->day >= d->first && d->day < d->last) {
        put_day(d);
        d->count++;
    }
    d->open = false;
}

static void open_day(struct day *d, int64_t day)
{
    struct day fresh = { .out = d->out,
                         .tz = d->tz,
                         .iemid = d->iemid,
                         .count = d->count,
                         .first = d->first,
                         .last = d->last,
                         .day = day,
                         .open = true };
    *d = fresh;
    d->max_from = d->snow = d->rain = METAR_ABSENT;
}

static void take_wind(struct day *d, const struct metar_obs *o)
{
    if (o->speed == METAR_ABSENT)
        return;
    if (take(&d->wind, o->speed)) {
        d->wind_t = o->t;
        if (o->from != METAR_VARIABLE)
            d->max_from = o->from;
    }
    if (o->from != METAR_VARIABLE) {
        d->east += o->speed * sin(o->from / 57.29577951308232);
        d->north += o->speed * cos(o->from / 57.29577951308232);
    }
    int gust = o->peak != METAR_ABSENT ? o->peak : o->gust;
    if (gust != METAR_ABSENT && take(&d->gust, gust))
        d->gust_t = o->peak != METAR_ABSENT ? o->peak_t : o->t;
}

static void add_to_day(void *ctx, const struct metar_obs *o)
{
    struct day *d = ctx;
    int64_t local = o->t + tz_offset(d->tz, o->t * USEC_PER_SEC, NULL, NULL);
    int64_t day = floor_div(local, 86400);
    if (!d->open || day != d->day) {
        close_day(d);
        open_day(d, day);
    }
    if (o->temp != METAR_ABSENT) {
        double t = metar_tenths_f(o->temp) / 10.0;
        take(&d->temp, t);
        if (o->dew != METAR_ABSENT) {
            double dew = metar_tenths_f(o->dew) / 10.0, r = metar_relative_humidity(t, dew);
            take(&d->dew, dew);
            take(&d->humid, r);
            if (o->speed != METAR_ABSENT)
                take(&d->feel, metar_feels_like(t, r, o->speed));
        }
    }
    take_wind(d, o);
    if (!o->special && o->p1 != METAR_ABSENT)
        d->rain = (d->rain == METAR_ABSENT ? 0 : d->rain) + o->p1;
    if (o->snow_depth != METAR_ABSENT)
        d->snow = o->snow_depth;
}

uint64_t synth_make_summary(const struct synth_plan *p, size_t unit, struct buf *out)
{
    int64_t begin, end;
    size_t at = unit_of(p, unit, &begin, &end);
    struct metar_station s;
    metar_station_init(&s, p->o.seed, fact_metar(at));
    struct day d = { .out = out,
                     .tz = tz_find(fact_zone_name(s.fact->zone)),
                     .iemid = SYNTH_IEMID_METAR + (int)at,
                     .first = begin,
                     .last = end };
    if (d.tz == NULL)
        d.tz = tz_utc();
    /* the local day starts up to ten hours after the UTC day; ask for the next one's start too,
     * which lies in another calendar year at the end of a unit */
    metar_year(&s, p->o.seed, begin * 86400, end * 86400, add_to_day, &d);
    if (end < p->o.end)
        metar_year(&s, p->o.seed, end * 86400, (end + 1) * 86400, add_to_day, &d);
    close_day(&d);
    return d.count;
}
