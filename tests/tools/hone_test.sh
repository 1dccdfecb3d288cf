# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What the shell tests of the program share; sourced. $HONE is the program,
# $HONE_SOURCE the source tree, $work an empty folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Nothing of the user's may be read or written, nothing may add colour.
HOME=$work/home
mkdir "$HOME"
export HOME
# Tests do not wait for each other's device.
HONE_LOCK_DIR=$work
export HONE_LOCK_DIR
unset HONE_DB HONE_CACHE_DIR XDG_DATA_HOME XDG_CACHE_HOME NO_COLOR COLUMNS
# The build folder may be anywhere.
HONE_TEMPLATE_PATH=${HONE_SOURCE:?}/templates
export HONE_TEMPLATE_PATH

json_check=$(dirname "${HONE:?}")/../tests/json_check
# shellcheck disable=SC2034 # used by the tests
fixtures=$here/fixtures

fail() {
    printf 'FAILED: %s\n' "$*"
    printf -- '-- command: %s\n-- exit code: %s\n-- stdout:\n' \
        "${command:-}" "${code:-}"
    head -c 4000 "$work/out" || true
    printf -- '-- stderr:\n'
    head -c 4000 "$work/err" || true
    exit 1
}

# run CODE ARGUMENTS..: the program ends with CODE.
run() {
    expected=$1
    shift
    command="hone $*"
    code=0
    "$HONE" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
    [ "$code" -eq "$expected" ] || fail "expected exit code $expected"
}
out_has() { grep -qF -e "$1" "$work/out" || fail "stdout lacks: $1"; }
err_has() { grep -qF -e "$1" "$work/err" || fail "stderr lacks: $1"; }
out_is() { [ "$(cat "$work/out")" = "$1" ] || fail "stdout is not: $1"; }
out_empty() { [ ! -s "$work/out" ] || fail "stdout should be empty"; }
err_empty() { [ ! -s "$work/err" ] || fail "stderr should be empty"; }
err_lines() {
    [ "$(wc -l <"$work/err")" -eq "$1" ] || fail "stderr should have $1 lines"
}
# run_hint CODE: the command that stderr says to run, as it stands there.
run_hint() {
    hint=$(sed -n 's/.*run: hone //p' "$work/err")
    [ -n "$hint" ] || fail "stderr names no command"
    # shellcheck disable=SC2086 # a list of words
    run "$1" $hint
}
# wait_until WHAT COMMAND..: the command succeeds, within five minutes. A test
# never waits for a time: how long something takes is the machine's affair.
wait_until() {
    what=$1
    shift
    limit=$(($(date +%s) + 300))
    until "$@"; do
        [ "$(date +%s)" -lt "$limit" ] || fail "five minutes, and not yet: $what"
        sleep 0.05
    done
}
# json PATH[=VALUE]..: stdout is JSON with these members.
json() {
    "$json_check" "$@" <"$work/out" >"$work/json" 2>&1 ||
        fail "$(cat "$work/json")"
}
# needs PROGRAM WHAT: the test is skipped without it.
needs() {
    command -v "$1" >/dev/null || {
        echo "$2"
        exit 77
    }
}
# tell_times DB [FACTOR]: all its trials, and those to come, are told their times on the cpu
# device, by one size and, a little, by their names: what this machine measures says
# nothing, and one that is busy would decide what is chosen. FACTOR: SQL of p.dims and
# v.config.
tell_times() {
    told="outcome = 'ok', time_ns = (SELECT (2000.0 + p.dims / 3)
        * (1 + length(v.config) % 7 / 100.0) * (${2:-1})
        FROM session s JOIN problem p USING (problem_id), variant v
        WHERE s.session_id = trial.session_id
            AND v.variant_id = trial.variant_id)
        WHERE outcome IN ('ok', 'unstable')"
    sqlite3 "$1" "UPDATE trial SET $told;
        CREATE TRIGGER told AFTER INSERT ON trial BEGIN
            UPDATE trial SET $told AND trial_id = new.trial_id;
        END"
}
