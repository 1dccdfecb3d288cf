/* SPDX-License-Identifier: Apache-2.0 */
/* fft/cluster: long transforms in one pass over memory, each by a cluster of
 * blocks and the four-step algorithm (four_step.cuh). A block transforms its
 * share of the columns and gives each of the others, through distributed
 * shared memory, what belongs to its share of the rows.
 *
 * Hazard: a block must not write into another's shared memory before that one
 * has read what its own columns left there, and the rows are read when all
 * blocks have written: two barriers of the cluster.
 *
 * Accuracy: as fft/registers, and two roundings more. */
#include "fft.cuh"
#include "hone_device.cuh"
#include "four_step.cuh"
#ifndef HONE_HOST
#include "hone_hopper.cuh"
#endif

#pragma hone implements fft/cluster "one pass over memory, a cluster for each long transform, compute capability 9.0 and newer"
#pragma hone arch sm >= 90

#pragma hone let LOG_N = log2(n)
#pragma hone let LOG_N1 = (LOG_N + 1)/2
#pragma hone let LOG_N2 = LOG_N/2
#pragma hone require LOG_N > 12 "as few elements take one block: fft/registers"
// Elements of a thread, as logarithm.
#pragma hone param LOG_E in 3..5 default 4
// Blocks of a transform (0: one for each 8192 elements).
#pragma hone param BLOCKS in {0, 1, 2, 4, 8, 16} default 0
#pragma hone param TWIDDLE in {powers, table} default powers
// Mark lines as not needed again.
#pragma hone param STREAM: bool default false
// Threads of a multiprocessor that the compiler must leave registers for.
#pragma hone param RESIDENT in {512, 1024} default 1024

#pragma hone require BLOCKS*8192 != n "that is as many as without a number"
#pragma hone let CLUSTER = BLOCKS > 0 ? BLOCKS : n/8192
#pragma hone let THREADS = (1 << (LOG_N - LOG_E))/CLUSTER
#pragma hone require THREADS <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require THREADS >= 64 "blocks have too few threads"
#pragma hone require LOG_E < 5 || RESIDENT == 512 "the elements alone take the registers"
#pragma hone require RESIDENT == 1024 || THREADS <= 512 "a block alone has more threads"
#pragma hone let COLUMNS = (1 << LOG_N2)/CLUSTER
#pragma hone let ROWS = (1 << LOG_N1)/CLUSTER
#pragma hone require COLUMNS >= 16 "blocks share memory lines"
#pragma hone let SHARED = 8*ROWS*((1 << LOG_N2) + 1)
#pragma hone require SHARED <= device.smem_optin "shared memory is too small"
#pragma hone let MIN_BLOCKS = max(min(RESIDENT/THREADS, 227K/(SHARED + 1K)), 1)

#pragma hone launch fft_cluster grid(batch*CLUSTER) block(THREADS) cluster(CLUSTER) shared(SHARED) args(x, y, i64(STRIDE), i64(DISTANCE))

constexpr int source = TWIDDLE == TWIDDLE_values::powers ? hone::fft::POWERS
                                                         : hone::fft::TABLE;
using column = hone::fft::strip<LOG_N1, LOG_E, source, COLUMNS>;
using row = hone::fft::strip<LOG_N2, LOG_E, source, ROWS>;
constexpr int pitch = row::n + 1; /* from a row to the next in shared memory */

/* All threads of the cluster are here (arrive), and were there (wait). */
static __device__ inline void arrive()
{
#ifndef HONE_HOST
    if constexpr (CLUSTER > 1)
        __cluster_barrier_arrive();
#endif
}
static __device__ inline void wait()
{
#ifndef HONE_HOST
    if constexpr (CLUSTER > 1)
        __cluster_barrier_wait();
#endif
    if constexpr (CLUSTER == 1)
        __syncthreads();
}

/* Element k of column j goes to the block that has row k. */
static __device__ inline void hand_over(const float2 (&v)[column::elements],
                                        int t, int j, float2 *shared)
{
#pragma unroll
    for (int i = 0; i < column::elements; i++) {
        const int k = t + i * column::threads;
        float2 *const there = shared + k % ROWS * pitch + j;

        if constexpr (CLUSTER == 1)
            *there = v[i];
#ifndef HONE_HOST
        else
            hone::store_shared(hone::shared_address(there), k / ROWS, v[i]);
#endif
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
fft_cluster(const float2 *__restrict__ x, float2 *__restrict__ y,
            long long stride, long long distance)
{
    extern __shared__ float2 shared[];
    const int rank = (int)(blockIdx.x % CLUSTER);
    const long long mine = (long long)(blockIdx.x / CLUSTER) * distance;
    const int me = threadIdx.x;
    const int j = rank * COLUMNS + me % COLUMNS;
    const int k = rank * ROWS + me % ROWS;
    float2 v[column::elements];

    column::load_apart<STREAM, row::n>(v, me / COLUMNS, x + mine + j * stride,
                                       stride);
    if constexpr (direction == 2)
        column::swap_parts(v);
    column::run(v, me / COLUMNS, shared + me % COLUMNS, false);
    arrive();
    hone::fft::turn_column<column, row::n>(v, me / COLUMNS, j);
    wait();
    hand_over(v, me / COLUMNS, j, shared);
    arrive();
    wait();
#pragma unroll
    for (int i = 0; i < row::elements; i++)
        v[i] = shared[me % ROWS * pitch + me / ROWS + i * row::threads];
    row::run(v, me / ROWS, shared + me % ROWS, true);
    if constexpr (direction == 2)
        row::swap_parts(v);
    row::store_apart<STREAM, column::n>(y + mine + k * stride, me / ROWS, v,
                                        stride);
}
