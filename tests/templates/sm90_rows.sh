#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How rows that the copy engine cannot write get to C (gemm_sm90_rows.cuh), on the cpu
# device: from tiles of every width, rows that begin and end anywhere, alone and in runs;
# mistakes are found.
#
#   sm90_rows.sh [EVERY]: every so many of the mistakes are tried; 1 (default): and all widths
folder=rows every=${1:-1}
. "$(dirname "$0")/imitated.sh"
cp "$HONE_SOURCE/tests/templates/turned/copies_imitated.cuh" "$work"
f16_widths="16 80 128 176" f32_widths="48 112"
if [ "$every" -eq 1 ]; then
    f16_widths="16 32 48 64 80 96 112 128 144 160 176 192 224 256"
    f32_widths="16 32 48 64 80 112 128 144 176 208 240 256"
fi
# Rows an odd number of elements apart begin in all places of a sector.
for width in $f16_widths; do
    right "83,$((width + 35)),4,f16,f16,ADD=0,LDC=$((width + 36 + width / 16 % 2))" \
        "WM=64,BN=$width"
done
for width in $f32_widths; do
    right "131,$((width * 2 + 3)),4,f16,f32,ADD=0" "WM=128,BN=$width,BUFFERS=1"
done
# Two, four or eight elements apart, or whole pieces; ends within any piece.
right 70,128,4,bf16,bf16,0,0,,,130,ADD=0 WM=64,BN=128
right 70,126,4,f16,f16,0,0,,,132,ADD=0 WM=64,BN=128
right 70,253,4,f16,f16,0,0,,,264 WM=64,BN=128,BUFFERS=4
right 70,129,4,f16,f32,0,0,,,130 WM=64,BN=128,BUFFERS=4
right 3,3,2,f16,f16 WM=64,BN=64
# A lane has 12 rows of a tile of 192.
right 211,131,4,f16,f16,ADD=0 WM=192,BN=96,BUFFERS=1
right 389,241,4,f16,f32 WM=192,BN=80,BUFFERS=1
right 199,259,4,f16,f16 WM=192,BN=128
right 90,61,4,bf16,bf16,BATCH=3,EPILOGUE=36 WM=64,BN=48,BUFFERS=1
right 90,277,4,f16,f16,0,1 WM=128,BN=128,RUN=2
right 90,413,4,f16,f32,1,0,ADD=0 WM=64,BN=96,RUN=3
right 90,300,4,f16,f16,0,0,,,303 WM=64,BN=176,RUN=2,BUFFERS=1
rows=gemm_sm90_rows.cuh store=gemm_sm90_store.cuh
odd=83,213,4,f16,f16,ADD=0
wide=WM=64,BN=128
planted $rows 'first + WIDE : first' 'first : first' $odd $wide
planted $rows 'at_low < 0 ? at_low + OF_ROW' 'at_low < 0 ? at_low' $odd $wide
planted $rows 'at_high < 0 ? at_high + OF_ROW' 'at_high < 0 ? at_high' $odd $wide
planted $rows 'at_low + (off > 0)' 'at_low' $odd $wide
planted $rows 'in_ring + PIECE <= count' 'in_ring < count' $odd $wide
planted $rows 'from + PIECE <= count' 'from < count' $odd $wide
planted $rows '\&\& j \* STEP < rows' '' $odd $wide
planted $rows '(PIECE - off) % PIECE \* S::SIZE' 'off * S::SIZE' $odd $wide
planted $rows 'c.rows - row - slot' 'c.rows - row' $odd $wide
planted $rows 'PIECE \* PIECE - off + q' 'PIECE * PIECE + q' $odd $wide
planted $rows 'if (count % PIECE != 0)' 'if (false)' $odd $wide
planted $rows 'last >= q : off > 0' 'true : off > 0' 83,3,4,f16,f16,0,0,,,6,ADD=0 $wide
planted $rows 'rows -= AT_ONCE \* STEP' 'rows -= 0' 200,163,4,f16,f16,ADD=0 WM=128,BN=128
planted $rows 'start += AT_ONCE \* step' 'start += STEP' $odd WM=128,BN=128
planted $rows '(i + j) \* step + last' 'i * step + last' $odd $wide
planted $store 'PHASES \* PHASE - ROUND;' 'PHASE;' $odd WM=64,BN=208
planted $store 'max(end - ROUND, 0)' '0' $odd WM=64,BN=208,BUFFERS=1
planted $store '                    next = 0;' '' $odd WM=64,BN=160
runs=83,400,4,f16,f16
planted $rows '(before || q >= skipped)' '(q >= skipped)' $runs WM=64,BN=128,RUN=2
planted $rows 'next >= 0 ? S::LINE : S::EDGE' 'S::LINE' $runs WM=64,BN=128,RUN=2
planted $store 'segment + EDGE_SETS - 1' 'segment' $runs WM=64,BN=128,RUN=2
planted gemm_sm90_staging.cuh 'end - SECTOR + i' 'end + i' $runs WM=64,BN=128,RUN=2
