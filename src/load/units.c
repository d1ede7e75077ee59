#include "units.h"

#include "obstream/core/buf.h"
#include "obstream/core/strutil.h"
#include "obstream/query/shef.h"
#include "obstream/query/unit.h"

#include <string.h>

struct unit_row {
    const char *unit, *columns; /* comma separated, * at the end for any */
};

/* Columns of one name have one unit in all data sets. */
static const struct unit_row unit_rows[] = {
    { "degF", "tmpf,dwpf,feel,high,low,max_tmpf*,min_tmpf*,max_high,max_low,min_high,min_low,"
              "max_dwpf,min_dwpf,max_feel,avg_feel,min_feel,max_water_tmpf,min_water_tmpf,"
              "coop_tmpf,indoor_tmpf,nldas_soilt4*,era5land_soilt4*" },
    { "in", "p01i,p03i,p06i,p24i,ice_accretion*,snowdepth,precip,max_precip,snow,snowd,snow_swe,"
            "snowd_swe,pday,pmonth,snoww,et_inch" },
    { "kt", "sknt,gust,peak_wind_gust,max_sknt,max_gust,avg_sknt" },
    { "deg", "drct,peak_wind_drct,max_drct,vector_avg_drct,lon,lat" },
    { "ft", "skyl1,skyl2,skyl3,skyl4" },
    { "MJ/m2", "narr_srad,merra_srad,era5land_srad,hrrr_srad,power_srad,srad_mj" },
    { "%", "relh,avg_rh,min_rh,max_rh" },
    { "inHg", "alti" },
    { "mb", "mslp" },
    { "mi", "vsby" },
    { "m", "elevation" },
};

const char *units_of(const char *column)
{
    for (size_t i = 0; i < ARRAY_SIZE(unit_rows); i++) {
        if (word_in(unit_rows[i].columns, column, strlen(column)))
            return unit_rows[i].unit;
    }
    return NULL;
}

bool units_is_line(const struct plan *p, const char *const *fields, unsigned count)
{
    if (count != p->field_count)
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (fields[i] == NULL)
            continue;
        int slot = p->fields[i].slot;
        bool number = strspn(fields[i], "0123456789") == strlen(fields[i]);
        if ((slot >= 0 && p->required[slot]) || number || unit_name(fields[i]) == NULL)
            return false;
    }
    return true;
}

/* What the archive keeps of a field that is loaded; "": no unit. */
static const char *own_unit(const struct plan *p, unsigned field)
{
    const struct plan_field *f = &p->fields[field];
    const char *unit = NULL;
    if (f->slot == FIELD_WIDE) {
        const struct shef_element *element = shef_element_find(f->name);
        unit = element == NULL ? NULL : element->unit;
    } else {
        unit = units_of(p->slots[f->slot]->name);
    }
    return unit == NULL ? "" : unit;
}

static bool same_unit(const char *a, const char *b)
{
    const char *one = unit_name(a), *other = unit_name(b);
    return one != NULL && other != NULL && str_eq(one, other);
}

bool units_check(const struct plan *p, const char *const *fields, struct err *e)
{
    enum { NAMED = 3 };
    unsigned others = 0;
    struct buf text = BUF_INIT(BUF_LIMIT_MESSAGE);
    for (unsigned i = 0; i < p->field_count; i++) {
        if (fields[i] == NULL || p->fields[i].slot == FIELD_IGNORED)
            continue;
        const char *own = own_unit(p, i);
        if (same_unit(own, fields[i]) || ++others > NAMED)
            continue;
        buf_printf(&text, "%s%s in %s, the archive keeps %s", others > 1 ? "; " : "",
                   p->fields[i].name, fields[i], own[0] == '\0' ? "no unit" : own);
    }
    if (others > NAMED)
        buf_printf(&text, "; and %u more", others - NAMED);
    if (others != 0)
        err_set(e, ERR_PARAM,
                "the file is not in the archive's units (%s): download it with units=native",
                text.failed ? "out of memory" : text.data);
    buf_release(&text);
    return others == 0;
}
