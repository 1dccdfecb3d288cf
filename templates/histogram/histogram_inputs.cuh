/* SPDX-License-Identifier: Apache-2.0 */
/* Values to draw for histograms. Each depends on its index and on what was
 * drawn there, so that every seed has others. */
#ifndef HONE_HISTOGRAM_INPUTS_CUH
#define HONE_HISTOGRAM_INPUTS_CUH

/* 32 bits that look random (the finalizer of MurmurHash3, Austin Appleby's,
 * in the public domain). */
__device__ inline unsigned mixed(unsigned h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

/* One of `count` numbers from 0 up by Zipf's law, nearly: k with the
 * probability log((k + 2)/(k + 1)) / log(count + 1), some 1/(k + 1). */
__device__ inline int zipf(unsigned random, int count)
{
    const float u = (float)(random >> 8) * 0x1p-24f;

    return min(count - 1, (int)exp2f(u * log2f((float)count + 1.0f)) - 1);
}

#endif
