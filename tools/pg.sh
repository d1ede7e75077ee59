# shellcheck shell=bash
# Private PostgreSQL servers for the demo, the tests and the benchmarks; to be sourced.
#
#   pg_find                    sets PG_BIN to the newest server's programs (15 or later)
#   pg_init DATA MODE          makes a cluster; MODE is test, demo or bench (see pg_settings)
#   pg_start DATA SOCKETS      starts it, on a unix socket in SOCKETS only; log: DATA/server.log
#   pg_stop DATA               stops it, if it runs
#   pg_sockets DIR             prints DIR if a socket fits there, else a new folder in /tmp
#   pg_dsn SOCKETS DATABASE    prints a connection string
#
# PostgreSQL refuses to run as root: then the cluster belongs to postgres, or else to nobody.

PG_USER=""
if [ "$(id -u)" = 0 ]; then
    PG_USER=nobody
    getent passwd postgres >/dev/null && PG_USER=postgres
fi

pg_run()
{
    if [ -z "$PG_USER" ]; then
        (cd / && exec "$@")
    else
        (cd / && exec setpriv --reuid "$PG_USER" --regid "$(id -g "$PG_USER")" --clear-groups "$@")
    fi
}

pg_find()
{
    local dir major
    for dir in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -t/ -k5 -rn) \
        "$(pg_config --bindir 2>/dev/null)"; do
        if [ ! -x "$dir/initdb" ] || [ ! -x "$dir/postgres" ]; then
            continue
        fi
        major=$("$dir/postgres" --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')
        if [ "$major" -ge 15 ]; then
            PG_BIN=$dir
            return 0
        fi
    done
    echo "there is no PostgreSQL server 15 or newer here; \"make deps\" installs one" >&2
    return 1
}

# Makes DIR for the cluster's user, or says that this user cannot get there.
pg_folder()
{
    mkdir -p "$1" && chmod 700 "$1" || return
    [ -z "$PG_USER" ] || chown "$PG_USER" "$1" || return
    pg_run test -w "$1"
}

pg_sockets()
{
    # 107 characters are all that a socket's path may have; DSNs want no blanks or quotes.
    if [[ $1 =~ ^[A-Za-z0-9._/-]{1,80}$ ]] && pg_folder "$1" 2>/dev/null; then
        echo "$1"
        return
    fi
    local dir
    dir=$(mktemp -d /tmp/obstream.XXXXXX) && pg_folder "$dir" && echo "$dir"
}

pg_dsn()
{
    echo "host=$1 port=5432 user=obstream dbname=$2"
}

pg_settings()
{
    cat <<-END
	listen_addresses = ''
	port = 5432
	max_connections = 120
	wal_level = minimal
	max_wal_senders = 0
	max_wal_size = 4GB
	synchronous_commit = off
	max_parallel_maintenance_workers = 0
	jit = off
	timezone = 'UTC'
	log_timezone = 'UTC'
	END
    case $1 in
    # What a crash would cost is nothing: these clusters end with the run.
    test) printf '%s\n' "shared_buffers = 128MB" "fsync = off" "full_page_writes = off" ;;
    demo) printf '%s\n' "shared_buffers = 256MB" "maintenance_work_mem = 128MB" ;;
    bench) printf '%s\n' "shared_buffers = 2GB" "maintenance_work_mem = 256MB" "fsync = off" \
        "full_page_writes = off" ;;
    esac
}

pg_init()
{
    pg_folder "$1" || return
    pg_run "$PG_BIN/initdb" -D "$1" -U obstream --auth=trust --encoding=UTF8 --locale=C.UTF-8 \
        --no-sync >/dev/null || return
    pg_settings "$2" | pg_run tee -a "$1/postgresql.conf" >/dev/null
}

pg_start()
{
    pg_run "$PG_BIN/pg_ctl" -s -w -t 60 -D "$1" -l "$1/server.log" -o "-k '$2'" start >&2 || {
        echo "PostgreSQL did not start; the end of $1/server.log:" >&2
        tail -n 20 "$1/server.log" >&2
        return 1
    }
}

pg_running()
{
    pg_run "$PG_BIN/pg_ctl" -D "$1" status >/dev/null 2>&1
}

pg_stop()
{
    ! pg_running "$1" || pg_run "$PG_BIN/pg_ctl" -s -w -t 60 -D "$1" -m "${2:-fast}" stop >&2
}
