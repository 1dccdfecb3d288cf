/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_complex/plain: each thread computes elements of C, one after another, as the
 * definition says, in f64. Any shape and layout, any device: what the others are
 * compared with, and what is left where no other applies. */
#include "gemm_complex.cuh"

#pragma hone implements gemm_complex/plain reference "one thread for each element, f64, any device"

#pragma hone launch gemm_complex_plain grid(min(ceildiv(BATCH*M*N, 256), 1G)) block(256) args(A, B, C, alpha, beta, i64(M), i64(N), i64(K), i64(LDA), i64(LDB), i64(LDC), i64(BATCH), i64(STRIDE_A), i64(STRIDE_B), i64(STRIDE_C))

/* sum += a*b */
__device__ inline void add_product(double2 &sum, double2 a, double2 b)
{
    sum.x += a.x * b.x - a.y * b.y;
    sum.y += a.x * b.y + a.y * b.x;
}

__device__ inline double2 wide(float2 v, bool conjugate)
{
    return make_double2(v.x, conjugate ? -v.y : v.y);
}

extern "C" __global__ void __launch_bounds__(256)
gemm_complex_plain(const float2 *A, const float2 *B, float2 *C, float2 alpha,
                   float2 beta, long long M, long long N, long long K,
                   long long lda, long long ldb, long long ldc,
                   long long batch, long long stride_a, long long stride_b,
                   long long stride_c)
{
    const long long a_row = TRANS_A ? 1 : lda, a_step = TRANS_A ? lda : 1;
    const long long b_col = TRANS_B ? ldb : 1, b_step = TRANS_B ? 1 : ldb;

    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < batch * M * N;
         i += gridDim.x * 256LL) {
        const long long matrix = i / (M * N);
        const long long row = i / N % M, col = i % N;
        const float2 *a = A + matrix * stride_a + row * a_row;
        const float2 *b = B + matrix * stride_b + col * b_col;
        float2 *c = C + matrix * stride_c + row * ldc + col;
        double2 sum = make_double2(0, 0), result = make_double2(0, 0);

        for (long long k = 0; k < K; k++)
            add_product(sum, wide(a[k * a_step], TRANS_A == 2),
                        wide(b[k * b_step], TRANS_B == 2));
        add_product(result, wide(alpha, false), sum);
        if (beta.x != 0 || beta.y != 0)
            add_product(result, wide(beta, false), wide(*c, false));
        *c = make_float2((float)result.x, (float)result.y);
    }
}
