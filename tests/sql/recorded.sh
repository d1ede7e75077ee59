# shellcheck shell=bash disable=SC2154
# Part of run.sh: the recorded archive, every file twice, every value compared with psql's own COPY.

# file, data set, table
recorded="stations stations mesosite.stations
networks networks mesosite.networks
station_attributes station_attributes mesosite.station_attributes
asos_alldata metar asos.alldata
hads_raw shef hads.raw
hads_alldata hads-alldata hads.alldata
coop_alldata coop coop.alldata
coop_alldata_cocorahs cocorahs coop.alldata_cocorahs
ncei_climate91 normals coop.ncei_climate91
current_shef current_shef iem.current_shef
iem_current current iem.current
iem_current_log current_log iem.current_log
iem_summary summary iem.summary"
data=${OBSTREAM_SHARED:-/nowhere}/data

compare()
{
    local file=$1 dataset=$2 table=$3 columns rows
    sql "TRUNCATE $table; DROP TABLE IF EXISTS reference; CREATE TABLE reference (LIKE $table)"
    columns=$(gzip -dc "$data/$file.csv.gz" | head -n 1)
    gzip -dc "$data/$file.csv.gz" |
        "$psql" -X -q -d "$dsn" -c "\\copy reference ($columns) FROM STDIN CSV HEADER"
    rows=$(sql "SELECT count(*) FROM reference")
    check "$file: all rows arrive" "$(counts "$rows" 0 0 0 0)" \
        "$(load --rejects "$work/rejects" "$dataset" "$data/$file.csv.gz")"
    check "$file: again nothing changes" "$(counts 0 0 "$rows" 0 0)" \
        "$(load --rejects "$work/rejects" "$dataset" "$data/$file.csv.gz")"
    check "$file: the table holds what COPY reads" "0 $rows" "$(
        sql "SELECT count(*) FROM (SELECT $columns FROM reference
                                   EXCEPT ALL SELECT $columns FROM $table) x"
    ) $(sql "SELECT count(*) FROM $table")"
}

while read -r file dataset table; do
    if [ -e "$data/$file.csv.gz" ]; then
        compare "$file" "$dataset" "$table"
    else
        skip "$file" "OBSTREAM_SHARED names no folder with data/$file.csv.gz"
    fi
done <<<"$recorded"
