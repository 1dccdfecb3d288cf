/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of columns, of which a template has N_WEIGHTS arrays: where they are
 * while a block takes its rows. Between rows_space.cuh and rows_limits.cuh. */
#pragma once

// The weights: read with each row, when it is written or before its sums are
// known; or kept in shared memory by blocks that take several rows.
#pragma hone param WEIGHTS in {late, early, shared} default late when KEEP == registers || COPIED && BLOCKS_PER_SM > 0
#pragma hone require WEIGHTS != early || HELD && ITEMS*VEC*sizeof(T) <= 64 "the weights do not fit the threads' registers"
#pragma hone require WEIGHTS != shared || BLOCKS_PER_SM > 0 && BLOCK == THREADS "a block that takes one row reads its weights once"
#pragma hone let WEIGHT_BYTES = WEIGHTS == shared ? N_WEIGHTS*KEPT : 0
#pragma hone let HELD_ARRAYS = WEIGHTS == early ? N_WEIGHTS + 1 : 1
// Rows of a block begin alike where its weights are shifted once for all of them.
#pragma hone let ALIKE = WEIGHTS == shared && EDGE == both ? VEC/gcd(pitch, VEC) : 1
