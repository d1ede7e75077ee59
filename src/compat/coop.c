/* /cgi-bin/request/coop.py: daily climate (climodat) as text, spreadsheet, or crop model files. */
#include "coop.h"

#include "obstream/query/sql.h"

#include <stdlib.h>

struct coop_params {
    const char *delim, *model, *network, *what;
    bool gis, inclatlon, scenario, with_header;
    struct param_count scenario_year;
    struct strlist station, stations, vars;
    struct param_count year1, month1, day1, year2, month2, day2;
};

#define AT(field) offsetof(struct coop_params, field)
#define TEXT(n, standard, choices, help)                                                           \
    {                                                                                              \
#n, IEM_TEXT, 0, AT(n), standard, choices, NULL, 0, 0, help                                \
    }
#define LIST(n, help)                                                                              \
    {                                                                                              \
#n, IEM_LIST, 0, AT(n), NULL, NULL, NULL, 0, 0, help                                       \
    }
#define BOOL(n, standard, help)                                                                    \
    {                                                                                              \
#n, IEM_BOOL, 0, AT(n), standard, NULL, NULL, 0, 0, help                                   \
    }
#define WHOLE(n, standard, min, max, help)                                                         \
    {                                                                                              \
#n, IEM_INT, 0, AT(n), standard, NULL, NULL, min, max, help                                \
    }

static const struct iem_param own_params[] = {
    TEXT(delim, "comma", "comma,tab,space", "what stands between the fields of a line"),
    BOOL(gis, "no", "adds lat and lon behind the station's name"),
    BOOL(inclatlon, "no", "without effect; gis adds the position"),
    TEXT(model, NULL, NULL,
         "makes the input files of a crop model instead of the table: apsim, century, daycent, "
         "salus (one station), dndc, swat (a zip file); takes the place of vars"),
    TEXT(network, "IACLIMATE", NULL, "the network whose stations _ALL stands for"),
    BOOL(scenario, "no",
         "adds the rest of the year behind the end of the period, from scenario_year"),
    WHOLE(scenario_year, "2020", 1, 9999, "the year that a scenario replicates"),
    LIST(station, "ids like IA0200, IATDSM, IAC005, IA0000; _ALL for those of network"),
    LIST(stations, "the same; looked at when station is not given"),
    LIST(vars,
         "columns: high, low (degF), precip, snow, snowd (inch), highc, lowc (degC), precipmm, "
         "gdd_50_86, gdd_40_86, narr_srad, era5land_srad, merra_srad, hrrr_srad, power_srad "
         "(MJ m-2), era5land_soilt4_avg, _min and _max, nldas_soilt4_avg (degF), "
         "era5land_soilm4_avg, era5land_soilm1m_avg, nldas_soilm4_avg, nldas_soilm1m_avg, "
         "temp_estimated, precip_estimated, doy; others are in the header alone"),
    TEXT(what, "view", NULL, "view, download (as a file), or excel"),
    BOOL(with_header, "yes", "the lines that begin with #"),
    WHOLE(year1, NULL, 1, 9999, "year of the first day, default this year"),
    WHOLE(month1, "1", 1, 12, "its month"),
    WHOLE(day1, "1", 1, 31, "its day; days beyond the month's end are its last"),
    WHOLE(year2, NULL, 1, 9999, "year of the last day, default this year"),
    WHOLE(month2, NULL, 1, 12, "its month, default this month"),
    WHOLE(day2, NULL, 1, INT64_MAX,
          "its day, default today; days beyond the month's end are its last; the period ends "
          "yesterday at the latest"),
    { .name = NULL },
};

static const struct iem_param *const params[] = { own_params, NULL };

static const struct iem_service service = {
    .params = params,
    .size = sizeof(struct coop_params),
    .differs = "A scenario that would put 29 February into a common year leaves that day out.\n"
               "A station that is not known is answered with 422 where a model's file needs it.\n"
               "_ALL of a network that does not exist is answered with 422.\n"
               "The spreadsheet says when it cannot hold all rows, instead of being cut.\n"
               "Errors are plain sentences, and a failure after the header aborts the connection.",
};

static const char *const model_names[COOP_MODELS] = {
    [COOP_DAYCENT] = "daycent", [COOP_CENTURY] = "century", [COOP_APSIM] = "apsim",
    [COOP_DNDC] = "dndc",       [COOP_SALUS] = "salus",     [COOP_SWAT] = "swat",
};

/* --- stations --- */

const struct station *coop_station(const struct catalog *c, const char *id)
{
    size_t count = 0;
    const struct station *st = catalog_station(c, id, strlen(id), &count);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(st[i].network, id, 2) == 0 && str_eq(st[i].network + 2, "CLIMATE"))
            return &st[i];
    }
    return NULL;
}

const struct station *coop_known(const struct coop_request *q, const char *id, size_t len)
{
    size_t low = 0, high = q->ids.count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const char *item = q->ids.items[mid];
        int c = strncmp(item, id, len);
        if (c == 0 && item[len] != '\0')
            c = 1;
        if (c == 0)
            return q->stations[mid];
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

const char *coop_name(const struct coop_request *q, const char *id)
{
    const struct station *st = coop_known(q, id, strlen(id));
    return st != NULL && st->name != NULL ? st->name : id;
}

/* Ids of the table have six letters: others match nothing, as do those with letters no id has. */
static void find_ids(struct coop_request *q)
{
    enum { ID_ROOM = 6 };
    struct arena *a = q->r->arena;
    for (size_t i = 0; i < q->given.count; i++) {
        const char *id = q->given.items[i];
        size_t n = strlen(id);
        if (n > 0 && n <= ID_ROOM && sql_id_ok(id, n))
            strlist_add(&q->ids, a, id);
    }
    iem_sort_unique(&q->ids);
    q->stations = arena_array(a, q->ids.count + 1, sizeof(const struct station *));
    for (size_t i = 0; q->stations != NULL && i < q->ids.count; i++)
        q->stations[i] = coop_station(q->r->catalog, q->ids.items[i]);
}

static bool choose_stations(struct coop_request *q, const struct coop_params *p)
{
    struct api_request *r = q->r;
    const struct strlist *list = p->station.count > 0 ? &p->station : &p->stations;
    if (list->count == 0) {
        fault_add(&r->faults, "stations", NULL, "name at least one station, like IATDSM");
        return false;
    }
    if (strlist_has(list, "_ALL")) {
        struct strlist networks = { 0 };
        strlist_add(&networks, r->arena, p->network);
        if (!iem_network_stations(r, "network", &networks, &q->given))
            return false;
    } else {
        q->given = *list;
    }
    find_ids(q);
    return true;
}

/* --- days --- */

int coop_day_of_year(int64_t day)
{
    int year, month, mday;
    civil_from_days(day, &year, &month, &mday);
    return (int)(day - civil_days(year, 1, 1)) + 1;
}

int64_t coop_replicate(int64_t day, int year)
{
    int from, month, mday;
    civil_from_days(day, &from, &month, &mday);
    return mday > civil_month_days(year, month) ? INT64_MIN : civil_days(year, month, mday);
}

static int64_t day_within_month(int year, int month, int64_t day)
{
    int last = civil_month_days(year, month);
    return civil_days(year, month, day < last ? (int)day : last);
}

static int given_or(const struct param_count *c, int standard)
{
    return c->set ? (int)c->value : standard;
}

static void choose_days(struct coop_request *q, const struct coop_params *p)
{
    int year, month, day;
    q->today = floor_div(q->r->now, USEC_PER_DAY);
    civil_from_days(q->today, &year, &month, &day);
    q->first = day_within_month(given_or(&p->year1, year), (int)p->month1.value, p->day1.value);
    q->last = day_within_month(given_or(&p->year2, year), given_or(&p->month2, month),
                               p->day2.set ? p->day2.value : day);
    if (q->last >= q->today)
        q->last = q->today - 1;
}

static void choose_scenario(struct coop_request *q, const struct coop_params *p)
{
    enum { NO_SCENARIO = 2099 };
    int year, month, day;
    civil_from_days(q->last, &year, &month, &day);
    q->scenario = p->scenario;
    q->scenario_year = p->scenario ? (int)p->scenario_year.value : NO_SCENARIO;
    if (month == 2 && day == 29)
        day = 28;
    q->scenario_first = civil_days(q->scenario_year, month, day);
    q->scenario_last = civil_days(q->scenario_year, 12, 31);
}

/* --- what comes out --- */

static bool wants(const struct coop_request *q, enum coop_model m)
{
    return strlist_has(q->vars, model_names[m]);
}

static enum coop_model chosen_model(const struct coop_request *q)
{
    for (int m = 0; m < COOP_MODELS; m++) {
        if (wants(q, m))
            return m;
    }
    return COOP_NO_MODEL;
}

static void attach(struct coop_request *q, const char *name)
{
    reply_header_add(q->r, "Content-Disposition",
                     arena_printf(q->r->arena, "attachment; filename=%s", name));
}

/* The stations' ids joined, when they are few; without bytes that a header cannot hold. */
static const char *file_name(const struct coop_request *q)
{
    enum { FEW = 10 };
    struct arena *a = q->r->arena;
    const char *name = "";
    if (q->given.count >= FEW)
        return "changeme.txt";
    for (size_t i = 0; name != NULL && i < q->given.count; i++)
        name = arena_printf(a, "%s%s%s", name, i > 0 ? "_" : "", q->given.items[i]);
    char *text = name != NULL ? arena_printf(a, "%s.txt", name) : NULL;
    for (char *c = text; c != NULL && *c != '\0'; c++) {
        if (*c < ' ' || *c > '~')
            *c = '_';
    }
    return text != NULL ? text : "changeme.txt";
}

static const char *media_type(struct coop_request *q)
{
    static const char plain[] = "text/plain", bytes[] = "application/octet-stream";
    bool text_model = wants(q, COOP_APSIM) || wants(q, COOP_DAYCENT) || wants(q, COOP_CENTURY) ||
                      wants(q, COOP_SALUS);
    if (text_model || (!wants(q, COOP_DNDC) && q->what != COOP_EXCEL)) {
        if (q->what != COOP_DOWNLOAD)
            return plain;
        attach(q, text_model ? "metdata.txt" : file_name(q));
        return bytes;
    }
    if (wants(q, COOP_DNDC) || wants(q, COOP_SWAT)) {
        attach(q, wants(q, COOP_DNDC) ? "dndc.zip" : "swatfiles.zip");
        return bytes;
    }
    attach(q, "nwscoop.xlsx");
    return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
}

static struct coop_request *coop_request_new(struct api_request *r, const struct coop_params *p)
{
    struct coop_request *q = arena_alloc(r->arena, sizeof(*q));
    struct strlist *vars = arena_alloc(r->arena, sizeof(*vars));
    if (q == NULL || vars == NULL) {
        err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
        return NULL;
    }
    if (p->model != NULL)
        strlist_add(vars, r->arena, p->model);
    else
        *vars = p->vars;
    q->r = r;
    q->vars = vars;
    q->what = str_eq(p->what, "excel")      ? COOP_EXCEL
              : str_eq(p->what, "download") ? COOP_DOWNLOAD
                                            : COOP_VIEW;
    q->delimiter = str_eq(p->delim, "tab") ? '\t' : str_eq(p->delim, "space") ? ' ' : ',';
    q->gis = p->gis;
    q->header = p->with_header;
    if (!choose_stations(q, p))
        return NULL;
    choose_days(q, p);
    choose_scenario(q, p);
    return q;
}

static bool prepare(struct api_request *r)
{
    struct coop_params *p = iem_read(r, &service);
    if (p == NULL)
        return iem_answered(r);
    struct coop_request *q = coop_request_new(r, p);
    if (q == NULL)
        return false;
    enum coop_model model = chosen_model(q);
    const char *mime = media_type(q);
    bool ok = model == COOP_NO_MODEL ? coop_table_plan(q) : coop_model_plan(q, model);
    if (ok && r->plan != NULL)
        r->plan->mime = mime;
    else if (ok)
        r->mime = mime;
    return ok;
}

const struct endpoint service_coop = {
    .path = "/cgi-bin/request/coop.py",
    .summary = "Daily climate data (climodat)",
    .help = "One line a station and day out of the archive of COOP and airport stations, state and "
            "division averages; or the weather input files of crop models made from it.",
    CGI_SERVICE,
    .prepare = prepare,
    .examples = { "stations=IATDSM&year1=2024&month1=1&day1=1&year2=2024&month2=12&day2=31"
                  "&vars=high,low,precip",
                  "stations=_ALL&network=IACLIMATE&year1=2024&year2=2024&month2=1&day2=31&vars=high"
                  "&gis=yes&delim=tab",
                  "stations=IATAME&year1=2020&year2=2024&month2=6&day2=30&model=apsim&scenario=yes"
                  "&scenario_year=2019" },
};
