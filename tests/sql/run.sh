#!/usr/bin/env bash
# Schema and loader against a real database; prints TAP.
#
#   OBSTREAM_DSN=... OBSTREAM=build/obstream tests/sql/run.sh
#
# The database must be empty and is the script's to use; with-postgres provides one. The recorded
# archive is loaded as well where OBSTREAM_SHARED names a folder that holds data/.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
dsn=${OBSTREAM_DSN:-${OBSTREAM_TEST_DSN:?}}
obstream=${OBSTREAM:?}
psql=${PSQL:-psql}
number=0 failures=0
work=$(mktemp -d "${TMPDIR:-/tmp}/obstream.XXXXXX")
trap 'rm -rf "$work"' EXIT

# check NAME WANTED GOT
check()
{
    number=$((number + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $number - $1"
    else
        failures=$((failures + 1))
        echo "not ok $number - $1"
        printf '%s\n' "wanted: $2" "got:    $3" | sed 's/^/# /'
    fi
}

skip()
{
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

sql()
{
    PGOPTIONS="-c timezone=UTC -c client_min_messages=warning" "$psql" -X -q -A -t -d "$dsn" \
        -v ON_ERROR_STOP=1 -c "$1"
}

run()
{
    "$obstream" -d "$dsn" "$@"
}

present()
{
    if [ -e "$1" ]; then echo yes; else echo no; fi
}

# counts NEW CHANGED UNCHANGED REJECTED STATUS: what load() should print
counts()
{
    printf '%s new, %s changed, %s unchanged, %s rejected status %s' "$@"
}

# complains TEXT: how many lines of the last load's complaints hold it
complains()
{
    grep -c -e "$1" "$work/err" || true
}

# load ARGUMENT...: the counts of the summary line and the exit status; complaints in $work/err
load()
{
    local status=0
    run load "$@" >"$work/out" 2>"$work/err" || status=$?
    sed -n 's/^.* rows read, \(.*\) in .*$/\1/p' "$work/out" | tr '\n' ' '
    echo "status $status"
}

# shellcheck source=tests/sql/schema.sh
. "$here/schema.sh"
# shellcheck source=tests/sql/load.sh
. "$here/load.sh"
# shellcheck source=tests/sql/mirror.sh
. "$here/mirror.sh"
# shellcheck source=tests/sql/recorded.sh
. "$here/recorded.sh"

echo "1..$number"
[ "$failures" = 0 ]
