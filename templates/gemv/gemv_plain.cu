/* SPDX-License-Identifier: Apache-2.0 */
/* gemv/plain: one thread for each element of y, or a block where sums are long,
 * adds in f64. Any shape, layout and type, any device: what the others are compared
 * with, and what is left where no other applies. */
#include "hone_pack.cuh"
#include "plain.cuh"
#include "gemv.cuh"

#pragma hone implements gemv/plain reference "a thread or a block for each element of y, f64, any device"

#pragma hone let IS_LONG = TERMS > 16K
#pragma hone launch gemv_plain if(!IS_LONG) grid(max(1, min(ceildiv(BATCH*RESULTS, 128), 1G))) block(128) args(A, x, y, alpha, beta, i64(RESULTS), i64(TERMS), i64(LDA), i64(BATCH), i64(STRIDE_A), i64(STRIDE_X), i64(STRIDE_Y))
#pragma hone launch gemv_plain_long if(IS_LONG) grid(max(1, min(BATCH*RESULTS, 1G))) block(256) args(A, x, y, alpha, beta, i64(RESULTS), i64(TERMS), i64(LDA), i64(BATCH), i64(STRIDE_A), i64(STRIDE_X), i64(STRIDE_Y))

/* Element `i` of all y: where it is, and the terms of its sum. */
struct element {
    const T *a, *x;
    T *y;
    long long step;

    __device__ element(const T *A, const T *x, T *y, long long i, long long results, long long lda, long long stride_a, long long stride_x, long long stride_y)
        : a(A + i / results * stride_a + (TRANS ? i % results : i % results * lda)), x(x + i / results * stride_x),
          y(y + i / results * stride_y + i % results), step(TRANS ? lda : 1)
    {
    }
    __device__ double operator()(long long k) const
    {
        return (double)hone::widen(a[k * step]) * (double)hone::widen(x[k]);
    }
    __device__ void put(double sum, double alpha, double beta) const
    {
        *y = hone::narrow<T>(beta != 0 ? alpha * sum + beta * (double)hone::widen(*y) : alpha * sum);
    }
};

extern "C" __global__ void __launch_bounds__(128)
gemv_plain(const T *A, const T *x, T *y, double alpha, double beta,
           long long results, long long terms, long long lda, long long batch,
           long long stride_a, long long stride_x, long long stride_y)
{
    for (long long i = blockIdx.x * 128LL + threadIdx.x; i < batch * results;
         i += gridDim.x * 128LL) {
        const element term(A, x, y, i, results, lda, stride_a, stride_x, stride_y);
        double sum = 0;

        for (long long k = 0; k < terms; k++)
            sum += term(k);
        term.put(sum, alpha, beta);
    }
}

extern "C" __global__ void __launch_bounds__(256)
gemv_plain_long(const T *A, const T *x, T *y, double alpha, double beta,
                long long results, long long terms, long long lda,
                long long batch, long long stride_a, long long stride_x,
                long long stride_y)
{
    for (long long i = blockIdx.x; i < batch * results; i += gridDim.x) {
        const element term(A, x, y, i, results, lda, stride_a, stride_x, stride_y);
        const double sum = hone::plain_sum<256>(terms, term);

        if (threadIdx.x == 0)
            term.put(sum, alpha, beta);
    }
}
