/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_i8/plain: each thread computes elements of C, one after another, as the
 * definition says. */
#include "gemm_i8.cuh"

#pragma hone implements gemm_i8/plain reference "one thread for each element, any shape on any device"

#pragma hone launch gemm_i8_plain grid(min(ceildiv(BATCH*M*N, 256), 1G)) block(256) args(A, B, C, alpha, beta, i64(M), i64(N), i64(K), i64(LDA), i64(LDB), i64(LDC), i64(BATCH), i64(STRIDE_A), i64(STRIDE_B), i64(STRIDE_C))

extern "C" __global__ void __launch_bounds__(256)
gemm_i8_plain(const signed char *__restrict__ A,
              const signed char *__restrict__ B, int *__restrict__ C, int alpha,
              int beta, long long M, long long N, long long K, long long lda,
              long long ldb, long long ldc, long long batch, long long stride_a,
              long long stride_b, long long stride_c)
{
    const long long a_row = TRANS_A ? 1 : lda, a_step = TRANS_A ? lda : 1;
    const long long b_col = TRANS_B ? ldb : 1, b_step = TRANS_B ? 1 : ldb;

    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < batch * M * N;
         i += gridDim.x * 256LL) {
        const long long matrix = i / (M * N);
        const long long row = i / N % M, col = i % N;
        const signed char *a = A + matrix * stride_a + row * a_row;
        const signed char *b = B + matrix * stride_b + col * b_col;
        int *c = C + matrix * stride_c + row * ldc + col;
        int sum = 0;

        for (long long k = 0; k < K; k++)
            sum += int(a[k * a_step]) * int(b[k * b_step]);
        *c = alpha * sum + (beta != 0 ? beta * *c : 0);
    }
}
