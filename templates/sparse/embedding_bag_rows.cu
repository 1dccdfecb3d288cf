/* SPDX-License-Identifier: Apache-2.0 */
/* embedding_bag/rows: LANES threads along the rows of a bag, AHEAD rows of it
 * asked for at once, SPLIT such groups for each bag, which take its rows in turn
 * and add up what they have in shared memory.
 *
 * A row that is longer than a tile of LANES*VEC*LOADS elements is shared by
 * several blocks, the y of the grid, each of which reads the indexes. */
#include "sparse_rows.cuh"
#include "embedding_bag.cuh"

#pragma hone implements embedding_bag/rows "groups of threads along the rows of a bag, several rows in flight"

// Elements of one access; it wants rows of a multiple of it.
#pragma hone param VEC in {1, 2, 4, 8} default 1
// Threads of a row, accesses of a thread in it, rows before the first is used.
#pragma hone param LANES in pow2 1..128 default 32
#pragma hone param LOADS in {1, 2} default 1
#pragma hone param AHEAD in {1, 2, 4, 8} default 4
// Groups that share a bag.
#pragma hone param SPLIT in {1, 2, 4, 8} default 1
#pragma hone param BLOCK in pow2 64..512 default 256
// How the table is read: through all caches, past level 1, or as what is not
// needed again.
#pragma hone param READ in {normal, l2, stream} default normal
#pragma hone param STREAM_OUT: bool default true

#pragma hone let GROUPS = BLOCK/LANES
#pragma hone let BAGS = GROUPS/SPLIT
#pragma hone let TILE = LANES*VEC*LOADS
#pragma hone let AVERAGE = ceildiv(n, max(bags, 1))
#pragma hone let SHARED = SPLIT > 1 ? GROUPS*TILE : 1

#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require W % VEC == 0 "a row is no multiple of the vector"
#pragma hone require LANES*SPLIT <= BLOCK "more threads of a bag than of a block"
#pragma hone require LANES == 32 || LANES*VEC < 2*W "half of the threads of a row have nothing to do"
#pragma hone require LANES*VEC*sizeof(T) >= min(32, W*sizeof(T)) "the threads of a row take less than a sector"
#pragma hone require LOADS == 1 || LANES*VEC*(LOADS - 1) < W "a thread's last accesses are behind the row"
#pragma hone require SPLIT == 1 || SPLIT*2 <= AVERAGE "the groups of a bag have a row each, or none"
#pragma hone require AHEAD <= 4 || AHEAD*SPLIT <= 2*AVERAGE "more rows in flight than a bag has"
#pragma hone require AHEAD*LOADS*max(VEC*sizeof(T), 4) <= 128 "a thread holds at most 128 bytes"
#pragma hone require SHARED*4 <= 48K "the sums do not fit the shared memory"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"

#pragma hone launch embedding_bag_rows grid(min(ceildiv(bags, BAGS), 1G), min(ceildiv(W, TILE), 65535)) block(BLOCK) \
    args(table, index, start, out, i64(bags), i64(W))

using part = hone::row_part<T, VEC, LOADS>;
using sums = hone::row_part<float, VEC, LOADS>;

constexpr hone::access how_read =
    READ == READ_values::l2       ? hone::access::l2
    : READ == READ_values::stream ? hone::access::stream
                                  : hone::access::normal;

/* Rows begin + group, + SPLIT, .. of a bag, added up in this order. */
__device__ inline void sum_rows(sums &sum, const T *table, const I *index,
                                long long begin, long long end,
                                long long column, long long W)
{
#pragma unroll 1
    for (long long k = begin; k < end; k += SPLIT * AHEAD) {
        long long row[AHEAD];
        part p[AHEAD];

#pragma unroll
        for (int a = 0; a < AHEAD; a++)
            row[a] = k + a * SPLIT < end ? (long long)index[k + a * SPLIT] : 0;
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            p[a] = {};
            if (k + a * SPLIT < end)
                hone::read_row<how_read, LANES>(p[a], table + row[a] * W,
                                                column, W);
        }
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
#pragma unroll
            for (int i = 0; i < LOADS * VEC; i++)
                sum.at[i / VEC].at[i % VEC] +=
                    hone::widen(p[a].at[i / VEC].at[i % VEC]);
        }
    }
}

/* The sums of the SPLIT groups of a bag, in their order, into the first's. All
 * threads of the block call it. */
__device__ inline void add_groups(sums &sum, int group, int lane)
{
    __shared__ float of_group[SHARED];

    if constexpr (SPLIT > 1) {
        __syncthreads(); /* nobody reads what the bags before left */
#pragma unroll
        for (int i = 0; i < LOADS * VEC; i++)
            of_group[(group * LOADS * VEC + i) * LANES + lane] =
                sum.at[i / VEC].at[i % VEC];
        __syncthreads();
        if (group % SPLIT == 0) {
#pragma unroll
            for (int s = 1; s < SPLIT; s++) {
#pragma unroll
                for (int i = 0; i < LOADS * VEC; i++)
                    sum.at[i / VEC].at[i % VEC] +=
                        of_group[((group + s) * LOADS * VEC + i) * LANES +
                                 lane];
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
embedding_bag_rows(const T *__restrict__ table, const I *__restrict__ index,
                   const I *__restrict__ start, T *__restrict__ out,
                   long long bags, long long W)
{
    constexpr hone::access how_write =
        STREAM_OUT ? hone::access::stream : hone::access::normal;
    const int group = threadIdx.x / LANES;
    const int lane = threadIdx.x % LANES;
    const long long column0 = blockIdx.y * (long long)TILE;

#pragma unroll 1
    for (long long first = blockIdx.x * (long long)BAGS; first < bags;
         first += gridDim.x * (long long)BAGS) {
        const long long bag = first + group / SPLIT;
        const long long begin = bag < bags ? (long long)start[bag] : 0;
        const long long end = bag < bags ? (long long)start[bag + 1] : 0;

#pragma unroll 1
        for (long long tile = column0; tile < W;
             tile += gridDim.y * (long long)TILE) {
            const long long column = tile + lane * VEC;
            sums sum = {};

            sum_rows(sum, table, index, begin + group % SPLIT, end, column, W);
            add_groups(sum, group, lane);
            if (bag < bags && group % SPLIT == 0) {
                const float scale =
                    MEAN && end > begin ? 1.0f / (float)(end - begin) : 1.0f;
                part result;

#pragma unroll
                for (int i = 0; i < LOADS * VEC; i++) {
                    result.at[i / VEC].at[i % VEC] = hone::narrow<T>(
                        sum.at[i / VEC].at[i % VEC] * scale);
                }
                hone::write_row<how_write, LANES>(out + bag * W, result,
                                                  column, W);
            }
        }
    }
}
