/* The input files of crop models, from the archive. */
#include "coop_days.h"
#include "zipfile.h"

#include "obstream/stream/sink.h"

#include <stdio.h>
#include <stdlib.h>

/* What is being written: lines go to the sink, or into the zip file. */
struct writer {
    const struct coop_request *q;
    struct conn *conn;
    struct sink *sink;
    struct zipfile *zip;
    struct buf line;
    int64_t last; /* day written */
    int year;     /* of the scenario's days; 0: days are printed as they are */
    int lines;
    int member_year;  /* DNDC: a member a year */
    struct buf temps; /* SWAT: the second member of a station */
    const char *name; /* of the member or station */
};

static void writer_init(struct writer *w, const struct plan *p, struct conn *conn,
                        struct sink *sink)
{
    memset(w, 0, sizeof(*w));
    w->q = p->ctx;
    w->conn = conn;
    w->sink = sink;
    w->last = w->q->first;
    buf_init(&w->line, BUF_LIMIT_MESSAGE);
    buf_init(&w->temps, BUF_LIMIT_DOCUMENT);
}

static bool writer_done(struct writer *w, bool ok, struct err *e)
{
    if (w->line.failed || w->temps.failed)
        ok = err_set(e, ERR_INTERNAL, "out of memory for the files of a model");
    if (w->sink->err.kind != ERR_NONE)
        ok = err_set(e, w->sink->err.kind, "%s", w->sink->err.msg);
    if (ok && w->zip != NULL)
        ok = zipfile_send(w->zip, w->sink, e);
    zipfile_free(w->zip);
    buf_release(&w->line);
    buf_release(&w->temps);
    return ok;
}

/* Sends what is in w->line; false: it makes no sense to go on. */
static bool flush(struct writer *w)
{
    if (w->line.failed || w->line.len == 0)
        return !w->line.failed;
    if (w->zip != NULL)
        zipfile_add(w->zip, w->line.data, w->line.len);
    else
        sink_write(w->sink, w->line.data, w->line.len);
    buf_clear(&w->line);
    return w->zip != NULL ? zipfile_good(w->zip) : w->sink->err.kind == ERR_NONE;
}

/* --- APSIM and DayCent: one station, the scenario follows the last day --- */

static bool apsim_day(void *ctx, const struct coop_day *d)
{
    struct writer *w = ctx;
    w->last = d->day;
    apsim_line(&w->line, d->day, d);
    return flush(w);
}

static bool daycent_day(void *ctx, const struct coop_day *d)
{
    struct writer *w = ctx;
    w->last = d->day;
    daycent_line(&w->line, d->day, d);
    return flush(w);
}

static bool fill_year(struct writer *w, const struct coop_year *y,
                      void (*put)(struct buf *out, int64_t day, const struct coop_day *d),
                      struct err *e)
{
    int year, month, day;
    civil_from_days(w->last, &year, &month, &day);
    for (int64_t now = w->last + 1; y->any && now <= civil_days(year, 12, 31); now++) {
        const struct coop_day *d = coop_year_find(y, now);
        civil_from_days(now, &year, &month, &day);
        if (d == NULL)
            return err_set(e, ERR_UNPROCESSABLE,
                           "the scenario year %d has no high, low and precip for %02d-%02d: choose "
                           "another scenario_year",
                           w->q->scenario_year, month, day);
        put(&w->line, now, d);
        if (!flush(w))
            return false;
    }
    return true;
}

static bool daily_file(struct writer *w, coop_day_fn fn,
                       void (*put)(struct buf *out, int64_t day, const struct coop_day *d),
                       struct err *e)
{
    const struct coop_request *q = w->q;
    struct coop_span span = { &q->ids, q->first, q->last, true };
    struct coop_year *y = malloc(sizeof(*y));
    if (y == NULL)
        return err_set(e, ERR_INTERNAL, "out of memory for a scenario");
    bool ok = coop_year_read(q, w->conn, y, e) && coop_days(q, w->conn, &span, fn, w, e) &&
              fill_year(w, y, put, e);
    free(y);
    return ok;
}

static bool produce_apsim(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e)
{
    struct writer w;
    struct coop_normals normals;
    writer_init(&w, p, conn, sink);
    const struct coop_request *q = w.q;
    const struct station *st = q->stations[0];
    bool ok = coop_normals_read(q, conn, st->ncei91, &normals, e);
    if (ok) {
        coop_put_lead(q, '!', st, q->first, q->last, &w.line);
        buf_printf(&w.line, "[weather.met.weather]\nlatitude = %.1f (DECIMAL DEGREES)\n", st->lat);
        apsim_climate_lines(&w.line, normals.mean, normals.warmest, normals.coldest);
        buf_puts(&w.line, APSIM_HEAD);
        ok = flush(&w) && daily_file(&w, apsim_day, apsim_line, e);
    }
    return writer_done(&w, ok, e);
}

static bool produce_daycent(const struct plan *p, struct conn *conn, struct sink *sink,
                            struct err *e)
{
    struct writer w;
    writer_init(&w, p, conn, sink);
    buf_puts(&w.line, DAYCENT_HEAD);
    bool ok = flush(&w) && daily_file(&w, daycent_day, daycent_line, e);
    return writer_done(&w, ok, e);
}

/* --- SALUS, DNDC, SWAT: the scenario fills the rest of this year, from today on --- */

static int64_t printed_day(const struct writer *w, const struct coop_day *d)
{
    return w->year == 0 ? d->day : coop_replicate(d->day, w->year);
}

static bool days_and_scenario(struct writer *w, const struct strlist *ids, bool precip,
                              coop_day_fn fn, struct err *e)
{
    const struct coop_request *q = w->q;
    struct coop_span span = { ids, q->first, q->last, precip };
    w->year = 0;
    if (!coop_days(q, w->conn, &span, fn, w, e))
        return false;
    if (!q->scenario)
        return true;
    int month, day;
    civil_from_days(q->today, &w->year, &month, &day);
    span.first = civil_days(q->scenario_year, month, day);
    span.last = civil_days(q->scenario_year, 12, 31);
    return coop_days(q, w->conn, &span, fn, w, e);
}

static bool salus_day(void *ctx, const struct coop_day *d)
{
    enum { FIRST_NUMBER = 2 };
    struct writer *w = ctx;
    int64_t day = printed_day(w, d);
    if (day == INT64_MIN)
        return true;
    salus_line(&w->line, w->q->given.items[0], day, d, FIRST_NUMBER + w->lines++);
    return flush(w);
}

static bool produce_salus(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e)
{
    struct writer w;
    writer_init(&w, p, conn, sink);
    buf_puts(&w.line, SALUS_HEAD);
    bool ok = flush(&w) && days_and_scenario(&w, &w.q->ids, true, salus_day, e);
    return writer_done(&w, ok, e);
}

static bool begin_zip(struct writer *w, struct err *e)
{
    w->zip = zipfile_new(w->q->r->api->conf->spool_dir, e);
    return w->zip != NULL;
}

static bool dndc_day(void *ctx, const struct coop_day *d)
{
    struct writer *w = ctx;
    int year, month, mday;
    int64_t day = printed_day(w, d);
    if (day == INT64_MIN)
        return true;
    civil_from_days(day, &year, &month, &mday);
    if (w->member_year != year) {
        char member[256];
        snprintf(member, sizeof(member), "%s/%s_%d.txt", w->name, w->name, year);
        for (char *c = member; *c != '\0'; c++)
            *c = *c == ' ' ? '_' : *c;
        zipfile_begin(w->zip, member, w->q->r->now);
        w->member_year = year;
    }
    dndc_line(&w->line, day, d);
    return flush(w);
}

static int by_name(const void *a, const void *b, void *ctx)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    int c = strcmp(coop_name(ctx, x), coop_name(ctx, y));
    return c != 0 ? c : strcmp(x, y);
}

/* Stations of the same name share its members. */
static bool dndc_members(struct writer *w, const char **ids, size_t count, struct err *e)
{
    for (size_t i = 0, n; i < count; i += n) {
        w->name = coop_name(w->q, ids[i]);
        w->member_year = 0;
        for (n = 1; i + n < count && str_eq(coop_name(w->q, ids[i + n]), w->name); n++)
            continue;
        struct strlist group = { .items = ids + i, .count = n };
        if (!days_and_scenario(w, &group, true, dndc_day, e) || !zipfile_good(w->zip))
            return zipfile_good(w->zip) ? false : zipfile_send(w->zip, w->sink, e);
    }
    return true;
}

static bool produce_dndc(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e)
{
    struct writer w;
    writer_init(&w, p, conn, sink);
    size_t count = w.q->ids.count;
    const char **ids = calloc(count + 1, sizeof(*ids));
    bool ok = ids != NULL || err_set(e, ERR_INTERNAL, "out of memory for the stations");
    if (ok && count > 0) {
        memcpy(ids, w.q->ids.items, count * sizeof(*ids));
        qsort_r(ids, count, sizeof(*ids), by_name, (void *)w.q);
    }
    ok = ok && begin_zip(&w, e) && dndc_members(&w, ids, count, e);
    free(ids);
    return writer_done(&w, ok, e);
}

static void swat_begin(struct writer *w, const char *kind)
{
    char member[64];
    snprintf(member, sizeof(member), "swatfiles/%s.%s", w->name, kind);
    zipfile_begin(w->zip, member, w->q->r->now);
}

static bool swat_day(void *ctx, const struct coop_day *d)
{
    struct writer *w = ctx;
    int64_t day = printed_day(w, d);
    if (day == INT64_MIN)
        return true;
    if (w->temps.len == 0) { /* the first day: only stations that have one get files */
        swat_begin(w, "pcp");
        buf_printf(&w->line, "IEM COOP %s\n\n\n\n", w->name);
        buf_printf(&w->temps, "IEM COOP %s\n\n\n\n", w->name);
    }
    swat_precip_line(&w->line, day, d);
    swat_temp_line(&w->temps, day, d);
    return flush(w);
}

static void swat_end(struct writer *w)
{
    if (w->temps.len == 0 || w->temps.failed)
        return;
    swat_begin(w, "tmp");
    zipfile_add(w->zip, w->temps.data, w->temps.len);
    buf_clear(&w->temps);
}

static bool produce_swat(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e)
{
    struct writer w;
    writer_init(&w, p, conn, sink);
    bool ok = begin_zip(&w, e);
    for (size_t i = 0; ok && i < w.q->ids.count && zipfile_good(w.zip); i++) {
        struct strlist one = { .items = w.q->ids.items + i, .count = 1 };
        w.name = w.q->ids.items[i];
        ok = days_and_scenario(&w, &one, false, swat_day, e);
        swat_end(&w);
    }
    return writer_done(&w, ok, e);
}

/* --- Century: a line a year and value, whole years --- */

struct century {
    struct writer *w;
    struct coop_month months[12];
    int year; /* of the months; 0: none */
    int from, to;
};

static void century_flush(struct century *x)
{
    if (x->year >= x->from && x->year <= x->to)
        century_lines(&x->w->line, x->year, x->months);
    for (int m = 0; m < 12; m++)
        x->months[m] = (struct coop_month){ { COOP_NO_DATA, COOP_NO_DATA, COOP_NO_DATA } };
}

static bool century_month(void *ctx, int year, int month, const struct coop_month *m)
{
    struct century *x = ctx;
    if (x->year != year) {
        century_flush(x);
        x->year = year;
    }
    x->months[month - 1] = *m;
    return flush(x->w);
}

static bool produce_century(const struct plan *p, struct conn *conn, struct sink *sink,
                            struct err *e)
{
    struct writer w;
    int month, day;
    writer_init(&w, p, conn, sink);
    const struct coop_request *q = w.q;
    struct century x = { .w = &w };
    civil_from_days(q->first, &x.from, &month, &day);
    civil_from_days(q->last, &x.to, &month, &day);
    int64_t first = civil_days(x.from, 1, 1), last = civil_days(x.to, 12, 31);
    if (last >= q->today)
        last = q->today - 1;
    coop_put_lead(q, '#', q->stations[0], first, last, &w.line);
    bool ok = flush(&w) && coop_months(q, conn, first, last, century_month, &x, e);
    century_flush(&x);
    ok = ok && flush(&w);
    return writer_done(&w, ok, e);
}

/* --- plan --- */

static const struct {
    bool (*produce)(const struct plan *p, struct conn *conn, struct sink *sink, struct err *e);
    const char *name; /* of models that take one station */
    bool described;   /* the file names the station */
} models[COOP_MODELS] = {
    [COOP_DAYCENT] = { produce_daycent, "Daycent", false },
    [COOP_CENTURY] = { produce_century, "Century", true },
    [COOP_APSIM] = { produce_apsim, "APSIM", true },
    [COOP_DNDC] = { produce_dndc, NULL, false },
    [COOP_SALUS] = { produce_salus, "SALUS", false },
    [COOP_SWAT] = { produce_swat, NULL, false },
};

static bool one_station_only(struct coop_request *q, enum coop_model model)
{
    struct buf *b = reply_body(q->r, 200, NULL);
    buf_printf(b, "ERROR: %s output is only permitted for one station at a time.",
               models[model].name);
    return true;
}

bool coop_model_plan(struct coop_request *q, enum coop_model model)
{
    struct api_request *r = q->r;
    if (models[model].name != NULL && q->given.count > 1)
        return one_station_only(q, model);
    if (models[model].described && (q->ids.count == 0 || q->stations[0] == NULL)) {
        fault_add(&r->faults, "stations", q->given.items[0],
                  "\"%.64s\" is no station of the climodat networks", q->given.items[0]);
        return false;
    }
    struct plan *plan = iem_plan(r, TABLE_COOP_ALLDATA, 0, 1);
    if (plan == NULL)
        return false;
    plan->ctx = q;
    plan->produce = models[model].produce;
    plan->encoder = &coop_document;
    r->plan = plan;
    return true;
}
