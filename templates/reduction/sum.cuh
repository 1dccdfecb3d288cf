/* SPDX-License-Identifier: Apache-2.0 */
/* sum: out[0] = x[0] + ... + x[n-1], the contract of all its implementations.
 *
 * Shapes: x has n elements of T, f32, f64, f16 or bf16, one after another; out
 * has one of the same type. n from 0 up: of nothing
 * it is 0.
 *
 * Layout: x begins at a multiple of 16 bytes (any cudaMalloc result does; a
 * pointer into an array need not). x and out do not overlap.
 *
 * Accuracy: numbers of 16 bits are added in f32, others in their own type, and
 * the sum is rounded to T once. An element passes at most D additions, D being
 * below n, n/(256 * multiprocessors) + 512 and what a thread, a block and the
 * grid add up one after another; so the error is at most D * u * sum|x| and
 * the last rounding, u being 2^-24, for f64 2^-53 (Higham, Accuracy and
 * Stability of Numerical Algorithms, 4.2), and near the square root of that in
 * practice. A sum of f16 beyond 65504 is infinite.
 *
 * The result is the same in every run of a variant on devices with as many
 * multiprocessors: there are no atomics on numbers.
 *
 * Bound by memory, n * sizeof(T) bytes; below some 1 MB by latencies and
 * launches.
 *
 * Source: Harris, Optimizing parallel reduction in CUDA (2007). */
#pragma once

#pragma hone op sum(n from 0, T in {f32, f64, f16, bf16} default f32) "out[0] = sum of x[0..n)"
#pragma hone arg x: in T[n], out: out T[1]

#pragma hone work flops(n) bytes((n + 1)*sizeof(T))
#pragma hone shapes (1) (1023) (1048576) (67108864) (268435456) (268435456, f16)
#pragma hone check template.sum_plain tolerance(min(n, n/(256*device.sm_count) + 512)) exact(3)
#pragma hone baseline cub.sum
