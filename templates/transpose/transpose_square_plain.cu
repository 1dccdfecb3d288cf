/* SPDX-License-Identifier: Apache-2.0 */
/* transpose_square/plain: a thread for each element, of which those above the
 * diagonal change places with those below. Any n and type, any device. */
#include "hone_pack.cuh"
#include "transpose_square.cuh"

#pragma hone implements transpose_square/plain reference "one thread for each pair of elements, any device"

#pragma hone launch transpose_square_plain grid(min(ceildiv(batch*n*n, 256), 1G)) block(256) \
    args(x, i64(n), i64(batch), i64(pitch), i64(stride))

extern "C" __global__ void __launch_bounds__(256)
transpose_square_plain(T *x, long long n, long long batch, long long pitch,
                       long long stride)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < batch * n * n;
         i += gridDim.x * 256LL) {
        const long long c = i % n;
        const long long r = i / n % n;
        T *matrix = x + i / n / n * stride;

        if (r < c) {
            const T v = matrix[r * pitch + c];

            matrix[r * pitch + c] = matrix[c * pitch + r];
            matrix[c * pitch + r] = v;
        }
    }
}
