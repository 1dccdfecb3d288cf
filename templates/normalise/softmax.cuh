/* SPDX-License-Identifier: Apache-2.0 */
/* softmax: y[r][c] = exp(x[r][c] - m) / s, where m is the largest element of
 * row r and s the sum of exp(x[r][k] - m) over it: the contract of all its
 * implementations.
 *
 * Shapes: `rows` rows of `columns` elements of T (f16, bf16 or f32), any
 * numbers from 1 up.
 *
 * Layout: row-major. A row of x begins `pitch` elements behind the one before,
 * one of y `pitch_out` (the same by default), at least `columns` each.
 * x and y begin at multiples of 16 bytes, rows
 * anywhere. Arrays end with the last element of the last row.
 *
 * Accuracy: computed in f32, rounded to T once. With u = 2^-24, d = |x - m|:
 *   x - m     one rounding, which moves the exponent by u*d;
 *   exp       a power of 2: the product with log2(e) and that number's own
 *             rounding move the exponent by another 1.3u*d, and CUDA's exp2f is
 *             within 2 units in the last place, 4u, as is the one instruction
 *             for the terms of s, of which those below 2^-126 are 0: s has one
 *             of 1;
 *   s         positive terms, each of which passes at most DEPTH additions.
 *             Beside a running maximum a sum is also multiplied by exp(old - new
 *             maximum), 6u each time; what the distances add to the exponents
 *             comes to that of d in all. The mean of d, weighted by the
 *             exponentials, is at most ln(columns);
 *   1/s, product   two roundings.
 * So an element is within (2.3 (d + ln(columns)) + 6*DEPTH + 8)*u times its own
 * value of the true one, and within 2^-146 where it is below 2^-126. DEPTH is at
 * most min(columns, max(128, columns/256)) + 56. Roundings do not all point the
 * same way: what is checked is DEPTH*u times the measured condition of the
 * problem, which is in proportion to d.
 *
 * Special values: -inf gives 0. A row of nothing but -inf, or with a NaN or
 * +inf, is NaN throughout, as in PyTorch.
 *
 * Hazards: x and y do not overlap. What lies between rows is neither read nor
 * written; y is inout for that alone.
 *
 * Source: the one-pass sum beside a running maximum is Milakov and
 * Gimelshein, Online normalizer calculation for softmax, 2018.
 *
 * Bound by memory: 2*sizeof(T) bytes and about 5 operations per element, one of
 * them an exponential: a copy in disguise. */
#pragma once

#pragma hone op softmax(rows, columns, T in {f16, bf16, f32} default f32, pitch default columns, pitch_out default pitch) "y[r][c] = exp(x[r][c]) / sum of exp over row r"
#pragma hone arg x: in T[min(rows*columns, 1)*((rows - 1)*pitch + columns)] normal(0, 3), y: inout T[min(rows*columns, 1)*((rows - 1)*pitch_out + columns)]

#pragma hone require pitch >= columns "pitch is less than a row of x (columns)"
#pragma hone require pitch_out >= columns "pitch_out is less than a row of y (columns)"

#pragma hone work flops(5*rows*columns) bytes(2*rows*columns*sizeof(T))
#pragma hone shapes (65536, 1024, f16) (16384, 8192, f32) (512, 131072, bf16) (10007, 4099, f32)
#pragma hone check template.softmax_plain tolerance(min(columns, max(128, columns/256)) + 64) abs(1e-44)
#pragma hone baseline memcpy
