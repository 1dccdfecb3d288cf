/* SPDX-License-Identifier: Apache-2.0 */
/* convolve2d_separable: images convolved with a filter that is the product of a
 * column and a row, the contract of all its implementations:
 *
 *   y[r][c] = sum over i, j < SIZE of
 *             down[i] * along[j] * x[r + R - i][c + R - j],  R = (SIZE - 1)/2.
 *
 * As in the convolution of textbooks the filter is turned: along[0] meets the
 * pixel farthest to the right. Who has weights in the order of the pixels (a
 * correlation) passes them reversed.
 *
 * Shapes: `batch` images of height x width pixels of T (u8, f16 or f32), any
 * numbers from 1 up; SIZE weights each, f32.
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
 * Accuracy: sums are kept in f32, first along the row, then down the column, and
 * rounded to T once: to nearest, ties to even; u8 is then clamped to 0..255.
 * Each product passes SIZE roundings along the row and SIZE down the column, so
 * a sum is within 2*SIZE * 2^-24 * sum of |down*along*x| of the true value; u8
 * may differ from the rounded true value by 1 where that lies so near to a half.
 *
 * Hazards: x and y do not overlap. What lies between rows of y is neither read
 * nor written, between those of x not read. An implementation may keep weights
 * in constant memory: who changes them in place says so (hone_plan_refresh).
 *
 * Bound by memory for f32 and f16 of small SIZE; multiply-adds for u8: 2*SIZE
 * of each pixel, besides those of rows that neighbours compute too.
 *
 * Source: Podlozhnyuk, Image convolution with CUDA (2007), with both passes in
 * one here. */
#pragma once

#pragma hone op convolve2d_separable(height, width, SIZE in 3..15 step 2 default 5, T in {u8, f16, f32} default f32, BORDER in {0, 1, 2} default 1, pitch default width, pitch_out default width, batch default 1) "images convolved with a column times a row of SIZE weights"
#pragma hone arg x: in T[(batch*height - 1)*pitch + width] from (T == u8 ? 0 : -8)..(T == u8 ? 255 : 8)
#pragma hone arg along: in f32[SIZE], down: in f32[SIZE]
#pragma hone arg y: inout T[min(batch*height*width, 1)*((batch*height - 1)*pitch_out + width)]

#pragma hone require pitch >= width "pitch is less than a row of x (width)"
#pragma hone require pitch_out >= width "pitch_out is less than a row of y (width)"

#pragma hone work flops(4*SIZE*height*width*batch) bytes(2*height*width*batch*sizeof(T))
#pragma hone shapes (8192, 8192, 5, f32) (8192, 8192, 9, u8) (4001, 6007, 15, f16)
/* abs: a byte that was rounded the other way. */
#pragma hone check template.convolve2d_separable_plain tolerance(T == u8 ? 0 : 2*SIZE + 2) abs(T == u8 ? 1 : 0) exact(2)
#pragma hone baseline template.convolve2d_separable_plain, memcpy
