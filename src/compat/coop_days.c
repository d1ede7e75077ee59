#include "coop_days.h"

#include "obstream/core/number.h"
#include "obstream/query/sql.h"

#include <math.h>

static double number(const struct cell *c)
{
    switch (c->type) {
    case CELL_INT:
        return (double)c->i;
    case CELL_FLOAT4:
        return isfinite(c->f4) ? number_widen(c->f4) : (double)c->f4;
    case CELL_FLOAT8:
        return c->f8;
    default:
        return NAN;
    }
}

static bool run(struct conn *conn, struct buf *sql, const Oid *oids, unsigned count,
                bool (*row)(void *ctx, const struct cell *cells), void *ctx, struct err *e)
{
    bool ok = !sql->failed || err_set(e, ERR_INTERNAL, "the statement cannot be built");
    ok = ok && query_rows(conn, sql->data, oids, count, row, ctx, e);
    buf_release(sql);
    return ok;
}

static void from_table(const struct coop_request *q, struct buf *sql)
{
    sql_text(sql, " FROM ");
    sql_text(sql, q->r->catalog->layout.tables[TABLE_COOP_ALLDATA].sql_name);
}

/* --- days --- */

struct day_reader {
    coop_day_fn fn;
    void *ctx;
};

static bool day_row(void *ctx, const struct cell *cells)
{
    const struct day_reader *x = ctx;
    struct coop_day d = { cells[0].i, number(&cells[1]), number(&cells[2]), number(&cells[3]),
                          number(&cells[4]) };
    return x->fn(x->ctx, &d);
}

/* Solar radiation comes from the first source that has it. */
static void add_radiation(const struct coop_request *q, struct buf *sql)
{
    static const char *const sources[] = { "era5land_srad", "narr_srad", "merra_srad",
                                           "hrrr_srad" };
    sql_text(sql, ", coalesce(");
    for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
        sql_text(sql, i > 0 ? ", " : "");
        sql_text(sql, coop_sql_column(q, sources[i], "float4"));
    }
    sql_text(sql, ")::float4");
}

bool coop_days(const struct coop_request *q, struct conn *conn, const struct coop_span *span,
               coop_day_fn fn, void *ctx, struct err *e)
{
    static const Oid oids[] = { OID_DATE, OID_FLOAT8, OID_FLOAT8, OID_FLOAT4, OID_FLOAT4 };
    struct day_reader reader = { fn, ctx };
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    sql_text(&sql, "SELECT day, high::float8, low::float8, precip::float4");
    add_radiation(q, &sql);
    from_table(q, &sql);
    coop_sql_stations(&sql, span->ids);
    coop_sql_days(&sql, span->first, span->last);
    sql_text(&sql, " AND high IS NOT NULL AND low IS NOT NULL");
    sql_text(&sql, span->precip ? " AND precip IS NOT NULL" : "");
    sql_text(&sql, " ORDER BY day, station");
    return run(conn, &sql, oids, ARRAY_SIZE(oids), day_row, &reader, e);
}

/* --- a year to replicate --- */

static bool year_day(void *ctx, const struct coop_day *d)
{
    struct coop_year *y = ctx;
    int year, month, day;
    civil_from_days(d->day, &year, &month, &day);
    y->days[month - 1][day - 1] = *d;
    y->there[month - 1][day - 1] = y->any = true;
    return true;
}

bool coop_year_read(const struct coop_request *q, struct conn *conn, struct coop_year *y,
                    struct err *e)
{
    memset(y, 0, sizeof(*y));
    struct coop_span span = { &q->ids, civil_days(q->scenario_year, 1, 1),
                              civil_days(q->scenario_year, 12, 31), true };
    return !q->scenario || coop_days(q, conn, &span, year_day, y, e);
}

const struct coop_day *coop_year_find(const struct coop_year *y, int64_t day)
{
    int year, month, mday;
    civil_from_days(day, &year, &month, &mday);
    if (month == 2 && mday == 29 && !y->there[1][28])
        mday = 28;
    return y->there[month - 1][mday - 1] ? &y->days[month - 1][mday - 1] : NULL;
}

/* --- normals --- */

static bool normals_row(void *ctx, const struct cell *cells)
{
    struct coop_normals *n = ctx;
    *n = (struct coop_normals){ number(&cells[0]), number(&cells[1]), number(&cells[2]) };
    return false;
}

bool coop_normals_read(const struct coop_request *q, struct conn *conn, const char *id,
                       struct coop_normals *n, struct err *e)
{
    static const Oid oids[] = { OID_FLOAT8, OID_FLOAT8, OID_FLOAT8 };
    const struct layout_entry *table = &q->r->catalog->layout.tables[TABLE_COOP_NCEI91];
    struct buf where = BUF_INIT(BUF_LIMIT_MESSAGE), sql = BUF_INIT(BUF_LIMIT_SQL);
    *n = (struct coop_normals){ NAN, NAN, NAN };
    if (!table->exists || id == NULL || !sql_id_ok(id, strlen(id)))
        return true;
    buf_printf(&where, " FROM %s WHERE station = ", table->sql_name);
    sql_id(&where, id, strlen(id));
    if (!where.failed)
        buf_printf(&sql,
                   "SELECT (SELECT avg((high + low) / 2)::float8%s), max(mean)::float8, "
                   "min(mean)::float8 FROM (SELECT avg((high + low) / 2.0) AS mean%s GROUP BY "
                   "extract(month FROM valid)) months",
                   where.data, where.data);
    sql.failed = sql.failed || where.failed;
    buf_release(&where);
    return run(conn, &sql, oids, ARRAY_SIZE(oids), normals_row, n, e);
}

/* --- months --- */

struct month_reader {
    coop_month_fn fn;
    void *ctx;
};

static bool month_row(void *ctx, const struct cell *cells)
{
    const struct month_reader *x = ctx;
    struct coop_month m = { { number(&cells[4]) * 25.4, iem_f2c(number(&cells[3])),
                              iem_f2c(number(&cells[2])) } };
    return x->fn(x->ctx, (int)cells[0].i, (int)cells[1].i, &m);
}

/* Days of a month that are alike in all three values count once: so does the recorded service,
 * whose union drops them. */
bool coop_months(const struct coop_request *q, struct conn *conn, int64_t first, int64_t last,
                 coop_month_fn fn, void *ctx, struct err *e)
{
    static const Oid oids[] = { OID_INT4, OID_INT4, OID_FLOAT8, OID_FLOAT8, OID_FLOAT4 };
    struct month_reader reader = { fn, ctx };
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    int this_year, month, day;
    civil_from_days(q->today, &this_year, &month, &day);
    sql_text(&sql, "SELECT year::int4, month::int4, avg(high)::float8, avg(low)::float8, "
                   "sum(precip)::float4 FROM (SELECT year, month, high, low, precip");
    from_table(q, &sql);
    coop_sql_stations(&sql, &q->ids);
    coop_sql_days(&sql, first, last);
    sql_text(&sql, " UNION SELECT ");
    sql_int(&sql, this_year);
    sql_text(&sql, ", month, high, low, precip");
    from_table(q, &sql);
    coop_sql_stations(&sql, &q->ids);
    coop_sql_days(&sql, q->scenario_first + 1, q->scenario_last);
    sql_text(&sql, " AND sday <> '0229') data WHERE high IS NOT NULL AND low IS NOT NULL AND "
                   "precip IS NOT NULL GROUP BY year, month ORDER BY year, month");
    return run(conn, &sql, oids, ARRAY_SIZE(oids), month_row, &reader, e);
}
