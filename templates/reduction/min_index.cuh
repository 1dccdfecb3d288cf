/* SPDX-License-Identifier: Apache-2.0 */
/* min_index: value[0] = the least element of x, index[0] = where it stands
 * first, the contract of all its implementations.
 *
 * Shapes: x has n elements of T, f32, f64, f16 or bf16, one after another; value
 * has one of the same type, index one number of 64 bits. n
 * from 0 up: of nothing, value is 0 and index -1.
 *
 * A NaN counts as the least, as in NumPy and PyTorch: where x holds one, value
 * is a NaN and index the place of the first. -0 and +0 are equal, and value is
 * the one that stands first.
 *
 * Layout: x begins at a multiple of 16 bytes (any cudaMalloc result does; a
 * pointer into an array need not). The three arrays do not overlap.
 *
 * Accuracy: exact, and the same on every device.
 *
 * Bound by memory, n*sizeof(T) bytes; below some 1 MB by latencies and
 * launches.
 *
 * Source: Harris, Optimizing parallel reduction in CUDA (2007). */
#pragma once

#pragma hone op min_index(n from 0, T in {f32, f64, f16, bf16} default f32) "value[0], index[0] = the first least of x"
#pragma hone arg x: in T[n], value: out T[1], index: out i64[1]

#pragma hone work flops(n) bytes((n + 1)*sizeof(T) + 8)
#pragma hone shapes (1023) (67108864) (268435456, f16)
#pragma hone check template.min_index_plain tolerance(0) exact(1000)
#pragma hone baseline cub.min_index
