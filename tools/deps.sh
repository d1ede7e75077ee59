#!/usr/bin/env bash
# Installs the Debian packages that obstream needs and this machine lacks.
#
#   tools/deps.sh [build] [run] [test] [lint] [fuzz]     (default: all but fuzz)
#
# Looks with dpkg first and calls apt only when something is missing. Uses sudo when not root.
# When it cannot install, it prints the packages and exits 1.
set -eu

declare -A packages=(
    [build]="build-essential pkg-config libpq-dev libmicrohttpd-dev libjansson-dev libcsv-dev
             zlib1g-dev libinih-dev libglib2.0-dev libxlsxwriter-dev
             libminizip-dev"
    [run]="postgresql curl ca-certificates tzdata util-linux"
    [test]="libcmocka-dev python3 curl"
    [fuzz]="clang libclang-rt-dev"
    [lint]="clang clang-tidy clang-format cppcheck shellcheck mandoc python3"
)
# Used where they are found: an architecture or release without them still builds and tests.
declare -A optional=([build]="libisal-dev" [run]="" [test]="postgis" [lint]="" [fuzz]="")

installed()
{
    case $1 in
    postgresql) server_major >/dev/null ;;
    # Ubuntu keeps pkg-config's name for pkgconf; what counts is the program.
    pkg-config) command -v pkg-config >/dev/null ;;
    *) [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ;;
    esac
}

# The newest installed PostgreSQL server's major version, 15 or later.
server_major()
{
    local major
    major=$(for dir in /usr/lib/postgresql/*/bin; do
        [ -x "$dir/initdb" ] && [ -x "$dir/postgres" ] && basename "$(dirname "$dir")"
    done | sort -n | tail -n 1)
    [ -n "$major" ] && [ "$major" -ge 15 ] && echo "$major"
}

postgis_package()
{
    local major
    major=$(server_major) || major=$(apt-cache depends postgresql 2>/dev/null |
        sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p' | head -n 1)
    [ -n "$major" ] && echo "postgresql-$major-postgis-3"
}

as_root()
{
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

apt()
{
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
        -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confold "$@"
}

can_install()
{
    command -v apt-get >/dev/null || { why="this is no Debian or Ubuntu (no apt-get)" && return 1; }
    [ "$(id -u)" = 0 ] && return 0
    command -v sudo >/dev/null || { why="you are not root and there is no sudo" && return 1; }
    as_root true 2>/dev/null || { why="sudo asks for a password or refuses" && return 1; }
}

give_up()
{
    {
        echo "obstream needs these packages, and they could not be installed here: $1"
        echo "Have them installed, then repeat:"
        echo "    apt-get install ${missing[*]}"
    } >&2
    exit 1
}

# Debian's package makes and starts a cluster of its own when it is installed. obstream keeps
# private ones, so that is switched off for this installation only.
install_postgresql()
{
    local conf=/etc/postgresql-common/createcluster.conf status=0
    apt install --no-install-recommends postgresql-common || return
    as_root cp -p "$conf" "$conf.obstream"
    as_root sed -i 's/^[# ]*create_main_cluster *=.*/create_main_cluster = false/' "$conf"
    apt install --no-install-recommends postgresql || status=$?
    as_root mv "$conf.obstream" "$conf"
    return "$status"
}

# A wish that apt does not know is left alone, unless apt knows nothing at all yet.
obtainable()
{
    apt-cache show "$1" >/dev/null 2>&1 ||
        ! find /var/lib/apt/lists -name '*Packages*' 2>/dev/null | grep -q .
}

missing=() wished=() why=""
[ $# -gt 0 ] || set -- build run test lint
for set in "$@"; do
    if [ -z "${packages[$set]+there}" ]; then
        echo "deps.sh: \"$set\" is none of: ${!packages[*]}" >&2
        exit 2
    fi
    for package in ${packages[$set]}; do
        installed "$package" || missing+=("$package")
    done
    for package in ${optional[$set]}; do
        [ "$package" != postgis ] || package=$(postgis_package) || continue
        if ! installed "$package" && obtainable "$package"; then
            wished+=("$package")
        fi
    done
done
if [ ${#missing[@]} = 0 ]; then
    [ ${#wished[@]} -gt 0 ] && can_install || exit 0
fi

can_install || give_up "$why"
echo "deps.sh: installing ${missing[*]} ${wished[*]}" >&2
apt update >&2 || echo "deps.sh: apt-get update failed; trying with what is known" >&2
rest=()
for package in "${missing[@]}"; do
    [ "$package" = postgresql ] || rest+=("$package")
done
[ ${#rest[@]} = 0 ] || apt install --no-install-recommends "${rest[@]}" >&2 ||
    give_up "apt-get failed (its messages are above)"
[ ${#rest[@]} = ${#missing[@]} ] || install_postgresql >&2 ||
    give_up "apt-get failed (its messages are above)"
for package in "${wished[@]}"; do
    apt install --no-install-recommends "$package" >&2 ||
        echo "deps.sh: going on without $package, which is optional" >&2
done
