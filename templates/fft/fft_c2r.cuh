/* SPDX-License-Identifier: Apache-2.0 */
/* fft_c2r: inverse Fourier transforms to n real numbers f32, the contract of
 * all implementations.
 *
 *   y[b][j] = sum over k from 0 to n-1 of X_b[k] * exp(2*pi*i * j*k/n)
 *
 * where X_b[k] = x[b][k] up to n/2 and conj x[b][n - k] above. It is not
 * scaled: fft_r2c and fft_c2r multiply by n.
 *
 * Shapes: n is a power of two from 32 to 16384, a constant of the code; batch
 * is any number from 1 up.
 *
 * Layout: n/2 + 1 complex numbers for each transform (real part, imaginary
 * part), and n real ones, one transform after the other without gaps, as with
 * cuFFT. x and y begin at multiples of 16 bytes and do not overlap; x keeps its
 * values. The imaginary parts of x[b][0] and x[b][n/2] are 0, as those of every
 * transform of real numbers are. Where they are not, hone's kernels take them
 * as 0; cuFFT's long transforms add them to what they combine, so that every
 * element comes out otherwise.
 *
 * Accuracy: in f32 or better. Errors are in proportion to |X_b|, the 2-norm of
 * all n numbers that are transformed, as those of fft_r2c are: within
 * (log2(n) + 12) * 2^-24 * |X_b| of the true values where no few results have
 * most of it, and as a whole within 16*log2(n) * 2^-24 of the result's 2-norm.
 *
 * Bound by memory: 8 bytes for each real number.
 *
 * Source: fft_r2c backwards: Sorensen et al., Real-valued fast Fourier
 * transform algorithms, IEEE Trans. ASSP 35 (1987). */
#pragma once

#pragma hone op fft_c2r(n in {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384} default 1024, batch default 1) "y = inverse Fourier transforms to n real numbers, of n/2 + 1 complex ones x each, unscaled"
#pragma hone arg x: in c32[batch][n/2 + 1], y: out f32[batch][n]

#pragma hone inputs template.fft_c2r_halves
#pragma hone work flops(5*n*log2(n)/2*batch) bytes((8*n + 8)*batch)
#pragma hone shapes (1024, 131072) (8192, 16384) (64, 1000003)
/* Both sides err within the bound. */
#pragma hone check template.fft_c2r_plain magnitude template.fft_c2r_magnitude tolerance(2*log2(n) + 20)
/* No implementation: nothing says that cuFFT leaves x as it is. */
#pragma hone baseline cufft.c2r, memcpy
