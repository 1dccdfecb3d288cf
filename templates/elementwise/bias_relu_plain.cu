/* SPDX-License-Identifier: Apache-2.0 */
/* bias_relu/plain: each thread computes elements, one after another. Any
 * shape and type, any device. */
#include "hone_pack.cuh"
#include "bias_relu.cuh"

#pragma hone implements bias_relu/plain reference "one thread for each element, any device"

#pragma hone launch bias_relu_plain grid(min(ceildiv(rows*columns, 256), 1G)) block(256) \
    args(x, bias, y, i64(columns), i64(rows), i64(pitch_x), i64(pitch_y))

extern "C" __global__ void __launch_bounds__(256)
bias_relu_plain(const T *__restrict__ x, const T *__restrict__ bias,
                T *__restrict__ y, long long columns, long long rows,
                long long pitch_x, long long pitch_y)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < rows * columns;
         i += gridDim.x * 256LL) {
        const long long r = i / columns;
        const long long c = i % columns;
        const float s = hone::widen(x[r * pitch_x + c]) + hone::widen(bias[c]);

        y[r * pitch_y + c] = hone::narrow<T>(s < 0 ? 0.0f : s);
    }
}
