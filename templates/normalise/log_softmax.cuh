/* SPDX-License-Identifier: Apache-2.0 */
/* log_softmax: y[r][c] = x[r][c] - m - log(s), where m is the largest element of
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
 * s is within (3.3 ln(columns) + 6*DEPTH + 4)*u of its value times it, as
 * softmax.cuh derives; log takes that as an absolute error and adds 2u*log(s)
 * (CUDA's logf is within 1 unit in the last place) and, near s = 1, u; the two
 * subtractions round by u*d and u*(d + log(s)). So an element is within
 * (6*DEPTH + 3.3 ln(columns) + 2 d + 3 log(s) + 5)*u of the true value: an
 * absolute error, since the terms cancel where one element of a row is much
 * larger than the others. DEPTH is at most min(columns, max(128, columns/256)) +
 * 56. Roundings do not all point the same way: what is checked is DEPTH*u times
 * the terms, d + log(s) + 1, which log_softmax_magnitude.cu computes. Numbers
 * below 2^-126 may count as 0, which is far less than these.
 *
 * Special values: -inf gives -inf. A row of nothing but -inf, or with a NaN or
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

#pragma hone op log_softmax(rows, columns, T in {f16, bf16, f32} default f32, pitch default columns, pitch_out default pitch) "y[r][c] = x[r][c] - log(sum of exp over row r)"
#pragma hone arg x: in T[min(rows*columns, 1)*((rows - 1)*pitch + columns)] normal(0, 3), y: inout T[min(rows*columns, 1)*((rows - 1)*pitch_out + columns)]

#pragma hone require pitch >= columns "pitch is less than a row of x (columns)"
#pragma hone require pitch_out >= columns "pitch_out is less than a row of y (columns)"

#pragma hone work flops(5*rows*columns) bytes(2*rows*columns*sizeof(T))
#pragma hone shapes (65536, 1024, f16) (16384, 8192, f32) (10007, 1023, f32)
#pragma hone check template.log_softmax_plain magnitude template.log_softmax_magnitude tolerance(min(columns, max(128, columns/256)) + 64)
#pragma hone baseline memcpy
