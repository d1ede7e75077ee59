#include "catalog_private.h"

#include "obstream/core/strutil.h"
#include "obstream/db/copy.h"
#include "obstream/query/sql.h"

#include <math.h>

enum kind { KIND_TEXT, KIND_FLOAT, KIND_INT, KIND_DAY, KIND_TIME, KIND_FLAG, KIND_BOOL };

/* float4 goes through text: widened directly, 293.7 would become 293.7000122. */
static const struct kind_row {
    const char *cast;
    Oid oid;
} kinds[] = {
    [KIND_TEXT] = { "text", OID_TEXT },
    [KIND_FLOAT] = { "text::float8", OID_FLOAT8 },
    [KIND_INT] = { "int8", OID_INT8 },
    [KIND_DAY] = { "date", OID_DATE },
    [KIND_TIME] = { "timestamptz", OID_TIMESTAMPTZ },
    [KIND_FLAG] = { "int4::int8", OID_INT8 }, /* a boolean that may be null */
    [KIND_BOOL] = { "bool", OID_BOOL },
};

struct column {
    const char *name;
    enum kind kind;
    size_t offset;
    bool required;         /* and not null */
    const char *geom;      /* the column that holds it as PostGIS geometry instead, */
    const char *from_geom; /* and how the value comes from that */
};

#define COLUMN(type, field, kind)                                                                  \
    {                                                                                              \
#field, kind, offsetof(type, field), false, NULL, NULL                                     \
    }
#define REQUIRED(type, field)                                                                      \
    {                                                                                              \
#field, KIND_TEXT, offsetof(type, field), true, NULL, NULL                                 \
    }
#define SIGSTAGE(i, name)                                                                          \
    {                                                                                              \
        name, KIND_FLOAT, offsetof(struct station, sigstage) + (i) * sizeof(double), false, NULL,  \
            NULL                                                                                   \
    }
#define FROM_GEOM(type, field, name, kind, geom, sql)                                              \
    {                                                                                              \
        name, kind, offsetof(type, field), false, geom, sql                                        \
    }

static const struct column station_columns[] = {
    REQUIRED(struct station, id),
    REQUIRED(struct station, network),
    COLUMN(struct station, name, KIND_TEXT),
    COLUMN(struct station, state, KIND_TEXT),
    COLUMN(struct station, country, KIND_TEXT),
    COLUMN(struct station, county, KIND_TEXT),
    COLUMN(struct station, wfo, KIND_TEXT),
    COLUMN(struct station, tzname, KIND_TEXT),
    COLUMN(struct station, climate_site, KIND_TEXT),
    COLUMN(struct station, plot_name, KIND_TEXT),
    COLUMN(struct station, ugc_county, KIND_TEXT),
    COLUMN(struct station, ugc_zone, KIND_TEXT),
    COLUMN(struct station, ncdc81, KIND_TEXT),
    COLUMN(struct station, ncei91, KIND_TEXT),
    COLUMN(struct station, wigos, KIND_TEXT),
    COLUMN(struct station, params, KIND_TEXT),
    FROM_GEOM(struct station, lon, "lon", KIND_FLOAT, "geom", "ST_X(geom)"),
    FROM_GEOM(struct station, lat, "lat", KIND_FLOAT, "geom", "ST_Y(geom)"),
    COLUMN(struct station, elevation, KIND_FLOAT),
    COLUMN(struct station, archive_begin, KIND_DAY),
    COLUMN(struct station, archive_end, KIND_DAY),
    COLUMN(struct station, modified, KIND_TIME),
    COLUMN(struct station, iemid, KIND_INT),
    COLUMN(struct station, synop, KIND_INT),
    COLUMN(struct station, remote_id, KIND_INT),
    COLUMN(struct station, nwn_id, KIND_INT),
    COLUMN(struct station, spri, KIND_INT),
    COLUMN(struct station, temp24_hour, KIND_INT),
    COLUMN(struct station, precip24_hour, KIND_INT),
    COLUMN(struct station, metasite, KIND_FLAG),
    { "online", KIND_FLAG, offsetof(struct station, online_value), false, NULL, NULL },
    COLUMN(struct station, online, KIND_BOOL),
    SIGSTAGE(0, "sigstage_low"),
    SIGSTAGE(1, "sigstage_action"),
    SIGSTAGE(2, "sigstage_bankfull"),
    SIGSTAGE(3, "sigstage_flood"),
    SIGSTAGE(4, "sigstage_moderate"),
    SIGSTAGE(5, "sigstage_major"),
    SIGSTAGE(6, "sigstage_record"),
};

static const struct column network_columns[] = {
    REQUIRED(struct network, id),
    COLUMN(struct network, name, KIND_TEXT),
    COLUMN(struct network, tzname, KIND_TEXT),
    COLUMN(struct network, windrose_update, KIND_TIME),
    FROM_GEOM(struct network, extent_wkt, "extent_wkt", KIND_TEXT, "extent", "ST_AsText(extent)"),
    FROM_GEOM(struct network, extent_hex, "extent_ewkb_hex", KIND_TEXT, "extent",
              "encode(ST_AsEWKB(extent), 'hex')"),
};

static const struct column attribute_columns[] = {
    COLUMN(struct station_attribute, iemid, KIND_INT),
    REQUIRED(struct station_attribute, attr),
    COLUMN(struct station_attribute, value, KIND_TEXT),
};

/* One array of the catalog on its way in. */
struct reading {
    struct arena *arena;
    const struct column *columns;
    unsigned column_count;
    char *items;
    size_t count, size;
    bool failed;
};

static void value_store(struct arena *a, enum kind kind, char *to, const struct cell *v)
{
    bool null = v->type == CELL_NULL;
    switch (kind) {
    case KIND_TEXT:
        *(const char **)to = null ? NULL : arena_strndup(a, v->s, v->len);
        break;
    case KIND_FLOAT:
        *(double *)to = null ? NAN : v->f8;
        break;
    case KIND_INT:
    case KIND_DAY:
    case KIND_TIME:
    case KIND_FLAG:
        *(int64_t *)to = null ? INT64_MIN : v->i;
        break;
    case KIND_BOOL:
        *(bool *)to = !null && v->i != 0;
        break;
    }
}

static bool row_store(void *ctx, const struct cell *cells)
{
    struct reading *r = ctx;
    char *grown = catalog_grow(r->items, r->count, r->size);
    r->failed = grown == NULL;
    if (r->failed)
        return false;
    r->items = grown;
    char *item = grown + r->count * r->size;
    memset(item, 0, r->size);
    for (unsigned i = 0; i < r->column_count; i++)
        value_store(r->arena, r->columns[i].kind, item + r->columns[i].offset, &cells[i]);
    r->failed = r->arena->failed;
    r->count += !r->failed;
    return !r->failed;
}

static void column_select(struct buf *sql, const struct layout *l, enum layout_table t,
                          const struct column *c)
{
    const char *from = NULL;
    if (layout_find(l, t, c->name) != NULL)
        from = c->name;
    else if (c->geom != NULL && layout_find(l, t, c->geom) != NULL)
        from = c->from_geom;
    sql_text(sql, from != NULL ? from : "NULL");
    sql_text(sql, "::");
    sql_text(sql, kinds[c->kind].cast);
}

static bool select_build(struct buf *sql, const struct layout *l, enum layout_table t,
                         const struct reading *r, struct err *e)
{
    const char *name = l->tables[t].sql_name, *before = " WHERE ";
    for (unsigned i = 0; i < r->column_count; i++) {
        const struct column *c = &r->columns[i];
        if (c->required && layout_find(l, t, c->name) == NULL)
            return err_set(e, ERR_DATABASE,
                           "table %s has no column \"%s\": it is needed; "
                           "\"obstream schema\" creates tables that have it",
                           name, c->name);
        sql_text(sql, i == 0 ? "SELECT " : ", ");
        column_select(sql, l, t, c);
    }
    sql_text(sql, " FROM ");
    sql_text(sql, name);
    for (unsigned i = 0; i < r->column_count; i++) {
        if (!r->columns[i].required)
            continue;
        sql_text(sql, before);
        sql_text(sql, r->columns[i].name);
        sql_text(sql, " IS NOT NULL");
        before = " AND ";
    }
    return !sql->failed || err_set(e, ERR_INTERNAL, "out of memory");
}

static bool table_read(struct reading *r, const struct layout *l, enum layout_table t,
                       struct conn *conn, struct err *e)
{
    Oid oids[ARRAY_SIZE(station_columns)];
    for (unsigned i = 0; i < r->column_count; i++)
        oids[i] = kinds[r->columns[i].kind].oid;
    struct buf sql = BUF_INIT(BUF_LIMIT_SQL);
    bool ok = select_build(&sql, l, t, r, e) &&
              query_rows(conn, sql.data, oids, r->column_count, row_store, r, e);
    buf_release(&sql);
    if (!ok || !r->failed)
        return ok;
    return err_set(e, ERR_INTERNAL, "out of memory after %zu rows of %s (limit %zu bytes of text)",
                   r->count, l->tables[t].sql_name, r->arena->limit);
}

bool catalog_read_stations(struct catalog *c, struct conn *conn, struct err *e)
{
    struct reading r = { .arena = &c->arena,
                         .columns = station_columns,
                         .column_count = ARRAY_SIZE(station_columns),
                         .size = sizeof(struct station) };
    bool ok = table_read(&r, &c->layout, TABLE_STATIONS, conn, e);
    c->stations = (struct station *)(void *)r.items;
    c->station_count = r.count;
    return ok;
}

/* Hexadecimal digits come in small letters from PostgreSQL, in capital ones from PostGIS. */
static void upper(char *s)
{
    for (; s != NULL && *s != '\0'; s++)
        *s = (char)(*s >= 'a' && *s <= 'f' ? *s - 'a' + 'A' : *s);
}

bool catalog_read_networks(struct catalog *c, struct conn *conn, struct err *e)
{
    struct reading r = { .arena = &c->arena,
                         .columns = network_columns,
                         .column_count = ARRAY_SIZE(network_columns),
                         .size = sizeof(struct network) };
    bool ok = table_read(&r, &c->layout, TABLE_NETWORKS, conn, e);
    c->networks = (struct network *)(void *)r.items;
    c->network_count = r.count;
    for (size_t i = 0; i < r.count; i++)
        upper((char *)c->networks[i].extent_hex); /* made by value_store(), hence not const */
    return ok;
}

bool catalog_read_attributes(struct catalog *c, struct conn *conn, struct err *e)
{
    struct reading r = { .arena = &c->arena,
                         .columns = attribute_columns,
                         .column_count = ARRAY_SIZE(attribute_columns),
                         .size = sizeof(struct station_attribute) };
    bool ok = !c->layout.tables[TABLE_STATION_ATTRIBUTES].exists ||
              table_read(&r, &c->layout, TABLE_STATION_ATTRIBUTES, conn, e);
    c->attributes = (struct station_attribute *)(void *)r.items;
    c->attribute_count = r.count;
    return ok;
}
