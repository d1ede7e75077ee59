/* /cgi-bin/request/asos.py: the METAR archive as the IEM serves it. */
#include "asos_params.h"

#include "obstream/query/sql.h"

/* Stands for the place of a computed cell until place_computed() knows it. */
static const unsigned LATER = UINT32_MAX;

struct composing {
    struct api_request *r;
    const struct asos_params *p;
    const struct encoder *encoder;
    bool native; /* the encoder is one of /api: values as they are stored */
    bool tabs;   /* of the two delimited forms */
    struct plan *plan;
    struct iem_select select;
    struct asos_answer *answer;
    struct field *fields;
    enum asos_kind *kinds;
    struct computed *computed;
    size_t field_count;
    unsigned computed_count;
};

/* --- the time window --- */

/* The newest hours: from `hours` ago to now, not exchanged when they are negative. */
static bool recent_hours(struct api_request *r, int64_t hours, struct iem_time *from,
                         struct iem_time *to)
{
    const int64_t most = 9999 * INT64_C(8784); /* hours of all years of the calendar */
    *to = iem_time_utc(r->now);
    if (hours < most && hours > -most) {
        *from = iem_time_utc(r->now - hours * USEC_PER_HOUR);
        if (civil_valid(&from->local))
            return true;
    }
    fault_add(&r->faults, "hours", NULL, "so many hours ago lies outside the years 1 to 9999");
    return false;
}

static bool time_window(struct api_request *r, const struct asos_params *p, struct iem_time *from,
                        struct iem_time *to)
{
    if (p->hours.set)
        return recent_hours(r, p->hours.value, from, to);
    if (!iem_period(r, &p->period, p->tz, from, to))
        return false;
    int order = iem_time_compare(from, to);
    if (order == 0 && !iem_time_add_days(to, 1)) {
        fault_add(&r->faults, "ets", NULL, "the day after the start lies beyond the year 9999");
        return false;
    }
    if (order > 0) {
        struct iem_time later = *from;
        *from = *to;
        *to = later;
    }
    return true;
}

/* --- the stations --- */

static void add_station(struct composing *x, struct strlist *ids, const char *id)
{
    strlist_add(ids, x->r->arena, id[0] == 'K' && strlen(id) == 4 ? id + 1 : id);
}

static void query_stations(struct composing *x, struct strlist *ids)
{
    iem_sort_unique(ids);
    x->plan->query.stations = ids->items;
    x->plan->query.count = (uint32_t)ids->count;
}

/* Ids that split all stations are only a guess of how many there are: the order is by time. */
static void all_stations(struct composing *x)
{
    struct strlist ids = { 0 };
    const struct catalog *c = x->r->catalog;
    for (size_t i = 0; i < c->station_count; i++) {
        if (strstr(c->stations[i].network, "ASOS") != NULL &&
            sql_id_ok(c->stations[i].id, strlen(c->stations[i].id)))
            strlist_add(&ids, x->r->arena, c->stations[i].id);
    }
    query_stations(x, &ids);
    x->plan->query.all = true;
}

static bool choose_stations(struct composing *x, struct strlist *ids)
{
    const struct asos_params *p = x->p;
    bool all = p->station.count > 0 ? strlist_has(&p->station, "_ALL") : p->network.count == 0;
    if (all) {
        all_stations(x);
        return true;
    }
    for (size_t i = 0; i < p->station.count; i++)
        add_station(x, ids, p->station.items[i]);
    if (p->station.count == 0 && !iem_network_stations(x->r, "network", &p->network, ids))
        return false;
    query_stations(x, ids);
    return true;
}

/* --- the columns --- */

static bool convert_input(const struct cell *in, double *v)
{
    if (in->type == CELL_FLOAT4) /* the database computes with the float4 itself */
        *v = in->f4;
    else if (in->type == CELL_FLOAT8)
        *v = in->f8;
    else if (in->type == CELL_INT)
        *v = (double)in->i;
    else
        return false;
    return true;
}

static void cell_converted(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct asos_column *column = c->ctx;
    double v;
    *out = convert_input(&cells[c->in[0]], &v) ? cell_float8(column->fn(v)) : cell_null();
}

/* The delimited forms keep the blanks that pad a sky cover; a member of JSON is the value. */
static void cell_trimmed(const struct computed *c, const struct cell *cells, struct cell *out)
{
    *out = cells[c->in[0]];
    while (out->type == CELL_TEXT && out->len > 0 && out->s[out->len - 1] == ' ')
        out->len--;
}

static Oid absent_oid(enum asos_kind kind)
{
    return kind == ASOS_TEXT || kind == ASOS_REPORT ? OID_TEXT : OID_FLOAT4;
}

static enum cell_type native_type(const struct asos_column *c)
{
    switch (c->kind) {
    case ASOS_TEXT:
    case ASOS_REPORT:
        return CELL_TEXT;
    case ASOS_MINUTE:
        return CELL_INSTANT;
    case ASOS_COUNT:
        return CELL_INT;
    default:
        return c->fn != NULL ? CELL_FLOAT8 : CELL_FLOAT4;
    }
}

/* Instants in JSON tell their offset, so the zone of the request can be theirs. */
static unsigned local_flag(const struct composing *x, enum asos_kind kind)
{
    return x->native && kind == ASOS_MINUTE && x->p->tz != tz_utc() ? FIELD_LOCAL : 0;
}

static struct field *add_field(struct composing *x, const char *name, enum asos_kind kind,
                               unsigned cell)
{
    struct field *f = &x->fields[x->field_count];
    *f = (struct field){ .name = name, .unit = "", .help = "", .cell = cell };
    x->kinds[x->field_count++] = kind;
    return f;
}

static void add_computed(struct composing *x, struct field *f,
                         void (*fn)(const struct computed *, const struct cell *, struct cell *),
                         const struct asos_column *c)
{
    x->computed[x->computed_count++] =
        (struct computed){ .fn = fn, .in = { f->cell }, .ctx = c, .out = LATER };
    f->cell = LATER;
}

/* A computed cell gets its place once all fetched ones are known: see place_computed(). */
static void add_column(struct composing *x, const struct asos_column *c)
{
    unsigned cell = iem_select_column(&x->select, c->source, absent_oid(c->kind));
    struct field *f = add_field(x, c->header, c->kind, cell);
    f->unit = c->unit;
    f->help = c->help;
    f->type = native_type(c);
    f->flags = local_flag(x, c->kind);
    if (c->fn != NULL) {
        f->flags = FIELD_CONVERT; /* no more digits than the delimited forms have */
        f->scale = 1;
        f->decimals = 2;
        add_computed(x, f, cell_converted, c);
    } else if (x->native && c->kind == ASOS_TEXT) {
        add_computed(x, f, cell_trimmed, c);
    }
}

static bool chosen_already(const struct composing *x, const struct asos_column *c)
{
    for (size_t i = 0; i < x->field_count; i++) {
        if (str_eq(x->fields[i].name, c->header))
            return true;
    }
    return false;
}

static void add_wanted(struct composing *x)
{
    const struct strlist *data = &x->p->data;
    size_t before = x->field_count;
    bool all = data->count == 0 || strlist_has(data, "all");
    for (size_t i = 0; all && i < asos_column_count; i++) {
        if (!asos_columns[i].extra)
            add_column(x, &asos_columns[i]);
    }
    for (size_t i = 0; !all && i < data->count; i++) {
        const struct asos_column *c = asos_column_find(data->items[i]);
        if (c != NULL && !(x->native && chosen_already(x, c))) /* members of JSON stand once */
            add_column(x, c);
    }
    if (x->field_count == before)
        add_column(x, &asos_columns[0]);
}

/* Positions come from the stations of the same database, like the recorded service's join. */
static bool join_stations(struct composing *x)
{
    struct api_request *r = x->r;
    if (!iem_table_there(r, TABLE_ASOS_STATIONS))
        return false;
    bool geom = layout_find(&r->catalog->layout, TABLE_ASOS_STATIONS, "geom") != NULL;
    x->plan->query.table =
        arena_printf(r->arena, "%s JOIN %s ON station = id AND network ~* 'ASOS'",
                     r->catalog->layout.tables[TABLE_ASOS_ALLDATA].sql_name,
                     r->catalog->layout.tables[TABLE_ASOS_STATIONS].sql_name);
    if (x->p->latlon) {
        const char *lon = geom ? "ST_X(geom)" : "lon::float8";
        const char *lat = geom ? "ST_Y(geom)" : "lat::float8";
        add_field(x, "lon", ASOS_DEGREES, iem_select_expr(&x->select, lon, OID_FLOAT8))->type =
            CELL_FLOAT8;
        add_field(x, "lat", ASOS_DEGREES, iem_select_expr(&x->select, lat, OID_FLOAT8))->type =
            CELL_FLOAT8;
    }
    if (x->p->elev)
        add_field(x, "elevation", ASOS_NUMBER,
                  iem_select_expr(&x->select, "elevation::float4", OID_FLOAT4))
            ->type = CELL_FLOAT4;
    return true;
}

static void station_position(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct api_request *r = c->ctx;
    const struct cell *id = &cells[c->in[0]];
    const struct station *st = catalog_station(r->catalog, id->s, id->len, NULL);
    double v = st == NULL ? __builtin_nan("") : c->args[0] != 0 ? st->lat : st->lon;
    *out = v == v ? cell_float8(v) : cell_null();
}

/* Computed cells lie behind the fetched ones, the position for GeoJSON behind them. */
static void place_computed(struct composing *x)
{
    struct plan *plan = x->plan;
    unsigned next = 0;
    for (size_t i = 0; i < x->field_count; i++) {
        if (x->fields[i].cell != LATER)
            continue;
        x->fields[i].cell = plan->cells + next;
        x->computed[next].out = plan->cells + next;
        next++;
    }
    plan->cells += next;
    for (int lat = 0; x->encoder->needs_position && lat < 2; lat++) {
        x->computed[next] = (struct computed){
            .fn = station_position, .out = plan->cells, .in = { plan->station_cell }, .ctx = x->r
        };
        x->computed[next++].args[0] = lat;
        *(lat ? &plan->shape.lat_cell : &plan->shape.lon_cell) = (int)plan->cells++;
    }
    plan->computed = x->computed;
    plan->computed_count = next;
}

static bool make_columns(struct composing *x)
{
    struct arena *a = x->r->arena;
    size_t most = x->p->data.count + asos_column_count + 8; /* with station, time and position */
    x->fields = arena_array(a, most, sizeof(*x->fields));
    x->kinds = arena_array(a, most, sizeof(*x->kinds));
    x->computed = arena_array(a, most, sizeof(*x->computed));
    if (x->fields == NULL || x->kinds == NULL || x->computed == NULL)
        return err_set(&x->r->err, ERR_TOO_LARGE, "the request needs too much memory");
    iem_select_init(&x->select, x->r, TABLE_ASOS_ALLDATA);
    x->plan->station_cell = iem_select_column(&x->select, "station", OID_TEXT);
    x->plan->time_cell = iem_select_column(&x->select, "valid", OID_TIMESTAMPTZ);
    if (!x->p->nometa) {
        add_field(x, "station", ASOS_TEXT, x->plan->station_cell)->type = CELL_TEXT;
        struct field *valid = add_field(x, "valid", ASOS_MINUTE, x->plan->time_cell);
        valid->type = CELL_INSTANT;
        valid->flags = local_flag(x, ASOS_MINUTE);
    }
    bool ok = !(x->p->latlon || x->p->elev) || join_stations(x);
    if (ok)
        add_wanted(x);
    ok = iem_select_done(&x->select, x->plan) && ok;
    if (ok)
        place_computed(x);
    return ok;
}

/* --- the filter --- */

/* 2 was both routine and special in the old archive; codes no column can hold find nothing. */
static const char *report_filter(struct composing *x)
{
    const struct strlist *types = &x->p->report_type;
    if (types->count == 0)
        return "";
    struct buf b = BUF_INIT(BUF_LIMIT_SQL);
    sql_text(&b, " AND report_type IN (NULL");
    for (size_t i = 0; i < types->count; i++) {
        int64_t code = 0;
        iem_int_text(types->items[i], false, &code);
        if (code < INT16_MIN || code > INT16_MAX)
            continue;
        sql_text(&b, ", ");
        sql_int(&b, code);
        if (code == 2)
            sql_text(&b, ", 3, 4");
    }
    sql_text(&b, ")");
    const char *text = b.failed ? NULL : arena_strdup(x->r->arena, b.data);
    buf_release(&b);
    if (text == NULL)
        err_set(&x->r->err, ERR_TOO_LARGE, "there are too many report types");
    return text;
}

/* --- the form --- */

static void choose_form(struct composing *x)
{
    static const struct encoder *const native[] = { &encoder_json, &encoder_geojson };
    const char *format = x->p->format;
    x->tabs = str_eq(format, "tdf") || str_eq(format, "onlytdf");
    x->encoder = x->tabs ? &encoder_asos_tab : &encoder_asos_comma;
    for (size_t i = 0; i < ARRAY_SIZE(native); i++) {
        if (str_eq(format, native[i]->name)) {
            x->encoder = native[i];
            x->native = true;
        }
    }
}

static const char *preface(struct composing *x, const struct iem_time *from,
                           const struct iem_time *to)
{
    const char *format = x->p->format;
    char text[2][64];
    if (x->native || str_eq(format, "onlycomma") || str_eq(format, "onlytdf"))
        return "";
    *iem_put_time(text[0], from) = '\0';
    *iem_put_time(text[1], to) = '\0';
    return arena_printf(x->r->arena,
                        "#DEBUG: Format Typ    -> %s\n"
                        "#DEBUG: Time Period   -> %s %s\n"
                        "#DEBUG: Time Zone     -> %s\n"
                        "#DEBUG: Data Contact   -> daryl herzmann akrherz@iastate.edu "
                        "515-294-5978\n"
                        "#DEBUG: Entries Found -> -1\n",
                        format, text[0], text[1], tz_name(x->p->tz));
}

static const char *stand_in(const char *value)
{
    return str_eq(value, "empty") ? "" : value;
}

static bool shape_answer(struct composing *x, const struct iem_time *from,
                         const struct iem_time *to)
{
    struct asos_answer *a = arena_alloc(x->r->arena, sizeof(*a));
    struct shape *shape = &x->plan->shape;
    if (a == NULL)
        return err_set(&x->r->err, ERR_TOO_LARGE, "the request needs too much memory");
    *a = (struct asos_answer){ .preface = preface(x, from, to),
                               .kinds = x->kinds,
                               .missing = stand_in(x->p->missing),
                               .trace = stand_in(x->p->trace),
                               .header = !x->p->nometa };
    a->missing_len = strlen(a->missing);
    a->trace_len = strlen(a->trace);
    shape->ctx = a;
    shape->fields = x->fields;
    shape->count = x->field_count;
    shape->tz = x->p->tz;
    x->plan->encoder = x->encoder;
    return a->preface != NULL;
}

static void name_file(struct composing *x, const struct strlist *ids)
{
    bool one = ids->count == 1 && x->p->station.count <= 1; /* an id given twice makes two */
    const char *name = one ? ids->items[0] : "asos";
    x->plan->mime = "application/octet-stream";
    reply_header_add(
        x->r, "Content-Disposition",
        arena_printf(x->r->arena, "attachment; filename=%s.%s", name, x->encoder->extension));
}

static bool compose(struct composing *x)
{
    struct iem_time from, to;
    struct strlist ids = { 0 };
    bool ok = time_window(x->r, x->p, &from, &to);
    x->plan = ok ? iem_plan(x->r, TABLE_ASOS_ALLDATA, from.usec, to.usec) : NULL;
    if (x->plan == NULL)
        return false;
    iem_window_clip(x->r, TABLE_ASOS_ALLDATA, &x->plan->from, &x->plan->to);
    choose_form(x);
    if (!choose_stations(x, &ids) || !make_columns(x) || !shape_answer(x, &from, &to))
        return false;
    struct archive_query *q = &x->plan->query;
    q->station = "station";
    q->time = "valid";
    q->filter = report_filter(x);
    q->by_time = true;
    q->descending = x->p->hours.set;
    x->plan->rows_per_day = 30;
    x->plan->row_bytes = 20 + 7 * (double)x->field_count;
    if (x->p->direct)
        name_file(x, &ids);
    return q->filter != NULL;
}

static bool prepare(struct api_request *r)
{
    struct composing *x = arena_alloc(r->arena, sizeof(*x));
    if (x == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    x->r = r;
    x->p = iem_read(r, &asos_service);
    if (x->p == NULL)
        return iem_answered(r);
    if (!compose(x))
        return false;
    r->plan = x->plan;
    return true;
}

const struct endpoint service_asos = {
    CGI_SERVICE,
    .path = "/cgi-bin/request/asos.py",
    .summary = "Airport weather reports (METAR), decoded and raw",
    .help =
        "Rows of the archive in the order of time, as comma or tab delimited text. Give stations "
        "or networks, a time window (sts and ets, or the pieces year1 to minute2, or hours) and "
        "the columns.",
    .prepare = prepare,
    .examples = { "station=DSM&sts=2024-06-01T00:00Z&ets=2024-06-02T00:00Z&data=tmpf&data=dwpf",
                  "network=IA_ASOS&year1=2024&month1=6&day1=1&year2=2024&month2=6&day2=2&data=all&"
                  "tz=America/Chicago&format=tdf&report_type=3&report_type=4" },
};
