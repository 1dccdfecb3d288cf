/* SPDX-License-Identifier: Apache-2.0 */
/* dot: out[0] = x[0]*y[0] + ... + x[n-1]*y[n-1], the contract of all its
 * implementations.
 *
 * Shapes: x and y have n elements of T, f32, f64, f16 or bf16, one after
 * another; out has one of the same type. n from 0 up: of nothing
 * it is 0.
 *
 * Layout: x and y begin at multiples of 16 bytes (any cudaMalloc result does; a
 * pointer into an array need not). They may be the same array; out is another.
 *
 * Accuracy: as that of sum (sum.cuh) with one rounding more, that of the
 * product, which may be fused with an addition: at most (D + 1) * u *
 * sum|x*y| and the rounding to T. 16 bits are multiplied, exactly, and added
 * in f32.
 *
 * Bound by memory, 2*n*sizeof(T) bytes; below some 1 MB by latencies and
 * launches.
 *
 * Source: Harris, Optimizing parallel reduction in CUDA (2007). */
#pragma once

#pragma hone op dot(n from 0, T in {f32, f64, f16, bf16} default f32) "out[0] = sum of x[i]*y[i]"
#pragma hone arg x: in T[n], y: in T[n], out: out T[1]

#pragma hone work flops(2*n) bytes((2*n + 1)*sizeof(T))
#pragma hone shapes (1023) (67108864) (134217728, f16)
#pragma hone baseline cublas.dot
#pragma hone check template.dot_plain tolerance(min(n, n/(256*device.sm_count) + 512) + 1) exact(3)
