#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tunes the shipped templates on the GPU of this machine and measures what
# docs/results/ reports: compile rate, winners beside their baselines, the
# winners through the runtime, dispatch cost. Builds nothing.
#
#     sh tests/gpu/acceptance.sh [FOLDER]
#
# FOLDER (default: a new one below the current) gets the database and one
# JSON file per step; HONE names the program (default build/bin/hone).
[ $# -gt 0 ] || set -- acceptance
. "$(dirname "$0")/steps.sh"

"$HONE" doctor
nvidia-smi --query-gpu=name,driver_version,clocks.sm,power.draw,temperature.gpu --format=csv,noheader

# One shape's whole space with all cores, and a part of it (spread evenly)
# with one process; each with a cold cache.
step compile_all "$HONE" compile gemm/wmma --arch sm_90 --dims 64,4096,4096 \
    --format json
step compile_one "$HONE" compile gemm/wmma --arch sm_90 --dims 64,4096,4096 \
    --limit 40 --jobs 1 --cache-dir "$scratch/one" --format json

tune_start=$(now)
step tune_saxpy hone tune saxpy --dims 1M --dims 64M --dims 10000003 \
    --budget "${SAXPY_BUDGET:-200}"
step tune_reduce hone tune sum --dims 1M --dims 64M --dims 999983 \
    --budget "${REDUCE_BUDGET:-200}"
step tune_gemm hone tune gemm/wmma --dims 4096,4096,4096 \
    --dims 1000,1000,1000 --dims 64,4096,4096 --dims 3000,517,777 \
    --budget "${GEMM_BUDGET:-300}"
echo "all tuning: $(since "$tune_start") s"

through() { step "run_${1%%/*}_$2" hone run "$1" --dims "$2"; }
for n in 1M 64M 10000003; do through saxpy $n; done
for n in 1M 64M 999983; do through sum $n; done
for d in 4096,4096,4096 1000,1000,1000 64,4096,4096 3000,517,777; do
    through gemm/wmma $d
done
if [ -x "$(dirname "$HONE")/../tests/bench_dispatch" ]; then
    step dispatch "$(dirname "$HONE")/../tests/bench_dispatch" \
        --db "$HONE_DB" --op saxpy --json
    cat "$OUT/dispatch.json"
fi
table acceptance.sql
exit $status
