/* SPDX-License-Identifier: Apache-2.0 */
/* gemm: C = f(alpha*op(A)*op(B) + beta*C), the contract of all its implementations.
 *
 * Layout: all matrices are row-major. op(A) is M x K: A itself, or with TRANS_A
 * = 1 the transpose of the K x M matrix that is stored. op(B) is K x N: B, or
 * with TRANS_B = 1 the transpose of an N x K matrix. Any M and N from 1 up, and
 * K from 0: where nothing is summed, C = beta*C.
 * LDA, LDB and LDC are the elements from one row of what is stored to the next,
 * at least those of a row. There are BATCH such products, STRIDE_A, STRIDE_B
 * and STRIDE_C elements from one to the next; factors of several may overlap or
 * lie between each other's rows, and results may do the latter (the heads of
 * an attention: LDC = heads*N, STRIDE_C = N). Arrays end with the last element
 * of the last matrix, so that parts of a caller's matrices can be named.
 *
 * Alignment: A, B, C and bias begin at multiples of 16 bytes, as any cudaMalloc
 * result does. Rows may begin anywhere.
 *
 * Types: A and B are T; C is OUT: f32, f64 if T is, or the same 16 bits. alpha
 * and beta are f32, and exact numbers of f64 there. tf32 is f32 of which a product
 * need not read more than 10 bits behind the first.
 *
 * Accuracy: sums are kept in f32, with T = f64 in f64, in any order, and what is
 * alpha*sum + beta*C in that type is rounded to OUT once. Products of 16 bits
 * are exact; those of f32 and f64 are rounded with the sum they are added to,
 * by one instruction. So an element is within (K + 4) * u * (|alpha| *
 * sum of |a*b| + |beta*c|) of the true value, before that rounding; u is 2^-24,
 * in f64 2^-53. A sum beyond the largest f16 (65504) becomes infinite.
 *
 * T = tf32: factors may be rounded to tf32, or cut off, by up to 2^-10 of each;
 * cut off are denormals too. So an element is within (K + 4 + 33000) * u * (..);
 * rounded to the nearest, as gemm/sm90_f32 and gemm/mma do it, half of the 33000.
 *
 * EMULATED = 1, for T = f32: a product may be made of products of bf16, of which
 * what is below 2^-24 of it may be left out, and sums may be cut off in place of
 * rounded. An element is within (K + 8) * u * (..) where |a| and |b| are 0, or from
 * 2^-110 up. Of smaller ones what is below 2^-133 counts as 0. One that is
 * infinite or NaN makes the elements that it belongs to NaN or infinite, not always
 * what f32 would. EMULATED = 0: none of this.
 *
 * beta = 0: C is written without being read; it may hold anything, NaN too. With
 * ADD = 1 beta is known at launch only. ADD = 0 says that it is 0, so that what is
 * tuned and launched never reads C (of the head of a language model that is half of
 * what goes through memory); beta has to be passed all the same, and to be 0.
 * alpha = 0 is no special case: A and B are read.
 *
 * EPILOGUE: what is done to that sum s before it is rounded, by the numbers that
 * cuBLASLt's cublasLtEpilogue_t has for it.
 *
 *   0  nothing        2  relu(s)            32  gelu(s)
 *   4  s + bias       6  relu(s + bias)     36  gelu(s + bias)
 *
 * The bias has N elements of OUT, one for each column of C, and is the last
 * argument: in the first row it is left out, or a null pointer. relu(s) is s,
 * and 0 where that is less; gelu(s) = s/2 * (1 + tanh(sqrt(2/pi)*(s +
 * 0.044715*s^3))) (Hendrycks and Gimpel, Gaussian Error Linear Units, arXiv
 * 1606.08415, 2016), the form that cuBLASLt has. Accuracy: gelu's slope is below
 * 1.13, and computing it costs 16 roundings of s, so that an element is within
 * (1.13*(K + 5) + 16) * u * (|alpha| * sum of |a*b| + |beta*c| + |bias|).
 *
 * Hazards: C overlaps neither A nor B. What lies between rows or matrices of C
 * is neither read nor written. What lies between those of A and B may be read
 * and may hold anything; behind the last element nothing is read.
 *
 * Source: tiles in shared memory and registers as in Volkov and Demmel,
 * Benchmarking GPUs to tune dense linear algebra (SC 2008) and Nath, Tomov,
 * Dongarra, An improved MAGMA GEMM for Fermi GPUs (2010); tensor cores by the
 * PTX ISA, wmma, mma and wgmma. */
#pragma once

#pragma hone op gemm(M, N, K from 0, T in {f16, bf16, f32, f64, tf32} default f16, OUT in {f32, f16, bf16, f64} default f32, TRANS_A in {0, 1}, TRANS_B in {0, 1}, LDA from 0 default TRANS_A ? M : K, LDB from 0 default TRANS_B ? K : N, LDC default N, BATCH default 1, STRIDE_A from 0 default (TRANS_A ? K : M)*LDA, STRIDE_B from 0 default (TRANS_B ? N : K)*LDB, STRIDE_C default M*LDC, ADD in {0, 1} default 1, EPILOGUE in {0, 2, 4, 6, 32, 36}, EMULATED in {0, 1}) "C = f(alpha*op(A)*op(B) + beta*C + bias), row-major"

#pragma hone let BIAS = EPILOGUE >> 2 & 1
#pragma hone let ACTIVATION = EPILOGUE >= 32 ? 2 : EPILOGUE >> 1 & 1
/* As they are stored. */
#pragma hone let ROWS_A = TRANS_A ? K : M
#pragma hone let COLS_A = TRANS_A ? M : K
#pragma hone let ROWS_B = TRANS_B ? N : K
#pragma hone let COLS_B = TRANS_B ? K : N

#pragma hone arg A: in T[min(K, 1)*((BATCH - 1)*STRIDE_A + (ROWS_A - 1)*LDA + COLS_A)]
#pragma hone arg B: in T[min(K, 1)*((BATCH - 1)*STRIDE_B + (ROWS_B - 1)*LDB + COLS_B)]
#pragma hone arg C: inout OUT[min(M*N*BATCH, 1)*((BATCH - 1)*STRIDE_C + (M - 1)*LDC + N)]
/* Whole numbers of it are -1, 0 and 1: beta = 0 is verified as well. */
#pragma hone arg alpha: f32, beta: f32 from -ADD..ADD
#pragma hone arg bias: in optional(EPILOGUE & 4) OUT[N]

#pragma hone require OUT == T || (OUT == f32 && T != f64) "C is of the type of A and B, or f32 if that has 16 bits or is tf32"
#pragma hone require !EMULATED || T == f32 "only products of f32 are emulated"
#pragma hone require LDA >= COLS_A "LDA is less than a row of A (K, or M if TRANS_A)"
#pragma hone require LDB >= COLS_B "LDB is less than a row of B (N, or K if TRANS_B)"
#pragma hone require LDC >= N "LDC is less than a row of C (N)"
#pragma hone require BATCH == 1 || STRIDE_C >= (M - 1)*LDC + N || (STRIDE_C >= N && (BATCH - 1)*STRIDE_C + N <= LDC) "the matrices of C overlap: they follow each other, or lie side by side in its rows"

#pragma hone work flops(2*BATCH*M*N*K) bytes(BATCH*((M*K + K*N)*sizeof(T) + (1 + ADD)*M*N*sizeof(OUT)) + BIAS*N*sizeof(OUT))
#pragma hone shapes (4096, 4096, 4096) (1000, 1000, 1000) (16, 4096, 4096) (4096, 4096, 4096, f32) (1000, 1000, 1000, f32) (16, 4096, 4096, f32) (3000, 517, 777, f32) (64, 64, 65536, f32) (4096, 4096, 4096, f64, f64) (64, 64, 64, f32, BATCH=10000) (131072, 8, 1024, f32)
/* What tf32, or an emulation, takes from a product, in units of 2^-24. */
#pragma hone let CUT = T == tf32 ? 33000 : EMULATED ? 4 : 0
/* Integers so small that sums are exact, and mostly numbers of OUT: libraries
 * may round twice. gelu of these is no integer. abs: half a unit of the smallest
 * f16. The reference adds up in f64 and is no better than a result in f64. */
#pragma hone let INTEGERS = ACTIVATION == 2 ? 0 : OUT == f64 ? 4 : OUT == f32 ? (K <= 262144 ? 4 : 1) : OUT == f16 ? (K <= 1024 ? 4 : K <= 64K ? 1 : 0) : K <= 4K ? 1 : 0
#pragma hone let ROUNDINGS = K + 4 + BIAS + CUT + (ACTIVATION == 2 ? K/7 + 18 + CUT/7 : 0)
/* Of the whole, errors of a sum grow with the root of K, or with tensor cores, which cut
 * off, by some of it for each root; and so that zeros do not pass, where K is long. */
#pragma hone let NORM = (K <= 64K ? K/16 : 4K + K/256) + 256
#pragma hone check cpu.gemm tolerance(ROUNDINGS*(T == f64 ? 2 : 1)) abs(3e-8) norm(NORM + CUT) exact(INTEGERS)
/* cuBLAS may round parts of a sum, or alpha*sum, to bf16 before it adds the rest: by 2^-9
 * of a sum, which of many products of random signs is far less than that of their
 * magnitudes. To f16, by an eighth of that, where C is added (by one element on an
 * H200, where the reference in f64 let ours pass: decision 240). */
#pragma hone let TWICE = (OUT == bf16 ? 16 : OUT == f16 && ADD ? 2 : 0)*(K <= 4K ? 4K : 256)
#pragma hone check cublas.gemm tolerance(2*K + 8 + 2*CUT + TWICE) abs(6e-8) norm(NORM + 2*CUT + TWICE) exact(INTEGERS)
#pragma hone baseline cublas, cublaslt
#pragma hone vendor cublaslt.gemm, cublas.gemm part "gemm_library.cuh"
