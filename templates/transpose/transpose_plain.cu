/* SPDX-License-Identifier: Apache-2.0 */
/* transpose/plain: each thread moves elements, one after another. Any shape and
 * type, any device. */
#include "hone_pack.cuh"
#include "transpose.cuh"

#pragma hone implements transpose/plain reference "one thread for each element, any device"

#pragma hone launch transpose_plain grid(min(ceildiv(batch*rows*columns, 256), 1G)) block(256) \
    args(x, y, i64(rows), i64(columns), i64(batch), i64(pitch_x), i64(pitch_y), i64(stride_x), i64(stride_y))

extern "C" __global__ void __launch_bounds__(256)
transpose_plain(const T *__restrict__ x, T *__restrict__ y, long long rows,
                long long columns, long long batch, long long pitch_x,
                long long pitch_y, long long stride_x, long long stride_y)
{
    const long long n = batch * rows * columns;

    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n;
         i += gridDim.x * 256LL) {
        const long long c = i % columns;
        const long long r = i / columns % rows;
        const long long m = i / columns / rows;

        y[m * stride_y + c * pitch_y + r] = x[m * stride_x + r * pitch_x + c];
    }
}
