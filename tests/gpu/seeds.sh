#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What short searches are worth: one problem is tuned with TRIALS trials for
# each seed, each in a database of its own; then one bench times their winners
# and CONFIG, the best of a long search, in turns with default and baselines.
#
#     sh tests/gpu/seeds.sh FOLDER OP DIMS CONFIG SEED ..
. "$(dirname "$0")/steps.sh"
[ $# -ge 5 ] || {
    echo "usage: seeds.sh FOLDER OP DIMS CONFIG SEED .." >&2
    exit 2
}
op=$2
dims=$3
config=$4
shift 4
TRIALS=${TRIALS:-150}
problem=$op-$dims # step has a `name` of its own
first=$1

for seed in "$@"; do
    shift
    step "tune-$problem-$seed" hone tune "$op" --dims "$dims" \
        --budget "$TRIALS" --seed "$seed" --no-seeds \
        --db "$OUT/$problem.$seed.db"
    found=$(field "tune-$problem-$seed" shapes[0].winner)
    [ -n "$found" ] || {
        echo "FAILED: $problem, seed $seed: no winner"
        exit 1
    }
    set -- "$@" --config "$found"
    echo "$problem, seed $seed: $(field "tune-$problem-$seed" shapes[0].seconds) s" \
        "$found"
done
step "bench-$problem" hone bench "$op" --dims "$dims" \
    --db "$OUT/$problem.$first.db" --config "$config" "$@"
echo
echo '| runner | time us | x the first winner | 95 % interval |'
echo '|---|---|---|---|'
db_ask :memory: "select '| ' || (j.value ->> 'label') || ' | ' ||
    round((j.value ->> 'time_ns') / 1e3, 2) || ' | ' ||
    round(j.value ->> 'ratio', 3) || ' | ' ||
    round(j.value ->> 'ratio_low', 3) || '-' ||
    round(j.value ->> 'ratio_high', 3) || ' |'
    from json_each(readfile('$OUT/bench-$problem.json'), '\$.rows') j"
exit $status
