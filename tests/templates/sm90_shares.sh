#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How blocks of a cluster that share K add up a tile (gemm_sm90_shares.cuh), on the cpu
# device: each sum is sent to one place, all arrive, and belong where they are written;
# mistakes are found.
#
#   sm90_shares.sh [EVERY]: every so many of the mistakes are tried; 1 (default): and all
#   shapes
folder=shares every=${1:-1}
. "$(dirname "$0")/imitated.sh"
right 130,100,520,f16,f16,0,0 BM=64,BN=8,CONSUMERS=1,SPLIT_K=8
more 72,130,512,bf16,f32,1,0,BATCH=2 BM=128,BN=48,CONSUMERS=1,SPLIT_K=4,SWAP=true
right 130,100,512,f16,f16,0,1,EPILOGUE=36 BM=128,BN=80,CONSUMERS=2,SPLIT_K=2
more 270,100,1600,f16,f16,1,1 BM=256,BN=48,CONSUMERS=2,SPLIT_K=24
right 100,70,1600,f16,f32,0,0,EPILOGUE=6 BM=64,BN=128,CONSUMERS=1,SPLIT_K=24,SWAP=true
shares=gemm_sm90_shares.cuh
dims=130,70,1600,f16,f16,0,0 config=BM=256,BN=48,CONSUMERS=2,SPLIT_K=24
planted $shares '(all \* WIDE + wide) \* 128' '(all * WIDE) * 128' $dims $config
planted $shares 'i % WIDE \* 32' 'i % WIDE * 64' $dims $config
planted $shares '(later != 0)' '(later == 3)' $dims $config
planted $shares 'at + j \* of::SIZE' 'at + (j + 1) % P::K_BLOCKS * of::SIZE' $dims $config
planted $shares 'i \* THREADS + (int)' 'i * 128 + (int)' $dims $config
planted $shares '(t.id \* P::K_BLOCKS + rank)' 't.id' $dims $config
planted $shares ' \* of::PLACES;' ' * of::SIZE;' $dims $config
planted gemm_sm90_parts.cuh 't.part \* SHARED_K + rank' 't.part * SHARED_K' $dims $config
