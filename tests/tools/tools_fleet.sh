#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone show fleet: cards of one model beside each other, told apart by machine and
# card; another driver is another device; what one measured is nobody's result elsewhere.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
cd "$work"
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
sql() { run 0 sql --write "$2" --db "$1"; }
run 0 tune saxpy/stream --dims 5003 --device cpu --budget 6 --db host.db -q
run 0 sql "select text from decision where kind = 'place' limit 1" --db host.db
out_has "host=$(uname -n) card=cpu"
# One card alone has nothing to be compared with.
run 0 show fleet --db host.db --format json
json fleet.0.card=cpu fleet.0.n_trials=6 fleet.0.n_common=0 \
    fleet.0.verdict="nothing in common with others" fleet.0.ratio=null

# The same card four times over, each on its own machine; one is slow.
sql host.db "update session set noise_floor = 0.01"
card() { # card NAME FACTOR SECONDS
    cp host.db "$1.db"
    sql "$1.db" "update decision set text = 'host=$1 card=0123abcd' where kind = 'place'"
    sql "$1.db" "update trial set time_ns = time_ns * $2"
    sql "$1.db" "update session set started_unix_s = started_unix_s + $3"
}
card even 1.003 10
card also 0.998 20
card sick 1.2 30
run 0 merge host.db even.db also.db sick.db --db all.db
run 0 show fleet --db all.db --format json
json fleet.0.host=sick fleet.0.card=0123abcd fleet.0.verdict=slower \
    fleet.0.n_common=6 fleet.1.verdict=agrees fleet.2.verdict=agrees \
    fleet.3.verdict=agrees
run 0 show fleet --db all.db --where "verdict=slower" --format csv
[ "$(wc -l <out)" -eq 2 ] || fail "not one slow card"
run 0 show fleet --db all.db --op gemm --format csv
[ "$(wc -l <out)" -le 1 ] || fail "cards of another operation"
# Within the noise of the sessions it is no disagreement.
cp all.db noisy.db
sql noisy.db "update session set noise_floor = 0.3"
run 0 show fleet --db noisy.db --format json
json fleet.0.verdict=agrees

# Another driver is another device: rankings and cards are apart.
card newer 1.5 40
sql newer.db "update device set driver_version = '13010',
    fingerprint = replace(printf('%064d', 7), ' ', '0')"
run 0 merge newer.db --db all.db
run 0 show fleet --db all.db --where "driver_version=13010" --format json
json fleet.0.host=newer fleet.0.verdict="nothing in common with others"
run 0 sql "select count(*) as n from winner_v1" --db all.db --format csv
out_has 2
# What others found goes first and is verified here: nothing of it counts unmeasured.
sql newer.db "update problem set dims = '7001,4'"
cp newer.db seeds.db
run 0 tune saxpy/stream --dims 5003 --device cpu --budget 4 --db seeds.db -q --format json
json shapes.0.trials=4 shapes.0.resumed=0 shapes.0.outcomes.ok=4
run 0 sql "select count(*) as n from decision where kind = 'seeded'" --db seeds.db --format csv
! grep -qx 0 out || fail "nothing went first"
