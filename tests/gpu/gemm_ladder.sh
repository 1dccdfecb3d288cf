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

ladder_tune "$here/gemm_ladder.cu" "$cube,f32"
step ladder_simt hone tune gemm/simt --dims "$cube,f32" --budget "$BUDGET" \
    --db "$OUT/ladder.db"
for name in wmma sm90; do
    step "ladder_$name" hone tune "gemm/$name" --dims "$cube,f16,f32" \
        --budget "$BUDGET" --db "$OUT/ladder.db"
done
ladder_bench "$here/gemm_ladder.cu" "$cube,f32"
table gemm_ladder.sql ladder.sql
exit $status
