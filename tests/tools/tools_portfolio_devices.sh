#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A portfolio on two devices of one model: both measure, and what comes out is what
# one device would have measured; every variant is verified on edge shapes once.
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
    [ "$(ask $db "select count(*) from (select count(*) as n from decision
        where kind = 'proved' and variant_id is not null group by variant_id
        having n > 1)")" -eq 0 ] || fail "$db: edge shapes more than once"
done
# Again there is nothing to do, on however many.
run 0 tune saxpy --portfolio --device cpu,cpu --db two.db --format json
json portfolios.0.measured=0
