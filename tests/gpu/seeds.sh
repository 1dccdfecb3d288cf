#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What short searches are worth: one problem is tuned with TRIALS trials for
# each seed, each in a database of its own; then one bench times their winners
# and CONFIG, the best of a long search, in turns with default and rivals.
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
name=$op-$dims
first=$1

for seed in "$@"; do
    shift
    step "tune-$name-$seed" hone tune "$op" --dims "$dims" \
        --budget "$TRIALS" --seed "$seed" --no-seeds \
        --db "$OUT/$name.$seed.db"
    found=$(field "tune-$name-$seed" shapes[0].winner)
    set -- "$@" --config "$found"
    echo "$name, seed $seed: $(field "tune-$name-$seed" shapes[0].seconds) s" \
        "$found"
done
step "bench-$name" hone bench "$op" --dims "$dims" \
    --db "$OUT/$name.$first.db" --config "$config" "$@"
echo
echo '| runner | time us | x the first winner | 95 % interval |'
echo '|---|---|---|---|'
db_ask :memory: "select '| ' || (j.value ->> 'label') || ' | ' ||
    round((j.value ->> 'time_ns') / 1e3, 2) || ' | ' ||
    round(j.value ->> 'ratio', 3) || ' | ' ||
    round(j.value ->> 'ratio_low', 3) || '-' ||
    round(j.value ->> 'ratio_high', 3) || ' |'
    from json_each(readfile('$OUT/bench-$name.json'), '\$.rows') j"
exit $status
