/* layout=wide: the keys are found first, then rows stream with one column for each. */
#include "common.h"

#include "obstream/db/copy.h"
#include "obstream/query/shef.h"

#include <stdlib.h>
#include <string.h>

struct wide {
    struct strlist keys;
    const struct native_params *params;
    unsigned lead; /* fields before the keys */
};

static bool add_key(void *ctx, const struct cell *cells)
{
    struct plan *p = ctx;
    struct wide *w = (struct wide *)p->ctx;
    strlist_add(&w->keys, p->arena, arena_strndup(p->arena, cells[0].s, cells[0].len));
    return !p->arena->failed;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The keys of the whole selection, by one statement over all its stations and its whole window. */
static bool find_keys(struct plan *p, struct conn *conn, struct err *e)
{
    static const Oid oids[] = { OID_TEXT };
    struct wide *w = (struct wide *)p->ctx;
    const struct archive_query *q = &p->query;
    struct archive_slice slice = { .count = archive_groups(q), .from = p->from, .to = p->to };
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    if (slice.count == 0)
        return true;
    archive_distinct_sql(q, &slice, "key", &sql);
    bool ok = !sql.failed || err_set(e, ERR_INTERNAL, "the statement cannot be built");
    ok = ok && query_rows(conn, sql.data, oids, 1, add_key, p, e);
    buf_release(&sql);
    if (ok && p->arena->failed)
        ok = err_set(e, ERR_TOO_LARGE, "too many keys for a wide table: use layout=long");
    if (ok && w->keys.count > 1)
        qsort(w->keys.items, w->keys.count, sizeof(*w->keys.items), by_text);
    return ok;
}

static void key_field(const struct wide *w, const char *key, unsigned cell, struct field *f)
{
    char pe[3] = { key[0], key[0] != '\0' ? key[1] : '\0', '\0' };
    const struct shef_element *e = shef_element_find(pe);
    *f = (struct field){ .name = key, .type = CELL_FLOAT4, .cell = cell };
    f->unit = e != NULL ? e->unit : "";
    f->help = e != NULL ? e->name : "";
    if (e == NULL || e->metric_unit[0] == '\0' || !strlist_has(&w->params->units, "metric"))
        return;
    f->unit = e->metric_unit;
    f->flags = FIELD_CONVERT;
    f->scale = e->metric_scale;
    f->offset = e->metric_offset;
    f->decimals = e->metric_decimals + 2;
}

/* Runs on a worker before anything is fetched. */
static bool prepare_columns(struct plan *p, struct conn *conn, struct err *e)
{
    struct wide *w = (struct wide *)p->ctx;
    w->keys.count = 0; /* a repetition starts anew */
    if (!find_keys(p, conn, e))
        return false;
    size_t n = w->keys.count;
    struct field *fields = arena_array(p->arena, w->lead + n, sizeof(*fields));
    struct pivot *pivot = arena_alloc(p->arena, sizeof(*pivot));
    if (fields == NULL || pivot == NULL)
        return err_set(e, ERR_TOO_LARGE, "too many keys for a wide table: use layout=long");
    memcpy(fields, p->shape.fields, w->lead * sizeof(*fields));
    *pivot = (struct pivot){
        .key_cell = 2, .value_cell = 3, .keys = w->keys.items, .count = (uint32_t)n, .first_out = 4
    };
    for (size_t k = 0; k < n; k++)
        key_field(w, w->keys.items[k], (unsigned)(pivot->first_out + k), &fields[w->lead + k]);
    p->shape.fields = fields;
    p->shape.count = w->lead + n;
    p->pivot = pivot;
    p->cells = (unsigned)(pivot->first_out + n);
    p->row_bytes = 30 + 6.0 * (double)n;
    return true;
}

bool shef_wide(struct api_request *r, const struct native_params *p)
{
    static const Oid oids[] = { OID_VARCHAR, OID_TIMESTAMPTZ, OID_VARCHAR, OID_FLOAT4 };
    struct plan *plan = r->plan;
    struct wide *w = arena_alloc(r->arena, sizeof(*w));
    struct field *lead = arena_array(r->arena, 3, sizeof(*lead));
    if (p->vars.count > 0)
        fault_add(&r->faults, "vars", NULL,
                  "with layout=wide the columns are the keys: choose "
                  "them by key, pe or pedts");
    if (plan->encoder->needs_position)
        fault_add(&r->faults, "format", plan->encoder->name,
                  "layout=wide has no geojson: use csv, tsv, json or ndjson");
    if (w == NULL || lead == NULL || r->faults.count > 0)
        return false;
    *w = (struct wide){ .params = p, .lead = p->tz != NULL ? 3 : 2 };
    lead[0] = (struct field){ .name = "station", .unit = "", .help = "", .type = CELL_TEXT };
    lead[1] =
        (struct field){ .name = "valid", .unit = "", .help = "", .type = CELL_INSTANT, .cell = 1 };
    lead[2] = lead[1];
    lead[2].name = "local_valid";
    lead[2].flags = FIELD_LOCAL;
    plan->ctx = w;
    plan->prepare = prepare_columns;
    plan->query.columns = "station, valid, key, value";
    plan->oids = oids;
    plan->wire_cells = 4;
    plan->computed_count = 0;
    plan->shape.fields = lead;
    plan->shape.count = w->lead;
    return true;
}
