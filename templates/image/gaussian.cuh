/* SPDX-License-Identifier: Apache-2.0 */
/* gaussian: images smoothed by a Gaussian of SIZE x SIZE pixels, the contract of
 * all its implementations:
 *
 *   y[r][c] = sum over i, j from -R to R of w[i] * w[j] * x[r + i][c + j],
 *   w[i] = g[i] / (g[-R] + .. + g[R]),  g[i] = exp(-i*i / (2*sigma*sigma)),
 *   R = (SIZE - 1)/2.
 *
 * So weights add up to 1: a constant image stays as it is (but for BORDER 0,
 * whose zeros darken the edge). sigma is in pixels, f32, above 0; a sigma so
 * small that g[1] is 0 leaves images as they are. SIZE 6*sigma + 1 has all but
 * 0.3 % of the unbounded Gaussian.
 *
 * Shapes: `batch` images of height x width pixels of T (u8, f16 or f32), any
 * numbers from 1 up.
 *
 * Layout: row-major. A row of x begins `pitch` pixels behind the one before, a
 * row of y `pitch_out`, at least `width` each, and an image height rows behind
 * the one before. Arrays end with the last pixel of the last row. x and y begin
 * at multiples of 16 bytes, rows anywhere.
 *
 * Border: what stands for pixels outside of the image. BORDER 0: zeros; 1: the
 * nearest pixel; 2: reflected in the edge pixel, which is not repeated
 * (x[-1] = x[1]), as often as it takes where the image is smaller than the
 * filter; a single pixel stands for all.
 *
 * Accuracy: all is computed in f32 and rounded to T once: to nearest, ties to
 * even; u8 is then clamped. u = 2^-24. A weight is off by 5u of itself for the
 * exponential and the quotient, SIZE*u for the sum, and 6u * (i/sigma)^2 / 2 for
 * the argument, which times exp of minus itself is below 2.3u of w[0]; sums are
 * off by SIZE roundings along the row and down the column. All terms of x >= 0
 * are positive. So y is within (4*SIZE + 16) * u * max |x| of the true value, f16
 * and f32. Of u8 an implementation may compute in whole numbers, weights being
 * rounded; what is rounded to u8 is within (6*SIZE + 2)/1024 of the true value,
 * and y differs from the rounded true value by 1 only where that lies so near to
 * a half (which may be rounded upwards).
 *
 * Hazards: x and y do not overlap. What lies between rows of y is neither read
 * nor written, between those of x not read.
 *
 * Bound by memory for f32 and f16 of small SIZE; for u8 by instructions, of which
 * f32 needs 2*SIZE of each pixel and as many again for all else.
 *
 * Source: convolve2d_separable.cuh, with weights from the density at whole
 * pixels, scaled to a sum of 1. */
#pragma once

#pragma hone op gaussian(height, width, SIZE in 3..15 step 2 default 5, T in {u8, f16, f32} default f32, BORDER in {0, 1, 2} default 1, pitch default width, pitch_out default width, batch default 1) "images smoothed by a Gaussian of SIZE x SIZE pixels, sigma of them wide"
#pragma hone arg x: in T[(batch*height - 1)*pitch + width] from (T == u8 ? 0 : -8)..(T == u8 ? 255 : 8)
#pragma hone arg sigma: f32 from 0.3..5.0
#pragma hone arg y: inout T[min(batch*height*width, 1)*((batch*height - 1)*pitch_out + width)]

#pragma hone require pitch >= width "pitch is less than a row of x (width)"
#pragma hone require pitch_out >= width "pitch_out is less than a row of y (width)"

#pragma hone work flops(4*SIZE*height*width*batch) bytes(2*height*width*batch*sizeof(T))
#pragma hone shapes (8192, 8192, 5, f32) (8192, 8192, 5, u8) (4001, 6007, 15, f16)
/* abs: a byte that was rounded the other way. */
#pragma hone check template.gaussian_plain tolerance(T == u8 ? 0 : 4*SIZE + 16) abs(T == u8 ? 1 : 0)
#pragma hone baseline template.gaussian_plain, memcpy
