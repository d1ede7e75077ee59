/* /api/1/last_shef and shef_currents: the newest SHEF values. */
#include "ws.h"

#include "obstream/query/sql.h"

#define COUNT(a) ((unsigned)ARRAY_SIZE(a))

/* An id as a constant; false when no id of the table can look like it. */
static bool put_equal(struct buf *sql, const char *before, const char *value)
{
    if (!sql_id_ok(value, strlen(value)))
        return false;
    sql_text(sql, before);
    sql_id(sql, value, strlen(value));
    return true;
}

/* The end of a statement, kept with the request; NULL stands for one without rows. */
struct ending {
    const char *text;
    const unsigned *map;
    const struct catalog *catalog;
};

static bool ending_keep(struct api_request *r, struct ending *x, struct buf *sql, bool any)
{
    bool ok = !sql->failed;
    x->text = any && ok ? arena_strdup(r->arena, sql->data) : NULL;
    x->catalog = r->catalog;
    buf_release(sql);
    return ok || err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
}

/* --- last_shef --- */

struct last_params {
    const char *station;
};

static const struct ws_param last_params[] = {
    { "station", WS_TEXT, true, offsetof(struct last_params, station), 0, 8, NULL,
      "the id of a station" },
    { .name = NULL },
};

static const struct frame_column last_columns[] = {
    { "station", FRAME_TEXT, 0, 0 },
    { "utc_valid", FRAME_STAMP, 0, 0 },
    { "physical_code", FRAME_TEXT, 0, 0 },
    { "duration", FRAME_TEXT, 0, 0 },
    { "source", FRAME_TEXT, 0, 0 },
    { "type", FRAME_TEXT, 0, 0 },
    { "extremum", FRAME_TEXT, 0, 0 },
    { "probability", FRAME_TEXT, 0, 0 },
    { "depth", FRAME_INT, 0, 0 },
    { "dv_interval", FRAME_INTERVAL, 0, 0 },
    { "depth", FRAME_INT, 0, 0 },
    { "qualifier", FRAME_TEXT, 0, 0 },
    { "unit_convention", FRAME_TEXT, 0, 0 },
    { "product_id", FRAME_TEXT, 0, 0 },
    { "comment", FRAME_TEXT, 0, 0 },
    { "value", FRAME_FLOAT, 0, 0 },
};

static const struct ws_source last_sources[] = {
    { "station", OID_TEXT },         { "valid", OID_TEXT },       { "physical_code", OID_TEXT },
    { "duration", OID_TEXT },        { "source", OID_TEXT },      { "type", OID_TEXT },
    { "extremum", OID_TEXT },        { "probability", OID_TEXT }, { "depth", OID_TEXT },
    { "dv_interval", OID_TEXT },     { "depth", OID_TEXT },       { "qualifier", OID_TEXT },
    { "unit_convention", OID_TEXT }, { "product_id", OID_TEXT },  { "comment", OID_TEXT },
    { "value", OID_FLOAT4 },
};

static bool fill_last(const struct plan *p, struct conn *conn, struct frame *f,
                      struct frame_rows *rows, struct err *e)
{
    const struct ending *x = frame_context(p);
    struct ws_reading reading = { .plan = p, .frame = f, .map = x->map, .rows = rows };
    return x->text == NULL || ws_table_read(&reading, conn, x->text, e);
}

static bool prepare_last(struct api_request *r)
{
    struct last_params q = { 0 };
    enum frame_format format = FRAME_JSON;
    if (!ws_read(r, last_params, WS_TABLES, &q, &format))
        return false;
    struct frame *f = frame_new(r, format, last_columns, COUNT(last_columns));
    struct ending *x = arena_alloc(r->arena, sizeof(*x));
    unsigned *map = arena_array(r->arena, COUNT(last_columns), sizeof(*map));
    struct plan *p =
        f != NULL && map != NULL ? frame_document(r, DATASET_IEM, f, x, fill_last) : NULL;
    if (p == NULL ||
        !ws_select(r, p, TABLE_IEM_CURRENT_SHEF, last_sources, COUNT(last_sources), map))
        return false;
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    bool any = put_equal(&sql, " WHERE station = ", q.station);
    sql_text(&sql, " ORDER BY physical_code, duration, source, type, extremum, depth, value");
    x->map = map;
    r->plan = p;
    return ending_keep(r, x, &sql, any);
}

/* --- shef_currents --- */

struct currents_params {
    const char *pe, *duration;
    struct param_count days;
};

#define AT(member) offsetof(struct currents_params, member)

static const struct ws_param currents_params[] = {
    { "pe", WS_TEXT, true, AT(pe), 0, 2, NULL, "the two letters of a physical element" },
    { "duration", WS_TEXT, true, AT(duration), 0, 1, NULL, "the letter of a duration" },
    { "days", WS_INT, false, AT(days), 1, 3000, NULL, "how far to look back" },
    { .name = NULL },
};

static const struct frame_column currents_columns[] = {
    { "station", FRAME_TEXT, 0, 0 }, { "utc_valid", FRAME_STAMP, 0, 0 },
    { "value", FRAME_FLOAT, 0, 0 },  { "lon", FRAME_FLOAT, 0, 0 },
    { "lat", FRAME_FLOAT, 0, 0 },
};

struct currents_reading {
    const struct catalog *catalog;
    struct frame_rows *rows;
};

/* A station's position is that of its first entry; what the station table lacks is left out. */
static bool currents_row(void *ctx, const struct cell *cells)
{
    const struct currents_reading *x = ctx;
    const struct station *st = catalog_station(x->catalog, cells[0].s, cells[0].len, NULL);
    if (st == NULL)
        return true;
    struct cell lon = st->lon == st->lon ? cell_float8(st->lon) : cell_null();
    struct cell lat = st->lat == st->lat ? cell_float8(st->lat) : cell_null();
    struct cell row[] = { cells[0], cells[1], cells[2], lon, lat, lon, lat };
    return frame_rows_add(x->rows, row);
}

static bool fill_currents(const struct plan *p, struct conn *conn, struct frame *f,
                          struct frame_rows *rows, struct err *e)
{
    static const Oid oids[] = { OID_TEXT, OID_TIMESTAMPTZ, OID_FLOAT4 };
    const struct ending *x = frame_context(p);
    struct currents_reading reading = { x->catalog, rows };
    rows->width = f->count + 2;
    return x->text == NULL ||
           query_rows(conn, x->text, oids, COUNT(oids), currents_row, &reading, e);
}

static bool prepare_currents(struct api_request *r)
{
    struct currents_params q = { .days = { true, 1 } };
    enum frame_format format = FRAME_JSON;
    if (!ws_read(r, currents_params, WS_ALL, &q, &format) ||
        !iem_table_there(r, TABLE_IEM_CURRENT_SHEF))
        return false;
    struct frame *f = frame_new(r, format, currents_columns, COUNT(currents_columns));
    struct ending *x = arena_alloc(r->arena, sizeof(*x));
    r->plan = f != NULL && x != NULL ? frame_document(r, DATASET_IEM, f, x, fill_currents) : NULL;
    if (r->plan == NULL)
        return false;
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    sql_text(&sql, "SELECT DISTINCT ON (station COLLATE \"C\") station::text, valid, value FROM ");
    sql_text(&sql, r->catalog->layout.tables[TABLE_IEM_CURRENT_SHEF].sql_name);
    bool any = put_equal(&sql, " WHERE physical_code = ", q.pe) &&
               put_equal(&sql, " AND duration = ", q.duration);
    sql_text(&sql, " AND valid >= ");
    sql_instant(&sql, r->now - q.days.value * USEC_PER_DAY);
    sql_text(&sql, " AND value > -9999 ORDER BY station COLLATE \"C\", valid DESC, value");
    return ending_keep(r, x, &sql, any);
}

const struct endpoint service_ws_last_shef = {
    WS_SERVICE,
    .path = "/api/1/last_shef",
    .summary = "Newest SHEF values of one station, as iem-web-services answers",
    .help = "station; .json or .txt.",
    .prepare = prepare_last,
    .examples = { "/api/1/last_shef.json?station=AESI4" },
};

const struct endpoint service_ws_shef_currents = {
    WS_SERVICE,
    .path = "/api/1/shef_currents",
    .summary = "Newest value of one SHEF element everywhere, as iem-web-services answers",
    .help = "pe, duration, days; .json, .txt or .geojson. The newest value of each station that "
            "the station table has.",
    .prepare = prepare_currents,
    .examples = { "/api/1/shef_currents.json?pe=HG&duration=I&days=2" },
};
