#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What racing saves: the same 300 configurations once with 30 samples for
# everybody, once raced. The two winners then run in turns.
#
#     sh tests/gpu/racing.sh FOLDER
. "$(dirname "$0")/steps.sh"

BUDGET=${BUDGET:-300}

race() { # race OP TEMPLATE DIMS
    for how in fixed raced; do
        fixed=
        [ $how = raced ] || fixed="--samples 30"
        # shellcheck disable=SC2086 # two words
        step "${how}_$1" hone tune "$2" --dims "$3" --budget "$BUDGET" \
            --seed 1 --db "$OUT/${how}_$1.db" $fixed || return
    done
    step "bench_$1" hone bench "$2" --dims "$3" --db "$OUT/fixed_$1.db" \
        --config "$(field "fixed_$1" shapes[0].winner)" \
        --config "$(field "raced_$1" shapes[0].winner)"
}

"$HONE" compile sum --arch sm_90 --dims 4M --quiet >/dev/null 2>&1
"$HONE" compile saxpy --arch sm_90 --dims 1M --quiet >/dev/null 2>&1
race sum sum 4M
race saxpy saxpy/stream 1M
table racing.sql
exit $status
