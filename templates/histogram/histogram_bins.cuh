/* SPDX-License-Identifier: Apache-2.0 */
/* What all implementations of the histograms share: the bin of an element, and
 * a count that is added to in global memory. No name of a template parameter. */
#ifndef HONE_HISTOGRAM_BINS_CUH
#define HONE_HISTOGRAM_BINS_CUH

namespace hone {

/* Bytes: 256 bins, all elements counted. */
struct byte_bins {
    static constexpr int count = 256;

    __device__ int operator()(unsigned char x) const
    {
        return x;
    }
};

/* Bins of one width over [lo, hi), as histogram_f32.cuh says. */
struct even_bins {
    float lo, hi, scale;
    int count;

    __device__ even_bins(float from, float to, int n_bins)
        : lo(from), hi(to), scale((float)n_bins / (to - from)), count(n_bins)
    {
    }
    /* -1: not counted. */
    __device__ int operator()(float x) const
    {
        const int bin = min(count - 1, (int)((x - lo) * scale));

        return x >= lo && x < hi ? bin : -1;
    }
};

__device__ inline void add_count(unsigned *count, unsigned by)
{
    atomicAdd(count, by);
}
__device__ inline void add_count(long long *count, unsigned by)
{
    atomicAdd(reinterpret_cast<unsigned long long *>(count),
              (unsigned long long)by);
}

} /* namespace hone */

#endif
