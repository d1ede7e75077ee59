/*
 * The statements of /api/climodat/aggregate. A row is of one station (or area) and period, and has
 * for each output the days with data, the value and, where it has one, a day; values are
 * millionths of their unit, sums of whole numbers, hence exact in any order.
 *
 * Periods are numbered 2 i + 1 for number i of the list; days between periods have even numbers.
 */
#include "climodat.h"

#include "obstream/db/copy.h"
#include "obstream/query/sql.h"

#include <string.h>

#define MICRO 1e6
#define EPOCH "DATE '1970-01-01'"

/* ---- the daily rows ---- */

/* A column of coop.alldata in millionths. */
static void put_column(const struct selecting *s, struct buf *b, const char *name)
{
    const struct layout_column *c = layout_find(&s->x->catalog->layout, TABLE_COOP_ALLDATA, name);
    if (c == NULL)
        buf_puts(b, "NULL::float8");
    else
        buf_printf(b, "round(a.%s::float8 * 1e6)", c->name);
}

static void put_both(const struct selecting *s, struct buf *b)
{
    buf_puts(b, "(");
    put_column(s, b, "high");
    buf_puts(b, " + ");
    put_column(s, b, "low");
    buf_puts(b, ")");
}

static void put_held(const struct selecting *s, struct buf *b, const char *name)
{
    buf_puts(b, "least(greatest(");
    put_column(s, b, name);
    buf_puts(b, ", ");
    sql_float8(b, s->x->p->gdd_base.value * MICRO);
    buf_puts(b, "), ");
    sql_float8(b, s->x->p->gdd_ceil.value * MICRO);
    buf_puts(b, ")");
}

/* greatest() and least() pass over nulls, which must not count as zero degree days. */
static void put_guarded(const struct selecting *s, struct buf *b, bool both)
{
    buf_puts(b, "CASE WHEN ");
    if (both)
        put_both(s, b);
    else
        put_column(s, b, "high");
    buf_puts(b, " IS NOT NULL THEN ");
}

static void put_degree_days(const struct selecting *s, struct buf *b, enum quantity q)
{
    const struct native_params *p = s->x->p;
    put_guarded(s, b, q != Q_SDD);
    if (q == Q_GDD) {
        buf_puts(b, "(");
        put_held(s, b, "high");
        buf_puts(b, " + ");
        put_held(s, b, "low");
        buf_puts(b, ") / 2 - ");
        sql_float8(b, p->gdd_base.value * MICRO);
    } else {
        double base = q == Q_HDD   ? p->hdd_base.value
                      : q == Q_CDD ? p->cdd_base.value
                                   : p->sdd_base.value;
        buf_puts(b, q == Q_HDD ? "greatest(" : "greatest(-");
        sql_float8(b, base * MICRO);
        buf_puts(b, q == Q_HDD ? " - " : " + ");
        if (q == Q_SDD) {
            put_column(s, b, "high");
        } else {
            put_both(s, b);
            buf_puts(b, " / 2");
        }
        buf_puts(b, ", 0)");
    }
    buf_puts(b, " END");
}

static void put_quantity(const struct selecting *s, struct buf *b, enum quantity q, bool raw)
{
    const char *name = quantities[q].name;
    if (q == Q_AVG) {
        put_both(s, b);
        buf_puts(b, " / 2");
    } else if (q >= Q_GDD) {
        put_degree_days(s, b, q);
    } else if (quantities[q].amount && !raw) {
        buf_puts(b, "CASE WHEN ");
        put_column(s, b, name);
        buf_puts(b, " = 100 THEN 0 ELSE ");
        put_column(s, b, name);
        buf_puts(b, " END");
    } else {
        put_column(s, b, name);
    }
}

/* The name of an output's quantity in the daily rows: conditions see a trace as it is. */
static const char *daily_name(const struct output *o)
{
    static const char *const names[QUANTITIES][2] = {
        [Q_HIGH] = { "q_high", "q_high" }, [Q_LOW] = { "q_low", "q_low" },
        [Q_AVG] = { "q_avg", "q_avg" },    [Q_PRECIP] = { "q_precip", "r_precip" },
        [Q_SNOW] = { "q_snow", "r_snow" }, [Q_SNOWD] = { "q_snowd", "r_snowd" },
        [Q_GDD] = { "q_gdd", "q_gdd" },    [Q_HDD] = { "q_hdd", "q_hdd" },
        [Q_CDD] = { "q_cdd", "q_cdd" },    [Q_SDD] = { "q_sdd", "q_sdd" },
    };
    return names[o->quantity][o->compare != NULL];
}

/* Whether output i is the first of its quantity. */
static bool first_of_name(const struct selecting *s, unsigned i)
{
    for (unsigned k = 0; k < i; k++) {
        if (str_eq(daily_name(s->outputs[k]), daily_name(s->outputs[i])))
            return false;
    }
    return true;
}

static void put_bounds(const struct selecting *s, struct buf *b)
{
    const struct aggregate *x = s->x;
    for (size_t i = 0; i < x->period_count; i++)
        buf_printf(b, "%s%d,%d", i > 0 ? "," : "", x->periods[i].start, x->periods[i].end);
}

/* The number of the period of a day that is given as a count of days. */
static void put_bucket(const struct selecting *s, struct buf *b, const char *day)
{
    const struct aggregate *x = s->x;
    if (x->steady && (x->by.kind == BY_DAY || x->by.kind == BY_WEEK)) {
        buf_printf(b, "(%s - (%d)) / %d * 2 + 1", day, x->periods[0].start,
                   x->by.kind == BY_DAY ? 1 : 7);
        return;
    }
    buf_printf(b, "width_bucket((%s)::float8, '{", day); /* float8 has a fast search of its own */
    put_bounds(s, b);
    buf_puts(b, "}'::float8[])");
}

static void put_range(const struct selecting *s, struct buf *b, const char *column)
{
    const struct aggregate *x = s->x;
    buf_printf(b, "%s >= ", column);
    sql_day(b, x->periods[0].start);
    buf_printf(b, " AND %s < ", column);
    sql_day(b, x->periods[x->period_count - 1].end);
}

static const char *daily_table(const struct selecting *s)
{
    return s->x->catalog->layout.tables[TABLE_COOP_ALLDATA].sql_name;
}

static void put_stations(const struct selecting *s, struct buf *b, const char *column)
{
    buf_puts(b, " AND ");
    sql_id_in(b, column, s->stations, s->count);
}

static void put_touched(const struct selecting *s, struct buf *b)
{
    buf_printf(b, "(SELECT DISTINCT t.station, t.month FROM %s t WHERE ",
               s->x->catalog->layout.tables[TABLE_COOP_ROLLUP_TOUCHED].sql_name);
    put_range(s, b, "t.month");
    put_stations(s, b, "t.station");
    buf_puts(b, ") t");
}

/* Daily values: station, p, d and the quantities. OFFSET 0 has each computed once a row. */
static void put_daily(const struct selecting *s, struct buf *b, bool touched)
{
    buf_puts(b, "(SELECT a.station, a.day - " EPOCH " AS d, ");
    put_bucket(s, b, "a.day - " EPOCH);
    buf_puts(b, " AS p");
    for (unsigned i = 0; i < s->output_count; i++) {
        if (!first_of_name(s, i))
            continue;
        buf_puts(b, ", ");
        put_quantity(s, b, s->outputs[i]->quantity, s->outputs[i]->compare != NULL);
        buf_printf(b, " AS %s", daily_name(s->outputs[i]));
    }
    buf_puts(b, " FROM ");
    if (touched) { /* month by month: no other way is good whatever the planner knows */
        put_touched(s, b);
        buf_printf(b,
                   " CROSS JOIN LATERAL (SELECT * FROM %s a WHERE a.station = t.station AND "
                   "a.day >= t.month AND a.day < (t.month + interval '1 month')::date OFFSET 0) "
                   "a OFFSET 0) v",
                   daily_table(s));
        return;
    }
    buf_printf(b, "%s a WHERE ", daily_table(s));
    put_range(s, b, "a.day");
    put_stations(s, b, "a.station");
    buf_puts(b, " OFFSET 0) v");
}

/* An area's own daily values: the weighted means of those states that have one, where their share
 * of the area is large enough; and the share itself. */
static void put_combined(const struct selecting *s, struct buf *b)
{
    buf_puts(b, "(SELECT v.p, v.d");
    for (unsigned i = 0; i < s->output_count; i++) {
        const char *n = daily_name(s->outputs[i]);
        if (!first_of_name(s, i))
            continue;
        buf_printf(b, ", CASE WHEN sum(w.w) FILTER (WHERE v.%s IS NOT NULL) >= ", n);
        sql_float8(b, s->x->p->min_coverage.value * s->weight * (1 - 1e-12));
        buf_printf(b,
                   " THEN round(sum(w.w * v.%s) / sum(w.w) FILTER (WHERE v.%s IS NOT NULL)) "
                   "END AS %s, sum(w.w) FILTER (WHERE v.%s IS NOT NULL) AS c_%s",
                   n, n, n, n, n);
    }
    buf_puts(b, " FROM ");
    put_daily(s, b, false);
    buf_puts(b, " JOIN (VALUES ");
    for (uint32_t i = 0; i < s->count; i++) {
        buf_puts(b, i > 0 ? ", (" : "(");
        sql_id(b, s->stations[i], strlen(s->stations[i]));
        buf_puts(b, ", ");
        sql_float8(b, s->weights[i]);
        buf_puts(b, ")");
    }
    buf_puts(b, ") w(id, w) ON w.id = v.station WHERE v.p % 2 = 1 GROUP BY v.p, v.d) v");
}

/* ---- values of a period out of daily ones ---- */

static void put_condition(const struct output *o, struct buf *b)
{
    buf_printf(b, "v.%s %s ", daily_name(o), o->compare);
    sql_float8(b, o->threshold * MICRO);
}

static void put_extreme(const struct output *o, struct buf *b)
{
    const char *n = daily_name(o), *fn = o->stat == STAT_MAX ? "max" : "min";
    const char *sign = o->stat == STAT_MAX ? "-" : ""; /* of equal ones the first day */
    for (int i = 1; i <= 2; i++)
        buf_printf(b, ", %s(%s(ARRAY[v.%s, %sv.d]) FILTER (WHERE v.%s IS NOT NULL))[%d]%s",
                   i == 2 ? sign : "", fn, n, sign, n, i, i == 2 ? "::int4" : "");
}

/* A day's value, and how much of an area it stands for. */
static void put_value(const struct selecting *s, const struct output *o, struct buf *b)
{
    const char *n = daily_name(o);
    buf_printf(b, ", count(v.%s)", n);
    switch (o->stat) {
    case STAT_MIN:
    case STAT_MAX:
        put_extreme(o, b);
        break;
    case STAT_FIRST:
    case STAT_LAST:
        buf_puts(b, o->stat == STAT_FIRST ? ", min(v.d)" : ", max(v.d)");
        buf_puts(b, " FILTER (WHERE ");
        put_condition(o, b);
        buf_puts(b, ")::float8, NULL::int4");
        break;
    case STAT_STREAK:
        buf_puts(b, ", NULL::float8, string_agg(v.d::text, ' ' ORDER BY v.d) FILTER (WHERE ");
        put_condition(o, b);
        buf_puts(b, ")");
        break;
    default:
        if (o->compare != NULL) {
            buf_puts(b, ", (count(*) FILTER (WHERE ");
            put_condition(o, b);
            buf_puts(b, "))::float8, NULL::int4");
        } else {
            buf_printf(b, ", sum(v.%s), NULL::int4", n);
        }
    }
    if (s->weights != NULL)
        buf_printf(b, ", min(v.c_%s) FILTER (WHERE v.%s IS NOT NULL)", n, n);
}

static void daily_sql(const struct selecting *s, struct buf *b)
{
    bool combined = s->weights != NULL;
    buf_puts(b, combined ? "SELECT NULL::text, v.p" : "SELECT v.station::text, v.p");
    for (unsigned i = 0; i < s->output_count; i++)
        put_value(s, s->outputs[i], b);
    buf_puts(b, " FROM ");
    if (combined)
        put_combined(s, b);
    else
        put_daily(s, b, false);
    buf_puts(b, combined ? " GROUP BY v.p" : " WHERE v.p % 2 = 1 GROUP BY v.station, v.p");
}

/* ---- the roll-up ---- */

static bool standard_bases(const struct aggregate *x, enum quantity q)
{
    const struct native_params *p = x->p;
    return q == Q_GDD   ? p->gdd_base.value == 50 && p->gdd_ceil.value == 86
           : q == Q_HDD ? p->hdd_base.value == 65
           : q == Q_CDD ? p->cdd_base.value == 65
           : q == Q_SDD ? p->sdd_base.value == 86
                        : true;
}

bool aggregate_in_rollup(const struct selecting *s)
{
    const struct aggregate *x = s->x;
    if (!x->catalog->layout.tables[TABLE_COOP_ROLLUP].exists || s->weights != NULL ||
        !x->catalog->layout.tables[TABLE_COOP_ROLLUP_TOUCHED].exists ||
        str_eq(x->p->rollup, "no") || !by_whole_months(&x->by))
        return false;
    for (unsigned i = 0; i < s->output_count; i++) {
        const struct output *o = s->outputs[i];
        bool extreme = o->stat == STAT_MIN || o->stat == STAT_MAX;
        if (o->compare != NULL || !standard_bases(x, o->quantity) ||
            (extreme && !quantities[o->quantity].extremes))
            return false;
    }
    return true;
}

static bool is_extreme(const struct output *o)
{
    return o->stat == STAT_MIN || o->stat == STAT_MAX;
}

/* Months as they are rolled up, but those that were written since. */
static void put_rolled(const struct selecting *s, struct buf *b)
{
    buf_puts(b, "SELECT r.station::text, ");
    put_bucket(s, b, "r.month - " EPOCH);
    buf_puts(b, " AS p");
    for (unsigned i = 0; i < s->output_count; i++) {
        const struct output *o = s->outputs[i];
        const char *q = quantities[o->quantity].name, *n = quantities[o->quantity].count;
        const char *e = o->stat == STAT_MIN ? "min" : "max";
        if (is_extreme(o))
            buf_printf(b, ", r.%s::int8 AS n%u, r.%s_%s AS v%u, r.%s_%s_day AS d%u", n, i, q, e, i,
                       q, e, i);
        else
            buf_printf(b, ", r.%s::int8 AS n%u, r.%s_sum AS v%u, NULL::int4 AS d%u", n, i, q, i, i);
    }
    buf_printf(b, " FROM %s r WHERE ", s->x->catalog->layout.tables[TABLE_COOP_ROLLUP].sql_name);
    put_range(s, b, "r.month");
    put_stations(s, b, "r.station");
    buf_puts(b, " AND (r.station, r.month) NOT IN (SELECT t.station, t.month FROM ");
    put_touched(s, b);
    buf_puts(b, ")");
}

static void put_merged(const struct output *o, unsigned i, struct buf *b)
{
    const char *fn = o->stat == STAT_MAX ? "max" : "min", *sign = o->stat == STAT_MAX ? "-" : "";
    buf_printf(b, ", sum(m.n%u)::int8", i);
    if (!is_extreme(o)) {
        buf_printf(b, ", sum(m.v%u), NULL::int4", i);
        return;
    }
    for (int k = 1; k <= 2; k++)
        buf_printf(b, ", %s(%s(ARRAY[m.v%u, %sm.d%u]) FILTER (WHERE m.v%u IS NOT NULL))[%d]%s",
                   k == 2 ? sign : "", fn, i, sign, i, i, k, k == 2 ? "::int4" : "");
}

/* Months of the roll-up and those out of daily rows make the periods together. */
static void rollup_sql(const struct selecting *s, struct buf *b)
{
    bool merge = s->x->by.kind != BY_MONTH;
    if (merge) {
        buf_puts(b, "SELECT m.station, m.p");
        for (unsigned i = 0; i < s->output_count; i++)
            put_merged(s->outputs[i], i, b);
        buf_puts(b, " FROM (");
    }
    put_rolled(s, b);
    buf_puts(b, " UNION ALL SELECT v.station::text, v.p");
    for (unsigned i = 0; i < s->output_count; i++)
        put_value(s, s->outputs[i], b);
    buf_puts(b, " FROM ");
    put_daily(s, b, true);
    buf_puts(b, " GROUP BY v.station, v.p");
    if (merge)
        buf_puts(b, ") m WHERE m.p % 2 = 1 GROUP BY m.station, m.p");
}

void aggregate_touched_sql(const struct selecting *s, struct buf *out)
{
    buf_puts(out, "SELECT count(*) FROM (SELECT FROM ");
    put_touched(s, out);
    buf_printf(out, " LIMIT %d) t", TOUCHED_MANY);
}

void aggregate_sql(const struct selecting *s, struct buf *out)
{
    if (s->rollup)
        rollup_sql(s, out);
    else
        daily_sql(s, out);
}
