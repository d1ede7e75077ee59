/* Cells that the SHEF endpoints compute from the parameter code. */
#include "shef.h"

#include "obstream/core/number.h"

#include <math.h>
#include <string.h>

/* Parts of the parameter code point into the key. */
#define KEY_PART(field)                                                                            \
    void shef_cell_##field(const struct computed *c, const struct cell *cells, struct cell *out)   \
    {                                                                                              \
        const struct cell *key = &cells[c->in[0]];                                                 \
        *out = cell_null();                                                                        \
        if (key->type != CELL_TEXT)                                                                \
            return;                                                                                \
        struct shef_key k = shef_key_split(key->s, key->len);                                      \
        if (k.field##_len > 0)                                                                     \
            *out = cell_text(k.field, k.field##_len);                                              \
    }
KEY_PART(pe)
KEY_PART(duration)
KEY_PART(type)
KEY_PART(source)
KEY_PART(extremum)
KEY_PART(probability)
#undef KEY_PART

static const struct shef_element *key_element(const struct cell *key)
{
    char pe[3] = "";
    if (key->type != CELL_TEXT || key->len < 2)
        return NULL;
    memcpy(pe, key->s, 2);
    return shef_element_find(pe);
}

static bool metric(const struct computed *c)
{
    const struct api_request *r = c->ctx;
    return strlist_has(&r->plan_params->units, "metric");
}

void shef_cell_unit(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct shef_element *e = key_element(&cells[c->in[0]]);
    *out = cell_null();
    if (e == NULL)
        return;
    const char *unit = metric(c) && e->metric_unit[0] != '\0' ? e->metric_unit : e->unit;
    if (unit[0] != '\0')
        *out = cell_text(unit, (uint32_t)strlen(unit));
}

/* The element's conversion; -9999 and below are missing by convention and stay as they are. */
void shef_cell_value(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct shef_element *e = key_element(&cells[c->in[0]]);
    *out = cells[c->in[1]];
    if (e == NULL || !metric(c) || e->metric_unit[0] == '\0' || shef_value_missing(out))
        return;
    double v = out->type == CELL_FLOAT4 ? number_widen(out->f4) : out->f8;
    double scale = pow(10, e->metric_decimals + 2);
    *out = cell_float8(round((v * e->metric_scale + e->metric_offset) * scale) / scale);
}

void shef_cell_element(const struct computed *c, const struct cell *cells, struct cell *out)
{
    const struct shef_element *e = key_element(&cells[c->in[0]]);
    *out = e != NULL ? cell_text(e->name, (uint32_t)strlen(e->name)) : cell_null();
}

bool shef_value_missing(const struct cell *value)
{
    if (value->type == CELL_FLOAT4)
        return !(value->f4 > -9999); /* NaN too */
    return value->type != CELL_FLOAT8 || !(value->f8 > -9999);
}

const char *shef_raw_column(struct api_request *r, const char *name, const char *type)
{
    if (layout_find(&r->catalog->layout, TABLE_HADS_RAW, name) != NULL)
        return name;
    const char *null = arena_printf(r->arena, "NULL::%s", type);
    return null != NULL ? null : "NULL";
}

const char *shef_quality(struct api_request *r)
{
    if (layout_find(&r->catalog->layout, TABLE_HADS_RAW, "qualifier") == NULL)
        return "0";
    return "CASE WHEN qualifier IN ('B', 'R') THEN 2 WHEN qualifier IN ('F', 'Q') THEN 1 ELSE 0 "
           "END";
}
