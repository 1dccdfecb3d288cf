/* SPDX-License-Identifier: Apache-2.0 */
/* gemm/plain: each thread computes elements of C, one after another, as the
 * definition says. Any shape and layout, any device, nothing to align: what
 * the others are compared with, and what is left where no other applies.
 * Threads of a warp have neighbours in a row of C, so that B is read in whole
 * lines unless it is transposed; A, B and C pass through the caches alone. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "gemm.cuh"
#include "gemm_epilogue.cuh"

#pragma hone implements gemm/plain reference "one thread for each element, any shape on any device"

#pragma hone launch gemm_plain grid(min(ceildiv(BATCH*M*N, 256), 1G)) block(256) args(A, B, C, alpha, beta, i64(M), i64(N), i64(K), i64(LDA), i64(LDB), i64(LDC), i64(BATCH), i64(STRIDE_A), i64(STRIDE_B), i64(STRIDE_C), bias)

using W = typename hone::wide<T>::type;

/* As gemm.cuh says it. */
__device__ inline double gelu(double s)
{
    return 0.5 * s *
           (1 + tanh(0.79788456080286535588 * (s + 0.044715 * s * s * s)));
}

extern "C" __global__ void __launch_bounds__(256)
gemm_plain(const T *__restrict__ A, const T *__restrict__ B,
           OUT *__restrict__ C, float alpha, float beta, long long M,
           long long N, long long K, long long lda, long long ldb,
           long long ldc, long long batch, long long stride_a,
           long long stride_b, long long stride_c,
           const OUT *__restrict__ bias)
{
    const long long a_row = TRANS_A ? 1 : lda, a_step = TRANS_A ? lda : 1;
    const long long b_col = TRANS_B ? ldb : 1, b_step = TRANS_B ? 1 : ldb;

    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < batch * M * N;
         i += gridDim.x * 256LL) {
        const long long matrix = i / (M * N);
        const long long row = i / N % M, col = i % N;
        const T *a = A + matrix * stride_a + row * a_row;
        const T *b = B + matrix * stride_b + col * b_col;
        OUT *c = C + matrix * stride_c + row * ldc + col;
        W sum = 0;

        for (long long k = 0; k < K; k++)
            sum += hone::widen(a[k * a_step]) * hone::widen(b[k * b_step]);
        sum = W(alpha) * sum +
              (ADD && beta != 0.0f ? W(beta) * W(hone::widen(*c)) : W(0));
        if (BIAS)
            sum += W(hone::widen(bias[col]));
        if (ACTIVATION == 1)
            sum = hone::relu(sum);
        if (ACTIVATION == 2)
            sum = W(gelu(double(sum)));
        *c = hone::narrow<OUT>(sum);
    }
}
