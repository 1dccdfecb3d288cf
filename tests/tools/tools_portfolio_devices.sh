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

cat >shapes <<'END'
saxpy 1000
saxpy 3001
saxpy 20000
saxpy 65536
END
run 0 tune --shapes shapes --device cpu --budget 12 --db tuned.db --no-portfolio
# Nothing is faster than what is known, and no final has proved anybody right on edge
# shapes: what is left to be done does not depend on this machine's noise.
run 0 sql --write "update trial set time_ns = 1 where trial_id in
    (select trial_id from ranking where rank = 1)" --db tuned.db
run 0 sql --write "delete from decision where kind in ('winner', 'tied')" --db tuned.db
cp tuned.db one.db
cp tuned.db two.db
run 0 tune saxpy --portfolio --device cpu --db one.db --format json
number() { sed -n "s/.*\"$1\": \([0-9]*\),.*/\1/p" out; }
measured=$(number measured)
[ "$measured" -ge 8 ] || fail "only $measured trials to share"
# Trials take so long that problems overlap, however slowly the second device begins.
run 0 tune saxpy --portfolio --device cpu,cpu --samples 200 --db two.db --format json
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
run 0 tune saxpy --portfolio --device cpu,cpu --db two.db --format json
json portfolios.0.measured=0

# One of three falls off while the first lists are measured.
cp tuned.db lost.db
"$HONE" tune saxpy --portfolio --device cpu,cpu,cpu:2 --samples 200 --db lost.db \
    --format json >out 2>err &
pid=$!
# shellcheck disable=SC2317 # wait_until calls it
is_measured() {
    [ "$(ask lost.db "select count(*) from trial join session using (session_id)
        where strategy = 'portfolio'")" -gt 0 ]
}
wait_until "trials" is_measured
lane=$(pgrep -P $pid -x hone-lane | head -n 1)
[ -n "$lane" ] || fail "there is no lane"
kill -9 "$lane"
wait $pid && code=0 || code=$?
[ $code -eq 0 ] || fail "a lost device ends it with $code"
[ "$(grep -c 'fell off: the process that tuned on it ended' err)" -eq 1 ] ||
    fail "not one device fell off"
json portfolios.0.problems=4 portfolios.0.skipped=0 portfolios.0.chooser=true
[ "$(ask lost.db "select count(*) from trial")" -eq \
    "$(ask one.db "select count(*) from trial")" ] || fail "other trials"
