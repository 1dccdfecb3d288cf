/* SPDX-License-Identifier: Apache-2.0 */
/* fft_filter: every one of `batch` signals of n complex f32 is transformed,
 * multiplied by one filter h of n numbers and transformed back; the contract
 * of all implementations.
 *
 *   y = inverse transform of (h[k] * (forward transform of x)[k]), unscaled
 *
 * Neither transform is scaled: whoever wants the circular convolution with a
 * filter g puts its transform divided by n into h.
 *
 * Shapes: n is a power of two from 16 to 8192, a constant of the code; batch
 * is any number from 1 up. h is the same for all signals.
 *
 * Layout: a complex number is its real part, then its imaginary part; signals
 * lie one after another, without gaps, and h is in the order of frequencies 0,
 * 1, .., n - 1. x, h and y begin at multiples of 16 bytes; y overlaps neither x
 * nor h.
 *
 * Accuracy: in f32 or better. Real and imaginary parts are within
 * (2*log2(n) + 8) * 2^-24 of |x|*|h| (2-norms of a signal and of the filter),
 * or of the norm of what is transformed back where that is larger.
 *
 * Bound by memory where it is one pass: 16 bytes per element, and h once.
 *
 * Source: Stockham, High-speed convolution and correlation (1966). */
#pragma once

#pragma hone op fft_filter(n in {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192} default 1024, batch default 1) "y = inverse transforms of h times the forward transforms of x, batch of n complex f32, unscaled"
#pragma hone arg x: in c32[n*batch], h: in c32[n], y: out c32[n*batch]

#pragma hone work flops((10*n*log2(n) + 6*n)*batch) bytes(16*n*batch + 8*n)
#pragma hone shapes (1024, 65536) (4096, 16384) (64, 1000003)
#pragma hone check cpu.fft_filter tolerance(2*log2(n) + 8)
#pragma hone baseline cufft.filter, memcpy
#pragma hone vendor cufft.filter
