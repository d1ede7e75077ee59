/* /cgi-bin/request/hads.py: SHEF values, one row per station and time, one column per key. */
#include "hads.h"

#include "obstream/query/sql.h"

enum { NETWORK_CHARS = 10 }; /* of the id of a network that count */

/* Values in this archive mean "missing" from -999 down. NaN has no place in a mean. */
#define HADS_FILTER " AND value > -999 AND value <> 'NaN'"

static const struct iem_param params[] = {
    { "delim", IEM_TEXT, 0, offsetof(struct hads_params, delim), "comma", "comma,space,tab", NULL,
      0, 0, "what separates the columns of text" },
    { "ets", IEM_AWARE, 0, offsetof(struct hads_params, period.ets), NULL, NULL, NULL, 0, 0,
      "end, inclusive: a time with its zone" },
    { "network", IEM_TEXT, 0, offsetof(struct hads_params, network), NULL, NULL, NULL, 0, 0,
      "the network whose stations `_ALL` means; its first ten characters count" },
    { "stations", IEM_LIST, IEM_REQUIRED, offsetof(struct hads_params, stations), NULL, NULL, NULL,
      0, 0, "ids of stations, or _ALL for those of `network`" },
    { "sts", IEM_AWARE, 0, offsetof(struct hads_params, period.sts), NULL, NULL, NULL, 0, 0,
      "start, inclusive: a time with its zone" },
    { "threshold", IEM_NUMBER, 0, offsetof(struct hads_params, threshold), NULL, NULL, NULL, 0, 0,
      "with thresholdvar: answers when one station was above this value" },
    { "thresholdvar", IEM_TEXT, 0, offsetof(struct hads_params, thresholdvar), NULL, "RG,PCP", NULL,
      0, 0, "which value is compared with threshold: HGIRGZZ (RG) or HGIPCPZZ (PCP)" },
    { "what", IEM_TEXT, 0, offsetof(struct hads_params, what), "dl", "dl,txt,html,excel", NULL, 0,
      0, "form of the answer: dl and txt are delimited text" },
    IEM_PIECE_(struct hads_params, period.both.year, "year", "stands in for year1 and year2"),
    IEM_PERIOD_PIECES(struct hads_params, period),
    { .name = NULL },
};

static const struct iem_param *const tables[] = { params, NULL };

static const struct iem_service service = {
    .params = tables,
    .size = sizeof(struct hads_params),
    .differs = "There is no limit: _ALL is not cut to 24 hours, and several stations may be asked "
               "for over more than 365 days.\n"
               "Errors are one readable sentence per fault, as plain text, with the same status.\n"
               "A failure in the middle of an answer ends the connection, so that it cannot be "
               "taken for the whole.",
};

/* A longer name is cut: some networks cannot be asked for, but by their stations. */
static bool network_stations(struct api_request *r, const char *name, struct strlist *ids)
{
    struct strlist network = { 0 };
    const char *cut = arena_strndup(r->arena, name, NETWORK_CHARS);
    if (cut == NULL)
        return err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
    if (strlen(name) > NETWORK_CHARS && catalog_network(r->catalog, cut) == NULL) {
        fault_add(&r->faults, "network", name,
                  "the first %d characters count in this service, and there is no network \"%s\": "
                  "name the stations of \"%.64s\" in stations",
                  NETWORK_CHARS, cut, name);
        return false;
    }
    strlist_add(&network, r->arena, cut);
    if (iem_network_stations(r, "network", &network, ids) && ids->count == 0)
        fault_add(&r->faults, "network", name, "the network \"%s\" has no stations", cut);
    return r->faults.count == 0;
}

/* _ALL needs a network; without one it is the id of a station that does not exist. */
static bool choose_stations(struct api_request *r, const struct hads_params *p, struct strlist *ids)
{
    if (strlist_has(&p->stations, "_ALL") && p->network != NULL)
        return network_stations(r, p->network, ids);
    for (size_t i = 0; i < p->stations.count; i++) {
        const char *id = p->stations.items[i];
        if (sql_id_ok(id, strlen(id))) /* no station of the archive has another kind of id */
            strlist_add(ids, r->arena, id);
    }
    iem_sort_unique(ids);
    return true;
}

static bool select_columns(struct api_request *r, struct plan *plan)
{
    struct iem_select s;
    iem_select_init(&s, r, TABLE_HADS_RAW);
    iem_select_column(&s, "station", OID_TEXT);
    iem_select_column(&s, "valid", OID_TIMESTAMPTZ);
    iem_select_column(&s, "key", OID_TEXT);
    iem_select_column(&s, "value", OID_FLOAT4);
    return iem_select_done(&s, plan);
}

static void set_form(struct api_request *r, struct hads *h, struct plan *plan)
{
    const char *what = h->p->what;
    bool excel = str_eq(what, "excel"), html = str_eq(what, "html");
    plan->mime = excel ? HADS_MIME_XLSX : html ? "text/html" : "application/octet-stream";
    plan->encoder = html ? &hads_encoder_html : &hads_encoder_text;
    if (h->threshold_key != NULL)
        plan->produce = hads_produce_events;
    else if (excel)
        plan->produce = hads_produce_xlsx;
    if (plan->produce != NULL)
        plan->encoder = &hads_encoder_whole;
    h->text_headers = r->header_count;
    if (!html)
        reply_header_add(r, "Content-Disposition",
                         excel ? "attachment; filename=hads.xlsx"
                               : "attachment; filename=hads.txt");
}

static struct hads *hads_new(struct api_request *r, const struct hads_params *p)
{
    struct hads *h = arena_alloc(r->arena, sizeof(*h));
    if (h == NULL) {
        err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
        return NULL;
    }
    h->r = r;
    h->p = p;
    h->delimiter = str_eq(p->delim, "tab") ? '\t' : str_eq(p->delim, "space") ? ' ' : ',';
    if (p->threshold.set && p->thresholdvar != NULL)
        h->threshold_key = str_eq(p->thresholdvar, "RG") ? "HGIRGZZ" : "HGIPCPZZ";
    return h;
}

static bool make_plan(struct api_request *r, struct hads *h, const struct strlist *ids,
                      const struct iem_time *sts, const struct iem_time *ets)
{
    int64_t from = sts->usec, to = ets->usec + 1; /* the end is inclusive */
    iem_window_clip(r, TABLE_HADS_RAW, &from, &to);
    struct plan *plan = iem_plan(r, TABLE_HADS_RAW, from, to);
    if (plan == NULL || !select_columns(r, plan))
        return false;
    plan->ctx = h;
    plan->prepare = hads_prepare;
    plan->query.station = "station";
    plan->query.time = "valid";
    plan->query.filter = HADS_FILTER;
    plan->query.stations = ids->items;
    plan->query.count = (uint32_t)ids->count;
    plan->station_cell = HADS_STATION;
    plan->time_cell = HADS_VALID;
    plan->rows_per_day = 60;
    plan->row_bytes = 100;
    set_form(r, h, plan);
    plan->shape.ctx = plan->produce == NULL ? h : NULL;
    r->plan = plan;
    return true;
}

static bool prepare(struct api_request *r)
{
    struct iem_time sts, ets;
    struct strlist ids = { 0 };
    const struct hads_params *p = iem_read(r, &service);
    if (p == NULL)
        return iem_answered(r);
    bool ok = iem_period(r, &p->period, tz_utc(), &sts, &ets);
    ok = choose_stations(r, p, &ids) && ok;
    struct hads *h = ok ? hads_new(r, p) : NULL;
    if (h == NULL)
        return false;
    bool all = strlist_has(&p->stations, "_ALL") && p->network != NULL;
    h->several = (all ? ids.count : p->stations.count) > 1;
    return make_plan(r, h, &ids, &sts, &ets);
}

const struct endpoint service_hads = {
    .path = "/cgi-bin/request/hads.py",
    .summary = "SHEF observations, one column per parameter code",
    .help = "Values of one station and time stand in one row; where a parameter code was reported "
            "more than once for the same time, their mean. Times are UTC.",
    CGI_SERVICE,
    .prepare = prepare,
    .examples = { "stations=DNKI4&sts=2023-11-01T00:00Z&ets=2023-12-01T00:00Z&what=txt",
                  "stations=_ALL&network=IA_DCP&sts=2024-06-01T00:00Z&ets=2024-06-02T00:00Z",
                  "stations=AESI4&sts=2025-09-01T00:00Z&ets=2025-09-03T00:00Z&threshold=10.81&"
                  "thresholdvar=RG&what=html" },
};
