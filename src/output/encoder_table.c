/*
 * Table Schema JSON as pandas reads and writes it (orient="table").
 *
 * pandas.read_json() knows number, integer, boolean, string and datetime (with tz), no date and no
 * duration: days are datetimes without a zone, durations and local times (whose offset changes) are
 * strings. extDtype makes it read null in columns of integers and booleans. `unit` is an extension
 * that it leaves aside.
 */
#include "encoder_private.h"

/* The members of a field behind its name. */
static const char *const types[] = {
    [CELL_NULL] = "\"string\"",
    [CELL_FLOAT4] = "\"number\"",
    [CELL_FLOAT8] = "\"number\"",
    [CELL_INT] = "\"integer\",\"extDtype\":\"Int64\"",
    [CELL_BOOL] = "\"boolean\",\"extDtype\":\"boolean\"",
    [CELL_TEXT] = "\"string\"",
    [CELL_INSTANT] = "\"datetime\",\"tz\":\"UTC\"",
    [CELL_DAY] = "\"datetime\"",
    [CELL_INTERVAL] = "\"string\"",
};

static const char *type_members(const struct field *f)
{
    if (f->type == CELL_INT && (f->flags & (FIELD_CONVERT | FIELD_FIXED)))
        return types[CELL_FLOAT8];
    if (f->type == CELL_INSTANT && (f->flags & FIELD_LOCAL))
        return types[CELL_TEXT];
    return types[f->type];
}

static void table_head(const struct shape *shape, struct buf *out)
{
    buf_puts(out, "{\"schema\":{\"fields\":[");
    for (size_t i = 0; i < shape->count; i++) {
        const struct field *f = &shape->fields[i];
        buf_puts(out, i == 0 ? "{\"name\":" : ",{\"name\":");
        encode_json_string(out, f->name, strlen(f->name));
        buf_puts(out, ",\"type\":");
        buf_puts(out, type_members(f));
        if (f->unit[0] != '\0') {
            buf_puts(out, ",\"unit\":");
            encode_json_string(out, f->unit, strlen(f->unit));
        }
        buf_putc(out, '}');
    }
    buf_puts(out, "],\"pandas_version\":\"1.4.0\"},\"data\":[\n");
}

static void table_row(struct encode_state *st, const struct cell *cells, struct buf *out)
{
    if (st->rows > 0)
        buf_add(out, ",\n", 2);
    encode_json_object(st, cells, out);
}

static void table_tail(const struct shape *shape, const struct answer_totals *totals,
                       struct buf *out)
{
    (void)shape;
    encode_json_end(totals, out);
}

const struct encoder encoder_table = {
    .name = "table",
    .mime = "application/vnd.dataresource+json",
    .extension = "json",
    .separator = ",\n",
    .help = "Table Schema JSON, read by pandas.read_json(orient=\"table\"): `schema` with name, "
            "type and unit of each column, `data` with one object a row; `rows` and `truncated` as "
            "in json.",
    .head = table_head,
    .row = table_row,
    .tail = table_tail,
};
