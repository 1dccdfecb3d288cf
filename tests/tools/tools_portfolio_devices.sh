#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A portfolio on two devices of one model: both measure at once, each problem on
# one of them, and what comes out is what one device would have measured.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
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
cp tuned.db one.db
cp tuned.db two.db
run 0 tune saxpy --portfolio --device cpu --db one.db --format json
number() { sed -n "s/.*\"$1\": \([0-9]*\),.*/\1/p" out; }
measured=$(number measured)
[ "$measured" -ge 8 ] || fail "only $measured trials to share"
run 0 tune saxpy --portfolio --device cpu,cpu --db two.db --format json
json portfolios.0.problems=4 portfolios.0.skipped=0 portfolios.0.compiled=0 \
    portfolios.0.chooser=true portfolios.0.on=cpu:0
[ "$(number measured)" -eq "$measured" ] ||
    fail "$(number measured) trials on two devices, $measured on one"
[ "$(ask two.db "select count(*) from trial")" -eq \
    "$(ask one.db "select count(*) from trial")" ] || fail "other trials"

# Pairs of problems that were measured at the same time.
together() {
    ask "$1" "with s as (select session_id, min(started_unix_ns) as a,
            max(started_unix_ns) as b from trial join session using (session_id)
            where strategy = 'portfolio' group by session_id)
        select count(*) from s x, s y where x.session_id < y.session_id
            and x.a < y.b and y.a < x.b"
}
[ "$(together one.db)" -eq 0 ] || fail "one device measured two problems at once"
[ "$(together two.db)" -gt 0 ] || fail "two devices measured in turns"

# Again there is nothing to do, on however many.
run 0 tune saxpy --portfolio --device cpu,cpu --db two.db --format json
json portfolios.0.measured=0

# Interrupted it keeps what is there, has no new chooser, and goes on.
cp tuned.db cut.db
"$HONE" tune saxpy --portfolio --device cpu,cpu --db cut.db >out 2>err &
pid=$!
until [ "$(ask cut.db "select count(*) from trial join session using (session_id)
    where strategy = 'portfolio'")" -gt 0 ] || ! kill -0 $pid 2>/dev/null; do
    sleep 0.02
done
kill -INT $pid 2>/dev/null || true
wait $pid && code=0 || code=$?
[ $code -eq 130 ] || [ $code -eq 0 ] || fail "exit $code after Ctrl-C"
run 0 tune saxpy --portfolio --device cpu,cpu --db cut.db --format json
json portfolios.0.chooser=true
[ "$(ask cut.db "select count(*) from trial where outcome = 'ok'")" -eq \
    "$(ask one.db "select count(*) from trial where outcome = 'ok'")" ] ||
    fail "other trials after an interruption"
