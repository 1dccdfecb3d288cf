/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of image_pipeline as its contract has them, in double, each by all
 * threads of a block: what image_pipeline/plain and the magnitude of its check
 * share. Complex numbers all along, and no Parseval. */
#ifndef HONE_FFT_PIPELINE_PLAIN_CUH
#define HONE_FFT_PIPELINE_PLAIN_CUH

#include "radix2.cuh"

namespace hone {

/* A row of pixels, thresholded, and its transform. */
__device__ inline void image_row(const float *x, float threshold, double2 *row,
                                 double2 *y, int columns)
{
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        row[c] = {x[c] < threshold ? 0.0 : double(x[c]), 0.0};
    __syncthreads();
    fft_plain(row, y, columns, -1);
}

/* Column v, from `row`'s transforms in x to the inverse transform of what is
 * kept of it, in x again, divided by the number of pixels. */
__device__ inline void image_column(double2 *x, double2 *y, int v, int rows,
                                    int columns, long long cutoff)
{
    const long long longer = rows > columns ? rows : columns;
    const long long across = (v < columns / 2 ? v : columns - v) *
                             (longer / columns);

    fft_plain(x + v, y + v, rows, -1, columns);
    __syncthreads();
    for (int u = threadIdx.x; u < rows; u += blockDim.x) {
        const long long down = (u < rows / 2 ? u : rows - u) * (longer / rows);
        const bool is_kept = down * down + across * across < cutoff * cutoff;
        double2 &at = y[(long long)u * columns + v];
        const double scale = 1.0 / ((double)rows * columns);

        at = {is_kept ? at.x * scale : 0.0, is_kept ? at.y * scale : 0.0};
    }
    __syncthreads();
    fft_plain(y + v, x + v, rows, 1, columns);
}

/* The mean of value(i) over an image, to all of at most 256 threads. */
template <typename F> __device__ inline double image_mean(long long size, F value)
{
    __shared__ double parts[256];
    double sum = 0.0;

    for (long long i = threadIdx.x; i < size; i += blockDim.x)
        sum += value(i);
    __syncthreads();
    parts[threadIdx.x] = sum;
    __syncthreads();
    sum = 0.0;
    for (int i = 0; i < int(blockDim.x); i++)
        sum += parts[i];
    return sum / double(size);
}

/* Mean and variance of the real parts. */
__device__ inline double2 image_moments(const double2 *b, long long size)
{
    const double mean = image_mean(size, [=](long long i) { return b[i].x; });
    const double variance = image_mean(size, [=](long long i) {
        return (b[i].x - mean) * (b[i].x - mean);
    });

    return {mean, variance};
}

} /* namespace hone */

#endif
