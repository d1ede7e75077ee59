/* /api/1/climodat/por_daily_climo: what each day of the year was like over the years. */
#include "ws.h"

#include "obstream/query/sql.h"

#include <math.h>
#include <stdlib.h>

enum { DAYS = 366, LEAP_YEAR = 2000 };

struct climo_params {
    const char *station;
};

static const struct ws_param params[] = {
    { "station", WS_TEXT, true, offsetof(struct climo_params, station), 0, 6, NULL,
      "the id of a climodat station" },
    { .name = NULL },
};

enum { HIGH, LOW, PRECIP, ELEMENTS };

static const struct frame_column columns[] = {
    { "station", FRAME_TEXT, 0, 0 },
    { "date", FRAME_DAY, 0, 0 },
    { "years", FRAME_INT, 0, 0 },
    { "high_min", FRAME_INT, 0, 0 },
    { "high_min_years", FRAME_TEXT, 0, 0 },
    { "high_avg", FRAME_FLOAT, FRAME_NUMBER, 0 },
    { "high_max", FRAME_INT, 0, 0 },
    { "high_max_years", FRAME_TEXT, 0, 0 },
    { "low_min", FRAME_INT, 0, 0 },
    { "low_min_years", FRAME_TEXT, 0, 0 },
    { "low_avg", FRAME_FLOAT, FRAME_NUMBER, 0 },
    { "low_max", FRAME_INT, 0, 0 },
    { "low_max_years", FRAME_TEXT, 0, 0 },
    { "precip", FRAME_FLOAT, FRAME_NUMBER, 0 },
    { "precip_max", FRAME_FLOAT, FRAME_NUMBER, 0 },
    { "precip_max_years", FRAME_TEXT, 0, 0 },
};

enum { WIDTH = ARRAY_SIZE(columns), FIRST_HIGH = 3, FIRST_LOW = 8, FIRST_PRECIP = 13 };

struct extreme {
    double value;
    struct buf years; /* that had it, joined by blanks */
};

/* One element on one day of the year. */
struct element {
    uint64_t count;
    double sum, lost; /* compensated summation, as pandas does it */
    struct extreme min, max;
};

struct climo {
    struct element days[DAYS][ELEMENTS];
    bool seen[DAYS];
    bool gaps[ELEMENTS]; /* a row of the station has no value */
    uint64_t rows;
};

static void extreme_add(struct extreme *x, bool first, bool beyond, double v, int year)
{
    if (!first && !beyond && v != x->value)
        return;
    if (first || beyond)
        buf_clear(&x->years);
    buf_printf(&x->years, "%s%d", x->years.len > 0 ? " " : "", year);
    x->value = v;
}

static void element_add(struct element *x, double v, int year)
{
    double part = v - x->lost, total = x->sum + part;
    bool first = x->count == 0;
    x->lost = total - x->sum - part;
    x->sum = total;
    extreme_add(&x->min, first, v < x->min.value, v, year);
    extreme_add(&x->max, first, v > x->max.value, v, year);
    x->count++;
}

static double number(const struct cell *c)
{
    return c->type == CELL_NULL     ? NAN
           : c->type == CELL_FLOAT4 ? number_widen(c->f4)
           : c->type == CELL_FLOAT8 ? c->f8
                                    : (double)c->i;
}

/* day, high, low, precip */
static bool row_add(void *ctx, const struct cell *cells)
{
    struct climo *x = ctx;
    int year, month, day;
    civil_from_days(cells[0].i, &year, &month, &day);
    int64_t i = civil_days(LEAP_YEAR, month, day) - civil_days(LEAP_YEAR, 1, 1);
    x->rows++;
    x->seen[i] = true;
    for (int e = 0; e < ELEMENTS; e++) {
        double v = number(&cells[1 + e]);
        if (v == v)
            element_add(&x->days[i][e], v, year);
        else
            x->gaps[e] = true;
    }
    return true;
}

static struct cell years_cell(const struct extreme *x)
{
    return cell_text(x->years.data, (uint32_t)x->years.len);
}

/* min, its years, mean, max, its years; of precip the mean, max and its years only. */
static void element_cells(const struct element *x, bool whole, bool minimum, struct cell *c)
{
    if (x->count == 0)
        return;
    if (minimum) {
        *c++ =
            whole ? cell_int((int64_t)x->min.value) : cell_float8(iem_round_numpy(x->min.value, 2));
        *c++ = years_cell(&x->min);
    }
    *c++ = cell_float8(iem_round_numpy(x->sum / (double)x->count, 2));
    *c++ = whole ? cell_int((int64_t)x->max.value) : cell_float8(iem_round_numpy(x->max.value, 2));
    *c = years_cell(&x->max);
}

static void day_add(const struct climo *x, int i, const char *station, struct frame_rows *rows)
{
    struct cell c[WIDTH];
    for (int k = 0; k < WIDTH; k++)
        c[k] = cell_null();
    c[0] = cell_text(station, (uint32_t)strlen(station));
    c[1] = (struct cell){ .type = CELL_DAY, .i = civil_days(LEAP_YEAR, 1, 1) + i };
    if (x->seen[i])
        c[2] = cell_int((int64_t)x->days[i][HIGH].count);
    element_cells(&x->days[i][HIGH], !x->gaps[HIGH], true, &c[FIRST_HIGH]);
    element_cells(&x->days[i][LOW], !x->gaps[LOW], true, &c[FIRST_LOW]);
    element_cells(&x->days[i][PRECIP], false, false, &c[FIRST_PRECIP]);
    frame_rows_add(rows, c);
}

/* Extremes are whole numbers only while the station never lacks a value. */
static bool columns_fit(const struct climo *x, struct frame *f, struct arena *a)
{
    struct frame_column *own = arena_array(a, WIDTH, sizeof(*own));
    if (own == NULL)
        return false;
    memcpy(own, columns, sizeof(columns));
    for (int i = FIRST_HIGH; i < FIRST_PRECIP; i++) {
        if (own[i].kind == FRAME_INT && x->gaps[i >= FIRST_LOW ? LOW : HIGH])
            own[i].kind = FRAME_FLOAT;
    }
    f->columns = own;
    return true;
}

static struct climo *climo_new(void)
{
    struct climo *x = calloc(1, sizeof(*x));
    for (int i = 0; x != NULL && i < DAYS * ELEMENTS; i++) {
        struct element *e = &x->days[i / ELEMENTS][i % ELEMENTS];
        buf_init(&e->min.years, BUF_LIMIT_MESSAGE);
        buf_init(&e->max.years, BUF_LIMIT_MESSAGE);
    }
    return x;
}

static bool climo_free(struct climo *x)
{
    bool failed = false;
    for (int i = 0; i < DAYS * ELEMENTS; i++) {
        struct element *e = &x->days[i / ELEMENTS][i % ELEMENTS];
        failed = failed || e->min.years.failed || e->max.years.failed;
        buf_release(&e->min.years);
        buf_release(&e->max.years);
    }
    free(x);
    return failed;
}

static bool fill(const struct plan *p, struct conn *conn, struct frame *f, struct frame_rows *rows,
                 struct err *e)
{
    const char *station = frame_context(p);
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    struct climo *x = climo_new();
    if (x == NULL)
        return err_set(e, ERR_INTERNAL, "out of memory");
    buf_printf(&sql, "SELECT %s FROM %s WHERE station = ", p->query.columns, p->query.table);
    sql_id(&sql, station, strlen(station));
    sql_text(&sql, " ORDER BY day");
    bool ok = !sql.failed && query_rows(conn, sql.data, p->oids, p->wire_cells, row_add, x, e);
    if (ok && x->rows == 0)
        ok = err_set(e, ERR_NOT_FOUND, "there is no climate data of a station \"%s\"", station);
    if (ok && !columns_fit(x, f, &rows->arena))
        ok = err_set(e, ERR_INTERNAL, "out of memory");
    for (int i = 0; ok && i < DAYS; i++)
        day_add(x, i, station, rows);
    buf_release(&sql);
    if (climo_free(x))
        ok = err_set(e, ERR_INTERNAL, "out of memory");
    return ok || err_set(e, ERR_INTERNAL, "the statement cannot be built");
}

static bool prepare(struct api_request *r)
{
    static const struct ws_source sources[] = {
        { "day", OID_TEXT }, { "high", OID_FLOAT8 }, { "low", OID_FLOAT8 }, { "precip", OID_FLOAT8 }
    };
    struct climo_params q = { 0 };
    unsigned map[ARRAY_SIZE(sources)];
    enum frame_format format = FRAME_JSON;
    if (!ws_read(r, params, WS_TABLES, &q, &format))
        return false;
    if (!sql_id_ok(q.station, strlen(q.station)))
        return err_set(&r->err, ERR_NOT_FOUND, "there is no climate data of a station \"%.16s\"",
                       q.station);
    struct frame *f = frame_new(r, format, columns, WIDTH);
    r->plan = f != NULL ? frame_document(r, DATASET_COOP, f, q.station, fill) : NULL;
    return r->plan != NULL &&
           ws_select(r, r->plan, TABLE_COOP_ALLDATA, sources, ARRAY_SIZE(sources), map);
}

const struct endpoint service_ws_climo = {
    WS_SERVICE,
    .path = "/api/1/climodat/por_daily_climo",
    .summary = "Means and extremes of each day of the year, as iem-web-services answers",
    .help = "station; .json or .txt. 366 rows over the station's whole record.",
    .prepare = prepare,
    .examples = { "/api/1/climodat/por_daily_climo.json?station=IATDSM" },
};
