#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gemm/sm90_across on the cpu device, where copies and products of Hopper are imitated
# (across/across_host.cuh): what the maps show, which rows a thread has from where in
# shared memory, what is packed, how parts of K meet, and where sums belong; mistakes are
# found. No clusters.
#
#   across_rows.sh [EVERY]: every so many of the mistakes are tried; 1 (default): and all forms
folder=across every=${1:-1}
. "$(dirname "$0")/imitated.sh"
sed -i 's/CUtensorMap/across_map/g' "$work/gemm_sm90_slots.cuh"
sed -f "$work/imitate_across.sed" "$HONE_SOURCE/templates/gemm/gemm_sm90_across.cu" >"$work/$imitated"
one=SWAP=true,CONSUMERS=1,HEIGHTS=1,BN=40,STAGES=3
two=SWAP=true,CONSUMERS=2,HEIGHTS=2,BN=40,STAGES=3
plain=37,260,203,tf32,f32,0,0,204
many=370,1060,103,tf32,f32,0,0,104
right $plain $one
right $plain "$two,SPLIT=3,K_BLOCKS=1"
grep -q '^#pragma hone launch gemm_sm90_across_pack.* early' "$work/$imitated" &&
    fail "gemm/sm90_across reads X before it waits for what packs Y"
right 1,4,1,tf32 "$one"
right $plain "$one,AHEAD=true"
right $plain "$two,SPLIT=3,K_BLOCKS=1,AHEAD=true"
right $many "$one,PERSISTENT=true"
right 260,37,203,tf32,f32,1,0,,41 SWAP=false,CONSUMERS=1,HEIGHTS=2,BN=24,STAGES=4
if [ "$every" -eq 1 ]; then
    right 37,261,203,tf32,f32,0,0,204,264,263,2 "$one"
    right 37,260,203,tf32,f32,0,0,,,263 "$two"
    right 37,132,70,tf32,f32,0,0,72,,,3,,9300 "$one"
    right 37,132,72,tf32,f32,0,0,,,134,3,,0 "$two"
    right 37,41,70,tf32,f32,1,0,40,41 SWAP=false,CONSUMERS=1,HEIGHTS=1,BN=48,STAGES=3
    right 260,37,203,tf32,f32,1,1 SWAP=false,CONSUMERS=2,HEIGHTS=1,BN=24,STAGES=3
    right 260,38,203,tf32,f32,1,1,,204,,3 SWAP=false,CONSUMERS=2,HEIGHTS=2,BN=24,STAGES=3
    right 70,1300,203,tf32,f32,0,0,204,ADD=0 SWAP=true,CONSUMERS=1,HEIGHTS=1,BN=16,STAGES=4
    right 1,4,1,tf32 "$one,AHEAD=true,PERSISTENT=true"
    right $many "$two,AHEAD=true,PERSISTENT=true"
    right 370,132,70,tf32,f32,0,0,72,,,9,,0 "$one,AHEAD=true,PERSISTENT=true"
    right 370,1060,103,tf32,f32,0,0,,,1062 "$one,PERSISTENT=true"
    right 260,37,64,tf32,f32,1,0,,41 SWAP=false,CONSUMERS=1,HEIGHTS=2,BN=24,STAGES=4,AHEAD=true
    right 260,37,65,tf32,f32,1,0,,41 SWAP=false,CONSUMERS=2,HEIGHTS=1,BN=24,STAGES=3,AHEAD=true
    right 150,260,70,tf32,f32,0,0 SWAP=true,CONSUMERS=2,HEIGHTS=2,BN=128,STAGES=3
fi
across=$imitated parts=gemm_sm90_across_parts.cuh
planted $parts 'piece = r % 2 \* 4 + r \/ 2' 'piece = r \/ 2' $plain $two
planted $parts 'warp % 2 \* 2 + r \/ 4' 'r \/ 4' $plain $one
planted $parts '(piece ^ k) \* 16' 'piece * 16' $plain $one
planted $parts 'piece \* 4 + half \* 2' 'piece * 4' $plain $one
planted $across 'row + i \* 32, k' 'row, k' $plain $two
planted $parts 'k \* 128 + ' '' $plain $one
planted $parts 'threadIdx.x % 4 + 4' 'threadIdx.x % 4' $plain $two
planted $across 'f \/ 2 \* 8 + q + f % 2' 'f \/ 2 * 8 + q' $plain $two
planted $across 'some, rows - row' 'some, 4' 37,262,203,tf32,f32,0,0,204,264 $two
planted $across 'col + i < cols' 'col <= cols' $plain $one
planted $across 'row + j < rows' 'row <= rows' 260,37,203,tf32,f32,1,1 SWAP=false,CONSUMERS=2,HEIGHTS=2,BN=24,STAGES=3
planted $across 'steps \* (blockIdx.z + 1)' '(steps * (blockIdx.z + 1) - 1)' $plain "$two,SPLIT=3,K_BLOCKS=1"
planted $across 'group \* 8 + in_group % wide' 'group * 8 + in_group % 8' 70,1300,203,tf32,f32,0,0,204 SWAP=true,CONSUMERS=1,HEIGHTS=2,BN=16,STAGES=3
planted $across 'in_group \/ wide' '0' 70,1300,203,tf32,f32,0,0,204 SWAP=true,CONSUMERS=1,HEIGHTS=2,BN=16,STAGES=3
planted $across 'share \* PARTIALS + blockIdx.z' 'share + blockIdx.z' 37,520,203,tf32,f32,0,0,204 "$two,SPLIT=3,K_BLOCKS=1"
planted $across 'share \* CONSUMERS + group' 'share + group' 37,520,203,tf32,f32,0,0,204 "$two,SPLIT=3,K_BLOCKS=1"
planted $across 'part < PARTIALS; part' 'part < PARTIALS - 1; part' $plain "$two,SPLIT=3,K_BLOCKS=1"
planted $across 'STRIDE_Y : COLS' 'COLS*LDY : COLS' 37,260,203,tf32,f32,0,0,204,,,3,20000 $one
planted $across 'X_OF_B_ALL = BATCH' 'X_OF_B_ALL = 1' 37,132,203,tf32,f32,0,0,204,,,3 $one
planted $across 'beta \* v\[j\].z' '0 * v[j].z' $plain $one
planted $across 'mine.matrix \* step_c' '0' 37,132,203,tf32,f32,0,0,204,,,3 $one
planted $across 'y.pitch = ldy' 'y.pitch = pitch' 37,260,203,tf32,f32,0,0,,,263 $two
planted $parts 'x\[1 - i\]' 'x[i]' $plain "$one,AHEAD=true"
planted $parts 'place.slot, step > 0' 'place.slot, true' $many "$one,PERSISTENT=true"
planted $parts 'step + i > 0' 'step > 0' $plain "$one,AHEAD=true"
planted $parts 'sums, x\[i\], slot' 'sums, x[0], slot' $plain "$one,AHEAD=true"
planted $across 'PERSISTENT ? min(number + (int)gridDim.x, all) : all' 'all' $many "$one,PERSISTENT=true"
planted $across 'number -= matrix \* of_matrix' '' 37,132,203,tf32,f32,0,0,204,,,3 $one
planted gemm_sm90_across_space.cuh 'Y_ACROSS || ' '' 260,37,203,tf32,f32,1,0,,40 SWAP=false,CONSUMERS=1,HEIGHTS=2,BN=24,STAGES=4
