// SPDX-License-Identifier: Apache-2.0
// sgemm: C = alpha*op(A)*op(B) + beta*C in f32, row-major; op(A) is M x K and
// op(B) K x N, either stored as it is or transposed.
//
// A block makes BM x BN elements of C, a thread TM x TN of them, BK steps of the
// inner dimension at a time from shared memory. Edges are filled with zeros.

#pragma hone op sgemm(M, N, K, TRANS_A in {0, 1}, TRANS_B in {0, 1}) "C = alpha*op(A)*op(B) + beta*C, f32"
#pragma hone arg A: in f32[TRANS_A ? K : M][TRANS_A ? M : K], \
    B: in f32[TRANS_B ? N : K][TRANS_B ? K : N], \
    C: inout f32[M][N], alpha: f32, beta: f32

#pragma hone param BM in {32, 64, 128} default 64
#pragma hone param BN in {32, 64, 128} default 64
#pragma hone param BK in {8, 16}
#pragma hone param TM in {2, 4, 8} default 4
#pragma hone param TN in {2, 4, 8} default 4
#pragma hone param PAD in {0, 1} default 1

#pragma hone let THREADS = (BM/TM)*(BN/TN)
#pragma hone require THREADS >= 64 && THREADS <= 512 "a block has 64 to 512 threads"
#pragma hone launch sgemm grid(ceildiv(M, BM)*ceildiv(N, BN)) block(THREADS)
#pragma hone work flops(2*M*N*K) bytes(4*(M*K + K*N + 2*M*N))
#pragma hone check template.sgemm_plain tolerance(2*K + 8) exact(4)
#pragma hone baseline template.sgemm_plain

extern "C" __global__ void __launch_bounds__(THREADS)
sgemm(const float *__restrict__ A, const float *__restrict__ B,
      float *__restrict__ C, float alpha, float beta, long long M, long long N,
      long long K)
{
    __shared__ float a[BK][BM + PAD];
    __shared__ float b[BK][BN + PAD];
    const long long across = (N + BN - 1) / BN;
    const long long row0 = blockIdx.x / across * BM;
    const long long col0 = blockIdx.x % across * BN;
    /* Threads of a warp beside each other in C. */
    const int tx = threadIdx.x % (BN / TN);
    const int ty = threadIdx.x / (BN / TN);
    float sum[TM][TN] = {};

    for (long long k0 = 0; k0 < K; k0 += BK) {
        /* Neighbouring threads read neighbouring addresses in both forms. */
        for (int i = threadIdx.x; i < BM * BK; i += THREADS) {
            const int m = TRANS_A ? i % BM : i / BK;
            const int k = TRANS_A ? i / BM : i % BK;
            const long long r = row0 + m, c = k0 + k;

            a[k][m] = r < M && c < K ? A[TRANS_A ? c * M + r : r * K + c] : 0;
        }
        for (int i = threadIdx.x; i < BK * BN; i += THREADS) {
            const int k = TRANS_B ? i % BK : i / BN;
            const int n = TRANS_B ? i / BK : i % BN;
            const long long r = k0 + k, c = col0 + n;

            b[k][n] = r < K && c < N ? B[TRANS_B ? c * K + r : r * N + c] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float column[TM], row[TN];

#pragma unroll
            for (int i = 0; i < TM; ++i)
                column[i] = a[k][ty + i * (BM / TM)];
#pragma unroll
            for (int j = 0; j < TN; ++j)
                row[j] = b[k][tx + j * (BN / TN)];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    sum[i][j] += column[i] * row[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i) {
        for (int j = 0; j < TN; ++j) {
            const long long r = row0 + ty + i * (BM / TM);
            const long long c = col0 + tx + j * (BN / TN);

            if (r < M && c < N)
                C[r * N + c] = alpha * sum[i][j] + beta * C[r * N + c];
        }
    }
}
