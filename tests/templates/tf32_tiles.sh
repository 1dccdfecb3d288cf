#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gemm/mma with tf32 on the cpu device: each layout, rows that begin anywhere, packed
# or copied by 4 and 8 bytes, parts of K; and defects, which are found. And that
# factors are rounded to the nearest, which the contract does not ask for.
. "$(dirname "$0")/../tools/hone_test.sh"
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
cp "$HONE_SOURCE"/templates/*.cuh "$HONE_SOURCE"/templates/gemm/*.cuh \
    "$HONE_SOURCE/templates/gemm/gemm_mma.cu" "$work"
# right DIMS CONFIG
right() {
    run 0 verify "$work/gemm_mma.cu" --device cpu --format json --limit 1 \
        --dims "$1" --config "$2"
    json failed=0
    ! grep -q '"checked": 0' "$work/out" || fail "$1 $2: nothing was checked"
}
for layout in 0,0 0,1 1,0 1,1; do
    right "37,71,131,tf32,f32,$layout" BM=64,BN=64,BK=32,WM=32,WN=32
    right "37,71,131,tf32,f32,$layout,EPILOGUE=6" \
        BM=32,BN=32,BK=32,WM=16,WN=16,VEC_A=2,VEC_B=2
    right "14,62,1030,tf32,f32,$layout" \
        BM=16,BN=64,BK=64,WM=16,WN=16,VEC_A=4,VEC_B=4,SPLIT_K=4,FINISH=reduce
done
run 0 verify "$work/gemm_mma.cu" --device cpu --sanitize --limit 1 \
    --dims 37,71,131,tf32,f32,1,0,BATCH=3 --format json \
    --config BM=64,BN=64,BK=32,WM=32,WN=32
json failed=0
mkdir "$work/planted"
# planted FILE PATTERN REPLACEMENT LAYOUT: it is found.
planted() {
    cp "$work"/*.cuh "$work/gemm_mma.cu" "$work/planted"
    sed "s/$2/$3/" "$work/$1" >"$work/planted/$1"
    ! cmp -s "$work/$1" "$work/planted/$1" || fail "$1 has changed: no '$2'"
    run 1 verify "$work/planted/gemm_mma.cu" --device cpu --limit 1 --format json \
        --dims "37,71,131,tf32,f32,$4" --config BM=64,BN=64,BK=32,WM=32,WN=32
    grep -q '"wrong"' "$work/out" || fail "planted $3: not found wrong"
}
planted gemm_mma_tf32.cuh 'its::moved(col \/ 8)' 'col \/ 8' 0,0
planted gemm_mma_tf32.cuh 'further + 2 \* deeper :' 'deeper + 2 * further :' 1,0
planted gemm_mma_tf32.cuh ': deeper + 2 \* further' ': further + 2 * deeper' 0,0
planted gemm_mma_tf32.cuh ' ^ lies::turn(row))' ')' 1,1
planted gemm_mma.cu 'i64(LDA\*T_WORDS)' 'i64(LDA)' 0,1
# 1 + 3/4096 is nearer to 1 + 1/1024 than to 1, which the numbers below 5,000 tell
# from one another.
mkdir "$work/nearest"
cp "$work"/*.cuh "$work/gemm_mma.cu" "$work/nearest"
sed 's/A: in \(.*\)$/A: in \1 constant(1.000732421875)/
    s/B: in \(.*\)$/B: in \1 constant(1.0)/
    s/T == tf32 ? 33000/T == tf32 ? 5000/
    s/exact(INTEGERS)/exact(0)/' "$HONE_SOURCE/templates/gemm/gemm.cuh" \
    >"$work/nearest/gemm.cuh"
[ "$(grep -c 'constant(1.0\|? 5000\|exact(0)' "$work/nearest/gemm.cuh")" -eq 5 ] ||
    fail "gemm.cuh has changed"
run 0 verify "$work/nearest/gemm_mma.cu" --device cpu --limit 1 --format json \
    --dims 37,71,131,tf32,f32,ADD=0 --config BM=64,BN=64,BK=32,WM=32,WN=32
json failed=0
sed 's/bits + 0x1000u/bits/' "$work/hone_tf32.cuh" >"$work/nearest/hone_tf32.cuh"
run 1 verify "$work/nearest/gemm_mma.cu" --device cpu --limit 1 --format json \
    --dims 37,71,131,tf32,f32,ADD=0 --config BM=64,BN=64,BK=32,WM=32,WN=32
grep -q '"wrong"' "$work/out" || fail "factors that are cut off: not found wrong"
