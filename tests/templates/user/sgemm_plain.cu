// SPDX-License-Identifier: Apache-2.0
// What sgemm.cu must give: one thread an element.
#pragma hone op sgemm_plain(M, N, K, TRANS_A in {0, 1}, TRANS_B in {0, 1}) "C = alpha*op(A)*op(B) + beta*C, f32"
#pragma hone arg A: in f32[TRANS_A ? K : M][TRANS_A ? M : K], \
    B: in f32[TRANS_B ? N : K][TRANS_B ? K : N], \
    C: inout f32[M][N], alpha: f32, beta: f32
#pragma hone param BLOCK in {128}
#pragma hone launch sgemm_plain grid(ceildiv(M*N, BLOCK)) block(BLOCK)
#pragma hone check none

extern "C" __global__ void sgemm_plain(const float *A, const float *B, float *C,
                                       float alpha, float beta, long long M,
                                       long long N, long long K)
{
    const long long at = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const long long r = at / N, c = at % N;
    float sum = 0;

    if (at >= M * N)
        return;
    for (long long k = 0; k < K; ++k)
        sum += A[TRANS_A ? k * M + r : r * K + k] *
               B[TRANS_B ? c * K + k : k * N + c];
    C[at] = alpha * sum + beta * C[at];
}
