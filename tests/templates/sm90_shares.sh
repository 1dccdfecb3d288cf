#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How blocks of a cluster that share K add up a tile (gemm_sm90_shares.cuh), on the cpu
# device: each sum is sent to one place, all arrive, and belong where they are written;
# mistakes are found.
#
#   sm90_shares.sh [EVERY]: every so many of the mistakes are tried (1)
. "$(dirname "$0")/../tools/hone_test.sh"
every=${1:-1} n_planted=0
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
cp "$HONE_SOURCE"/templates/*.cuh "$HONE_SOURCE"/templates/gemm/*.cuh \
    "$HONE_SOURCE"/tests/templates/shares/* "$work"
# right DIMS CONFIG
right() {
    run 0 verify "$work/gemm_shares.cu" --device cpu --format json --limit 1 \
        --dims "$1" --config "$2"
    json failed=0
    ! grep -q '"checked": 0' "$work/out" || fail "$1 $2: nothing was checked"
}
right 130,100,520,f16,f16,0,0 BM=64,BN=8,CONSUMERS=1,SPLIT_K=8
right 72,130,512,bf16,f32,1,0,BATCH=2 BM=128,BN=48,CONSUMERS=1,SPLIT_K=4,SWAP=true
right 130,100,512,f16,f16,0,1,EPILOGUE=36 BM=128,BN=80,CONSUMERS=2,SPLIT_K=2
right 270,100,1600,f16,f16,1,1 BM=256,BN=48,CONSUMERS=2,SPLIT_K=24
right 100,70,1600,f16,f32,0,0,EPILOGUE=6 BM=64,BN=128,CONSUMERS=1,SPLIT_K=24,SWAP=true
mkdir "$work/planted"
# planted FILE PATTERN REPLACEMENT: it is found.
planted() {
    cp "$work"/*.cuh "$work/gemm_shares.cu" "$work/planted"
    sed "s/$2/$3/" "$work/$1" >"$work/planted/$1"
    ! cmp -s "$work/$1" "$work/planted/$1" || fail "$1 has changed: no '$2'"
    n_planted=$((n_planted + 1))
    if [ $((n_planted % every)) -ne 0 ]; then
        return 0
    fi
    run 1 verify "$work/planted/gemm_shares.cu" --device cpu --limit 1 --format json \
        --dims 130,70,1600,f16,f16,0,0 --config BM=256,BN=48,CONSUMERS=2,SPLIT_K=24
    grep -q '"wrong"' "$work/out" || fail "planted $3: not found wrong"
}
shares=gemm_sm90_shares.cuh
planted $shares '(all \* WIDE + wide) \* 128' '(all * WIDE) * 128'
planted $shares 'i % WIDE \* 32' 'i % WIDE * 64'
planted $shares '(later != 0)' '(later == 3)'
planted $shares 'at + j \* of::SIZE' 'at + (j + 1) % P::K_BLOCKS * of::SIZE'
planted $shares 'i \* THREADS + (int)' 'i * 128 + (int)'
planted $shares '(t.id \* P::K_BLOCKS + rank)' 't.id'
planted $shares ' \* of::PLACES;' ' * of::SIZE;'
planted gemm_sm90_parts.cuh 't.part \* SHARED_K + rank' 't.part * SHARED_K'
