/* SPDX-License-Identifier: Apache-2.0 */
/* gemm/ladder: the steps that lead to a fast product (as in S. Boehm, How to
 * Optimize a CUDA Matmul Kernel, and NVIDIA's CUTLASS), one at a time, to see
 * what each gains once its tiles are tuned; f32, dense, neither factor
 * transposed. It is no shipped implementation: gemm_ladder.sh tunes a copy for
 * each STEP, and gemm/simt, gemm/wmma and gemm/sm90 beside them.
 *
 *   1  a thread for each element, factors from global memory
 *   2  tiles of both factors in shared memory, a thread for each element
 *   3  TM x TN elements of a thread, in registers
 *   4  16 bytes at a time, from global and from shared memory
 *   5  the next tile is loaded while this one is multiplied
 *   6  the threads of a warp have a compact part of the tile */
#include "gemm.cuh"
#include "hone_pack.cuh"

#pragma hone implements gemm/ladder "the steps to a fast product, f32"

#pragma hone param STEP in {1, 2, 3, 4, 5, 6} default 6
// Of steps 1 and 2: the block, and the tile.
#pragma hone param EDGE in {8, 16, 32} default 16 when STEP <= 2
#pragma hone param BM in {32, 64, 128} default 64 when STEP >= 3
#pragma hone param BN in {32, 64, 128, 256} default 64 when STEP >= 3
#pragma hone param BK in {8, 16, 32} default 16 when STEP >= 3
#pragma hone param TM in {4, 8} default 4 when STEP >= 3
#pragma hone param TN in {4, 8, 16} default 4 when STEP >= 3
#pragma hone param LANES_M in {2, 4, 8} default 4 when STEP == 6
#pragma hone param MIN_BLOCKS in {1, 2, 3, 4} when STEP >= 3

#pragma hone let ROWS = STEP < 3 ? 1 : TM
#pragma hone let COLS = STEP < 3 ? 1 : TN
#pragma hone let TILE_M = STEP < 3 ? EDGE : BM
#pragma hone let TILE_N = STEP < 3 ? EDGE : BN
#pragma hone let DEPTH = STEP < 3 ? EDGE : BK
#pragma hone let V = STEP < 4 ? 1 : 4
#pragma hone let BUFFERS = STEP < 5 ? 1 : 2
#pragma hone let THREADS = TILE_M/ROWS*(TILE_N/COLS)
#pragma hone let LANES_N = 32/LANES_M

#pragma hone require T == f32 && !TRANS_A && !TRANS_B && BATCH == 1 && LDA == K && LDB == N && LDC == N "the ladder is for dense f32"
#pragma hone require STEP < 4 || (N % 4 == 0 && K % 4 == 0) "rows begin at multiples of 16 bytes"
#pragma hone require THREADS >= 32 && THREADS <= min(512, device.threads_block) || STEP < 3 "1 to 16 warps"
#pragma hone require TILE_M*DEPTH % (THREADS*V) == 0 && TILE_N*DEPTH % (THREADS*V) == 0 "every thread loads as much"
#pragma hone require STEP < 3 || (TILE_M + TILE_N)*DEPTH/THREADS <= 32 "registers on the way to shared memory"
#pragma hone require STEP != 6 || (BM % (LANES_M*TM) == 0 && BN % (LANES_N*TN) == 0) "a block holds whole warp tiles"
#pragma hone require MIN_BLOCKS*THREADS*(ROWS*COLS + 2*(ROWS + COLS) + 32) <= device.regs_sm "MIN_BLOCKS blocks have too few registers"
#pragma hone require BUFFERS*DEPTH*(TILE_M + TILE_N + 8)*4 <= device.smem_block "the tiles do not fit shared memory"
#pragma hone require max(M, N, K) <= 2000000000 && ceildiv(M, TILE_M) <= 65535 "CUDA has no such grid"

#pragma hone launch ladder grid(ceildiv(N, TILE_N), ceildiv(M, TILE_M)) block(THREADS) args(A, B, C, alpha, beta, i32(M), i32(N), i32(K))

using hone::pack;

constexpr int kPitchA = TILE_M + (STEP < 4 ? 1 : 4);
constexpr int kPitchB = TILE_N + (STEP < 4 ? 1 : 4);
constexpr int kCountA = TILE_M * DEPTH / V / THREADS;
constexpr int kCountB = TILE_N * DEPTH / V / THREADS;

/* A line of a tile belongs to one k. */
struct alignas(16) tiles {
    float a[DEPTH][kPitchA], b[DEPTH][kPitchB];
};

/* A thread's share of the next tiles, on the way to shared memory. */
struct share {
    pack<float, V> a[kCountA], b[kCountB];

    __device__ void load(const float *A, const float *B, int row, int col,
                         int k, int M, int N, int K)
    {
#pragma unroll
        for (int n = 0; n < kCountA; n++) {
            const int i = (threadIdx.x + n * THREADS) * V;
            const int r = row + i / DEPTH, c = k + i % DEPTH;

            a[n] = pack<float, V>{};
            if (r < M && c < K)
                a[n] = hone::read_pack<V>(A + (long long)r * K + c);
        }
#pragma unroll
        for (int n = 0; n < kCountB; n++) {
            const int i = (threadIdx.x + n * THREADS) * V;
            const int r = k + i / TILE_N, c = col + i % TILE_N;

            b[n] = pack<float, V>{};
            if (r < K && c < N)
                b[n] = hone::read_pack<V>(B + (long long)r * N + c);
        }
    }
    __device__ void store(tiles &to) const
    {
#pragma unroll
        for (int n = 0; n < kCountA; n++) {
            const int i = (threadIdx.x + n * THREADS) * V;

#pragma unroll
            for (int v = 0; v < V; v++)
                to.a[i % DEPTH + v][i / DEPTH] = a[n].at[v];
        }
#pragma unroll
        for (int n = 0; n < kCountB; n++) {
            const int i = (threadIdx.x + n * THREADS) * V;

            hone::write_pack<hone::access::shared>(&to.b[i / TILE_N][i % TILE_N], b[n]);
        }
    }
};

/* Where a thread's elements are: chunks of V neighbours, STEP_M and STEP_N
 * apart. */
struct place {
    static constexpr int STEP_M = STEP == 6 ? LANES_M * V : V;
    static constexpr int STEP_N = STEP == 6 ? LANES_N * V : TILE_N / COLS * V;
    int row, col;

    __device__ place()
    {
        const int me = threadIdx.x, lane = me % 32, warp = me / 32;
        constexpr int warps_n = STEP == 6 ? TILE_N / (LANES_N * COLS) : 1;

        if (STEP == 6) {
            row = warp / warps_n * (LANES_M * ROWS) + lane / LANES_N * V;
            col = warp % warps_n * (LANES_N * COLS) + lane % LANES_N * V;
        } else {
            row = me / (TILE_N / COLS) * ROWS;
            col = me % (TILE_N / COLS) * V;
        }
    }
    __device__ int row_of(int i) const
    {
        return row + i / V * STEP_M + i % V;
    }
    __device__ int col_of(int j) const
    {
        return col + j / V * STEP_N + j % V;
    }
};

__device__ inline void multiply(const tiles &t, const place &own,
                                float (&sums)[ROWS][COLS])
{
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        pack<float, V> a[ROWS / V + (ROWS < V)], b[COLS / V + (COLS < V)];

#pragma unroll
        for (int i = 0; i < ROWS; i += V)
            a[i / V] = hone::read_pack<V>(&t.a[k][own.row_of(i)]);
#pragma unroll
        for (int j = 0; j < COLS; j += V)
            b[j / V] = hone::read_pack<V>(&t.b[k][own.col_of(j)]);
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
#pragma unroll
            for (int j = 0; j < COLS; j++)
                sums[i][j] += a[i / V].at[i % V] * b[j / V].at[j % V];
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
ladder(const float *__restrict__ A, const float *__restrict__ B, float *C,
       float alpha, float beta, int M, int N, int K)
{
    const int row = blockIdx.y * TILE_M, col = blockIdx.x * TILE_N;
    const place own;
    float sums[ROWS][COLS] = {};

    if constexpr (STEP == 1) {
        const int r = row + own.row_of(0), c = col + own.col_of(0);

        if (r < M && c < N)
            for (int k = 0; k < K; k++)
                sums[0][0] += A[(long long)r * K + k] * B[(long long)k * N + c];
    } else {
        __shared__ tiles in[BUFFERS];
        share next;
        int now = 0;

        next.load(A, B, row, col, 0, M, N, K);
        next.store(in[0]);
        __syncthreads();
#pragma unroll 1
        for (int k = DEPTH;; k += DEPTH) {
            if (STEP >= 5 && k < K)
                next.load(A, B, row, col, k, M, N, K);
            multiply(in[now], own, sums);
            if (k >= K)
                break;
            if (STEP >= 5) {
                now ^= 1;
            } else {
                next.load(A, B, row, col, k, M, N, K);
                __syncthreads();
            }
            next.store(in[now]);
            __syncthreads();
        }
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
#pragma unroll
        for (int j = 0; j < COLS; j++) {
            const int r = row + own.row_of(i), c = col + own.col_of(j);
            float *const to = C + (long long)r * N + c;

            if (r < M && c < N)
                *to = alpha * sums[i][j] + (beta != 0.0f ? beta * *to : 0.0f);
        }
    }
}
