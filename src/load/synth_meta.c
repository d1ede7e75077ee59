/* Networks, stations and their attributes. */
#include "obstream/load/synth_metar.h"
#include "obstream/load/synth_parts.h"

#include "obstream/core/civil.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char synth_networks_header[] = "id,name,tzname,extent_west,extent_south,extent_east,"
                                     "extent_north,windrose_update\n";

const char synth_stations_header[] =
    "id,synop,name,state,country,elevation,network,online,params,county,plot_name,climate_site,"
    "remote_id,nwn_id,spri,wfo,archive_begin,archive_end,modified,tzname,iemid,metasite,"
    "sigstage_low,sigstage_action,sigstage_bankfull,sigstage_flood,sigstage_moderate,"
    "sigstage_major,sigstage_record,ugc_county,ugc_zone,ncdc81,ncei91,temp24_hour,precip24_hour,"
    "wigos,lon,lat\n";

/* The kinds of networks a state has. */
struct kind {
    const char *suffix, *name;
};

static const struct kind kinds[] = { { "_ASOS", "ASOS" },
                                     { "CLIMATE", "Long Term Climate Sites" },
                                     { "_DCP", "DCP" } };

enum { KIND_METAR, KIND_CLIMATE, KIND_SHEF, KINDS };

/* One row of stations.csv. */
struct row {
    const struct fact_station *fact;
    const char *id, *name;
    char climate_site[8];
    bool normals;
    int hour; /* of the daily observation, -1 none */
    int64_t begin, end;
    int iemid, kind;
};

static void put_day(struct buf *out, int64_t days)
{
    int year, month, day;
    civil_from_days(days, &year, &month, &day);
    buf_printf(out, "%04d-%02d-%02d", year, month, day);
}

static void put_number(struct buf *out, double v, int places)
{
    char text[40];
    int n = snprintf(text, sizeof(text), "%.*f", places, v);
    while (text[n - 1] == '0')
        n--;
    buf_add(out, text, (size_t)(text[n - 1] == '.' ? n - 1 : n));
}

static void put_station(struct buf *out, const struct row *r)
{
    const struct fact_station *f = r->fact;
    buf_printf(out, "%s,,%s,%s,US,", r->id, r->name, f->state);
    if (f->elevation > FACT_UNKNOWN)
        put_number(out, f->elevation, 1);
    buf_printf(out, ",%s%s,t,,%s,%s,%s,,,,%s,", f->state, kinds[r->kind].suffix, f->county, r->name,
               r->climate_site, f->wfo);
    put_day(out, r->begin);
    buf_puts(out, ",,");
    put_day(out, r->end);
    buf_printf(out, " 00:00:00+00,%s,%d,f,,,,,,,,,,,%s,", fact_zone_name(f->zone), r->iemid,
               r->normals ? r->id : "");
    if (r->hour >= 0)
        buf_printf(out, "%d,%d", r->hour, r->hour);
    else
        buf_putc(out, ',');
    buf_puts(out, ",,");
    put_number(out, f->lon, 4);
    buf_putc(out, ',');
    put_number(out, f->lat, 4);
    buf_putc(out, '\n');
}

/* The climate site of a place: its own thread when that is made, else the state's average. */
static void nearest_climate(const struct synth_plan *p, const struct fact_station *f, size_t metar,
                            char *id, size_t size)
{
    struct synth_climate_site s;
    size_t thread = FACT_CONTIGUOUS + fact_coop_count() + metar;
    id[0] = '\0';
    if (metar != SIZE_MAX && thread < p->o.climodat_stations && synth_climate_site(thread, &s)) {
        snprintf(id, size, "%s", s.id);
        return;
    }
    for (size_t i = 0; i < p->o.climodat_stations && i < FACT_CONTIGUOUS; i++)
        if (strcmp(fact_state(i)->id, f->state) == 0)
            snprintf(id, size, "%s0000", f->state);
}

static uint64_t add_metar(const struct synth_plan *p, struct buf *out)
{
    for (size_t i = 0; i < p->o.stations; i++) {
        size_t at = p->metar[i];
        struct row r = { .fact = fact_metar(at), .hour = -1, .kind = KIND_METAR };
        r.id = r.fact->id;
        r.name = r.fact->name;
        r.begin = synth_begin(&p->o, p->o.years);
        r.end = p->o.end;
        r.iemid = SYNTH_IEMID_METAR + (int)at;
        nearest_climate(p, r.fact, at, r.climate_site, sizeof(r.climate_site));
        put_station(out, &r);
    }
    return p->o.stations;
}

static uint64_t add_shef(const struct synth_plan *p, struct buf *out)
{
    for (size_t i = 0; i < p->o.shef_sites; i++) {
        size_t at = p->shef[i];
        struct row r = { .fact = fact_shef(at), .hour = -1, .kind = KIND_SHEF };
        r.id = r.fact->id;
        r.name = r.fact->name;
        r.begin = synth_begin(&p->o, p->o.shef_years);
        r.end = p->o.end;
        r.iemid = SYNTH_IEMID_SHEF + (int)at;
        nearest_climate(p, r.fact, SIZE_MAX, r.climate_site, sizeof(r.climate_site));
        put_station(out, &r);
    }
    return p->o.shef_sites;
}

static uint64_t add_climate(const struct synth_plan *p, struct buf *out)
{
    for (size_t i = 0; i < p->o.climodat_stations; i++) {
        struct synth_climate_site s;
        if (!synth_climate_site(p->climodat[i], &s))
            continue;
        struct row r = { .fact = &s.fact, .id = s.id, .name = s.name, .kind = KIND_CLIMATE };
        r.normals = true;
        r.hour = s.kind == CLIMATE_THREAD ? 24 : 7;
        r.begin = synth_begin(&p->o, p->o.climodat_years);
        r.end = p->o.end;
        r.iemid = SYNTH_IEMID_CLIMATE + (int)p->climodat[i];
        snprintf(r.climate_site, sizeof(r.climate_site), "%s", s.id);
        put_station(out, &r);
    }
    return p->o.climodat_stations;
}

uint64_t synth_make_stations(const struct synth_plan *p, size_t unit, struct buf *out)
{
    (void)unit;
    return add_metar(p, out) + add_shef(p, out) + add_climate(p, out);
}

/* The box around a state's stations of one kind. */
struct box {
    double west, south, east, north;
    size_t stations;
};

static void extend(struct box *b, const struct fact_station *f)
{
    double lon = f->lon, lat = f->lat;
    if (b->stations++ == 0)
        *b = (struct box){ lon, lat, lon, lat, 1 };
    b->west = lon < b->west ? lon : b->west;
    b->east = lon > b->east ? lon : b->east;
    b->south = lat < b->south ? lat : b->south;
    b->north = lat > b->north ? lat : b->north;
}

static struct box box_of(const struct synth_plan *p, int kind, const char *state)
{
    const struct synth_options *o = &p->o;
    size_t count[KINDS] = { o->stations, o->climodat_stations, o->shef_sites };
    struct box b = { 0 };
    for (size_t i = 0; i < count[kind]; i++) {
        struct synth_climate_site s;
        const struct fact_station *f = &s.fact;
        if (kind == KIND_METAR)
            f = fact_metar(i);
        else if (kind == KIND_SHEF)
            f = fact_shef(i);
        else if (!synth_climate_site(i, &s))
            break;
        if (strcmp(f->state, state) == 0)
            extend(&b, f);
    }
    return b;
}

static void put_network(struct buf *out, const struct fact_state *st, int kind, const struct box *b)
{
    double corners[] = { b->west - 0.1, b->south - 0.1, b->east + 0.1, b->north + 0.1 };
    buf_printf(out, "%s%s,%s %s,%s", st->id, kinds[kind].suffix, st->name, kinds[kind].name,
               fact_zone_name(st->zone));
    for (size_t i = 0; i < sizeof(corners) / sizeof(corners[0]); i++) {
        buf_putc(out, ',');
        put_number(out, corners[i], 4);
    }
    buf_puts(out, ",\n");
}

uint64_t synth_make_networks(const struct synth_plan *p, size_t unit, struct buf *out)
{
    uint64_t rows = 0;
    (void)unit;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < fact_state_count(); i++) {
            const struct fact_state *st = fact_state(i);
            struct box b = box_of(p, kind, st->id);
            if (b.stations == 0)
                continue;
            put_network(out, st, kind, &b);
            rows++;
        }
    return rows;
}

uint64_t synth_make_attributes(const struct synth_plan *p, size_t unit, struct buf *out)
{
    uint64_t rows = 0;
    (void)unit;
    for (size_t i = 0; i < p->o.stations; i++) {
        size_t at = p->metar[i];
        struct metar_station s;
        metar_station_init(&s, p->o.seed, fact_metar(at));
        int iemid = SYNTH_IEMID_METAR + (int)at;
        if (s.awos) {
            buf_printf(out, "%d,IS_AWOS,1\n", iemid);
            rows++;
        }
        buf_printf(out, "%d,METAR_RESET_MINUTE,%d\n", iemid, s.minute);
        rows++;
    }
    return rows;
}
