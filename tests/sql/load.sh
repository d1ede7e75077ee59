# shellcheck shell=bash disable=SC2154
# Part of run.sh: what a load makes of good and bad files.

header="station,valid,tmpf,metar,report_type,wxcodes,bogus"
cat >"$work/a.csv" <<END
$header
DSM,2024-01-01 00:00:00+00,12.5,"one, with comma",3,"{-SN,BR}",x
DSM,2024-01-01 00:00:00+00,12.5,at the same minute,1,,x
DSM,2024-01-01 00:53:00+00,,"two
lines ""quoted""",3,{},x
DSM,2024-01-01T01:53:00-06:00,NaN,"",,,x
AMW,2023-12-31 23:59:59.5+00,-0.001,,4,,x
END
check "all rows are new" "$(counts 5 0 0 0 0)" \
    "$(load metar "$work/a.csv")"
check "an unknown column is named once" "1" "$(complains 'none of that name: bogus$')"
check "no file of rejects is left" "no" "$(present "$work/a.csv.rejects")"
check "values arrive as they were" \
    'AMW|2023-12-31 23:59:59.5+00|-0.001||4|
DSM|2024-01-01 00:00:00+00|12.5|at the same minute|1|
DSM|2024-01-01 00:00:00+00|12.5|one, with comma|3|{-SN,BR}
DSM|2024-01-01 00:53:00+00||two\nlines "quoted"|3|{}
DSM|2024-01-01 07:53:00+00|NaN|""||' \
    "$(sql "SELECT station, valid, tmpf, CASE metar WHEN '' THEN '\"\"'
                   ELSE replace(metar, E'\n', '\n') END, report_type, wxcodes
            FROM asos.alldata ORDER BY station, valid, report_type")"
check "again nothing changes" "$(counts 0 0 5 0 0)" \
    "$(load metar "$work/a.csv")"
sed 's/,NaN,/,40,/' "$work/a.csv" | gzip >"$work/b.csv.gz"
check "a newer value wins, and gzip is read" "$(counts 0 1 4 0 0)" \
    "$(load metar "$work/b.csv.gz")"
check "a file that lacks columns leaves them alone" \
    "$(counts 0 1 0 0 0) one, with comma 13" "$(
        printf 'tmpf,report_type,valid,station\n13,3,2024-01-01 00:00Z,DSM\n' | load metar -
    ) $(sql "SELECT metar || ' ' || tmpf FROM asos.alldata WHERE tmpf = 13")"

cat >"$work/bad.csv" <<'END'
station,valid,tmpf,metar
DSM,2024-02-01 00:00:00+00,1,good
DSM,2024-02-01 01:00:00+00,abc,not a number
DSM,2024-02-30 00:00:00+00,1,no such day
DSM,2024-02-01 02:00:00+00,1,too,many
DSM,2024-02-01 03:00:00+00,1,"stray
DSM,2024-02-01 04:00:00+00,1,"good, after a stray quote"
,2024-02-01 05:00:00+00,1,no station
D;M,2024-02-01 05:00:00+00,1,not an id
DSMDSM,2024-02-01 05:00:00+00,1,long id
DSM,0202-02-01 05:00:00+00,1,long ago
DSM,2024-02-01 06:00:00+00,1e39,too large
DSM,2024-02-01 07:00:00+00,2,"never closed
END
check "bad rows are rejected, the others loaded" \
    "$(counts 2 0 0 10 1)" "$(load metar "$work/bad.csv")"
while read -r line reason; do
    check "line $line is rejected: $reason" 1 \
        "$(grep "^$line," "$work/bad.csv.rejects" | grep -c -e "$reason")"
done <<'END'
3 column tmpf: ""abc"" is not a number
4 column valid: ""2024-02-30 00:00:00+00"" is not a time
5 5 fields where the header has 4
6 a quote opens a field
8 column station is empty
9 ""D;M"" is not an id
10 ""DSMDSM"" is too long for its column
11 is before the year 1600
12 ""1e39"" is out of range
13 a quote is open at the end of the file
END
sed -n '1p;2p' "$work/bad.csv" >"$work/mended" && mv "$work/mended" "$work/bad.csv"
check "the rejects of an earlier run go away" "status 0 no" \
    "$(load metar "$work/bad.csv" | grep -o 'status .') $(present "$work/bad.csv.rejects")"

check "a file without its key column is refused" "status 2 1" "$(
    printf 'valid,tmpf\n2024-01-01,1\n' | load metar -
) $(complains 'no column "station"')"
check "an unknown data set has a neighbour" "status 2 1" \
    "$(load metr "$work/a.csv") $(complains 'did you mean metar')"
check "a missing file is told" "status 2 1" \
    "$(load metar "$work/none.csv") $(complains 'No such file')"
gzip -c "$work/a.csv" | head -c 150 >"$work/cut.csv.gz"
check "a gzip file that is cut short is told" "status 2 1" \
    "$(load metar "$work/cut.csv.gz" | grep -o 'status .') $(complains 'cut short')"

sql "INSERT INTO mesosite.stations (id, network, iemid) VALUES ('OLD', 'IA_ASOS', 7)"
cat >"$work/stations.csv" <<'END'
id,network,iemid,name,lon,lat
NEW,IA_ASOS,7,takes an iemid that is taken,-93,42
DSM,IA_ASOS,8,Des Moines,-93.6,41.5
AMW,IA_ASOS,9,"Ames, with comma",-93.6,42
MCW,IA_ASOS,10,off the globe,-193,42
EST,IA_ASOS,8,iemid of this very file,-94,43
END
check "stations that would break a rule are rejected" \
    "$(counts 1 0 0 4 1)" "$(load stations "$work/stations.csv")"
check "also those only the database sees, by line" "2 4 5 6" \
    "$(tail -n +2 "$work/stations.csv.rejects" | cut -d, -f1 | sort -n | paste -s -d ' ')"
check "a station without iemid gets a free one" "$(counts 1 0 0 0 0) 9" "$(
    printf 'id,network\nFOD,IA_ASOS\n' | load stations -
) $(sql "SELECT iemid FROM mesosite.stations WHERE id = 'FOD'")"

# Both want the same rows; the file is long enough for many batches.
awk 'BEGIN { print "station,valid,tmpf"
             for (i = 0; i < 120000; i++)
                 printf "%s,%d-%02d-%02d %02d:%02d:00+00,%d\n", i % 2 ? "DSM" : "AMW",
                        1990 + i % 5, i / 10 % 12 + 1, i / 120 % 28 + 1, i / 3360 % 24,
                        i / 80640 % 60, i % 100 }' >"$work/long.csv"
run load metar "$work/long.csv" >"$work/one" &
one=$!
run load metar "$work/long.csv" >"$work/two"
wait "$one"
check "two loads at once put in every key once" "t" "$(
    sql "SELECT count(*) = count(DISTINCT (station, valid)) AND count(*) > 10000
         FROM asos.alldata WHERE valid < '1995-01-01'"
)"
sql "DELETE FROM asos.alldata WHERE valid < '1995-01-01'"
mkfifo "$work/pipe"
"$obstream" -d "$dsn" load --rejects "$work/r" metar "$work/pipe" >"$work/out" 2>"$work/err" &
loader=$!
exec 3>"$work/pipe"
cat "$work/long.csv" >&3
kill -INT "$loader"
exec 3>&-
status=0
wait "$loader" || status=$?
check "a load that is interrupted fails, and counts what it has stored" "2 t" "$status $(
    stored=$(sed -n 's/.* read, \([0-9]*\) new.*/\1/p' "$work/out")
    sql "SELECT count(*) = ${stored:-0} FROM asos.alldata WHERE valid < '1995-01-01'"
)"
check "and can be loaded to the end" "status 0 t" "$(
    load metar "$work/long.csv" | grep -o 'status .'
) $(
    sql "SELECT count(*) = count(DISTINCT (station, valid)) AND count(*) > 10000
         FROM asos.alldata WHERE valid < '1995-01-01'"
)"
summary='^loaded .*long.csv: 120000 rows read, [0-9]+ new, .* s \([0-9,]+ rows/s\)$'
check "the summary tells rows and rate" "1" "$(grep -cE "$summary" "$work/out")"
check "status counts exactly when asked" "1" "$(
    rows=$(sql "SELECT count(*) FROM asos.alldata")
    run status --exact | grep -cE "^metar +asos.alldata +$rows "
)"
