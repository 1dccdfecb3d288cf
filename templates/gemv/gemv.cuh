/* SPDX-License-Identifier: Apache-2.0 */
/* gemv: y = alpha*op(A)*x + beta*y, the contract of all its implementations.
 *
 * Shapes: A is stored as M rows of N elements. op(A) is A, so that x has N
 * elements and y M, or with TRANS = 1 its transpose: x has M and y N. M and N
 * from 0 up: where nothing is summed, y = beta*y. There are BATCH such products,
 * STRIDE_A, STRIDE_X and STRIDE_Y elements from one to the next; matrices may
 * overlap, and so may the x, results not.
 *
 * Layout: A is row-major, LDA elements from one row to the next, what lies between
 * is not read; arrays end with their last element. x and y have no gaps. All begin
 * at multiples of 16 bytes (any cudaMalloc result does; a pointer into an array
 * need not), rows and further matrices need not. y overlaps neither A nor x.
 *
 * Types: A, x and y are T. alpha and beta are f64, and rounded to f32 where sums
 * are kept in it.
 *
 * Accuracy: sums of numbers of 16 bits are kept in f32, where their products are
 * exact (bf16, f16), others in their own type, in any order; what is
 * alpha*sum + beta*y is rounded to T once. With K elements in a sum, an element is
 * within (K + 4) * u * (|alpha| * sum of |a*x| + |beta*y|) of the true value
 * before that rounding, u being 2^-24, for f64 2^-53. The result is the same in
 * every run of a variant on devices with as many multiprocessors.
 *
 * beta = 0: y is written without being read; it may hold anything, NaN too.
 * alpha = 0 is no special case: A and x are read.
 *
 * Bound by memory: A is read once, M*N*sizeof(T) bytes.
 *
 * Source: Sorensen, High-performance matrix-vector multiplication on the GPU
 * (Euro-Par workshops 2011), and the sums of reduction/. */
#pragma once

#pragma hone op gemv(M from 0, N from 0, T in {f32, f64, f16, bf16} default f32, TRANS in {0, 1}, LDA from 0 default N, BATCH default 1, STRIDE_A from 0 default M*LDA, STRIDE_X from 0 default TRANS ? M : N, STRIDE_Y from 0 default TRANS ? N : M) "y = alpha*op(A)*x + beta*y, row-major"

/* Elements of y, and of a sum. */
#pragma hone let RESULTS = TRANS ? N : M
#pragma hone let TERMS = TRANS ? M : N

#pragma hone arg A: in T[M == 0 || N == 0 ? 0 : (BATCH - 1)*STRIDE_A + (M - 1)*LDA + N]
#pragma hone arg x: in T[TERMS == 0 ? 0 : (BATCH - 1)*STRIDE_X + TERMS]
#pragma hone arg y: inout T[RESULTS == 0 ? 0 : (BATCH - 1)*STRIDE_Y + RESULTS]
/* Whole numbers of it are -1, 0 and 1: beta = 0 is verified as well. */
#pragma hone arg alpha: f64, beta: f64 from -1.0..1.0

#pragma hone require LDA >= N "LDA is less than a row of A"
#pragma hone require BATCH == 1 || STRIDE_Y >= RESULTS "the results of a batch overlap"

#pragma hone work flops(2*BATCH*M*N) bytes(BATCH*(M*N + TERMS + 2*RESULTS)*sizeof(T))
#pragma hone shapes (16384, 16384) (1048576, 32) (16, 16777213) (16384, 16384, f32, 1)
/* Integers so small that sums are mostly numbers of T: libraries may round twice. */
#pragma hone let INTEGERS = T == bf16 || (T == f16 && TERMS > 1024) ? 1 : 3
#pragma hone check template.gemv_plain tolerance(TERMS + 8) exact(INTEGERS)
#pragma hone baseline cublas.gemv
#pragma hone vendor cublas.gemv
