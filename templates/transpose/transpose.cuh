/* SPDX-License-Identifier: Apache-2.0 */
/* transpose: y[c][r] = x[r][c], the contract of all its implementations.
 *
 * Shapes: x is `batch` matrices of rows x columns elements of T, u8, f16, f32
 * or f64, y as many of columns x rows. Elements are moved and not computed
 * with: a type that is not listed goes as one of its size.
 *
 * Layout: row-major. From a row to the next are pitch_x and pitch_y elements,
 * from a matrix to the next stride_x and stride_y. The arrays begin at
 * multiples of 16 bytes, their rows wherever that leads. What of y lies between
 * rows and matrices keeps its values. y does not overlap x:
 * transpose_square.cuh is for that.
 *
 * Accuracy: bit for bit.
 *
 * Bound by memory: a copy in disguise, 2*sizeof(T) bytes per element.
 *
 * Source: Ruetsch and Micikevicius, Optimizing matrix transpose in CUDA
 * (2009). */
#pragma once

#pragma hone op transpose(rows, columns, T in {u8, f16, f32, f64} default f32, batch default 1, pitch_x default columns, pitch_y default rows, stride_x default rows*pitch_x, stride_y default columns*pitch_y) "y[c][r] = x[r][c], a batch of matrices, row-major"
#pragma hone arg x: in T[(batch - 1)*stride_x + (rows - 1)*pitch_x + columns]
#pragma hone arg y: inout T[min(batch*rows*columns, 1)*((batch - 1)*stride_y + (columns - 1)*pitch_y + rows)]

#pragma hone require pitch_x >= columns "pitch_x is less than a row of x (columns)"
#pragma hone require pitch_y >= rows "pitch_y is less than a row of y (rows)"
#pragma hone require batch == 1 || stride_y >= (columns - 1)*pitch_y + rows || (stride_y >= rows && (batch - 1)*stride_y + rows <= pitch_y) "the matrices of y overlap: they follow each other, or lie side by side in its rows"

#pragma hone work bytes(2*batch*rows*columns*sizeof(T))
#pragma hone shapes (8192, 8192, f32) (16384, 8192, f16) (16384, 16384, u8) (8191, 8193, f32)
#pragma hone check template.transpose_plain tolerance(0) exact(100)
#pragma hone baseline template.transpose_plain, memcpy
