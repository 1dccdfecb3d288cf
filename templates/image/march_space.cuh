/* SPDX-License-Identifier: Apache-2.0 */
/* What separable filters that go down columns are tuned by; what has to hold is
 * in march_limits.cuh, below what a template adds. */
#pragma once

#pragma hone param FORM in {one, two} default one
// Pixels of an access, which rows must be multiples of.
#pragma hone param VEC in {1, 2, 4, 8, 16} default 1
// Pixels of a thread along the row and down the column; threads of a block.
#pragma hone param PX in {1, 2, 4, 8, 16} default 4
#pragma hone param PY in {1, 4, 8, 16, 32, 64} default 16
#pragma hone param BLOCK_X in {16, 32, 64, 128} default 32
#pragma hone param BLOCK_Y in {1, 2, 4, 8} default 4
// Rows of a thread's loop that are unrolled: one; as many as the filter is
// long, so that sums do not move; or all.
#pragma hone param UNROLL in {one, ring, all} default ring
// Rows that are asked for before the one in front of them is used.
#pragma hone param AHEAD in {0, 1, 2, 4} default 2 when UNROLL != all
// Tiles go through shared memory; else windows come through the caches.
#pragma hone param SHARED: bool default false when FORM == one
#pragma hone param READ in {normal, l2, stream} when SHARED
#pragma hone param WRITE in {normal, stream}
// Bytes are taken for small f32 numbers, in place of conversions.
#pragma hone param MAGIC: bool default true when T == u8
