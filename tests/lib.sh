# shellcheck shell=bash
# What the scripts of the tests share; to be sourced.

# What gcc's and clang's sanitizers print, each at the head of a report.
# shellcheck disable=SC2034 # used by those who source this
sanitizer_words='(ERROR|WARNING): [A-Za-z]+Sanitizer|runtime error:|Sanitizer:DEADLYSIGNAL'

die()
{
    echo "$(basename "$0"): $1" >&2
    exit 2
}

# The comment at the head of a script is its help.
usage()
{
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$1"
}

# A log, shortened in the middle and saying so.
excerpt()
{
    local lines
    lines=$(wc -l <"$1")
    if [ "$lines" -le 200 ]; then
        cat "$1"
    else
        head -n 120 "$1"
        echo "... $((lines - 180)) lines left out ..."
        tail -n 60 "$1"
    fi
}

# Runs a command whose output matters only when it fails.
quietly()
{
    local status=0 text
    text=$("$@" 2>&1) || status=$?
    [ "$status" = 0 ] || printf '%s: "%s" failed with status %s:\n%s\n' "$(basename "$0")" "$*" \
        "$status" "$text" >&2
    return "$status"
}

# Ends a child of this shell by SIGTERM, after SECONDS by SIGKILL; returns its exit status.
stop()
{
    local pid=$1 tenths=${2:-10}0 status=0
    [ -n "$pid" ] || return 0
    kill -TERM "$pid" 2>/dev/null || true
    while [ "$tenths" -gt 0 ] && kill -0 "$pid" 2>/dev/null; do
        sleep 0.1
        tenths=$((tenths - 1))
    done
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || status=$?
    return "$status"
}

# Runs a command so that a signal to this script reaches it too (see the variable `command`), with
# its standard input and with SIGINT, which background jobs ignore, as usual.
run_command()
{
    local status=0
    env --default-signal=INT,QUIT "$@" <&0 &
    command=$!
    wait "$command" || status=$?
    command=""
    return "$status"
}
