/* SPDX-License-Identifier: Apache-2.0 */
/* CPU references of the shipped templates, in double precision: what
 * `check cpu.NAME` compares a kernel with. Plain C that knows nothing of the
 * rest of the project.
 *
 * hone_reference_NAME() computes elements [first, first + count) of the
 * operation's only output. `dims` are the problem dimensions in declared
 * order. `args` has one host pointer per declared argument, to the array or
 * the scalar in its own element type, holding what the argument held before
 * the run; the output's old values matter only where it is also read.
 * value[i] gets the result, magnitude[i] the sum of the absolute values of
 * its terms, which is what rounding errors are measured against. A complex
 * number is two elements: its real and its imaginary part.
 *
 * hone_reference_NAME_cost() is the number of floating-point operations per
 * output element, from which a caller decides how many to check. */
#ifndef HONE_TEMPLATES_REFERENCE_H
#define HONE_TEMPLATES_REFERENCE_H

#include <stdint.h>

/* Element types of a problem dimension; the values are pinned. */
enum {
    HONE_REFERENCE_F16 = 1,
    HONE_REFERENCE_BF16 = 2,
    HONE_REFERENCE_F32 = 4,
    HONE_REFERENCE_F64 = 5,
    HONE_REFERENCE_I32 = 7,
    HONE_REFERENCE_E4M3 = 14,
    HONE_REFERENCE_E5M2 = 15
};

/* IEEE binary16 bits to double: exact, also for subnormals, infinities and
 * NaN (whose payload moves to the top of double's). */
double hone_reference_from_f16(uint16_t bits);

/* hone_reference_NAME() and hone_reference_NAME_cost(). */
#define HONE_REFERENCE(name)                                                   \
    double hone_reference_##name##_cost(const int64_t *dims);                  \
    void hone_reference_##name(const int64_t *dims, const void *const *args,   \
                               int64_t first, int64_t count, double *value,    \
                               double *magnitude)

/* dims {n, type}; args {alpha, x, y}; y = alpha*x + y. */
HONE_REFERENCE(saxpy);

/* dims {n}; args {x, out}, f32; out[0] = sum of x. The sum itself is
 * compensated: its error is that of one rounding, at any n. */
HONE_REFERENCE(sum);

/* dims {M, N, K, type, type of C, TRANS_A, TRANS_B, LDA, LDB, LDC, BATCH,
 * STRIDE_A, STRIDE_B, STRIDE_C, ADD, EPILOGUE, EMULATED}; args {A, B, C, alpha,
 * beta, bias}, alpha and beta f32: C = f(alpha*op(A)*op(B) + beta*C),
 * row-major, where f adds the bias of the column if EPILOGUE has bit 4, then is
 * relu with bit 2, gelu by tanh with bit 32; ADD says nothing that beta does
 * not, EMULATED nothing; A is M x K, or K x M if TRANS_A is not 0, B is K x N,
 * or N x K; LDA, LDB and LDC are the elements from row to row, the strides
 * those from each of BATCH products to the next. With beta = 0 the old C does
 * not count, whatever it holds. What lies between rows and matrices of C stays
 * as it is. */
HONE_REFERENCE(gemm);

/* dims {M, N, K, type of A, type of B, type of C, TRANS_A, TRANS_B, LDA, LDB,
 * LDC, BATCH, SCALES, FAST, ADD}; args {A, B, C, alpha, beta, scale_a,
 * scale_b}, the last four f32: as gemm, of 8-bit floats, matrices of a batch
 * one behind the other, and each product times scale_a and scale_b: those of
 * its row and column with SCALES = 2, the only ones with 1, none with 0. */
HONE_REFERENCE(gemm_f8);

/* dims {n, taps}; args {x, h, y}, f32; y[i] = sum over k of h[k]*x[i-k], x
 * being 0 in front of its first element. */
HONE_REFERENCE(conv1d);

/* dims {n, batch, direction, STRIDE, DISTANCE}, n a power of two up to 65536;
 * args {x, y}, complex f32. Number k of transform b stands at b*DISTANCE +
 * k*STRIDE: Y_b[k] = sum of X_b[j] * exp(-2*pi*i*j*k/n), with direction 2
 * exp(+..), unscaled. What lies between transforms stays as it is. Magnitude:
 * the 2-norm of the transform's input. The errors of a fast transform are
 * that of one of its elements times a few units of round-off, while the sum
 * of the absolute values of the terms is up to sqrt(n) times as much. Without
 * memory for a transform nothing is filled in. */
HONE_REFERENCE(fft);

/* dims {n, batch}; args {x, h, y}, complex f32: y = the unscaled inverse
 * transform of h[k] * (forward transform of x)[k], h the same for every
 * transform of the batch. Magnitude: the larger of |x| * |h| and the 2-norm
 * of what is transformed back. */
HONE_REFERENCE(fft_filter);

/* dims {n, type}; args {x, y, exclusive}: x and y in f16, f32 or i32,
 * exclusive i32. y[i] = sum of x up to and with x[i], or in front of it if
 * the lowest bit of exclusive is set; i32 wraps around. Each element costs
 * next to nothing once the one before it is known, all of them cost n. */
HONE_REFERENCE(scan);

#endif
