/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_complex: C = alpha*op(A)*op(B) + beta*C of complex numbers, the contract of
 * all its implementations.
 *
 * Layout: that of gemm.cuh. All matrices are row-major; op(A) is M x K: A itself,
 * with TRANS_A = 1 the transpose of the K x M matrix that is stored, with 2 the
 * conjugate of that; op(B), K x N, likewise with TRANS_B. LDA, LDB and LDC are the
 * numbers from one row of what is stored to the next. There are BATCH such products,
 * STRIDE_A, STRIDE_B and STRIDE_C numbers from one to the next; factors of several
 * may overlap, results not. Arrays end with the last number of the last matrix.
 * With K = 0, C = beta*C.
 *
 * Types: c32, the real and then the imaginary part, f32 each; so are alpha and beta.
 *
 * Alignment: A, B and C begin at multiples of 16 bytes, as any cudaMalloc result
 * does. Rows may begin at any number.
 *
 * Accuracy: sums are kept in f32 in any order, each product being four of f32. A real
 * or imaginary part is within (4*K + 16) * 2^-24 * (|alpha| * sum of |a||b| + |beta c|)
 * of the true value.
 *
 * beta = 0: C is written without being read; it may hold anything, NaN too. beta is
 * known at launch only. alpha = 0 is no special case: A and B are read.
 *
 * Hazards: C overlaps neither A nor B. What lies between rows or matrices of C is
 * neither read nor written. What lies between those of A and B may be read and may
 * hold anything; behind the last number nothing is read.
 *
 * Bound by multiply-adds, four for each product, from about 32 x 32 on, by memory
 * below.
 *
 * Source: as gemm.cuh; a complex product is four real ones. */
#pragma once

#pragma hone op gemm_complex(M, N, K from 0, TRANS_A in {0, 1, 2}, TRANS_B in {0, 1, 2}, LDA from 0 default TRANS_A ? M : K, LDB from 0 default TRANS_B ? K : N, LDC default N, BATCH default 1, STRIDE_A from 0 default (TRANS_A ? K : M)*LDA, STRIDE_B from 0 default (TRANS_B ? N : K)*LDB, STRIDE_C default M*LDC) "C = alpha*op(A)*op(B) + beta*C of complex f32, row-major, batches"

/* As they are stored. */
#pragma hone let ROWS_A = TRANS_A ? K : M
#pragma hone let COLS_A = TRANS_A ? M : K
#pragma hone let ROWS_B = TRANS_B ? N : K
#pragma hone let COLS_B = TRANS_B ? K : N

#pragma hone arg A: in c32[min(K, 1)*((BATCH - 1)*STRIDE_A + (ROWS_A - 1)*LDA + COLS_A)]
#pragma hone arg B: in c32[min(K, 1)*((BATCH - 1)*STRIDE_B + (ROWS_B - 1)*LDB + COLS_B)]
#pragma hone arg C: inout c32[min(M*N*BATCH, 1)*((BATCH - 1)*STRIDE_C + (M - 1)*LDC + N)]
/* Whole numbers of it are -1, 0 and 1: beta = 0 is verified as well. */
#pragma hone arg alpha: c32, beta: c32 from -1.0..1.0

#pragma hone require LDA >= COLS_A "LDA is less than a row of A (K, or M if TRANS_A)"
#pragma hone require LDB >= COLS_B "LDB is less than a row of B (N, or K if TRANS_B)"
#pragma hone require LDC >= N "LDC is less than a row of C (N)"
#pragma hone require BATCH == 1 || STRIDE_C >= (M - 1)*LDC + N "the matrices of C overlap"

#pragma hone work flops(8*BATCH*M*N*K) bytes(8*BATCH*(M*K + K*N + 2*M*N))
#pragma hone shapes (64, 64, 64, BATCH=1000) (32, 32, 32, BATCH=10000) (61, 37, 53, BATCH=2000)
#pragma hone check template.gemm_complex_plain tolerance(4*K + 16) exact(3)
#pragma hone baseline cublas, cublaslt
#pragma hone vendor cublaslt.gemm, cublas.gemm
