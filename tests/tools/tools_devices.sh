#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone tune on several devices: every problem once, one that is lost leaves its work to
# the others, Ctrl-C and going on, and what cannot be.
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

# ---- bad input: a sentence, and no database -------------------------------------------
run 2 tune saxpy/stream --dims 5003 --device cpu,cuda:1
err_has "'cuda:1' is no number of a cpu device"
run 2 tune saxpy/stream --dims 5003 --device cpu:1,cpu:1
err_has "names cpu:1 twice"
run 2 tune saxpy/stream --dims 5003 --device cuda:0,x
for list in "cpu," "cuda:0,,1" ",cpu" "," "cuda:1,"; do
    run 2 tune saxpy/stream --dims 5003 --device "$list"
    err_has "--device $list: a comma has no device "
done
run 2 run saxpy --dims 5003 --device cpu,cpu
[ ! -e hone.db ] || fail "bad input made a database"
if ! "$HONE" list saxpy --dims 5003 --device cuda >/dev/null 2>&1; then
    run 4 tune saxpy/stream --dims 5003 --device all
    run 4 tune saxpy/stream --dims 5003 --device cuda:0,1
    [ ! -e hone.db ] || fail "a machine without GPUs got a database"
fi

# ---- every problem once, rows in the order of the shapes --------------------------------
few="--dims 5003 --dims 7001 --dims 9001 --dims 100003 --dims 300 --budget 6"
# shellcheck disable=SC2086 # lists of words, here and below
run 0 tune saxpy/stream $few --device cpu,cpu \
    --format json
json shapes.0.dims.0=5003 shapes.1.dims.0=7001 shapes.3.dims.0=100003 \
    shapes.4.trials=6 devices.0.on=cpu:0 devices.1.on=cpu:1 compile.variants
err_has "cpu:1: "
err_has "compile processes: "
ask_is "select count(*) from trial" 30
ask_is "select count(distinct problem_id) from winner_v1" 5
ask_is "select count(*) from session where status <> 'done'" 0
[ "$(grep -o '"problems": [1-9]' out | wc -l)" -eq 2 ] ||
    fail "a device had no problem"

# ---- the same command again tries nothing ------------------------------------------------
# On a terminal each device has a line of progress meanwhile.
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    TERM=xterm script -qec "'$HONE' tune saxpy/stream $few --device cpu,cpu >out" /dev/null \
        >err </dev/null || fail "it does not end well on a terminal"
    for device in cpu:0 cpu:1; do
        grep -qaE "$device saxpy n=[0-9]+ T=f32 .*\[[^]]*[#.]{5}" err ||
            fail "$device has no line of progress"
    done
else
    # shellcheck disable=SC2086
    run 0 tune saxpy/stream $few --device cpu,cpu -q
fi
ask_is "select count(*) from trial" 30

# ---- fewer problems than devices: they share its trials --------------------------------
rm -f hone.db*
run 0 tune saxpy/stream --dims 400009 --device cpu,cpu --budget 25 --format json
json shapes.0.trials=25 devices.1.problems=0
grep -q '"n_helped": [1-9]' out || fail "nobody helped"
ask_is "select count(*), count(distinct variant_id) from trial" "25|25"
ask_is "select count(*) from session" 2

# ---- a lane is killed: the others take over ----------------------------------------------
# The parent's lanes are named hone-lane; the first that tunes is killed.
rm -f hone.db*
many="--dims 200003 --dims 210011 --dims 220009 --dims 230003 --budget 12"
# shellcheck disable=SC2086
"$HONE" tune saxpy/stream $many --device cpu,cpu,cpu:2 >tune.out 2>tune.err &
tuner=$!
# shellcheck disable=SC2317 # wait_until calls it
has_trials() { [ -e hone.db ] && [ "$(ask "select count(*) from trial" 2>/dev/null || echo 0)" -ge 5 ]; }
wait_until "trials" has_trials
run 0 top --once --format json
json running=true others.0.op=saxpy others.1.op=saxpy
run 0 top --once
out_has "also"
lane=$(pgrep -P "$tuner" -x hone-lane | head -n 1)
[ -n "$lane" ] || fail "there is no lane"
kill -9 "$lane"
code=0
wait "$tuner" || code=$?
cp tune.out out
cp tune.err err
[ "$code" -eq 0 ] || fail "a lost device ends it with $code"
err_has "fell off: the process that tuned on it ended: killed by signal 9"
ask_is "select count(distinct problem_id) from winner_v1" 4
# No configuration of a problem counts twice, and each problem had its budget.
ask_is "select count(*) from (select 1 from trial t join session s using (session_id)
    group by s.problem_id, t.variant_id having count(*) > 1)" 0
ask_is "select count(*) from (select 1 from trial t join session s using (session_id)
    group by s.problem_id having count(*) <> 12)" 0

# ---- all lanes are lost: a sentence, and what was measured is kept --------------------
rm -f hone.db*
# shellcheck disable=SC2086
"$HONE" tune saxpy/stream $many --device cpu,cpu >tune.out 2>tune.err &
tuner=$!
wait_until "trials" has_trials
# shellcheck disable=SC2046 # a list of numbers
kill -9 $(pgrep -P "$tuner" -x hone-lane)
code=0
wait "$tuner" || code=$?
cp tune.out out
cp tune.err err
[ "$code" -eq 4 ] || fail "without devices it ends with $code"
# How many were done before is the machine's affair.
grep -q 'no device is left for [1-4] of 4 problems' err || fail "no sentence"
n=$(ask "select count(*) from trial")

# ---- Ctrl-C, and going on ---------------------------------------------------------------
# shellcheck disable=SC2086
"$HONE" tune saxpy/stream $many --device cpu,cpu >tune.out 2>tune.err &
tuner=$!
# shellcheck disable=SC2317 # wait_until calls it
has_more() { [ "$(ask "select count(*) from trial" 2>/dev/null || echo 0)" -gt $((n + 3)) ]; }
wait_until "more trials" has_more
kill -INT "$tuner"
code=0
wait "$tuner" || code=$?
cp tune.out out
cp tune.err err
[ "$code" -eq 130 ] || fail "Ctrl-C ends it with $code"
err_has "interrupted; every finished trial is in"
ask_is "select count(*) from session where status = 'running'" 0
# shellcheck disable=SC2086
run 0 tune saxpy/stream $many --device cpu,cpu -q
ask_is "select count(distinct problem_id) from winner_v1" 4
ask_is "select count(*) from (select 1 from trial t join session s using (session_id)
    group by s.problem_id, t.variant_id having count(*) > 1)" 0
ask_is "select count(*) from trial" 48
