/* SPDX-License-Identifier: Apache-2.0 */
/* For f32_numbers.sh: what gemm/sm90_f32 packs, multiplied one by one in place of
 * by wgmma. Behind the pack kernel and the table of products. */
extern "C" __global__ void __launch_bounds__(256)
product(const T *A, const T *B, const T *packed_a, const T *packed_b,
        const __nv_bfloat16 *numbers_a, const __nv_bfloat16 *numbers_b, OUT *C,
        float alpha, float beta, int M, int N, int K, int pitch, int packs_a,
        int packs_b, long long lda, long long stride_a, long long ldb,
        long long stride_b, long long ldc, long long stride_c, int batches,
        const OUT *bias)
{
    const long long i = blockIdx.x * 256LL + threadIdx.x;
    const int matrix = (int)(i / ((long long)M * N));
    const int row = (int)(i / N % M), col = (int)(i % N);
    const hone::epilogue<OUT, BIAS != 0, ACTIVATION> after{bias};
    OUT *to = C + matrix * stride_c + row * ldc + col;
    float sum = 0.0f;

    if (matrix >= batches)
        return;
    for (int p = 0; p < PRODUCTS; p++) {
        const long long a = matrix * NUMBERS + (kNumbersA >> p * 4 & 15);
        const long long b = matrix * NUMBERS + (kNumbersB >> p * 4 & 15);

        for (int k = 0; k < K; k++) {
            const long long at_a = (a * M + row) * pitch + k;
            const long long at_b = (b * N + col) * pitch + k;

            if (EMULATES)
                sum += __bfloat162float(numbers_a[at_a]) *
                       __bfloat162float(numbers_b[at_b]);
            else
                sum +=
                    (packs_a ? packed_a[at_a]
                             : A[matrix * stride_a + row * lda + k]) *
                    (packs_b ? packed_b[at_b]
                             : B[matrix * stride_b + col * ldb + k]);
        }
    }
    *to = after.finish(alpha * sum + (ADD && beta != 0.0f ? beta * *to : 0.0f),
                       after.of(col));
}
