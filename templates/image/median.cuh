/* SPDX-License-Identifier: Apache-2.0 */
/* median: of each pixel and its neighbours in a window of SIZE x SIZE pixels,
 * SIZE 3 or 5, the one in the middle (the 5th of 9, the 13th of 25), the
 * contract of all its implementations.
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
 * (x[-1] = x[1]), as often as it takes where the image is smaller than
 * the window; a single pixel stands for all.
 *
 * Accuracy: y has pixels of x, exactly. Numbers alone are compared: where a
 * window has a NaN, its median is some number of it or NaN; of zeros of either
 * sign it is either.
 *
 * Hazards: x and y do not overlap. What lies between rows of y is neither read
 * nor written, between those of x not read.
 *
 * Source: the median of 9 as the median of the largest minimum, the middle
 * median and the smallest maximum of three columns in order: Paeth, Median
 * finding on a 3x3 grid, Graphics Gems, 1990. Columns that neighbours share:
 * Kolte, Smith and Su, A fast median filter using AltiVec, 1999. Columns in
 * order that are merged for several neighbours: Adams, Fast median filters using
 * separable sorting networks, ACM Transactions on Graphics 40, 2021; merged as
 * Batcher, Sorting networks and their applications, AFIPS, 1968.
 *
 * Bound by memory for SIZE 3 and f32, by comparisons else: some 16 minima and
 * maxima of each pixel for SIZE 3, 65 for SIZE 5, of which two pixels share one
 * instruction. */
#pragma once

#pragma hone op median(height, width, SIZE in {3, 5}, T in {u8, f16, f32} default u8, BORDER in {0, 1, 2} default 1, pitch default width, pitch_out default width, batch default 1) "the median of SIZE x SIZE pixels around each"
#pragma hone arg x: in T[(batch*height - 1)*pitch + width] from (T == u8 ? 0 : -8)..(T == u8 ? 255 : 8)
#pragma hone arg y: inout T[min(batch*height*width, 1)*((batch*height - 1)*pitch_out + width)]

#pragma hone require pitch >= width "pitch is less than a row of x (width)"
#pragma hone require pitch_out >= width "pitch_out is less than a row of y (width)"

#pragma hone work flops((SIZE == 3 ? 16 : 65)*height*width*batch) bytes(2*height*width*batch*sizeof(T))
#pragma hone shapes (8192, 8192, 3, u8) (8192, 8192, 5, u8) (4001, 6007, 3, f32)
/* The same pixels; bits may differ in the sign of a zero. */
#pragma hone check template.median_plain norm(0) exact(8)
#pragma hone baseline template.median_plain, memcpy
