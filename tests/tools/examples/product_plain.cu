// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#pragma hone op product_plain(M, N, K, T in {f16, bf16}) "C = A*B, row-major"
#pragma hone arg A: in T[M][K], B: in T[K][N], C: out T[M][N]
#pragma hone launch product_plain grid(ceildiv(M*N, 64)) block(64)
#pragma hone check none
extern "C" __global__ void product_plain(const T *A, const T *B, T *C,
                                      long long M, long long N, long long K)
{
    const long long i = blockIdx.x * 64LL + threadIdx.x;
    float sum = 0;

    if (i >= M * N)
        return;
    for (long long k = 0; k < K; ++k)
        sum += static_cast<float>(A[i / N * K + k]) *
               static_cast<float>(B[k * N + i % N]);
    C[i] = T(sum);
}
