/* /api/climodat/records: what each day of the year was like: normals and extremes. */
#include "climodat.h"

#include "obstream/core/number.h"
#include "obstream/db/copy.h"
#include "obstream/query/sql.h"
#include "obstream/stream/sink.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct native_params, field)

enum { DAYS = 366, LEAP_YEAR = 2000, FIRST_YEAR = 1700, LAST_YEAR = 2200, STATIONS_AT_ONCE = 16 };
enum element { HIGH, LOW, PRECIP, ELEMENTS };
enum { MAX_HIGH, MIN_HIGH, MAX_LOW, MIN_LOW, MAX_PRECIP, EXTREMES };

static const struct extreme_kind {
    enum element element;
    int sign;
} kinds[EXTREMES] = {
    [MAX_HIGH] = { HIGH, 1 }, [MIN_HIGH] = { HIGH, -1 },    [MAX_LOW] = { LOW, 1 },
    [MIN_LOW] = { LOW, -1 },  [MAX_PRECIP] = { PRECIP, 1 },
};

#define EXTREME(n, t, u, f, h)                                                                     \
    COLUMN(n, t, u, f, h), COLUMN(n "_years", CELL_TEXT, "", 0, "the years that had it")

/* Cell i of a row is column i. */
static const struct column columns[] = {
    COLUMN("station", CELL_TEXT, "", 0, "climodat id"),
    COLUMN("day", CELL_TEXT, "", 0, "day of the year, MM-DD"),
    COLUMN("years", CELL_INT, "", 0, "years with data of this day"),
    COLUMN("normal_high", CELL_FLOAT8, "degF", 0, "normal highest temperature"),
    COLUMN("normal_low", CELL_FLOAT8, "degF", 0, "normal lowest temperature"),
    COLUMN("normal_precip", CELL_FLOAT8, "in", 0, "normal precipitation"),
    COLUMN("normal_source", CELL_TEXT, "", 0,
           "NCEI station of the normals 1991-2020, or the years they were computed over"),
    EXTREME("max_high", CELL_INT, "degF", 0, "highest high"),
    EXTREME("min_high", CELL_INT, "degF", 0, "lowest high"),
    EXTREME("max_low", CELL_INT, "degF", 0, "highest low"),
    EXTREME("min_low", CELL_INT, "degF", 0, "lowest low"),
    EXTREME("max_precip", CELL_FLOAT4, "in", COLUMN_TRACE, "most precipitation; none where 0"),
};

enum {
    CELL_STATION,
    CELL_OF_DAY,
    CELL_YEARS,
    CELL_NORMAL,
    CELL_SOURCE = CELL_NORMAL + ELEMENTS,
    CELL_EXTREMES,
    CELLS = ARRAY_SIZE(columns),
    CELL_ORDER = CELLS,
    CELLS_ALL
};

static const struct param own_params[] = {
    { "normals", NULL, PARAM_TEXT, AT(normals), NULL, NULL, 0, 0,
      "years like 1991-2020 over which normals are computed; when absent those of NCEI for the "
      "station's ncei91 id",
      "1991-2020" },
    { .name = NULL },
};

static const struct param days_params[] = {
    { "sts", "start,time_start", PARAM_TIME, AT(sts), NULL, NULL, 0, 0,
      "first day that counts for the extremes", "1951-01-01" },
    { "ets", "end,time_end", PARAM_TIME, AT(ets), NULL, NULL, 0, 0, "the day behind the last one",
      "2021-01-01" },
    { "limit", NULL, PARAM_COUNT, AT(limit), NULL, NULL, 1, 1e15,
      "rows at most; X-Truncated: true says that there were more", "1000" },
    { .name = NULL },
};

static const struct param *const params[] = { params_stations, own_params, days_params,
                                              params_output, NULL };

struct records {
    const struct api_request *r;
    const struct native_params *p;
    int64_t from, to;             /* days */
    int normals_from, normals_to; /* 0: NCEI's */
};

struct extreme {
    double value;
    struct buf years; /* joined by blanks */
};

struct day {
    uint64_t years;
    double sum[ELEMENTS];
    uint64_t count[ELEMENTS];
    double normal[ELEMENTS];
    struct extreme extremes[EXTREMES];
};

struct filling {
    const struct records *x;
    struct day days[DAYS];
};

static double number(const struct cell *c)
{
    return c->type == CELL_FLOAT4   ? number_widen(c->f4)
           : c->type == CELL_FLOAT8 ? c->f8
           : c->type == CELL_INT    ? (double)c->i
                                    : NAN;
}

static int64_t day_of_year(int64_t day, int *year)
{
    int month, dom;
    civil_from_days(day, year, &month, &dom);
    return civil_days(LEAP_YEAR, month, dom) - civil_days(LEAP_YEAR, 1, 1);
}

static void extreme_add(struct extreme *x, int sign, double v, int year)
{
    bool first = x->years.len == 0, beyond = !first && (v - x->value) * sign > 0;
    if (!first && !beyond && v != x->value)
        return;
    if (beyond)
        buf_clear(&x->years);
    buf_printf(&x->years, "%s%d", x->years.len > 0 ? " " : "", year);
    x->value = v;
}

/* day, high, low, precip; by day */
static bool take_row(void *ctx, const struct cell *cells)
{
    struct filling *f = ctx;
    const struct records *x = f->x;
    int year;
    struct day *d = &f->days[day_of_year(cells[0].i, &year)];
    bool counts = cells[0].i >= x->from && cells[0].i < x->to, any = false;
    bool normal = year >= x->normals_from && year <= x->normals_to;
    double v[ELEMENTS];
    for (int e = 0; e < ELEMENTS; e++) {
        v[e] = number(&cells[1 + e]);
        any |= v[e] == v[e];
        if (normal && v[e] == v[e]) {
            /* a trace counts as zero */
            d->sum[e] += e == PRECIP && v[e] > 0 && v[e] < 0.00015 ? 0 : v[e];
            d->count[e]++;
        }
    }
    d->years += counts && any;
    for (int i = 0; counts && i < EXTREMES; i++) {
        double value = v[kinds[i].element];
        if (value == value && (i != MAX_PRECIP || value > 0))
            extreme_add(&d->extremes[i], kinds[i].sign, value, year);
    }
    return true;
}

static void put_column(const struct filling *f, struct buf *b, const char *name, const char *type)
{
    const struct layout *l = &f->x->r->catalog->layout;
    const struct layout_column *c = layout_find(l, TABLE_COOP_ALLDATA, name);
    buf_printf(b, ", %s::%s", c != NULL ? c->name : "NULL", type);
}

static bool read_station(struct filling *f, const char *id, struct conn *conn, struct err *e)
{
    static const Oid oids[] = { OID_DATE, OID_FLOAT8, OID_FLOAT8, OID_FLOAT4 };
    const struct records *x = f->x;
    int64_t from = x->from, to = x->to;
    if (x->normals_from > 0) {
        int64_t first = civil_days(x->normals_from, 1, 1),
                last = civil_days(x->normals_to + 1, 1, 1);
        from = first < from ? first : from;
        to = last > to ? last : to;
    }
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    buf_puts(&sql, "SELECT day");
    put_column(f, &sql, "high", "float8");
    put_column(f, &sql, "low", "float8");
    put_column(f, &sql, "precip", "float4");
    buf_printf(&sql, " FROM %s WHERE station = ",
               x->r->catalog->layout.tables[TABLE_COOP_ALLDATA].sql_name);
    sql_id(&sql, id, strlen(id));
    buf_puts(&sql, " AND day >= ");
    sql_day(&sql, from);
    buf_puts(&sql, " AND day < ");
    sql_day(&sql, to);
    buf_puts(&sql, " ORDER BY day");
    bool ok = sql.failed ? err_set(e, ERR_INTERNAL, "the statement cannot be built")
                         : query_rows(conn, sql.data, oids, ARRAY_SIZE(oids), take_row, f, e);
    buf_release(&sql);
    return ok;
}

/* valid, high, low, precip */
static bool take_normal(void *ctx, const struct cell *cells)
{
    struct filling *f = ctx;
    int year;
    if (cells[0].type != CELL_DAY)
        return true;
    struct day *d = &f->days[day_of_year(cells[0].i, &year)];
    for (int e = 0; e < ELEMENTS; e++)
        d->normal[e] = number(&cells[1 + e]);
    return true;
}

static bool read_normals(struct filling *f, const char *site, struct conn *conn, struct err *e)
{
    static const Oid oids[] = { OID_DATE, OID_FLOAT4, OID_FLOAT4, OID_FLOAT4 };
    const struct layout_entry *t = &f->x->r->catalog->layout.tables[TABLE_COOP_NCEI91];
    if (!t->exists || site == NULL || !sql_id_ok(site, strlen(site)))
        return true;
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    buf_printf(&sql,
               "SELECT valid, high::float4, low::float4, precip::float4 FROM %s WHERE "
               "station = ",
               t->sql_name);
    sql_id(&sql, site, strlen(site));
    bool ok = sql.failed ? err_set(e, ERR_INTERNAL, "the statement cannot be built")
                         : query_rows(conn, sql.data, oids, ARRAY_SIZE(oids), take_normal, f, e);
    buf_release(&sql);
    return ok;
}

static void compute_normals(struct filling *f)
{
    for (int i = 0; i < DAYS; i++) {
        struct day *d = &f->days[i];
        for (int e = 0; e < ELEMENTS; e++)
            d->normal[e] = d->count[e] > 0 ? d->sum[e] / (double)d->count[e] : NAN;
    }
}

static struct cell shown(double v)
{
    return isnan(v) ? cell_null() : cell_float8(rint(v * 1e4) / 1e4);
}

static struct cell text_cell(const char *s)
{
    return s != NULL ? cell_text(s, (uint32_t)strlen(s)) : cell_null();
}

static void put_extreme(const struct extreme *x, int i, struct cell *c)
{
    bool none = x->years.len == 0;
    bool whole = i != MAX_PRECIP && x->value == rint(x->value);
    c[0] = none              ? cell_null()
           : whole           ? cell_int((int64_t)x->value)
           : i == MAX_PRECIP ? (struct cell){ .type = CELL_FLOAT4, .f4 = (float)x->value }
                             : cell_float8(x->value);
    c[1] = none ? cell_null() : cell_text(x->years.data, (uint32_t)x->years.len);
}

static bool put_rows(const struct filling *f, const char *id, const char *source, struct sink *sink)
{
    struct cell c[CELLS_ALL];
    for (int i = 0; i < DAYS; i++) {
        const struct day *d = &f->days[i];
        int year, month, dom;
        char day[LABEL_ROOM];
        if (d->years == 0)
            continue;
        civil_from_days(civil_days(LEAP_YEAR, 1, 1) + i, &year, &month, &dom);
        snprintf(day, sizeof(day), "%02d-%02d", month, dom);
        c[CELL_STATION] = text_cell(id);
        c[CELL_OF_DAY] = text_cell(day);
        c[CELL_YEARS] = cell_int((int64_t)d->years);
        bool any = false;
        for (int e = 0; e < ELEMENTS; e++) {
            c[CELL_NORMAL + e] = shown(d->normal[e]);
            any |= !isnan(d->normal[e]);
        }
        c[CELL_SOURCE] = any ? text_cell(source) : cell_null();
        for (int k = 0; k < EXTREMES; k++)
            put_extreme(&d->extremes[k], k, &c[CELL_EXTREMES + 2 * k]);
        c[CELL_ORDER] = cell_int(i);
        if (!sink_row(sink, c))
            return false;
    }
    return true;
}

static void filling_clear(struct filling *f)
{
    for (int i = 0; i < DAYS; i++) {
        struct day *d = &f->days[i];
        for (int k = 0; k < EXTREMES; k++)
            buf_clear(&d->extremes[k].years);
        for (int e = 0; e < ELEMENTS; e++) {
            d->sum[e] = 0;
            d->count[e] = 0;
            d->normal[e] = NAN;
        }
        d->years = 0;
    }
}

static struct filling *filling_new(const struct records *x)
{
    struct filling *f = calloc(1, sizeof(*f));
    if (f == NULL)
        return NULL;
    f->x = x;
    for (int i = 0; i < DAYS; i++)
        for (int k = 0; k < EXTREMES; k++)
            buf_init(&f->days[i].extremes[k].years, BUF_LIMIT_MESSAGE);
    return f;
}

static void filling_free(struct filling *f)
{
    for (int i = 0; i < DAYS; i++)
        for (int k = 0; k < EXTREMES; k++)
            buf_release(&f->days[i].extremes[k].years);
    free(f);
}

static bool fill(const struct plan *p, const struct archive_slice *slice, struct conn *conn,
                 struct sink *sink, struct err *e)
{
    const struct records *x = p->ctx;
    struct filling *f = filling_new(x);
    if (f == NULL)
        return err_set(e, ERR_INTERNAL, "out of memory");
    bool ok = true, more = true;
    for (uint32_t i = slice->first; ok && more && i < slice->first + slice->count; i++) {
        const char *id = p->query.stations[i];
        const struct station *st = catalog_station(x->r->catalog, id, strlen(id), NULL);
        const char *site = st != NULL ? st->ncei91 : NULL;
        filling_clear(f);
        ok = read_station(f, id, conn, e);
        if (x->normals_from > 0)
            compute_normals(f);
        else
            ok = ok && read_normals(f, site, conn, e);
        more = ok && put_rows(f, id, x->normals_from > 0 ? x->p->normals : site, sink);
    }
    filling_free(f);
    return ok;
}

static bool make_query(struct api_request *r, const struct records *x, struct plan *plan)
{
    struct selection sel;
    if (!select_stations(r, x->p, station_reports_climodat, &sel))
        return false;
    plan->query = (struct archive_query){ .stations = sel.ids, .count = sel.count };
    double days = (double)(plan->to - plan->from) / (double)USEC_PER_DAY;
    plan->rows_per_day = DAYS / (days > 1 ? days : 1);
    plan->row_bytes = 120;
    plan->station_cell = CELL_STATION;
    plan->time_cell = CELL_ORDER;
    plan->cells = CELLS_ALL;
    plan->pool = r->api->pools[DATASET_COOP];
    plan->fill = fill;
    plan->fill_groups = STATIONS_AT_ONCE;
    return true;
}

static bool make_window(struct api_request *r, struct records *x, struct plan *plan)
{
    plan->from = civil_days(FIRST_YEAR, 1, 1) * USEC_PER_DAY;
    plan->to = civil_days(LAST_YEAR, 1, 1) * USEC_PER_DAY;
    if (!native_window(r, x->p, true, &plan->from, &plan->to))
        return false;
    x->from = floor_div(plan->from, USEC_PER_DAY);
    x->to = floor_div(plan->to, USEC_PER_DAY);
    return true;
}

static bool prepare(struct api_request *r)
{
    struct native_params *p = native_read(r);
    struct records *x = arena_alloc(r->arena, sizeof(*x));
    if (p == NULL || x == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    if (!r->catalog->layout.tables[TABLE_COOP_ALLDATA].exists)
        return err_set(&r->err, ERR_UNAVAILABLE, "the database of daily climate has no archive");
    *x = (struct records){ .r = r, .p = p };
    bool ok = normals_parse(r, p->normals, &x->normals_from, &x->normals_to);
    struct plan *plan = native_memory_plan(r, p, columns, ARRAY_SIZE(columns));
    if (plan == NULL || !ok)
        return false;
    plan->ctx = x;
    if (!make_window(r, x, plan) || !make_query(r, x, plan))
        return false;
    r->plan = plan;
    reply_header_add(r, "Cache-Control", "public, max-age=300");
    return true;
}

const struct endpoint endpoint_climodat_records = {
    .path = "/api/climodat/records",
    .summary = "Normals and records of each day of the year",
    .help = "For each station and day of the year: the normals, the extremes of the days within "
            "sts and ets with the years that had them, and how many years have data. Normals are "
            "NCEI's of 1991-2020 for the station named by ncei91, or computed over the years "
            "given by normals: the mean of that calendar day, a trace being zero. 29 February has "
            "the leap years only.",
    .flags = ENDPOINT_FORMATS | ENDPOINT_DATABASE,
    .params = params,
    .columns = columns,
    .column_count = ARRAY_SIZE(columns),
    .prepare = prepare,
    .examples = { "station=IA0000", "station=IATDSM&normals=2001-2020&format=json",
                  "station=IA0200&sts=2010-01-01&ets=2021-01-01&vars=max_high,max_high_years" },
};
