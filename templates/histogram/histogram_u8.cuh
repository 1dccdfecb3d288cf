/* SPDX-License-Identifier: Apache-2.0 */
/* histogram_u8: counts[b] = how many of n bytes are b, for b from 0 to 255:
 * the contract of all its implementations.
 *
 * Counts are u32, which n must not reach (below 2^32), or with C = i64 of 64
 * bits, for any n. What stood in `counts` before does not matter: zeroing is
 * part of the operation. Integers, so exact, in whatever order.
 *
 * DATA says what x is like, since that decides which implementation wins. A
 * caller passes what comes nearest:
 *   0  values spread widely, in no order (noise, compressed data)
 *   1  nearly all values the same (masks, empty images)
 *   2  a few values are most of them (text, images: as of Zipf's law)
 * Results are right whatever x holds. hone draws inputs accordingly
 * (histogram_u8_inputs.cu).
 *
 * Layout: x begins at a multiple of 16 bytes (any cudaMalloc result does), and
 * does not overlap counts. n from 0 up.
 *
 * Bound by memory, one byte for each element, if the increments of bins in
 * shared memory are not: where lanes of a warp meet in one bin, they wait for
 * each other.
 *
 * Source: copies of the bins in shared memory: Podlozhnyuk, Histogram
 * calculation in CUDA (2007); Gomez-Luna et al., An optimized approach to
 * histogram computation on GPU (2013). */
#pragma once

#pragma hone op histogram_u8(n from 0, C in {u32, i64} default u32, DATA in {0, 1, 2} default 0) "counts[b] = how many of x[0..n) are b, 256 bins"
#pragma hone arg x: in u8[n] from 0..255, counts: out C[256]

#pragma hone require C == i64 || n < 4G "u32 counts to 2^32 - 1: take C = i64"
#pragma hone work bytes(n + 256*sizeof(C))
#pragma hone shapes (268435456, u32, 0) (268435456, u32, 1) (268435456, u32, 2) (100000007, u32, 0)
#pragma hone check template.histogram_u8_plain tolerance(0)
#pragma hone inputs template.histogram_u8_inputs
#pragma hone baseline cub.histogram, memcpy
