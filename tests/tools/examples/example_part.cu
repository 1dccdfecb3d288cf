// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>
#include <cuda_fp16.h>
// EXAMPLE
#pragma hone launch gemm_blocks grid(BLOCKS) block(BLOCK)
extern "C" __global__ void gemm_blocks(const T *A, const T *B, T *C,
                                       long long M, long long N, long long K)
{
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0;

    if (i >= M * N)
        return;
    for (long long k = 0; k < K; ++k)
        sum += static_cast<float>(A[i / N * K + k]) *
               static_cast<float>(B[k * N + i % N]);
    C[i] = T(sum);
}
