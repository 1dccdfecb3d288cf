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

ladder_tune "$here/sum_ladder.cu" "$N"
step ladder_stream hone tune sum/stream --dims "$N" --budget "$BUDGET" \
    --db "$OUT/ladder.db"
ladder_bench "$here/sum_ladder.cu" "$N"
table reduction_ladder.sql ladder.sql
exit $status
