/* SPDX-License-Identifier: Apache-2.0 */
/* rms_norm: y[r][c] = x[r][c] * rstd * gamma[c], where rstd = 1/sqrt(mean of x^2
 * over row r + eps): the contract of all its implementations.
 *
 * Shapes: `rows` rows of `columns` elements of T (f16, bf16 or f32), any
 * numbers from 1 up; gamma has `columns` elements of T, eps is one f32, above 0.
 * With STATS = 1 rstd[r] is written too, in f32: what a backward pass reads.
 * Else it is left out.
 *
 * Layout: row-major. A row of x begins `pitch` elements behind the one before,
 * one of y `pitch_out` (the same by default), at least `columns` each.
 * Arrays begin at multiples of 16 bytes, rows
 * anywhere. x and y end with the last element of the last row.
 *
 * Accuracy: computed in f32, rounded to T once; all terms are positive. With
 * u = 2^-24, the sum of squares is within (DEPTH + 1)*u of its value times it,
 * DEPTH being the additions that an element passes, at most min(columns,
 * max(128, columns/256)) + 56; dividing, adding eps and the root (rsqrtf is
 * within 2 units in the last place, 4u) make (DEPTH/2 + 6)*u of rstd, and two
 * products (DEPTH/2 + 8)*u of y.
 *
 * Special values: a row with a NaN is NaN throughout; one with an infinity is
 * NaN there and 0 elsewhere; one whose sum of squares exceeds f32 is 0.
 *
 * Hazards: outputs overlap no input. What lies between rows is neither read nor
 * written; y is inout for that alone.
 *
 * Bound by memory: 2*sizeof(T) bytes and about 4 operations per element, a copy
 * in disguise; gamma is read once per row, from the caches.
 *
 * Source: Zhang and Sennrich, Root mean square layer normalization (NeurIPS
 * 2019). */
#pragma once

#pragma hone op rms_norm(rows, columns, T in {f16, bf16, f32} default f32, STATS in {0, 1}, pitch default columns, pitch_out default pitch) "y[r][c] = x[r][c] / root of the mean square of row r * gamma[c]"
#pragma hone arg x: in T[min(rows*columns, 1)*((rows - 1)*pitch + columns)] normal(0.5, 2), gamma: in T[columns], eps: f32 from 1e-6..1e-4
#pragma hone arg y: inout T[min(rows*columns, 1)*((rows - 1)*pitch_out + columns)], rstd: out optional(STATS) f32[rows]

#pragma hone require pitch >= columns "pitch is less than a row of x (columns)"
#pragma hone require pitch_out >= columns "pitch_out is less than a row of y (columns)"

#pragma hone work flops(4*rows*columns) bytes((2*rows + 1)*columns*sizeof(T) + 4*STATS*rows)
#pragma hone shapes (65536, 1024, f16) (16384, 8192, f32) (10007, 1023, bf16)
#pragma hone check template.rms_norm_plain tolerance(min(columns, max(128, columns/256)) + 64)
#pragma hone baseline memcpy
