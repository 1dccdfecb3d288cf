/* SPDX-License-Identifier: Apache-2.0 */
/* gemm/columns: C of up to 8 columns, whose time is that of reading A once. LANES
 * neighbouring lanes have ROWS rows at once and go along K, VEC elements at a time;
 * each reads from shared memory what of B belongs to them, for all its rows and
 * COLUMNS columns, and has ROWS x COLUMNS sums, which the lanes add up at the end.
 * What is computed says gemm.cuh; with one column it is gemv/rows, which has more
 * forms for that.
 *
 * BK elements of each column of B are in shared memory, in the type of the sums: all
 * of them where K is no more, which a block that stays (BLOCKS_PER_SM) copies once;
 * else one slice after another for each tile of rows.
 *
 * Alignment: VEC elements are read at once only where rows and matrices of A lie at
 * multiples of them; with VEC = 1 they may lie anywhere. B may lie anywhere. */
#include "gemm.cuh"
#include "hone_pack.cuh"
#include "hone_reduce.cuh"

#pragma hone implements gemm/columns "up to 8 columns, A read once in its rows, any type"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes beta*C"
#pragma hone require EPILOGUE == 0 "a bias or an activation follows: gemm/sm90, gemm/wmma or gemm/plain"

#pragma hone require TRANS_A == 0 "sums run along the columns of what is stored: gemm/simt"
#pragma hone require N <= 8 "many columns: gemm/simt"

// Columns there are sums for: those of C, and what is missing to a power of two.
#pragma hone param COLUMNS in {1, 2, 4, 8} default 8
// Elements of an access to A, and accesses to each row before the first is used.
#pragma hone param VEC in {1, 2, 4, 8}
#pragma hone param UNROLL in {1, 2, 4}
#pragma hone param BLOCK in {128, 256, 512} default 256
// Lanes that have the same rows, and how many rows.
#pragma hone param LANES in {4, 8, 16, 32} default 16
#pragma hone param ROWS in {1, 2, 4, 8} default 2
// Elements of K that are in shared memory at once.
#pragma hone param BK in {256, 512, 1024, 2048, 4096} default 512
// Blocks for each multiprocessor, which stay and take tile after tile of rows; 0: a
// block for each tile.
#pragma hone param BLOCKS_PER_SM in {0, 1, 2, 3, 4, 6, 8} default 0
// How A is read: the names of hone::access, in its order.
#pragma hone param READ in {normal, stream}

#pragma hone let STEP = LANES*VEC
#pragma hone let WIDE = max(sizeof(T), 4)
#pragma hone let SMEM = COLUMNS*BK*WIDE
#pragma hone let ROWS_BLOCK = BLOCK/LANES*ROWS
#pragma hone let UNITS = BATCH*ceildiv(M, ROWS_BLOCK)
/* Elements that rows and matrices of A begin at multiples of. */
#pragma hone let LAID = gcd(LDA, BATCH > 1 ? gcd(STRIDE_A, 8) : 8)
/* Registers of a thread, in words: its sums and what is under way. */
#pragma hone let REGISTERS = ROWS*COLUMNS*WIDE/4 + ROWS*UNROLL*max(VEC*sizeof(T)/4, 1) + VEC*WIDE/4 + 32
#pragma hone let IS_DEFAULT = COLUMNS == 8 && VEC == 1 && LANES == 16 && ROWS == 2 && UNROLL == 1 && BK == 512 && BLOCK == 256 && BLOCKS_PER_SM == 0

#pragma hone require COLUMNS >= N "there is no sum for some columns"
#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require LAID % VEC == 0 "rows do not begin at multiples of an access"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require SMEM <= device.smem_optin "the slice of B does not fit shared memory"
#pragma hone require BLOCKS_PER_SM == 0 || (BLOCKS_PER_SM*(SMEM + 1K) <= device.smem_sm && BLOCKS_PER_SM*BLOCK <= device.threads_sm) "the blocks do not fit a multiprocessor together"
#pragma hone require REGISTERS <= 200 && REGISTERS*BLOCK*max(BLOCKS_PER_SM, 1) <= device.regs_sm "the sums do not fit the registers"
#pragma hone require UNITS <= 2G - 1 && max(M, K) <= 1G "a dimension must fit 31 bits"
// The default, for every shape, is let through.
#pragma hone prefer IS_DEFAULT || COLUMNS < 2*N "most sums are of columns that are not there"
#pragma hone prefer IS_DEFAULT || BK == 256 || BK < 2*K "most of the slice lies outside"
#pragma hone require BLOCKS_PER_SM == 0 || (BK >= K && UNITS > device.sm_count*BLOCKS_PER_SM) "all blocks are there at once, or copy B for each tile all the same"
#pragma hone prefer IS_DEFAULT || STEP*UNROLL <= max(K, 4) "rows are shorter than what is in flight"
#pragma hone prefer IS_DEFAULT || ROWS == 1 || ROWS_BLOCK <= max(M, 32) "a block has more rows than the matrix"
#pragma hone prefer IS_DEFAULT || VEC*sizeof(T) >= 8 || VEC == LAID "wider accesses are possible"

#pragma hone launch gemm_columns grid(BLOCKS_PER_SM > 0 ? device.sm_count*BLOCKS_PER_SM : max(UNITS, 1)) block(BLOCK) shared(SMEM) args(A, B, C, alpha, beta, i32(M), i32(N), i32(K), i64(LDA), i64(LDB), i64(LDC), i64(STRIDE_A), i64(STRIDE_B), i64(STRIDE_C), i32(UNITS))

/* Clocks of a multiprocessor, as those of gemm/sm90: what memory brings; a turn of the
 * loop, which waits 790, starts so many instructions in four units, and reads B from
 * shared memory; sums of lanes that have the same rows; slices of B, by elements, four
 * under way. Fitted to 420 trials of eight products on an H200 (decision 236). */
#pragma hone let RESIDENT = BLOCKS_PER_SM > 0 ? BLOCKS_PER_SM : max(1, min(device.threads_sm/BLOCK, device.regs_sm/(REGISTERS*BLOCK), device.smem_sm/(SMEM + 1K)))
#pragma hone let BESIDE = max(1, min(RESIDENT, ceildiv(UNITS, device.sm_count)))
#pragma hone let ROUNDS = ceildiv(UNITS, device.sm_count*BESIDE)
#pragma hone let SLICES = ceildiv(K, BK)
#pragma hone let TURNS = SLICES*ceildiv(ceildiv(min(K, BK), STEP), UNROLL)
#pragma hone let WARPS = BESIDE*BLOCK/32
#pragma hone let INSTRUCTIONS = UNROLL*(ROWS + COLUMNS*max(VEC*WIDE/16, 1) + ROWS*VEC*(COLUMNS + (sizeof(T) < 4 ? 1 : 0)))
#pragma hone let ISSUE = TURNS*WARPS*(16*INSTRUCTIONS + 310)/40
#pragma hone let READ_B = TURNS*WARPS*UNROLL*COLUMNS*max(VEC*WIDE, 16)*min(LANES, 8)/128
#pragma hone let ADD_UP = ROWS*COLUMNS*WARPS*(LANES == 4 ? 7 : LANES == 8 ? 11 : LANES == 16 ? 14 : 18)/10
#pragma hone let TILE = max(790*TURNS, ISSUE, READ_B) + ADD_UP
#pragma hone let COPY_B = SLICES*(1280 + 650*ceildiv(COLUMNS*BK, 4*BLOCK))
#pragma hone let PRODUCT = BLOCKS_PER_SM > 0 ? min(ROUNDS, BATCH)*COPY_B + ROUNDS*TILE : ROUNDS*(COPY_B + TILE)
#pragma hone let MEMORY = BATCH*((M + N)*K*sizeof(T) + M*N*sizeof(OUT)*(1 + ADD))/(13*device.sm_count)
#pragma hone feature COST = 5100 + max(MEMORY, PRODUCT) + min(MEMORY, PRODUCT)*6/10

using W = hone::wide<T>::type;
constexpr auto how = static_cast<hone::access>(READ);

extern __shared__ float4 shared[];

/* `count` elements of all columns of `b`, along K, to shared memory: a column after
 * another, zeros where there is none. */
__device__ inline void copy_slice(W *to, const T *b, long long ldb, int n, int count)
{
#pragma unroll 4
    for (int i = threadIdx.x; i < COLUMNS * BK; i += BLOCK) {
        /* Neighbours in memory are neighbours here. */
        const int column = TRANS_B ? i / BK : i % COLUMNS;
        const int k = TRANS_B ? i % BK : i / COLUMNS;
        const bool is_there = column < n && k < count;

        to[column * BK + k] = is_there ? hone::widen(b[TRANS_B ? column * ldb + k : k * ldb + column]) : W(0);
    }
}

/* N elements of a column in shared memory, up to 16 bytes at once. */
template <int N> __device__ inline void read_column(W (&to)[N], const W *from)
{
    constexpr int ONCE = N * sizeof(W) < 16 ? N : int(16 / sizeof(W));

#pragma unroll
    for (int i = 0; i < N; i += ONCE) {
        const auto part = hone::read_pack<ONCE>(from + i);

#pragma unroll
        for (int e = 0; e < ONCE; e++)
            to[i + e] = part.at[e];
    }
}

/* Elements k, k + step, .. of all rows, N packs of V. */
template <int V, int N>
__device__ inline void add_packs(W (&sum)[ROWS][COLUMNS], const T *const (&a)[ROWS], const W *b, int k, int step)
{
    hone::pack<T, V> of_a[N][ROWS];

#pragma unroll
    for (int u = 0; u < N; u++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            of_a[u][r] = hone::read_pack<V, how>(a[r] + k + u * step);
#pragma unroll
    for (int u = 0; u < N; u++)
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            W of_b[V];

            read_column(of_b, b + c * BK + k + u * step);
#pragma unroll
            for (int e = 0; e < V; e++)
#pragma unroll
                for (int r = 0; r < ROWS; r++)
                    sum[r][c] += hone::widen(of_a[u][r].at[e]) * of_b[e];
        }
}

/* What the first `count` elements of each row contribute, as far as this lane has
 * them. */
__device__ inline void add_slice(W (&sum)[ROWS][COLUMNS], const T *const (&a)[ROWS], const W *b, int count)
{
    const int lane = threadIdx.x % LANES;
    const int whole = count / VEC * VEC;
    int k = lane * VEC;

#pragma unroll 1
    for (; k + (UNROLL - 1) * STEP < whole; k += UNROLL * STEP)
        add_packs<VEC, UNROLL>(sum, a, b, k, STEP);
    if (UNROLL > 1) {
#pragma unroll 1
        for (; k < whole; k += STEP)
            add_packs<VEC, 1>(sum, a, b, k, STEP);
    }
    /* Less than a pack, at the end of the row. */
    if (VEC > 1) {
#pragma unroll 1
        for (k = whole + lane; k < count; k += LANES)
            add_packs<1, 1>(sum, a, b, k, 1);
    }
}

/* A row's elements of C: a lane has one of them, from all lanes' sums. */
__device__ inline void write_row(OUT *c, const W (&sum)[COLUMNS], int n, W alpha, W beta)
{
    const int lane = threadIdx.x % LANES;

#pragma unroll
    for (int first = 0; first < COLUMNS; first += LANES) {
        W mine = 0;

#pragma unroll
        for (int i = first; i < COLUMNS && i < first + LANES; i++)
            mine = lane == i - first ? sum[i] : mine;
        if (first + lane < n) {
            mine *= alpha;
            if (beta != 0)
                mine += beta * W(hone::widen(c[first + lane]));
            c[first + lane] = hone::narrow<OUT>(mine);
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, (BLOCKS_PER_SM > 0 ? BLOCKS_PER_SM : 1))
gemm_columns(const T *A, const T *B, OUT *C, float alpha, float beta, int m, int n, int K, long long lda, long long ldb, long long ldc, long long stride_a, long long stride_b, long long stride_c, unsigned units)
{
    W *const b = reinterpret_cast<W *>(shared);
    const unsigned tiles = (m + ROWS_BLOCK - 1) / ROWS_BLOCK;
    int there = -1; /* the matrix whose B is in shared memory, if all of it is */

    /* All threads of a block go round as often. */
    for (unsigned unit = blockIdx.x; unit < units; unit += gridDim.x) {
        const int matrix = unit / tiles;
        const int first = (unit - matrix * tiles) * ROWS_BLOCK + threadIdx.x / LANES;
        const T *a[ROWS];
        W sum[ROWS][COLUMNS] = {};

        /* Rows that are not there are read as the last one. */
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            a[r] = A + matrix * stride_a + min(first + r * (BLOCK / LANES), m - 1) * lda;
        for (int k = 0; k < K; k += BK) {
            if (matrix != there || K > BK) {
                __syncthreads(); /* the last slice was read */
                copy_slice(b, B + matrix * stride_b + (TRANS_B ? k : k * ldb), ldb, n, min(BK, K - k));
                __syncthreads();
                there = matrix;
            }
            add_slice(sum, a, b, min(BK, K - k));
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                a[r] += BK;
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int row = first + r * (BLOCK / LANES);

#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
                sum[r][c] = hone::lanes_reduce<LANES>(sum[r][c], hone::op_sum());
            if (row < m)
                write_row(C + matrix * stride_c + row * ldc, sum[r], n, W(alpha), W(ADD ? beta : 0));
        }
    }
}
