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
n_trials_is() { [ -e hone.db ] && [ "$(n_trials)" -eq "$1" ]; }
# At the second size and at the third a process tries two variants, and waits while there is
# such a file: what is done at one moment does not depend on who is how fast.
HOLDS=$work
HOLDS_FREE=2
export HOLDS HOLDS_FREE
: >hold.300
: >hold.5003
printf 'holds %s\n' 9001 300 5003 >list
tune="tune $fixtures/holds.cu --shapes list --no-portfolio --device cpu --budget 8 --jobs 1
    --trial-timeout 1000"

# ---- Ctrl-C in the second problem: what was tried is there ------------------------------
# shellcheck disable=SC2086 # a list of words, here and below
"$HONE" $tune --format json >tune.out 2>tune.err &
tuner=$!
wait_until "trials of the second problem" n_trials_is 10
kill -INT "$tuner"
code=0
wait "$tuner" || code=$?
cp tune.out out
cp tune.err err
[ "$code" -eq 130 ] || fail "Ctrl-C ends it with $code"
err_has "interrupted; every finished trial is in"
json interrupted=true shapes.0.dims.0=9001 shapes.0.trials=8
ask_is "select count(*) from session where status = 'running'" 0

# ---- its lane is killed: a sentence, and nothing is lost ----------------------------------
# shellcheck disable=SC2086
"$HONE" $tune >tune.out 2>tune.err &
tuner=$!
wait_until "more trials of it" n_trials_is 12
lane=$(pgrep -P "$tuner" -x hone-lane) || fail "there is no lane"
kill -9 "$lane"
code=0
wait "$tuner" || code=$?
cp tune.out out
cp tune.err err
[ "$code" -eq 4 ] || fail "without its lane it ends with $code"
err_has "cpu:0: the process that tuned on it ended: killed by signal 9"
err_has "run the same command again"
# It could not say that it ended; who looks is not told that it runs.
run 0 top --once
out_has "ended without a word: process "
run 0 top --once --format json
json running=false lost=true
run 0 show sessions --format json
json sessions.0.status=lost sessions.0.op=holds
ask_is "select status from session order by session_id desc limit 1" running

# ---- going on: one lane and one farm to the end, rows in the order of the list -------------
# shellcheck disable=SC2086
"$HONE" $tune --format json >tune.out 2>tune.err &
tuner=$!
family() { pgrep -l -P "$tuner" '^hone-[lc]' | sort -n; }
# shellcheck disable=SC2317 # wait_until calls it
is_there() {
    family >>seen
    n_trials_is "$1"
}
wait_until "more trials of the second problem" is_there 14
family >first
[ "$(cut -d ' ' -f 2 first | sort | xargs)" = "hone-compile hone-lane" ] ||
    fail "not one lane and one compile process: $(cat first)"
rm hold.300
wait_until "trials of the third problem" is_there 18
family >third
cmp first third || fail "they started anew: $(cat first), then $(cat third)"
rm hold.5003
is_over() { ! grep '^State:' "/proc/$tuner/status" 2>/dev/null | grep -qv Z; }
# shellcheck disable=SC2317 # wait_until calls it
seen_to_the_end() {
    family >>seen
    is_over
}
wait_until "it ends" seen_to_the_end
sort -nu seen | cmp - first || fail "they started anew: $(cat first), then $(sort -nu seen)"
code=0
wait "$tuner" || code=$?
cp tune.out out
cp tune.err err
[ "$code" -eq 0 ] || fail "it ends with $code"
json shapes.0.dims.0=9001 shapes.0.resumed=8 shapes.1.dims.0=300 \
    shapes.2.dims.0=5003 shapes.2.trials=8
! grep -qE '"devices"|"on"' out || fail "one device is spoken of as several"
# What the first found out goes first at the others; models are learned once, in the end.
grep -q '"seeded": [1-9]' out || fail "no problem began with what is good at another"
[ "$(grep -c 'teach what to try' err)" -le 1 ] || fail "it learned more than once"
ask_is "select count(*) from trial" 24
ask_is "select count(distinct problem_id) from winner_v1" 3
ask_is "select count(*) from session where status = 'running'" 0
ask_is "select count(*) from (select 1 from trial t join session s using (session_id)
    group by s.problem_id, t.variant_id having count(*) > 1)" 0
