/* The daily table of coop.py as text. */
#include "coop_table.h"

#include "obstream/core/number.h"
#include "obstream/stream/sink.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define VALUE(n)                                                                                   \
    {                                                                                              \
        n, COOP_VALUE, { n }, 0                                                                    \
    }

static const struct coop_var coop_vars[] = {
    { "station", COOP_STATION, { NULL }, 0 },
    { "station_name", COOP_NAME, { NULL }, 0 },
    { "lat", COOP_LAT, { NULL }, 0 },
    { "lon", COOP_LON, { NULL }, 0 },
    { "day", COOP_DAY_TEXT, { NULL }, 0 },
    { "doy", COOP_DOY, { NULL }, 0 },
    VALUE("high"),
    VALUE("low"),
    VALUE("precip"),
    VALUE("snow"),
    VALUE("snowd"),
    { "gdd_50_86", COOP_GDD, { "high", "low" }, 50 },
    { "gdd_40_86", COOP_GDD, { "high", "low" }, 40 },
    { "highc", COOP_CELSIUS, { "high" }, 0 },
    { "lowc", COOP_CELSIUS, { "low" }, 0 },
    { "precipmm", COOP_MM, { "precip" }, 0 },
    VALUE("narr_srad"),
    VALUE("era5land_srad"),
    VALUE("merra_srad"),
    VALUE("hrrr_srad"),
    VALUE("power_srad"),
    VALUE("temp_estimated"),
    VALUE("precip_estimated"),
    { "era5land_soilt4_avg", COOP_MEAN, { "era5land_soilt4_min", "era5land_soilt4_max" }, 0 },
    VALUE("era5land_soilt4_min"),
    VALUE("era5land_soilt4_max"),
    VALUE("era5land_soilm4_avg"),
    VALUE("era5land_soilm1m_avg"),
    VALUE("nldas_soilt4_avg"),
    VALUE("nldas_soilt4_min"),
    VALUE("nldas_soilt4_max"),
    VALUE("nldas_soilm4_avg"),
    VALUE("nldas_soilm1m_avg"),
};

/* --- values --- */

static double cell_number(const struct cell *c)
{
    switch (c->type) {
    case CELL_INT:
        return (double)c->i;
    case CELL_FLOAT4:
        return (double)c->f4;
    case CELL_FLOAT8:
        return c->f8;
    default:
        return NAN;
    }
}

static struct cell maybe(double v)
{
    return isnan(v) ? cell_null() : cell_float8(v);
}

/* Half away from zero at one decimal, of the 15 digits that a numeric keeps of a float8. */
static double round_numeric(double v)
{
    char text[32];
    if (!isfinite(v))
        return v;
    snprintf(text, sizeof(text), "%.15g", v);
    double kept = strtod(text, NULL), tenths = fabs(kept) * 10;
    snprintf(text, sizeof(text), "%.15g", tenths);
    double rounded = floor(strtod(text, NULL) + 0.5) / 10;
    return rounded > 0 ? copysign(rounded, v) : 0; /* a numeric has no -0 */
}

static double bounded(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

static double gdd(double high, double low, double base)
{
    const double ceiling = 86;
    return (bounded(high, base, ceiling) + bounded(low, base, ceiling)) / 2 - base;
}

/* The mean of two float4: they are added as such, and halved as a double. */
static double mean_value(const struct cell *a, const struct cell *b)
{
    if (a->type == CELL_FLOAT4 && b->type == CELL_FLOAT4)
        return (double)(float)(a->f4 + b->f4) / 2;
    return (cell_number(a) + cell_number(b)) / 2;
}

static struct cell trimmed(const struct cell *c)
{
    struct cell out = *c;
    while (out.type == CELL_TEXT && out.len > 0 && out.s[out.len - 1] == ' ')
        out.len--;
    return out;
}

static struct cell station_cell(const struct coop_table *t, enum coop_kind kind,
                                const struct cell *id)
{
    const struct station *st = coop_known(t->q, id->s, id->len);
    if (kind == COOP_LAT || kind == COOP_LON)
        return st == NULL ? cell_null() : maybe(kind == COOP_LAT ? st->lat : st->lon);
    return st == NULL || st->name == NULL ? cell_null()
                                          : cell_text(st->name, (uint32_t)strlen(st->name));
}

struct cell coop_cell(const struct coop_table *t, const struct coop_column *c,
                      const struct cell *cells)
{
    const struct cell *a = &cells[c->cells[0]], *b = &cells[c->cells[1]];
    struct cell id = trimmed(&cells[COOP_CELL_STATION]);
    switch (c->var->kind) {
    case COOP_STATION:
        return id;
    case COOP_NAME:
    case COOP_LAT:
    case COOP_LON:
        return station_cell(t, c->var->kind, &id);
    case COOP_DAY_TEXT:
        return cells[COOP_CELL_DAY];
    case COOP_DOY:
        return t->doy_cell >= 0 ? cells[t->doy_cell]
                                : cell_int(coop_day_of_year(cells[COOP_CELL_DAY].i));
    case COOP_GDD:
        return a->type == CELL_NULL || b->type == CELL_NULL
                   ? cell_null()
                   : maybe(gdd(cell_number(a), cell_number(b), c->var->base));
    case COOP_CELSIUS:
        return maybe(round_numeric(5.0 * (cell_number(a) - 32) / 9));
    case COOP_MM:
        return maybe(round_numeric(cell_number(a) * 25.4));
    case COOP_MEAN:
        return maybe(mean_value(a, b));
    case COOP_VALUE:
        break;
    }
    return *a;
}

/* --- text --- */

/* Python's text of a missing value is replaced wherever it stands, in a name too. */
static void put_name(struct buf *out, const char *s, size_t len)
{
    while (len > 0) {
        const char *none = memmem(s, len, "None", 4);
        size_t n = none != NULL ? (size_t)(none - s) : len;
        buf_add(out, s, n);
        if (none == NULL)
            return;
        buf_putc(out, 'M');
        s += n + 4;
        len -= n + 4;
    }
}

static char *put_day(char *p, int64_t day)
{
    char *end = number_day(p, day);
    for (char *c = p + 1; c < end; c++) {
        if (*c == '-')
            *c = '/';
    }
    return end;
}

static char *put_float(char *p, enum coop_kind kind, double v)
{
    switch (kind) {
    case COOP_LAT:
    case COOP_LON:
        return number_fixed(p, v, 4);
    case COOP_CELSIUS:
    case COOP_MM:
        return number_fixed(p, v, 1);
    case COOP_GDD:
        return number_float8(p, v); /* 0, 1.5, 28 */
    default:
        return iem_put_repr(p, v);
    }
}

static void put_value(struct buf *out, enum coop_kind kind, const struct cell *c)
{
    char *p = buf_tail(out, NUMBER_ROOM);
    if (p == NULL)
        return;
    switch (c->type) {
    case CELL_TEXT:
        put_name(out, c->s, c->len);
        return;
    case CELL_BOOL:
        buf_puts(out, c->i ? "True" : "False");
        return;
    case CELL_INT:
        p = number_int(p, c->i);
        break;
    case CELL_DAY:
        p = put_day(p, c->i);
        break;
    case CELL_FLOAT4:
        p = iem_put_repr(p, isfinite(c->f4) ? number_widen(c->f4) : (double)c->f4);
        break;
    case CELL_FLOAT8:
        p = put_float(p, kind, c->f8);
        break;
    default:
        *p++ = 'M';
    }
    buf_advance(out, p);
}

static void put_line(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    const struct coop_table *t = st->shape->ctx;
    bool first = true;
    for (size_t i = 0; i < t->count; i++) {
        const struct coop_column *c = &t->columns[i];
        if (c->var == NULL)
            continue;
        struct cell v = coop_cell(t, c, cells);
        if (!first)
            buf_putc(out, t->q->delimiter);
        put_value(out, c->var->kind, &v);
        first = false;
    }
    buf_puts(out, "\r\n");
}

void coop_put_lead(const struct coop_request *q, char mark, const struct station *st, int64_t first,
                   int64_t last, struct buf *out)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct civil now = civil_from_usec(q->r->now);
    char a[NUMBER_ROOM], b[NUMBER_ROOM];
    *number_day(a, first) = *number_day(b, last) = '\0';
    buf_printf(out, "%c Iowa Environmental Mesonet -- NWS Cooperative Data\n", mark);
    buf_printf(out, "%c Created: %02d %.3s %d %02d:%02d:%02d UTC\n", mark, now.day,
               months + 3 * (now.month - 1), now.year, now.hour, now.minute, now.second);
    buf_printf(out, "%c Contact: daryl herzmann akrherz@iastate.edu 515-294-5978\n", mark);
    if (st != NULL)
        buf_printf(out, "%c Station: %s %s\n", mark, st->id, st->name != NULL ? st->name : "");
    buf_printf(out, "%c Data Period: %s - %s\n", mark, a, b);
    if (!q->scenario)
        return;
    *number_day(b, q->last) = '\0';
    buf_printf(out, "%c !SCENARIO DATA! inserted after: %s replicating year: %d\n", mark, b,
               q->scenario_year);
}

static void put_head(const struct shape *shape, struct buf *out)
{
    const struct coop_table *t = shape->ctx;
    if (t->q->header)
        coop_put_lead(t->q, '#', NULL, t->q->first, t->q->last, out);
    for (size_t i = 0; i < t->count; i++) {
        if (i > 0)
            buf_putc(out, t->q->delimiter);
        buf_puts(out, t->columns[i].name);
    }
    buf_puts(out, "\r\n");
}

static void no_tail(const struct shape *shape, const struct answer_totals *totals, struct buf *out)
{
    (void)shape;
    (void)totals;
    (void)out;
}

static const struct encoder encoder_coop = {
    .name = "coop",
    .mime = "text/plain",
    .extension = "txt",
    .separator = "",
    .help = "a line a station and day",
    .head = put_head,
    .row = put_line,
    .tail = no_tail,
};

/* A scenario of one station: whole, in the order of the union. */
static bool text_produce(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e)
{
    const struct coop_table *t = p->shape.ctx;
    struct encode_state st;
    struct copy copy;
    struct cell cells[COPY_COLUMNS];
    struct buf line = BUF_INIT(BUF_LIMIT_MESSAGE);
    enum rows_result r = ROWS_ERROR;
    encode_begin(&st, &p->shape);
    if (!copy_begin(&copy, conn, t->sql, p->oids, p->wire_cells, e)) {
        copy_end(&copy);
        return false;
    }
    while (sink->err.kind == ERR_NONE && (r = copy_next(&copy, cells, e)) == ROWS_ROW) {
        buf_clear(&line);
        put_line(&st, cells, &line);
        sink_write(sink, line.data, line.len);
    }
    copy_end(&copy);
    bool ok = !line.failed || err_set(e, ERR_INTERNAL, "out of memory for a line");
    buf_release(&line);
    return ok && (r == ROWS_END || err_set(e, sink->err.kind, "%s", sink->err.msg));
}

/* --- plan --- */

static const struct coop_var *find_var(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(coop_vars); i++) {
        if (str_eq(coop_vars[i].name, name))
            return &coop_vars[i];
    }
    return NULL;
}

static void add_column(struct coop_table *t, struct iem_select *s, const char *name)
{
    struct coop_column *c = &t->columns[t->count++];
    c->name = name;
    c->var = find_var(name);
    for (int i = 0; c->var != NULL && i < 2 && c->var->source[i] != NULL; i++)
        c->cells[i] = iem_select_column(s, c->var->source[i], OID_FLOAT4);
}

static void add_columns(struct coop_table *t, struct iem_select *s)
{
    static const char *const always[] = { "station", "station_name", "lat", "lon", "day", "doy" };
    for (size_t i = 0; i < ARRAY_SIZE(always); i++) {
        if (t->q->gis || always[i][0] != 'l')
            add_column(t, s, always[i]);
    }
    for (size_t i = 0; i < t->q->vars->count; i++)
        add_column(t, s, t->q->vars->items[i]);
}

static const char *taken(struct coop_table *t, struct buf *sql)
{
    const char *text = sql->failed ? NULL : arena_strdup(t->q->r->arena, sql->data);
    if (text == NULL)
        err_set(&t->q->r->err, ERR_TOO_LARGE, "the request needs too much memory");
    buf_release(sql);
    return text;
}

static bool whole_table(struct coop_table *t, struct plan *plan)
{
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    buf_printf(&sql, "SELECT %s FROM ", plan->query.columns);
    coop_union_sql(t->q, true, &sql);
    buf_puts(&sql, " ORDER BY total.day");
    t->sql = taken(t, &sql);
    plan->produce = t->q->what == COOP_EXCEL ? coop_xlsx_produce : text_produce;
    if (t->q->what == COOP_EXCEL)
        plan->encoder = &coop_document;
    return t->sql != NULL;
}

/* Rows by day; a scenario's follow in the year of the last one. */
static bool sliced_table(struct coop_table *t, struct plan *plan)
{
    const struct coop_request *q = t->q;
    iem_window_clip(q->r, TABLE_COOP_ALLDATA, &plan->from, &plan->to);
    if (q->scenario) {
        struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
        int year, month, day;
        civil_from_days(q->last, &year, &month, &day);
        int64_t first = coop_replicate(q->scenario_first, year) * USEC_PER_DAY;
        coop_union_sql(q, false, &sql);
        plan->query.table = taken(t, &sql);
        plan->from = plan->from < first && plan->from < plan->to ? plan->from : first;
        plan->to = (civil_days(year, 12, 31) + 1) * USEC_PER_DAY;
    }
    plan->query.station = "station";
    plan->query.time = "day";
    plan->query.time_is_day = true;
    plan->query.stations = q->ids.items;
    plan->query.count = (uint32_t)q->ids.count;
    plan->query.by_time = true;
    plan->rows_per_day = 1;
    plan->row_bytes = 40 + 8 * (double)q->vars->count;
    return plan->query.table != NULL;
}

bool coop_table_plan(struct coop_request *q)
{
    struct api_request *r = q->r;
    struct iem_select s;
    struct coop_table *t = arena_alloc(r->arena, sizeof(*t));
    struct plan *plan =
        iem_plan(r, TABLE_COOP_ALLDATA, q->first * USEC_PER_DAY, (q->last + 1) * USEC_PER_DAY);
    if (t == NULL || plan == NULL)
        return false;
    *t = (struct coop_table){ .q = q, .doy_cell = -1 };
    t->columns = arena_array(r->arena, q->vars->count + 6, sizeof(*t->columns));
    if (t->columns == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    bool whole = q->what == COOP_EXCEL || (q->scenario && q->ids.count == 1);
    iem_select_init(&s, r, TABLE_COOP_ALLDATA);
    plan->station_cell = iem_select_column(&s, "station", OID_TEXT);
    plan->time_cell = whole ? iem_select_expr(&s, "to_date(day, 'YYYY/MM/DD')", OID_DATE)
                            : iem_select_column(&s, "day", OID_DATE);
    if (whole || q->scenario)
        t->doy_cell = (int)iem_select_expr(&s, "doy::int4", OID_INT4);
    add_columns(t, &s);
    if (!iem_select_done(&s, plan))
        return false;
    plan->encoder = &encoder_coop;
    plan->shape.ctx = t;
    r->plan = plan;
    return whole ? whole_table(t, plan) : sliced_table(t, plan);
}
