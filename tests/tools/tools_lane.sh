#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A list of problems on one device: rows in its order as they come, one compile farm and one
# lane for all of them, what is learned on the way, Ctrl-C and going on, and a lane that ends.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
command -v sqlite3 >/dev/null || {
    echo "sqlite3 is not installed"
    exit 77
}
cd "$work"
HONE_CACHE_DIR=$work/cache
HONE_DB=$work/hone.db
export HONE_CACHE_DIR HONE_DB
ask() { sqlite3 "$HONE_DB" "$1"; }
ask_is() { [ "$(ask "$1")" = "$2" ] || fail "$1: $(ask "$1"), not $2"; }
n_trials() { ask "select count(*) from trial" 2>/dev/null || echo 0; }
# shellcheck disable=SC2317 # wait_until calls it
has() { [ -e hone.db ] && [ "$(n_trials)" -ge "$1" ]; }
printf 'saxpy %s\n' 9001 300 100003 5003 >list
tune="tune saxpy/stream --shapes list --no-portfolio --device cpu"

# ---- while it runs: one lane, one farm, from the first problem to the last --------------
# shellcheck disable=SC2086 # a list of words, here and below
"$HONE" $tune --budget 6 --jobs 1 --format json >tune.out 2>tune.err &
tuner=$!
wait_until "trials of the first problem" has 2
first=$(pgrep -P "$tuner" -x 'hone-lane|hone-compile' | sort)
wait_until "trials of the third problem" has 14
last=$(pgrep -P "$tuner" -x 'hone-lane|hone-compile' | sort)
code=0
wait "$tuner" || code=$?
cp tune.out out
cp tune.err err
[ "$code" -eq 0 ] || fail "it ends with $code"
[ "$(echo "$first" | wc -l)" -eq 2 ] || fail "not a lane and a compile process: $first"
[ "$first" = "$last" ] || fail "they started anew: $first, then $last"
json shapes.0.dims.0=9001 shapes.1.dims.0=300 shapes.2.dims.0=100003 \
    shapes.3.dims.0=5003 shapes.3.trials=6
! grep -qE '"devices"|"on"' out || fail "one device is spoken of as several"
ask_is "select count(*) from trial" 24
ask_is "select count(distinct problem_id) from winner_v1" 4
ask_is "select count(*) from session where status <> 'done'" 0
# What the first found out goes first at the others.
grep -q '"seeded": [1-9]' out || fail "no problem began with what is good at another"
# Models are learned once, at the last problem of the operation.
[ "$(grep -c 'teach what to try' err)" -le 1 ] || fail "it learned more than once"

# ---- the same again tries nothing; the table has the list's order ------------------------
# shellcheck disable=SC2086
run 0 $tune --budget 6
ask_is "select count(*) from trial" 24
[ "$(grep -oE 'saxpy +n=[0-9]+' out | grep -oE '[0-9]+$' | tr '\n' ' ')" = "9001 300 100003 5003 " ] ||
    fail "the rows are in another order"

# ---- Ctrl-C: what was tried is there, and it goes on --------------------------------------
rm -f hone.db*
# shellcheck disable=SC2086
"$HONE" $tune --budget 12 --format json >tune.out 2>tune.err &
tuner=$!
wait_until "trials of the second problem" has 15
kill -INT "$tuner"
code=0
wait "$tuner" || code=$?
cp tune.out out
cp tune.err err
[ "$code" -eq 130 ] || fail "Ctrl-C ends it with $code"
err_has "interrupted; every finished trial is in"
json interrupted=true shapes.0.dims.0=9001 shapes.0.trials=12
ask_is "select count(*) from session where status = 'running'" 0

# ---- its lane is killed: a sentence, and nothing is lost -----------------------------------
n=$(n_trials)
# shellcheck disable=SC2086
"$HONE" $tune --budget 12 >tune.out 2>tune.err &
tuner=$!
wait_until "more trials" has $((n + 2))
kill -9 "$(pgrep -P "$tuner" -x hone-lane)"
code=0
wait "$tuner" || code=$?
cp tune.out out
cp tune.err err
[ "$code" -eq 4 ] || fail "without its lane it ends with $code"
err_has "cpu:0: the process that tuned on it ended: killed by signal 9"
err_has "run the same command again"
# shellcheck disable=SC2086
run 0 $tune --budget 12
ask_is "select count(*) from trial" 48
ask_is "select count(*) from (select 1 from trial t join session s using (session_id)
    group by s.problem_id, t.variant_id having count(*) > 1)" 0
ask_is "select count(distinct problem_id) from winner_v1" 4
