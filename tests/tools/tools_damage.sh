#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A flipped bit in what is stored of a winner: nothing ends there, the next one
# answers and says so, and tuning again stores a good one.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
tests=$(dirname "$HONE")/../tests
HONE_DB=$work/hone.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY
ask() { "$tests/db_ask" "$HONE_DB" "$1"; }
damage() { "$tests/damage_db" "$HONE_DB" "$@" || fail "nothing was damaged"; }
# shellcheck disable=SC2317 # both are called by their names in $part
damage_cubin() { # of the winner
    damage artifact data "select a.rowid, length(a.data) / 2 from artifact a
        join winner_v1 w on w.cubin_sha256 = a.sha256"
}
# shellcheck disable=SC2317
damage_block() { # in the winner's launch plan: 128 becomes 138, 64 becomes 65
    damage variant launch_lines "select v.variant_id,
        instr(v.launch_lines, 'param BLOCK ') + 13 from variant v
        where v.variant_id = (select variant_id from winner_v1)"
}
tune() { run 0 tune saxpy/stream --dims 5003 --device cpu --budget 4 --format json; }
# answers KIND: hone run is right, this is what answers, and it says why.
answers() {
    run 0 run saxpy --dims 5003 --device cpu --format json
    json correct=true match="$1"
}

for part in damage_cubin damage_block; do
    rm -f "$HONE_DB"
    tune
    winner=$(ask "select config from winner_v1")
    answers exact
    json config="$winner"

    $part
    answers exact
    out_has "1 better left out: damaged in the database"
    [ "$(ask "select config from ranked_v1 where rank = 2")" = \
        "$(sed -n 's/.*"config": *"\([^"]*\)".*/\1/p' "$work/out")" ] ||
        fail "it is not the second that answers"
    run 0 show --full
    out_has "$winner"
    run 0 bench saxpy --dims 5003 --device cpu
    out_has "compiled again: damaged in the database"

    # The cache may have gone as well: then it is really compiled again.
    [ $part = damage_cubin ] && rm -rf "$HONE_CACHE_DIR"
    tune
    json shapes.0.trials=4 shapes.0.resumed=3
    out_has "damaged"
    run 0 bench saxpy --dims 5003 --device cpu
    grep -q "compiled again" "$work/out" && fail "it is still damaged"
    answers exact
    grep -q "left out" "$work/out" && fail "it is still left out"
    json config="$(ask "select config from winner_v1")"
    tune
    json shapes.0.trials=4 shapes.0.resumed=4
done

# The configuration itself: a row that nothing can be made of.
damage "update variant set config = replace(config, 'VEC=', 'VEK=')
    where variant_id = (select variant_id from winner_v1)"
answers exact
out_has "left out"
tune
answers exact
grep -q "left out" "$work/out" && fail "it is still left out"

# All that there is: every cubin.
for rowid in $(ask "select rowid from artifact where kind = 'cubin'" |
    tr -dc '0-9\n'); do
    damage artifact data "select $rowid, 20"
done
run 3 run saxpy --dims 5003 --device cpu
err_has "is damaged"
err_has "run: hone tune saxpy --dims 5003"
run 0 show --full
tune
answers exact
grep -q "left out" "$work/out" && fail "it is still left out"
exit 0
