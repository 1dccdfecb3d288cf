/* SPDX-License-Identifier: Apache-2.0 */
/* gemv/rows: y = alpha*A*x + beta*y, A as it is stored. THREADS threads have ROWS
 * rows at once, which share what they read of x, so that a block has few long rows
 * or many short ones. Where rows are few, blocks share them: the block of a tile of
 * rows that is last adds up the sums of all, or a second launch does. */
#include "gemv.cuh"
#include "hone_pack.cuh"
#include "hone_reduce.cuh"

#pragma hone implements gemv/rows "threads, a block or blocks for rows of A, any device"

#pragma hone require TRANS == 0 "sums run along columns: gemv/columns"

// Elements of an access.
#pragma hone param VEC in {1, 2, 4, 8}
#pragma hone param BLOCK in pow2 64..512 default 256
// Threads that have the same rows, in one block, and how many rows.
#pragma hone param THREADS in pow2 1..512 default 32
#pragma hone param ROWS in {1, 2, 4, 8} default 2
// Accesses of a thread to each row before the first is used.
#pragma hone param UNROLL in {1, 2, 4, 8, 16} default 4
// Blocks for each multiprocessor, which says how many blocks share rows; 0: none do.
#pragma hone param BLOCKS_PER_SM in {0, 1, 2, 4, 8} when THREADS == BLOCK
// How the sums of parts become one.
#pragma hone param FINISH in {ticket, two_launch} when BLOCKS_PER_SM > 0
// How A is read: the names of hone::access, in its order.
#pragma hone param READ in {normal, stream}
// Blocks the compiler must leave registers for.
#pragma hone param MIN_BLOCKS in {1, 2} when VEC*ROWS*UNROLL*sizeof(T) >= 64

#pragma hone let IN_FLIGHT = VEC*sizeof(T)*UNROLL*(ROWS + 1)
#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require VEC == 1 || (LDA % VEC == 0 && (BATCH == 1 || (STRIDE_A % VEC == 0 && STRIDE_X % VEC == 0))) "rows do not begin at multiples of an access"
#pragma hone require THREADS <= BLOCK "the threads of a row are in one block"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCK*BLOCKS_PER_SM <= device.threads_sm "the grid does not fit the device at once"
#pragma hone require IN_FLIGHT <= 576 && BLOCK*MIN_BLOCKS*IN_FLIGHT <= 144K "what is in flight takes more than half of the registers"
// The default, for every shape, is let through.
#pragma hone let IS_DEFAULT = VEC == 1 && THREADS == 32 && ROWS == 2 && UNROLL == 4
#pragma hone prefer IS_DEFAULT || THREADS*VEC == 1 || THREADS*VEC < 2*N "most threads of a row have nothing to read"
#pragma hone prefer IS_DEFAULT || UNROLL == 1 || THREADS*VEC*UNROLL < 2*N "rows are shorter than what is in flight"
#pragma hone prefer IS_DEFAULT || BLOCK/THREADS*ROWS <= 32 || BLOCK/THREADS*ROWS < 2*M "a block has more rows than the matrix"

#pragma hone let TILES = max(1, ceildiv(M, BLOCK/THREADS*ROWS))
#pragma hone let WANTED = ceildiv(device.sm_count*BLOCKS_PER_SM, TILES*BATCH)
#pragma hone let PARTS = max(1, min(WANTED, ceildiv(N, THREADS*VEC*UNROLL), 65535))
#pragma hone workspace parts: u32[PARTS == 1 ? 0 : PARTS*BATCH*M*(max(sizeof(T), 4)/4)]
#pragma hone workspace tickets: u32[FINISH == ticket && PARTS > 1 ? TILES*BATCH : 0] zero
#pragma hone launch gemv_rows grid(min(TILES*BATCH, 1G), PARTS) block(BLOCK) args(A, x, y, parts, tickets, alpha, beta, i64(M), i64(N), i64(LDA), i64(BATCH), i64(STRIDE_A), i64(STRIDE_X), i64(STRIDE_Y))
#pragma hone launch gemv_rows_join if(FINISH == two_launch && PARTS > 1) grid(min(ceildiv(BATCH*M*32, 128), 1G)) block(128) args(parts, y, alpha, beta, i64(PARTS), i64(M), i64(BATCH), i64(STRIDE_Y))

constexpr int GROUPS = BLOCK / THREADS; /* of threads, in a block */
constexpr auto how = static_cast<hone::access>(READ);
using sum_type = hone::wide<T>::type;

/* y of one row, from its sum. */
__device__ inline void put(T *y, sum_type sum, sum_type alpha, sum_type beta)
{
    sum *= alpha;
    if (beta != 0)
        sum += beta * hone::widen(*y);
    *y = hone::narrow<T>(sum);
}

/* Elements at, at + step, .. of all rows, N packs of W: those from `end` on count
 * as zeros, unless all lie in front of it. */
template <int W, int N, bool ALL>
__device__ inline void add_packs(sum_type (&sum)[ROWS], const T *const (&a)[ROWS], const T *x, long long at, long long step, long long end)
{
    hone::pack<T, W> of_a[ROWS][N] = {}, of_x[N] = {};

#pragma unroll
    for (int u = 0; u < N; u++) {
        if (ALL || at + u * step < end) {
            of_x[u] = hone::read_pack<W, hone::access::constant>(x + at + u * step);
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                of_a[r][u] = hone::read_pack<W, how>(a[r] + at + u * step);
        }
    }
#pragma unroll
    for (int u = 0; u < N; u++)
#pragma unroll
        for (int e = 0; e < W; e++) {
            const sum_type factor = hone::widen(of_x[u].at[e]);

#pragma unroll
            for (int r = 0; r < ROWS; r++)
                sum[r] += hone::widen(of_a[r][u].at[e]) * factor;
        }
}

/* The part `part` of `parts` of ROWS rows, as far as this thread has it. */
__device__ inline void add_rows(sum_type (&sum)[ROWS], const T *const (&a)[ROWS], const T *x, long long n, int part, int parts)
{
    constexpr long long STEP = (long long)THREADS * VEC;
    const int me = threadIdx.x % THREADS;
    const long long whole = n / VEC * VEC;
    const long long share = (whole + parts * STEP - 1) / (parts * STEP) * STEP;
    const long long last = (part + 1) * share;
    const long long end = last < whole ? last : whole;
    long long at = part * share + (long long)me * VEC;

#pragma unroll 1
    for (; at + (UNROLL - 1) * STEP < end; at += UNROLL * STEP)
        add_packs<VEC, UNROLL, true>(sum, a, x, at, STEP, end);
    if (UNROLL > 1 && at < end)
        add_packs<VEC, (UNROLL > 1 ? UNROLL - 1 : 1), false>(sum, a, x, at, STEP, end);
    /* Less than a pack, at the end of the row. */
    if (VEC > 1 && part == parts - 1) {
#pragma unroll 1
        for (at = whole + me; at < n; at += THREADS)
            add_packs<1, 1, true>(sum, a, x, at, 1, n);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
gemv_rows(const T *A, const T *x, T *y, void *parts, unsigned *tickets, double alpha_of_call, double beta_of_call, long long m, long long n, long long lda, long long batch, long long stride_a, long long stride_x, long long stride_y)
{
    const sum_type alpha = (sum_type)alpha_of_call, beta = (sum_type)beta_of_call;
    const long long tiles = (m + GROUPS * ROWS - 1) / (GROUPS * ROWS);
    const int me = threadIdx.x % THREADS;
    sum_type *const of_parts = static_cast<sum_type *>(parts);

    /* All threads of a block go round as often. */
    for (long long tile = blockIdx.x; tile < tiles * batch; tile += gridDim.x) {
        /* A division takes as long as a short row. */
        const long long matrix = tile < tiles ? 0 : tile / tiles;
        const long long first = (tile - matrix * tiles) * (GROUPS * ROWS) + threadIdx.x / THREADS;
        const T *a[ROWS];
        sum_type sum[ROWS] = {};

        /* Rows that are not there are read as the last one. */
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const long long row = first + r * GROUPS;

            a[r] = A + matrix * stride_a + (row < m ? row : m - 1) * lda;
        }
        add_rows(sum, a, x + matrix * stride_x, n, (int)blockIdx.y, (int)gridDim.y);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const long long row = first + r * GROUPS;

            sum[r] = hone::group_reduce<THREADS, BLOCK>(sum[r], hone::op_sum());
            if (row < m && me == 0) {
                if (gridDim.y == 1)
                    put(y + matrix * stride_y + row, sum[r], alpha, beta);
                else
                    of_parts[(blockIdx.y * batch + matrix) * m + row] = sum[r];
            }
        }
        /* Where blocks share rows, a block has one group of threads. */
        if constexpr (GROUPS == 1 && FINISH == FINISH_values::ticket) {
            if (gridDim.y > 1 && hone::is_last_block(tickets + tile, gridDim.y)) {
#pragma unroll 1
                for (long long row = first; row < first + ROWS && row < m; row++) {
                    sum_type of_row = 0;

                    for (int part = me; part < (int)gridDim.y; part += BLOCK)
                        of_row += __ldcg(of_parts + (part * batch + matrix) * m + row);
                    of_row = hone::block_reduce<BLOCK>(of_row, hone::op_sum());
                    if (me == 0)
                        put(y + matrix * stride_y + row, of_row, alpha, beta);
                }
            }
        }
    }
}

/* A warp for each row. There with a ticket, too: whether it is launched depends on
 * the size. */
extern "C" __global__ void __launch_bounds__(128)
gemv_rows_join(const void *parts, T *y, double alpha, double beta, long long n_parts, long long m, long long batch, long long stride_y)
{
    const sum_type *const of_parts = static_cast<const sum_type *>(parts);

    for (long long row = (blockIdx.x * 128LL + threadIdx.x) / 32; row < m * batch; row += gridDim.x * 4LL) {
        sum_type sum = 0;

#pragma unroll 4
        for (long long part = threadIdx.x % 32; part < n_parts; part += 32)
            sum += of_parts[part * batch * m + row];
        sum = hone::lanes_reduce<32>(sum, hone::op_sum());
        if (threadIdx.x % 32 == 0)
            put(y + row / m * stride_y + row % m, sum, (sum_type)alpha, (sum_type)beta);
    }
}
