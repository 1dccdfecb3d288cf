/* SPDX-License-Identifier: Apache-2.0 */
/* bias_relu: y = max(0, x + bias), the bias one number for each column.
 *
 * Shapes: x and y have rows x columns elements of T, f16, bf16 or f32; bias has
 * `columns`.
 *
 * Layout: row-major, pitch_x and pitch_y elements from a row to the next. The
 * arrays begin at multiples of 16 bytes, their rows wherever that leads. What
 * of y lies between rows keeps its values. y does not overlap x, nor the bias.
 *
 * Accuracy: the exact sum, or 0, rounded once (vector_add.cuh says why by way of
 * f32 too). A NaN stays one.
 *
 * Bound by memory: 2*sizeof(T) bytes per element. */
#pragma once

#pragma hone op bias_relu(rows, columns, T in {f16, bf16, f32} default f32, pitch_x default columns, pitch_y default columns) "y[r][c] = max(0, x[r][c] + bias[c])"
#pragma hone arg x: in T[(rows - 1)*pitch_x + columns], bias: in T[columns]
#pragma hone arg y: inout T[min(rows*columns, 1)*((rows - 1)*pitch_y + columns)]

#pragma hone require pitch_x >= columns "pitch_x is less than a row of x (columns)"
#pragma hone require pitch_y >= columns "pitch_y is less than a row of y (columns)"

#pragma hone work flops(2*rows*columns) bytes((2*rows*columns + columns)*sizeof(T))
#pragma hone shapes (16384, 4096, f16) (65536, 1023, f32) (8191, 8193, bf16)
#pragma hone check template.bias_relu_plain tolerance(0) exact(1000)
#pragma hone baseline template.bias_relu_plain, memcpy
