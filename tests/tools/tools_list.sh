#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone list: operations, their implementations, and where these apply; and
# templates that are called by operation and implementation.
. "$(dirname "$0")/hone_test.sh"
mkdir "$work/own"
cat >"$work/own/twice.cuh" <<'END'
#pragma once
#pragma hone op twice(n, T in {f32, f64} default f32) "y = 2*x"
#pragma hone arg x: in T[n], y: out T[n]
#pragma hone work flops(n) bytes(2*n*sizeof(T))
#pragma hone require n != 13 "nobody doubles thirteen"
#pragma hone check template.twice_plain tolerance(0) exact(100)
END
implementation() { # implementation NAME STATEMENT FACTOR
    cat >"$work/own/twice_$1.cu" <<END
#include "twice.cuh"
#pragma hone implements twice/$1 "the $1 way"
$2
#pragma hone launch k grid(ceildiv(n, 64)) block(64) args(x, y, i64(n))
extern "C" __global__ void k(const T *x, T *y, long long n)
{
    long long i = (long long)blockIdx.x * 64 + threadIdx.x;

    if (i < n)
        y[i] = $3 * x[i];
}
END
}
implementation small '#pragma hone require n < 1000 "made for little"' 2
implementation new '#pragma hone arch sm >= 90' 2
implementation gpu '#pragma hone device cuda "it asks for a GPU"' 2
cat >"$work/own/twice_plain.cu" <<'END'
#pragma hone op twice_plain(n, T in {f32, f64})
#pragma hone arg x: in T[n], y: out T[n]
#pragma hone launch k args(x, y, i64(n))
#pragma hone check none
extern "C" __global__ void k(const T *x, T *y, long long n)
{
    for (long long i = 0; i < n; ++i)
        y[i] = x[i] + x[i];
}
END
HONE_TEMPLATE_PATH=$work/own
export HONE_TEMPLATE_PATH

run 0 list twice --arch sm_80 --dims 5000 --format json
json operations.0.op=twice \
    "operations.0.signature=twice(n, T in {f32, f64} default f32)" \
    "operations.0.arguments=x: in T[n], y: out T[n]" \
    operations.0.implementations.0.name=gpu \
    operations.0.implementations.0.kind=template \
    operations.0.implementations.0.applies=true \
    operations.0.implementations.1.name=new \
    operations.0.implementations.1.applies=false \
    operations.0.implementations.2.name=small \
    operations.0.implementations.2.applies=false
out_has "made for little"
out_has "sm >= 90"
run 0 list twice --device cpu --format csv
out_has "it asks for a GPU"
[ "$(grep -c '^twice,' "$work/out")" -eq 3 ] || fail "a row each"
run 0 list --arch sm_90
out_has "twice_plain"
out_has "the small way"
# A type without default is the first, where nobody names one.
run 0 list twice_plain --arch sm_90 --format json
json operations.0.implementations.0.applies=true
run 3 list twice_plain --dims 5 --arch sm_90
err_has "takes 2 dimensions"
run 0 list twice/new --arch sm_90
out_has "the new way"
grep -q "the small way" "$work/out" && fail "not asked for"
run 0 list twice --dims 13 --arch sm_90
out_has "twice.cuh:5:22: 'n != 13' (nobody doubles thirteen) rejects every"
run 3 list thrice
err_has "there is no operation 'thrice'"
run 2 list --dims 4
err_has "--dims belong to one operation"

# What stands in for a GPU says why.
HONE_CUDA_LIBRARY=$work/none/libcuda.so.1
export HONE_CUDA_LIBRARY
run 0 list twice
out_has "device: sm_90 (no NVIDIA driver)"
err_empty
HONE_CUDA_LIBRARY=libm.so.6
run 0 list twice --verbose
out_has "device: sm_90 ('libm.so.6' has no function "
err_has "the NVIDIA driver is too old; install driver"

# Mistakes do not keep it from listing the others, and are not passed over.
echo '#pragma hone implements twice/broken' >"$work/own/twice_broken.cu"
run 3 list --arch sm_90 --format json
out_has '"the small way"'
out_has '"name": "broken", "kind": "template", "applies": false'
err_has "twice_broken.cu:1:14: error: 'implements' needs the contract"
err_has "hone: error: $work/own/twice_broken.cu:1:14: "
run 3 list twice/broken --arch sm_90
run 0 list twice/small --arch sm_90
rm "$work/own/twice_broken.cu"

# The shapes of the contract, as --dims takes them; tune takes them, too.
run 0 list twice --arch sm_90 --format json
json operations.0.shapes=[]
sed -i '$a#pragma hone shapes (5) (1K, f64)' "$work/own/twice.cuh"
run 0 list twice --arch sm_90 --format json
json operations.0.shapes.0=5,f32 operations.0.shapes.1=1024,f64
if command -v "${CXX:-c++}" >/dev/null; then
    run 0 tune twice --device cpu --db "$work/db" --format json
    json shapes.0.dims.0=5 shapes.1.dims.0=1024 shapes.1.dims.1=f64
    run 0 tune twice --dims 7 --device cpu --db "$work/db" --format json
    json shapes.0.dims.0=7
    grep -q '"dims": \[1024' "$work/out" && fail "not asked for"
fi
sed -i '$d' "$work/own/twice.cuh"

# Vendors' functions and references are implementations, too.
sed -i '$a#pragma hone vendor cublas.axpy, cufft.c2c' "$work/own/twice.cuh"
implementation plainest '' 2
sed -i 's|twice/plainest|& reference|' "$work/own/twice_plainest.cu"
run 0 list twice --device cpu --format json
json operations.0.implementations.0.name=cublas \
    operations.0.implementations.0.kind=vendor \
    operations.0.implementations.0.applies=false \
    "operations.0.implementations.0.reason=it is a function of NVIDIA's library" \
    operations.0.implementations.1.name=cufft \
    operations.0.implementations.1.kind=vendor \
    operations.0.implementations.2.name=gpu \
    operations.0.implementations.2.kind=template \
    operations.0.implementations.4.name=plainest \
    operations.0.implementations.4.kind=reference \
    operations.0.implementations.4.applies=true
run 0 list twice --arch sm_90 --format json
json operations.0.implementations.0.kind=vendor \
    operations.0.implementations.0.applies=true
# As long as there is one beside the reference, the operation's name means it.
mkdir "$work/aside"
mv "$work/own/twice_new.cu" "$work/own/twice_gpu.cu" "$work/aside"
run 0 space twice --count --verbose
err_has "template $work/own/twice_small.cu"
mv "$work/aside/"*.cu "$work/own"
rm "$work/own/twice_plainest.cu"
sed -i '$d' "$work/own/twice.cuh"
# A template of that operation in an earlier folder is meant in their place.
mkdir "$work/first"
sed 's/op twice_plain(n, /op twice(n, m, k, /' "$work/own/twice_plain.cu" \
    >"$work/first/mine.cu"
HONE_TEMPLATE_PATH=$work/first:$work/own run 3 tune twice --dims 5,f32,7,8,9 \
    --device cpu
err_has "twice(n, m, k, T"
HONE_TEMPLATE_PATH=$work/own:$work/first run 3 tune twice --dims 5,f32,7,8,9 \
    --device cpu
err_has "twice(n, T"
# Folders in a folder are on the path, if they have templates; hidden ones not.
mkdir -p "$work/path/family" "$work/path/text" "$work/path/.hidden"
mv "$work/first/mine.cu" "$work/path/family/mine.cu"
sed 's/op twice(/op thrice(/' "$work/path/family/mine.cu" \
    >"$work/path/.hidden/thrice.cu"
HONE_TEMPLATE_PATH=$work/path run 0 list twice --arch sm_90 --format json
json operations.0.implementations.0.name=mine
HONE_TEMPLATE_PATH=$work/path run 3 list thrice --arch sm_90
# The shipped ones.
for op in saxpy fft fft_filter gemm; do
    run 0 list $op --device cpu --format csv
    grep -q "^$op,[a-z]*,vendor,false,.*of NVIDIA's library" "$work/out" ||
        fail "$op: vendors: $(cat "$work/out")"
    grep -q "^$op,plain,reference,true," "$work/out" ||
        fail "$op: the reference: $(cat "$work/out")"
done

# By name, where a template is taken.
run 0 space twice/small --count
out_is 1
run 3 space twice --count
err_has "has 3 implementations"
err_has "twice/small"
run 0 verify twice/small --device cpu
implementation small '' 3
run 1 verify twice/small --device cpu
