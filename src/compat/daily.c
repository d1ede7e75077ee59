/* /cgi-bin/request/daily.py: daily summaries of a network with the normals of their days. */
#include "daily.h"

#include "obstream/query/sql.h"

#define SUMMARY(name, source)                                                                      \
    {                                                                                              \
        name, DAILY_SUMMARY, source, false                                                         \
    }

const struct daily_column daily_columns[] = {
    { "station", DAILY_STATION, NULL, false },
    { "day", DAILY_DAY, NULL, false },
    SUMMARY("max_temp_f", "max_tmpf"),
    SUMMARY("min_temp_f", "min_tmpf"),
    SUMMARY("max_dewpoint_f", "max_dwpf"),
    SUMMARY("min_dewpoint_f", "min_dwpf"),
    SUMMARY("precip_in", "pday"),
    SUMMARY("avg_wind_speed_kts", "avg_sknt"),
    SUMMARY("avg_wind_drct", "vector_avg_drct"),
    SUMMARY("min_rh", "min_rh"),
    SUMMARY("avg_rh", "avg_rh"),
    SUMMARY("max_rh", "max_rh"),
    SUMMARY("snow_in", "snow"),
    SUMMARY("snowd_in", "snowd"),
    SUMMARY("min_feel", "min_feel"),
    SUMMARY("avg_feel", "avg_feel"),
    SUMMARY("max_feel", "max_feel"),
    SUMMARY("max_wind_speed_kts", "max_sknt"),
    SUMMARY("max_wind_gust_kts", "max_gust"),
    SUMMARY("srad_mj", "srad_mj"),
    { "ncei91", DAILY_SITE, NULL, true },
    { "sday", DAILY_SDAY, NULL, true },
    { "station_r", DAILY_SITE_OF_NORMAL, NULL, true },
    { "climo_high_f", DAILY_CLIMATE, "high", false },
    { "climo_low_f", DAILY_CLIMATE, "low", false },
    { "climo_precip_in", DAILY_CLIMATE, "precip", false },
};
const unsigned daily_column_count = ARRAY_SIZE(daily_columns);

struct daily_params {
    struct iem_period period;
    const char *format, *na, *network;
    struct strlist station, stations, var;
};

#define AT(member) offsetof(struct daily_params, member)

static const struct iem_param own_params[] = {
    { "ets", IEM_TIME, 0, AT(period.ets), NULL, NULL, NULL, 0, 0,
      "the last day, like 2024-06-30; its time of day does not matter" },
    { "format", IEM_TEXT, 0, AT(format), "csv", NULL, NULL, 0, 0,
      "csv, json or excel; anything else is csv" },
    { "na", IEM_TEXT, 0, AT(na), "None", NULL, NULL, 0, 0,
      "what stands for a missing value: None, M or blank" },
    { "network", IEM_TEXT, IEM_REQUIRED, AT(network), NULL, NULL, NULL, 0, 0,
      "the network of the stations, like IA_ASOS" },
    { "station", IEM_LIST, 0, AT(station), NULL, NULL, NULL, 0, 0,
      "ids of stations, when `stations` is absent" },
    { "stations", IEM_LIST, 0, AT(stations), NULL, NULL, NULL, 0, 0,
      "ids of stations; _ALL: all of the network" },
    { "sts", IEM_TIME, 0, AT(period.sts), NULL, NULL, NULL, 0, 0, "the first day" },
    { "var", IEM_LIST, 0, AT(var), NULL, NULL, NULL, 0, 0,
      "columns besides station and day; all when absent; unknown ones are left out" },
    IEM_PERIOD_PIECES(struct daily_params, period),
    { .name = NULL },
};

static const struct iem_param *const params[] = { own_params, NULL };

static const struct iem_service service = {
    .params = params,
    .size = sizeof(struct daily_params),
    .differs = "All stations of a network can be asked for over any number of years.\n"
               "No request is refused because the server is busy.\n"
               "Rows are in the order of day and station.\n"
               "A spreadsheet that would not hold all rows is refused with 422.\n"
               "Errors are plain sentences.\n"
               "A failure after the header aborts the connection, so that no cut answer is taken "
               "for a whole one.",
};

enum { CELL_STATION, CELL_DAY_OF, CELL_FIRST, NETWORK_MAX = 20 };

/* Faults that clients know as an answer with status 200 whose text begins with ERROR. */
static bool error_reply(struct api_request *r, const char *text)
{
    if (text == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    buf_puts(reply_body(r, 200, "text/plain"), text);
    return true;
}

/* NULL when all stations are in the network, else the answer. */
static const char *stations_fault(struct api_request *r, const struct members *all,
                                  const struct strlist *asked, const char *network)
{
    if (all->count == 0)
        return "ERROR: Invalid network specified";
    for (size_t i = 0; i < asked->count; i++) {
        const char *id = asked->items[i];
        if (members_find(all, id, strlen(id)) == NULL)
            return arena_printf(r->arena, "ERROR: station: %s not found in network: %s", id,
                                network);
    }
    return NULL;
}

/* The members that were asked for. */
static void members_pick(struct members *m, const struct strlist *asked)
{
    size_t n = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (!strlist_has(asked, m->ids[i]))
            continue;
        m->ids[n] = m->ids[i];
        m->items[n++] = m->items[i];
    }
    m->count = n;
}

static void choose_columns(struct daily_request *d, const struct strlist *var)
{
    for (unsigned i = 0; i < daily_column_count; i++) {
        const struct daily_column *c = &daily_columns[i];
        bool always = c->origin == DAILY_STATION || c->origin == DAILY_DAY;
        if (always || (var->count == 0 ? !c->extra : strlist_has(var, c->name)))
            d->columns[d->count++] = c;
    }
}

static unsigned normal_index(const struct daily_column *c)
{
    unsigned first = 0;
    while (daily_columns[first].origin != DAILY_CLIMATE)
        first++;
    return (unsigned)(c - daily_columns) - first;
}

static void add_computed(struct daily_request *d, struct plan *p, unsigned i)
{
    static void (*const fns[])(const struct computed *, const struct cell *, struct cell *) = {
        [DAILY_CLIMATE] = daily_normal,
        [DAILY_SITE] = daily_site,
        [DAILY_SITE_OF_NORMAL] = daily_site_of_normal,
    };
    const struct daily_column *c = d->columns[i];
    struct computed *x = &d->computed[p->computed_count++];
    *x = (struct computed){
        .fn = fns[c->origin], .out = p->cells, .ctx = d, .in = { CELL_STATION, CELL_DAY_OF }
    };
    if (c->origin == DAILY_CLIMATE)
        x->args[0] = normal_index(c);
    d->climate = d->climate || c->origin != DAILY_SITE;
    d->cells[i] = p->cells++;
}

/* A sub-select that names its columns c0, c1, ...: station, day, what is fetched. */
static void put_table(const struct daily_request *d, const struct plan *p, struct buf *sql)
{
    const struct layout *l = &d->r->catalog->layout;
    buf_printf(sql, "(SELECT %s AS c0, day AS c1", members_station(true));
    for (unsigned i = 0; i < d->count; i++) {
        const struct daily_column *c = d->columns[i];
        if (c->origin != DAILY_SUMMARY)
            continue;
        bool there = layout_find(l, TABLE_IEM_SUMMARY, c->source) != NULL;
        buf_printf(sql, ", %s::float4 AS c%u", there ? c->source : "NULL", d->cells[i]);
    }
    members_from(sql, &d->members, p->query.table, true);
    sql_text(sql, ") AS d");
}

static void place_cells(struct daily_request *d, struct plan *p)
{
    d->oids[CELL_STATION] = OID_TEXT;
    d->oids[CELL_DAY_OF] = OID_DATE;
    p->wire_cells = CELL_FIRST;
    for (unsigned i = 0; i < d->count; i++) {
        if (d->columns[i]->origin != DAILY_SUMMARY)
            continue;
        d->oids[p->wire_cells] = OID_FLOAT4;
        d->cells[i] = p->wire_cells++;
    }
    p->cells = p->wire_cells;
    for (unsigned i = 0; i < d->count; i++) {
        enum daily_origin from = d->columns[i]->origin;
        if (from == DAILY_STATION)
            d->cells[i] = CELL_STATION;
        else if (from == DAILY_DAY || from == DAILY_SDAY)
            d->cells[i] = CELL_DAY_OF;
        else if (from != DAILY_SUMMARY)
            add_computed(d, p, i);
    }
    p->oids = d->oids;
    p->computed = d->computed;
}

static bool fill_query(struct daily_request *d, struct plan *p)
{
    struct arena *a = d->r->arena;
    struct buf table = BUF_INIT(BUF_LIMIT_SQL), list = BUF_INIT(BUF_LIMIT_MESSAGE);
    place_cells(d, p);
    put_table(d, p, &table);
    for (unsigned i = 0; i < p->wire_cells; i++)
        buf_printf(&list, "%sc%u", i > 0 ? ", " : "", i);
    bool ok = !table.failed && !list.failed;
    p->query.table = ok ? arena_strdup(a, table.data) : NULL;
    p->query.columns = ok ? arena_strdup(a, list.data) : NULL;
    buf_release(&table);
    buf_release(&list);
    p->query.station = "c0";
    p->query.time = "c1";
    p->query.time_is_day = p->query.by_time = true;
    p->query.stations = d->members.ids;
    p->query.count = (uint32_t)d->members.count;
    return (ok && !a->failed) ||
           err_set(&d->r->err, ERR_TOO_LARGE, "the statement for so many stations cannot be built");
}

static int64_t day_usec(const struct iem_time *t)
{
    return civil_days(t->local.year, t->local.month, t->local.day) * USEC_PER_DAY;
}

static bool plan_daily(struct api_request *r, struct daily_request *d, const char *format,
                       int64_t from, int64_t to)
{
    iem_window_clip(r, TABLE_IEM_SUMMARY, &from, &to);
    struct plan *p = iem_plan(r, TABLE_IEM_SUMMARY, from, to);
    if (p == NULL || !fill_query(d, p))
        return false;
    p->ctx = d;
    p->station_cell = CELL_STATION;
    p->time_cell = CELL_DAY_OF;
    p->rows_per_day = 1;
    p->row_bytes = 150;
    p->shape = (struct shape){ .ctx = d, .lon_cell = -1, .lat_cell = -1 };
    p->encoder = str_eq(format, "json") ? &daily_encoder_json : &daily_encoder_csv;
    p->prepare = d->climate ? daily_climate : NULL;
    r->plan = p;
    if (!str_eq(format, "excel"))
        return true;
    p->produce = daily_excel;
    p->mime = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    reply_header_add(r, "Content-Disposition", "attachment; Filename=daily.xlsx");
    return true;
}

static bool prepare_members(struct api_request *r, const struct daily_params *q,
                            struct daily_request *d, int64_t from, int64_t to)
{
    const struct strlist *asked = q->stations.count > 0 ? &q->stations : &q->station;
    const char *network = arena_strndup(r->arena, q->network, strnlen(q->network, NETWORK_MAX));
    if (asked->count == 0)
        return error_reply(r, "ERROR: No stations specified for request");
    if (!str_eq(q->na, "M") && !str_eq(q->na, "None") && !str_eq(q->na, "blank"))
        return error_reply(r, "ERROR: Invalid `na` value provided. {M, None, blank}");
    if (network == NULL || !members_of_network(r, network, NULL, true, &d->members))
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    if (d->members.count == 0 || !strlist_has(asked, "_ALL")) {
        const char *fault = stations_fault(r, &d->members, asked, network);
        if (fault != NULL)
            return error_reply(r, fault);
        members_pick(&d->members, asked);
    }
    d->missing = str_eq(q->na, "blank") ? NULL : q->na;
    choose_columns(d, &q->var);
    return plan_daily(r, d, q->format, from, to);
}

static bool prepare(struct api_request *r)
{
    struct iem_time first, last;
    struct daily_params *q = iem_read(r, &service);
    if (q == NULL)
        return iem_answered(r);
    struct daily_request *d = arena_alloc(r->arena, sizeof(*d));
    if (d == NULL || !iem_period(r, &q->period, tz_utc(), &first, &last))
        return false;
    d->r = r;
    return prepare_members(r, q, d, day_usec(&first), day_usec(&last) + USEC_PER_DAY);
}

const struct endpoint service_daily = {
    CGI_SERVICE,
    .path = "/cgi-bin/request/daily.py",
    .summary = "Daily summaries with climatology",
    .help = "What stations of a network measured each day, from the first to the last day, both "
            "included, and the normals of 1991 to 2020 of these days.",
    .prepare = prepare,
    .examples = { "network=IA_ASOS&stations=AMW&sts=2024-06-01&ets=2024-06-30",
                  "network=IA_ASOS&stations=_ALL&sts=2024-06-01&ets=2024-06-01&var=precip_in,"
                  "climo_precip_in&format=excel" },
};
