/* /api/climodat/aggregate: periods of areas and stations, against normals. */
#include "climodat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct native_params, field)
#define BASE(n, f, d, h)                                                                           \
    {                                                                                              \
        n, NULL, PARAM_NUMBER, AT(f), d, NULL, -100, 200, h, d                                     \
    }
enum { FIRST_YEAR = 1700, LAST_YEAR = 2200, LATER_DAYS = 800, PIECE_ROWS = 1000000 };

static const struct column columns[] = {
    COLUMN("id", CELL_TEXT, "", 0, "CONUS, the region's id or the climodat id"),
    COLUMN("period", CELL_TEXT, "", 0, "2024-06-01, 2024-W23, 2024-06, 2024-JJA or 2024"),
    COLUMN("start", CELL_DAY, "", 0, "first day of the period"),
    COLUMN("end", CELL_DAY, "", 0, "last day of the period"),
    COLUMN("name", CELL_TEXT, "", 0, "name of the area or station"),
    COLUMN("missing", CELL_INT, "d", 0,
           "days without data, of the variable that lacks most; of areas in any state that counts"),
    COLUMN("coverage", CELL_FLOAT8, "", 0,
           "share of the area with data (0 to 1), of the variable that has least"),
};

static const struct param own_params[] = {
    { "scope", NULL, PARAM_CHOICE, AT(scope), "conus", "conus,region,state,division,station", 0, 0,
      "one row for each of these and period", "conus" },
    { "region", NULL, PARAM_LIST, AT(region), NULL, NULL, 0, 0,
      "with scope=region: climate regions by their ids; all when absent", "upper_midwest" },
    { "by", NULL, PARAM_TEXT, AT(by), "month", NULL, 0, 0,
      "day, week (ISO), month, season, year, wateryear, or a window of each year like 0401-0930",
      "month" },
    { "stat", NULL, PARAM_CHOICES, AT(stat), NULL, "mean,sum,min,max,count,first,last,streak", 0, 0,
      "of each variable; when absent the mean of temperatures and snow depth, else the sum",
      "mean" },
    { "normals", NULL, PARAM_TEXT, AT(normals), NULL, NULL, 0, 0,
      "years like 1991-2020: adds normal, departure, rank, percentile and number of years",
      "1991-2020" },
    { "maxmissing", NULL, PARAM_COUNT, AT(maxmissing), NULL, NULL, 0, 400,
      "days of a period that may lack data; when absent 0 for sums, else 5", "3" },
    { "min_coverage", NULL, PARAM_NUMBER, AT(min_coverage), "0.95", NULL, 0, 1,
      "share of an area that must have data", "0.95" },
    { "rollup", NULL, PARAM_CHOICE, AT(rollup), "yes", "yes,no", 0, 0,
      "no reads daily rows also where the monthly roll-up has the answer; it is the same", "yes" },
    BASE("gdd_base", gdd_base, "50", "base of gdd, degF"),
    BASE("gdd_ceil", gdd_ceil, "86", "ceiling of gdd, degF"),
    BASE("hdd_base", hdd_base, "65", "base of hdd, degF"),
    BASE("cdd_base", cdd_base, "65", "base of cdd, degF"),
    BASE("sdd_base", sdd_base, "86", "base of sdd, degF"),
    { .name = NULL },
};

static const struct param days_params[] = {
    { "sts", "start,time_start", PARAM_TIME, AT(sts), NULL, NULL, 0, 0,
      "first day; a period counts when its last day is within sts and ets", "1991-01" },
    { "ets", "end,time_end", PARAM_TIME, AT(ets), NULL, NULL, 0, 0, "the day behind the last one",
      "2021-01" },
    { .name = NULL },
};

static const struct param rows_params[] = {
    { "order", NULL, PARAM_CHOICE, AT(order), "asc", "asc,desc", 0, 0, "direction in time", "asc" },
    { "limit", NULL, PARAM_COUNT, AT(limit), NULL, NULL, 1, 1e15,
      "rows at most; X-Truncated: true says that there were more", "1000" },
    { .name = NULL },
};

static const struct param *const params[] = { own_params,  params_stations, days_params,
                                              rows_params, params_output,   NULL };

/* ---- members ---- */

/* Ids: IA0000 a state, IAC005 a climate division, IAD010 a crop district. */
static bool numbered(const struct station *st, char kind)
{
    const char *id = st->id;
    return strlen(id) == 6 && id[2] == kind && strspn(id + 3, "0123456789") == 3;
}

static bool is_state(const struct station *st)
{
    return station_reports_climodat(st) && numbered(st, '0') && str_eq(st->id + 2, "0000");
}

static bool is_division(const struct station *st)
{
    return station_reports_climodat(st) && numbered(st, 'C');
}

static bool is_place(const struct station *st)
{
    return station_reports_climodat(st) && !is_state(st) && !is_division(st) && !numbered(st, 'D');
}

static bool make_stations(struct api_request *r, struct aggregate *x, const char *scope)
{
    bool state = str_eq(scope, "state"), division = str_eq(scope, "division");
    station_class belongs = state ? is_state : division ? is_division : is_place;
    struct selection sel;
    if (x->p->region.count > 0)
        fault_add(&r->faults, "region", NULL, "region goes with scope=region");
    if (!select_stations(r, x->p, belongs, &sel))
        return false;
    x->members = arena_array(r->arena, sel.count + 1, sizeof(*x->members));
    if (x->members == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    for (uint32_t i = 0; i < sel.count; i++) {
        const struct station *st =
            catalog_station(r->catalog, sel.ids[i], strlen(sel.ids[i]), NULL);
        if ((state || division) && !belongs(st))
            fault_add(&r->faults, "station", st->id, "%s is no %s: with scope=%s ids are like %s",
                      st->id, scope, scope, state ? "IA0000" : "IAC005");
        x->members[i] =
            (struct member){ .id = st->id, .name = st->name, .lon = st->lon, .lat = st->lat };
    }
    x->member_count = sel.count;
    return r->faults.count == 0;
}

/* The states of a region, or all for -1. */
static bool make_area(struct api_request *r, struct member *m, int region)
{
    const char **stations = arena_array(r->arena, STATES, sizeof(*stations));
    double *weights = arena_array(r->arena, STATES, sizeof(*weights));
    if (stations == NULL || weights == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    *m = (struct member){ .id = region < 0 ? "CONUS" : climate_regions[region].id,
                          .name = region < 0 ? "Contiguous US" : climate_regions[region].name,
                          .stations = stations,
                          .weights = weights,
                          .lon = NAN,
                          .lat = NAN };
    for (int i = 0; i < STATES; i++) {
        const struct climate_state *s = &climate_states[i];
        if (region >= 0 && s->region != region)
            continue;
        stations[m->count] = arena_printf(r->arena, "%s0000", s->id);
        weights[m->count++] = s->land;
        m->weight += s->land;
    }
    return !r->arena->failed;
}

static const char *region_candidate(const void *unused, size_t i)
{
    (void)unused;
    return i < REGIONS ? climate_regions[i].id : NULL;
}

static void check_regions(struct api_request *r, const struct native_params *p)
{
    for (size_t i = 0; i < p->region.count; i++) {
        const char *id = p->region.items[i];
        bool known = false;
        for (int k = 0; k < REGIONS; k++)
            known |= str_ieq(climate_regions[k].id, id);
        const char *near = known ? NULL : str_nearest(id, region_candidate, NULL);
        if (!known)
            fault_add(&r->faults, "region", id,
                      "there is no region \"%.32s\"%s%s%s; there are "
                      "northeast, northern_rockies, northwest, ohio_valley, south, southeast, "
                      "southwest, upper_midwest, west",
                      id, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
}

static bool region_wanted(const struct native_params *p, int region)
{
    for (size_t i = 0; i < p->region.count; i++) {
        if (str_ieq(p->region.items[i], climate_regions[region].id))
            return true;
    }
    return p->region.count == 0;
}

static bool make_areas(struct api_request *r, struct aggregate *x, const char *scope)
{
    const struct native_params *p = x->p;
    bool conus = str_eq(scope, "conus");
    if (p->station.count + p->network.count + p->state.count + p->wfo.count + p->country.count >
            0 ||
        p->bbox.set)
        fault_add(&r->faults, "scope", scope,
                  "scope=%s takes no stations: select them with scope=station, division or state",
                  scope);
    if (conus && p->region.count > 0)
        fault_add(&r->faults, "region", NULL, "region goes with scope=region");
    check_regions(r, p);
    x->areas = true;
    x->members = arena_array(r->arena, REGIONS, sizeof(*x->members));
    bool ok = x->members != NULL;
    if (ok && conus)
        ok = make_area(r, &x->members[x->member_count++], -1);
    for (int i = 0; ok && !conus && i < REGIONS; i++) {
        if (region_wanted(p, i))
            ok = make_area(r, &x->members[x->member_count++], i);
    }
    return r->faults.count == 0 &&
           (ok || err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory"));
}

static bool make_members(struct api_request *r, struct aggregate *x)
{
    const char *scope = x->p->scope;
    return str_eq(scope, "conus") || str_eq(scope, "region") ? make_areas(r, x, scope)
                                                             : make_stations(r, x, scope);
}

/* ---- periods ---- */

static void add_period(struct aggregate *x, const struct climo_period *p, size_t cap)
{
    if (x->period_count < cap && p->start < p->end)
        x->periods[x->period_count++] = *p;
}

static int by_start(const void *a, const void *b)
{
    const struct climo_period *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* The periods of the normals' years that are needed: the same period was shown in some year. */
static void add_normals(struct aggregate *x, int64_t from, int64_t to, size_t cap)
{
    bool wanted[KEYS] = { false };
    size_t shown = x->period_count;
    for (size_t i = 0; i < shown; i++)
        wanted[x->periods[i].key] = true;
    for (int64_t i = from; i <= to; i++) {
        struct climo_period p = by_period(&x->by, i);
        if (p.year < x->normals_from || p.year > x->normals_to || !wanted[p.key])
            continue;
        p.normal = true;
        struct climo_period *old =
            shown > 0 ? bsearch(&p, x->periods, shown, sizeof(p), by_start) : NULL;
        if (old != NULL)
            old->normal = true;
        else
            add_period(x, &p, cap);
    }
    qsort(x->periods, x->period_count, sizeof(*x->periods), by_start);
}

static bool index_normals(struct api_request *r, struct aggregate *x)
{
    size_t at[KEYS] = { 0 };
    x->normal_periods = arena_array(r->arena, x->period_count + 1, sizeof(*x->normal_periods));
    if (x->normal_periods == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    for (size_t i = 0; i < x->period_count; i++)
        x->normal_first[x->periods[i].key + 1] += x->periods[i].normal;
    for (int k = 0; k < KEYS; k++)
        x->normal_first[k + 1] += x->normal_first[k];
    for (size_t i = 0; i < x->period_count; i++) {
        int key = x->periods[i].key;
        if (x->periods[i].normal)
            x->normal_periods[x->normal_first[key] + at[key]++] = i;
    }
    return true;
}

/* Periods whose last day is within [from, to), and those of the normals. */
static bool make_periods(struct api_request *r, struct aggregate *x, int64_t from, int64_t to)
{
    int64_t first = by_index(&x->by, from), last = by_index(&x->by, to);
    int64_t normal_first = by_index(&x->by, civil_days(x->normals_from - 1, 1, 1));
    int64_t normal_last = by_index(&x->by, civil_days(x->normals_to + 1, 12, 31));
    bool normals = x->normals_from > 0;
    size_t cap = (size_t)(last > first ? last - first : 0) + 1 +
                 (normals ? (size_t)(normal_last - normal_first) + 1 : 0);
    x->periods = arena_array(r->arena, cap, sizeof(*x->periods));
    if (x->periods == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    for (int64_t i = first; i <= last && from < to; i++) {
        struct climo_period p = by_period(&x->by, i);
        p.shown = true;
        if (p.end <= to)
            add_period(x, &p, cap);
    }
    if (normals && x->period_count > 0)
        add_normals(x, normal_first, normal_last, cap);
    x->steady = true;
    for (size_t i = 1; i < x->period_count; i++)
        x->steady &= x->periods[i].start == x->periods[i - 1].end;
    return index_normals(r, x);
}

bool normals_parse(struct api_request *r, const char *text, int *from, int *to)
{
    if (text == NULL)
        return true;
    if (strlen(text) == 9 && strspn(text, "0123456789") == 4 && text[4] == '-' &&
        strspn(text + 5, "0123456789") == 4) {
        *from = (int)strtol(text, NULL, 10);
        *to = (int)strtol(text + 5, NULL, 10);
        if (*from <= *to && *from >= FIRST_YEAR && *to <= LAST_YEAR)
            return true;
    }
    fault_add(&r->faults, "normals", text,
              "\"%.32s\" is no span of years between %d and %d like "
              "1991-2020",
              text, FIRST_YEAR, LAST_YEAR);
    return false;
}

static int64_t limit(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* Beyond the archive's extent there is nothing, but for a period that is not over yet. */
static bool make_window(struct api_request *r, struct aggregate *x, struct plan *plan)
{
    const struct catalog *c = r->catalog;
    int64_t oldest = civil_days(FIRST_YEAR, 1, 1) * USEC_PER_DAY;
    int64_t newest = civil_days(LAST_YEAR, 1, 1) * USEC_PER_DAY;
    int64_t first = limit(c->first[TABLE_COOP_ALLDATA], oldest, newest);
    int64_t last = limit(c->last[TABLE_COOP_ALLDATA], oldest, newest);
    int64_t today = r->now + 2 * USEC_PER_DAY;
    last = last > today || c->last[TABLE_COOP_ALLDATA] == INT64_MAX ? last : today;
    plan->from = first;
    plan->to = last;
    if (!native_window(r, x->p, true, &plan->from, &plan->to))
        return false;
    plan->from = limit(plan->from, first, last);
    plan->to = limit(plan->to, first, last + LATER_DAYS * USEC_PER_DAY);
    return make_periods(r, x, floor_div(plan->from, USEC_PER_DAY),
                        floor_div(plan->to, USEC_PER_DAY));
}

static void window_header(struct api_request *r, const struct plan *plan)
{
    struct civil a = civil_from_usec(plan->from), b = civil_from_usec(plan->to);
    reply_header_add(r, "X-Time-Window",
                     arena_printf(r->arena, "%04d-%02d-%02d/%04d-%02d-%02d", a.year, a.month, a.day,
                                  b.year, b.month, b.day));
}

/* ---- the answer's columns ---- */

static struct field *add_field(struct plan *plan, const char *name, enum cell_type type,
                               const char *unit, unsigned cell)
{
    struct field *f = (struct field *)&plan->shape.fields[plan->shape.count++];
    *f = (struct field){ .name = name, .unit = unit, .help = "", .type = type, .cell = cell };
    return f;
}

static void add_value_fields(struct api_request *r, struct aggregate *x, struct plan *plan,
                             struct output *o)
{
    const char *unit = output_unit(o);
    bool day = output_is_day(o);
    unsigned c = o->cell = x->cells;
    add_field(plan, o->name, day ? CELL_DAY : CELL_FLOAT8, unit, c++)->help =
        quantities[o->quantity].help;
    if (output_has_day(o))
        add_field(plan,
                  arena_printf(r->arena, o->stat == STAT_STREAK ? "%s_start" : "%s_date", o->name),
                  CELL_DAY, "", c++);
    if (x->normals_from > 0) {
        bool degrees = str_eq(unit, "degF");
        add_field(plan, arena_printf(r->arena, "%s_normal", o->name), day ? CELL_DAY : CELL_FLOAT8,
                  unit, c++);
        add_field(plan, arena_printf(r->arena, "%s_departure", o->name), CELL_FLOAT8,
                  day       ? "d"
                  : degrees ? quantities[o->quantity].difference
                            : unit,
                  c++);
        add_field(plan, arena_printf(r->arena, "%s_rank", o->name), CELL_INT, "", c++);
        add_field(plan, arena_printf(r->arena, "%s_percentile", o->name), CELL_FLOAT8, "%", c++);
        add_field(plan, arena_printf(r->arena, "%s_years", o->name), CELL_INT, "", c++);
    }
    x->cells = c;
}

static bool make_fields(struct api_request *r, struct aggregate *x, struct plan *plan)
{
    static const unsigned cells[] = { ROW_ID,   ROW_PERIOD,  ROW_START,   ROW_END,
                                      ROW_NAME, ROW_MISSING, ROW_COVERAGE };
    struct field *fields =
        arena_array(r->arena, ARRAY_SIZE(columns) + 7 * OUTPUTS, sizeof(*fields));
    if (fields == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    plan->shape = (struct shape){ .fields = fields, .lon_cell = ROW_LON, .lat_cell = ROW_LAT };
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
        add_field(plan, columns[i].name, columns[i].type, columns[i].unit, cells[i])->help =
            columns[i].help;
    x->cells = ROW_OUTPUTS;
    for (unsigned i = 0; i < x->output_count; i++)
        add_value_fields(r, x, plan, &x->outputs[i]);
    plan->cells = x->cells;
    return true;
}

static bool make_query(struct api_request *r, const struct aggregate *x, struct plan *plan)
{
    const char **ids = arena_array(r->arena, x->member_count + 1, sizeof(*ids));
    if (ids == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    for (uint32_t i = 0; i < x->member_count; i++)
        ids[i] = x->members[i].id;
    plan->query = (struct archive_query){ .stations = ids,
                                          .count = x->member_count,
                                          .descending = str_eq(x->p->order, "desc") };
    double days = (double)(plan->to - plan->from) / (double)USEC_PER_DAY;
    plan->rows_per_day = days > 0 ? (double)x->period_count / days : 1;
    plan->row_bytes = 60 + 8.0 * x->cells;
    plan->station_cell = ROW_ID;
    plan->time_cell = ROW_START;
    plan->pool = r->api->pools[DATASET_COOP];
    plan->fill = aggregate_fill;
    /* A worker is busy with a piece for a second or so, not more. */
    double read =
        x->period_count > 0 ? x->periods[x->period_count - 1].end - x->periods[0].start : 1;
    plan->fill_groups = x->areas || read > PIECE_ROWS ? 1 : (uint32_t)(PIECE_ROWS / read);
    plan->row_limit = x->p->limit.set ? (uint64_t)x->p->limit.value : 0;
    r->limited = x->p->limit.set;
    return true;
}

static bool make_plan(struct api_request *r, struct aggregate *x, struct plan *plan)
{
    if (!by_parse(x->p->by, &x->by))
        fault_add(&r->faults, "by", x->p->by,
                  "\"%.32s\" is none of day, week, month, season, year, "
                  "wateryear, nor a window of each year like 0401-0930 or 1001-0331",
                  x->p->by);
    if (x->p->gdd_base.value >= x->p->gdd_ceil.value)
        fault_add(&r->faults, "gdd_ceil", NULL, "gdd_ceil must lie above gdd_base");
    bool ok = normals_parse(r, x->p->normals, &x->normals_from, &x->normals_to);
    plan->encoder = native_encoder(r, x->p);
    ok = make_members(r, x) && ok;
    ok = aggregate_outputs(r, x) && ok;
    ok = ok && plan->encoder != NULL && make_window(r, x, plan) && make_fields(r, x, plan);
    return ok && native_shape(r, x->p, plan) && make_query(r, x, plan) && r->faults.count == 0;
}

static bool prepare(struct api_request *r)
{
    struct native_params *p = native_read(r);
    struct aggregate *x = arena_alloc(r->arena, sizeof(*x));
    struct plan *plan = arena_alloc(r->arena, sizeof(*plan));
    if (p == NULL || x == NULL || plan == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    if (!r->catalog->layout.tables[TABLE_COOP_ALLDATA].exists)
        return err_set(&r->err, ERR_UNAVAILABLE, "the database of daily climate has no archive");
    *x = (struct aggregate){ .p = p, .catalog = r->catalog };
    plan->arena = r->arena;
    plan->ctx = x;
    if (p->scope == NULL || p->by == NULL || !make_plan(r, x, plan))
        return false;
    r->plan = plan;
    window_header(r, plan);
    reply_header_add(r, "Cache-Control", "public, max-age=300");
    return true;
}

const struct endpoint endpoint_climodat_aggregate = {
    .path = "/api/climodat/aggregate",
    .summary = "Climate of areas by period",
    .help =
        "Means, sums, extremes, counts of days, first and last days and streaks of the contiguous "
        "US, climate regions, states, climate divisions and stations by day, week, month, season "
        "(DJF is named by its January), year, water year (October to September, named by its end) "
        "or any window of the year. "
        "vars: high, low, avg, precip, snow, snowd, gdd, hdd, cdd, sdd, and counts of days like "
        "days_high_ge_90, days_low_le_32 or days_precip_ge_1.00. "
        "A period is always whole; it is in the answer when its last day is within sts and ets and "
        "there are rows in it. first, last and streak (the longest run of days, cut at the "
        "period's bounds) need a condition. "
        "Areas are the means of the states' averages weighted by land area: period by period for "
        "mean, sum and count, day by day before anything else for min, max, first, last and "
        "streak. A trace counts as zero, but in conditions. "
        "normals: the mean of the same period over those years; rank 1 is the lowest, equal values "
        "share the best rank; percentile is the share of those years below plus half of the equal "
        "ones.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE | ENDPOINT_MORE_COLUMNS,
    .params = params,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .prepare = prepare,
    .examples = { "scope=conus&by=month&vars=avg,precip&sts=1991-01&ets=2021-01",
                  "scope=state&state=IA&by=season&vars=avg,days_high_ge_90&normals=2001-2020"
                  "&sts=2012-01&ets=2013-01&format=json",
                  "scope=station&station=IATDSM&by=0701-0630&vars=days_low_le_32"
                  "&stat=first,last,streak&sts=2010-01&ets=2021-01" },
};
