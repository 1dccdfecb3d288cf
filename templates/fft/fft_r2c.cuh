/* SPDX-License-Identifier: Apache-2.0 */
/* fft_r2c: forward Fourier transforms of n real numbers f32, the contract of
 * all implementations.
 *
 *   y[b][k] = sum over j of x[b][j] * exp(-2*pi*i * j*k/n), k from 0 to n/2
 *
 * The other half are the conjugates of these: y[n - k] = conj y[k].
 *
 * Shapes: n is a power of two from 32 to 16384, a constant of the code; batch
 * is any number from 1 up.
 *
 * Layout: n real numbers for each transform, and n/2 + 1 complex ones (real
 * part, imaginary part), one transform after the other without gaps, as with
 * cuFFT. x and y begin at multiples of 16 bytes and do not overlap. The
 * imaginary parts of y[b][0] and y[b][n/2] are 0.
 *
 * Accuracy: in f32 or better. Errors are in proportion to |x_b|, the 2-norm of
 * the numbers, not to the element. Where no few frequencies have most of it, as
 * in the random numbers of the check, real and imaginary parts are within
 * (log2(n) + 12) * 2^-24 * |x_b| of the true values: the bound of `fft`, and five
 * roundings that put the transform of half the length together. Whatever the
 * numbers, the error of a transform as a whole is, in 2-norms, within
 * 16*log2(n) * 2^-24 of that (Higham, Accuracy and Stability of Numerical
 * Algorithms, 24.1).
 *
 * Bound by memory: 8 bytes for each real number.
 *
 * Source: n numbers as n/2 complex ones and a pass that takes them apart:
 * Sorensen et al., Real-valued fast Fourier transform algorithms, IEEE Trans.
 * ASSP 35 (1987). */
#pragma once

#pragma hone op fft_r2c(n in {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384} default 1024, batch default 1) "y = Fourier transforms of n real numbers x, n/2 + 1 complex ones each"
#pragma hone arg x: in f32[batch][n], y: out c32[batch][n/2 + 1]

#pragma hone work flops(5*n*log2(n)/2*batch) bytes((8*n + 8)*batch)
#pragma hone shapes (1024, 131072) (8192, 16384) (64, 1000003)
/* Both sides err within the bound. */
#pragma hone check template.fft_r2c_plain magnitude template.fft_r2c_magnitude tolerance(2*log2(n) + 20)
#pragma hone baseline cufft.r2c, memcpy
#pragma hone vendor cufft.r2c
