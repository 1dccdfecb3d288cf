/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_grouped/plain: each thread computes elements of C, one after another, as the
 * definition says, and looks for the group of each one's row. Any sizes, any device:
 * what the others are compared with. Products are exact in f32, sums are kept in f64.
 * Threads of a warp have neighbours in a row of C, so that B is read in whole lines;
 * where it is transposed, each reads its row, eight numbers at once if all rows begin
 * at multiples of that. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "gemm_grouped.cuh"
#include "hone_pack.cuh"

#pragma hone implements gemm_grouped/plain reference "one thread for each element, any sizes on any device"

#pragma hone launch gemm_grouped_plain grid(min(ceildiv(ROWS*N, 256), 1G)) block(256) args(A, B, OFFSETS, C, i64(ROWS), i64(N), i64(K), i32(GROUPS))

/* The group g of row `row`: OFFSETS[g] <= row < OFFSETS[g+1]. */
__device__ inline int group_of(const int *offsets, int groups, long long row)
{
    int low = 0, high = groups; /* OFFSETS[low] <= row < OFFSETS[high] */

    while (high - low > 1) {
        const int middle = low + (high - low) / 2;

        if (offsets[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The sum of K products of numbers of a and of b, `step` apart in b. */
__device__ inline double product(const T *a, const T *b, long long K,
                                 long long step)
{
    double sum = 0;

    for (long long k = 0; k < K; k++)
        sum += (double)(hone::widen(a[k]) * hone::widen(b[k * step]));
    return sum;
}

/* The same of neighbours: a, b and K are multiples of eight. Lanes read rows of b
 * that lie far apart, so each asks for whole sectors at once. */
__device__ inline double product_of_rows(const T *a, const T *b, long long K)
{
    double sum = 0;

#pragma unroll 4
    for (long long k = 0; k < K; k += 8) {
        const hone::pack<T, 8> x = hone::read_pack<8>(a + k);
        const hone::pack<T, 8> y = hone::read_pack<8>(b + k);

        for (int i = 0; i < 8; i++)
            sum += (double)(hone::widen(x.at[i]) * hone::widen(y.at[i]));
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(256)
gemm_grouped_plain(const T *__restrict__ A, const T *__restrict__ B,
                   const int *__restrict__ OFFSETS, OUT *__restrict__ C,
                   long long rows, long long N, long long K, int groups)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < rows * N;
         i += gridDim.x * 256LL) {
        const long long row = i / N, col = i % N;
        const T *a = A + row * K;
        const T *b = B + group_of(OFFSETS, groups, row) * (K * N) +
                     (TRANS_B ? col * K : col);

        C[i] = hone::narrow<OUT>((float)(TRANS_B && K % 8 == 0
                                             ? product_of_rows(a, b, K)
                                             : product(a, b, K, TRANS_B ? 1 : N)));
    }
}
