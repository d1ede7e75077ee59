/* Between the parts of the generator: stations by number, units by number, the tables' makers. */
#ifndef OBSTREAM_LOAD_SYNTH_PARTS_H
#define OBSTREAM_LOAD_SYNTH_PARTS_H

#include "obstream/load/facts.h"
#include "obstream/load/synth.h"

/* Kinds of climodat stations, in the order in which --climodat-stations takes them. */
enum synth_climate_kind { CLIMATE_STATE, CLIMATE_COOP, CLIMATE_THREAD };

struct synth_climate_site {
    enum synth_climate_kind kind;
    char id[8]; /* IA0000, IA0200, IATDSM */
    char name[80];
    struct fact_station fact; /* the place; its id is `id` above once copied, so use that */
};

/* The climodat stations number 0 to count - 1; false beyond. */
bool synth_climate_site(size_t i, struct synth_climate_site *s);
size_t synth_climate_count(void);

/* iemid: a range per table, by position in the table, so that it never changes. */
enum { SYNTH_IEMID_METAR = 200000, SYNTH_IEMID_SHEF = 210000, SYNTH_IEMID_CLIMATE = 220000 };

/* Units of `count` stations over the calendar years of a range of days. */
size_t synth_year_units(size_t count, int64_t begin, int64_t end);
/* Which station, and which days of it: end is exclusive. */
size_t synth_year_unit(size_t unit, int64_t range_begin, int64_t range_end, int64_t *begin,
                       int64_t *end);
int64_t synth_begin(const struct synth_options *o, int years);

extern const char synth_stations_header[], synth_networks_header[], synth_summary_header[],
    synth_shef_header[], synth_current_header[], synth_coop_header[], synth_normals_header[];

uint64_t synth_make_networks(const struct synth_plan *p, size_t unit, struct buf *out);
uint64_t synth_make_stations(const struct synth_plan *p, size_t unit, struct buf *out);
uint64_t synth_make_attributes(const struct synth_plan *p, size_t unit, struct buf *out);
uint64_t synth_make_metar(const struct synth_plan *p, size_t unit, struct buf *out);
uint64_t synth_make_summary(const struct synth_plan *p, size_t unit, struct buf *out);
uint64_t synth_make_shef(const struct synth_plan *p, size_t unit, struct buf *out);
uint64_t synth_make_current(const struct synth_plan *p, size_t unit, struct buf *out);
uint64_t synth_make_coop(const struct synth_plan *p, size_t unit, struct buf *out);
uint64_t synth_make_normals(const struct synth_plan *p, size_t unit, struct buf *out);

#endif
