/* SPDX-License-Identifier: Apache-2.0 */
/* Draws x for histogram_f32: as it is drawn already (DATA 0), in one bin (1), or
 * in bins by Zipf's law, the frequent ones apart (2). In each, one element in
 * 1024 is an end of the range, an infinity, NaN or any number. */
#include "histogram_inputs.cuh"

#pragma hone op histogram_f32_inputs(n from 0, bins default 256, C in {u32, i64} default u32, DATA in {0, 1, 2} default 0) "x as DATA says"
#pragma hone arg x: inout f32[n] from -1..1, lo: f32 from -1.0..-0.75, hi: f32 from 0.75..1.0, counts: out C[bins]
#pragma hone launch histogram_f32_inputs grid(max(1, min(ceildiv(n, 256), 65536))) block(256) args(x, lo, hi, counts, i64(n), i32(bins))
#pragma hone check none

/* One that is counted with care, or not at all. */
__device__ inline float odd_one(unsigned which, float x, float lo, float hi)
{
    switch (which % 8) {
    case 0:
        return lo;
    case 1:
        return hi;
    case 2:
        return __int_as_float(__float_as_int(hi) - 1);
    case 3:
        return __int_as_float(0x7f800000);
    case 4:
        return __int_as_float((int)0xff800000u);
    case 5:
        return __int_as_float(0x7fc00000);
    default:
        return x;
    }
}

extern "C" __global__ void histogram_f32_inputs(float *x, float lo, float hi,
                                                C *counts, long long n,
                                                int bins)
{
    const long long first = blockIdx.x * 256LL + threadIdx.x;

    for (long long i = first; i < n; i += gridDim.x * 256LL) {
        const unsigned random =
            mixed((unsigned)i ^ mixed((unsigned)__float_as_int(x[i])));

        if (random % 1024 == 0) {
            x[i] = odd_one(random >> 10, x[i], lo, hi);
        } else if (DATA == 1) {
            x[i] = lo + 0.3f * (hi - lo);
        } else if (DATA == 2) {
            const long long bin = zipf(random, bins) * 7919LL % bins;

            x[i] = lo + ((float)bin + 0.5f) / (float)bins * (hi - lo);
        }
    }
    for (long long i = first; i < bins; i += gridDim.x * 256LL)
        counts[i] = 0;
}
