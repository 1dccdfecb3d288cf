#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that needs a GPU, in order, each step with a limit on its time,
# and one table at the end. Builds nothing; about a quarter of an hour on an
# H200 with 16 cores.
#
#     sh tests/gpu/all.sh FOLDER [STEP ..]
#
# FOLDER gets a text per step, a folder with JSON per measurement, and
# results.tar.gz with all of it but databases and cubins. Exit 77: no GPU.
set -u
OUT=${1:?give the folder of the results}
shift
mkdir -p "$OUT" || exit 1
OUT=$(cd "$OUT" && pwd)
here=$(dirname "$0")
HONE=${HONE:-build/bin/hone}
HONE_TEST_CACHE=${HONE_TEST_CACHE:-$OUT/cache} # a copied one saves compiling
DEVICE=${DEVICE:-cuda}
export HONE HONE_TEST_CACHE DEVICE

if [ "$DEVICE" = cuda ] && ! "$HONE" doctor --require gpu >/dev/null 2>&1; then
    echo "skipped: no GPU here (hone doctor --require gpu says so)"
    exit 77
fi

# run STEP LIMIT SCRIPT ARGUMENTS..: output to STEP.txt; a row of the table.
run() {
    name=$1
    limit=$2
    script=$here/$3
    shift 3
    echo "== $name"
    start=$(date +%s)
    OUT=$OUT/$name.reports timeout -k 10 "$limit" sh "$script" "$@" \
        >"$OUT/$name.txt" 2>&1
    code=$?
    seconds=$(($(date +%s) - start))
    n_failed=$(grep -c '^FAILED' "$OUT/$name.txt")
    case $code in
    0) result=ok ;;
    77) result=skipped ;;
    124 | 137) result="stopped after $limit s" ;;
    *) result="exit $code" ;;
    esac
    [ $code -eq 0 ] || [ $code -eq 77 ] || failed=1
    # What failed; its table, or what it said about each case.
    grep '^FAILED' "$OUT/$name.txt"
    if ! grep '^|' "$OUT/$name.txt" || [ $code -ne 0 ]; then
        grep -v '^ok:\|^|\|^FAILED' "$OUT/$name.txt" | tail -n 30
    fi
    echo "| $name | $result | $n_failed | $seconds |" >>"$OUT/all.md"
}
step() { # step NAME
    case $1 in
    planted) run planted 420 gpu_planted.sh ;;
    tma) run tma 150 gpu_tma.sh ;;
    special) run special 150 gpu_special.sh ;;
    reference) run reference 60 gpu_reference.sh ;;
    outputs) run outputs 60 gpu_outputs.sh ;;
    prints) run prints 60 gpu_prints.sh ;;
    user) run user 300 gpu_user.sh ;;
    kill) run kill 120 gpu_kill.sh ;;
    faults) run faults 180 gpu_faults.sh ;;
    throughput) run throughput 240 throughput.sh "$OUT/throughput" ;;
    baseline) run baseline 240 baseline_tuner.sh "$OUT/baseline" ;;
    racing) run racing 120 racing.sh "$OUT/racing" ;;
    reduce) run reduce 200 stability.sh "$OUT/stability" sum ;;
    gemm) run gemm 560 stability.sh "$OUT/stability" gemm_wmma ;;
    hopper) run hopper 500 hopper.sh "$OUT/hopper" ;;
    library) run library 590 library.sh "$OUT/library" ;;
    fft) run fft 500 fft.sh "$OUT/fft" ;;
    conv_scan) run conv_scan 500 conv_scan.sh "$OUT/conv_scan" ;;
    sanitize)
        set --
        for file in "$OUT"/throughput/tune_*.json; do
            [ ! -s "$file" ] || set -- "$@" "$file"
        done
        run sanitize 300 sanitize.sh "$@"
        ;;
    ladder) run ladder 300 reduction_ladder.sh "$OUT/ladder" ;;
    gemm_ladder) run gemm_ladder 560 gemm_ladder.sh "$OUT/gemm_ladder" ;;
    nbody_ladder) run nbody_ladder 300 nbody_ladder.sh "$OUT/nbody_ladder" ;;
    skewed) run skewed 300 skewed_products.sh "$OUT/skewed" ;;
    *)
        echo "all.sh: there is no step $1" >&2
        exit 2
        ;;
    esac
}

failed=0
[ -s "$OUT/all.md" ] ||
    printf '| step | result | failed | s |\n|---|---|---|---|\n' >"$OUT/all.md"
[ $# -gt 0 ] ||
    set -- planted tma special reference outputs prints user kill faults throughput racing reduce \
        baseline sanitize gemm
for name in "$@"; do
    step "$name"
done
echo
cat "$OUT/all.md"
(cd "$OUT" && tar czf "$OUT/results.tar.gz" --exclude=cache --exclude='*.db*' \
    --exclude=results.tar.gz ./*)
exit $failed
