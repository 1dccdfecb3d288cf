/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_add: C = A + B, the contract of all its implementations.
 *
 * Shapes: `batch` matrices of rows x columns elements of T, f16, bf16, f32 or
 * f64; many small ones (1,000 of 256 x 256, say) as well as one large.
 *
 * Layout: row-major. From a row to the next are pitch_a, pitch_b and pitch_c
 * elements, from a matrix to the next stride_a, stride_b and stride_c; both may
 * be anything that keeps rows of C apart. The arrays begin at multiples of 16
 * bytes, their rows wherever that leads. What of C lies between rows and
 * matrices keeps its values. C overlaps neither A nor B.
 *
 * Accuracy: the exact sum, rounded once (vector_add.cuh says why by way of f32
 * too).
 *
 * Bound by memory: 3*sizeof(T) bytes and one operation per element. */
#pragma once

#pragma hone op matrix_add(rows, columns, T in {f16, bf16, f32, f64} default f32, batch default 1, pitch_a default columns, pitch_b default columns, pitch_c default columns, stride_a default rows*pitch_a, stride_b default rows*pitch_b, stride_c default rows*pitch_c) "C = A + B, a batch of matrices, row-major"
#pragma hone arg A: in T[(batch - 1)*stride_a + (rows - 1)*pitch_a + columns]
#pragma hone arg B: in T[(batch - 1)*stride_b + (rows - 1)*pitch_b + columns]
#pragma hone arg C: inout T[min(batch*rows*columns, 1)*((batch - 1)*stride_c + (rows - 1)*pitch_c + columns)]

#pragma hone require pitch_a >= columns "pitch_a is less than a row of A (columns)"
#pragma hone require pitch_b >= columns "pitch_b is less than a row of B (columns)"
#pragma hone require pitch_c >= columns "pitch_c is less than a row of C (columns)"
#pragma hone require batch == 1 || stride_c >= (rows - 1)*pitch_c + columns || (stride_c >= columns && (batch - 1)*stride_c + columns <= pitch_c) "the matrices of C overlap: they follow each other, or lie side by side in its rows"

#pragma hone work flops(batch*rows*columns) bytes(3*batch*rows*columns*sizeof(T))
#pragma hone shapes (256, 256, f32, 1000) (8192, 8192, f16) (1023, 4099, f32, 7)
#pragma hone check template.matrix_add_plain tolerance(0) exact(1000)
#pragma hone baseline template.matrix_add_plain, memcpy
