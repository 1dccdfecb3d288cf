/* SPDX-License-Identifier: Apache-2.0 */
/* The 2-norm of an array, for the templates that say how large the terms of a
 * transform are. */
#ifndef HONE_FFT_NORMS_CUH
#define HONE_FFT_NORMS_CUH

namespace hone {

/* Of `size` numbers f32, to all 256 threads of a block. */
__device__ inline float norm_plain(const float *x, long long size)
{
    __shared__ double parts[256];
    double sum = 0.0;

    for (long long i = threadIdx.x; i < size; i += blockDim.x)
        sum += (double)x[i] * (double)x[i];
    __syncthreads();
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half)
            parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    return (float)sqrt(parts[0]);
}

} /* namespace hone */

#endif
