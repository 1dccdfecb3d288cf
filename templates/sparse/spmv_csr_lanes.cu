/* SPDX-License-Identifier: Apache-2.0 */
/* spmv_csr/lanes: LANES threads share a row, read its elements in turn and add
 * up what they found.
 *
 * A row starts anywhere: its first access begins at the multiple of VEC before
 * it, and what does not belong to the row is masked. With LANES*VEC near the
 * length of a row nothing is idle; LANES = 1 is a thread for each row, whose
 * neighbours read each their own lines. */
#include "hone_reduce.cuh"
#include "sparse_entries.cuh"
#include "spmv_csr.cuh"

#pragma hone implements spmv_csr/lanes "some threads for each row, several accesses in flight"

// Threads of a row; elements of an access; accesses before the first is used.
#pragma hone param LANES in pow2 1..32 default 8
#pragma hone param VEC in {1, 2, 4} default 1
#pragma hone param ITEMS in {1, 2, 4, 8} default 2
#pragma hone param BLOCK in pow2 64..512 default 256
// 0: a group of threads for each row. Else so many blocks for each
// multiprocessor walk over the rows together.
#pragma hone param RESIDENT in {0, 4, 8} default 0
// The matrix is not needed again; x is kept in the level 1 cache, too.
#pragma hone param STREAM: bool default true
#pragma hone param NEAR_X: bool default true
// Blocks the compiler must leave registers for.
#pragma hone param MIN_BLOCKS in {1, 4} default 1

#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require LANES == 8 && VEC == 1 || LANES*VEC <= max(4*AVERAGE, 2) "most threads of a row have nothing to do"
#pragma hone require LANES >= 8 || LANES*VEC*64 >= AVERAGE "too few threads for so long rows"
#pragma hone require ITEMS <= 2 || LANES*VEC*ITEMS <= 4*AVERAGE "a thread's last accesses are behind the row"
#pragma hone require VEC*ITEMS*(sizeof(T) + 4) <= 128 "a thread holds at most 128 bytes"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require RESIDENT == 0 || BLOCK*RESIDENT <= device.threads_sm "the blocks do not fit a multiprocessor"
#pragma hone require MIN_BLOCKS == 1 || BLOCK*MIN_BLOCKS <= device.threads_sm "a multiprocessor does not hold so many threads"

#pragma hone let GROUPS = BLOCK/LANES
#pragma hone let FULL = min(ceildiv(rows, GROUPS), 1G)
#pragma hone launch spmv_csr_lanes grid(RESIDENT ? min(FULL, device.sm_count*RESIDENT) : FULL) block(BLOCK) \
    args(start, column, value, x, y, i64(rows), i64(nnz))

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
spmv_csr_lanes(const I *__restrict__ start, const int *__restrict__ column,
               const T *__restrict__ value, const T *__restrict__ x,
               T *__restrict__ y, long long rows, long long nnz)
{
    constexpr hone::access matrix =
        STREAM ? hone::access::stream : hone::access::normal;
    constexpr hone::access vector =
        NEAR_X ? hone::access::normal : hone::access::l2;
    const int group = threadIdx.x / LANES;
    const int lane = threadIdx.x % LANES;

    /* All threads of a block take part in every sum. */
#pragma unroll 1
    for (long long first = blockIdx.x * (long long)GROUPS; first < rows;
         first += gridDim.x * (long long)GROUPS) {
        const long long row = first + group;
        const long long begin = row < rows ? (long long)start[row] : 0;
        const long long end = row < rows ? (long long)start[row + 1] : 0;
        T sum = 0;

#pragma unroll 1
        for (long long at = begin / VEC * VEC + lane * VEC; at < end;
             at += LANES * VEC * ITEMS) {
            hone::entries<T, VEC> e[ITEMS];
            hone::pack<T, VEC> product[ITEMS];

#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                hone::read_entries<matrix>(e[i], value, column,
                                           at + i * (LANES * VEC), begin, end,
                                           nnz);
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                product[i] = hone::times<vector>(
                    e[i], x, at + i * (LANES * VEC), begin, end);
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
#pragma unroll
                for (int v = 0; v < VEC; v++)
                    sum += product[i].at[v];
            }
        }
        sum = hone::lanes_reduce<LANES>(sum, hone::op_sum());
        if (lane == 0 && row < rows)
            y[row] = sum;
    }
}
