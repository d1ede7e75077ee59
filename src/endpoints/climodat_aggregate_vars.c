/* vars and stat of /api/climodat/aggregate: which values a row has. */
#include "climodat.h"

#include <stdlib.h>
#include <string.h>

const struct quantity_info quantities[QUANTITIES] = {
    [Q_HIGH] = { "high", "degF", "delta_degF", STAT_MEAN, false, "high_n", true,
                 "highest temperature" },
    [Q_LOW] = { "low", "degF", "delta_degF", STAT_MEAN, false, "low_n", true,
                "lowest temperature" },
    [Q_AVG] = { "avg", "degF", "delta_degF", STAT_MEAN, false, "avg_n", true,
                "mean of high and low" },
    [Q_PRECIP] = { "precip", "in", "in", STAT_SUM, true, "precip_n", true, "precipitation" },
    [Q_SNOW] = { "snow", "in", "in", STAT_SUM, true, "snow_n", true, "snowfall" },
    [Q_SNOWD] = { "snowd", "in", "in", STAT_MEAN, true, "snowd_n", true, "snow depth" },
    [Q_GDD] = { "gdd", "degF.d", "degF.d", STAT_SUM, false, "avg_n", false,
                "growing degree days between gdd_base and gdd_ceil" },
    [Q_HDD] = { "hdd", "degF.d", "degF.d", STAT_SUM, false, "avg_n", false,
                "heating degree days below hdd_base" },
    [Q_CDD] = { "cdd", "degF.d", "degF.d", STAT_SUM, false, "avg_n", false,
                "cooling degree days above cdd_base" },
    [Q_SDD] = { "sdd", "degF.d", "degF.d", STAT_SUM, false, "high_n", false,
                "stress degree days: of the high above sdd_base" },
};

static const char *const stat_names[STATS] = { "mean",  "sum",   "min",  "max",
                                               "count", "first", "last", "streak" };

static const struct comparison {
    const char *name, *sql;
} comparisons[] = {
    { "ge", ">=" }, { "gt", ">" }, { "le", "<=" }, { "lt", "<" }, { "eq", "=" },
};

enum { SUM_MISSING = 0, MEAN_MISSING = 5 };

static const char *const standard_vars[] = { "high", "low", "avg", "precip", "snow" };

static const char *var_candidate(const void *unused, size_t i)
{
    static const char *const conditions[] = { "days_high_ge_90", "days_low_le_32",
                                              "days_precip_ge_1.00" };
    (void)unused;
    if (i < QUANTITIES)
        return quantities[i].name;
    i -= QUANTITIES;
    return i < ARRAY_SIZE(conditions) ? conditions[i] : NULL;
}

static bool find_quantity(const char *name, size_t len, enum quantity *out)
{
    for (int q = 0; q < QUANTITIES; q++) {
        if (strlen(quantities[q].name) == len && memcmp(quantities[q].name, name, len) == 0) {
            *out = (enum quantity)q;
            return true;
        }
    }
    return false;
}

/* Digits with at most one point, and a sign: no more, so that names of columns stay plain. */
static bool parse_threshold(const char *text, double *out)
{
    const char *digits = text + (*text == '-');
    size_t n = strspn(digits, "0123456789.");
    const char *point = strchr(digits, '.');
    if (n == 0 || digits[n] != '\0' || n > 9 || (point != NULL && strchr(point + 1, '.') != NULL) ||
        (n == 1 && point != NULL))
        return false;
    *out = strtod(text, NULL);
    return true;
}

/* days_QUANTITY_OPERATOR_NUMBER */
static bool parse_condition(const char *name, struct output *o)
{
    if (!str_starts(name, "days_"))
        return false;
    const char *q = name + 5, *op = strchr(q, '_');
    const char *number = op != NULL ? strchr(op + 1, '_') : NULL;
    if (number == NULL || !find_quantity(q, (size_t)(op - q), &o->quantity))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(comparisons); i++) {
        const char *n = comparisons[i].name;
        if (strlen(n) == (size_t)(number - op - 1) && memcmp(n, op + 1, strlen(n)) == 0)
            o->compare = comparisons[i].sql;
    }
    return o->compare != NULL && parse_threshold(number + 1, &o->threshold);
}

static bool stat_fits(const struct output *o, enum stat stat)
{
    bool of_condition = stat == STAT_FIRST || stat == STAT_LAST || stat == STAT_STREAK;
    if (o->compare != NULL)
        return of_condition || stat == STAT_SUM || stat == STAT_COUNT;
    bool degrees = str_eq(quantities[o->quantity].unit, "degF"); /* a sum of them means nothing */
    return !of_condition && !(degrees && stat == STAT_SUM);
}

static void add_output(struct api_request *r, struct aggregate *x, struct output o, enum stat stat,
                       const char *suffix)
{
    const char *name = suffix == NULL ? o.name : arena_printf(r->arena, "%s_%s", o.name, suffix);
    for (unsigned i = 0; i < x->output_count; i++) {
        if (str_eq(x->outputs[i].name, name))
            return;
    }
    if (x->output_count == OUTPUTS) {
        fault_add(&r->faults, "vars", o.name,
                  "vars and stat ask for more than %d values a row: "
                  "ask for them in several requests",
                  OUTPUTS);
        return;
    }
    bool sum = stat == STAT_SUM || (stat == STAT_COUNT && o.compare != NULL);
    o.name = name;
    o.stat = stat;
    o.combined = x->areas && stat != STAT_MEAN && stat != STAT_SUM && stat != STAT_COUNT;
    o.maxmissing = x->p->maxmissing.set ? (int)x->p->maxmissing.value
                   : sum                ? SUM_MISSING
                                        : MEAN_MISSING;
    x->outputs[x->output_count++] = o;
}

static void add_var(struct api_request *r, struct aggregate *x, const char *name, unsigned *used)
{
    struct output o = { .name = name };
    if (!find_quantity(name, strlen(name), &o.quantity) && !parse_condition(name, &o)) {
        const char *near = str_nearest(name, var_candidate, NULL);
        fault_add(&r->faults, "vars", name,
                  "there is no variable \"%.64s\"%s%s%s; there are high, low, avg, precip, snow, "
                  "snowd, gdd, hdd, cdd, sdd and counts of days like days_high_ge_90 (with ge, gt, "
                  "le, lt, eq)",
                  name, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
        return;
    }
    const struct strlist *stats = &x->p->stat;
    bool fits = stats->count == 0;
    if (fits)
        add_output(r, x, o, o.compare != NULL ? STAT_SUM : quantities[o.quantity].standard, NULL);
    for (size_t i = 0; i < stats->count; i++) {
        for (int s = 0; s < STATS; s++) {
            if (!str_eq(stats->items[i], stat_names[s]) || !stat_fits(&o, (enum stat)s))
                continue;
            add_output(r, x, o, (enum stat)s, stat_names[s]);
            *used |= 1U << s;
            fits = true;
        }
    }
    if (!fits)
        fault_add(&r->faults, "stat", NULL,
                  o.compare != NULL
                      ? "%s has sum, count, first, last and streak only"
                      : "%s has mean, sum (but of temperatures), min, max and count only; first, "
                        "last and streak need a condition like days_low_le_32",
                  name);
}

bool aggregate_outputs(struct api_request *r, struct aggregate *x)
{
    const struct strlist *vars = &x->p->vars, *stats = &x->p->stat;
    unsigned used = 0;
    for (size_t i = 0; i < vars->count; i++)
        add_var(r, x, vars->items[i], &used);
    for (size_t i = 0; vars->count == 0 && i < ARRAY_SIZE(standard_vars); i++)
        add_var(r, x, standard_vars[i], &used);
    for (size_t i = 0; r->faults.count == 0 && i < stats->count; i++) {
        for (int s = 0; s < STATS; s++) {
            if (str_eq(stats->items[i], stat_names[s]) && !(used & 1U << s))
                fault_add(&r->faults, "stat", stats->items[i],
                          "%s applies to none of the variables asked for", stats->items[i]);
        }
    }
    return r->faults.count == 0;
}

bool output_is_day(const struct output *o)
{
    return o->stat == STAT_FIRST || o->stat == STAT_LAST;
}

bool output_has_day(const struct output *o)
{
    return o->stat == STAT_MIN || o->stat == STAT_MAX || o->stat == STAT_STREAK;
}

const char *output_unit(const struct output *o)
{
    if (output_is_day(o))
        return "";
    if (o->compare != NULL || o->stat == STAT_COUNT)
        return "d";
    return quantities[o->quantity].unit;
}
