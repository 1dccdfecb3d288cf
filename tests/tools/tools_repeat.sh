#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Launches that are repeated, on the cpu device: as often as the dims say, with
# the arrays that each repetition picks, one by one and in groups; tuned,
# stored and launched again. No GPU and no NVRTC.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/repeat.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_NVRTC_LIBRARY=/nonexistent/libnvrtc.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY HONE_NVRTC_LIBRARY
cp "$fixtures/smooth.cu" "$fixtures/smooth_plain.cu" "$work"
smooth=$work/smooth.cu

run 0 verify "$smooth" --format json
json checked=3 failed=0
run 0 verify "$fixtures/exchange_sort.cu" --dims 301 --format json
json checked=1 failed=0

# The array that a repetition reads is the one that was written last.
sed 's/(PASSES - PASS) % 2/(PASSES - 1 - PASS) % 2/' "$smooth" >"$work/wrong.cu"
run 1 verify "$work/wrong.cu" --dims 100,5 --format json
json checked=3
# So is the number of steps of the last one.
sed 's/min(S, STEPS - PASS\*S)/S/' "$smooth" >"$work/wrong.cu"
run 1 verify "$work/wrong.cu" --dims 100,5 --format json
json checked=3 failed=2

run 0 tune "$smooth" --dims 100,7 --device cpu --strategy exhaustive --format json
json shapes.0.outcomes.ok=3
run 0 run "$smooth" --dims 100,7 --device cpu --format json
json correct=true
run 0 run "$smooth" --dims 100 --device cpu --format json
json correct=true

# No repetition at all, of an operation where that is the input: only the plain
# implementation applies, and wins.
HONE_TEMPLATE_PATH=$HONE_SOURCE/templates
export HONE_TEMPLATE_PATH
run 0 tune stencil2d --dims 5,7,0 --device cpu --budget 2 --format json
json shapes.0.outcomes.ok=1
run 0 run stencil2d --dims 5,7,0 --device cpu --format json
json correct=true implementation=plain
run 0 run stencil2d --dims 6,8,0 --device cpu --format json
json correct=true implementation=plain
unset HONE_TEMPLATE_PATH

# More launches than there may be, and how it is said.
run 1 tune "$smooth" --dims 5,1000001 --device cpu --db "$work/many.db" \
    --strategy exhaustive --format json
err_has "at most 1000000 are allowed"

# refused EXPRESSION WORDS: a mistake, with its place.
refused() {
    sed -e "$1" "$smooth" >"$work/refused.cu"
    run 3 expand "$work/refused.cu"
    err_has "refused.cu:"
    err_has "$2"
}
refused 's/block(BLOCK)/block(PASS)/' "'PASS' is the number of a repetition"
refused 's/^#pragma hone check/#pragma hone let L = PASS\n&/' \
    "'PASS' is the number of a repetition"
refused 's/other, x)/other, n)/' "'n' is a value"
