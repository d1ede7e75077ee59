#!/usr/bin/env bash
# Fetches the viewer that /docs serves into a folder: tools/docs.sh FOLDER
#
# Takes exactly what tools/docs/package-lock.json names, by npm, and runs no script of the package.
# Without npm, or when its registry cannot be reached, the files are empty: /docs then is the plain
# page that obstreamd makes itself.
set -eu

here=$(cd "$(dirname "$0")" && pwd)/docs
out=$1
files=(swagger-ui-bundle.js swagger-ui.css LICENSE)

fetch()
{
    command -v npm >/dev/null || { why="npm is not installed" && return 1; }
    rm -rf "$out/npm"
    mkdir -p "$out/npm"
    cp "$here/package.json" "$here/package-lock.json" "$out/npm"
    why="npm failed, see $out/npm.log"
    timeout 120 npm --prefix "$out/npm" ci --ignore-scripts --no-audit --no-fund --omit=dev \
        --fetch-retries=1 --fetch-timeout=20000 >"$out/npm.log" 2>&1 </dev/null || return 1
    for file in "${files[@]}"; do
        cp "$out/npm/node_modules/swagger-ui-dist/$file" "$out/$file" || return 1
    done
    cat "$out/npm/node_modules/swagger-ui-dist/NOTICE" >>"$out/LICENSE" || return 1
    rm -rf "$out/npm"
}

mkdir -p "$out"
if ! fetch; then
    echo "note: /docs will be a plain page, without a viewer: $why" >&2
    for file in "${files[@]}"; do
        : >"$out/$file"
    done
fi
touch "$out/stamp"
