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
asked_is() { [ -e hone.db ] && [ "$(ask "$1" 2>/dev/null)" = "$2" ]; }
# Each process of a device tries two variants, and waits while a size is held: so that
# what is done at one moment does not depend on who is how fast.
HOLDS=$work
HOLDS_FREE=2
export HOLDS HOLDS_FREE
hold() { for n in "$@"; do : >"hold.$n"; done; }
let_go() { rm -f hold.*; }
held="tune $fixtures/holds.cu --trial-timeout 1000"
# all_hold SESSIONS TRIALS: that many problems have begun, and their devices wait.
all_hold() {
    wait_until "problems begin: $1" asked_is \
        "select count(*) from session where status = 'running'" "$1"
    wait_until "$2 trials" asked_is "select count(*) from trial" "$2"
}
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
few="--dims 5003 --dims 100003 --dims 300 --budget 6"
hold 5003 100003 300
# shellcheck disable=SC2086 # lists of words, here and below
"$HONE" $held $few --device cpu,cpu --format json >out 2>err &
tuner=$!
all_hold 2 4
let_go
wait "$tuner" || fail "two devices end with $?"
json shapes.0.dims.0=5003 shapes.1.dims.0=100003 shapes.2.dims.0=300 \
    shapes.2.trials=6 devices.0.on=cpu:0 devices.1.on=cpu:1 compile.variants
err_has "cpu:1: "
err_has "compile processes: "
ask_is "select count(*) from trial" 18
ask_is "select count(distinct problem_id) from winner_v1" 3
ask_is "select count(*) from session where status <> 'done'" 0
[ "$(grep -o '"problems": [1-9]' out | wc -l)" -eq 2 ] ||
    fail "a device had no problem"

# ---- the same command again tries nothing ------------------------------------------------
# shellcheck disable=SC2086
run 0 $held $few --device cpu,cpu -q
ask_is "select count(*) from trial" 18

# ---- on a terminal each device has a line of progress -----------------------------------
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    hold 5004 7002
    TERM=xterm script -qec \
        "'$HONE' $held --dims 5004 --dims 7002 --budget 6 --device cpu,cpu >out" \
        /dev/null >err </dev/null &
    tuner=$!
    # shellcheck disable=SC2317 # wait_until calls it
    has_line() { grep -qaE "$1 holds n=[0-9]+ .*\[[^]]*[#.]{5}" err; }
    for device in cpu:0 cpu:1; do
        wait_until "$device has a line of progress" has_line $device
    done
    let_go
    wait "$tuner" || fail "it does not end well on a terminal"
fi

# ---- fewer problems than devices: they share its trials --------------------------------
rm -f hone.db*
hold 40009
# shellcheck disable=SC2086
"$HONE" $held --dims 40009 --device cpu,cpu --budget 25 --format json >out 2>err &
tuner=$!
all_hold 1 4 # two of them by the other one
let_go
wait "$tuner" || fail "one problem on two devices ends with $?"
json shapes.0.trials=25 devices.1.problems=0
grep -q '"n_helped": [1-9]' out || fail "nobody helped"
ask_is "select count(*), count(distinct variant_id) from trial" "25|25"
ask_is "select count(*) from session" 1

# ---- a lane is killed: the others take over ----------------------------------------------
# The parent's lanes are named hone-lane; all of them have tried something.
rm -f hone.db*
sizes="20003 21011 22009 23003"
# shellcheck disable=SC2086
hold $sizes
many="--dims 20003 --dims 21011 --dims 22009 --dims 23003 --budget 12"
# shellcheck disable=SC2086
"$HONE" $held $many --device cpu,cpu,cpu:2 >tune.out 2>tune.err &
tuner=$!
all_hold 3 6
run 0 top --once --format json
json running=true others.0.op=holds others.1.op=holds
run 0 top --once
out_has "also"
lane=$(pgrep -P "$tuner" -x hone-lane | head -n 1)
[ -n "$lane" ] || fail "there is no lane"
kill -9 "$lane"
let_go
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
hold $sizes
# shellcheck disable=SC2086
"$HONE" $held $many --device cpu,cpu >tune.out 2>tune.err &
tuner=$!
all_hold 2 4
# shellcheck disable=SC2046 # a list of numbers
kill -9 $(pgrep -P "$tuner" -x hone-lane)
code=0
wait "$tuner" || code=$?
cp tune.out out
cp tune.err err
[ "$code" -eq 4 ] || fail "without devices it ends with $code"
err_has "no device is left for 4 of 4 problems"
ask_is "select count(*) from trial" 4
lost=$(ask "select max(session_id) from session")

# ---- Ctrl-C, and going on ---------------------------------------------------------------
# shellcheck disable=SC2086
"$HONE" $held $many --device cpu,cpu >tune.out 2>tune.err &
tuner=$!
wait_until "two problems have begun" asked_is \
    "select count(*) from session where session_id > $lost" 2
wait_until "8 trials" asked_is "select count(*) from trial" 8
kill -INT "$tuner"
code=0
wait "$tuner" || code=$?
cp tune.out out
cp tune.err err
[ "$code" -eq 130 ] || fail "Ctrl-C ends it with $code"
err_has "interrupted; every finished trial is in"
ask_is "select count(*), group_concat(distinct status) from session
    where session_id > $lost" "2|interrupted"
let_go
# shellcheck disable=SC2086
run 0 $held $many --device cpu,cpu -q
ask_is "select count(distinct problem_id) from winner_v1" 4
ask_is "select count(*) from (select 1 from trial t join session s using (session_id)
    group by s.problem_id, t.variant_id having count(*) > 1)" 0
ask_is "select count(*) from trial" 48
