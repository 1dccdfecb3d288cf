#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gemm's own implementations on the cpu device: types, transpositions, epilogues, rows with
# gaps, matrices that overlap or lie side by side, and C that holds NaN with
# beta = 0; plain and under the sanitizers: this takes minutes.
#
#   tools_verify_gemm.sh [night]: by day fewer types, and fewer under the sanitizers, which
#   see one shape with odd sizes in place of nine
. "$(dirname "$0")/hone_test.sh"
"${CXX:-c++}" -print-file-name=libasan.so 2>/dev/null | grep -q / || {
    echo "there is no C++ compiler with AddressSanitizer"
    exit 77
}
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
# All types, and both transpositions.
day=0 n_types=9 n_wmma=9 n_plain=9 n_gaps=3 n_few=2 odd=
if [ "${1:-day}" = day ]; then
    day=1 n_types=5 n_wmma=2 n_plain=2 n_gaps=1 n_few=1 odd=$work/odd
    echo "gemm 61,37,113,f16,f32,BATCH=3" >"$odd"
fi
run 0 verify gemm/wmma --limit $n_wmma --format json
json checked=$n_wmma failed=0
if [ $day -eq 0 ]; then
    run 0 verify gemm/wmma --sanitize --limit 1 --format json
    json checked=2 failed=0
fi
run 0 verify gemm/mma --limit $n_types --format json
json checked=$n_types failed=0
run 0 verify gemm/mma --sanitize --limit 1 ${odd:+--shapes "$odd"} --format json
json checked=2 failed=0
# Rows that are aligned and have gaps; factors that overlap or lie between each
# other's rows, and results that lie side by side.
mkdir "$work/gaps"
cp "$HONE_SOURCE"/templates/*.cuh "$HONE_SOURCE"/templates/gemm/*.cu* \
    "$work/gaps"
sed 's/LDA from 0 default TRANS_A ? M : K,/LDA from 0 default align(TRANS_A ? M : K, 8)*7,/
    s/LDB from 0 default TRANS_B ? K : N,/LDB from 0 default align(TRANS_B ? K : N, 8),/
    s/LDC default N,/LDC default 7*N,/
    s/STRIDE_A from 0 default [^,]*,/STRIDE_A from 0 default align(TRANS_A ? M : K, 8),/
    s/STRIDE_B from 0 default [^,]*,/STRIDE_B from 0 default 8 + 0*M,/
    s/STRIDE_C default M\*LDC,/STRIDE_C default N,/' \
    "$HONE_SOURCE/templates/gemm/gemm.cuh" >"$work/gaps/gemm.cuh"
grep -q 'LDA from 0 default align(.*LDB from 0 default align(.*LDC default 7.*STRIDE_A from 0 default align(.*STRIDE_B from 0 default 8.*STRIDE_C default N,' \
    "$work/gaps/gemm.cuh" || fail "the defaults of gemm.cuh have changed"
run 0 verify "$work/gaps/gemm_plain.cu" --limit $n_plain --format json
json checked=$n_plain failed=0
run 0 verify "$work/gaps/gemm_mma.cu" --limit $n_gaps --format json
json checked=$n_gaps failed=0
run 0 verify "$work/gaps/gemm_wmma.cu" --sanitize --limit 1 --format json
json checked=2 failed=0
if [ $day -eq 0 ]; then
    run 0 verify "$work/gaps/gemm_wmma.cu" --limit 3 --format json
    json checked=3 failed=0
    run 0 verify "$work/gaps/gemm_simt.cu" --limit 4 --format json
    json failed=0
fi
# With beta = 0 it does not matter that C holds NaN.
mkdir "$work/nan"
cp "$HONE_SOURCE"/templates/*.cuh "$HONE_SOURCE"/templates/gemm/*.cu* \
    "$work/nan"
{
    printf '\223NUMPY\001\000\166\000%-117s\n' \
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }"
    printf '\000\000\300\177'
} >"$work/nan/nan.npy"
sed 's/C: inout \(.*\)$/C: inout \1 file("nan.npy")/
    s/beta: f32 from -ADD..ADD/beta: f32 constant(0.0)/
    s/OUT in {f32, f16, bf16, f64}/OUT in {f32}/
    /^#pragma hone shapes/d
    /^#pragma hone work/i #pragma hone require LDC == N \&\& STRIDE_C == M*N' \
    "$HONE_SOURCE/templates/gemm/gemm.cuh" >"$work/nan/gemm.cuh"
[ "$(grep -c 'nan.npy\|constant(0.0)\|OUT in {f32}\|require LDC == N' \
    "$work/nan/gemm.cuh")" -eq 4 ] || fail "gemm.cuh has changed"
for name in plain wmma mma; do
    run 0 verify "$work/nan/gemm_$name.cu" --limit $n_few --format json
    json checked=$n_few failed=0
done
run 0 verify "$work/nan/gemm_simt.cu" --limit $n_few --format json
json failed=0
# Epilogues, and defects in them: the bias of a tile's own columns, whatever tile
# it is; an activation that comes before the bias, or to parts of a sum.
set -- --device cpu --trial-timeout 600 --limit $n_few --format json
run 0 verify gemm/plain --dims 37,300,50,bf16,bf16,EPILOGUE=36 "$@"
json failed=0
for dims in 37,300,50,f16,f16,ADD=0,EPILOGUE=36 37,300,90,bf16,f32,EPILOGUE=6; do
    for name in wmma mma; do
        run 0 verify gemm/$name --dims "$dims" "$@"
        json failed=0
    done
done
mkdir "$work/planted"
# planted FILE PATTERN REPLACEMENT DIMS: it is found.
planted() {
    cp "$HONE_SOURCE"/templates/*.cuh "$HONE_SOURCE"/templates/gemm/*.cu* \
        "$work/planted"
    sed "s/$2/$3/" "$HONE_SOURCE/templates/gemm/$1" >"$work/planted/$1"
    ! cmp -s "$HONE_SOURCE/templates/gemm/$1" "$work/planted/$1" ||
        fail "$1 has changed: no '$2'"
    run 1 verify "$work/planted/gemm_wmma.cu" --dims "$4" --device cpu \
        --limit 1 --format json
    grep -q '"wrong"' "$work/out" || fail "planted $3: not found wrong"
}
planted gemm_wmma.cu 'bias + col;' 'bias;' 37,300,50,f16,f16,EPILOGUE=4
planted gemm_epilogue.cuh 's += b;' 's += KIND ? 0 : b;' \
    37,30,50,f16,f32,EPILOGUE=36
planted gemm_epilogue.cuh 's < W(0) ? W(0)' 's < W(-9) ? W(0)' \
    37,30,50,f16,f32,EPILOGUE=2
planted gemm_epilogue.cuh '0.10294324f' '0.10394324f' \
    37,30,50,bf16,f32,EPILOGUE=32
