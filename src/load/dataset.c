#include "dataset.h"

#include "dataset_columns.h"
#include "obstream/core/strutil.h"

#include <string.h>
#include <strings.h>

#define COLUMNS(a) .columns = (a), .count = ARRAY_SIZE(a)

/* What services print beside the columns of a table. */
#define PLACE "lon,lat,longitude,latitude,elevation,name,station_name,network,state,country,county"
#define LOCAL "local_valid,utc_offset,tz,tzname"

#define SHEF_KEY "station,valid,key,depth,unit_convention,qualifier,dv_interval"
#define CURRENT_SHEF_KEY                                                                           \
    "station,physical_code,duration,source,type,extremum,probability,depth,dv_interval,"           \
    "qualifier,unit_convention"

static const struct load_dataset datasets[] = {
    { .name = "stations",
      .help = "stations with position and zone",
      .table = "mesosite.stations",
      COLUMNS(station_columns),
      .key = "id,network",
      .required = "id,network",
      .second_key = "iemid",
      .ignored = "combo,attributes,time_domain,geom,geometry,begin,end,first,last,count",
      .after = "SELECT setval('mesosite.iemid_seq', greatest(nextval('mesosite.iemid_seq'),"
               " (SELECT max(iemid) FROM mesosite.stations)))" },
    { .name = "networks",
      .help = "networks with their extent",
      .table = "mesosite.networks",
      COLUMNS(network_columns),
      .key = "id",
      .required = "id",
      .ignored = "stations,online,count,begin,end,first,last,geometry",
      .after = "SELECT obstream.networks_complete()" },
    { .name = "station_attributes",
      .help = "attributes of stations by iemid",
      .table = "mesosite.station_attributes",
      COLUMNS(attribute_columns),
      .key = "iemid,attr",
      .required = "iemid,attr" },
    { .name = "station_threading",
      .help = "which stations continue each other",
      .table = "mesosite.station_threading",
      COLUMNS(threading_columns),
      .key = "iemid,source_iemid,begin_date",
      .required = "iemid,source_iemid" },
    { .name = "metar",
      .help = "METAR archive",
      .table = "asos.alldata",
      COLUMNS(metar_columns),
      .key = "station,valid,report_type,metar",
      .required = "station,valid",
      .partition = PARTITION_YEAR,
      .id = "station",
      .time = "valid",
      .ignored = PLACE "," LOCAL },
    { .name = "shef",
      .help = "SHEF archive, long or one column per key",
      .table = "hads.raw",
      COLUMNS(shef_columns),
      .key = SHEF_KEY,
      .required = "station,valid,key",
      .partition = PARTITION_MONTH,
      .multiset = true,
      .wide = true,
      .id = "station",
      .time = "valid",
      .ignored = PLACE "," LOCAL ",pe,duration,type,source,extremum,probability,unit" },
    { .name = "hads-alldata",
      .help = "hourly temperature and wind out of SHEF",
      .table = "hads.alldata",
      COLUMNS(hads_columns),
      .key = "station,valid",
      .required = "station,valid",
      .partition = PARTITION_YEAR,
      .id = "station",
      .time = "valid",
      .ignored = PLACE "," LOCAL },
    { .name = "coop",
      .help = "daily climate archive (climodat)",
      .table = "coop.alldata",
      COLUMNS(coop_columns),
      .key = "station,day",
      .required = "station,day",
      .partition = PARTITION_PREFIX,
      .id = "station",
      .time = "day",
      .day_parts = true,
      .ignored = PLACE ",doy,avg,gdd*,hdd*,cdd*,sdd*,highc,lowc,precipmm,era5land_soilt4_avg" },
    { .name = "cocorahs",
      .help = "CoCoRaHS observations",
      .table = "coop.alldata_cocorahs",
      COLUMNS(cocorahs_columns),
      .key = "iemid,day",
      .required = "iemid,day",
      .partition = PARTITION_YEAR,
      .id = "iemid",
      .time = "day" },
    { .name = "normals",
      .help = "daily normals and records",
      .table = "coop.ncei_climate91",
      .siblings = "coop.climate51",
      COLUMNS(climate_columns),
      .key = "station,valid",
      .required = "station,valid" },
    { .name = "current_shef",
      .help = "newest SHEF values",
      .table = "iem.current_shef",
      COLUMNS(shef_now_columns),
      .key = CURRENT_SHEF_KEY,
      .required = "station,valid,physical_code",
      .newest = "valid",
      .ignored = PLACE "," LOCAL },
    { .name = "current",
      .help = "newest observation of each station",
      .table = "iem.current",
      COLUMNS(current_columns),
      .key = "iemid",
      .required = "iemid",
      .newest = "valid" },
    { .name = "current_log",
      .help = "recent observations",
      .table = "iem.current_log",
      COLUMNS(current_columns),
      .key = "iemid,valid,updated",
      .required = "iemid,valid",
      .id = "iemid",
      .time = "valid" },
    { .name = "summary",
      .help = "daily summaries by iemid",
      .table = "iem.summary",
      COLUMNS(summary_columns),
      .key = "iemid,day",
      .required = "iemid,day",
      .partition = PARTITION_YEAR,
      .id = "iemid",
      .time = "day" },
};

const struct load_dataset *dataset_at(size_t i)
{
    return i < ARRAY_SIZE(datasets) ? &datasets[i] : NULL;
}

const struct load_dataset *dataset_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(datasets); i++) {
        if (str_eq(datasets[i].name, name))
            return &datasets[i];
    }
    return NULL;
}

bool word_in(const char *list, const char *word, size_t len)
{
    while (list != NULL && *list != '\0') {
        size_t n = strcspn(list, ",");
        bool any = n > 0 && list[n - 1] == '*';
        size_t fixed = any ? n - 1 : n;
        if ((any ? len >= fixed : len == fixed) && strncasecmp(list, word, fixed) == 0)
            return true;
        list += n + (list[n] == ',');
    }
    return false;
}

int dataset_column(const struct load_dataset *d, const char *name, size_t len)
{
    for (unsigned i = 0; i < d->count; i++) {
        const char *own = d->columns[i].name;
        if (strlen(own) == len && strncasecmp(own, name, len) == 0)
            return (int)i;
    }
    for (unsigned i = 0; i < d->count; i++) {
        if (word_in(d->columns[i].aliases, name, len))
            return (int)i;
    }
    return -1;
}

bool dataset_ignores(const struct load_dataset *d, const char *name, size_t len)
{
    return word_in(d->ignored, name, len);
}

/* Is `table` the qualified name of `len` characters, or its part after the point? */
static bool table_matches(const char *qualified, size_t len, const char *table)
{
    const char *point = memchr(qualified, '.', len);
    size_t bare = (size_t)(qualified + len - point) - 1;
    size_t n = strlen(table);
    return (n == len && memcmp(qualified, table, len) == 0) ||
           (n == bare && memcmp(point + 1, table, bare) == 0);
}

const char *dataset_table(const struct load_dataset *d, const char *table, size_t *len)
{
    *len = strlen(d->table);
    if (table == NULL || table_matches(d->table, *len, table))
        return d->table;
    for (const char *s = d->siblings; s != NULL && *s != '\0'; s += *len + (s[*len] == ',')) {
        *len = strcspn(s, ",");
        if (table_matches(s, *len, table))
            return s;
    }
    return NULL;
}
