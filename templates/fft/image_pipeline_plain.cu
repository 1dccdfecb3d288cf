/* SPDX-License-Identifier: Apache-2.0 */
/* image_pipeline/plain: one stage after the other, in double, with two
 * workspaces of complex numbers (pipeline_plain.cuh), of some images at a time.
 * Few threads, so that the cpu device has few to take turns with. Any shape,
 * any device: what the others are compared with, and what is left where no
 * other applies. */
#include "image_pipeline.cuh"
#include "pipeline_plain.cuh"

#pragma hone implements image_pipeline/plain reference "every stage by definition, in double, any device"

#pragma hone let IMAGES = max(min(batch, 4M/(rows*columns)), 1)
#pragma hone workspace one: c64[IMAGES*rows*columns]
#pragma hone workspace other: c64[IMAGES*rows*columns]
#pragma hone workspace moments: c64[IMAGES]
#pragma hone launch image_rows repeat(PART, ceildiv(batch, IMAGES)) grid(min(IMAGES, batch - PART*IMAGES)*rows) block(128) args(x, threshold, one, other, i64(PART*IMAGES))
#pragma hone launch image_columns repeat(PART) grid(min(IMAGES, batch - PART*IMAGES)*columns) block(128) args(one, other, i64(cutoff))
#pragma hone launch image_rows_back repeat(PART) grid(min(IMAGES, batch - PART*IMAGES)*rows) block(128) args(one, other)
#pragma hone launch image_statistics repeat(PART) grid(min(IMAGES, batch - PART*IMAGES)) block(256) args(one, moments)
#pragma hone launch image_normalise repeat(PART) grid(min(IMAGES, batch - PART*IMAGES)*rows) block(128) args(one, moments, eps, y, i64(PART*IMAGES))

constexpr long long image = (long long)rows * columns;

extern "C" __global__ void __launch_bounds__(128)
image_rows(const float *x, float threshold, double2 *one, double2 *other,
           long long first)
{
    const long long at = (long long)blockIdx.x * columns;

    hone::image_row(x + first * image + at, threshold, one + at, other + at,
                    columns);
}

extern "C" __global__ void __launch_bounds__(128)
image_columns(double2 *one, double2 *other, long long cutoff)
{
    const long long at = blockIdx.x / columns * image;

    hone::image_column(other + at, one + at, blockIdx.x % columns, rows, columns,
                       cutoff);
}

extern "C" __global__ void __launch_bounds__(128)
image_rows_back(double2 *one, const double2 *other)
{
    const long long at = (long long)blockIdx.x * columns;

    hone::fft_plain(other + at, one + at, columns, 1);
}

extern "C" __global__ void __launch_bounds__(256)
image_statistics(const double2 *one, double2 *moments)
{
    const double2 both = hone::image_moments(one + blockIdx.x * image, image);

    if (threadIdx.x == 0)
        moments[blockIdx.x] = both;
}

extern "C" __global__ void __launch_bounds__(128)
image_normalise(const double2 *one, const double2 *moments, float eps, float *y,
                long long first)
{
    const long long at = (long long)blockIdx.x * columns;
    const double2 both = moments[blockIdx.x / rows];
    const double root = sqrt(both.y + double(eps));

    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        y[first * image + at + c] = float((one[at + c].x - both.x) / root);
}
