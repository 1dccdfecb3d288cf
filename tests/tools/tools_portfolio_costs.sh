#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Portfolios of a template that says what its configurations cost: what would be
# the cheapest between the tuned shapes is tried, too, and the chooser knows at
# which shapes it is cheap.
. "$(dirname "$0")/hone_test.sh"
needs "${CXX:-c++}" "there is no C++ compiler"
needs sqlite3 "sqlite3 is not installed"
cd "$work"
ask() { sqlite3 "$@"; }

# A parameter that only exists beside one item, so that not all are spelt alike.
# Eight items are cheap between 125,000 and 375,000 alone, where nothing is tuned;
# searches do not try them elsewhere.
mkdir kernels
sed 's|^#pragma hone require VEC|#pragma hone param MORE in {1, 2} when ITEMS == 1\n#pragma hone prefer ITEMS < 8 \|\| (n > 125000 \&\& n < 375000) "few"\n&|;
s|^#pragma hone launch|#pragma hone feature COST = n > 125000 \&\& n < 375000 \&\& ITEMS == 8 ? n : 16*n\n&|' \
    "$HONE_TEMPLATE_PATH/saxpy_stream.cu" >kernels/saxpy_stream.cu
grep -q 'feature COST' kernels/saxpy_stream.cu || fail "the template has no COST"
cp "$HONE_TEMPLATE_PATH/saxpy.cuh" kernels
cat >shapes <<'END'
saxpy/stream 25000
saxpy/stream 75001
saxpy/stream 500000
saxpy/stream 1000000
END
export HONE_TEMPLATE_PATH="$work/kernels"
run 0 tune --shapes shapes --device cpu --budget 4 --db t.db \
    --no-portfolio --format json

tell_times t.db
tried=$(ask t.db "select count(*) from trial_v1 where config glob '*ITEMS=8*'")

run 0 tune saxpy/stream --portfolio --device cpu --db t.db --format json
json portfolios.0.problems=4 portfolios.0.chooser=true
grep -o '"compiled": [0-9]*' out | grep -qv ' 0$' ||
    fail "nothing new was compiled (before: $tried trials with eight items)"
[ "$(ask t.db "select max(n) from (select count(distinct problem_id) as n
    from trial_v1 where config glob '*ITEMS=8*' and outcome = 'ok'
    group by config)")" -eq 4 ] || fail "eight items were not tried everywhere"
grep -q '"config": "[^"]*ITEMS=8' out || fail "eight items are no member"

# Sizes so near to each other are told apart by costs alone.
predicted() {
    sed -n 's/.*"predicted_time_ns": \([0-9]*\).*/\1/p' out
}
run 0 run saxpy --dims 124000 --device cpu --db t.db --format json
json match=chosen
near=$(predicted)
run 0 run saxpy --dims 126000 --device cpu --db t.db --format json
json match=chosen
grep -q '"config": "[^"]*ITEMS=8' out || fail "not what is cheap at 126000"
[ "$(($(predicted) * 10))" -lt "$near" ] ||
    fail "$near ns are predicted for 124000, $(predicted) for 126000"
run 0 check t.db
