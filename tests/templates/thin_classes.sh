#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gemm/sm90_thin on the cpu device, where copies and products of Hopper are imitated
# (thin/thin_host.cuh): which rows are of a class, where each begins, what the maps show,
# in which order the small factor comes, what becomes zero, and how parts are added up;
# mistakes are found. No clusters.
#
#   thin_classes.sh [EVERY]: every so many of the mistakes are tried; 1 (default): and all forms
folder=thin every=${1:-1}
. "$(dirname "$0")/imitated.sh"
sed -i 's/CUtensorMap/thin_map/g' "$work/gemm_sm90_slots.cuh"
sed -f "$work/imitate.sed" "$HONE_SOURCE/templates/gemm/gemm_sm90_thin.cu" >"$work/$imitated"
small=SWAP=true,CLASSES=8,BM=64,BN=24,STAGES=3
across=20,131,203,f16,f16 along=20,131,203,bf16,f32,0,1
gaps=20,131,203,f16,f16,0,1,210,205,140
right $across $small
right $along "$small,SPLIT=2"
right 203,40,131,f16,f16 SWAP=false,CLASSES=8,BM=128,BN=40,GATHER=true,STAGES=3
if [ "$every" -eq 1 ]; then
    right 20,131,1100,f16,f16,1,0 "$small,SPLIT=2,GATHER=true"
    right 20,202,150,f16,f16,ADD=0 SWAP=true,CLASSES=4,BM=64,BN=24,STAGES=4
    right 20,204,150,f16,f32 SWAP=true,CLASSES=2,BM=128,BN=16,STAGES=3
    right 203,40,131,f16,f32,1,1 SWAP=false,CLASSES=8,BM=128,BN=40,STAGES=3
    right 200,331,203,bf16,bf16 SWAP=true,CLASSES=8,BM=256,BN=112,STAGES=3
    right $gaps "$small,GATHER=true"
    right 20,131,600,f16,f16,0,0,,149 "$small,SPLIT=2"
fi
thin=$imitated
planted $thin 'begin % 8' 'begin % 4' $across $small
planted $thin 'line + r - ahead' 'line + r' $across $small
planted $thin '(line + r) \* CLASSES + which' '(line + r) * CLASSES' $along $small
planted $thin 'tile \/ CLASSES) \* HEIGHT' 'tile \/ CLASSES) * HEIGHT \/ 2' 20,1131,203,f16,f16,0,1 $small
planted $thin 'steps \* (part + 1)' 'steps * part + 1' $along "$small,SPLIT=1"
planted $thin '(IN_LAST - 1)\*LDB + COLS_B' '(IN_LAST - 1)*LDB + 1' $along $small
planted $thin 'which < in_last' 'which <= in_last' $across $small
planted $thin 'from > 0 ||' 'from > 8 ||' $gaps $small
planted $thin 'end < 64' 'end < 8' $gaps $small
planted $thin 'e < low || e >= high' 'e < low' $gaps $small
planted $thin 'piece ^ row % 8) \* 16);' 'piece) * 16);' $gaps $small
planted $thin 'which + (first + e) \* CLASSES' 'which + first + e * CLASSES' $across $small
planted $thin 'first + e - which \* ldx % 8' 'first + e' $along $small
planted $thin '(piece ^ row % 8)\]' 'piece]' $across $small
planted $thin 'mine.which + k \* CLASSES' 'mine.which + k' $across "$small,GATHER=true"
planted $thin 'k - mine.ahead' 'k' $along "$small,GATHER=true"
planted $thin 'p \/ 4 ^ r % 8' 'p \/ 4' $along "$small,GATHER=true"
planted $thin 'i % 2 \* 8 + lane' 'i % 2 * 4 + lane' $across $small
planted $thin 'share \* parts \/ SHARES; part' 'share * parts \/ SHARES + 1; part' $across $small
planted $thin 'SWAP ? i % DOWN : i \/ 32' 'i \/ 32' 20,131,1203,f16,f16 "$small,SPLIT=2"
planted gemm_sm90_thin_space.cuh 'ROWS + (HEIGHT < BM ? 0 : MOST_AHEAD)' ROWS 20,64,203,f16,f16,0,0,,131 $small
planted gemm_sm90_thin_space.cuh 'K + MOST_AHEAD' K 20,131,192,f16,f16,0,1,,203 $small
