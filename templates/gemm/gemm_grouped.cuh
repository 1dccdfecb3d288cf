/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_grouped: products of different heights in one call, the contract of all its
 * implementations. It is what the layers of a mixture of experts compute: rows that
 * a router dealt to experts, each times the matrix of its expert.
 *
 *   C[r] = A[r] * op(B[g])   for r = OFFSETS[g] .. OFFSETS[g+1]-1 and every group g
 *
 * Layout: all matrices are row-major and without gaps. A is ROWS x K, the rows of the
 * groups one below the other; C, ROWS x N, likewise. B is GROUPS matrices, one behind
 * the other: K x N, or with TRANS_B = 1 the transposes, N x K. OFFSETS are GROUPS + 1
 * numbers that ascend from 0 to ROWS. Groups may be empty, and of any heights.
 * Any sizes from 1 up, K from 0: where nothing is summed, C is 0.
 *
 * OFFSETS are on the device, and nothing of them is read on the host: how many rows
 * a group has may be known to a router's kernel alone, and a call may be captured
 * into a graph that runs with other offsets each time. Whatever they are, a variant
 * is right; fast it is for heights like those it was tuned with. These are drawn: so
 * many offsets anywhere in 0..ROWS, sorted. The heights then vary as exponentially
 * distributed numbers do: of 64 groups the highest has nearly five times the mean,
 * a tenth have less than a tenth of it.
 *
 * Alignment: all arrays begin at multiples of 16 bytes, as any cudaMalloc result
 * does. Rows may begin anywhere, and groups at any row.
 *
 * Types: A and B are T; C is OUT, f32 or the same 16 bits.
 *
 * Accuracy: products are exact, sums are kept in f32, in any order that depends on
 * the variant alone, and rounded to OUT once: an element is within K * 2^-24 * sum of
 * |a*b| of the true value, before that rounding. A sum beyond the largest f16 (65504)
 * becomes infinite. An infinity or a NaN in a row of A stays in that row of C.
 *
 * Hazards: OFFSETS are not checked: others than said above write what lies there, or
 * fault. C overlaps none of the inputs. Behind the last element of A and B nothing is
 * read.
 *
 * Bound by tensor cores where groups are high, else by memory: B is read once at
 * least, as far as its groups are not empty.
 *
 * Source: the definition; tiles of groups in one launch as in Gale et al.,
 * MegaBlocks: efficient sparse training with mixture-of-experts (MLSys 2023). */
#pragma once

#pragma hone op gemm_grouped(ROWS, N, K from 0, GROUPS, T in {f16, bf16} default f16, OUT in {f32, f16, bf16} default f32, TRANS_B in {0, 1}) "C[r] = A[r]*op(B[g]) for the rows r of each group g, row-major"

/* As it is stored. */
#pragma hone let ROWS_B = TRANS_B ? N : K
#pragma hone let COLS_B = TRANS_B ? K : N

#pragma hone arg A: in T[ROWS*K], B: in T[GROUPS*K*N], OFFSETS: in i32[GROUPS + 1] offsets of ROWS, C: out OUT[ROWS*N]

#pragma hone require OUT == T || OUT == f32 "C is of the type of A and B, or f32"
#pragma hone require ROWS <= 2G - 1 "an offset is an i32"

#pragma hone work flops(2*ROWS*N*K) bytes((ROWS*K + min(GROUPS, ROWS)*K*N)*sizeof(T) + ROWS*N*sizeof(OUT) + (GROUPS + 1)*4)
#pragma hone shapes (32768, 4096, 4096, 64, bf16, bf16, 1) (8192, 1408, 2048, 64, bf16, bf16, 1) (32768, 4096, 4096, 64) (1000, 517, 333, 7, f16, f16) (256, 4096, 4096, 64, bf16, bf16, 1)
/* Integers so small that sums are exact in f32. */
#pragma hone let INTEGERS = OUT == f32 ? (K <= 262144 ? 4 : 1) : OUT == f16 ? (K <= 1024 ? 4 : K <= 64K ? 1 : 0) : K <= 4K ? 1 : 0
#pragma hone check template.gemm_grouped_plain tolerance(K + 4) norm(K/16 + 256) exact(INTEGERS)
#pragma hone baseline memcpy
