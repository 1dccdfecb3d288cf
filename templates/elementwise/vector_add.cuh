/* SPDX-License-Identifier: Apache-2.0 */
/* vector_add: z = x + y, the contract of all its implementations.
 *
 * Shapes: x, y and z have n elements of T, f16, bf16, f32 or f64, one after
 * another.
 *
 * Layout: the arrays begin at multiples of 16 bytes (any cudaMalloc result
 * does; a pointer into an array need not). z overlaps neither x nor y.
 *
 * Accuracy: the exact sum, rounded once, to nearest and ties to even: 16 bits
 * by way of f32 give the same, since the sum of two numbers of p bits that is
 * rounded to at least 2*p + 2 bits first, and then to p, is the same (Figueroa,
 * "When is double rounding innocuous?"); f32 has 24, f16 11, bf16 8.
 *
 * Bound by memory: 3*sizeof(T) bytes and one operation per element. */
#pragma once

#pragma hone op vector_add(n, T in {f16, bf16, f32, f64} default f32) "z = x + y, n elements of type T"
#pragma hone arg x: in T[n], y: in T[n], z: out T[n]

#pragma hone work flops(n) bytes(3*n*sizeof(T))
#pragma hone shapes (268435456, f32) (268435456, f16) (100000007, f64)
#pragma hone check template.vector_add_plain tolerance(0) exact(1000)
#pragma hone baseline template.vector_add_plain, memcpy
