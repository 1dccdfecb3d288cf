/* SPDX-License-Identifier: Apache-2.0 */
/* gemv/plain: one thread for each element of y adds in f64. Any shape, layout and
 * type, any device: what the others are compared with, and what is left where no
 * other applies. */
#include "hone_pack.cuh"
#include "gemv.cuh"

#pragma hone implements gemv/plain reference "a thread for each element of y, f64, any device"

#pragma hone launch gemv_plain grid(max(1, min(ceildiv(BATCH*RESULTS, 128), 1G))) block(128) args(A, x, y, alpha, beta, i64(RESULTS), i64(TERMS), i64(LDA), i64(BATCH), i64(STRIDE_A), i64(STRIDE_X), i64(STRIDE_Y))

extern "C" __global__ void __launch_bounds__(128)
gemv_plain(const T *A, const T *x, T *y, double alpha, double beta,
           long long results, long long terms, long long lda, long long batch,
           long long stride_a, long long stride_x, long long stride_y)
{
    for (long long i = blockIdx.x * 128LL + threadIdx.x; i < batch * results;
         i += gridDim.x * 128LL) {
        const long long matrix = i / results, at = i % results;
        const T *a = A + matrix * stride_a + (TRANS ? at : at * lda);
        const T *of_x = x + matrix * stride_x;
        T *to = y + matrix * stride_y + at;
        double sum = 0;

        for (long long k = 0; k < terms; k++)
            sum += (double)hone::widen(a[TRANS ? k * lda : k]) * (double)hone::widen(of_x[k]);
        *to = hone::narrow<T>(beta != 0 ? alpha * sum + beta * (double)hone::widen(*to) : alpha * sum);
    }
}
