/* Composes the plan of a native archive endpoint from its parameters and its column table. */
#include "obstream/api/distance.h"
#include "obstream/api/group.h"

#include "obstream/db/copy.h"
#include "obstream/query/sql.h"

#include <string.h>

/* The archive's extent when the database does not tell: older and newer records do not exist. */
enum { FIRST_YEAR = 1700, LAST_YEAR = 2200, CLOSED_AGE_DAYS = 3, WIRE_MAX = COPY_COLUMNS };
enum { OPEN_FRESH = 60, CLOSED_FRESH = 3600 }; /* seconds an answer may be kept */

struct composing {
    struct api_request *r;
    const struct native_params *p;
    const struct archive_spec *spec; /* NULL for rows from memory */
    struct plan *plan;
    const char *wire[WIRE_MAX]; /* columns of the table, by cell */
    Oid oids[WIRE_MAX];
    unsigned wire_count;
    const struct column **chosen;
    size_t chosen_count;
};

static int64_t extent_first(const struct composing *x)
{
    int64_t known = x->r->catalog->first[x->spec->table];
    int64_t oldest = civil_days(FIRST_YEAR, 1, 1) * USEC_PER_DAY;
    return known > oldest ? known : oldest;
}

static int64_t extent_last(const struct composing *x)
{
    int64_t known = x->r->catalog->last[x->spec->table];
    int64_t newest = civil_days(LAST_YEAR, 1, 1) * USEC_PER_DAY;
    int64_t today = x->r->now + 2 * USEC_PER_DAY;
    if (known == INT64_MAX)
        return newest;
    return known > today ? known : today; /* rows may have come since the catalog was read */
}

/* Days are calendar days: midnight in the zone of the request begins the day, whatever the zone. */
static int64_t round_up(const struct native_params *p, int64_t usec, bool days)
{
    int64_t since, until;
    if (!days)
        return usec;
    if (p->tz != NULL)
        usec += tz_offset(p->tz, usec, &since, &until) * USEC_PER_SEC;
    return -floor_div(-usec, USEC_PER_DAY) * USEC_PER_DAY;
}

/* What SQL can say (see sql.h): counting back from the year 1 and zones lead out of it. */
static int64_t within_years(int64_t usec)
{
    int64_t low = civil_days(1, 1, 1) * USEC_PER_DAY,
            high = civil_days(9999, 12, 31) * USEC_PER_DAY;
    return usec < low ? low : usec > high ? high : usec;
}

bool native_window(struct api_request *r, const struct native_params *p, bool days, int64_t *from,
                   int64_t *to)
{
    int64_t newest = p->hours.set  ? p->hours.value * USEC_PER_HOUR
                     : p->days.set ? p->days.value * USEC_PER_DAY
                                   : 0;
    if (p->hours.set && p->days.set)
        fault_add(&r->faults, "days", NULL, "hours and days exclude each other");
    if (newest > 0 && p->sts.set)
        fault_add(&r->faults, p->hours.set ? "hours" : "days", NULL,
                  "hours and days count back from ets or now: leave sts out");
    if (p->ets.set || newest > 0)
        *to = round_up(p, p->ets.set ? p->ets.usec : r->now, days);
    if (newest > 0)
        *from = days ? -floor_div(newest - *to, USEC_PER_DAY) * USEC_PER_DAY : *to - newest;
    else if (p->sts.set)
        *from = round_up(p, p->sts.usec, days);
    if (p->sts.set && p->ets.set && p->sts.usec > p->ets.usec)
        fault_add(&r->faults, "ets", NULL, "ets lies before sts: the window is [sts, ets)");
    *from = within_years(*from);
    *to = within_years(*to);
    return r->faults.count == 0;
}

static const char *column_candidate(const void *ctx, size_t i)
{
    const struct archive_spec *spec = ctx;
    return i < spec->column_count ? spec->columns[i].name : NULL;
}

static void choose(struct composing *x, const struct column *c)
{
    for (size_t i = 0; i < x->chosen_count; i++) {
        if (x->chosen[i] == c)
            return;
    }
    x->chosen[x->chosen_count++] = c;
}

/* Station and time always lead, then what vars asks for, in its order. */
static bool choose_columns(struct composing *x)
{
    const struct archive_spec *spec = x->spec;
    const struct strlist *vars = &x->p->vars;
    x->chosen = arena_array(x->r->arena, spec->column_count, sizeof(*x->chosen));
    if (x->chosen == NULL)
        return err_set(&x->r->err, ERR_TOO_LARGE, "the request needs too much memory");
    for (size_t i = 0; i < spec->column_count; i++) {
        const struct column *c = &spec->columns[i];
        bool local = (c->flags & COLUMN_LOCAL) && x->p->tz != NULL;
        if (i < 2 || (vars->count == 0 && (local || !(c->flags & (COLUMN_EXTRA | COLUMN_LOCAL)))))
            choose(x, c);
    }
    for (size_t i = 0; i < vars->count; i++) {
        const struct column *c = column_find(spec->columns, spec->column_count, vars->items[i]);
        if (c != NULL) {
            choose(x, c);
            continue;
        }
        const char *near = x->r->faults.count < FAULTS_NEAREST
                               ? str_nearest(vars->items[i], column_candidate, spec)
                               : NULL;
        fault_add(&x->r->faults, "vars", vars->items[i], "there is no column \"%.64s\"%s%s%s",
                  vars->items[i], near ? "; did you mean \"" : "", near ? near : "",
                  near ? "\"?" : "");
    }
    return x->r->faults.count == 0;
}

static unsigned wire_cell(struct composing *x, const char *name)
{
    for (unsigned i = 0; i < x->wire_count; i++) {
        if (str_eq(x->wire[i], name))
            return i;
    }
    if (x->wire_count == WIRE_MAX) {
        err_set(&x->r->err, ERR_INTERNAL, "too many columns");
        return 0;
    }
    x->wire[x->wire_count] = name;
    return x->wire_count++;
}

static Oid null_oid(const struct archive_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->column_count; i++) {
        const struct column *c = &spec->columns[i];
        if (c->source != NULL && str_eq(c->source, name) && c->type == CELL_FLOAT4)
            return OID_FLOAT4;
    }
    return OID_TEXT;
}

/* Of an expression of a grouped query. */
static Oid expression_oid(const struct archive_spec *spec, const char *expression)
{
    static const Oid oids[] = {
        [CELL_FLOAT4] = OID_FLOAT4, [CELL_FLOAT8] = OID_FLOAT8,
        [CELL_INT] = OID_INT8,      [CELL_BOOL] = OID_BOOL,
        [CELL_TEXT] = OID_TEXT,     [CELL_INSTANT] = OID_TIMESTAMPTZ,
        [CELL_DAY] = OID_DATE,      [CELL_INTERVAL] = OID_INTERVAL,
    };
    for (size_t i = 0; i < spec->column_count; i++) {
        const struct column *c = &spec->columns[i];
        if (c->source != NULL && str_eq(c->source, expression))
            return oids[c->type];
    }
    return OID_TEXT;
}

static const char *grouped_list(struct composing *x)
{
    struct buf b = BUF_INIT(BUF_LIMIT_SQL);
    for (unsigned i = 0; i < x->wire_count; i++) {
        x->oids[i] = expression_oid(x->spec, x->wire[i]);
        buf_puts(&b, i > 0 ? ", " : "");
        sql_text(&b, x->wire[i]);
        if (i == 0)
            buf_puts(&b, "::text"); /* of any kind of column */
    }
    const char *text = b.failed ? NULL : arena_strdup(x->r->arena, b.data);
    buf_release(&b);
    return text != NULL ? text : "";
}

/* The select list. A column that the operator's table lacks is read as NULL. */
static const char *select_list(struct composing *x)
{
    if (x->spec->group != NULL)
        return grouped_list(x);
    struct buf *b = arena_alloc(x->r->arena, sizeof(*b));
    if (b == NULL)
        return "";
    buf_init(b, BUF_LIMIT_SQL);
    for (unsigned i = 0; i < x->wire_count; i++) {
        if (x->spec->derived != NULL) {
            x->oids[i] = x->spec->derived[i].oid;
            buf_printf(b, "%s%s", i > 0 ? ", " : "", x->wire[i]);
            continue;
        }
        const struct layout_column *c =
            layout_find(&x->r->catalog->layout, x->spec->table, x->wire[i]);
        if (i > 0)
            buf_puts(b, ", ");
        if (x->spec->number != NULL && str_eq(x->wire[i], x->spec->station)) {
            x->oids[i] = OID_TEXT; /* joined, see archive.h */
            sql_text(b, x->spec->station);
        } else if (c == NULL) {
            x->oids[i] = null_oid(x->spec, x->wire[i]);
            buf_puts(b, x->oids[i] == OID_FLOAT4 ? "NULL::float4" : "NULL::text");
        } else if (copy_decodes(c->oid)) {
            x->oids[i] = c->oid;
            sql_text(b, c->name);
        } else {
            x->oids[i] = OID_FLOAT8;
            buf_printf(b, "%s::float8", c->name);
        }
    }
    const char *text = b->failed ? "" : arena_strdup(x->r->arena, b->data);
    buf_release(b);
    return text != NULL ? text : "";
}

/* Blanks that pad a char(n) are no part of the value. */
static void cell_trimmed(const struct computed *c, const struct cell *cells, struct cell *out)
{
    *out = cells[c->in[0]];
    while (out->type == CELL_TEXT && out->len > 0 && out->s[out->len - 1] == ' ')
        out->len--;
}

static bool is_computed(const struct column *c)
{
    return c->fn != NULL || (c->flags & COLUMN_PADDED);
}

static void make_field(struct composing *x, const struct column *c, struct field *f,
                       struct computed *computed)
{
    *f = (struct field){ .name = c->name, .unit = c->unit, .help = c->help, .type = c->type };
    if (c->flags & COLUMN_TRACE)
        f->flags |= FIELD_TRACE;
    if (c->flags & COLUMN_LOCAL)
        f->flags |= FIELD_LOCAL;
    if (!is_computed(c)) {
        f->cell = wire_cell(x, c->source);
        return;
    }
    computed->ctx = x->r;
    computed->fn = c->fn != NULL ? c->fn : cell_trimmed;
    if (c->fn == NULL)
        computed->in[0] = wire_cell(x, c->source);
    for (int i = 0; i < COLUMN_NEEDS && c->needs[i] != NULL; i++)
        computed->in[i] = wire_cell(x, c->needs[i]);
}

/* Computed cells come behind the fetched ones, whose number is known once all fields are made. */
static void place_computed(struct composing *x, struct field *fields, struct computed *computed)
{
    unsigned n = 0;
    for (size_t i = 0; i < x->chosen_count; i++) {
        if (!is_computed(x->chosen[i]))
            continue;
        fields[i].cell = x->wire_count + n;
        computed[n].out = x->wire_count + n;
        n++;
    }
    x->plan->computed = computed;
    x->plan->computed_count = n;
    x->plan->cells = x->wire_count + n;
}

static void station_lon(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct api_request *r = c->ctx;
    const struct cell *id = &cells[c->in[0]];
    const struct station *st = catalog_station(r->catalog, id->s, id->len, NULL);
    double v = st == NULL ? __builtin_nan("") : c->args[0] != 0 ? st->lat : st->lon;
    *out = v == v ? cell_float8(v) : cell_null();
}

static void add_position(struct composing *x, struct computed *computed)
{
    struct plan *p = x->plan;
    for (int lat = 0; lat < 2; lat++) {
        struct computed *c = &computed[p->computed_count++];
        *c = (struct computed){ .fn = station_lon, .out = p->cells, .ctx = x->r };
        c->args[0] = lat;
        *(lat ? &p->shape.lat_cell : &p->shape.lon_cell) = (int)p->cells++;
    }
}

static bool make_fields(struct composing *x)
{
    struct arena *a = x->r->arena;
    size_t n = x->chosen_count;
    struct field *fields = arena_array(a, n, sizeof(*fields));
    struct computed *computed = arena_array(a, n + 2, sizeof(*computed));
    if (fields == NULL || computed == NULL)
        return err_set(&x->r->err, ERR_TOO_LARGE, "the request needs too much memory");
    unsigned made = 0;
    for (const struct derived *d = x->spec->derived; d != NULL && d->name != NULL; d++)
        wire_cell(x, d->name);
    wire_cell(x, x->spec->station);
    wire_cell(x, x->spec->group != NULL ? "obs_period" : x->spec->time);
    for (size_t i = 0; i < n; i++) {
        make_field(x, x->chosen[i], &fields[i], &computed[made]);
        made += is_computed(x->chosen[i]);
    }
    place_computed(x, fields, computed);
    x->plan->shape.fields = fields;
    x->plan->shape.count = n;
    x->plan->shape.lon_cell = x->plan->shape.lat_cell = -1;
    if (x->plan->encoder != NULL && x->plan->encoder->needs_position)
        add_position(x, computed);
    return x->r->err.kind == ERR_NONE;
}

static void window_headers(struct api_request *r, const struct plan *p, int fresh)
{
    struct civil a = civil_from_usec(p->from), b = civil_from_usec(p->to);
    reply_header_add(r, "X-Time-Window",
                     arena_printf(r->arena,
                                  "%04d-%02d-%02dT%02d:%02d:%02dZ/%04d-%02d-%02dT%02d:%02d:%02dZ",
                                  a.year, a.month, a.day, a.hour, a.minute, a.second, b.year,
                                  b.month, b.day, b.hour, b.minute, b.second));
    bool closed = p->to < r->now - CLOSED_AGE_DAYS * USEC_PER_DAY;
    reply_header_add(r, "Cache-Control",
                     arena_printf(r->arena, "public, max-age=%d",
                                  closed      ? CLOSED_FRESH
                                  : fresh > 0 ? fresh
                                              : OPEN_FRESH));
}

static void fill_query(struct composing *x, const struct selection *sel, const char *filter)
{
    const struct archive_spec *spec = x->spec;
    struct plan *plan = x->plan;
    plan->query = (struct archive_query){
        .table = x->r->catalog->layout.tables[spec->table].sql_name,
        .station = spec->station,
        .time = spec->time,
        .time_is_day = spec->time_is_day,
        .collate = !x->r->catalog->layout.c_order[layout_dataset(spec->table)],
        .columns = select_list(x),
        .filter = filter,
        .tie = spec->tie,
        .stations = sel->ids,
        .count = sel->count,
        .all = sel->all,
        .by_time = str_eq(x->p->sort, "time"),
        .descending = str_eq(x->p->order, "desc"),
        .own_order = x->p->radius.set,
        .number = spec->number,
        .numbers = sel->numbers,
    };
    plan->pool = x->r->api->pools[layout_dataset(spec->table)];
    plan->oids = x->oids;
    plan->wire_cells = x->wire_count;
    plan->station_cell = 0;
    plan->time_cell = 1;
    plan->rows_per_day = spec->rows_per_day;
    plan->row_bytes = spec->row_bytes;
}

static struct composing *composing_new(struct api_request *r, const struct native_params *p,
                                       const struct archive_spec *spec)
{
    struct composing *x = arena_alloc(r->arena, sizeof(*x));
    struct plan *plan = arena_alloc(r->arena, sizeof(*plan));
    if (x == NULL || plan == NULL) {
        err_set(&r->err, ERR_TOO_LARGE, "the request needs too much memory");
        return NULL;
    }
    *x = (struct composing){ .r = r, .p = p, .spec = spec, .plan = plan };
    plan->arena = r->arena;
    plan->ctx = r;
    plan->row_limit = p->limit.set ? (uint64_t)p->limit.value : 0;
    r->limited = p->limit.set;
    return x;
}

static bool table_there(struct api_request *r, const struct archive_spec *spec)
{
    if (r->catalog->layout.tables[spec->table].exists)
        return true;
    return err_set(&r->err, ERR_UNAVAILABLE, "the database of this data set (%s) has no archive",
                   dataset_name(layout_dataset(spec->table)));
}

struct plan *native_plan(struct api_request *r, const struct native_params *p,
                         const struct archive_spec *spec, const char *filter)
{
    struct selection sel;
    struct composing *x = composing_new(r, p, spec);
    if (x == NULL || !table_there(r, spec))
        return NULL;
    struct plan *plan = x->plan;
    plan->encoder = native_encoder(r, p);
    plan->from = extent_first(x);
    plan->to = extent_last(x);
    native_window(r, p, spec->time_is_day, &plan->from, &plan->to);
    /* Each step goes on after faults of the one before it: the answer names them all. */
    choose_columns(x);
    select_stations(r, p, spec->belongs, &sel);
    if (r->err.kind != ERR_NONE || !make_fields(x) || !native_shape(r, p, plan) ||
        plan->encoder == NULL)
        return NULL;
    if (p->radius.set && !distance_sort(r, p, sel.ids, sel.count))
        return NULL;
    if (spec->number != NULL && !select_numbered(r, p, spec->belongs, &sel))
        return NULL;
    fill_query(x, &sel, filter);
    if (spec->group != NULL && !native_group(r, p, spec, plan))
        return NULL;
    window_headers(r, plan, spec->fresh);
    return r->err.kind == ERR_NONE && r->faults.count == 0 ? plan : NULL;
}

struct plan *native_memory_plan(struct api_request *r, const struct native_params *p,
                                const struct column *columns, size_t count)
{
    struct archive_spec *spec = arena_alloc(r->arena, sizeof(*spec));
    struct composing *x = spec != NULL ? composing_new(r, p, spec) : NULL;
    if (x == NULL)
        return NULL;
    spec->columns = columns;
    spec->column_count = count;
    struct plan *plan = x->plan;
    plan->encoder = native_encoder(r, p);
    if (!choose_columns(x) || plan->encoder == NULL)
        return NULL;
    struct field *fields = arena_array(r->arena, x->chosen_count, sizeof(*fields));
    for (size_t i = 0; fields != NULL && i < x->chosen_count; i++) {
        const struct column *c = x->chosen[i];
        fields[i] = (struct field){ .name = c->name,
                                    .unit = c->unit,
                                    .help = c->help,
                                    .type = c->type,
                                    .cell = (unsigned)(c - columns) };
    }
    plan->shape = (struct shape){
        .fields = fields, .count = x->chosen_count, .lon_cell = -1, .lat_cell = -1
    };
    plan->from = 0;
    plan->to = 1;
    plan->cells = (unsigned)count;
    return fields != NULL && native_shape(r, p, plan) ? plan : NULL;
}
