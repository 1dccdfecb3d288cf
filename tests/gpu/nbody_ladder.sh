#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What each step towards a fast sum over all pairs of bodies gains, each with the
# best block for it: nbody_ladder.cu is tuned once for every STEP, then
# nbody/tiles, and the winners run in turns; but step 1, whose bodies lie one after
# another, runs alone.
#
#     sh tests/gpu/nbody_ladder.sh FOLDER
#
# N (131072) bodies; BUDGET (100) trials for each search.
. "$(dirname "$0")/steps.sh"

N=${N:-131072}
BUDGET=${BUDGET:-100}
here=$(cd "$(dirname "$0")" && pwd)

ladder_tune "$here/nbody_ladder.cu" "$N,1" "$N,0"
step ladder_tiles hone tune nbody/tiles --dims "$N,1" --budget "$BUDGET" \
    --db "$OUT/ladder.db"
ladder_bench "$here/nbody_ladder.cu" "$N,1" "$N,0"
table nbody_ladder.sql ladder.sql
exit $status
