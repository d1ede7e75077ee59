/* /api/1/asos_interval_summary: extremes and precipitation of METAR stations over an interval. */
#include "ws.h"

#include "obstream/query/sql.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

struct interval_params {
    const char *station;
    struct param_time sts, ets;
};

#define AT(member) offsetof(struct interval_params, member)

static const struct ws_param params[] = {
    { "station", WS_TEXT, true, AT(station), 3, 1000, NULL,
      "station ids, three or four letters each, separated by commas" },
    { "sts", WS_TIME, true, AT(sts), 0, 0, NULL, "the start in UTC, best a full hour" },
    { "ets", WS_TIME, true, AT(ets), 0, 0, NULL, "the end in UTC, which is included" },
    { .name = NULL },
};

static const struct frame_column columns[] = {
    { "station", FRAME_TEXT, 0, 0 },
    { "max_tmpf", FRAME_FLOAT, 0, 0 },
    { "min_tmpf", FRAME_FLOAT, 0, 0 },
    { "total_precip_in", FRAME_FLOAT, 0, 0 },
    { "obs_count", FRAME_INT, 0, 0 },
    { "max_speed_kts", FRAME_FLOAT, 0, 0 },
    { "max_gust_kts", FRAME_FLOAT, 0, 0 },
    { "max_speed_drct", FRAME_FLOAT, 0, 0 },
    { "max_gust_drct", FRAME_FLOAT, 0, 0 },
    { "max_speed_time_utc", FRAME_STAMP, 0, 0 },
    { "max_gust_time_utc", FRAME_STAMP, 0, 0 },
};

static const struct ws_source sources[] = {
    { "valid", OID_TEXT },
    { "tmpf", OID_FLOAT4 },
    { "p01i", OID_FLOAT4 },
    { "sknt", OID_FLOAT4 },
    { "gust", OID_FLOAT4 },
    { "drct", OID_FLOAT4 },
    { "peak_wind_gust", OID_FLOAT4 },
    { "peak_wind_drct", OID_FLOAT4 },
    { "peak_wind_time", OID_TEXT },
    { "max_tmpf_6hr", OID_FLOAT4 },
    { "min_tmpf_6hr", OID_FLOAT4 },
};

enum cell_of { VALID, TMPF, P01I, SKNT, GUST, DRCT, PEAK_GUST, PEAK_DRCT, PEAK_TIME, MAX6, MIN6 };

struct interval {
    struct strlist stations;
    int64_t sts, ets;
    const unsigned *map;
};

/* The strongest wind so far, the latest of equal ones. */
struct wind {
    double speed, direction; /* NaN: none */
    int64_t time;            /* INT64_MIN: none */
};

/* One station's summary in the making; rows come in the order of time. */
struct summary {
    const struct interval *interval;
    int64_t count;
    double max_tmpf, min_tmpf, max6, min6;
    struct wind wind, gust, peak;
    double *hours; /* the highest precipitation of each hour */
    size_t hour_count, hour_cap;
    int64_t hour;
    bool failed;
};

static double number(const struct cell *c)
{
    return c->type == CELL_FLOAT4 ? number_widen(c->f4) : c->type == CELL_FLOAT8 ? c->f8 : NAN;
}

static void wind_add(struct wind *w, double speed, double direction, int64_t time)
{
    if (speed != speed || speed < w->speed || (speed == w->speed && time <= w->time))
        return;
    *w = (struct wind){ speed, direction, time };
}

static void hour_add(struct summary *s, int64_t valid, double amount)
{
    int64_t hour = floor_div(valid, USEC_PER_HOUR);
    if (s->hour_count == 0 || hour != s->hour) {
        if (s->hour_count == s->hour_cap) {
            size_t cap = s->hour_cap == 0 ? 64 : 2 * s->hour_cap;
            double *grown = reallocarray(s->hours, cap, sizeof(*grown));
            s->failed = s->failed || grown == NULL;
            if (grown == NULL)
                return;
            s->hours = grown;
            s->hour_cap = cap;
        }
        s->hours[s->hour_count++] = 0;
        s->hour = hour;
    }
    double *last = &s->hours[s->hour_count - 1];
    if (amount > *last) /* no amount is below zero, and no report counts as zero */
        *last = amount;
}

static bool row_add(void *ctx, const struct cell *cells)
{
    struct summary *s = ctx;
    const int64_t six_hours = 350 * USEC_PER_MIN; /* the synoptic report comes a little early */
    const unsigned *map = s->interval->map;
    double v[ARRAY_SIZE(sources)];
    for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
        v[i] = number(&cells[map[i]]);
    int64_t valid = cells[map[VALID]].i;
    const struct cell *peak = &cells[map[PEAK_TIME]];
    s->count++;
    s->max_tmpf = fmax(s->max_tmpf, v[TMPF]);
    s->min_tmpf = fmin(s->min_tmpf, v[TMPF]);
    wind_add(&s->wind, v[SKNT], v[DRCT], valid);
    wind_add(&s->gust, v[GUST], NAN, valid);
    wind_add(&s->peak, v[PEAK_GUST], v[PEAK_DRCT],
             peak->type == CELL_INSTANT ? peak->i : INT64_MIN);
    if (valid >= s->interval->sts)
        hour_add(s, valid, v[P01I]);
    if (valid - six_hours >= s->interval->sts) {
        s->max6 = fmax(s->max6, v[MAX6]);
        s->min6 = fmin(s->min6, v[MIN6]);
    }
    return !s->failed;
}

/* The sum in numpy's order: eight running sums, and halves beyond 128 values. */
static double pairwise_sum(const double *a, size_t n)
{
    double r[8], sum = 0;
    if (n < 8) {
        for (size_t i = 0; i < n; i++)
            sum += a[i];
        return sum;
    }
    if (n > 128) {
        size_t half = n / 2;
        half -= half % 8;
        return pairwise_sum(a, half) + pairwise_sum(a + half, n - half);
    }
    for (size_t k = 0; k < 8; k++)
        r[k] = a[k];
    size_t i = 8;
    for (; i < n - n % 8; i += 8) {
        for (size_t k = 0; k < 8; k++)
            r[k] += a[i + k];
    }
    sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; i++)
        sum += a[i];
    return sum;
}

static struct cell time_cell(int64_t usec)
{
    return usec == INT64_MIN ? cell_null() : (struct cell){ .type = CELL_INSTANT, .i = usec };
}

static double total_precip(const struct summary *s)
{
    const double trace = 0.001; /* sums of traces alone are not rounded away */
    double total = pairwise_sum(s->hours, s->hour_count);
    return total > trace ? iem_round_numpy(total, 2) : total;
}

static void wind_cells(const struct summary *s, struct cell *c)
{
    if (s->wind.speed > 0) {
        c[5] = cell_float8(s->wind.speed);
        c[7] = cell_float8(s->wind.direction);
        c[9] = time_cell(s->wind.time);
    }
    if (!(s->gust.speed > 0))
        return;
    c[6] = cell_float8(s->gust.speed);
    c[10] = time_cell(s->gust.time);
    if (s->peak.speed >= s->gust.speed) {
        c[6] = cell_float8(s->peak.speed);
        c[8] = cell_float8(s->peak.direction);
        c[10] = time_cell(s->peak.time);
    }
}

static void summary_add(const struct summary *s, const char *station, struct frame_rows *rows)
{
    struct cell c[ARRAY_SIZE(columns)];
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
        c[i] = cell_null();
    c[0] = cell_text(station, (uint32_t)strlen(station));
    c[4] = cell_int(s->count);
    if (s->count > 0) {
        /* the highest of six hours counts only where there is a temperature at all */
        bool warm = s->max_tmpf == s->max_tmpf;
        c[1] = cell_float8(warm ? fmax(s->max_tmpf, s->max6) : NAN);
        c[2] = cell_float8(warm ? fmin(s->min_tmpf, s->min6) : NAN);
        c[3] = cell_float8(total_precip(s));
        wind_cells(s, c);
    }
    frame_rows_add(rows, c);
}

static bool station_read(const struct plan *p, struct conn *conn, const char *station,
                         struct summary *s, struct err *e)
{
    const struct interval *x = s->interval;
    bool full_hour = floor_div(x->sts, USEC_PER_MIN) % 60 == 0;
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    if (!sql_id_ok(station, strlen(station)))
        return true;
    buf_printf(&sql, "SELECT %s FROM %s WHERE station = ", p->query.columns, p->query.table);
    sql_id(&sql, station, strlen(station));
    sql_text(&sql, " AND valid > ");
    sql_instant(&sql, full_hour ? x->sts - 10 * USEC_PER_MIN : x->sts);
    sql_text(&sql, " AND valid <= ");
    sql_instant(&sql, x->ets);
    sql_text(&sql, " AND report_type IN (3, 4) ORDER BY valid");
    bool ok = !sql.failed && query_rows(conn, sql.data, p->oids, p->wire_cells, row_add, s, e);
    buf_release(&sql);
    if (s->failed)
        return err_set(e, ERR_INTERNAL, "out of memory");
    return ok || err_set(e, ERR_INTERNAL, "the statement cannot be built");
}

static bool fill(const struct plan *p, struct conn *conn, struct frame *f, struct frame_rows *rows,
                 struct err *e)
{
    const struct interval *x = frame_context(p);
    int64_t count = 0;
    bool ok = true;
    (void)f;
    for (size_t i = 0; ok && i < x->stations.count; i++) {
        const struct wind none = { NAN, NAN, INT64_MIN };
        struct summary s = { .interval = x,
                             .max_tmpf = NAN,
                             .min_tmpf = NAN,
                             .max6 = NAN,
                             .min6 = NAN,
                             .wind = none,
                             .gust = none,
                             .peak = none };
        ok = station_read(p, conn, x->stations.items[i], &s, e);
        if (ok)
            summary_add(&s, x->stations.items[i], rows);
        count += s.count;
        free(s.hours);
    }
    return ok && (count > 0 || err_set(e, ERR_NOT_FOUND,
                                       "there are no reports of these stations "
                                       "in this interval"));
}

/* The ids between commas, in capital letters, cut to four characters. */
static bool split_stations(struct api_request *r, const char *text, struct strlist *out)
{
    for (const char *s = text; s != NULL; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
        size_t n = strcspn(s, ",");
        const char *start = s;
        while (n > 0 && isspace((unsigned char)*start)) {
            start++;
            n--;
        }
        while (n > 0 && isspace((unsigned char)start[n - 1]))
            n--;
        char *id = arena_strndup(r->arena, start, n < 4 ? n : 4);
        for (char *p = id; p != NULL && *p != '\0'; p++)
            *p = (char)toupper((unsigned char)*p);
        strlist_add(out, r->arena, id);
    }
    return !r->arena->failed;
}

static bool prepare(struct api_request *r)
{
    struct interval_params q = { 0 };
    enum frame_format format = FRAME_JSON;
    if (!ws_read(r, params, WS_TABLES, &q, &format))
        return false;
    struct interval *x = arena_alloc(r->arena, sizeof(*x));
    unsigned *map = arena_array(r->arena, ARRAY_SIZE(sources), sizeof(*map));
    struct frame *f = frame_new(r, format, columns, ARRAY_SIZE(columns));
    if (x == NULL || map == NULL || f == NULL || !split_stations(r, q.station, &x->stations))
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    x->sts = q.sts.usec;
    x->ets = q.ets.usec;
    x->map = map;
    r->plan = frame_document(r, DATASET_ASOS, f, x, fill);
    return r->plan != NULL &&
           ws_select(r, r->plan, TABLE_ASOS_ALLDATA, sources, ARRAY_SIZE(sources), map);
}

const struct endpoint service_ws_interval = {
    WS_SERVICE,
    .path = "/api/1/asos_interval_summary",
    .summary = "METAR summary of an interval, as iem-web-services answers",
    .help = "station (comma separated), sts, ets; .json or .txt. Any number of stations and days.",
    .prepare = prepare,
    .examples = { "/api/1/"
                  "asos_interval_summary.json?station=DSM,AMW&sts=2024-06-01T00:00:00Z&ets=2024-06-"
                  "02T00:00:00Z" },
};
