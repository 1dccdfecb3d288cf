/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_f8/plain: each thread computes elements of C, one after another, as the
 * definition says, with sums in f32. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "gemm_f8.cuh"
#include "hone_f8.cuh"

#pragma hone implements gemm_f8/plain reference "one thread for each element, any shape on any device"

#pragma hone launch gemm_f8_plain grid(min(ceildiv(BATCH*M*N, 256), 1G)) block(256) args(A, B, C, alpha, beta, scale_a, scale_b, i64(M), i64(N), i64(K), i64(LDA), i64(LDB), i64(LDC), i64(BATCH), i64(ROWS_A), i64(ROWS_B))

extern "C" __global__ void __launch_bounds__(256)
gemm_f8_plain(const TA *__restrict__ A, const TB *__restrict__ B,
              OUT *__restrict__ C, float alpha, float beta,
              const float *__restrict__ scale_a,
              const float *__restrict__ scale_b, long long M, long long N,
              long long K, long long lda, long long ldb, long long ldc,
              long long batch, long long rows_a, long long rows_b)
{
    const long long a_row = TRANS_A ? 1 : lda, a_step = TRANS_A ? lda : 1;
    const long long b_col = TRANS_B ? ldb : 1, b_step = TRANS_B ? 1 : ldb;

    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < batch * M * N;
         i += gridDim.x * 256LL) {
        const long long matrix = i / (M * N);
        const long long row = i / N % M, col = i % N;
        const TA *a = A + matrix * rows_a * lda + row * a_row;
        const TB *b = B + matrix * rows_b * ldb + col * b_col;
        OUT *c = C + (matrix * M + row) * ldc + col;
        float sum = 0.0f;

        for (long long k = 0; k < K; k++)
            sum += hone::widen(a[k * a_step]) * hone::widen(b[k * b_step]);
        if (SCALES)
            sum *= scale_a[SCALES == 2 ? row : 0] *
                   scale_b[SCALES == 2 ? col : 0];
        sum = alpha * sum +
              (ADD && beta != 0.0f ? beta * hone::widen(*c) : 0.0f);
        *c = hone::narrow<OUT>(sum);
    }
}
