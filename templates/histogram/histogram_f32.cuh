/* SPDX-License-Identifier: Apache-2.0 */
/* histogram_f32: counts[b] = how many of n numbers lie in bin b of `bins` of the
 * same width between lo and hi: the contract of all its implementations.
 *
 * The bin of x with lo <= x < hi is the whole part of (x - lo) * scale, scale
 * being bins / (hi - lo): three operations of f32, each rounded to nearest, and
 * bins - 1 if that comes to more. So the edges of the bins are where those
 * roundings put them, within some 2^-22 * (|lo| + |hi|) of lo + b*(hi - lo)/bins.
 * What lies outside is not counted: x < lo, x >= hi, infinities, NaN. lo < hi
 * are finite, and so is hi - lo; else nothing is counted, or all in bin 0
 * (hi - lo infinite).
 *
 * Counts are u32, which n must not reach (below 2^32), or with C = i64 of 64
 * bits, for any n. What stood in `counts` before does not matter: zeroing is
 * part of the operation. Integers, so exact, in whatever order.
 *
 * DATA says what x is like (see histogram_u8.cuh): 0 spread over the bins, 1
 * nearly all in one bin, 2 most in a few bins. Results are right whatever x
 * holds. hone draws inputs accordingly (histogram_f32_inputs.cu).
 *
 * Layout: x begins at a multiple of 16 bytes (any cudaMalloc result does), and
 * does not overlap counts. n from 0, bins from 1 up; bins up to 2^24, behind which
 * f32 does not tell bins apart.
 *
 * Bound by memory, 4 bytes for each element, where the bins fit shared memory;
 * by atomic operations of the level 2 cache where they do not.
 *
 * Source: copies of the bins in shared memory: Podlozhnyuk, Histogram
 * calculation in CUDA (2007); Gomez-Luna et al., An optimized approach to
 * histogram computation on GPU (2013). */
#pragma once

#pragma hone op histogram_f32(n from 0, bins default 256, C in {u32, i64} default u32, DATA in {0, 1, 2} default 0) "counts[b] = how many of x[0..n) lie in bin b of [lo, hi)"
#pragma hone arg x: in f32[n] from -1..1, lo: f32 from -1.0..-0.75, hi: f32 from 0.75..1.0, counts: out C[bins]

#pragma hone require C == i64 || n < 4G "u32 counts to 2^32 - 1: take C = i64"
#pragma hone require bins <= 16M "f32 does not tell more bins apart"
#pragma hone work flops(2*n) bytes(4*n + bins*sizeof(C))
#pragma hone shapes (67108864, 256, u32, 0) (67108864, 4096, u32, 2) (67108864, 16384, u32, 1) (100000007, 61, u32, 0)
#pragma hone check template.histogram_f32_plain tolerance(0)
#pragma hone inputs template.histogram_f32_inputs
#pragma hone baseline cub.histogram, memcpy
