/* SPDX-License-Identifier: Apache-2.0 */
/* norm2: out[0] = sqrt(x[0]^2 + ... + x[n-1]^2), the contract of all its
 * implementations.
 *
 * Shapes: x has n elements of T, f32, f64, f16 or bf16, one after another; out
 * has one of the same type. n from 0 up: of nothing
 * it is 0.
 *
 * Layout: x begins at a multiple of 16 bytes (any cudaMalloc result does; a
 * pointer into an array need not). x and out do not overlap.
 *
 * Accuracy: the sum of squares is that of dot (dot.cuh), all terms positive, so
 * its relative error is at most (D + 1) * u; the root halves it and rounds once,
 * and then T does. Squares are not scaled, unlike in nrm2 of the BLAS: elements
 * above 1.8e19 (f64: 1.3e154) give infinity, and those below 1e-19 (1e-154)
 * count for less, unless there are greater ones. f16 knows neither.
 *
 * Bound by memory, n*sizeof(T) bytes; below some 1 MB by latencies and
 * launches.
 *
 * Source: Harris, Optimizing parallel reduction in CUDA (2007). */
#pragma once

#pragma hone op norm2(n from 0, T in {f32, f64, f16, bf16} default f32) "out[0] = square root of the sum of x[i]^2"
#pragma hone arg x: in T[n], out: out T[1]

#pragma hone work flops(2*n) bytes((n + 1)*sizeof(T))
#pragma hone shapes (1023) (67108864) (134217728, f64)
#pragma hone baseline cublas.nrm2
// Squares of whole numbers up to 3 add up exactly while the sum is below 2^24.
#pragma hone check template.norm2_plain tolerance(min(n, n/(256*device.sm_count) + 512)/2 + 2) exact(n <= 1M ? 3 : 0)
