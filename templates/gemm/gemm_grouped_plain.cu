/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_grouped/plain: each thread computes elements of C, one after another, as the
 * definition says, and looks for the group of each one's row. Any sizes, any device:
 * what the others are compared with. Sums are kept in f64. Threads of a warp have
 * neighbours in a row of C, so that B is read in whole lines unless it is transposed. */
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

extern "C" __global__ void __launch_bounds__(256)
gemm_grouped_plain(const T *__restrict__ A, const T *__restrict__ B,
                   const int *__restrict__ OFFSETS, OUT *__restrict__ C,
                   long long rows, long long N, long long K, int groups)
{
    const long long b_col = TRANS_B ? K : 1, b_step = TRANS_B ? 1 : N;

    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < rows * N;
         i += gridDim.x * 256LL) {
        const long long row = i / N, col = i % N;
        const T *a = A + row * K;
        const T *b = B + group_of(OFFSETS, groups, row) * (K * N) + col * b_col;
        double sum = 0;

        for (long long k = 0; k < K; k++)
            sum += (double)hone::widen(a[k]) * (double)hone::widen(b[k * b_step]);
        C[i] = hone::narrow<OUT>((float)sum);
    }
}
