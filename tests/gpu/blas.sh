#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that call NVIDIA's cuBLAS and know nothing of hone: random calls, which
# must give the same plain, recorded and answered, the latter under
# compute-sanitizer, too; then models, plain, padded by hand, and answered.
#
#     sh tests/gpu/blas.sh FOLDER [PART..]
#
# PART: calls, sanitize, cost, torch (hone.linear() and its kin), gpt2, same (its head's
# products give the same bits each time), gpt2-compile, llama, llama-generate, bert
# (default: all). CALLS: random calls (10000). BUDGET: what the shapes of a model
# are tuned with (120s), which finals go beyond, up to TUNE_MAX (600) seconds. TURNS: of a model (3). SEED: of the calls (11). CUBLAS: the folder of
# libcublas.so.13 (/usr/local/cuda/lib64). blas_models.py says what the models are.
. "$(dirname "$0")/steps.sh"
here=$(dirname "$0")
shift
CALLS=${CALLS:-10000}
BUDGET=${BUDGET:-120s}
TUNE_MAX=${TUNE_MAX:-600}
SEED=${SEED:-11}
TURNS=${TURNS:-3}
CUBLAS=${CUBLAS:-/usr/local/cuda/lib64}
tests=$(dirname "$HONE")/../tests
parts=${*:-calls sanitize cost torch gpt2 same gpt2-compile llama llama-generate bert}
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
same() {
    if cmp -s "$OUT/calls_plain.json" "$OUT/$1.json"; then
        echo "$1: the same results"
    else
        echo "$1: OTHER RESULTS"
        diff "$OUT/calls_plain.json" "$OUT/$1.json" | head -n 5
        status=1
    fi
}
random_calls() {
    step calls_plain calls "$tests/blas_calls" "$CALLS" "$SEED" 8
    rm -f "$OUT/calls.shapes"
    step calls_record calls "$HONE" record -o "$OUT/calls.shapes" -- \
        "$tests/blas_calls" "$CALLS" "$SEED" 8
    same calls_record
    grep '^gemm' "$OUT/calls.shapes" | sort -k 3,3nr | head -n 8 |
        awk '{ print $1, $2, $3 }' >"$scratch/top"
    step calls_tune hone tune --shapes "$scratch/top" --budget 40 -q
    for check in 0 5; do
        every=
        [ $check -eq 0 ] || every="--check-every $check"
        # shellcheck disable=SC2086 # none, or an option and its value
        step "calls_with_$check" calls "$HONE" with $every -- \
            "$tests/blas_calls" "$CALLS" "$SEED" 8
        same "calls_with_$check"
        grep -a 'answered by\|both ways\|WRONG' "$OUT/calls_with_$check.log"
    done
}
sanitize() {
    step calls_sanitized calls compute-sanitizer --error-exitcode 9 \
        --report-api-errors no \
        --target-processes all "$HONE" with -- "$tests/blas_calls" 300 \
        "$SEED" 8
    tail -n 1 "$OUT/calls_sanitized.json"
}
cost() {
    step cost_plain calls "$tests/bench_calls" 20000
    step cost_record calls "$HONE" record -q -- "$tests/bench_calls" 20000
    step cost_with calls "$HONE" with -q -- "$tests/bench_calls" 20000
    cat "$OUT/cost_plain.json" "$OUT/cost_record.json" "$OUT/cost_with.json"
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
    cost) cost ;;
    torch) operators ;;
    same) same_bits ;;
    gpt2-compile) model gpt2-compile gpt2 --compile ;;
    *) model "$part" "$part" ;;
    esac
done
exit $status
