/* SPDX-License-Identifier: Apache-2.0 */
/* gemm/dots: few rows and few columns of C, whose time is that of reading A and B
 * once. A block has a tile of ROWS x COLUMNS of C and every PARTS-th step of K, of
 * which each of its threads takes VEC elements: each has all sums of the tile in
 * registers. What is computed says gemm.cuh.
 *
 * Rows of a factor that lie along K are read by as many elements at once, up to VEC,
 * as they begin at multiples of; across K by one element.
 *
 * The lanes of a warp add up their sums by halves: of what two lanes have, each takes
 * over the sums of one half. Warps meet in shared memory, and the parts of K in the
 * workspace, where the block of a tile that comes last adds them up: all in a fixed
 * order, so that every run of a variant gives the same bits.
 *
 * Alignment: rows and matrices may begin anywhere.
 * Hazards: rows and columns of a tile that are not there are read as the last one. */
#include "gemm.cuh"
#include "hone_pack.cuh"
#include "hone_reduce.cuh"

#pragma hone implements gemm/dots "up to 16 rows and columns, K shared by all threads of the device, any type"
#pragma hone require K >= 1K "sums so short: gemm/small, gemm/columns or gemm/simt"
#pragma hone require EPILOGUE == 0 "a bias or an activation follows: gemm/sm90, gemm/wmma or gemm/plain"
#pragma hone require max(M, N) <= 16 "many rows or columns: gemm/simt"

// Rows and columns of C that a block has.
#pragma hone param ROWS in {1, 2, 3, 4, 6, 8} default 4
#pragma hone param COLUMNS in {1, 2, 3, 4, 6, 8} default 4
// Neighbours along K of a thread, and how often so many before the first is used.
#pragma hone param VEC in {1, 2, 4, 8}
#pragma hone param UNROLL in {1, 2, 4}
// Elements of A and of B that are read at once, as many of VEC as rows begin at multiples of.
#pragma hone param WIDE_A in {1, 2, 4, 8}
#pragma hone param WIDE_B in {1, 2, 4, 8}
#pragma hone param BLOCK in {128, 256, 512} default 256
// Blocks of each multiprocessor, all tiles' and all parts' of K.
#pragma hone param BLOCKS_PER_SM in {1, 2, 3, 4, 6, 8} default 2
// How A and B are read: the names of hone::access, in its order.
#pragma hone param READ in {normal, stream}

#pragma hone let ALONG_A = !TRANS_A
#pragma hone let ALONG_B = TRANS_B
/* A single row or column that is dense lies along K whatever it is called. */
#pragma hone let LAID_A = ALONG_A || LDA == 1 ? gcd(M > 1 ? LDA : 8, BATCH > 1 ? STRIDE_A : 8) : 1
#pragma hone let LAID_B = ALONG_B || LDB == 1 ? gcd(N > 1 ? LDB : 8, BATCH > 1 ? STRIDE_B : 8) : 1
#pragma hone let WORDS = T == f64 ? 2 : 1
#pragma hone let SUMS = ROWS*COLUMNS
#pragma hone let TILES = BATCH*ceildiv(M, ROWS)*ceildiv(N, COLUMNS)
#pragma hone let STEP = BLOCK*VEC
#pragma hone let STEPS = ceildiv(K, STEP)
#pragma hone let PARTS = min(max(BLOCKS_PER_SM*device.sm_count/TILES, 1), STEPS)
/* Registers of a thread: its sums, what is under way, and besides. */
#pragma hone let UNDER_WAY = UNROLL*(ROWS*max(VEC*sizeof(T)/4, VEC/WIDE_A) + COLUMNS*max(VEC*sizeof(T)/4, VEC/WIDE_B))
#pragma hone let REGISTERS = SUMS*WORDS + UNDER_WAY + 2*(ROWS + COLUMNS) + 32
#pragma hone let IS_DEFAULT = ROWS == 4 && COLUMNS == 4 && VEC == 1 && UNROLL == 1 && BLOCK == 256 && BLOCKS_PER_SM == 2

#pragma hone require WIDE_A <= VEC && WIDE_B <= VEC "no thread has so many neighbours"
#pragma hone require (WIDE_A == 1 || ALONG_A || LDA == 1) && (WIDE_B == 1 || ALONG_B || LDB == 1) "what lies across K is read by one element"
#pragma hone require WIDE_A == gcd(VEC, LAID_A) && WIDE_B == gcd(VEC, LAID_B) "wider accesses are possible, or rows do not begin at multiples of these"
#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCKS_PER_SM*BLOCK <= device.threads_sm "the blocks do not fit a multiprocessor together"
#pragma hone require REGISTERS <= 240 && REGISTERS*BLOCK*BLOCKS_PER_SM <= device.regs_sm "the sums, and what is under way, do not fit the registers"
#pragma hone require TILES <= 2G - 1 && K <= 1G && BATCH <= 1G "a dimension must fit 31 bits"
// The default, for every shape, is let through.
#pragma hone prefer IS_DEFAULT || (ROWS < 2*M && COLUMNS < 2*N) "most sums are of rows or columns that are not there"
#pragma hone prefer IS_DEFAULT || (ROWS >= min(M, 3) && COLUMNS >= min(N, 3)) "tiles so small read A and B too often"
#pragma hone prefer IS_DEFAULT || VEC == 1 || WIDE_A*WIDE_B > 1 "no access gets wider by it"
#pragma hone prefer IS_DEFAULT || STEP*UNROLL <= max(K, 1) "rows are shorter than what is under way"

#pragma hone workspace partial: f32[PARTS > 1 ? TILES*PARTS*SUMS*WORDS : 0]
#pragma hone workspace tickets: u32[PARTS > 1 ? TILES : 0] zero
#pragma hone launch gemm_dots grid(TILES, PARTS) block(BLOCK) args(A, B, C, alpha, beta, partial, tickets, i32(M), i32(N), i32(K), i64(LDA), i64(LDB), i64(LDC), i64(STRIDE_A), i64(STRIDE_B), i64(STRIDE_C))

/* Clocks of a multiprocessor, as those of gemm/sm90: memory brings 16 bytes a clock to
 * each, the level 2 cache 38; a thread waits 1,100 for what it asked for; a warp has
 * one instruction a clock in each of four units, of which an element of 16 bits takes
 * one more; an access of a warp takes as many clocks as it meets lines of 128 bytes,
 * of 32 lanes 32 at most. What takes the longest does not hide all else: a fifth of
 * it counts. Not fitted to anything. */
#pragma hone let BLOCKS = max(1, min(BLOCKS_PER_SM, ceildiv(TILES*PARTS, device.sm_count)))
#pragma hone let TURNS = ceildiv(TILES*PARTS, device.sm_count*BLOCKS)*ceildiv(STEPS, PARTS)
#pragma hone let MEMORY = BATCH*(M + N)*K*sizeof(T)/(16*device.sm_count)
#pragma hone let FETCH = TILES*(ROWS + COLUMNS)*K*sizeof(T)/(38*device.sm_count)
#pragma hone let WAIT = ceildiv(TURNS, UNROLL)*1100
#pragma hone let READS = ROWS*(VEC/WIDE_A) + COLUMNS*(VEC/WIDE_B)
#pragma hone let ISSUE = TURNS*BLOCKS*(BLOCK/128)*(VEC*(SUMS*WORDS + (ROWS + COLUMNS)*(sizeof(T) < 4 ? 1 : 0)) + READS)
#pragma hone let LINES_A = max(1, min(32, VEC*(ALONG_A ? 1 : LDA)*sizeof(T)/4))
#pragma hone let LINES_B = max(1, min(32, VEC*(ALONG_B ? 1 : LDB)*sizeof(T)/4))
#pragma hone let LINES = TURNS*BLOCKS*(BLOCK/32)*(ROWS*(VEC/WIDE_A)*LINES_A + COLUMNS*(VEC/WIDE_B)*LINES_B)
#pragma hone let LAST = 20*SUMS + (PARTS > 1 ? 2500 + ceildiv(SUMS*32, BLOCK)*(PARTS*4 + 200) : 0)
#pragma hone let MOST = max(MEMORY, FETCH, WAIT, ISSUE, LINES)
#pragma hone feature COST = 1300 + (4*MOST + MEMORY + FETCH + WAIT + ISSUE + LINES)/5 + LAST

using W = hone::wide<T>::type;
using piece = hone::pack<T, VEC>;
constexpr auto how = static_cast<hone::access>(READ);
constexpr int WARPS = BLOCK / 32;

/* LINES rows, or columns, of a factor, from `first` on, of `size`. */
template <int LINES, bool ALONG, int WIDE> struct lines {
    const T *at[LINES];
    long long next; /* elements along K */

    __device__ lines(const T *of, int first, int size, long long pitch)
        : next(ALONG ? 1 : pitch)
    {
#pragma unroll
        for (int i = 0; i < LINES; i++)
            at[i] = of + min(first + i, size - 1) * (ALONG ? pitch : 1);
    }
    /* Their elements k .. k + VEC. */
    __device__ void read(piece (&to)[LINES], int k) const
    {
#pragma unroll
        for (int i = 0; i < LINES; i++)
#pragma unroll
            for (int e = 0; e < VEC; e += WIDE) {
                const auto some = hone::read_pack<WIDE, how>(at[i] + (k + e) * next);

#pragma unroll
                for (int j = 0; j < WIDE; j++)
                    to[i].at[e + j] = some.at[j];
            }
    }
    /* The same where K may end before; what is behind counts as 0. */
    __device__ void read_end(piece (&to)[LINES], int k, int end) const
    {
#pragma unroll
        for (int i = 0; i < LINES; i++)
#pragma unroll
            for (int e = 0; e < VEC; e++)
                to[i].at[e] = k + e < end ? at[i][(k + e) * next] : hone::narrow<T>(0);
    }
};
using lines_a = lines<ROWS, ALONG_A || WIDE_A != 1, WIDE_A>;
using lines_b = lines<COLUMNS, ALONG_B || WIDE_B != 1, WIDE_B>;

__device__ inline void multiply(W (&sum)[SUMS], const piece (&a)[ROWS], const piece (&b)[COLUMNS])
{
#pragma unroll
    for (int e = 0; e < VEC; e++) {
        W of_b[COLUMNS];

#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
            of_b[c] = hone::widen(b[c].at[e]);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const W of_a = hone::widen(a[r].at[e]);

#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
                sum[r * COLUMNS + c] += of_a * of_b[c];
        }
    }
}

/* The first N of `sum` over lanes that differ in STEP and what is above: a lane gets
 * some of them, the first ones of `sum` then, which were `first` and following. */
template <int N, int STEP> __device__ inline void halve(W (&sum)[SUMS], int &first, int &count)
{
    if constexpr (STEP < 32) {
        constexpr int HALF = (N + 1) / 2;
        const bool upper = threadIdx.x & STEP;

#pragma unroll
        for (int i = 0; i < HALF; i++) {
            const W high = HALF + i < N ? sum[HALF + i < N ? HALF + i : 0] : W(0);
            const W mine = upper ? high : sum[i];

            sum[i] = mine + hone::from_lane_xor(upper ? sum[i] : high, STEP);
        }
        first += upper ? HALF : 0;
        count = upper ? max(count - HALF, 0) : min(count, HALF);
        halve<HALF, STEP * 2>(sum, first, count);
    }
}

/* A tile's elements of C. */
struct tile_of_c {
    OUT *at;
    int rows, columns; /* that are there */
    long long pitch;
    W alpha, beta;

    __device__ void write(int i, W sum) const
    {
        const int row = i / COLUMNS, column = i % COLUMNS;

        if (row >= rows || column >= columns)
            return;
        OUT &to = at[row * pitch + column];

        sum *= alpha;
        if (beta != 0)
            sum += beta * W(hone::widen(to));
        to = hone::narrow<OUT>(sum);
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS_PER_SM)
gemm_dots(const T *A, const T *B, OUT *C, float alpha, float beta, float *partial, unsigned *tickets, int m, int n, int K, long long lda, long long ldb, long long ldc, long long stride_a, long long stride_b, long long stride_c)
{
    __shared__ W of_warp[SUMS][WARPS];
    const int across = (n + COLUMNS - 1) / COLUMNS, down = (m + ROWS - 1) / ROWS;
    const int matrix = blockIdx.x / (down * across);
    const int row = blockIdx.x / across % down * ROWS;
    const int column = blockIdx.x % across * COLUMNS;
    const lines_a a(A + matrix * stride_a, row, m, lda);
    const lines_b b(B + matrix * stride_b, column, n, ldb);
    const int parts = gridDim.y, whole = K / STEP, mine = threadIdx.x * VEC;
    W sum[SUMS] = {};
    piece of_a[UNROLL][ROWS], of_b[UNROLL][COLUMNS];
    int step = blockIdx.y;

#pragma unroll 1
    for (; step + (UNROLL - 1) * parts < whole; step += UNROLL * parts) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            a.read(of_a[u], (step + u * parts) * STEP + mine);
            b.read(of_b[u], (step + u * parts) * STEP + mine);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            multiply(sum, of_a[u], of_b[u]);
    }
    /* What is left is at least a step less, and K may end in one more: at once, too. */
    const bool ends = whole % parts == blockIdx.y;

#pragma unroll
    for (int u = 0; u + 1 < UNROLL; u++)
        if (step + u * parts < whole) {
            a.read(of_a[u], (step + u * parts) * STEP + mine);
            b.read(of_b[u], (step + u * parts) * STEP + mine);
        }
    if (ends) {
        a.read_end(of_a[UNROLL - 1], whole * STEP + mine, K);
        b.read_end(of_b[UNROLL - 1], whole * STEP + mine, K);
    }
#pragma unroll
    for (int u = 0; u + 1 < UNROLL; u++)
        if (step + u * parts < whole)
            multiply(sum, of_a[u], of_b[u]);
    if (ends)
        multiply(sum, of_a[UNROLL - 1], of_b[UNROLL - 1]);

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const tile_of_c c = {C + matrix * stride_c + row * ldc + column, min(m - row, ROWS), min(n - column, COLUMNS), ldc, W(alpha), W(ADD ? beta : 0)};
    W *const of_tile = reinterpret_cast<W *>(partial) + (long long)blockIdx.x * SUMS * parts;
    int first = 0, count = SUMS;

    halve<SUMS, 1>(sum, first, count);
#pragma unroll
    for (int i = 0; i < (SUMS + 31) / 32; i++)
        if (i < count)
            of_warp[first + i][warp] = sum[i];
    __syncthreads();
    for (int i = threadIdx.x; i < SUMS; i += BLOCK) {
        W all = 0;

#pragma unroll
        for (int w = 0; w < WARPS; w++)
            all += of_warp[i][w];
        if (parts == 1)
            c.write(i, all);
        else
            of_tile[(long long)i * parts + blockIdx.y] = all;
    }
    if (parts == 1 || !hone::is_last_block(tickets + blockIdx.x, parts))
        return;
    for (int i = warp; i < SUMS; i += WARPS) {
        W all = 0;

#pragma unroll 4
        for (int part = lane; part < parts; part += 32)
            all += hone::read_pack<1, hone::access::l2>(of_tile + (long long)i * parts + part).at[0];
        all = hone::lanes_reduce<32>(all, hone::op_sum());
        if (lane == 0)
            c.write(i, all);
    }
}
