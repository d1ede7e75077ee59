/* The union of observations and scenario. */
#include "coop_table.h"

#include "obstream/query/sql.h"

/* The sum with 0 is NULL when high or low is, which least() and greatest() pass over. */
#define BOUNDED(value, base) "least(greatest(" value ", " base "), 86)"
#define NUMERIC_GDD(base)                                                                          \
    "((" BOUNDED("high", base) " + " BOUNDED("low", base) " + 0 * (high + low)) / 2.0 - " base     \
                                                          ")::numeric"

/* The order of the columns decides the order in which a hash table gives the rows. */
static const struct {
    const char *name, *type; /* NULL: an expression over columns of these names */
    const char *sql;
} union_columns[] = {
    { "station", "bpchar", NULL },
    { "high", "int4", NULL },
    { "low", "int4", NULL },
    { "precip", "float4", NULL },
    { "snow", "float4", NULL },
    { "snowd", "float4", NULL },
    { "narr_srad", "float4", NULL },
    { "era5land_srad", "float4", NULL },
    { "temp_estimated", "bool", NULL },
    { "precip_estimated", "bool", NULL },
    { "power_srad", "float4", NULL },
    { "era5land_soilt4_avg", NULL, "(era5land_soilt4_min + era5land_soilt4_max) / 2.0" },
    { "era5land_soilt4_min", "float4", NULL },
    { "era5land_soilt4_max", "float4", NULL },
    { "era5land_soilm4_avg", "float4", NULL },
    { "era5land_soilm1m_avg", "float4", NULL },
    { "nldas_soilt4_avg", "float4", NULL },
    { "nldas_soilt4_min", "float4", NULL },
    { "nldas_soilt4_max", "float4", NULL },
    { "nldas_soilm4_avg", "float4", NULL },
    { "nldas_soilm1m_avg", "float4", NULL },
    { "merra_srad", "float4", NULL },
    { "hrrr_srad", "float4", NULL },
    { "day", "date", NULL },
    { "doy", NULL, "extract(doy FROM day)" },
    { "gdd_50_86", NULL, NUMERIC_GDD("50") },
    { "gdd_40_86", NULL, NUMERIC_GDD("40") },
    { "highc", NULL, "round((5.0 / 9.0 * (high - 32.0))::numeric, 1)" },
    { "lowc", NULL, "round((5.0 / 9.0 * (low - 32.0))::numeric, 1)" },
    { "precipmm", NULL, "round((precip * 25.4)::numeric, 1)" },
};

const char *coop_sql_column(const struct coop_request *q, const char *name, const char *type)
{
    const struct layout_column *c = layout_find(&q->r->catalog->layout, TABLE_COOP_ALLDATA, name);
    if (c != NULL)
        return c->name;
    const char *null = arena_printf(q->r->arena, "NULL::%s", type);
    return null != NULL ? null : "NULL";
}

void coop_sql_stations(struct buf *sql, const struct strlist *ids)
{
    sql_text(sql, " WHERE ");
    if (ids->count > 0)
        sql_id_in(sql, "station", ids->items, ids->count);
    else
        sql_text(sql, "false");
}

void coop_sql_days(struct buf *sql, int64_t first, int64_t last)
{
    sql_text(sql, " AND day >= ");
    sql_day(sql, first);
    sql_text(sql, " AND day <= ");
    sql_day(sql, last);
}

static bool is_computed(size_t i)
{
    return union_columns[i].type == NULL;
}

/* The columns of the table under their own names, so that expressions can be written over them. */
static void add_source(const struct coop_request *q, struct buf *sql, int64_t first, int64_t last)
{
    sql_text(sql, " FROM (SELECT ");
    for (size_t i = 0; i < ARRAY_SIZE(union_columns); i++) {
        if (is_computed(i))
            continue;
        sql_text(sql, i > 0 ? ", " : "");
        sql_text(sql, coop_sql_column(q, union_columns[i].name, union_columns[i].type));
        sql_text(sql, " AS ");
        sql_text(sql, union_columns[i].name);
    }
    sql_text(sql, " FROM ");
    sql_text(sql, q->r->catalog->layout.tables[TABLE_COOP_ALLDATA].sql_name);
    coop_sql_stations(sql, &q->ids);
    coop_sql_days(sql, first, last);
    sql_text(sql, ") rows");
}

/* The day that a row is put at; 29 February has no place in a common year. */
static void add_day(const struct coop_request *q, struct buf *sql, bool scenario, bool whole)
{
    int year, month, day;
    civil_from_days(q->last, &year, &month, &day);
    sql_text(sql, whole ? "to_char(" : "");
    if (scenario) {
        sql_text(sql, "make_date(");
        sql_int(sql, year);
        sql_text(sql, ", extract(month FROM day)::int, extract(day FROM day)::int)");
    } else {
        sql_text(sql, "day");
    }
    sql_text(sql, whole ? ", 'YYYY/MM/DD')" : "");
}

static void add_branch(const struct coop_request *q, struct buf *sql, bool scenario, bool whole)
{
    int year, month, day;
    civil_from_days(q->last, &year, &month, &day);
    sql_text(sql, "SELECT ");
    for (size_t i = 0; i < ARRAY_SIZE(union_columns); i++) {
        const char *name = union_columns[i].name;
        sql_text(sql, i > 0 ? ", " : "");
        if (str_eq(name, "day"))
            add_day(q, sql, scenario, whole);
        else
            sql_text(sql, is_computed(i) ? union_columns[i].sql : name);
        sql_text(sql, " AS ");
        sql_text(sql, name);
    }
    add_source(q, sql, scenario ? q->scenario_first : q->first,
               scenario ? q->scenario_last : q->last);
    if (scenario && !civil_is_leap(year))
        sql_text(sql, " WHERE to_char(day, 'MMDD') <> '0229'");
}

void coop_union_sql(const struct coop_request *q, bool whole, struct buf *sql)
{
    sql_text(sql, "(");
    add_branch(q, sql, false, whole);
    sql_text(sql, " UNION ");
    add_branch(q, sql, true, whole);
    sql_text(sql, ") total");
}
