/* SPDX-License-Identifier: Apache-2.0 */
/* What has to hold of march_space.cuh, and tiles. It reads of the contract T,
 * SIZE and the image, and of the template MIN_BLOCKS and RARE: whether it does
 * already what seldom helps. */
#pragma once

#pragma hone let R = SIZE/2
#pragma hone let PER = T == u8 && VEC % 4 == 0 ? 4 : 1
#pragma hone let WANTED = ceildiv(R, PER)
#pragma hone let EDGE = min(VEC/PER, 1 << log2(2*WANTED - 1))
#pragma hone let HALO = align(WANTED, EDGE)*PER
#pragma hone let SPAN = BLOCK_X*PX + 2*align(HALO, VEC)
#pragma hone let SMEM = SHARED ? (BLOCK_Y*PY + 2*R)*SPAN*sizeof(T) : 0
#pragma hone let UNROLL_ROWS = UNROLL == one ? 1 : UNROLL == ring ? SIZE : PY + 2*R

#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require PX % VEC == 0 "a thread has whole accesses"
#pragma hone require PX*sizeof(T) <= 32 && (PX <= 2*VEC || VEC == 1 && PX <= 4) "a thread has one or two accesses of a row, or four small ones"
#pragma hone require VEC*sizeof(T) >= (sizeof(T) == 1 ? 4 : 8) || pitch % (2*VEC) != 0 || pitch_out % (2*VEC) != 0 || height*width < 4096 "rows allow wider accesses"
#pragma hone require T != u8 || PX >= 8 && PY >= 4*R && UNROLL != one || pitch % 8 != 0 || pitch_out % 8 != 0 || height*width*batch < 16M "too few bytes for what each row of a thread costs, or too few rows"
#pragma hone require pitch % VEC == 0 && pitch_out % VEC == 0 "rows are not multiples of VEC pixels"
#pragma hone require BLOCK_X*BLOCK_Y >= 64 && BLOCK_X*BLOCK_Y <= 256 "blocks have 64 to 256 threads"
#pragma hone require BLOCK_X*BLOCK_Y*MIN_BLOCKS <= device.threads_sm "a multiprocessor does not hold so many threads"
#pragma hone require MIN_BLOCKS == 1 || PX*SIZE >= 16 "few registers are used: launch bounds change nothing"
#pragma hone require FORM == one || SIZE >= 11 "the sums cost more than filtering rows again"
#pragma hone require (SIZE + 2)*PX <= 160 "the sums do not fit a thread's registers"
#pragma hone require UNROLL != all || (PY + 2*R)*PX*SIZE <= 640 "the loop does not fit the instruction cache"
#pragma hone require UNROLL != ring || SIZE*PX*SIZE <= 2048 && PY >= SIZE "the loop does not fit the instruction cache, or is longer than the rows"
#pragma hone require AHEAD < SIZE && (UNROLL != one || AHEAD <= 1) "windows would move from row to row"
#pragma hone require UNROLL != one || PY + 2*R >= 16 "few rows: unroll them"
#pragma hone require PY >= SIZE/2 || PY == 1 && (SHARED || FORM == two) || height < 64 "rows are filtered again and again"
#pragma hone require !SHARED || BLOCK_Y*PY >= 2*R || height < 64 "most of a tile are its edges"
#pragma hone require RARE + (MIN_BLOCKS > 1) + (WRITE == stream) + (READ == stream) + (FORM == two) + (AHEAD == 1) + (BLOCK_X*BLOCK_Y == 64) <= 1 "what seldom helps is tried one at a time"
#pragma hone require SMEM <= device.smem_optin "the tile does not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm "MIN_BLOCKS tiles do not fit a multiprocessor"

#pragma hone let TILES = ceildiv(height, BLOCK_Y*PY)*batch
#pragma hone let PITCH_SUMS = align(width, 4)
#pragma hone workspace sums: f32[FORM == two ? batch*height*PITCH_SUMS : 0]
