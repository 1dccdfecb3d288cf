// SPDX-License-Identifier: Apache-2.0
// EXAMPLE
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#pragma hone launch gemm_tiled grid(M, ceildiv(N, BM)) block(BM)
extern "C" __global__ void gemm_tiled(const T *A, const T *B, T *C,
                                      long long M, long long N, long long K)
{
    const long long column = (long long)blockIdx.y * BM + threadIdx.x;
    __shared__ float row[BM];
    float sum = 0;

    for (long long first = 0; first < K; first += BM) {
        const long long k = first + threadIdx.x;

        row[threadIdx.x] =
            k < K ? static_cast<float>(A[blockIdx.x * K + k]) : 0.0f;
        __syncthreads();
        for (int i = 0; i < BM && first + i < K && column < N; ++i)
            sum += row[i] * static_cast<float>(B[(first + i) * N + column]);
        __syncthreads();
    }
    if (column < N)
        C[blockIdx.x * N + column] = T(sum);
}
