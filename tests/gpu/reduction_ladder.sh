#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What each step of the textbooks' ladder gains in a sum of f32, each with the
# best block for it: sum_ladder.cu is tuned once for every STEP, then
# sum/stream, and the winners and CUB run in turns.
#
#     sh tests/gpu/reduction_ladder.sh FOLDER
#
# N (64M) elements; BUDGET (200) trials for each search.
. "$(dirname "$0")/steps.sh"

N=${N:-64M}
BUDGET=${BUDGET:-200}
here=$(cd "$(dirname "$0")" && pwd)

# A template for each step, with one value of STEP.
for s in 1 2 3 4 5 6; do
    mkdir "$scratch/$s"
    sed "s/^#pragma hone param STEP in .*/#pragma hone param STEP in {$s}/" \
        "$here/sum_ladder.cu" >"$scratch/$s/sum_ladder.cu"
    step "ladder_$s" hone tune "$scratch/$s/sum_ladder.cu" --dims "$N" \
        --budget "$BUDGET" --db "$scratch/ladder_$s.db"
done
step ladder_stream hone tune sum/stream --dims "$N" --budget "$BUDGET" \
    --db "$OUT/ladder.db"

# The winners of all steps in one bench.
set --
for s in 1 2 3 4 5 6; do
    winner=$(field "ladder_$s" shapes[0].winner)
    [ -z "$winner" ] || set -- "$@" --config "$winner"
done
step ladder_bench hone bench "$here/sum_ladder.cu" --dims "$N" \
    --db "$OUT/ladder.db" "$@"
table reduction_ladder.sql
exit $status
