# shellcheck shell=bash disable=SC2154
# Part of run.sh: CSV as the IEM's services and obstream print it, and repeated SHEF values.

sql "TRUNCATE asos.alldata"
cat >"$work/asos.txt" <<'END'
#DEBUG: Format Typ    -> comma
#DEBUG: Time Period   -> 2023-02-01 00:00:00+00:00 2023-02-02 00:00:00+00:00
#DEBUG: Time Zone     -> UTC
#DEBUG: Data Contact   -> nobody
#DEBUG: Entries Found -> -1
station,valid,lon,lat,elevation,tmpf,skyc1,skyl1,wxcodes,p01i,peak_wind_time,metar,snowdepth
XTS,2023-02-01 00:00,-93.6,42,290.0,M,M,M,M,M,M,M,M
XTS,2023-02-01 01:00,-93.6,42,290.0,32.01,VV ,200.00,-SN BR,T,2023-02-01 00:12,"KXTS says ""this",3
END
check "asos.py: debug lines, M, T, unquoted text" \
    "$(counts 2 0 0 0 0)" \
    "$(load metar "$work/asos.txt")"
check "and nothing is complained about" "" "$(cat "$work/err")"
check "asos.py: its values" '00:00|||||||
01:00|32.01|VV |200|{-SN,BR}|0.0001|2023-02-01 00:12:00+00|"KXTS says ""this"' \
    "$(sql "SELECT to_char(valid, 'HH24:MI'), tmpf, skyc1, skyl1, wxcodes, p01i, peak_wind_time,
                   metar
            FROM asos.alldata ORDER BY valid")"
check "asos.py: local times are refused" "status 2 1" "$(
    sed 's/+00:00/-06:00/g' "$work/asos.txt" | load metar -
) $(complains 'offset -06:00')"
check "tab separated" "$(counts 1 0 0 0 0) 5" "$(
    printf 'station\tvalid\ttmpf\nXTS\t2023-02-01 05:00\t5.00\n' | load metar -
) $(sql "SELECT tmpf FROM asos.alldata WHERE valid = '2023-02-01 05:00Z'")"
check "obstream: ISO times, a joined list" "$(counts 1 0 0 0 0) {RA,BR}" "$(
    printf '%s\n' station,valid,local_valid,wxcodes \
        "XTS,2023-02-01T06:00:00Z,2023-02-01T00:00:00,RA BR" | load metar -
) $(sql "SELECT wxcodes FROM asos.alldata WHERE valid = '2023-02-01 06:00Z'")"

cat >"$work/coop.txt" <<'END'
# Some title
# Data Period: 2012-07-01 - 2012-07-02
station,station_name,day,doy,high,low,gdd_50_86,highc,temp_estimated
IATDSM,Des Moines Area,2012/07/01,183,97,76,31,36.1,False
IATDSM,Des Moines Area,2012/07/02,184,M,76,M,M,True
END
check "coop.py" 'IATDSM|2012-07-01|97|76|f|0701|2012|7
IATDSM|2012-07-02||76|t|0702|2012|7' "$(
    sed 's/$/\r/' "$work/coop.txt" >"$work/coop.crlf" && load coop "$work/coop.crlf" >"$work/counts"
    sql "SELECT station, day, high, low, temp_estimated, sday, year, month
         FROM coop.alldata ORDER BY 2"
)"

check "hads.py: one column per key" "3 values, $(counts 3 0 0 0 0)" "$(
    printf 'station,utc_valid,HGIRGZZ,PCIRGZZ\nAAAI4,2024-06-01,9.25,\nAAAI4,2024-06-02,1,2\n' |
        load shef -
)"
check "hads.py: rows per value" 'HGIRGZZ|1|9.25 HGIRGZZ|2|1 PCIRGZZ|2|2' "$(
    sql "SELECT key, extract(day FROM valid), value FROM hads.raw ORDER BY 1, 2" | paste -s -d ' '
)"

cat >"$work/shef.csv" <<'END'
station,valid,key,pe,value,unit,depth,unit_convention,qualifier,dv_interval
BBBI4,2024-06-01T00:00:00Z,TBIRGZZ,TB,45.5,degF,4,E,,
BBBI4,2024-06-01T00:00:00Z,TBIRGZZ,TB,47.5,degF,8,E,,
BBBI4,2024-06-01T00:00:00Z,PPVRGZZ,PP,0.0001,in,,E,T,PT6H
BBBI4,2024-06-01T00:00:00Z,PPVRGZZ,PP,1,in,,E,Z,-P1DT2H
BBBI4,2024-06-01T00:00:00Z,HGIRGZZ,HG,9,ft,,E,,
BBBI4,2024-06-01T00:00:00Z,HGIRGZZ,HG,9,ft,,E,,
BBBI4,2024-06-01T00:00:00Z,HGIRGZZ,HG,9.5,ft,,E,,
END
check "a key's repeated values are kept, all of them" \
    "$(counts 7 0 0 0 0)" "$(load shef "$work/shef.csv")"
check "and stay as they are" "$(counts 0 0 7 0 0)" \
    "$(load shef "$work/shef.csv")"
check "intervals of either spelling" "-1 days -02:00:00, 06:00:00" \
    "$(sql "SELECT string_agg(dv_interval::text, ', ' ORDER BY dv_interval) FROM hads.raw")"
check "a newer file replaces a key's values together" \
    "$(counts 0 1 0 0 0) 10 5" "$(
        printf 'station,valid,key,value,depth,unit_convention,qualifier,dv_interval\n%s\n' \
            'BBBI4,2024-06-01 00:00:00+00,HGIRGZZ,10,,E,,' | load shef -
    ) $(sql "SELECT string_agg(value::text, ' ') FILTER (WHERE key = 'HGIRGZZ') || ' ' || count(*)
             FROM hads.raw WHERE station = 'BBBI4'")"

current="station,valid,physical_code,duration,source,type,extremum,probability,value"
check "an older current value does not replace a newer one" \
    "$(counts 1 0 1 0 0) 2" "$(
        printf '%s\n' "$current" "BBBI4,2024-06-01 12:00:00+00,HG,I,R,G,Z,Z,2" \
            "BBBI4,2024-06-01 11:00:00+00,HG,I,R,G,Z,Z,1" | load current_shef -
    ) $(sql "SELECT value FROM iem.current_shef WHERE station = 'BBBI4'")"

printf '%s\n' id,name,west,south,east,north "IA_DCP,Iowa DCP,-96.7,40.3,-90.1,43.6" \
    >"$work/networks.csv"
box="POLYGON((-96.7 40.3,-96.7 43.6,-90.1 43.6,-90.1 40.3,-96.7 40.3))"
check "a network's box becomes text" "$(counts 1 0 0 0 0) $box 0103000020e6100000 t" "$(
    load networks "$work/networks.csv"
) $(sql "SELECT extent_wkt || ' ' || left(extent_ewkb_hex, 18) || ' ' ||
             (length(extent_ewkb_hex) = 2 * (1 + 4 + 4 + 4 + 4 + 5 * 16))::text
             FROM mesosite.networks" | sed 's/true$/t/')"
