#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What each step towards a fast product gains, each with the best tiles for it:
# gemm_ladder.cu is tuned once for every STEP, then gemm/simt, and the winners
# run in turns. On tensor cores gemm/wmma and gemm/sm90 follow, with f16.
#
#     sh tests/gpu/gemm_ladder.sh FOLDER
#
# SIZE (4096): M, N and K; BUDGET (150) trials for each search.
. "$(dirname "$0")/steps.sh"

SIZE=${SIZE:-4096}
BUDGET=${BUDGET:-150}
here=$(cd "$(dirname "$0")" && pwd)
cube=$SIZE,$SIZE,$SIZE

# A template for each step, with one value of STEP.
for s in 1 2 3 4 5 6; do
    mkdir "$scratch/$s"
    sed "s/^#pragma hone param STEP in .*/#pragma hone param STEP in {$s}/" \
        "$here/gemm_ladder.cu" >"$scratch/$s/gemm_ladder.cu"
    step "ladder_$s" hone tune "$scratch/$s/gemm_ladder.cu" --dims "$cube,f32" \
        --budget "$BUDGET" --db "$scratch/ladder_$s.db"
done
step ladder_simt hone tune gemm/simt --dims "$cube,f32" --budget "$BUDGET" \
    --db "$OUT/ladder.db"
for name in wmma sm90; do
    step "ladder_$name" hone tune "gemm/$name" --dims "$cube,f16,f32" \
        --budget "$BUDGET" --db "$OUT/ladder.db"
done

# The winners of all steps in one bench.
set --
for s in 1 2 3 4 5 6; do
    winner=$(field "ladder_$s" shapes[0].winner)
    [ -z "$winner" ] || set -- "$@" --config "$winner"
done
step ladder_bench hone bench "$here/gemm_ladder.cu" --dims "$cube,f32" \
    --db "$OUT/ladder.db" "$@"
table gemm_ladder.sql
exit $status
