/* /cgi-bin/request/coopobs.py: COOP observations as reported (iem.summary). */
#include "compat.h"

#include "obstream/core/number.h"
#include "obstream/query/sql.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct coopobs_params {
    const char *delim, *network, *what;
    struct strlist stations;
    struct iem_period period;
};

static const char *check_station(const char *value)
{
    enum { SHORTEST = 3, LONGEST = 8 };
    size_t n = strlen(value);
    bool ok = iem_check_network(value) == NULL && n >= SHORTEST && n <= LONGEST;
    return ok ? NULL : "has to be a station id of 3 to 8 capital letters and digits, or _ALL";
}

#define AT(field) offsetof(struct coopobs_params, field)
#define PIECE(m, n, help) IEM_PIECE_(struct coopobs_params, period.m, n, help)

static const struct iem_param own_params[] = {
    { "delim", IEM_TEXT, 0, AT(delim), "comma", "comma,tab,space", NULL, 0, 0,
      "what stands between the fields of a line" },
    { "network", IEM_TEXT, IEM_REQUIRED, AT(network), NULL, NULL, iem_check_network, 0, 0,
      "the network of the stations, like IA_COOP" },
    { "stations", IEM_LIST, IEM_REQUIRED, AT(stations), NULL, NULL, check_station, 0, 0,
      "ids like AESI4; _ALL for those of network" },
    { "what", IEM_TEXT, 0, AT(what), "view", NULL, NULL, 0, 0, "view, or download (as a file)" },
    { "sts", IEM_DATE, 0, AT(period.sts), NULL, NULL, NULL, 0, 0, "the first day" },
    { "ets", IEM_DATE, 0, AT(period.ets), NULL, NULL, NULL, 0, 0, "the last day" },
    PIECE(first.year, "year1",
          "instead of sts: year of midnight in Iowa; days that begin at this "
          "instant or later, by UTC, are in the answer"),
    PIECE(first.month, "month1", "its month"),
    PIECE(first.day, "day1", "its day"),
    PIECE(last.year, "year2", "instead of ets: year of midnight in Iowa"),
    PIECE(last.month, "month2", "its month"),
    PIECE(last.day, "day2", "its day"),
    { .name = NULL },
};

static const struct iem_param *const params[] = { own_params, NULL };

static const struct iem_service service = {
    .params = params,
    .size = sizeof(struct coopobs_params),
    .differs = "There is no limit of one year for more than ten stations.\n"
               "_ALL of a network that does not exist is answered with 422.\n"
               "Errors are plain sentences, and a failure after the header aborts the connection.",
};

enum { CELL_STATION, CELL_DATE, CELL_TIME, CELL_FIRST_VALUE, VALUES = 5 };

static const char *const value_columns[VALUES] = { "max_tmpf", "min_tmpf", "pday", "snow",
                                                   "snowd" };
static const char *const names[] = { "nwsli", "date",   "time",      "high_F",
                                     "low_F", "precip", "snow_inch", "snowd_inch" };

/* A station by the number that the table knows it by, as text. */
struct place {
    char number[24];
    const struct station *station;
    const struct tz *tz; /* NULL: not known, then there is no time */
};

struct coopobs {
    struct place *places; /* ascending by number */
    size_t count;
    char delimiter;
};

/* --- lines --- */

static int place_compare(const void *a, const void *b)
{
    return strcmp(((const struct place *)a)->number, ((const struct place *)b)->number);
}

static const struct place *find_place(const struct coopobs *x, const struct cell *c)
{
    struct place key = { .station = NULL };
    if (c->type != CELL_TEXT || c->len >= sizeof(key.number))
        return NULL;
    memcpy(key.number, c->s, c->len);
    return bsearch(&key, x->places, x->count, sizeof(key), place_compare);
}

static char *put_hour(char *p, int64_t usec, const struct tz *tz)
{
    int hour = tz_to_local(tz, usec).hour;
    p = number_2(p, hour % 12 == 0 ? 12 : hour % 12);
    return mempcpy(p, hour < 12 ? " AM" : " PM", 3);
}

static char *put_number(char *p, const struct cell *c)
{
    switch (c->type) {
    case CELL_FLOAT4:
        return iem_put_repr(p, isfinite(c->f4) ? number_widen(c->f4) : (double)c->f4);
    case CELL_FLOAT8:
        return iem_put_repr(p, c->f8);
    case CELL_INT:
        return number_int(p, c->i);
    default:
        return p;
    }
}

static void put_line(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    const struct coopobs *x = st->shape->ctx;
    const struct place *at = find_place(x, &cells[CELL_STATION]);
    char *p = buf_tail(out, (VALUES + 1) * NUMBER_ROOM);
    if (p == NULL || at == NULL)
        return;
    p = mempcpy(p, at->station->id, strnlen(at->station->id, NUMBER_ROOM / 2));
    *p++ = x->delimiter;
    p = number_day(p, cells[CELL_DATE].i);
    *p++ = x->delimiter;
    if (cells[CELL_TIME].type == CELL_INSTANT && at->tz != NULL)
        p = put_hour(p, cells[CELL_TIME].i, at->tz);
    for (int i = 0; i < VALUES; i++) {
        *p++ = x->delimiter;
        p = put_number(p, &cells[CELL_FIRST_VALUE + i]);
    }
    *p++ = '\n';
    buf_advance(out, p);
}

static void put_head(const struct shape *shape, struct buf *out)
{
    const struct coopobs *x = shape->ctx;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (i > 0)
            buf_putc(out, x->delimiter);
        buf_puts(out, names[i]);
    }
    buf_putc(out, '\n');
}

static void no_tail(const struct shape *shape, const struct answer_totals *totals, struct buf *out)
{
    (void)shape;
    (void)totals;
    (void)out;
}

static const struct encoder encoder_coopobs = {
    .name = "coopobs",
    .mime = "text/plain",
    .extension = "txt",
    .separator = "",
    .help = "a line a station and day",
    .head = put_head,
    .row = put_line,
    .tail = no_tail,
};

/* --- plan --- */

static void add_place(struct coopobs *x, const struct station *st)
{
    struct place *at = &x->places[x->count];
    if (st->iemid == INT64_MIN)
        return;
    *at = (struct place){ .station = st };
    snprintf(at->number, sizeof(at->number), "%lld", (long long)st->iemid);
    at->tz = st->tzname != NULL ? tz_find(st->tzname) : NULL;
    x->count++;
}

/* Stations that the network does not have yield nothing. */
static bool find_places(struct api_request *r, const struct coopobs_params *p, struct coopobs *x)
{
    const struct catalog *c = r->catalog;
    struct strlist ids = p->stations, networks = { 0 };
    if (strlist_has(&ids, "_ALL")) {
        ids.count = 0;
        ids.items = NULL;
        ids.cap = 0;
        strlist_add(&networks, r->arena, p->network);
        if (!iem_network_stations(r, "network", &networks, &ids))
            return false;
    } else {
        iem_sort_unique(&ids);
    }
    x->places = arena_array(r->arena, ids.count + 1, sizeof(*x->places));
    for (size_t i = 0; x->places != NULL && i < ids.count; i++) {
        size_t count = 0;
        const struct station *st = catalog_station(c, ids.items[i], strlen(ids.items[i]), &count);
        while (count > 0 && !str_eq(st->network, p->network)) {
            st++;
            count--;
        }
        if (count > 0)
            add_place(x, st);
    }
    if (x->count > 1)
        qsort(x->places, x->count, sizeof(*x->places), place_compare);
    return x->places != NULL ||
           err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
}

static const char **numbers_of(struct api_request *r, const struct coopobs *x)
{
    const char **items = arena_array(r->arena, x->count + 1, sizeof(*items));
    for (size_t i = 0; items != NULL && i < x->count; i++)
        items[i] = x->places[i].number;
    return items;
}

/* A day that was named is that day; pieces are an instant, and days begin at 00 UTC. */
static int64_t first_day(const struct iem_time *t)
{
    if (t->zone != NULL)
        return -floor_div(-t->usec, USEC_PER_DAY);
    return floor_div(civil_to_usec(&t->local), USEC_PER_DAY);
}

static int64_t last_day(const struct iem_time *t)
{
    return floor_div(t->zone != NULL ? t->usec : civil_to_usec(&t->local), USEC_PER_DAY);
}

static bool make_query(struct api_request *r, struct plan *plan, const struct coopobs *x)
{
    struct iem_select s;
    iem_select_init(&s, r, TABLE_IEM_SUMMARY);
    plan->station_cell = iem_select_expr(&s, "iemid::text", OID_TEXT);
    plan->time_cell = iem_select_column(&s, "day", OID_DATE);
    iem_select_column(&s, "coop_valid", OID_TIMESTAMPTZ);
    for (int i = 0; i < VALUES; i++)
        iem_select_column(&s, value_columns[i], OID_FLOAT4);
    if (!iem_select_done(&s, plan))
        return false;
    plan->query.station = "iemid";
    plan->query.time = "day";
    plan->query.time_is_day = true;
    plan->query.by_time = true;
    plan->query.stations = numbers_of(r, x);
    plan->query.count = (uint32_t)x->count;
    plan->rows_per_day = 1;
    plan->row_bytes = 48;
    return plan->query.stations != NULL ||
           err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
}

static bool prepare(struct api_request *r)
{
    struct iem_time from, to;
    struct coopobs_params *p = iem_read(r, &service);
    if (p == NULL)
        return iem_answered(r);
    struct coopobs *x = arena_alloc(r->arena, sizeof(*x));
    if (x == NULL || !iem_period(r, &p->period, tz_find("America/Chicago"), &from, &to) ||
        !find_places(r, p, x))
        return false;
    x->delimiter = str_eq(p->delim, "tab") ? '\t' : str_eq(p->delim, "space") ? ' ' : ',';
    struct plan *plan = iem_plan(r, TABLE_IEM_SUMMARY, first_day(&from) * USEC_PER_DAY,
                                 (last_day(&to) + 1) * USEC_PER_DAY);
    if (plan == NULL || !make_query(r, plan, x))
        return false;
    iem_window_clip(r, TABLE_IEM_SUMMARY, &plan->from, &plan->to);
    if (str_eq(p->what, "download"))
        reply_header_add(r, "Content-Disposition", "attachment; filename=coop.txt");
    plan->encoder = &encoder_coopobs;
    plan->shape.ctx = x;
    r->plan = plan;
    return true;
}

const struct endpoint service_coopobs = {
    CGI_SERVICE,
    .path = "/cgi-bin/request/coopobs.py",
    .summary = "COOP observations as reported",
    .help = "One line a station and day: the hour of the observation in the station's zone, "
            "highest and lowest temperature (degF), precipitation, snowfall and snow depth "
            "(inch).",
    .prepare = prepare,
    .examples = { "network=IA_COOP&stations=AESI4&sts=2024-10-22&ets=2024-10-31",
                  "network=IA_COOP&stations=_ALL&sts=2024-10-22&ets=2024-10-22&what=download" },
};
