/* SPDX-License-Identifier: Apache-2.0 */
/* bias_gelu/plain: each thread computes elements, one after another, in f64. Any
 * shape and type, any device. */
#include "hone_pack.cuh"
#include "bias_gelu.cuh"

#pragma hone implements bias_gelu/plain reference "one thread for each element, any device"

#pragma hone launch bias_gelu_plain grid(min(ceildiv(rows*columns, 256), 1G)) block(256) \
    args(x, bias, y, i64(columns), i64(rows), i64(pitch_x), i64(pitch_y))

extern "C" __global__ void __launch_bounds__(256)
bias_gelu_plain(const T *__restrict__ x, const T *__restrict__ bias,
                T *__restrict__ y, long long columns, long long rows,
                long long pitch_x, long long pitch_y)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < rows * columns;
         i += gridDim.x * 256LL) {
        const long long r = i / columns;
        const long long c = i % columns;
        const double s = double(hone::widen(x[r * pitch_x + c])) +
                         double(hone::widen(bias[c]));
        const double t =
            TANH ? tanh(0.79788456080286535588 * (s + 0.044715 * s * s * s))
                 : erf(s * 0.70710678118654752440);

        y[r * pitch_y + c] =
            hone::narrow<T>(static_cast<float>(0.5 * s * (1 + t)));
    }
}
