/* SPDX-License-Identifier: Apache-2.0 */
/* bias_gelu: y = gelu(x + bias), the bias one number for each column.
 *
 * Shapes: x and y have rows x columns elements of T, f16, bf16 or f32; bias has
 * `columns`.
 *
 * Layout: row-major, pitch_x and pitch_y elements from a row to the next. The
 * arrays begin at multiples of 16 bytes, their rows wherever that leads. What
 * of y lies between rows keeps its values. y does not overlap x, nor the bias.
 *
 *   TANH 0   gelu(s) = s/2 * (1 + erf(s/sqrt(2))), s times the normal
 *            distribution's share below s
 *   TANH 1   gelu(s) = s/2 * (1 + tanh(sqrt(2/pi)*(s + 0.044715*s^3)))
 *
 * (Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016).
 *
 * Accuracy: f32 and TANH 1 within 16 roundings of f32 of what slightly other
 * inputs give, and 10^-6 beside: where 1 + erf cancels, at s near -5, erf's
 * error of 2 ulp (2^-23) times s/2 is what is left, 6*10^-7, and some rounding;
 * below -6 both forms are 0 to that accuracy. TANH 1 is s/(1 + 2^-q), where 2^x
 * costs 4 of the roundings and 1/x 2. TANH 0 of 16 bits within 2^-17 of
 * itself and 4*10^-7 beside: 1/(1 + 2^-q(s)) for the share below s, where q, a
 * polynomial of degree 13, was fitted for the least greatest error of this kind
 * between -5.5 and 0, 2^-17.9 and 3*10^-7 (2^-18.5 with its coefficients and
 * steps in f32, at all f16 and bf16 numbers; 2^-22 and 2^-23 are those of 2^x
 * and 1/x). Then the rounding to T.
 *
 * Bound by memory: 2*sizeof(T) bytes per element.
 *
 * Source: Hendrycks and Gimpel, Gaussian Error Linear Units (arXiv 1606.08415,
 * 2016), which has both forms. */
#pragma once

#pragma hone op bias_gelu(rows, columns, T in {f16, bf16, f32} default f32, TANH in {0, 1}, pitch_x default columns, pitch_y default columns) "y[r][c] = gelu(x[r][c] + bias[c])"
#pragma hone arg x: in T[(rows - 1)*pitch_x + columns] normal(0, 2), bias: in T[columns]
#pragma hone arg y: inout T[min(rows*columns, 1)*((rows - 1)*pitch_y + columns)]

#pragma hone require pitch_x >= columns "pitch_x is less than a row of x (columns)"
#pragma hone require pitch_y >= columns "pitch_y is less than a row of y (columns)"

#pragma hone work flops(14*rows*columns) bytes((2*rows*columns + columns)*sizeof(T))
#pragma hone shapes (16384, 4096, f16, 0) (16384, 4096, f16, 1) (8191, 8193, f32, 1)
#pragma hone check template.bias_gelu_plain tolerance(16) abs(1e-6)
#pragma hone baseline template.bias_gelu_plain, memcpy
