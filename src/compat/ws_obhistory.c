/* /api/1/obhistory: one station, one local day. */
#include "ws_obhistory.h"

#include "obstream/query/sql.h"

struct obhistory_params {
    const char *network, *station;
    struct param_time date;
    bool full;
};

#define AT(member) offsetof(struct obhistory_params, member)

static const struct ws_param params[] = {
    { "network", WS_TEXT, true, AT(network), 1, 20, iem_check_network, "the id of a network" },
    { "station", WS_TEXT, true, AT(station), 0, 64, NULL, "the id of a station" },
    { "date", WS_DATE, false, AT(date), 0, 0, NULL, "the day in the zone of the station" },
    { "full", WS_BOOL, false, AT(full), 0, 0, NULL, "all columns, also those without values" },
    { .name = NULL },
};

/* A kind of network: where its observations are. */
struct branch {
    enum layout_table table;
    const struct frame_column *columns;
    const struct ws_source *sources;
    unsigned count;
    bool by_iemid;    /* rows are found by iemid, else by station id */
    const char *time; /* the column, NULL: rows are found by day */
    bool distinct;
};

#define TEXT(name)                                                                                 \
    {                                                                                              \
        name, FRAME_TEXT, 0, 0                                                                     \
    }
#define NUMBER(name)                                                                               \
    {                                                                                              \
        name, FRAME_FLOAT, 0, 0                                                                    \
    }
#define WHOLE(name)                                                                                \
    {                                                                                              \
        name, FRAME_INT, 0, 0                                                                      \
    }
#define TIMES                                                                                      \
    { "utc_valid", FRAME_MINUTE, 0, 0 },                                                           \
    {                                                                                              \
        "local_valid", FRAME_LOCAL, 0, 0                                                           \
    }
#define SKY                                                                                        \
    TEXT("skyc1"), WHOLE("skyl1"), TEXT("skyc2"), WHOLE("skyl2"), TEXT("skyc3"), WHOLE("skyl3"),   \
        TEXT("skyc4"), WHOLE("skyl4")
#define SKY_SOURCES                                                                                \
    { "skyc1", OID_TEXT }, { "skyl1", OID_TEXT }, { "skyc2", OID_TEXT }, { "skyl2", OID_TEXT },    \
        { "skyc3", OID_TEXT }, { "skyl3", OID_TEXT }, { "skyc4", OID_TEXT },                       \
    {                                                                                              \
        "skyl4", OID_TEXT                                                                          \
    }
#define F4(name)                                                                                   \
    {                                                                                              \
        name, OID_FLOAT4                                                                           \
    }
#define OTHER(name)                                                                                \
    {                                                                                              \
        name, OID_TEXT                                                                             \
    }

static const struct frame_column metar_columns[] = {
    TIMES,
    NUMBER("tmpf"),
    NUMBER("dwpf"),
    NUMBER("sknt"),
    NUMBER("drct"),
    NUMBER("vsby"),
    SKY,
    NUMBER("relh"),
    NUMBER("feel"),
    NUMBER("alti"),
    NUMBER("mslp"),
    NUMBER("p01i"),
    NUMBER("p03i"),
    NUMBER("p24i"),
    TEXT("raw"),
    NUMBER("p03i"),
    NUMBER("p06i"),
    NUMBER("p24i"),
    NUMBER("max_tmpf_6hr"),
    NUMBER("min_tmpf_6hr"),
    NUMBER("gust"),
    TEXT("wxcodes"),
    WHOLE("snowdepth"),
    NUMBER("peak_wind_gust"),
    NUMBER("peak_wind_drct"),
    { "peak_wind_time", FRAME_STAMP, 0, 0 },
};

static const struct ws_source metar_sources[] = {
    OTHER("valid"),       OTHER("valid"),       F4("tmpf"),
    F4("dwpf"),           F4("sknt"),           F4("drct"),
    F4("vsby"),           SKY_SOURCES,          F4("relh"),
    F4("feel"),           F4("alti"),           F4("mslp"),
    F4("p01i"),           F4("p03i"),           F4("p24i"),
    OTHER("metar"),       F4("p03i"),           F4("p06i"),
    F4("p24i"),           F4("max_tmpf_6hr"),   F4("min_tmpf_6hr"),
    F4("gust"),           OTHER("wxcodes"),     OTHER("snowdepth"),
    F4("peak_wind_gust"), F4("peak_wind_drct"), OTHER("peak_wind_time"),
};

static const struct frame_column today_columns[] = {
    TIMES,
    NUMBER("tmpf"),
    NUMBER("dwpf"),
    NUMBER("sknt"),
    NUMBER("drct"),
    NUMBER("vsby"),
    SKY,
    NUMBER("relh"),
    NUMBER("feel"),
    NUMBER("alti"),
    NUMBER("mslp"),
    NUMBER("phour"),
    NUMBER("p03i"),
    NUMBER("p24i"),
    NUMBER("p01i"),
    TEXT("raw"),
    NUMBER("gust"),
    NUMBER("max_tmpf_6hr"),
    NUMBER("min_tmpf_6hr"),
    TEXT("wxcodes"),
    NUMBER("snowdepth"),
    NUMBER("peak_wind_gust"),
    NUMBER("peak_wind_drct"),
    { "peak_wind_time", FRAME_STAMP, 0, 0 },
};

static const struct ws_source today_sources[] = {
    OTHER("valid"),
    OTHER("valid"),
    F4("tmpf"),
    F4("dwpf"),
    F4("sknt"),
    F4("drct"),
    F4("vsby"),
    SKY_SOURCES,
    F4("relh"),
    F4("feel"),
    F4("alti"),
    F4("mslp"),
    F4("phour"),
    F4("p03i"),
    F4("p24i"),
    F4("phour"),
    OTHER("raw"),
    F4("gust"),
    F4("max_tmpf_6hr"),
    F4("min_tmpf_6hr"),
    OTHER("wxcodes"),
    F4("snowdepth"),
    F4("peak_wind_gust"),
    F4("peak_wind_drct"),
    OTHER("peak_wind_time"),
};

static const struct frame_column cocorahs_columns[] = {
    TIMES,           NUMBER("precip"),    NUMBER("snow"), NUMBER("snow_swe"),
    NUMBER("snowd"), NUMBER("snowd_swe"),
};

static const struct ws_source cocorahs_sources[] = {
    OTHER("obvalid"), OTHER("obvalid"), F4("precip"),    F4("snow"),
    F4("snow_swe"),   F4("snowd"),      F4("snowd_swe"),
};

#define BRANCH(name, where, members, when, once)                                                   \
    static const struct branch name##_branch = { .table = where,                                   \
                                                 .columns = name##_columns,                        \
                                                 .sources = name##_sources,                        \
                                                 .count = ARRAY_SIZE(name##_columns),              \
                                                 .by_iemid = members,                              \
                                                 .time = when,                                     \
                                                 .distinct = once };                               \
    _Static_assert(ARRAY_SIZE(name##_columns) == ARRAY_SIZE(name##_sources), "one source each")

BRANCH(metar, TABLE_ASOS_ALLDATA, false, "valid", false);
BRANCH(today, TABLE_IEM_CURRENT_LOG, true, "valid", true);
BRANCH(cocorahs, TABLE_COOP_COCORAHS, true, NULL, false);

/* All columns the service knows, in the order in which they are added. */
static const struct frame_column known_columns[] = {
    TIMES,
    NUMBER("tmpf"),
    NUMBER("dwpf"),
    NUMBER("relh"),
    NUMBER("feel"),
    NUMBER("sknt"),
    NUMBER("gust"),
    NUMBER("drct"),
    NUMBER("vsby"),
    SKY,
    NUMBER("alti"),
    NUMBER("mslp"),
    NUMBER("p01i"),
    NUMBER("phour"),
    NUMBER("max_tmpf_6hr"),
    NUMBER("min_tmpf_6hr"),
    NUMBER("p03i"),
    NUMBER("p06i"),
    NUMBER("p24i"),
    TEXT("raw"),
    TEXT("wxcodes"),
    TEXT("snowdepth"),
    NUMBER("peak_wind_gust"),
    NUMBER("peak_wind_drct"),
    TEXT("peak_wind_time"),
};

unsigned obhistory_full(const struct obhistory *x, struct frame_column *columns, unsigned count)
{
    unsigned had = count;
    for (size_t i = 0; x->full && i < ARRAY_SIZE(known_columns); i++) {
        unsigned k = 0;
        while (k < had && !str_eq(columns[k].name, known_columns[i].name))
            k++;
        if (k == had)
            columns[count++] =
                (struct frame_column){ known_columns[i].name, FRAME_FLOAT, FRAME_NUMBER, 0 };
    }
    return count;
}

/* Days no archive reaches have no rows, nor could their instants be written down. */
enum { FIRST_YEAR = 1700, LAST_YEAR = 2200 };

static bool day_window(struct obhistory *x, int64_t day)
{
    struct civil first = { 0 }, last = { 0 };
    civil_from_days(day, &first.year, &first.month, &first.day);
    civil_from_days(day + 1, &last.year, &last.month, &last.day);
    x->year = first.year;
    x->from = tz_from_local(x->tz, &first);
    x->to = tz_from_local(x->tz, &last);
    return first.year >= FIRST_YEAR && first.year <= LAST_YEAR;
}

static const struct station *station_find(const struct catalog *c, const char *id,
                                          const char *network)
{
    size_t n;
    const struct station *st = catalog_station(c, id, strlen(id), &n);
    for (size_t i = 0; i < n; i++) {
        if (str_eq(st[i].network, network))
            return &st[i];
    }
    return NULL;
}

static void put_station(struct buf *sql, const struct branch *b, const struct station *st)
{
    sql_text(sql, b->by_iemid ? " WHERE iemid = " : " WHERE station = ");
    if (b->by_iemid)
        sql_int(sql, st->iemid);
    else
        sql_id(sql, st->id, strlen(st->id));
}

/* WHERE and ORDER BY of a branch. */
static const char *ending(struct api_request *r, const struct obhistory *x, const struct branch *b,
                          const struct station *st, int64_t day)
{
    struct buf sql = BUF_INIT(BUF_LIMIT_MESSAGE);
    put_station(&sql, b, st);
    if (b->time == NULL) {
        sql_text(&sql, " AND day = ");
        sql_day(&sql, day);
        sql_text(&sql, " ORDER BY obvalid");
    } else {
        sql_text(&sql, " AND valid >= ");
        sql_instant(&sql, x->from);
        sql_text(&sql, " AND valid < ");
        sql_instant(&sql, x->to);
        sql_text(&sql, " ORDER BY valid");
    }
    const char *text = sql.failed ? NULL : arena_strdup(r->arena, sql.data);
    buf_release(&sql);
    if (text == NULL)
        err_set(&r->err, ERR_INTERNAL, "the statement cannot be built");
    return text;
}

static bool fill(const struct plan *p, struct conn *conn, struct frame *f, struct frame_rows *rows,
                 struct err *e)
{
    const struct obhistory *x = frame_context(p);
    struct frame base = *f;
    struct ws_reading reading = {
        .plan = p, .frame = &base, .map = x->map, .tz = x->tz, .rows = rows
    };
    struct frame_column *own = arena_array(&rows->arena, f->count + OBHISTORY_MORE, sizeof(*own));
    if (own == NULL)
        return err_set(e, ERR_INTERNAL, "out of memory");
    memcpy(own, f->columns, f->count * sizeof(*own));
    rows->width = obhistory_full(x, own, f->count);
    if (x->ending != NULL && !ws_table_read(&reading, conn, x->ending, e))
        return false;
    if (rows->count > 0) {
        f->columns = own;
        f->count = rows->width;
    }
    return true;
}

static bool plan_branch(struct api_request *r, struct obhistory *x, const struct branch *b,
                        const struct station *st, int64_t day, enum frame_format format)
{
    struct frame *f = frame_new(r, format, b->columns, b->count);
    unsigned *map = arena_array(r->arena, b->count, sizeof(*map));
    if (f == NULL || map == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    r->plan = frame_document(r, layout_dataset(b->table), f, x, fill);
    if (r->plan == NULL || !ws_select(r, r->plan, b->table, b->sources, b->count, map))
        return false;
    x->map = map;
    if (st != NULL && x->year >= FIRST_YEAR && x->year <= LAST_YEAR)
        x->ending = ending(r, x, b, st, day);
    if (b->distinct)
        r->plan->query.columns = arena_printf(r->arena, "DISTINCT %s", r->plan->query.columns);
    return r->err.kind == ERR_NONE;
}

static bool plan_shef(struct api_request *r, struct obhistory *x, enum frame_format format)
{
    static const struct frame_column empty[] = { TEXT("utc_valid"), TEXT("key"), NUMBER("value") };
    const struct layout_entry *tables = r->catalog->layout.tables;
    struct frame *f = frame_new(r, format, empty, ARRAY_SIZE(empty));
    if (f == NULL || !iem_table_there(r, TABLE_HADS_RAW))
        return false;
    x->raw = tables[TABLE_HADS_RAW].sql_name;
    x->alldata = tables[TABLE_HADS_ALLDATA].exists ? tables[TABLE_HADS_ALLDATA].sql_name : NULL;
    r->plan = frame_document(r, DATASET_HADS, f, x, obhistory_shef);
    return r->plan != NULL;
}

/* "_ASOS" within IA_ASOS, but not at its start. */
static bool is_kind(const char *network, const char *part)
{
    return network[0] != '\0' && strstr(network + 1, part) != NULL;
}

static bool is_apart(const char *network)
{
    return str_ends(network, "ISUSM") || str_ends(network, "SCAN") || str_ends(network, "RWIS");
}

static bool plan_archive(struct api_request *r, struct obhistory *x, const char *network,
                         const struct station *st, int64_t day, enum frame_format format)
{
    if (is_kind(network, "_ASOS"))
        return plan_branch(r, x, &metar_branch, st, day, format);
    if (is_kind(network, "_COCORAHS"))
        return plan_branch(r, x, &cocorahs_branch, st, day, format);
    if (is_kind(network, "_COOP") || is_kind(network, "_DCP"))
        return plan_shef(r, x, format);
    return err_set(&r->err, ERR_NOT_FOUND,
                   "there are no observations of network \"%.20s\" here: "
                   "it has to be one of ..._ASOS, ..._COCORAHS, ..._COOP and ..._DCP",
                   network);
}

static bool prepare(struct api_request *r)
{
    struct obhistory_params q = { 0 };
    enum frame_format format = FRAME_JSON;
    if (!ws_read(r, params, WS_TABLES, &q, &format))
        return false;
    struct obhistory *x = arena_alloc(r->arena, sizeof(*x));
    char *id = arena_strdup(r->arena, q.station);
    if (x == NULL || id == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    for (char *p = id; *p != '\0'; p++)
        *p = (char)(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
    int64_t today = floor_div(r->now, USEC_PER_DAY);
    int64_t day = q.date.set ? floor_div(q.date.usec, USEC_PER_DAY) : today;
    const struct station *st = station_find(r->catalog, id, q.network);
    *x = (struct obhistory){ .station = id, .full = q.full, .tz = tz_utc() };
    if (st != NULL && st->tzname != NULL && tz_find(st->tzname) != NULL)
        x->tz = tz_find(st->tzname);
    if (!day_window(x, day) || (st != NULL && !sql_id_ok(id, strlen(id))))
        x->year = 0; /* no rows */
    reply_header_add(r, "Cache-Control", "public, max-age=600");
    if (day == today && !is_apart(q.network))
        return plan_branch(r, x, &today_branch, st, day, format);
    if (st == NULL)
        return err_set(&r->err, ERR_NOT_FOUND, "there is no station \"%.64s\" in a network \"%s\"",
                       id, q.network);
    return plan_archive(r, x, q.network, st, day, format);
}

const struct endpoint service_ws_obhistory = {
    WS_SERVICE,
    .path = "/api/1/obhistory",
    .summary = "Observations of one station and day, as iem-web-services answers",
    .help = "network, station, date (a day in the zone of the station, today when absent), full; "
            ".json or .txt.",
    .prepare = prepare,
    .examples = { "/api/1/obhistory.json?network=IA_ASOS&station=DSM&date=2024-06-01" },
};
