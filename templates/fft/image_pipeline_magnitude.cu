/* SPDX-License-Identifier: Apache-2.0 */
/* image_pipeline_magnitude: K*(1 + |y|) + |y| of image_pipeline.cuh, which the
 * errors of image_pipeline are in proportion to. Stages as image_pipeline/plain
 * has them. No operation of use: the check reads it. */
#include "pipeline_plain.cuh"

#pragma hone op image_pipeline_magnitude(rows in {64, 128, 256, 512, 1024, 2048, 4096} default 1024, columns in {64, 128, 256, 512, 1024, 2048, 4096} default 1024, batch from 0 default 1, cutoff default max(rows, columns)/4) "how large the errors of image_pipeline may be"
#pragma hone arg x: in f32[batch][rows][columns] from 0.0..1.0, threshold: f32 from 0.25..0.75, eps: f32 from 1e-6..1e-4, y: out f32[batch][rows][columns]
#pragma hone require cutoff <= max(rows, columns)/2 "a circle of that radius leaves the spectrum"
#pragma hone check none

#pragma hone workspace one: c64[min(batch, 1)*rows*columns]
#pragma hone workspace other: c64[min(batch, 1)*rows*columns]
#pragma hone workspace moments: f64[3]
#pragma hone launch magnitude_rows repeat(IMAGE, batch) grid(rows) block(128) args(x, threshold, one, other, i64(IMAGE))
#pragma hone launch magnitude_columns repeat(IMAGE) grid(columns) block(128) args(one, other, i64(cutoff))
#pragma hone launch magnitude_rows_back repeat(IMAGE) grid(rows) block(128) args(one, other)
#pragma hone launch magnitude_statistics repeat(IMAGE) grid(1) block(256) args(x, threshold, one, moments, i64(IMAGE))
#pragma hone launch magnitude_write repeat(IMAGE) grid(rows) block(128) args(eps, one, moments, y, i64(IMAGE))

constexpr long long image = (long long)rows * columns;

extern "C" __global__ void __launch_bounds__(128)
magnitude_rows(const float *x, float threshold, double2 *one, double2 *other,
               long long which)
{
    const long long at = (long long)blockIdx.x * columns;

    hone::image_row(x + which * image + at, threshold, one + at, other + at,
                    columns);
}

extern "C" __global__ void __launch_bounds__(128)
magnitude_columns(double2 *one, double2 *other, long long cutoff)
{
    hone::image_column(other, one, blockIdx.x, rows, columns, cutoff);
}

extern "C" __global__ void __launch_bounds__(128)
magnitude_rows_back(double2 *one, const double2 *other)
{
    const long long at = (long long)blockIdx.x * columns;

    hone::fft_plain(other + at, one + at, columns, 1);
}

extern "C" __global__ void __launch_bounds__(256)
magnitude_statistics(const float *x, float threshold, const double2 *one,
                     double *moments, long long which)
{
    const float *const in = x + which * image;
    const double2 both = hone::image_moments(one, image);
    const double square = hone::image_mean(image, [=](long long i) {
        return in[i] < threshold ? 0.0 : double(in[i]) * double(in[i]);
    });

    if (threadIdx.x == 0) {
        moments[0] = both.x;
        moments[1] = both.y;
        moments[2] = square;
    }
}

extern "C" __global__ void __launch_bounds__(128)
magnitude_write(float eps, const double2 *one, const double *moments, float *y,
                long long which)
{
    const long long at = (long long)blockIdx.x * columns;
    const double root = sqrt(moments[1] + double(eps));
    const double k = sqrt(moments[2]) / root;

    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        const double size = fabs((one[at + c].x - moments[0]) / root);

        y[which * image + at + c] = float(k * (1.0 + size) + size);
    }
}
