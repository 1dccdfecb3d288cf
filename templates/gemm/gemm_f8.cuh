/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_f8: C = alpha*(scale_a*op(A))*(scale_b*op(B)) + beta*C, A and B of 8-bit
 * floats, C of f32 or 16 bits: the contract of all its implementations.
 *
 * Layout and hazards are those of gemm.cuh: all matrices are row-major, op(A) is
 * M x K, A itself, or with TRANS_A = 1 the transpose of the K x M matrix that is
 * stored; op(B) is K x N: the transpose of the N x K matrix that is stored, or
 * with TRANS_B = 0 the stored one itself. So the defaults have K contiguous on
 * both sides, as the tensor cores want it: nothing else is as fast. LDA, LDB and
 * LDC are the elements from row to row of what is stored; BATCH products lie
 * one behind the other, without gaps but for those in rows. With K = 0, C =
 * beta*C. A, B, C and the scales begin at multiples of 16 bytes; rows may begin
 * anywhere. C overlaps nothing else; what lies between its rows is neither read
 * nor written.
 *
 * Types: A is TA, B is TB, each e4m3 or e5m2 of OFP8 (Micikevicius et al., FP8
 * Formats for Deep Learning, arXiv 2209.05433, 2022): bytes with 4 or 5 bits of
 * exponent, 3 or 2 of fraction. C is OUT. NaN of a factor, and infinity of e5m2,
 * make elements of C that as of any sum.
 *
 * SCALES: what factors are multiplied by, f32 in device memory, so that whoever
 * computes them need not tell the host. 0: nothing, the arguments are null
 * pointers or left out. 1: scale_a and scale_b are a number each. 2: scale_a has
 * one for each row of op(A), M of them, and scale_b for each column of op(B), N;
 * those of all products of the batch.
 *
 * Accuracy: a product of two elements is exact. Tensor cores of compute
 * capability 9.0 add 32 of them to a sum after shifting all to the exponent of the
 * largest, and what then lies more than 2^-13 below it is cut off: so others
 * measured (DeepSeek-V3 Technical Report, arXiv 2412.19437, 2024, section 3.3.2:
 * about 14 bits), NVIDIA documents nothing. Of S, the sum of |a*b|, such an
 * addition loses 33 * 2^-13 at most. With FAST = 0 sums of 128 of K are added to
 * others in f32, and an element is within 0.0162*S + (K/128 + 12) * 2^-24 * (S +
 * |beta*c|) of the true value, S times the scales and alpha, before it is rounded
 * to OUT once. With FAST = 1 all of K may be added up so, and it is within (K/32 +
 * 1) * 33 * 2^-13 * S: callers say that they need no more. In an emulation, root
 * mean squares: of factors between -1 and 1, K = 8192, 2.4e-5*S with FAST = 1 and
 * 1.3e-6*S without; where all have one sign, K = 4096, 0.07 and 0.0005 of the sum
 * itself. Checked is, for a whole C of such factors, (4K + 4096) * 2^-24 and
 * (K/16 + 4096) * 2^-24. Whole numbers whose sums stay below 2^14 are exact.
 *
 * beta = 0: C is written without being read; ADD = 0 says that it is 0, as in
 * gemm.cuh. ADD is 0 unless callers say otherwise.
 *
 * Source: as gemm.cuh; wgmma of the PTX ISA. */
#pragma once

#pragma hone op gemm_f8(M, N, K from 0, TA in {e4m3, e5m2} default e4m3, TB in {e4m3, e5m2} default e4m3, OUT in {bf16, f16, f32} default bf16, TRANS_A in {0, 1}, TRANS_B in {0, 1} default 1, LDA from 0 default TRANS_A ? M : K, LDB from 0 default TRANS_B ? K : N, LDC default N, BATCH default 1, SCALES in {0, 1, 2} default 1, FAST in {0, 1}, ADD in {0, 1}) "C = alpha*(scale_a*op(A))*(scale_b*op(B)) + beta*C, row-major, 8-bit floats"

/* As they are stored. */
#pragma hone let ROWS_A = TRANS_A ? K : M
#pragma hone let COLS_A = TRANS_A ? M : K
#pragma hone let ROWS_B = TRANS_B ? N : K
#pragma hone let COLS_B = TRANS_B ? K : N

#pragma hone arg A: in TA[min(K, 1)*((BATCH*ROWS_A - 1)*LDA + COLS_A)]
#pragma hone arg B: in TB[min(K, 1)*((BATCH*ROWS_B - 1)*LDB + COLS_B)]
#pragma hone arg C: inout OUT[min(M*N*BATCH, 1)*((BATCH*M - 1)*LDC + N)]
#pragma hone arg alpha: f32, beta: f32 from -ADD..ADD
/* Whole numbers of these are 1 and 2. */
#pragma hone arg scale_a: in optional(SCALES) f32[SCALES == 2 ? M : 1] from 0.5..2
#pragma hone arg scale_b: in optional(SCALES) f32[SCALES == 2 ? N : 1] from 0.5..2

#pragma hone require LDA >= COLS_A "LDA is less than a row of A (K, or M if TRANS_A)"
#pragma hone require LDB >= COLS_B "LDB is less than a row of B (K, or N if not TRANS_B)"
#pragma hone require LDC >= N "LDC is less than a row of C (N)"

#pragma hone work flops(2*BATCH*M*N*K) bytes(BATCH*(M*K + K*N + (1 + ADD)*M*N*sizeof(OUT)))
#pragma hone shapes (4096, 4096, 4096) (4096, 4096, 4096, FAST=1) (8192, 8192, 8192, FAST=1) (16, 4096, 4096, FAST=1) (3000, 517, 777)
/* Integers so small that sums stay exact in what tensor cores add up in (up to 4
 * they have a deviation of 6.7*sqrt(K), up to 1 of 0.7*sqrt(K)), and mostly are
 * numbers of OUT: libraries may round twice. There is a run on them at any K,
 * since where it is long the bound of an element lets everything pass. */
#pragma hone let EXACT = K <= (FAST ? 32K : 256K) ? 4 : 1
#pragma hone let INTEGERS = min(EXACT, OUT == f32 || (OUT == f16 && K <= 1024) ? 4 : 1)
/* 33 * 2^-13 are 67584 units of round-off. */
#pragma hone check cpu.gemm_f8 tolerance(67584*(FAST ? K/32 + 1 : 4) + K/128 + 12) abs(3e-8) norm(4096 + (FAST ? 4*K : K/16)) exact(INTEGERS)
#pragma hone baseline cublaslt
#pragma hone vendor cublaslt.gemm
