#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that call NVIDIA's cuBLAS and know nothing of hone: random calls, which
# must give the same plain, recorded and answered, the latter under
# compute-sanitizer, too; then models, plain, padded by hand, and answered.
#
#     sh tests/gpu/blas.sh FOLDER [PART..]
#
# PART: calls, sanitize, reset (handles that are destroyed while streams run, and
# cudaDeviceReset()), cost, torch (hone.linear() and its kin), gpt2, same (its head's
# products give the same bits each time), gpt2-compile, llama, llama-generate, bert
# (default: all). CALLS: random calls (10000). BUDGET: what the shapes of a model
# are tuned with (120s), at most TUNE_MAX (600) seconds. TURNS: of a model (3). SEED: of the calls (11).
# COST_CALLS, COST_DIMS: of `cost` (20000, "1027 67 259": column-major M N K). CUBLAS: the folder of
# libcublas.so.13 (/usr/local/cuda/lib64). blas_models.py says what the models are.
. "$(dirname "$0")/steps.sh"
here=$(dirname "$0")
shift
CALLS=${CALLS:-10000}
BUDGET=${BUDGET:-120s}
TUNE_MAX=${TUNE_MAX:-600}
SEED=${SEED:-11}
TURNS=${TURNS:-3}
COST_DIMS=${COST_DIMS:-1027 67 259}
CUBLAS=${CUBLAS:-/usr/local/cuda/lib64}
tests=$(dirname "$HONE")/../tests
parts=${*:-calls sanitize reset cost torch gpt2 same gpt2-compile llama llama-generate bert}
HONE_BLAS_LIBRARY=$(dirname "$HONE")/../lib/libhone_blas.so
export HONE_BLAS_LIBRARY
if [ "$DEVICE" = cpu ]; then # to test the script, on the fake library
    export HONE_DEVICE=cpu
else
    export BLAS_CALLS_CUDA=1
fi

# calls COMMAND..: the program of random calls, or of one-element products.
# shellcheck disable=SC2317 # called by step
calls() { LD_LIBRARY_PATH=$CUBLAS "$@"; }
# Sums ("about") may differ by what a gelu is rounded.
same() {
    if awk 'NR == FNR { line[FNR] = $0; sum[FNR] = $4; n = FNR; next }
            $0 == line[FNR] { next }
            $3 == "about" { d = $4 - sum[FNR]; rest = line[FNR]
                sub(sum[FNR], $4, rest) }
            $3 == "about" && $0 == rest && d * d <= 4e-6 * $4 * $4 { next }
            { print "< " line[FNR]; print "> " $0; n_other++ }
            END { exit n_other > 0 || FNR != n }' \
        "$OUT/calls_plain.json" "$OUT/$1.json" >"$OUT/$1.other"; then
        echo "$1: the same results"
    else
        echo "$1: OTHER RESULTS: $(grep -c '^>' "$OUT/$1.other")"
        head -n 8 "$OUT/$1.other"
        status=1
    fi
}
random_calls() {
    step calls_plain calls "$tests/blas_calls" "$CALLS" "$SEED" 8
    rm -f "$OUT/calls.shapes"
    step calls_record calls "$HONE" record -o "$OUT/calls.shapes" -- \
        "$tests/blas_calls" "$CALLS" "$SEED" 8
    same calls_record
    # Answered is what the library is slower at, or is said to be: by the kernel that
    # takes any problem, or a faster one where one applies.
    grep '^gemm' "$OUT/calls.shapes" | sort -k 3,3nr | head -n 16 |
        awk '{ print $1, $2, $3 }' >"$scratch/top"
    step calls_tune hone tune gemm/plain --shapes "$scratch/top" -q \
        --no-portfolio --db "$OUT/calls.db"
    [ "$DEVICE" = cpu ] || hone tune gemm/small gemm/simt gemm/mma \
        --shapes "$scratch/top" --budget 4 -q --no-portfolio \
        --db "$OUT/calls.db" >"$OUT/calls_tune_more.json" 2>&1
    "$tests/blas_baseline" "$OUT/calls.db" 1000
    for check in 0 5; do
        every=
        [ $check -eq 0 ] || every="--check-every $check"
        # shellcheck disable=SC2086 # none, or an option and its value
        step "calls_with_$check" calls "$HONE" with --db "$OUT/calls.db" $every -- \
            "$tests/blas_calls" "$CALLS" "$SEED" 8
        same "calls_with_$check"
        grep -a 'answered by\|both ways\|WRONG' "$OUT/calls_with_$check.log"
    done
}
sanitize() {
    step calls_sanitized calls compute-sanitizer --error-exitcode 9 \
        --report-api-errors no \
        --target-processes all "$HONE" with --db "$OUT/calls.db" -- \
        "$tests/blas_calls" 300 \
        "$SEED" 8
    tail -n 1 "$OUT/calls_sanitized.json"
}
reset() {
    for dims in 64,1024,256 67,1027,259; do
        echo "gemm $dims,f16,f16,0,0,ADD=0"
    done >"$scratch/rough"
    answers=gemm/sm90
    [ "$DEVICE" != cpu ] || answers=gemm/plain
    step reset_tune hone tune "$answers" --shapes "$scratch/rough" --budget 12 -q \
        --no-portfolio --db "$OUT/reset.db"
    "$tests/blas_baseline" "$OUT/reset.db" 1000
    set -- "$tests/blas_reset" 4 1024 64 256 1027 67 259 32 32 32
    step reset_plain calls "$@"
    step reset_record calls "$HONE" record -o "$OUT/reset.shapes" -- "$@"
    step reset_with calls "$HONE" with --db "$OUT/reset.db" -- "$@"
    for how in record with; do
        if cmp "$OUT/reset_plain.json" "$OUT/reset_$how.json"; then
            echo "reset, $how: the same"
        else
            status=1
        fi
    done
    cat "$OUT/reset_plain.json"
    grep -a 'answered by' "$OUT/reset_with.log"
}
# What a call costs its caller, in turns: of a product that is only counted, and of
# one that ours answer, whose rows are odd unless COST_DIMS has others.
cost() {
    answers=gemm/sm90
    [ "$DEVICE" != cpu ] || answers=gemm/plain
    echo "$COST_DIMS" | awk '{ print "gemm " $2 "," $1 "," $3 ",f16,f16,0,0,ADD=0" }' \
        >"$scratch/answered"
    step cost_tune hone tune "$answers" --shapes "$scratch/answered" --budget 40 -q \
        --no-portfolio --db "$OUT/cost.db"
    "$tests/blas_baseline" "$OUT/cost.db" 1000
    for turn in 1 2 3; do
        for dims in "1 1 1" "$COST_DIMS"; do
            for how in "" "$HONE record -q --" "$HONE with -q --db $OUT/cost.db --"; do
                # shellcheck disable=SC2086 # several words
                step cost calls $how "$tests/bench_calls" "${COST_CALLS:-20000}" $dims \
                    >"$scratch/said" || cat "$scratch/said"
                echo "$turn, $dims, ${how:-plain}:" | sed 's/[^ ]*hone \([a-z]*\) .*/\1/'
                cat "$OUT/cost.json"
            done
        done
    done
}
operators() {
    printf 'gemm %s\n' 24,56,40,f32,f32,0,1 24,40,56,f32 \
        40,56,24,f32,f32,1,0 56,40,24,f32,f32,1,0 >"$scratch/torch"
    step torch_tune hone tune gemm/plain --shapes "$scratch/torch" -q
    step torch env PYTHONPATH="$here/../../runtime" \
        LD_LIBRARY_PATH="$(dirname "$HONE")/../lib:${LD_LIBRARY_PATH:-}" \
        python3 "$here/../consumer/torch_products.py" "$DEVICE"
    cat "$OUT/torch.json"
}
# model NAME MODEL [--compile]: by turns plain and answered.
model() {
    of=$1
    shift
    rm -f "$OUT/$of.shapes"
    step "${of}_record" "$HONE" record -o "$OUT/$of.shapes" -- \
        python3 "$here/blas_models.py" "$@" --steps 5
    step "${of}_padded" python3 "$here/blas_models.py" "$@" --pad 64
    step "${of}_tune" timeout -s INT "$TUNE_MAX" "$HONE" tune --device "$DEVICE" \
        --shapes "$OUT/$of.shapes" \
        --budget "$BUDGET" --no-portfolio -q
    for turn in $(seq "$TURNS"); do
        step "${of}_plain_$turn" python3 "$here/blas_models.py" "$@"
        step "${of}_with_$turn" "$HONE" with -- \
            python3 "$here/blas_models.py" "$@"
    done
    # By how much losses differ if the library takes other algorithms.
    step "${of}_other" python3 "$here/blas_models.py" "$@" --library cublaslt
    cat "$OUT/${of}_padded.json" "$OUT/${of}"_plain_?.json \
        "$OUT/${of}"_with_?.json "$OUT/${of}_other.json"
    grep -a 'answered by tuned' "$OUT/${of}_with_1.log"
}
same_bits() {
    step same_plain python3 "$here/blas_same.py"
    step same_with "$HONE" with -- python3 "$here/blas_same.py"
    cat "$OUT/same_plain.json" "$OUT/same_with.json"
    grep -a 'answered by tuned' "$OUT/same_with.log"
}
for part in $parts; do
    case $part in
    calls) random_calls ;;
    sanitize) sanitize ;;
    reset) reset ;;
    cost) cost ;;
    torch) operators ;;
    same) same_bits ;;
    gpt2-compile) model gpt2-compile gpt2 --compile ;;
    *) model "$part" "$part" ;;
    esac
done
exit $status
