/* Which stations and which years: the arithmetic of units. */
#include "obstream/load/synth_metar.h"
#include "obstream/load/synth_parts.h"

#include "obstream/core/civil.h"
#include "obstream/core/clock.h"
#include "obstream/core/strutil.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t synth_climate_count(void)
{
    return FACT_CONTIGUOUS + fact_coop_count() + fact_metar_count();
}

static void state_site(const struct fact_state *st, struct synth_climate_site *s)
{
    s->kind = CLIMATE_STATE;
    snprintf(s->id, sizeof(s->id), "%s0000", st->id);
    snprintf(s->name, sizeof(s->name), "%s Average", st->name);
    s->fact = (struct fact_station){ .lat = st->lat,
                                     .lon = st->lon,
                                     .elevation = st->elevation,
                                     .zone = st->zone,
                                     .wfo = "",
                                     .county = "" };
    memcpy(s->fact.state, st->id, sizeof(st->id));
}

bool synth_climate_site(size_t i, struct synth_climate_site *s)
{
    if (i < FACT_CONTIGUOUS) {
        state_site(fact_state(i), s);
        return true;
    }
    const struct fact_station *f = fact_coop(i - FACT_CONTIGUOUS);
    s->kind = f != NULL ? CLIMATE_COOP : CLIMATE_THREAD;
    if (f == NULL)
        f = fact_metar(i - FACT_CONTIGUOUS - fact_coop_count());
    if (f == NULL)
        return false;
    s->fact = *f;
    if (s->kind == CLIMATE_COOP) {
        snprintf(s->id, sizeof(s->id), "%s", f->id);
        snprintf(s->name, sizeof(s->name), "%s", f->name);
    } else {
        snprintf(s->id, sizeof(s->id), "%sT%s", f->state, f->id + strlen(f->id) - 3);
        snprintf(s->name, sizeof(s->name), "%s Area", f->name);
    }
    return true;
}

static const char *metar_id(size_t i, char *room, size_t size)
{
    snprintf(room, size, "%s", fact_metar(i)->id);
    return room;
}

static const char *shef_id(size_t i, char *room, size_t size)
{
    snprintf(room, size, "%s", fact_shef(i)->id);
    return room;
}

static const char *climate_id(size_t i, char *room, size_t size)
{
    struct synth_climate_site s;
    synth_climate_site(i, &s);
    snprintf(room, size, "%s", s.id);
    return room;
}

typedef const char *id_fn(size_t i, char *room, size_t size);

static int by_id(const void *a, const void *b, void *ctx)
{
    id_fn *id = *(id_fn **)ctx;
    char x[16], y[16];
    return strcmp(id(*(const size_t *)a, x, sizeof(x)), id(*(const size_t *)b, y, sizeof(y)));
}

static size_t *sorted(size_t count, id_fn *id)
{
    size_t *list = calloc(count + 1, sizeof(*list));
    if (list == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        list[i] = i;
    qsort_r(list, count, sizeof(*list), by_id, &id);
    return list;
}

static bool check_max(const char *option, size_t value, size_t max, const char *what, struct err *e)
{
    if (value <= max)
        return true;
    return err_set(e, ERR_PARAM,
                   "%s %zu: there are %zu %s, and none are invented; give %zu or less", option,
                   value, max, what, max);
}

static bool check_years(const char *option, int years, int max, struct err *e)
{
    if (years >= 1 && years <= max)
        return true;
    return err_set(e, ERR_PARAM, "%s %d: give 1 to %d", option, years, max);
}

bool synth_plan_init(struct synth_plan *p, const struct synth_options *o, struct err *e)
{
    *p = (struct synth_plan){ .o = *o };
    if (!check_max("--stations", o->stations, fact_metar_count(), "METAR stations", e) ||
        !check_max("--shef-sites", o->shef_sites, fact_shef_count(), "SHEF sites", e) ||
        !check_max("--climodat-stations", o->climodat_stations, synth_climate_count(),
                   "climodat stations", e) ||
        !check_years("--years", o->years, 130, e) ||
        !check_years("--shef-years", o->shef_years, 130, e) ||
        !check_years("--climodat-years", o->climodat_years, 130, e))
        return false;
    p->metar = sorted(o->stations, metar_id);
    p->shef = sorted(o->shef_sites, shef_id);
    p->climodat = sorted(o->climodat_stations, climate_id);
    if (p->metar != NULL && p->shef != NULL && p->climodat != NULL)
        return true;
    synth_plan_release(p);
    return err_set(e, ERR_INTERNAL, "no memory for the list of stations");
}

void synth_plan_release(struct synth_plan *p)
{
    free(p->metar);
    free(p->shef);
    free(p->climodat);
    p->metar = p->shef = p->climodat = NULL;
}

static int year_of(int64_t day)
{
    int year, month, mday;
    civil_from_days(day, &year, &month, &mday);
    return year;
}

int64_t synth_begin(const struct synth_options *o, int years)
{
    int year, month, day;
    civil_from_days(o->end, &year, &month, &day);
    if (month == 2 && day == 29 && !civil_is_leap(year - years))
        day = 28;
    return civil_days(year - years, month, day);
}

size_t synth_year_units(size_t count, int64_t begin, int64_t end)
{
    return count * (size_t)(year_of(end - 1) - year_of(begin) + 1);
}

size_t synth_year_unit(size_t unit, int64_t range_begin, int64_t range_end, int64_t *begin,
                       int64_t *end)
{
    size_t per = synth_year_units(1, range_begin, range_end);
    int year = year_of(range_begin) + (int)(unit % per);
    *begin = civil_days(year, 1, 1);
    *end = civil_days(year + 1, 1, 1);
    if (*begin < range_begin)
        *begin = range_begin;
    if (*end > range_end)
        *end = range_end;
    return unit / per;
}

void synth_options_init(struct synth_options *o)
{
    *o = (struct synth_options){
        .seed = 1,
        .end = floor_div(clock_wall(), USEC_PER_DAY),
        .years = 1,
        .shef_years = 1,
        .climodat_years = 1,
        .stations = 60,
        .shef_sites = 20,
        .climodat_stations = FACT_CONTIGUOUS + fact_coop_count() + 60,
        .sets = SYNTH_SET_METAR | SYNTH_SET_SHEF | SYNTH_SET_CLIMODAT | SYNTH_SET_NORMALS,
    };
}

static size_t one_unit(const struct synth_plan *p)
{
    (void)p;
    return 1;
}

static size_t metar_units(const struct synth_plan *p)
{
    return synth_year_units(p->o.stations, synth_begin(&p->o, p->o.years), p->o.end);
}

static size_t shef_units(const struct synth_plan *p)
{
    return synth_year_units(p->o.shef_sites, synth_begin(&p->o, p->o.shef_years), p->o.end);
}

static size_t current_units(const struct synth_plan *p)
{
    return p->o.shef_sites;
}

static size_t climate_units(const struct synth_plan *p)
{
    return p->o.climodat_stations;
}

static const struct synth_table_info tables[SYNTH_TABLE_COUNT] = {
    [SYNTH_NETWORKS] = { "networks", "networks", DATASET_MESOSITE, 0, synth_networks_header,
                         one_unit, synth_make_networks },
    [SYNTH_STATIONS] = { "stations", "stations", DATASET_MESOSITE, 0, synth_stations_header,
                         one_unit, synth_make_stations },
    [SYNTH_ATTRIBUTES] = { "station_attributes", "station_attributes", DATASET_MESOSITE, 0,
                           "iemid,attr,value\n", one_unit, synth_make_attributes },
    [SYNTH_METAR] = { "metar", "metar", DATASET_ASOS, SYNTH_SET_METAR, metar_header, metar_units,
                      synth_make_metar },
    [SYNTH_SUMMARY] = { "summary", "summary", DATASET_IEM, SYNTH_SET_SUMMARY, synth_summary_header,
                        metar_units, synth_make_summary },
    [SYNTH_SHEF] = { "shef", "shef", DATASET_HADS, SYNTH_SET_SHEF, synth_shef_header, shef_units,
                     synth_make_shef },
    [SYNTH_CURRENT_SHEF] = { "current_shef", "current_shef", DATASET_IEM, SYNTH_SET_SHEF,
                             synth_current_header, current_units, synth_make_current },
    [SYNTH_COOP] = { "coop", "coop", DATASET_COOP, SYNTH_SET_CLIMODAT, synth_coop_header,
                     climate_units, synth_make_coop },
    [SYNTH_NORMALS] = { "normals", "normals", DATASET_COOP, SYNTH_SET_NORMALS, synth_normals_header,
                        climate_units, synth_make_normals },
};

const struct synth_table_info *synth_table(enum synth_table t)
{
    return &tables[t];
}
