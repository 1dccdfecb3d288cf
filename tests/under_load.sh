#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The quick tests again and again while every core has twice as much to do as
# it can: two endless loops per core run beside them. A test that depends on
# how fast the machine is fails here sooner or later.
#
#   tests/under_load.sh [ROUNDS [BUILD_FOLDER [CTEST_OPTIONS..]]]
#
# ROUNDS is 20 and BUILD_FOLDER is build/ of this tree, if not given. One line
# per round on stdout, and the sum; the output of tests that failed on stderr.
# Exit 1 if one failed. LOOPS is how many endless loops run per core: 2, if not
# set, and 0 where others keep the machine busy.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
rounds=${1:-20}
build=${2:-$root/build}
shift $(($# < 2 ? $# : 2))
case $rounds in
'' | *[!0-9]* | 0)
    echo "usage: tests/under_load.sh [ROUNDS [BUILD_FOLDER [CTEST_OPTIONS..]]]" >&2
    exit 2
    ;;
esac
[ -f "$build/CTestTestfile.cmake" ] || {
    echo "$build is not a build folder with tests" >&2
    exit 2
}
cores=$(nproc)
loops_per_core=${LOOPS:-2}

work=$(mktemp -d)
loops=
tests=
# shellcheck disable=SC2086 # lists of process ids
trap 'rm -rf "$work"; [ -z "$loops$tests" ] || kill $loops $tests' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
for _ in $(seq $((loops_per_core * cores))); do
    sh -c 'while :; do :; done' &
    loops="$loops $!"
done

# number NAME: an attribute of the test suite in ctest's JUnit file.
number() {
    tr '\n' ' ' <"$work/junit.xml" |
        sed -n "s/.*<testsuite [^>]*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p"
}

passed=0
failed=0
skipped=0
began=$(date +%s)
round=1
while [ "$round" -le "$rounds" ]; do
    round_began=$(date +%s)
    rm -f "$work/junit.xml"
    ctest --test-dir "$build" -L quick -j "$cores" --output-on-failure \
        --output-junit "$work/junit.xml" "$@" \
        >"$work/log" 2>&1 </dev/null &
    tests=$!
    wait "$tests" || true # in the background, so that a signal is heard
    tests=
    all=$(number tests 2>/dev/null)
    [ "${all:-0}" -gt 0 ] || {
        cat "$work/log" >&2
        echo "ctest did not run any test" >&2
        exit 1
    }
    bad=$(number failures)
    left=$(($(number skipped) + $(number disabled)))
    echo "round $round: $((all - bad - left)) passed, $bad failed," \
        "$left skipped, $(($(date +%s) - round_began)) s"
    [ "$bad" -eq 0 ] || grep -v ' Passed \|Start ' "$work/log" >&2
    passed=$((passed + all - bad - left))
    failed=$((failed + bad))
    skipped=$((skipped + left))
    round=$((round + 1))
done
echo "$rounds rounds: $passed passed, $failed failed, $skipped skipped," \
    "$(($(date +%s) - began)) s, $((loops_per_core * cores)) busy loops on $cores cores"
[ "$failed" -eq 0 ]
