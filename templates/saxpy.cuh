/* SPDX-License-Identifier: Apache-2.0 */
/* saxpy: y = alpha*x + y, the contract of all its implementations.
 *
 * Shapes: x and y have n elements of T, f32 or f64, one after another; n from
 * 1 up. alpha is one number of the same type.
 *
 * Layout: x and y begin at multiples of 16 bytes (any cudaMalloc result does;
 * a pointer into an array need not) and do not overlap.
 *
 * Accuracy: an element is one multiplication and one addition, which may be
 * fused: at most two roundings, so it is within 2*u * (|alpha*x| + |y|) of the
 * true value, u being 2^-24 for f32 and 2^-53 for f64.
 *
 * Bound by memory: 3*sizeof(T) bytes and 2 operations per element. */
#pragma once

#pragma hone op saxpy(n, T in {f32, f64} default f32) "y = alpha*x + y, n elements of type T"
#pragma hone arg alpha: T, x: in T[n], y: inout T[n]

#pragma hone work flops(2*n) bytes(3*n*sizeof(T))
#pragma hone shapes (268435456) (134217728, f64) (100000007)
#pragma hone check cpu.saxpy tolerance(2) exact(1000)
#pragma hone baseline cublas.axpy, memcpy
#pragma hone vendor cublas.axpy
