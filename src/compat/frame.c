#include "compat.h"
#include "frame.h"
#include "pandas.h"

#include "obstream/core/number.h"

#include <math.h>
#include <stdlib.h>

const char *const frame_mimes[] = {
    [FRAME_JSON] = "application/json",
    [FRAME_TXT] = "text/plain; charset=utf-8",
    [FRAME_GEOJSON] = "application/vnd.geo+json",
};

const char *const frame_separators[] = {
    [FRAME_JSON] = ",",
    [FRAME_TXT] = "",
    [FRAME_GEOJSON] = ",\n",
};

/* How a dtype is named in the schema of a JSON table. */
static const struct {
    const char *type, *more;
} schema_types[] = {
    [DTYPE_OBJECT] = { "string", "" }, [DTYPE_STR] = { "string", ",\"extDtype\":\"str\"" },
    [DTYPE_FLOAT] = { "number", "" },  [DTYPE_INT] = { "integer", "" },
    [DTYPE_BOOL] = { "boolean", "" },  [DTYPE_TIMEDELTA] = { "duration", "" },
};

/* The dtype of a column whose values are all there, and of one where some are missing. */
static const struct {
    enum frame_dtype whole, gaps;
} kind_dtypes[] = {
    [FRAME_TEXT] = { DTYPE_STR, DTYPE_STR },
    [FRAME_FLOAT] = { DTYPE_FLOAT, DTYPE_FLOAT },
    [FRAME_INT] = { DTYPE_INT, DTYPE_FLOAT },
    [FRAME_BOOL] = { DTYPE_BOOL, DTYPE_OBJECT },
    [FRAME_STAMP] = { DTYPE_STR, DTYPE_STR },
    [FRAME_MINUTE] = { DTYPE_STR, DTYPE_STR },
    [FRAME_LOCAL] = { DTYPE_STR, DTYPE_STR },
    [FRAME_DAY] = { DTYPE_STR, DTYPE_STR },
    [FRAME_HOUR] = { DTYPE_STR, DTYPE_STR },
    [FRAME_INTERVAL] = { DTYPE_TIMEDELTA, DTYPE_TIMEDELTA },
};

void frame_dtypes(struct frame *f, const uint64_t *values)
{
    for (unsigned i = 0; i < f->count; i++) {
        const struct frame_column *c = &f->columns[i];
        enum frame_dtype d = DTYPE_OBJECT;
        if (values[i] > 0)
            d = values[i] == f->rows ? kind_dtypes[c->kind].whole : kind_dtypes[c->kind].gaps;
        else if (f->rows > 0 && (c->flags & FRAME_STRING))
            d = DTYPE_STR;
        else if (f->rows > 0 && (c->flags & FRAME_NUMBER))
            d = DTYPE_FLOAT;
        f->dtypes[i] = d;
    }
}

static void json_head(const struct frame *f, struct buf *out)
{
    buf_puts(out, "{\"schema\":{\"fields\":[{\"name\":\"index\",\"type\":\"integer\"}");
    for (unsigned i = 0; i < f->count; i++) {
        buf_puts(out, ",{\"name\":");
        frame_put_ascii(out, f->columns[i].name, strlen(f->columns[i].name), true);
        buf_printf(out, ",\"type\":\"%s\"%s}", schema_types[f->dtypes[i]].type,
                   schema_types[f->dtypes[i]].more);
    }
    buf_puts(out, "],\"primaryKey\":[\"index\"],\"pandas_version\":\"1.4.0\"},\"data\":[");
}

static void txt_head(const struct frame *f, struct buf *out)
{
    for (unsigned i = 0; i < f->count; i++) {
        if (i > 0)
            buf_putc(out, ',');
        pandas_add_field(out, f->columns[i].name, strlen(f->columns[i].name), ',');
    }
    buf_putc(out, '\n');
}

static void geojson_head(const struct frame *f, struct buf *out)
{
    if (f->rows == 0) {
        buf_puts(out, "{\"type\": \"FeatureCollection\", \"features\": []}");
        return;
    }
    buf_puts(out, "{\n\"type\": \"FeatureCollection\",\n");
    buf_printf(out, "\"name\": \"pyogrio_%016llx%016llx\",\n", (unsigned long long)f->layer[0],
               (unsigned long long)f->layer[1]);
    buf_puts(out, "\"crs\": { \"type\": \"name\", \"properties\": { \"name\": "
                  "\"urn:ogc:def:crs:OGC:1.3:CRS84\" } },\n\"features\": [\n");
}

void frame_head(const struct frame *f, struct buf *out)
{
    static void (*const heads[])(const struct frame *, struct buf *) = {
        [FRAME_JSON] = json_head, [FRAME_TXT] = txt_head, [FRAME_GEOJSON] = geojson_head
    };
    heads[f->format](f, out);
}

void frame_tail(const struct frame *f, struct buf *out)
{
    if (f->format == FRAME_JSON)
        buf_puts(out, "]}");
    else if (f->format == FRAME_GEOJSON && f->rows > 0)
        buf_puts(out, "\n]\n}\n");
}

static double cell_number(const struct cell *c)
{
    switch (c->type) {
    case CELL_FLOAT4:
        return number_widen(c->f4);
    case CELL_FLOAT8:
        return c->f8;
    case CELL_NULL:
        return NAN;
    default:
        return (double)c->i;
    }
}

/* The text of an instant or day, without quotes. */
static size_t stamp(const struct frame_column *col, const struct cell *c, char *text, size_t room)
{
    int64_t usec = c->type == CELL_DAY ? c->i * USEC_PER_DAY : c->i;
    struct civil t = civil_from_usec(usec);
    if (col->kind == FRAME_HOUR)
        return (size_t)snprintf(text, room, "%02d", t.hour);
    int n = snprintf(text, room, "%04d-%02d-%02d", t.year, t.month, t.day);
    if (col->kind == FRAME_DAY)
        return (size_t)n;
    n += snprintf(text + n, room - (size_t)n, "T%02d:%02d", t.hour, t.minute);
    if (col->kind == FRAME_STAMP)
        n += snprintf(text + n, room - (size_t)n, ":%02d", t.second);
    if (col->kind != FRAME_LOCAL)
        n += snprintf(text + n, room - (size_t)n, "Z");
    return (size_t)n;
}

enum { STAMP_ROOM = 64, PAD_MAX = 16 };

/* A text with the blanks of char(n), which the station table in memory does not keep. */
static const char *padded(const struct frame_column *col, const struct cell *c, char *room,
                          size_t *len)
{
    *len = c->len;
    if (c->len >= col->width || col->width > PAD_MAX)
        return c->s;
    memset(room, ' ', col->width);
    memcpy(room, c->s, c->len);
    *len = col->width;
    return room;
}

static const char *text_of(const struct frame_column *col, const struct cell *c, char *room,
                           size_t *len)
{
    if (col->kind == FRAME_TEXT)
        return padded(col, c, room, len);
    *len = stamp(col, c, room, STAMP_ROOM);
    return room;
}

static void txt_value(const struct frame *f, unsigned i, const struct cell *c, struct buf *out)
{
    char room[STAMP_ROOM];
    size_t len;
    double v;
    switch (f->columns[i].kind) {
    case FRAME_FLOAT:
    case FRAME_INT:
        v = cell_number(c);
        if (f->dtypes[i] == DTYPE_INT)
            buf_add_int(out, c->i);
        else if (v == v)
            pandas_add_float(out, v);
        break;
    case FRAME_BOOL:
        buf_puts(out, c->i != 0 ? "True" : "False");
        break;
    case FRAME_INTERVAL:
        frame_put_interval(out, c->i);
        break;
    default: {
        const char *s = text_of(&f->columns[i], c, room, &len);
        pandas_add_field(out, s, len, ',');
    }
    }
}

static void txt_row(const struct frame *f, uint64_t index, const struct cell *cells,
                    struct buf *out)
{
    (void)index;
    for (unsigned i = 0; i < f->count; i++) {
        if (i > 0)
            buf_putc(out, ',');
        if (cells[i].type != CELL_NULL)
            txt_value(f, i, &cells[i], out);
    }
    buf_putc(out, '\n');
}

static void json_value(const struct frame *f, unsigned i, const struct cell *c, struct buf *out)
{
    bool geo = f->format == FRAME_GEOJSON;
    char room[STAMP_ROOM];
    size_t len;
    switch (f->columns[i].kind) {
    case FRAME_FLOAT:
    case FRAME_INT:
        if (f->dtypes[i] == DTYPE_INT)
            buf_add_int(out, c->i);
        else
            (geo ? frame_put_gdal : frame_put_number)(out, cell_number(c));
        break;
    case FRAME_BOOL:
        buf_puts(out, c->i != 0 ? "true" : "false");
        break;
    case FRAME_INTERVAL:
        buf_putc(out, '"');
        frame_put_interval_iso(out, c->i);
        buf_putc(out, '"');
        break;
    default: {
        const char *s = text_of(&f->columns[i], c, room, &len);
        if (geo)
            encode_json_string(out, s, len);
        else
            frame_put_ascii(out, s, len, true);
    }
    }
}

static void json_member(const struct frame *f, unsigned i, const struct cell *c, struct buf *out)
{
    frame_put_ascii(out, f->columns[i].name, strlen(f->columns[i].name), f->format == FRAME_JSON);
    buf_putc(out, ':');
    if (c->type != CELL_NULL)
        json_value(f, i, c, out);
    else
        buf_puts(out, f->dtypes[i] == DTYPE_TIMEDELTA ? "\"NaT\"" : "null");
}

static void json_row(const struct frame *f, uint64_t index, const struct cell *cells,
                     struct buf *out)
{
    buf_puts(out, "{\"index\":");
    buf_add_int(out, (int64_t)index);
    for (unsigned i = 0; i < f->count; i++) {
        buf_putc(out, ',');
        json_member(f, i, &cells[i], out);
    }
    buf_putc(out, '}');
}

static void put_geometry(const struct frame *f, const struct cell *c, struct buf *out)
{
    if (c->type == CELL_NULL || (!f->outline && c[1].type == CELL_NULL)) {
        buf_puts(out, "null");
    } else if (f->outline) {
        frame_put_wkt(out, c->s, c->len, false);
    } else {
        buf_puts(out, "{\"type\":\"Point\",\"coordinates\":[");
        frame_put_coordinate(out, cell_number(&c[0]));
        buf_putc(out, ',');
        frame_put_coordinate(out, cell_number(&c[1]));
        buf_puts(out, "]}");
    }
}

static void geojson_row(const struct frame *f, uint64_t index, const struct cell *cells,
                        struct buf *out)
{
    (void)index;
    buf_puts(out, "{\"type\":\"Feature\",\"properties\":{");
    for (unsigned i = 0; i < f->count; i++) {
        if (i > 0)
            buf_putc(out, ',');
        json_member(f, i, &cells[i], out);
    }
    buf_puts(out, "},\"geometry\":");
    put_geometry(f, cells + f->count, out);
    buf_putc(out, '}');
}

void frame_row(const struct frame *f, uint64_t index, const struct cell *cells, struct buf *out)
{
    static void (*const rows[])(const struct frame *, uint64_t, const struct cell *,
                                struct buf *) = {
        [FRAME_JSON] = json_row, [FRAME_TXT] = txt_row, [FRAME_GEOJSON] = geojson_row
    };
    rows[f->format](f, index, cells, out);
}
