/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_i8/mma: products of bytes on tensor cores by mma.sync m16n8k32, compute
 * capability 8.0 and newer. What is computed says gemm_i8.cuh.
 *
 * A block computes BM x BN of C, a warp WM x WN. Tiles of BK bytes along K pass
 * through registers, one ahead, to two buffers of shared memory: what lies across
 * K is turned on the way, in squares of four by four bytes
 * (gemm_i8_mma_parts.cuh), so no layout of A and B is slow.
 *
 * A line of shared memory has words of four bytes along K, one of each row or
 * column: what a lane needs of a fragment is such words. Which rows and columns a
 * fragment has is free, so a lane reads four neighbours at once, one of each of
 * four fragments of B, or the halves of two of A; and it ends up with four
 * neighbouring columns of C, which it writes at once. Lines are 8 words longer
 * than a multiple of 32: four lanes along K and two across meet no conflict.
 *
 * Of a warp's 64 x 64 x 32 there are 32 products and 8 reads of 512 bytes.
 *
 * Alignment: VEC_A and VEC_B bytes are read at once, where rows and matrices lie
 * at multiples of that; with 1 they may lie anywhere. */
#include "gemm_i8.cuh"
#include "hone_device.cuh"
#include "hone_mma.cuh"
#include "hone_gemm.cuh"
#include "gemm_simt_parts.cuh"
#include "gemm_i8_mma_parts.cuh"

#pragma hone implements gemm_i8/mma "tensor cores by mma.sync, bytes turned on the way"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes beta*C"
#pragma hone arch sm >= 80

#pragma hone param BM in {32, 64, 128, 256} default 64
#pragma hone param BN in {32, 64, 128, 256} default 64
#pragma hone param BK in {32, 64, 128} default 64
#pragma hone param WM in {32, 64} default 32
#pragma hone param WN in {32, 64} default 32
#pragma hone param VEC_A in {1, 4, 8, 16} default 1
#pragma hone param VEC_B in {1, 4, 8, 16} default 1
#pragma hone param SPLIT_K in {1, 2, 4, 8, 16} default 1
#pragma hone param GROUP in {1, 8} default 8
#pragma hone param MIN_BLOCKS in {1, 2, 3, 4} default 1

#pragma hone let THREADS = BM/WM*(BN/WN)*32
#pragma hone let DEPTH = BK/4
#pragma hone let PITCH_A = BM + 8
#pragma hone let PITCH_B = BN + 8
#pragma hone let SMEM = 2*DEPTH*(PITCH_A + PITCH_B)*4
#pragma hone let TILES = BATCH*ceildiv(M, BM)*ceildiv(N, BN)
#pragma hone let STEPS = ceildiv(ceildiv(K, BK), SPLIT_K)
/* Registers of a thread on the way to shared memory. */
#pragma hone let HELD = max(VEC_A, 4)*ceildiv(BM*DEPTH, max(VEC_A, 4)*max(THREADS, 1)) + max(VEC_B, 4)*ceildiv(BN*DEPTH, max(VEC_B, 4)*max(THREADS, 1))
/* Of a thread: sums, tiles, fragments, and what belongs to addresses. */
#pragma hone let REGISTERS = WM*WN/32 + HELD + (WM + WN)/4 + 22
#pragma hone let LAID_A = gcd(ROWS_A > 1 ? LDA : 16, BATCH > 1 ? STRIDE_A : 16)
#pragma hone let LAID_B = gcd(ROWS_B > 1 ? LDB : 16, BATCH > 1 ? STRIDE_B : 16)

#pragma hone require BM % WM == 0 && BN % WN == 0 "a block holds whole warp tiles"
#pragma hone require THREADS >= 64 && THREADS <= 512 "2 to 16 warps"
#pragma hone require LAID_A % VEC_A == 0 "rows or matrices of A do not lie at multiples of VEC_A"
#pragma hone require LAID_B % VEC_B == 0 "rows or matrices of B do not lie at multiples of VEC_B"
#pragma hone require HELD <= 64 "registers on the way to shared memory"
#pragma hone require REGISTERS <= 248 "sums and tiles do not fit registers"
#pragma hone require MIN_BLOCKS*THREADS*align(REGISTERS, 8) <= device.regs_sm "MIN_BLOCKS blocks have too few registers"
#pragma hone require MIN_BLOCKS == 1 || MIN_BLOCKS*THREADS <= 768 "registers for so many blocks are not worth it"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm && SMEM <= device.smem_optin "the tiles do not fit shared memory"
#pragma hone require max(M, N, K) <= 2000000000 && max(LDA, LDB, BATCH, TILES) <= 2000000000 "a dimension must fit 31 bits"
#pragma hone prefer BM*BN == 64*64 || (BM <= max(2*M, 63) && BN <= max(2*N, 63)) "more than half of each tile would lie outside"
#pragma hone prefer BM*BN >= 64*64 || TILES <= 8*device.sm_count "tiles so small read A and B too often"
#pragma hone prefer SPLIT_K == 1 || ceildiv(K, BK) >= 4*SPLIT_K "K is too short to be split so often"
#pragma hone prefer SPLIT_K == 1 || TILES*SPLIT_K <= 4*device.sm_count "enough tiles without splitting K so often"
#pragma hone require SPLIT_K == 1 || TILES*SPLIT_K <= 64*device.sm_count "the parts take too much memory"
#pragma hone prefer GROUP == 8 || TILES > device.sm_count "all tiles run at once in any order"

#pragma hone let PART = TILES*BM*BN
#pragma hone workspace partial: i32[SPLIT_K > 1 ? SPLIT_K*PART : 0]
#pragma hone workspace tickets: u32[SPLIT_K > 1 ? TILES : 0] zero
#pragma hone launch gemm_i8_mma grid(TILES, SPLIT_K) block(THREADS) shared(SMEM) args(A, B, C, alpha, beta, partial, tickets, i32(M), i32(N), i32(K), i32(LDA), i32(LDB), i64(LDC), i64(STRIDE_A), i64(STRIDE_B), i64(STRIDE_C), i32(GROUP), i32(STEPS), i64(PART))

using chunk = hone::pack<int, 4>;
using reader_a =
    hone::bytes::unit_reader<BM, DEPTH, VEC_A, THREADS, !TRANS_A, PITCH_A>;
using reader_b =
    hone::bytes::unit_reader<BN, DEPTH, VEC_B, THREADS, TRANS_B != 0, PITCH_B>;
constexpr int kSlot = reader_a::SIZE + reader_b::SIZE;
constexpr int kChunks = WM * WN / 128; /* of a lane's sums */

/* A lane's sums of its warp's tile. Chunk n is four neighbouring columns; of 32
 * rows and columns a lane has rows 4*g to 4*g + 3, two of each of two fragments,
 * and columns 8*t to 8*t + 7, two of each of four. */
struct warp_sums {
    int of[WM / 16][WN / 8][4];

    __device__ void clear()
    {
#pragma unroll
        for (int i = 0; i < WM / 16; i++)
#pragma unroll
            for (int j = 0; j < WN / 8; j++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    of[i][j][e] = 0;
    }
    /* A tile's product: 32 bytes along K at a time. */
    __device__ void multiply(const unsigned *of_a, const unsigned *of_b)
    {
#pragma unroll
        for (int k = 0; k < DEPTH; k += 8) {
            unsigned a[WM / 16][4], b[WN / 8][2];

#pragma unroll
            for (int half = 0; half < 2; half++) {
                const int line = k + 4 * half;

#pragma unroll
                for (int i = 0; i < WM / 32; i++) {
                    const hone::pack<unsigned, 4> v =
                        hone::read_pack<4>(of_a + line * PITCH_A + 32 * i);
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        a[2 * i + e / 2][2 * half + e % 2] = v.at[e];
                }
#pragma unroll
                for (int j = 0; j < WN / 32; j++) {
                    const hone::pack<unsigned, 4> v =
                        hone::read_pack<4>(of_b + line * PITCH_B + 32 * j);
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        b[4 * j + e][half] = v.at[e];
                }
            }
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int j = 0; j < WN / 8; j++)
                    hone::multiply_signed_bytes(of[i][j], a[i], b[j]);
        }
    }
    /* Chunk n: its row and its first column's place, in the warp's tile. */
    static __device__ int row_of(int n)
    {
        return n / (WN / 16) / 4 * 32 + threadIdx.x % 32 / 4 * 4;
    }
    static __device__ constexpr int line_of(int n)
    {
        return n / (WN / 16) % 4;
    }
    static __device__ int place_of(int n)
    {
        return n % (WN / 16) / 2 * 32 + (threadIdx.x % 4 * 2 + n % 2) * 4;
    }
    __device__ int &at(int n, int e)
    {
        const int line = line_of(n);

        return of[n / (WN / 16) / 4 * 2 + line / 2][n % (WN / 16) / 2 * 4 + e]
                 [line % 2 * 2 + n % 2];
    }
    __device__ chunk get(int n)
    {
        chunk v;

#pragma unroll
        for (int e = 0; e < 4; e++)
            v.at[e] = at(n, e);
        return v;
    }
};

/* The parts of a tile that blocks along K have: this block writes its own, and
 * the last of them adds up all. False: another will. */
__device__ inline bool join_parts(warp_sums &sums, int *partial,
                                  unsigned *tickets, long long part_size)
{
    int *const of_thread = partial + (long long)blockIdx.x * (BM * BN) +
                           (int)threadIdx.x * 4;

#pragma unroll
    for (int n = 0; n < kChunks; n++)
        hone::write_pack(of_thread + blockIdx.y * part_size + n * (THREADS * 4),
                         sums.get(n));
    if (!hone::is_last(tickets + blockIdx.x, gridDim.y))
        return false;
    sums.clear();
#pragma unroll 1
    for (int part = 0; part < (int)gridDim.y; part++)
#pragma unroll
        for (int n = 0; n < kChunks; n++) {
            const chunk v = hone::read_pack<4, hone::access::l2>(
                of_thread + part * part_size + n * (THREADS * 4));

#pragma unroll
            for (int e = 0; e < 4; e++)
                sums.at(n, e) += v.at[e];
        }
    return true;
}

/* Tile `unit` of the grid: `group` rows of tiles are walked column by column. */
struct block_tile {
    int matrix, row, col;

    __device__ block_tile(int unit, int M, int N, int group)
    {
        const int tiles_m = (M + BM - 1) / BM, tiles_n = (N + BN - 1) / BN;
        const int tile = unit % (tiles_m * tiles_n);
        const int group_row = tile / (group * tiles_n) * group;
        const int group_rows = min(group, tiles_m - group_row);
        const int in_group = tile % (group * tiles_n);

        matrix = unit / (tiles_m * tiles_n);
        row = (group_row + in_group % group_rows) * BM;
        col = in_group / group_rows * BN;
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
gemm_i8_mma(const signed char *__restrict__ A, const signed char *__restrict__ B,
            int *C, int alpha, int beta, int *partial, unsigned *tickets, int M,
            int N, int K, int pitch_a, int pitch_b, long long pitch_c,
            long long stride_a, long long stride_b, long long stride_c,
            int group, int part_steps, long long part_size)
{
    extern __shared__ __align__(16) unsigned ring[];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int warp_row = warp / (BN / WN) * WM, warp_col = warp % (BN / WN) * WN;

    const block_tile tile(blockIdx.x, M, N, group);

    /* The last tile along K comes first: only it needs care. */
    const int all_steps = (K + BK - 1) / BK;
    const int first_step = min((int)blockIdx.y * part_steps, all_steps);
    const int n_steps = min(part_steps, all_steps - first_step);
    const int k = (first_step + n_steps - 1) * BK;
    reader_a from_a(A + tile.matrix * stride_a, pitch_a, tile.row, k, M, K);
    reader_b from_b(B + tile.matrix * stride_b, pitch_b, tile.col, k, N, K);
    const int of_a = warp_row + lane % 4 * PITCH_A + lane / 4 * 4;
    const int of_b =
        reader_a::SIZE + warp_col + lane % 4 * PITCH_B + lane / 4 * 4;
    warp_sums sums;
    int read = 0;

    from_a.copy_last(ring, n_steps > 0);
    from_b.copy_last(ring + reader_a::SIZE, n_steps > 0);
    from_a.move(1 - n_steps);
    from_b.move(1 - n_steps);
    sums.clear();
    __syncthreads();

    /* A tile is multiplied while the next is on its way to registers. The other
     * buffer was read before the last barrier. */
#pragma unroll 1
    for (int step = 0; step < n_steps; step++) {
        const bool more = step + 1 < n_steps;

        from_a.load(more);
        from_b.load(more);
        sums.multiply(ring + read + of_a, ring + read + of_b);
        read = kSlot - read;
        if (more) {
            from_a.store(ring + read);
            from_b.store(ring + read + reader_a::SIZE);
        }
        from_a.move(1);
        from_b.move(1);
        __syncthreads();
    }
    hone::start_next();
    if (gridDim.y > 1 && !join_parts(sums, partial, tickets, part_size))
        return;

    /* Found again, since registers are for sums. */
    const block_tile again(hone::afresh((int)blockIdx.x), M, N, group);
    const int thread = hone::afresh((int)threadIdx.x);
    const int first_row = thread / 32 / (BN / WN) * WM;
    const int first_col = thread / 32 % (BN / WN) * WN;
    const hone::simt::tile_of_c<int, int> c = {
        C + again.matrix * stride_c + again.row * pitch_c + again.col,
        pitch_c,
        M - again.row,
        N - again.col,
        (pitch_c | (again.matrix ? stride_c : 0)) % 4 == 0,
        alpha,
        beta};

#pragma unroll
    for (int n = 0; n < kChunks; n++)
        c.write(reader_a::index_of(first_row + sums.row_of(n)) + sums.line_of(n),
                reader_b::index_of(first_col + sums.place_of(n)), sums.get(n));
}
