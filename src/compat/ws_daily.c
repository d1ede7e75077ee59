/*
 * /api/1/daily: daily summaries of a network or station. Rows stream in the order of day and
 * station. The statement reads a sub-select that names its columns c0, c1, ...: station, day, the
 * columns of the answer. What the columns are, and the number of the first row of each day, is
 * counted before.
 */
#include "members.h"
#include "ws_daily.h"

#include "obstream/query/sql.h"

#include <stdlib.h>

struct daily_params {
    const char *network, *station;
    struct param_time date;
    struct param_count month, year;
};

#define AT(member) offsetof(struct daily_params, member)
enum { FIRST_DAY = -25567 /* 1900-01-01 */, LAST_DAY = 21915 /* 2030-01-01 */, FIRST_YEAR = 1900 };

static const char *check_station(const char *value)
{
    return sql_id_ok(value, strlen(value)) && strpbrk(value, " :/#@+") == NULL
               ? NULL
               : "has to be the id of a station";
}

static const struct ws_param params[] = {
    { "network", WS_TEXT, true, AT(network), 1, 20, iem_check_network, "the id of a network" },
    { "station", WS_TEXT, false, AT(station), 1, 20, check_station, "the id of a station" },
    { "date", WS_DATE, false, AT(date), FIRST_DAY, LAST_DAY, NULL, "a day" },
    { "month", WS_INT, false, AT(month), 1, 12, NULL, "a month of `year`" },
    { "year", WS_INT, false, AT(year), 1849, 2030, NULL, "a year" },
    { .name = NULL },
};

enum { COLUMNS_MAX = 40, CELL_STATION = 0, CELL_DATE = 1 };

struct daily {
    struct frame_stream stream; /* first: the encoder's context */
    const struct daily_kind *kind;
    const struct catalog *catalog;
    struct members members;
    unsigned wire[COLUMNS_MAX]; /* cell of what is fetched for a column, 0: nothing */
    unsigned map[COLUMNS_MAX + 2];
    Oid oids[COLUMNS_MAX + 3];
    unsigned wire_count;
    struct computed computed[COLUMNS_MAX + 3];
    const char *window;  /* of the statement that counts: "" or " WHERE ..." */
    const char *counted; /* the sub-select without row numbers */
};

/* --- the statement --- */

static const char *type_name(Oid oid)
{
    switch (oid) {
    case OID_FLOAT4:
        return "float4";
    case OID_FLOAT8:
        return "float8";
    case OID_INT2:
        return "int2";
    case OID_INT4:
        return "int4";
    case OID_BOOL:
        return "bool";
    default:
        return "timestamptz";
    }
}

static bool column_there(const struct daily *d, const struct daily_column *c)
{
    for (size_t i = 0; i < ARRAY_SIZE(c->needs) && c->needs[i] != NULL; i++) {
        if (layout_find(&d->catalog->layout, d->kind->table, c->needs[i]) == NULL)
            return false;
    }
    return true;
}

/* The sub-select; with `place` the last column is the row's place within its day. */
static void put_table(const struct daily *d, bool place, struct buf *sql)
{
    const struct daily_kind *k = d->kind;
    const char *station = members_station(k->by_iemid);
    buf_printf(sql, "(SELECT %s AS c0, day AS c1", station);
    for (unsigned i = 0; i < k->count; i++) {
        const struct daily_column *c = &k->columns[i];
        if (d->wire[i] > 0)
            buf_printf(sql, ", (%s)::%s AS c%u", column_there(d, c) ? c->sql : "NULL",
                       type_name(c->oid), d->wire[i]);
    }
    if (place)
        buf_printf(sql, ", row_number() OVER (PARTITION BY day ORDER BY %s) - 1 AS c%u", station,
                   d->wire_count);
    members_from(sql, &d->members, d->catalog->layout.tables[k->table].sql_name, k->by_iemid);
    sql_text(sql, ") AS d");
}

static const char *keep(struct api_request *r, struct buf *sql)
{
    const char *text = sql->failed ? NULL : arena_strdup(r->arena, sql->data);
    buf_release(sql);
    if (text == NULL)
        err_set(&r->err, ERR_TOO_LARGE, "the statement for so many stations cannot be built");
    return text;
}

static bool build_query(struct api_request *r, struct daily *d, struct archive_query *q)
{
    bool place = d->stream.frame.format == FRAME_JSON;
    struct buf table = BUF_INIT(BUF_LIMIT_SQL), counted = BUF_INIT(BUF_LIMIT_SQL);
    struct buf list = BUF_INIT(BUF_LIMIT_MESSAGE);
    put_table(d, place, &table);
    put_table(d, false, &counted);
    for (unsigned i = 0; i < d->wire_count + place; i++)
        buf_printf(&list, "%sc%u", i > 0 ? ", " : "", i);
    *q = (struct archive_query){ .table = keep(r, &table),
                                 .station = "c0",
                                 .time = "c1",
                                 .time_is_day = true,
                                 .columns = keep(r, &list),
                                 .filter = "",
                                 .tie = "",
                                 .stations = d->members.ids,
                                 .count = (uint32_t)d->members.count,
                                 .by_time = true };
    d->counted = keep(r, &counted);
    return r->err.kind == ERR_NONE;
}

/* --- computed cells --- */

static const struct station *station_of(const struct computed *c, const struct cell *cells)
{
    const struct daily *d = c->ctx;
    return members_find(&d->members, cells[CELL_STATION].s, cells[CELL_STATION].len);
}

static void cell_nothing(const struct computed *c, const struct cell *cells, struct cell *out)
{
    (void)c;
    (void)cells;
    *out = cell_null();
}

static void cell_name(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct station *st = station_of(c, cells);
    bool named = st != NULL && st->name != NULL;
    *out = named ? cell_text(st->name, (uint32_t)strlen(st->name)) : cell_null();
}

static void cell_position(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct station *st = station_of(c, cells);
    double v = st == NULL ? 0 : c->args[0] != 0 ? st->lat : st->lon;
    *out = st != NULL && v == v ? cell_float8(v) : cell_null();
}

static void cell_local(const struct computed *c, const struct cell *cells, struct cell *out)
{
    *out = cells[c->in[0]];
    if (out->type == CELL_INSTANT)
        out->i += tz_offset(members_zone(station_of(c, cells)), out->i, NULL, NULL) * USEC_PER_SEC;
}

static void cell_local_hour(const struct computed *c, const struct cell *cells, struct cell *out)
{
    cell_local(c, cells, out);
    if (out->type == CELL_INSTANT)
        *out = cell_float8(civil_from_usec(out->i).hour);
}

static unsigned add_computed(struct daily *d, struct plan *p, struct computed c)
{
    c.ctx = d;
    c.out = p->cells++;
    d->computed[p->computed_count++] = c;
    return c.out;
}

/* Cells: what is fetched, then what is computed from it. */
static void map_columns(struct daily *d, struct plan *p)
{
    static void (*const fns[])(const struct computed *, const struct cell *, struct cell *) = {
        [STATION_NAME] = cell_name,
        [LOCAL_TIME] = cell_local,
        [LOCAL_HOUR] = cell_local_hour,
        [NOTHING] = cell_nothing,
    };
    const struct daily_kind *k = d->kind;
    p->wire_cells = p->cells = d->wire_count + (d->stream.frame.format == FRAME_JSON);
    p->computed = d->computed;
    for (unsigned i = 0; i < k->count; i++) {
        enum origin from = k->columns[i].origin;
        if (from == PLAIN)
            d->map[i] = d->wire[i];
        else if (from == STATION_ID || from == THE_DAY)
            d->map[i] = from == THE_DAY ? CELL_DATE : CELL_STATION;
        else
            d->map[i] =
                add_computed(d, p, (struct computed){ .fn = fns[from], .in = { d->wire[i] } });
    }
    for (unsigned lat = 0; lat < 2; lat++)
        d->map[k->count + lat] =
            add_computed(d, p, (struct computed){ .fn = cell_position, .args = { lat } });
}

static void assign_wire(struct daily *d)
{
    const struct daily_kind *k = d->kind;
    d->oids[CELL_STATION] = OID_TEXT;
    d->oids[CELL_DATE] = OID_DATE;
    d->wire_count = 2;
    for (unsigned i = 0; i < k->count; i++) {
        if (k->columns[i].sql == NULL)
            continue;
        d->oids[d->wire_count] = k->columns[i].oid;
        d->wire[i] = d->wire_count++;
    }
    d->oids[d->wire_count] = OID_INT8;
}

/* --- counting --- */

struct count {
    int64_t day;
    uint64_t rows;
};

struct counting {
    struct daily *daily;
    struct count *days;
    size_t count, cap;
    uint64_t rows, values[COLUMNS_MAX];
    bool failed;
};

/* day, rows, values of each fetched cell from the third on */
static bool count_row(void *ctx, const struct cell *cells)
{
    struct counting *x = ctx;
    if (x->count == x->cap) {
        size_t cap = x->cap == 0 ? 512 : 2 * x->cap;
        struct count *more = reallocarray(x->days, cap, sizeof(*more));
        if (more == NULL) {
            x->failed = true;
            return false;
        }
        x->days = more;
        x->cap = cap;
    }
    x->days[x->count++] = (struct count){ cells[0].i, (uint64_t)cells[1].i };
    x->rows += (uint64_t)cells[1].i;
    for (unsigned i = 0; i < x->daily->kind->count; i++) {
        unsigned wire = x->daily->wire[i];
        if (x->daily->kind->columns[i].origin != NOTHING)
            x->values[i] += (uint64_t)cells[wire > 0 ? wire : 1].i;
    }
    return true;
}

static bool count_read(struct counting *x, struct conn *conn, struct err *e)
{
    const struct daily *d = x->daily;
    Oid oids[COLUMNS_MAX + 2] = { OID_DATE, OID_INT8 };
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    sql_text(&sql, "SELECT c1, count(*)");
    for (unsigned i = 2; i < d->wire_count; i++) {
        buf_printf(&sql, ", count(c%u)", i);
        oids[i] = OID_INT8;
    }
    buf_printf(&sql, " FROM %s%s GROUP BY c1 ORDER BY c1", d->counted, d->window);
    bool ok = !sql.failed && query_rows(conn, sql.data, oids, d->wire_count, count_row, x, e);
    buf_release(&sql);
    return (ok && !x->failed) || err_set(e, ERR_INTERNAL, "out of memory");
}

/* What the columns are, the number of each day's first row, and the days there are. */
static bool count_finish(const struct counting *x, struct plan *p)
{
    struct frame_stream *s = &x->daily->stream;
    s->frame.rows = x->rows;
    frame_dtypes(&s->frame, x->values);
    p->from = p->to = 0;
    if (x->count == 0)
        return true;
    int64_t first = x->days[0].day, last = x->days[x->count - 1].day;
    s->first_day = first;
    s->days = (size_t)(last - first + 1);
    s->base = arena_array(p->arena, s->days, sizeof(*s->base));
    uint64_t before = 0;
    for (size_t i = 0; s->base != NULL && i < x->count; i++) {
        s->base[x->days[i].day - first] = before;
        before += x->days[i].rows;
    }
    p->from = first * USEC_PER_DAY;
    p->to = (last + 1) * USEC_PER_DAY;
    return s->base != NULL;
}

static bool count_prepare(struct plan *p, struct conn *conn, struct err *e)
{
    struct counting x = { .daily = (struct daily *)p->ctx };
    bool ok = count_read(&x, conn, e) &&
              (count_finish(&x, p) || err_set(e, ERR_INTERNAL, "out of memory"));
    free(x.days);
    return ok;
}

/* --- the request --- */

/* The window as a condition; without one all days there are. */
static const char *window_text(struct api_request *r, const struct daily_params *q)
{
    int year = (int)q->year.value, month = q->month.set ? (int)q->month.value : 1;
    int64_t from = civil_days(year, month, 1);
    int64_t to = q->month.set ? civil_days(year, month + 1, 1) : civil_days(year + 1, 1, 1);
    if (!q->date.set && !q->year.set)
        return "";
    if (q->date.set) {
        from = floor_div(q->date.usec, USEC_PER_DAY);
        to = from + 1;
    }
    struct buf sql = BUF_INIT(BUF_LIMIT_MESSAGE);
    sql_text(&sql, " WHERE c1 >= ");
    sql_day(&sql, from);
    sql_text(&sql, " AND c1 < ");
    sql_day(&sql, to);
    return keep(r, &sql);
}

static struct daily *daily_new(struct api_request *r, const struct daily_kind *k,
                               enum frame_format format)
{
    struct daily *d = arena_alloc(r->arena, sizeof(*d));
    struct frame_column *columns = arena_array(r->arena, k->count, sizeof(*columns));
    struct frame *f = columns != NULL ? frame_new(r, format, columns, k->count) : NULL;
    if (d == NULL || f == NULL) {
        err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
        return NULL;
    }
    for (unsigned i = 0; i < k->count; i++)
        columns[i] = k->columns[i].frame;
    *d = (struct daily){ .kind = k, .catalog = r->catalog };
    d->stream.frame = *f;
    d->stream.map = d->map;
    return d;
}

static bool plan_daily(struct api_request *r, struct daily *d)
{
    struct plan *p = arena_alloc(r->arena, sizeof(*p));
    if (p == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    p->arena = r->arena;
    p->ctx = d;
    p->pool = r->api->pools[layout_dataset(d->kind->table)];
    p->prepare = count_prepare;
    assign_wire(d);
    map_columns(d, p);
    p->oids = d->oids;
    p->station_cell = CELL_STATION;
    p->time_cell = CELL_DATE;
    p->rows_per_day = 1;
    p->row_bytes = 500;
    p->shape = (struct shape){ .ctx = &d->stream, .lon_cell = -1, .lat_cell = -1 };
    p->encoder = &frame_encoders[d->stream.frame.format];
    d->stream.day_cell = CELL_DATE;
    d->stream.place_cell = d->wire_count;
    r->plan = p;
    return build_query(r, d, &p->query);
}

static bool kind_known(struct api_request *r, const struct daily_kind *k, const char *network)
{
    if (k->table != TABLE_COOP_ALLDATA || catalog_network(r->catalog, network) != NULL)
        return true;
    return err_set(&r->err, ERR_NOT_FOUND, "there is no network \"%s\"", network);
}

static bool prepare(struct api_request *r)
{
    struct daily_params q = { 0 };
    enum frame_format format = FRAME_JSON;
    if (!ws_read(r, params, WS_ALL, &q, &format))
        return false;
    if (q.station == NULL && !q.date.set && !q.month.set && !q.year.set)
        return err_set(&r->err, ERR_UNPROCESSABLE,
                       "one of station, date, month and year has to be given");
    const struct daily_kind *k = daily_kind_of(q.network);
    if (k->table == TABLE_IEM_SUMMARY && q.year.set && !q.date.set && q.year.value < FIRST_YEAR)
        return err_set(&r->err, ERR_NOT_FOUND, "there are no summaries before %d", FIRST_YEAR);
    if (!kind_known(r, k, q.network) || !iem_table_there(r, k->table))
        return false;
    struct daily *d = daily_new(r, k, format);
    if (d == NULL || !members_of_network(r, q.network, q.station, k->by_iemid, &d->members))
        return false;
    d->window = window_text(r, &q);
    reply_header_add(r, "Cache-Control", "public, max-age=300");
    if (d->members.count > 0 && d->window != NULL)
        return plan_daily(r, d);
    struct frame_rows none;
    frame_rows_init(&none, k->count);
    return d->window != NULL && frame_reply(r, &d->stream.frame, &none);
}

const struct endpoint service_ws_daily = {
    WS_SERVICE,
    .path = "/api/1/daily",
    .summary = "Daily summaries, as iem-web-services answers",
    .help = "network, and one of station, date, year, year and month; .json, .txt or .geojson.",
    .prepare = prepare,
    .examples = { "/api/1/daily.json?network=IA_ASOS&date=2024-06-01",
                  "/api/1/daily.json?network=IA_ASOS&station=AMW&year=2024&month=6" },
};
