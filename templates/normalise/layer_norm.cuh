/* SPDX-License-Identifier: Apache-2.0 */
/* layer_norm: y[r][c] = (x[r][c] - mean) * rstd * gamma[c] + beta[c], where mean
 * is that of row r, rstd = 1/sqrt(variance + eps), and the variance is the mean
 * of (x - mean)^2 over the row: the contract of all its implementations.
 *
 * Shapes: `rows` rows of `columns` elements of T (f16, bf16 or f32), any
 * numbers from 1 up; gamma and beta have `columns` elements of T, eps is one
 * f32, above 0. With STATS = 1 mean[r] and rstd[r] are written too, in f32:
 * what a backward pass reads. Else they are left out.
 *
 * Layout: row-major. A row of x begins `pitch` elements behind the one before,
 * one of y `pitch_out` (the same by default), at least `columns` each.
 * Arrays begin at multiples of 16 bytes, rows
 * anywhere. x and y end with the last element of the last row.
 *
 * Accuracy: computed in f32, rounded to T once. The variance is never a
 * difference of sums: distances from the mean are squared, either in a second
 * pass or chunk by chunk, and chunks are merged (Chan, Golub and LeVeque). With
 * u = 2^-24 and A = mean of |x| over the row:
 *   mean      each element passes at most DEPTH additions, or as many merges of
 *             3 roundings: within e = 3*DEPTH*u*A;
 *   variance  squares of distances, DEPTH additions of positive terms: DEPTH*u
 *             of it. What the means are off by adds e^2 in two passes, and in
 *             merges, where it stands once in each product, 2*e*sqrt(variance);
 *   rstd      half of that relative to variance + eps, and rsqrtf's 4u: within
 *             (DEPTH + 4)*u + e*rstd of its value times it;
 *   y         e*rstd*|gamma| from the mean, |z*gamma| times the error of rstd,
 *             z = (x - mean)*rstd, and three roundings.
 * So mean is within 3*DEPTH*u * A, rstd within 3*DEPTH*u * rstd*(1 + A*rstd) and
 * y within 3*DEPTH*u * (|gamma|*(|z| + (1 + |z|)*A*rstd) + |beta|), while A*rstd
 * is far below 1/(DEPTH*u). DEPTH is at most min(columns, max(128, columns/256))
 * + 64. Roundings do not all point the same way: what is checked is DEPTH*u times
 * these terms, which layer_norm_magnitude.cu computes; they cancel, so that no
 * run on other inputs shows them.
 *
 * Special values: a row with a NaN or an infinity is NaN throughout; one whose
 * sum of squares exceeds f32 is beta or NaN.
 *
 * Hazards: outputs overlap no input. What lies between rows is neither read nor
 * written; y is inout for that alone.
 *
 * Bound by memory: 2*sizeof(T) bytes and about 8 operations per element, a copy
 * in disguise; gamma and beta are read once per row, from the caches.
 *
 * Source: Ba, Kiros, Hinton, Layer normalization (arXiv 1607.06450, 2016);
 * means and variances of parts are joined as in Chan, Golub, LeVeque, Updating
 * formulae and a pairwise algorithm for computing sample variances (1979). */
#pragma once

#pragma hone op layer_norm(rows, columns, T in {f16, bf16, f32} default f32, STATS in {0, 1}, pitch default columns, pitch_out default pitch) "y[r][c] = (x[r][c] - mean of row r) / its standard deviation * gamma[c] + beta[c]"
#pragma hone arg x: in T[min(rows*columns, 1)*((rows - 1)*pitch + columns)] normal(0.5, 2), gamma: in T[columns], beta: in T[columns], eps: f32 from 1e-6..1e-4
#pragma hone arg y: inout T[min(rows*columns, 1)*((rows - 1)*pitch_out + columns)], mean: out optional(STATS) f32[rows], rstd: out optional(STATS) f32[rows]

#pragma hone require pitch >= columns "pitch is less than a row of x (columns)"
#pragma hone require pitch_out >= columns "pitch_out is less than a row of y (columns)"

#pragma hone work flops(8*rows*columns) bytes((2*rows + 2)*columns*sizeof(T) + 8*STATS*rows)
#pragma hone shapes (65536, 1024, f16) (16384, 8192, f32, 1) (512, 131072, bf16) (10007, 4099, f32)
#pragma hone check template.layer_norm_plain magnitude template.layer_norm_magnitude tolerance(min(columns, max(128, columns/256)) + 64)
#pragma hone baseline memcpy
