/* SPDX-License-Identifier: Apache-2.0 */
/* fft2d: Fourier transforms of `batch` images of complex f32 in both
 * directions, the contract of all implementations.
 *
 *   y[b][u][v] = sum over r, c of x[b][r][c] *
 *                                 exp(-+2*pi*i * (r*u/rows + c*v/columns))
 *
 * with - for direction 1 (forward) and + for direction 2 (inverse), which is
 * not scaled: a forward and an inverse transform multiply by rows*columns, as
 * with cuFFT.
 *
 * Shapes: rows and columns are powers of two from 64 to 4096, constants of the
 * code; batch is any number from 1 up.
 *
 * Layout: images are row-major and lie one after another without gaps; a
 * complex number is its real part, then its imaginary part. x and y begin at
 * multiples of 16 bytes and do not overlap.
 *
 * Accuracy: in f32 or better. Errors are in proportion to |x_b|, the 2-norm of
 * the image, not to the element. Where no few frequencies have most of it, as in
 * the random images of the check, real and imaginary parts are within
 * (log2(rows*columns) + 16) * 2^-24 * |x_b| of the true values: the bound of
 * `fft` for the rows and for the columns. Whatever the image, the error of its
 * transform as a whole is, in 2-norms, within 16*log2(rows*columns) * 2^-24 of
 * that (Higham, Accuracy and Stability of Numerical Algorithms, 24.1).
 *
 * Bound by memory: 32 bytes per element where an image does not stay in the
 * caches between rows and columns, 16 where it does.
 *
 * Source: rows, then columns; each as in fft.cuh. */
#pragma once

#pragma hone op fft2d(rows in {64, 128, 256, 512, 1024, 2048, 4096} default 1024, columns in {64, 128, 256, 512, 1024, 2048, 4096} default 1024, batch default 1, direction in {1, 2} default 1) "y = Fourier transforms of batch images x of rows x columns complex f32; direction 1 forward, 2 inverse, unscaled"
#pragma hone arg x: in c32[batch][rows][columns], y: out c32[batch][rows][columns]

#pragma hone work flops(5*rows*columns*log2(rows*columns)*batch) bytes(16*rows*columns*batch)
#pragma hone shapes (1024, 1024, 64) (256, 256, 1024) (4096, 4096, 4) (512, 2048, 61)
/* Both sides err within the bound. */
#pragma hone check template.fft2d_plain magnitude template.fft2d_magnitude tolerance(2*log2(rows*columns) + 32)
#pragma hone baseline cufft.c2c_2d, memcpy
#pragma hone vendor cufft.c2c_2d
