/* SPDX-License-Identifier: Apache-2.0 */
/* transpose_square: x[c][r] and x[r][c] change places, the contract of all its
 * implementations.
 *
 * Shapes: `batch` square matrices of n x n elements of T, u8, f16, f32 or f64.
 * Elements are moved and not computed with.
 *
 * Layout: row-major, `pitch` elements from a row to the next, `stride` from a
 * matrix to the next. x begins at a multiple of 16 bytes, its rows wherever that
 * leads. What lies between rows and matrices keeps its values.
 *
 * Accuracy: bit for bit.
 *
 * Bound by memory: 2*sizeof(T) bytes per element, as transpose.cuh; what is
 * saved is the memory of a second matrix.
 *
 * Source: Ruetsch and Micikevicius, Optimizing matrix transpose in CUDA
 * (2009); tiles change places in pairs. */
#pragma once

#pragma hone op transpose_square(n, T in {u8, f16, f32, f64} default f32, batch default 1, pitch default n, stride default n*pitch) "x[r][c] and x[c][r] change places, a batch of n x n matrices"
#pragma hone arg x: inout T[min(batch*n, 1)*((batch - 1)*stride + (n - 1)*pitch + n)]

#pragma hone require pitch >= n "pitch is less than a row of x (n)"
#pragma hone require batch == 1 || stride >= (n - 1)*pitch + n || (stride >= n && (batch - 1)*stride + n <= pitch) "the matrices of x overlap: they follow each other, or lie side by side in its rows"

#pragma hone work bytes(2*batch*n*n*sizeof(T))
#pragma hone shapes (16384, f32) (16384, f16) (8191, u8)
#pragma hone check template.transpose_square_plain tolerance(0) exact(100)
#pragma hone baseline template.transpose_square_plain, memcpy
