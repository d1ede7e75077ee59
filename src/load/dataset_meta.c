#include "dataset_columns.h"

const struct load_column station_columns[38] = {
    { "id", VALUE_ID, 0, 64, "station,sid" },
    { "synop", VALUE_INT4, 0, 0, NULL },
    { "name", VALUE_TEXT, COL_NO_COMMA, 64, "sname,station_name" },
    { "state", VALUE_CHAR, 0, 2, NULL },
    { "country", VALUE_CHAR, 0, 2, NULL },
    { "elevation", VALUE_FLOAT4, 0, 0, "elev" },
    { "network", VALUE_ID, 0, 20, NULL },
    { "online", VALUE_BOOL, 0, 0, NULL },
    { "params", VALUE_TEXT, 0, 300, NULL },
    { "county", VALUE_TEXT, 0, 50, NULL },
    { "plot_name", VALUE_TEXT, 0, 64, NULL },
    { "climate_site", VALUE_TEXT, 0, 6, NULL },
    { "remote_id", VALUE_INT4, 0, 0, NULL },
    { "nwn_id", VALUE_INT4, 0, 0, NULL },
    { "spri", VALUE_INT2, 0, 0, NULL },
    { "wfo", VALUE_TEXT, 0, 3, NULL },
    { "archive_begin", VALUE_DAY, 0, 0, NULL },
    { "archive_end", VALUE_DAY, 0, 0, NULL },
    { "modified", VALUE_INSTANT, 0, 0, NULL },
    { "tzname", VALUE_TEXT, 0, 32, NULL },
    { "iemid", VALUE_INT4, COL_NOT_NULL, 0, NULL },
    { "metasite", VALUE_BOOL, 0, 0, NULL },
    { "sigstage_low", VALUE_FLOAT4, 0, 0, NULL },
    { "sigstage_action", VALUE_FLOAT4, 0, 0, NULL },
    { "sigstage_bankfull", VALUE_FLOAT4, 0, 0, NULL },
    { "sigstage_flood", VALUE_FLOAT4, 0, 0, NULL },
    { "sigstage_moderate", VALUE_FLOAT4, 0, 0, NULL },
    { "sigstage_major", VALUE_FLOAT4, 0, 0, NULL },
    { "sigstage_record", VALUE_FLOAT4, 0, 0, NULL },
    { "ugc_county", VALUE_CHAR, 0, 6, NULL },
    { "ugc_zone", VALUE_CHAR, 0, 6, NULL },
    { "ncdc81", VALUE_TEXT, 0, 11, NULL },
    { "ncei91", VALUE_TEXT, 0, 11, NULL },
    { "temp24_hour", VALUE_INT2, 0, 0, NULL },
    { "precip24_hour", VALUE_INT2, 0, 0, NULL },
    { "wigos", VALUE_TEXT, 0, 64, NULL },
    { "lon", VALUE_FLOAT8, COL_LON, 0, "longitude" },
    { "lat", VALUE_FLOAT8, COL_LAT, 0, "latitude" },
};

const struct load_column network_columns[10] = {
    { "id", VALUE_ID, 0, 12, "network" },
    { "name", VALUE_TEXT, 0, 0, NULL },
    { "tzname", VALUE_TEXT, 0, 32, NULL },
    { "windrose_update", VALUE_INSTANT, 0, 0, NULL },
    { "extent_west", VALUE_FLOAT8, COL_LON, 0, "west" },
    { "extent_south", VALUE_FLOAT8, COL_LAT, 0, "south" },
    { "extent_east", VALUE_FLOAT8, COL_LON, 0, "east" },
    { "extent_north", VALUE_FLOAT8, COL_LAT, 0, "north" },
    { "extent_wkt", VALUE_TEXT, 0, 0, NULL },
    { "extent_ewkb_hex", VALUE_TEXT, 0, 0, "extent" },
};

const struct load_column attribute_columns[3] = {
    { "iemid", VALUE_INT4, 0, 0, NULL },
    { "attr", VALUE_TEXT, 0, 128, NULL },
    { "value", VALUE_TEXT, 0, 0, NULL },
};

const struct load_column threading_columns[4] = {
    { "iemid", VALUE_INT4, 0, 0, NULL },
    { "source_iemid", VALUE_INT4, 0, 0, NULL },
    { "begin_date", VALUE_DAY, 0, 0, NULL },
    { "end_date", VALUE_DAY, 0, 0, NULL },
};
