/* SPDX-License-Identifier: Apache-2.0 */
/* image_pipeline: `batch` images of f32 are thresholded, low-passed in the
 * frequency domain and normalised, in one operation: the contract of all
 * implementations. Of each image on its own,
 *
 *   a[r][c] = x[r][c] < threshold ? 0 : x[r][c]
 *   A[u][v] = sum over r, c of a[r][c] * exp(-2*pi*i * (r*u/rows + c*v/columns))
 *   B[u][v] = A[u][v] where the frequency is kept, 0 elsewhere
 *   b[r][c] = sum over u, v of B[u][v] * exp(2*pi*i * (r*u/rows + c*v/columns))
 *             / (rows*columns)
 *   y[r][c] = (b[r][c] - mean) / sqrt(variance + eps)
 *
 * with the mean and the variance (the mean of (b - mean)^2) of all of b.
 *
 * Low-pass: the ideal one, a circle. u and v stand for waves of |u| along the
 * rows and |v| along the columns of the image, from -rows/2 to rows/2 and from
 * -columns/2 to columns/2. With L the longer side, the frequency is kept where
 *
 *   (u * L/rows)^2 + (v * L/columns)^2 < cutoff^2
 *
 * so `cutoff` counts waves along the longer side, and means the same distance in
 * pixels in all directions: waves of more than L/cutoff pixels stay. These are
 * integers: which frequencies are kept never depends on rounding. An edge so
 * sharp rings in the image, and promises that what lies beyond it has no
 * influence at all: an implementation need neither store nor transform the
 * columns of A from cutoff*columns/L on. By default cutoff is L/4, waves of more
 * than 4 pixels; L/2, the circle that touches the edges of the spectrum, is the
 * most. It is a dimension, since the work depends on it.
 *
 * Normalise: mean 0 and variance 1 but for eps. An image of which nothing but
 * the mean is left (nothing is above the threshold, or cutoff is 1) becomes
 * 0 everywhere; that takes eps > 0. The mean is A[0][0], and by Parseval's
 * theorem the variance is the sum of the other |B[u][v]/(rows*columns)|^2: all
 * terms are positive, nothing cancels as between a sum of squares and a mean.
 *
 * Shapes: rows and columns are powers of two from 64 to 4096, constants of the
 * code; batch is any number, and 0 images are no work.
 *
 * Layout: images are row-major and lie one after another without gaps. x and y
 * begin at multiples of 16 bytes and do not overlap. All of y may be written
 * more than once.
 *
 * Accuracy: in f32 or better. Errors of A, and then of b, are in proportion to
 * the norm of the image and not to the element, within the bound of `fft2d` for
 * each way where no few frequencies have most of the image apart from its mean.
 * With u = 2^-24, K = sqrt(mean of a^2) / sqrt(variance + eps), and
 * D = 2*(log2(rows*columns) + 16), b is within D*u * sqrt(mean of a^2), which
 * makes D*u*K in y. The variance is off by twice the error of B in proportion
 * to |B|, so the root by at most D*u*K relative to itself, and by at most 32*u
 * more for its sum of positive terms: 16 to 32 in a thread, 10 to 15 steps of
 * trees, half of which counts. So y is within D*u*(K*(1 + |y|) + |y|). K grows as
 * less of the image is left by the low-pass. Not said: what becomes of images
 * with infinities or NaNs, or whose squares exceed f32.
 *
 * Bound by memory: 8 bytes for each pixel where an image stays in the caches
 * from the rows to the columns and back, up to 24 where it does not.
 *
 * Source: the transforms are those of fft.cuh and fft_r2c.cuh; what is joined
 * is joined here. */
#pragma once

#pragma hone op image_pipeline(rows in {64, 128, 256, 512, 1024, 2048, 4096} default 1024, columns in {64, 128, 256, 512, 1024, 2048, 4096} default 1024, batch from 0 default 1, cutoff default max(rows, columns)/4) "y = batch images x of f32 with what is below threshold set to 0, low-passed to a circle of cutoff waves along the longer side, and brought to mean 0 and variance 1"
#pragma hone arg x: in f32[batch][rows][columns] from 0.0..1.0, threshold: f32 from 0.25..0.75, eps: f32 from 1e-6..1e-4, y: out f32[batch][rows][columns]

#pragma hone let LONGER = max(rows, columns)
#pragma hone require cutoff <= LONGER/2 "a circle of that radius leaves the spectrum: cutoff is at most half of the longer side"

/* Transforms of real numbers there and back; the window and the scale. */
#pragma hone work flops((5*log2(rows*columns) + 8)*rows*columns*batch) bytes(8*rows*columns*batch)
#pragma hone shapes (1024, 1024, 64) (1024, 1024, 64, 512) (256, 256, 1024, 16) (512, 2048, 61, 333) (4096, 4096, 4)
/* The reference is in double. */
#pragma hone check template.image_pipeline_plain magnitude template.image_pipeline_magnitude tolerance(2*log2(rows*columns) + 32)
#pragma hone baseline cufft.image_pipeline, memcpy
