/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_add/plain: each thread adds elements, one after another. Any shape and
 * type, any device. */
#include "hone_pack.cuh"
#include "matrix_add.cuh"

#pragma hone implements matrix_add/plain reference "one thread for each element, any device"

#pragma hone launch matrix_add_plain grid(min(ceildiv(batch*rows*columns, 256), 1G)) block(256) \
    args(A, B, C, i64(columns), i64(rows), i64(batch), i64(pitch_a), i64(pitch_b), i64(pitch_c), i64(stride_a), i64(stride_b), i64(stride_c))

extern "C" __global__ void __launch_bounds__(256)
matrix_add_plain(const T *__restrict__ A, const T *__restrict__ B,
                 T *__restrict__ C, long long columns, long long rows,
                 long long batch, long long pitch_a, long long pitch_b,
                 long long pitch_c, long long stride_a, long long stride_b,
                 long long stride_c)
{
    const long long n = batch * rows * columns;

    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n;
         i += gridDim.x * 256LL) {
        const long long c = i % columns;
        const long long r = i / columns % rows;
        const long long m = i / columns / rows;

        C[m * stride_c + r * pitch_c + c] =
            hone::narrow<T>(hone::widen(A[m * stride_a + r * pitch_a + c]) +
                            hone::widen(B[m * stride_b + r * pitch_b + c]));
    }
}
