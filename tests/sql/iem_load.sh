#!/usr/bin/env bash
# Makes the five IEM databases in a private PostgreSQL and fills them from CSV files.
#
#   tests/sql/iem_load.sh SOCKETS DIR         (PSQL names psql)
#
# Columns are taken by each file's header line; a file that DIR lacks leaves its table empty.
set -eu
set -o pipefail

here=$(cd "$(dirname "$0")" && pwd)
sockets=$1 data=$2

sql()
{
    local database=$1
    shift
    PGOPTIONS="-c client_min_messages=warning" "$PSQL" -X -q -v ON_ERROR_STOP=1 "$@" \
        "host=$sockets port=5432 user=obstream dbname=$database"
}

# The rows of DIR/NAME.csv.gz or .csv; nothing at all when there is no such file.
rows()
{
    if [ -e "$data/$1.csv.gz" ]; then
        gzip -dc "$data/$1.csv.gz"
    elif [ -e "$data/$1.csv" ]; then
        cat "$data/$1.csv"
    fi
}

columns()
{
    rows "$1" | awk 'NR == 1'
}

load()
{
    local database=$1 table=$2 file=$3
    [ -z "$(columns "$file")" ] || rows "$file" |
        sql "$database" -c "\\copy $table ($(columns "$file")) from pstdin csv header"
}

# The position comes as two numbers and is kept as a point.
load_stations()
{
    local kept
    kept=$(columns stations | sed 's/,lon,lat//')
    rows stations | sql "$1" -c "create temp table incoming (like stations);
            alter table incoming add lon double precision, add lat double precision" \
        -c "\\copy incoming ($(columns stations)) from pstdin csv header" \
        -c "insert into stations ($kept, geom)
            select $kept, ST_SetSRID(ST_Point(lon, lat), 4326) from incoming"
}

load_networks()
{
    rows networks | sql mesosite -c "create temp table incoming (id text, name text, tzname text,
            extent_wkt text, extent_ewkb_hex text, windrose_update timestamptz)" \
        -c "\\copy incoming ($(columns networks)) from pstdin csv header" \
        -c "insert into networks select id, name, tzname, extent_ewkb_hex::geometry,
            windrose_update from incoming"
}

sql postgres -o /dev/null -f "$here/iem_layout.sql"
load_networks
for database in mesosite asos coop iem; do
    load_stations "$database"
done
load mesosite station_attributes station_attributes
load asos alldata asos_alldata
load hads raw hads_raw
load hads alldata hads_alldata
load coop alldata coop_alldata
load coop ncei_climate91 ncei_climate91
load coop alldata_cocorahs coop_alldata_cocorahs
load iem current_shef current_shef
load iem summary iem_summary
load iem current iem_current
load iem current_log iem_current_log
for database in asos hads coop iem mesosite; do
    sql "$database" -c "vacuum analyze"
done
