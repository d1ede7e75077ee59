#!/usr/bin/env bash
# The demo: a private PostgreSQL and obstreamd over a made-up archive, all below .demo.
#
#   tools/demo.sh start      (make demo)   loads the archive once, starts all, prints curl lines
#   tools/demo.sh stop       (make demo-stop)
#
# .demo/archive holds the cluster (or is a link to it, where root's own folders are closed to the
# user that runs PostgreSQL), .demo/loaded marks a complete load and names what was loaded,
# .demo/obstreamd.pid, .log and .port belong to the server.
set -eu
set -o pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/pg.sh
. "$root/tools/pg.sh"
demo=$root/.demo
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
obstream=$build/obstream
archive=(--stations 60 --years 3 --shef-sites 20 --shef-years 1 --climodat-stations 48
    --climodat-years 40 --seed 1)

fail()
{
    echo "make demo: $1" >&2
    exit 1
}

# The pid of our obstreamd, if it still runs: the file alone may name a process of someone else.
server_pid()
{
    local pid
    pid=$(cat "$demo/obstreamd.pid" 2>/dev/null) || return 1
    case $(readlink "/proc/$pid/exe" 2>/dev/null) in
    */obstreamd | */obstreamd\ \(deleted\)) echo "$pid" ;;
    *) return 1 ;;
    esac
}

server_stop()
{
    local pid
    pid=$(server_pid) || return 0
    kill -TERM "$pid"
    for _ in $(seq 150); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    ! kill -KILL "$pid" 2>/dev/null || echo "obstreamd $pid did not end in time, killed" >&2
    rm -f "$demo/obstreamd.pid"
}

# The real folder of the cluster; made where the cluster's user can get at it.
archive_folder()
{
    if [ -L "$demo/archive" ]; then
        readlink "$demo/archive"
    elif pg_folder "$demo/archive" 2>/dev/null; then
        echo "$demo/archive"
    else
        local dir
        dir=$(mktemp -d /var/tmp/obstream-demo.XXXXXX)
        pg_folder "$dir" || return
        rm -rf "$demo/archive"
        ln -s "$dir" "$demo/archive"
        echo "$dir"
    fi
}

# A cluster that exists keeps its owner, whoever calls.
archive_find()
{
    local owner
    cluster=$(archive_folder)
    owner=$(stat -c %U "$cluster")
    if [ "$(id -u)" = 0 ]; then
        PG_USER=$owner
    elif [ "$owner" != "$(id -un)" ]; then
        fail "$cluster belongs to $owner: run as root, or remove .demo as root"
    fi
}

archive_complete()
{
    [ "$(cat "$demo/loaded" 2>/dev/null)" = "${archive[*]}" ] &&
        pg_run test -s "$cluster/PG_VERSION"
}

# Away with a load that was broken off, or that holds something else.
archive_drop()
{
    rm -f "$demo/loaded"
    pg_stop "$cluster" immediate || true
    find "$cluster" -mindepth 1 -delete
}

archive_start()
{
    archive_find
    if ! archive_complete; then
        archive_drop
        pg_init "$cluster" demo || fail "the database cluster in $cluster could not be made"
    fi
    if pg_running "$cluster"; then
        sockets=$(cat "$demo/sockets")
    else
        sockets=$(pg_sockets "$demo/s")
        echo "$sockets" >"$demo/sockets"
        pg_start "$cluster" "$sockets" || fail "PostgreSQL did not start"
    fi
    dsn=$(pg_dsn "$sockets" obstream)
}

archive_load()
{
    [ ! -e "$demo/loaded" ] || return 0
    echo "Making up the archive (once): 60 METAR stations x 3 years, 20 SHEF sites, climodat"
    "$PG_BIN/psql" -X -q -d "$(pg_dsn "$sockets" postgres)" -c "create database obstream"
    "$obstream" -d "$dsn" schema
    "$obstream" -d "$dsn" synth "${archive[@]}"
    "$PG_BIN/psql" -X -q -d "$dsn" -c "vacuum analyze"
    echo "${archive[*]}" >"$demo/loaded"
}

taken()
{
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Starts obstreamd on the first free port from 8080 and waits until it can serve.
server_start()
{
    local port pid
    for port in $(seq 8080 8180); do
        if taken "$port"; then
            echo "port $port is taken: using $((port + 1))"
            continue
        fi
        rm -f "$demo/obstreamd.port"
        setsid "$build/obstreamd" -o "database.dsn=$dsn" -o "server.port=$port" \
            -o "server.port_file=$demo/obstreamd.port" </dev/null >"$demo/obstreamd.log" 2>&1 &
        pid=$!
        echo "$pid" >"$demo/obstreamd.pid"
        for _ in $(seq 300); do
            if curl -sf -m 5 -o /dev/null "http://127.0.0.1:$port/readyz" &&
                [ -s "$demo/obstreamd.port" ]; then
                url=http://127.0.0.1:$port
                return 0
            fi
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        # Somebody may have taken the port since it was looked at; anything else is final.
        if kill -0 "$pid" 2>/dev/null || ! taken "$port"; then
            break
        fi
    done
    cat "$demo/obstreamd.log" >&2
    fail "obstreamd did not get ready; its log is above"
}

sql()
{
    "$PG_BIN/psql" -X -At -F ' ' -d "$dsn" -c "$1"
}

# Runs one curl line and prints it only when rows came.
example()
{
    local what=$1 query=$2 rows
    rows=$(curl -sSf --compressed "$url$query" | wc -l)
    [ "$rows" -gt 1 ] || fail "$url$query gave no rows"
    printf '\n# %s (%d rows)\ncurl --compressed "%s%s"\n' "$what" $((rows - 1)) "$url" "$query"
}

examples()
{
    local station from to
    read -r station from to < <(sql "select station, to_char(m, 'YYYY-MM-DD'),
        to_char(m + interval '1 month', 'YYYY-MM-DD') from (select station,
        date_trunc('month', max(valid) at time zone 'UTC') - interval '1 month' as m
        from asos.alldata group by station order by (station = 'DSM') desc, station limit 1) s")
    example "METAR: one station, one month" "/api/metar?station=$station&sts=$from&ets=$to"
    read -r station from to < <(sql "select station, to_char(d, 'YYYY-MM-DD'),
        to_char(d + interval '2 days', 'YYYY-MM-DD') from (select station,
        date_trunc('day', max(valid) at time zone 'UTC') - interval '2 days' as d
        from hads.raw group by station order by station limit 1) s")
    example "SHEF: one site, two days" "/api/shef?station=$station&sts=$from&ets=$to"
    read -r station from to < <(sql "select station, to_char(y, 'YYYY-MM-DD'),
        to_char(y + interval '1 year', 'YYYY-MM-DD') from (select station,
        date_trunc('year', max(day)) - interval '1 year' as y from coop.alldata
        group by station order by (station = 'IA0000') desc, station limit 1) s")
    example "climodat: one state, one year" "/api/climodat?station=$station&sts=$from&ets=$to"
}

start()
{
    mkdir -p "$demo"
    server_stop
    archive_start
    archive_load
    server_start
    echo "obstreamd serves $url (log: .demo/obstreamd.log; end it by: make demo-stop)"
    examples
}

stop()
{
    server_stop
    [ -e "$demo/archive" ] || return 0
    archive_find
    pg_stop "$cluster"
    # A socket folder outside .demo is ours to remove; the archive stays for the next start.
    case $(cat "$demo/sockets" 2>/dev/null) in
    /tmp/obstream.*) rm -rf "$(cat "$demo/sockets")" ;;
    esac
}

pg_find || exit 1
case ${1:-} in
start) start ;;
stop) stop ;;
*) echo "usage: tools/demo.sh start | stop" >&2 && exit 2 ;;
esac
