# SPDX-License-Identifier: Apache-2.0
# Tunes the shipped templates on the GPU of this machine and measures what
# docs/results/ reports: compile rate, winners beside their rivals, the
# winners through the runtime, dispatch cost. Builds nothing.
#
#     sh tests/gpu/acceptance.sh [FOLDER]
#
# FOLDER (default: a new one below the current) gets the database and one
# JSON file per step; HONE names the program (default build/bin/hone).
# acceptance.sql makes the tables of them.
set -u
HONE=${HONE:-build/bin/hone}
OUT=${1:-acceptance}
mkdir -p "$OUT" || exit 1
HONE_DB=$OUT/hone.db
HONE_CACHE_DIR=$(mktemp -d)
export HONE_DB HONE_CACHE_DIR
trap 'rm -rf "$HONE_CACHE_DIR"' EXIT
status=0
now() { date +%s.%N; }
step() { # step NAME COMMAND..: run, keep stdout in NAME.json, say how long
    name=$1
    shift
    start=$(now)
    "$@" >"$OUT/$name.json" 2>"$OUT/$name.log"
    code=$?
    [ $code -eq 0 ] || status=1
    echo "$name: exit $code, $(echo "$(now) $start" | awk '{printf "%.1f", $1 - $2}') s"
    [ $code -eq 0 ] || tail -n 3 "$OUT/$name.log"
}

"$HONE" doctor
nvidia-smi --query-gpu=name,driver_version,clocks.sm,power.draw,temperature.gpu --format=csv,noheader

# One shape's whole space with all cores, and a part of it (spread evenly)
# with one process; each with a cold cache.
step compile_all "$HONE" compile gemm_f16 --arch sm_90 --dims 64,4096,4096 \
    --format json
step compile_one "$HONE" compile gemm_f16 --arch sm_90 --dims 64,4096,4096 \
    --limit 40 --jobs 1 --cache-dir "$HONE_CACHE_DIR/one" --format json
rm -rf "$HONE_CACHE_DIR/one"

tune_start=$(now)
step tune_saxpy "$HONE" tune saxpy --dims 1M --dims 64M --dims 10000003 \
    --budget "${SAXPY_BUDGET:-200}" --format json
step tune_reduce "$HONE" tune reduce_sum --dims 1M --dims 64M --dims 999983 \
    --budget "${REDUCE_BUDGET:-200}" --format json
step tune_gemm "$HONE" tune gemm_f16 --dims 4096,4096,4096 \
    --dims 1000,1000,1000 --dims 64,4096,4096 --dims 3000,517,777 \
    --budget "${GEMM_BUDGET:-300}" --format json
echo "all tuning: $(echo "$(now) $tune_start" | awk '{printf "%.1f", $1 - $2}') s"

run() { step "run_$1_$2" "$HONE" run "$1" --dims "$2" --format json; }
for n in 1M 64M 10000003; do run saxpy $n; done
for n in 1M 64M 999983; do run reduce_sum $n; done
for d in 4096,4096,4096 1000,1000,1000 64,4096,4096 3000,517,777; do
    run gemm_f16 $d
done
if [ -x "$(dirname "$HONE")/../tests/bench_dispatch" ]; then
    step dispatch "$(dirname "$HONE")/../tests/bench_dispatch" \
        --db "$HONE_DB" --op saxpy --json
    cat "$OUT/dispatch.json"
fi
exit $status
