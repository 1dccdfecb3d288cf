#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A portfolio on several devices of one model: they measure at once, and what comes
# out is what one device would have measured; every variant is verified on edge
# shapes once; a device that falls off has no part in what follows.
. "$(dirname "$0")/hone_test.sh"
needs "${CXX:-c++}" "there is no C++ compiler"
needs pgrep "procps is not installed"
tests=$(dirname "$HONE")/../tests
cd "$work"
ask() { "$tests/db_ask" "$@"; }

# A process tries so many variants and waits in the next one, while a size is held: so
# that what is done at one moment does not depend on who is how fast.
HOLDS=$work
HOLDS_FREE=0
export HOLDS HOLDS_FREE
sizes="1000 3001 20000 65536"
hold() { for n in $sizes; do : >"hold.$n"; done; }
let_go() { rm -f hold.*; }
# begun DB SESSIONS TRIALS: of lists, under way at this moment.
# shellcheck disable=SC2317 # wait_until calls it
begun() {
    [ "$(ask "$1" "select count(*) from session where strategy = 'portfolio'
        and status = 'running'")" = "$2" ] &&
        [ "$(ask "$1" "select count(*) from trial join session using (session_id)
            where strategy = 'portfolio'")" = "$3" ]
}
tune="tune $fixtures/holds.cu --trial-timeout 1000 --format json"

# Each tries eight of 64 by a chance of its own, and ranks all of them: so each lacks
# more than two of what the others know.
seed=0
for n in $sizes; do
    seed=$((seed + 1))
    # shellcheck disable=SC2086 # a list of words, here and below
    run 0 $tune --dims $n --device cpu --budget 8 --no-seeds --strategy random \
        --seed $seed --db tuned.db
done
# Nothing is faster than what is known, and no final has proved anybody right on edge
# shapes: what is left to be done does not depend on this machine's noise.
run 0 sql --write "update trial set time_ns = 1 where trial_id in
    (select trial_id from ranking where rank = 1)" --db tuned.db
run 0 sql --write "delete from decision where kind in ('winner', 'tied')" --db tuned.db
cp tuned.db one.db
cp tuned.db two.db
# shellcheck disable=SC2086
run 0 $tune --portfolio --device cpu --db one.db
number() { sed -n "s/.*\"$1\": \([0-9]*\),.*/\1/p" out; }
measured=$(number measured)
[ "$(ask one.db "select count(*) from (select count(*) as n from trial
    join session using (session_id) where strategy = 'portfolio'
    group by session_id) where n > 2")" -eq 4 ] || fail "too little to share"
hold
# shellcheck disable=SC2086
"$HONE" $tune --portfolio --device cpu,cpu --db two.db >out 2>err &
pid=$!
wait_until "two problems are measured at once" begun two.db 2 0
let_go
wait $pid || fail "two devices end with $?"
json portfolios.0.problems=4 portfolios.0.skipped=0 portfolios.0.compiled=0 \
    portfolios.0.chooser=true portfolios.0.new_winners=0 portfolios.0.on=cpu:0
[ "$(number measured)" -eq "$measured" ] ||
    fail "$(number measured) trials on two devices, $measured on one"
[ "$(ask two.db "select count(*) from trial")" -eq \
    "$(ask one.db "select count(*) from trial")" ] || fail "other trials"

# Pairs of problems of which each began in front of the other's last trial.
together() {
    ask "$1" "with s as (select session_id,
            (select min(at_unix_ns) from decision d
                where d.session_id = t.session_id) as a, max(started_unix_ns) as b
            from trial t join session using (session_id)
            where strategy = 'portfolio' group by session_id)
        select count(*) from s x, s y where x.session_id < y.session_id
            and min(x.a, x.b) < y.b and min(y.a, y.b) < x.b"
}
[ "$(together one.db)" -eq 0 ] || fail "one device measured two problems at once"
[ "$(together two.db)" -gt 0 ] || fail "two devices measured in turns"
for db in one.db two.db; do
    n=$(ask $db "select count(*) from decision where kind = 'proved'")
    [ "$n" -ge 4 ] || fail "$db: $n variants were verified on edge shapes"
    [ "$n" -eq "$(ask $db "select count(distinct variant_id) from decision
        where kind = 'proved'")" ] || fail "$db: edge shapes more than once"
done

# Again there is nothing to do, on however many.
# shellcheck disable=SC2086
run 0 $tune --portfolio --device cpu,cpu --db two.db
json portfolios.0.measured=0

# One of three falls off while the first lists are measured.
cp tuned.db lost.db
hold
HOLDS_FREE=1
# shellcheck disable=SC2086
"$HONE" $tune --portfolio --device cpu,cpu,cpu:2 --db lost.db >out 2>err &
pid=$!
wait_until "each of three has measured something" begun lost.db 3 3
lane=$(pgrep -P $pid -x hone-lane | head -n 1)
[ -n "$lane" ] || fail "there is no lane"
kill -9 "$lane"
let_go
wait $pid && code=0 || code=$?
[ $code -eq 0 ] || fail "a lost device ends it with $code"
[ "$(grep -c 'fell off: the process that tuned on it ended' err)" -eq 1 ] ||
    fail "not one device fell off"
json portfolios.0.problems=4 portfolios.0.skipped=0 portfolios.0.chooser=true
[ "$(ask lost.db "select count(*) from trial")" -eq \
    "$(ask one.db "select count(*) from trial")" ] || fail "other trials"
