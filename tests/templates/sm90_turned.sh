#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How a transposed tile gets to C (gemm_sm90_turned.cuh), on the cpu device: what is
# staged is what boxes of the copy engine read, for tiles of every width, and what warps
# write where it cannot; mistakes are found.
#
#   sm90_turned.sh [EVERY]: every so many of the mistakes are tried; 1 (default): and all
#   widths and shapes
folder=turned every=${1:-1}
. "$(dirname "$0")/imitated.sh"
f16_widths="16 104 256" f32_widths="240"
if [ "$every" -eq 1 ]; then
    f16_widths="16 48 72 80 96 104 128 160 192 200 224 256" f32_widths="32 64 104 112 144 176 208 240"
fi
for width in $f16_widths; do
    right "$((width + 35)),152,6,f16,f16" "WM=64,BN=$width"
done
for width in $f32_widths; do
    right "$((width + 35)),153,6,f16,f32" "WM=128,BN=$width,BUFFERS=1"
done
right 300,264,6,bf16,bf16,0,1,EPILOGUE=36 WM=128,BN=112,BUFFERS=4
more 130,264,6,f16,f32,1,1,EPILOGUE=6 WM=64,BN=80,BUFFERS=1
more 100,136,6,f16,f16,1,0,BATCH=3 WM=128,BN=32
right 100,131,6,f16,f16,BATCH=3 WM=64,BN=48,BUFFERS=1
more 300,197,6,bf16,bf16,EPILOGUE=36 WM=128,BN=224
right 300,197,6,f16,f32,0,0,,,203 WM=64,BN=144,BUFFERS=4
more 200,304,6,f16,f16,0,0,ADD=0 WM=128,BN=240
more 211,393,6,f16,f16 WM=192,BN=80,BUFFERS=1
right 211,393,6,f16,f32 WM=192,BN=80,BUFFERS=1
more 112,384,6,bf16,bf16,EPILOGUE=36 WM=192,BN=112,BUFFERS=1
turned=gemm_sm90_turned.cuh
f16=300,264,6,f16,f16
f32=300,264,6,f16,f32
wide=WM=128,BN=112
planted $turned 'lane \/ 8 % 2 \* 8' 'lane \/ 16 * 8' $f16 $wide
planted $turned 'lane \/ 16 \* 8 + lane % 8' 'lane % 16' $f16 $wide
planted $turned 'at_row, a, b);' 'at_row + 16, a, b);' 300,264,6,f16,f16 WM=128,BN=104
planted $turned 'i \* HEIGHT + c \* ROW' 'i * BLOCK + c * ROW' $f32 $wide
planted $turned '+ row \* 8)' '+ row * 16)' $f32 $wide
planted $turned '+ col, lane_row' ', lane_row' $f16 $wide
planted $turned 't.row + j \* PHASE, row + i' 't.row, row + i' $f16 $wide
planted $turned 't.row + j \* PHASE, row + i' 't.row + j * PHASE, row' $f16 $wide
planted $turned 't.row + j \* PHASE, t.col' 't.row, t.col' $f16 $wide
planted $turned 'min(c.cols, t.col + WIDTH)' 'c.cols' 300,197,6,f16,f16,ADD=0 $wide
planted $turned 'COUNT \/ plain::PIECE <= 32' 'COUNT > 0' 211,393,6,f16,f32 WM=192,BN=80,BUFFERS=1
planted $turned '(BUFFERS - 1) \* PHASE' 'BUFFERS * PHASE' $f32 $wide
planted $turned 'parity ^= 1u << next' 'parity ^= 1u' $f32 $wide
