# shellcheck shell=bash disable=SC2154
# Part of run.sh: migrations, partitions, functions.

check "load without a schema names the remedy" "status 2, obstream schema" \
    "$(printf 'station,valid\n' | load metar -), $(grep -o 'obstream schema$' "$work/err")"

run schema >"$work/first" &
first=$!
run schema >"$work/second"
wait "$first"
check "two at once apply each migration once" "$(cd "$here/../../sql" && echo ./*.sql | wc -w)" \
    "$(cat "$work/first" "$work/second" | grep -c '^applied')"
check "again there is nothing to do" "the schema is up to date" "$(run schema)"
check "every migration is recorded with its checksum" "0" \
    "$(sql "SELECT count(*) FROM obstream.schema_version WHERE checksum !~ '^[0-9a-f]{32}$'")"

sql "UPDATE obstream.schema_version SET checksum = 'x' WHERE version = 20"
check "another text under a known number is refused" "has another migration 020_asos" \
    "$(run schema 2>&1 >"$work/out" | grep -o 'has another migration 020_asos' || true)"
sql "UPDATE obstream.schema_version SET checksum = md5('') WHERE version = 20"
sql "DELETE FROM obstream.schema_version WHERE version = 20"
check "a failing migration is rolled back and named" "migration 020_asos was not applied" \
    "$(run schema 2>&1 >"$work/out" | grep -o 'migration 020_asos was not applied' || true)"
sql "DROP SCHEMA asos CASCADE; DELETE FROM obstream.partitioning WHERE parent LIKE 'asos.%'"
check "a missing migration is applied alone" "applied 020_asos" "$(run schema)"

check "yearly partitions are made once" "3 0" "$(
    sql "SELECT obstream.ensure_partitions('asos.alldata', '2019-12-31 23:59Z', '2021-01-01Z')"
) $(sql "SELECT obstream.ensure_partitions('asos.alldata', '2020-01-01Z', '2020-06-01Z')")"
check "their bounds are at 00 UTC" \
    "FOR VALUES FROM ('2020-01-01 00:00:00+00') TO ('2021-01-01 00:00:00+00')" \
    "$(sql "SELECT pg_get_expr(relpartbound, oid) FROM pg_class
            WHERE oid = 'asos.t2020'::regclass")"
check "monthly ones are named by month" "raw2031_12 raw2032_01" "$(
    sql "SELECT FROM obstream.ensure_partitions('hads.raw', '2031-12-31 23:00Z', '2032-01-01Z')" |
        grep . || true
    sql "SELECT string_agg(relid::regclass::text, ' ' ORDER BY relid::regclass::text)
         FROM pg_partition_tree('hads.raw') WHERE isleaf" | sed 's/hads\.//g'
)"
check "climodat is cut by state" "1 0" "$(
    sql "SELECT obstream.ensure_partition('coop.alldata', 'IATDSM')"
) $(sql "SELECT obstream.ensure_partition('coop.alldata', 'IA0000')")"
check "an id without a state is refused" "1" "$(
    sql "SELECT obstream.ensure_partition('coop.alldata', 'i\"x')" 2>&1 | grep -c 'does not start'
)"
sql "DROP TABLE hads.raw2031_12, hads.raw2032_01, coop.alldata_ia;
     DROP TABLE asos.t2019, asos.t2020, asos.t2021"

check "Fahrenheit to Celsius" "0 100 -40" \
    "$(sql "SELECT concat_ws(' ', f2c(32), f2c(212), f2c(-40))")"
check "growing degree days hold both ends within the bounds" "30.5 0 36 t" "$(
    sql "SELECT concat_ws(' ', trim_scale(gddxx(50, 86, 102, 75)),
                          trim_scale(gddxx(50, 86, 40, 30)), trim_scale(gddxx(50, 86, 110, 90)),
                          gddxx(50, 86, NULL, 75) IS NULL)"
)"
