/* SPDX-License-Identifier: Apache-2.0 */
/* What blocks of gemm/simt and gemm_i8/simt do; see gemm_simt.cu. It reads the
 * template's parameters, so it is included behind them and behind these names:
 *   element, scalar, OUT  of A and B, of alpha and beta, of C
 *   E, W                  what shared memory holds, and sums
 *   kDepth, kAsync        elements along K of a tile, copies without registers
 *   reader_a, reader_b    how tiles get to shared memory
 *   shared                dynamic shared memory */
#ifndef GEMM_SIMT_KERNEL_CUH
#define GEMM_SIMT_KERNEL_CUH

using namespace hone::simt;
using chunk = hone::pack<W, CHUNK>;
using line = hone::pack<E, CHUNK>;

constexpr int kSteps = BK / SLICES; /* of K, of a slice in a tile */
constexpr int kAhead = kAsync ? STAGES - 1 : 1; /* tiles */
constexpr int kChunks = TM * TN / CHUNK; /* of a thread's sums */
constexpr int kSlot = reader_a::SIZE + reader_b::SIZE;
using place = thread_tile<LANES_M, TM, TN, BN / WN, CHUNK>;

/* The first of `count` copies that belongs to step `at`. */
constexpr int part_of(int count, int at)
{
    return count * at / kSteps;
}

/* A thread's rows of A and columns of B of one k. */
struct fragments {
    E a[TM], b[TN];

    __device__ void load(const E *of_a, const E *of_b, int k)
    {
#pragma unroll
        for (int i = 0; i < TM; i += CHUNK) {
            const line v = hone::read_pack<CHUNK>(of_a + k * PITCH_A +
                                                   i * LANES_M);
#pragma unroll
            for (int e = 0; e < CHUNK; e++)
                a[i + e] = v.at[e];
        }
#pragma unroll
        for (int j = 0; j < TN; j += CHUNK) {
            const line v = hone::read_pack<CHUNK>(of_b + k * PITCH_B +
                                                   j * (32 / LANES_M));
#pragma unroll
            for (int e = 0; e < CHUNK; e++)
                b[j + e] = v.at[e];
        }
    }
    /* There and back: what a product takes over from the one before it need
     * not be read from the registers again. */
    __device__ void multiply(W (&sums)[TM][TN]) const
    {
#pragma unroll
        for (int i = 0; i < TM; i++) {
#pragma unroll
            for (int n = 0; n < TN; n++) {
                const int j = i % 2 ? TN - 1 - n : n;

                sums[i][j] = hone::simt::multiply_add(a[i], b[j], sums[i][j]);
            }
        }
    }
};

/* Chunk `n` of a thread's sums. */
__device__ inline chunk get_chunk(const W (&sums)[TM][TN], int n)
{
    chunk v;

#pragma unroll
    for (int e = 0; e < CHUNK; e++)
        v.at[e] = sums[n / (TN / CHUNK)][n % (TN / CHUNK) * CHUNK + e];
    return v;
}
__device__ inline void add_chunk(W (&sums)[TM][TN], int n, const chunk &v)
{
#pragma unroll
    for (int e = 0; e < CHUNK; e++)
        sums[n / (TN / CHUNK)][n % (TN / CHUNK) * CHUNK + e] += v.at[e];
}

/* Tile `unit` of the grid: `group` rows of tiles are walked column by column. */
struct tile_at {
    int matrix, row, col;

    __device__ tile_at(int unit, int M, int N, int group)
    {
        const int tiles_m = (M + BM - 1) / BM;
        const int tiles_n = (N + BN - 1) / BN;
        const int tile = unit % (tiles_m * tiles_n);
        const int group_row = tile / (group * tiles_n) * group;
        const int group_rows = min(group, tiles_m - group_row);
        const int in_group = tile % (group * tiles_n);

        matrix = unit / (tiles_m * tiles_n);
        row = (group_row + in_group % group_rows) * BM;
        col = in_group / group_rows * BN;
    }
    __device__ tile_of_c<OUT, W> of(OUT *C, int M, int N, long long pitch,
                                    long long stride, scalar alpha,
                                    scalar beta) const
    {
        return {C + matrix * stride + row * pitch + col,
                pitch,
                M - row,
                N - col,
                (pitch | (matrix ? stride : 0)) % CHUNK == 0,
                W(alpha),
                W(beta)};
    }
};

/* What a block does: the kernel's arguments. */
__device__ __forceinline__ void
multiply_tile(const element *__restrict__ A, const element *__restrict__ B,
              OUT *C, scalar alpha, scalar beta, void *partial,
              unsigned *tickets, int M, int N, int K, int pitch_a, int pitch_b,
              long long pitch_c, long long stride_a, long long stride_b,
              long long stride_c, int group, int part_steps, int use_ticket,
              long long part_size)
{
    E *const ring = reinterpret_cast<E *>(shared);
    const tile_at tile(blockIdx.x, M, N, group);
    const tile_of_c<OUT, W> c =
        tile.of(C, M, N, pitch_c, stride_c, alpha, beta);
    const int slice = threadIdx.x / TILE_THREADS;
    const int thread = threadIdx.x % TILE_THREADS;
    const place own(thread);

    /* Which part of K. */
    const int all_steps = (K + kDepth - 1) / kDepth;
    const int first_step = min((int)blockIdx.y * part_steps, all_steps);
    const int n_steps = min(part_steps, all_steps - first_step);

    /* The last tile along K comes first: with the parts of it that lie outside
     * its copies need care, and those of the others need none. */
    const int k = (first_step + n_steps - 1) * kDepth;
    reader_a from_a(A + tile.matrix * stride_a, pitch_a, tile.row, k, M, K);
    reader_b from_b(B + tile.matrix * stride_b, pitch_b, tile.col, k, N, K);
    auto advance = [&](int tiles) {
        from_a.move(tiles);
        from_b.move(tiles);
        if (kAsync)
            hone::copy_commit();
    };

    const E *of_a = ring + slice * kSteps * PITCH_A + own.row;
    const E *of_b =
        ring + reader_a::SIZE + slice * kSteps * PITCH_B + own.col;
    /* Where in the ring: what is multiplied, what is filled. */
    int read = 0, write = kAhead * kSlot;
    W sums[TM][TN] = {};
    fragments two[2];

#pragma unroll 1
    for (int step = 0; step < kAhead; step++) {
        E *const to_a = ring + step * kSlot + from_a.first;
        E *const to_b = ring + step * kSlot + reader_a::SIZE + from_b.first;

        if (kAsync) {
#pragma unroll 1
            for (int n = 0; n < reader_a::COUNT; n++)
                from_a.copy<false>(to_a, n, step < n_steps);
#pragma unroll 1
            for (int n = 0; n < reader_b::COUNT; n++)
                from_b.copy<false>(to_b, n, step < n_steps);
        } else {
            from_a.load<false>(n_steps > 0);
            from_b.load<false>(n_steps > 0);
            from_a.store(to_a);
            from_b.store(to_b);
        }
        advance(step == 0 ? 1 - n_steps : 1);
    }
    if (kAsync)
        hone::copy_wait(kAhead - 1);
    __syncthreads();
    two[0].load(of_a, of_b, 0);

    /* In round `step` the tile of step + kAhead is asked for, the tile of `step`
     * is multiplied and the tile of step + 1 arrives. What is multiplied is
     * loaded one k ahead: behind the barrier no warp reads the old tile. */
#pragma unroll 1
    for (int step = 0; step < n_steps; step++) {
        E *const to_a = ring + write + from_a.first;
        E *const to_b = ring + write + reader_a::SIZE + from_b.first;
        const bool more = step + kAhead < n_steps;

        if (!kAsync) {
            from_a.load<true>(more);
            from_b.load<true>(more);
        }
#pragma unroll
        for (int at = 0; at < kSteps; at++) {
            if (kAsync) {
#pragma unroll
                for (int n = part_of(reader_a::COUNT, at);
                     n < part_of(reader_a::COUNT, at + 1); n++)
                    from_a.copy<true>(to_a, n, more);
#pragma unroll
                for (int n = part_of(reader_b::COUNT, at);
                     n < part_of(reader_b::COUNT, at + 1); n++)
                    from_b.copy<true>(to_b, n, more);
            }
            if (at + 1 < kSteps) {
                two[(at + 1) % 2].load(of_a + read, of_b + read, at + 1);
            } else {
                if (!kAsync && more) {
                    from_a.store(to_a);
                    from_b.store(to_b);
                }
                advance(1);
                write = read;
                read = read == (STAGES - 1) * kSlot ? 0 : read + kSlot;
                if (kAsync)
                    hone::copy_wait(kAhead - 1);
                __syncthreads();
                two[0].load(of_a + read, of_b + read, 0);
            }
            two[at % 2].multiply(sums);
        }
    }
    hone::start_next();

    /* What the slices have, in the ring, which is free. */
    if constexpr (SLICES > 1) {
        W *const of_thread = reinterpret_cast<W *>(ring) + thread * CHUNK;

        __syncthreads();
        if (slice > 0) {
#pragma unroll
            for (int n = 0; n < kChunks; n++)
                hone::write_pack<hone::access::shared>(
                    of_thread + ((slice - 1) * kChunks + n) *
                                    (TILE_THREADS * CHUNK),
                    get_chunk(sums, n));
        }
        __syncthreads();
        if (slice == 0) {
#pragma unroll 1
            for (int s = 0; s < SLICES - 1; s++) {
#pragma unroll
                for (int n = 0; n < kChunks; n++)
                    add_chunk(sums, n,
                              hone::read_pack<CHUNK>(
                                  of_thread + (s * kChunks + n) *
                                                  (TILE_THREADS * CHUNK)));
            }
        }
    }

    /* What one of several blocks computes is a part: it goes to the workspace,
     * and the last of these blocks adds up the parts. */
    if (gridDim.y > 1) {
        W *const of_thread = static_cast<W *>(partial) +
                             (long long)blockIdx.x * (BM * BN) +
                             thread * CHUNK;

        if (slice == 0) {
#pragma unroll
            for (int n = 0; n < kChunks; n++)
                hone::write_pack(of_thread + blockIdx.y * part_size +
                                     n * (TILE_THREADS * CHUNK),
                                 get_chunk(sums, n));
        }
        if (!use_ticket || !hone::is_last(tickets + blockIdx.x, gridDim.y))
            return;
        if (slice == 0) {
#pragma unroll
            for (int i = 0; i < TM * TN; i++)
                sums[i / TN][i % TN] = W(0);
#pragma unroll 1
            for (int part = 0; part < (int)gridDim.y; part++) {
#pragma unroll
                for (int n = 0; n < kChunks; n++)
                    add_chunk(sums, n,
                              hone::read_pack<CHUNK, hone::access::l2>(
                                  of_thread + part * part_size +
                                  n * (TILE_THREADS * CHUNK)));
            }
        }
    }
    if (slice == 0) {
#pragma unroll
        for (int n = 0; n < kChunks; n++)
            c.write(own.row_of(n / (TN / CHUNK)),
                    own.col_of(n % (TN / CHUNK) * CHUNK), get_chunk(sums, n));
    }
}

/* Adds up the parts: 32 chunks of a tile a block, each by eight threads, which
 * share its parts. */
__device__ __forceinline__ void
add_parts(OUT *C, scalar alpha, scalar beta, const void *partial, int M, int N,
          long long pitch_c, long long stride_c, int group, int tiles,
          int parts, long long part_size)
{
    __shared__ chunk of_share[8][32];
    const int which = blockIdx.x * 32 + threadIdx.x; /* of the tile's chunks */
    const int n = which / TILE_THREADS, share = threadIdx.y;
    const place own(which % TILE_THREADS);

    hone::wait_for_previous();
#pragma unroll 1
    for (int unit = blockIdx.y; unit < tiles; unit += gridDim.y) {
        const tile_at tile(unit, M, N, group);
        const W *from = static_cast<const W *>(partial) +
                        (long long)unit * (BM * BN) + which * CHUNK;
        chunk sum = {};

#pragma unroll 8
        for (int part = share * parts / 8; part < (share + 1) * parts / 8;
             part++) {
            const chunk v = hone::read_pack<CHUNK, hone::access::l2>(
                from + part * part_size);

#pragma unroll
            for (int e = 0; e < CHUNK; e++)
                sum.at[e] += v.at[e];
        }
        of_share[share][threadIdx.x] = sum;
        __syncthreads();
        if (share == 0) {
#pragma unroll
            for (int s = 1; s < 8; s++) {
#pragma unroll
                for (int e = 0; e < CHUNK; e++)
                    sum.at[e] += of_share[s][threadIdx.x].at[e];
            }
            tile.of(C, M, N, pitch_c, stride_c, alpha, beta)
                .write(own.row_of(n / (TN / CHUNK)),
                       own.col_of(n % (TN / CHUNK) * CHUNK), sum);
        }
        __syncthreads();
    }
}

#endif
