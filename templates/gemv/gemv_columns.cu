/* SPDX-License-Identifier: Apache-2.0 */
/* gemv/columns: y = alpha*A^T*x + beta*y, A as it is stored, so that sums run along
 * columns: a thread has VEC neighbouring columns, a block WIDTH such packs side by
 * side and DEPTH rows at once, and the rows are dealt to PARTS blocks, as many as
 * the device needs to be busy. The sums of the parts are added up by the block of a
 * tile of columns that is last, or by a second launch. */
#include "columns.cuh"
#include "gemv.cuh"
#include "hone_reduce.cuh"

#pragma hone implements gemv/columns "packs of columns of A, rows dealt to blocks, any device"

#pragma hone require TRANS == 1 "sums run along rows: gemv/rows"

// Columns of a thread, rows of a thread before the first is used.
#pragma hone param VEC in {1, 2, 4, 8}
#pragma hone param UNROLL in {1, 2, 4, 8, 16} default 4
#pragma hone param BLOCK in pow2 64..1024 default 256
// Packs that a block has side by side.
#pragma hone param WIDTH in pow2 1..256 default 32
// Blocks for each multiprocessor, which says how many parts the rows have.
#pragma hone param BLOCKS_PER_SM in {1, 2, 4, 8, 16} default 4
// How the sums of parts become one.
#pragma hone param FINISH in {ticket, two_launch}
// How A is read: the names of hone::access, in its order.
#pragma hone param READ in {normal, stream}
// Blocks the compiler must leave registers for. Without a number it makes room
// for more of them than what is in flight leaves.
#pragma hone param MIN_BLOCKS in {1, 2} when VEC*sizeof(T)*UNROLL >= 64

#pragma hone require BLOCK*MIN_BLOCKS <= device.threads_sm "a multiprocessor does not hold so many threads"
#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require VEC == 1 || (LDA % VEC == 0 && (BATCH == 1 || STRIDE_A % VEC == 0)) "rows do not begin at multiples of an access"
#pragma hone require WIDTH <= BLOCK "a block is as wide as its threads at most"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCK*BLOCKS_PER_SM <= device.threads_sm "the grid does not fit the device at once"
#pragma hone require BLOCK*MIN_BLOCKS*VEC*sizeof(T)*UNROLL <= 128K "what is in flight takes more than half of the registers"
// The default, for every shape, is let through.
#pragma hone prefer WIDTH*VEC == 32 || WIDTH*VEC == 1 || WIDTH*VEC < 2*N "a block is wider than the matrix"
#pragma hone prefer N < 32 || WIDTH*VEC*sizeof(T) >= 32 "a row of a block is less than a sector"
#pragma hone prefer N >= 32 || WIDTH*VEC >= N || WIDTH*VEC == 32 "rows of a block are parts of short ones"

#pragma hone let DEPTH = BLOCK/WIDTH
#pragma hone let TILES = max(1, ceildiv(N, WIDTH*VEC))
#pragma hone let WANTED = ceildiv(device.sm_count*BLOCKS_PER_SM, TILES*BATCH)
#pragma hone let PARTS = max(1, min(WANTED, ceildiv(M, DEPTH*UNROLL), 65535))
#pragma hone workspace parts: u32[PARTS == 1 ? 0 : PARTS*BATCH*N*(max(sizeof(T), 4)/4)]
#pragma hone workspace tickets: u32[FINISH == ticket && PARTS > 1 ? TILES*BATCH : 0] zero
#pragma hone launch gemv_columns grid(min(TILES*BATCH, 1G), PARTS) block(BLOCK) args(A, x, y, parts, tickets, alpha, beta, i64(M), i64(N), i64(LDA), i64(BATCH), i64(STRIDE_A), i64(STRIDE_X), i64(STRIDE_Y))
#pragma hone launch gemv_columns_join if(FINISH == two_launch && PARTS > 1) grid(min(TILES*BATCH, 1G)) block(BLOCK) args(parts, y, alpha, beta, i64(PARTS), i64(N), i64(BATCH), i64(STRIDE_Y))

using sum_type = hone::wide<T>::type;
using of_columns = hone::column_sums_of<sum_type, VEC, UNROLL, BLOCK, WIDTH>;

/* What a row of A counts: an element of x. */
struct element_of_x {
    const T *x;

    __device__ sum_type operator()(long long row) const
    {
        return hone::widen(hone::read_pack<1, hone::access::constant>(x + row).at[0]);
    }
};

/* The pack of columns of this thread in tile `tile` of all matrices. */
struct place {
    long long matrix, column;

    __device__ place(long long tile, long long n)
    {
        const long long tiles = (n + WIDTH * VEC - 1) / (WIDTH * VEC);

        /* A division takes as long as a short column. */
        matrix = tile < tiles ? 0 : tile / tiles;
        column = ((tile - matrix * tiles) * WIDTH + threadIdx.x % WIDTH) * VEC;
    }
};

/* y of a pack of columns, from their sums, which the first threads have. */
__device__ inline void put(T *y, const sum_type (&sum)[VEC], long long valid, double alpha, double beta)
{
#pragma unroll
    for (int e = 0; e < VEC; e++)
        if (threadIdx.x < WIDTH && e < valid) {
            sum_type v = (sum_type)alpha * sum[e];

            if (beta != 0)
                v += (sum_type)beta * hone::widen(y[e]);
            y[e] = hone::narrow<T>(v);
        }
}

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
gemv_columns(const T *A, const T *x, T *y, void *parts, unsigned *tickets, double alpha, double beta, long long m, long long n, long long lda, long long batch, long long stride_a, long long stride_x, long long stride_y)
{
    const long long tiles = (n + WIDTH * VEC - 1) / (WIDTH * VEC) * batch;
    const long long step = (long long)DEPTH * gridDim.y;
    sum_type *const of_parts = static_cast<sum_type *>(parts);

    for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const place at(tile, n);
        T *const to = y + at.matrix * stride_y + at.column;
        const element_of_x weight = {x + at.matrix * stride_x};
        sum_type sum[VEC] = {};

        of_columns::add_rows<VEC, static_cast<hone::access>(READ)>(sum, A + at.matrix * stride_a + at.column, lda, n - at.column, blockIdx.y * DEPTH + threadIdx.x / WIDTH, step, m, weight);
        of_columns::join_rows(sum);
        if (gridDim.y == 1) {
            put(to, sum, n - at.column, alpha, beta);
        } else {
#pragma unroll
            for (int e = 0; e < VEC; e++)
                if (threadIdx.x < WIDTH && at.column + e < n)
                    of_parts[(blockIdx.y * batch + at.matrix) * n + at.column + e] = sum[e];
        }
        if constexpr (FINISH == FINISH_values::ticket) {
            if (gridDim.y > 1 && hone::is_last_block(tickets + tile, gridDim.y)) {
                sum_type of_all[VEC] = {};

                of_columns::add_parts(of_all, of_parts + at.matrix * n, batch * n, gridDim.y, at.column, n);
                put(to, of_all, n - at.column, alpha, beta);
            }
        }
    }
}

/* There with a ticket, too: whether it is launched depends on the size. */
extern "C" __global__ void __launch_bounds__(BLOCK)
gemv_columns_join(const void *parts, T *y, double alpha, double beta, long long n_parts, long long n, long long batch, long long stride_y)
{
    const long long tiles = (n + WIDTH * VEC - 1) / (WIDTH * VEC) * batch;

    for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const place at(tile, n);
        sum_type sum[VEC] = {};

        of_columns::add_parts(sum, static_cast<const sum_type *>(parts) + at.matrix * n, batch * n, n_parts, at.column, n);
        put(y + at.matrix * stride_y + at.column, sum, n - at.column, alpha, beta);
    }
}
