/* SPDX-License-Identifier: Apache-2.0 */
/* fft: `batch` Fourier transforms of n complex f32, the contract of all
 * implementations.
 *
 *   Y_b[k] = sum over j of X_b[j] * exp(-+2*pi*i * j*k/n)
 *
 * with - for direction 1 (forward) and + for direction 2 (inverse). The
 * inverse is not scaled: a forward and an inverse transform multiply by n,
 * as with cuFFT.
 *
 * Shapes: n is a power of two from 16 to 65536, a constant of the code; batch
 * is any number from 1 up. No other n is a problem of this operation.
 *
 * Layout: a complex number is its real part, then its imaginary part. Element
 * j of transform b stands at b*DISTANCE + j*STRIDE, in x as in y. Without
 * them (STRIDE 1, DISTANCE n*STRIDE) the transforms lie one after another
 * without gaps; STRIDE = batch, DISTANCE = 1 are the columns of a matrix. The
 * elements of different transforms must not meet: transforms follow each
 * other, or all fit between two elements of one. What of y lies between them
 * keeps its values. x and y begin at multiples of 16 bytes and do not overlap:
 * no transform is done in place.
 *
 * Accuracy: in f32 or better. Real and imaginary parts are within
 * (log2(n) + 8) * 2^-24 * |X_b| of the true values, |X_b| being the 2-norm of
 * the transform's input, in the unit of x: the errors of a fast transform are
 * in proportion to it, not to the element.
 *
 * Bound by memory: 16 bytes and 5*log2(n) operations (of a fast transform)
 * per element, a copy in disguise.
 *
 * Source: Cooley and Tukey (1965) in Stockham's order (Cochran et al., What is
 * the fast Fourier transform?, 1967), several radices in registers as in
 * Govindaraju et al., High performance discrete Fourier transforms on graphics
 * processors (SC 2008); large n in four steps, Bailey, FFTs in external or
 * hierarchical memory (1990). */
#pragma once

#pragma hone op fft(n in {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536} default 1024, batch default 1, direction in {1, 2} default 1, STRIDE default 1, DISTANCE default n*STRIDE) "y = Fourier transforms of x, batch of n complex f32; direction 1 forward, 2 inverse, unscaled"
#pragma hone arg x: in c32[(batch - 1)*DISTANCE + (n - 1)*STRIDE + 1], y: inout c32[min(batch, 1)*((batch - 1)*DISTANCE + (n - 1)*STRIDE + 1)]

#pragma hone require DISTANCE > (n - 1)*STRIDE || STRIDE > (batch - 1)*DISTANCE "transforms overlap: they follow each other, or all fit between two elements of one"

#pragma hone work flops(5*n*log2(n)*batch) bytes(16*n*batch)
#pragma hone shapes (1024, 65536) (4096, 16384) (64, 1000003) (16384, 4096) (65536, 1024) (1024, 65537, 1, 65537, 1)
#pragma hone check cpu.fft tolerance(log2(n) + 8)
/* Of 134 million elements of cuFFT the worst was 1.08 times log2(n) + 8 away. */
#pragma hone check cufft.c2c tolerance(2*log2(n) + 8)
#pragma hone baseline cufft, memcpy
#pragma hone vendor cufft.c2c
