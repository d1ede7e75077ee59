/* /cgi-bin/request/metars.py: the raw METARs of one hour, all stations. */
#include "compat.h"

struct metars_params {
    const char *valid;
};

/* Python's strptime takes one digit where two are not possible: "20201111" is 2020-11-01 01 UTC.
 * Each field is a list of patterns in the order in which its regular expression tries them. */
struct digits {
    const char *patterns[6]; /* two characters from..to each: "1102" is 1 followed by 0 to 2 */
};

static const struct digits month_digits = { { "1102", "0019", "19" } };
static const struct digits day_digits = { { "3301", "1209", "0019", "19", "  19" } };
static const struct digits hour_digits = { { "2203", "0109", "09" } };
static const struct digits *const fields[] = { &month_digits, &day_digits, &hour_digits };

/* Length of the match of one pattern, 0 when there is none. */
static size_t pattern_match(const char *pattern, const char *s, int *value)
{
    size_t n = strlen(pattern) / 2;
    *value = 0;
    for (size_t i = 0; i < n; i++) {
        if (s[i] < pattern[2 * i] || s[i] > pattern[2 * i + 1])
            return 0;
        *value = *value * 10 + (s[i] == ' ' ? 0 : s[i] - '0');
    }
    return n;
}

/* The first way to match the fields from `field` on; the end of the match, NULL when there is none.
 */
static const char *fields_match(size_t field, const char *s, int values[])
{
    if (field == ARRAY_SIZE(fields))
        return s;
    for (const char *const *p = fields[field]->patterns; *p != NULL; p++) {
        size_t n = pattern_match(*p, s, &values[field]);
        const char *end = n > 0 ? fields_match(field + 1, s + n, values) : NULL;
        if (end != NULL)
            return end;
    }
    return NULL;
}

static bool hour_parse(const char *text, int64_t *usec)
{
    struct civil c = { 0 };
    int values[ARRAY_SIZE(fields)];
    if (strspn(text, "0123456789") < 4)
        return false;
    const char *end = fields_match(0, text + 4, values);
    if (end == NULL || *end != '\0')
        return false;
    for (int i = 0; i < 4; i++)
        c.year = c.year * 10 + (text[i] - '0');
    c.month = values[0];
    c.day = values[1];
    c.hour = values[2];
    *usec = civil_to_usec(&c);
    return civil_valid(&c);
}

static const char *check_valid(const char *value)
{
    int64_t usec;
    return hour_parse(value, &usec) ? NULL : "has to be an hour in UTC, written YYYYmmddHH";
}

static const struct iem_param own_params[] = {
    { "valid", IEM_TEXT, IEM_REQUIRED, offsetof(struct metars_params, valid), NULL, NULL,
      check_valid, 0, 0, "the hour, in UTC, as YYYYmmddHH" },
    { .name = NULL },
};

static const struct iem_param *const params[] = { own_params, NULL };

static const struct iem_service service = {
    .params = params,
    .size = sizeof(struct metars_params),
    .differs = "A time given twice is answered with 422 and not with 500.\n"
               "Errors are plain sentences.\n"
               "A failure after the header aborts the connection, so that no cut answer is taken "
               "for a whole one.",
};

enum { CELL_STATION, CELL_VALID, CELL_METAR };

static void no_head(const struct shape *shape, struct buf *out)
{
    (void)shape;
    (void)out;
}

static void no_tail(const struct shape *shape, const struct answer_totals *totals, struct buf *out)
{
    (void)shape;
    (void)totals;
    (void)out;
}

static void metar_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    (void)st;
    const struct cell *c = &cells[CELL_METAR];
    char *p = buf_tail(out, c->len + 1);
    if (p == NULL || c->type != CELL_TEXT)
        return;
    p = iem_put_ascii(p, c->s, c->len, false);
    *p++ = '\n';
    buf_advance(out, p);
}

static const struct encoder encoder_metars = {
    .name = "metars",
    .mime = "text/plain",
    .extension = "txt",
    .separator = "",
    .help = "one report a line",
    .head = no_head,
    .row = metar_row,
    .tail = no_tail,
};

static bool prepare(struct api_request *r)
{
    struct iem_select s;
    struct metars_params *p = iem_read(r, &service);
    if (p == NULL)
        return iem_answered(r);
    int64_t from = 0;
    hour_parse(p->valid, &from);
    struct plan *plan = iem_plan(r, TABLE_ASOS_ALLDATA, from, from + USEC_PER_HOUR);
    if (plan == NULL)
        return false;
    iem_window_clip(r, TABLE_ASOS_ALLDATA, &plan->from, &plan->to);
    iem_select_init(&s, r, TABLE_ASOS_ALLDATA);
    plan->station_cell = iem_select_column(&s, "station", OID_TEXT);
    plan->time_cell = iem_select_column(&s, "valid", OID_TIMESTAMPTZ);
    iem_select_column(&s, "metar", OID_TEXT);
    if (!iem_select_done(&s, plan))
        return false;
    plan->query.station = "station";
    plan->query.time = "valid";
    plan->query.filter = " AND metar IS NOT NULL";
    plan->query.all = plan->query.by_time = true;
    plan->rows_per_day = 24 * 3000; /* the one group stands for all stations */
    plan->row_bytes = 80;
    plan->encoder = &encoder_metars;
    r->plan = plan;
    return true;
}

const struct endpoint service_metars = {
    CGI_SERVICE,
    .path = "/cgi-bin/request/metars.py",
    .summary = "Raw METARs of one hour",
    .help = "All reports of the archive with a time of observation within the hour, one a line, in "
            "the order of time. What is not ASCII is left out.",
    .prepare = prepare,
    .examples = { "valid=2024060112" },
};
