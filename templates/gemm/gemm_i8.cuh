/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_i8: C = alpha*op(A)*op(B) + beta*C, A and B of signed bytes, C of 32-bit
 * integers: the contract of all its implementations.
 *
 * Layout, dimensions and hazards are those of gemm.cuh: all matrices are
 * row-major, op(A) is M x K, op(B) is K x N, LDA, LDB and LDC the elements from
 * row to row of what is stored, BATCH products, STRIDE_A, STRIDE_B and STRIDE_C
 * elements from one to the next; with K = 0, C = beta*C. A, B and C begin at
 * multiples of 16 bytes; rows may begin anywhere. C overlaps neither A nor B; what
 * lies between rows or matrices of C is neither read nor written.
 *
 * Types: A and B are i8, all else is i32. Products and sums are exact as long as
 * all sums fit 32 bits, which those of up to 131,071 products do whatever they
 * are; so must alpha*sum + beta*C. With what does not, C is undefined.
 *
 * beta = 0: C is written without being read.
 *
 * Source: as gemm.cuh; dp4a and mma.m16n8k32 of the PTX ISA. */
#pragma once

#pragma hone op gemm_i8(M, N, K from 0, TRANS_A in {0, 1}, TRANS_B in {0, 1}, LDA from 0 default TRANS_A ? M : K, LDB from 0 default TRANS_B ? K : N, LDC default N, BATCH default 1, STRIDE_A from 0 default (TRANS_A ? K : M)*LDA, STRIDE_B from 0 default (TRANS_B ? N : K)*LDB, STRIDE_C default M*LDC) "C = alpha*op(A)*op(B) + beta*C, row-major, i8 with sums in i32"

/* As they are stored. */
#pragma hone let ROWS_A = TRANS_A ? K : M
#pragma hone let COLS_A = TRANS_A ? M : K
#pragma hone let ROWS_B = TRANS_B ? N : K
#pragma hone let COLS_B = TRANS_B ? K : N

#pragma hone arg A: in i8[min(K, 1)*((BATCH - 1)*STRIDE_A + (ROWS_A - 1)*LDA + COLS_A)] from -128..127
#pragma hone arg B: in i8[min(K, 1)*((BATCH - 1)*STRIDE_B + (ROWS_B - 1)*LDB + COLS_B)] from -128..127
#pragma hone arg C: inout i32[min(M*N*BATCH, 1)*((BATCH - 1)*STRIDE_C + (M - 1)*LDC + N)] from -1000..1000
#pragma hone arg alpha: i32 from 1..3, beta: i32 from -1..1

#pragma hone require LDA >= COLS_A "LDA is less than a row of A (K, or M if TRANS_A)"
#pragma hone require LDB >= COLS_B "LDB is less than a row of B (N, or K if TRANS_B)"
#pragma hone require LDC >= N "LDC is less than a row of C (N)"
#pragma hone require BATCH == 1 || STRIDE_C >= (M - 1)*LDC + N || (STRIDE_C >= N && (BATCH - 1)*STRIDE_C + N <= LDC) "the matrices of C overlap: they follow each other, or lie side by side in its rows"

#pragma hone work flops(2*BATCH*M*N*K) bytes(BATCH*(M*K + K*N + 8*M*N))
#pragma hone shapes (4096, 4096, 4096) (4096, 4096, 4096, 0, 1) (1000, 1000, 1000) (64, 4096, 4096, 0, 1)
#pragma hone check template.gemm_i8_plain tolerance(0)
#pragma hone baseline cublas, cublaslt
#pragma hone vendor cublaslt.gemm, cublas.gemm
