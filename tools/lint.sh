#!/usr/bin/env bash
# The checks that need no running program; prints "ok NAME" or the faults, then a summary line.
#
#   tools/lint.sh [NAME]...      only these checks: layers lengths functions columns banned
#                                machine warnings cppcheck clang_tidy format scripts manuals python
set -eu

cd "$(dirname "$0")/.."
root=$PWD

# Tables of facts: long by nature, kept in columns.
data_tables='^(src/load/facts_[a-z_0-9]*\.c|include/obstream/load/facts\.h)$'
max_file=500 max_header=120 max_function=60 max_p90=40 max_columns=100

mapfile -t c_files < <(find src include tests -name '*.[ch]' | sort)
mapfile -t code < <(printf '%s\n' "${c_files[@]}" | grep -Ev "$data_tables")
mapfile -t layered < <(printf '%s\n' "${c_files[@]}" | grep -E '^(src|include/obstream)/')
mapfile -t scripts < <(grep -rlE '^#!.*\b(ba)?sh\b|^# shellcheck shell=' \
    --exclude-dir=.git --exclude-dir=build --exclude-dir=.demo . | sort)
mapfile -t python < <(find tests tools -name '*.py' | sort)

# Each folder includes only folders of lower rank; obs stands beside db, and load below output.
check_layers()
{
    awk '
    BEGIN {
        split("core conf query db output stream api endpoints http main", order, " ")
        for (i in order)
            rank[order[i]] = i * 10
        rank["compat"] = rank["endpoints"]
        rank["obs"] = rank["query"] + 5
        rank["load"] = rank["db"] + 5
    }
    FNR == 1 {
        n = split(FILENAME, part, "/")
        own = part[n - 1]
    }
    match($0, /^#include "obstream\/[a-z]+\//) {
        other = substr($0, 20, RLENGTH - 20)
        if (own == other || (own == "http" && other == "compat"))
            next
        if (!(own in rank) || !(other in rank) || rank[other] >= rank[own]) {
            printf "%s:%d: %s may not include %s\n", FILENAME, FNR, own, other
            bad = 1
        }
    }
    END { exit bad }' "${layered[@]}"
}

check_lengths()
{
    wc -l "${code[@]}" | awk -v max_file=$max_file -v max_header=$max_header '
        $2 == "total" { next }
        { limit = $2 ~ /^include\// ? max_header : max_file }
        $1 > limit { printf "%s: %d lines, at most %d\n", $2, $1, limit; bad = 1 }
        END { exit bad }'
}

# A function opens with a brace in the first column and closes with one: the style sees to that.
check_functions()
{
    awk -v max=$max_function -v max_p90=$max_p90 '
    /^\{/ { start = FNR; head = last }
    /^\}/ && start {
        n = FNR - start + 1
        sizes[n]++
        count++
        if (n > max) {
            printf "%s:%d: %d lines, at most %d: %s\n", FILENAME, start, n, max, head
            bad = 1
        }
        start = 0
    }
    { if ($0 ~ /^[a-z].*\(/) last = $0 }
    END {
        for (n = 0; seen < 0.9 * count; n++)
            seen += sizes[n]
        if (n - 1 > max_p90) {
            printf "nine of ten functions have up to %d lines, at most %d\n", n - 1, max_p90
            bad = 1
        }
        exit bad
    }' "${code[@]}"
}

check_columns()
{
    # Characters, not bytes.
    LC_ALL=C.UTF-8 awk -v max=$max_columns 'length($0) > max {
        printf "%s:%d: %d columns, at most %d\n", FILENAME, FNR, length($0), max; bad = 1
    }
    END { exit bad }' "${c_files[@]}" "${scripts[@]}" "${python[@]}" Makefile
}

check_banned()
{
    ! grep -nP '(?<![\w.>])(strcpy|strcat|v?sprintf|gets|strtok|alloca|ato[ifl]|atoll)\s*\(' \
        "${layered[@]}"
}

# Paths of the machine it was written on; users' own are none of the tree's business either.
check_machine()
{
    ! { grep -rnIF --exclude-dir=.git --exclude-dir=build --exclude-dir=.demo "$root/" . ||
        grep -rnIE --exclude-dir=.git --exclude-dir=build --exclude-dir=.demo \
            '(^|[^A-Za-z0-9_.}-])/(work|home/[a-z]+|root)/' .; }
}

check_warnings()
{
    make -s -j "$(nproc)" CC=clang BUILD=build/lint CFLAGS="-O1 -g -Werror" all 2>&1
}

check_clang_tidy()
{
    local checks flags
    # Left out: what dislikes every function with two numbers, every sum of narrow numbers and every
    # assignment inside a condition, and what judges the shape of macros. The analyzer's checks of
    # paths across functions cannot know that err_set() always returns false; cppcheck looks there.
    checks=$(tr -d ' \n' <<-END
	-*,bugprone-*,cert-err34-c,misc-redundant-expression,clang-analyzer-deadcode.*,
	clang-analyzer-security.insecureAPI.*,
	-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,
	-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions,
	-bugprone-implicit-widening-of-multiplication-result,
	-bugprone-assignment-in-if-condition,-bugprone-macro-parentheses,
	-bugprone-reserved-identifier,-bugprone-branch-clone,
	-bugprone-not-null-terminated-result,-bugprone-sizeof-expression
	END
    )
    # shellcheck disable=SC2089,SC2090 # the quotes are part of the macros' values
    flags="-std=c11 $(make -s compile-flags) -DOBSTREAM_VERSION=\"\" -DOBSTREAM_SYSCONFDIR=\"\""
    # shellcheck disable=SC2089,SC2090
    flags+=" -DOBSTREAM_DATADIR=\"\""
    # shellcheck disable=SC2090
    export checks flags
    # shellcheck disable=SC2016 # expanded by the inner shell
    printf '%s\n' "${code[@]}" | grep '^src/.*\.c$' | xargs -P "$(nproc)" -n 4 sh -c '
        clang-tidy --quiet --warnings-as-errors="*" --checks="$checks" "$@" -- $flags 2>/dev/null
    ' clang-tidy
}

check_cppcheck()
{
    cppcheck -q -j "$(nproc)" --enable=warning,performance --inline-suppr --std=c11 \
        --error-exitcode=1 --suppress=missingIncludeSystem -D_GNU_SOURCE -DHAVE_ISAL=1 -Iinclude src
}

check_format()
{
    local file places bad=0
    for file in "${code[@]}"; do
        places=$(clang-format --dry-run "$file" 2>&1 | grep -c ' warning: ') || continue
        echo "$file: $places places differ; \"make fmt\" puts them right"
        bad=1
    done
    return "$bad"
}

check_scripts()
{
    shellcheck -x "${scripts[@]}"
}

check_manuals()
{
    local pages
    pages=$(find man -name '*.[158]' | sort)
    [ -n "$pages" ] || { echo "there are no manual pages under man/" && return 1; }
    # shellcheck disable=SC2086 # file names of our own
    mandoc -T lint -W warning $pages
}

check_python()
{
    local file
    for file in "${python[@]}"; do
        python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' "$file" ||
            return 1
    done
}

passed=0 failed=0
[ $# -gt 0 ] || set -- layers lengths functions columns banned machine warnings cppcheck \
    clang_tidy format scripts manuals python
for check in "$@"; do
    if text=$("check_$check" 2>&1); then
        passed=$((passed + 1))
        echo "ok $check"
    else
        failed=$((failed + 1))
        printf 'FAILED %s\n    %s\n' "$check" "${text//$'\n'/$'\n'    }"
    fi
done
echo "lint: $passed checks passed, $failed failed"
[ "$failed" = 0 ]
