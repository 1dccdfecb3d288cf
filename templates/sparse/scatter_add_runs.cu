/* SPDX-License-Identifier: Apache-2.0 */
/* scatter_add/runs: for sorted indexes. LANES threads take CHUNK rows of x that
 * follow each other, and add up each run of one index that begins there, to its
 * end even if that is behind them; then y is read and written once for the run.
 * No atomics: each row of y has one owner, and its terms are added in order.
 *
 * A run is the work of one group, so a few very long ones leave the device
 * idle. */
#include "sparse_rows.cuh"
#include "scatter_add.cuh"

#pragma hone implements scatter_add/runs "a group of threads for the runs of a chunk, sorted indexes, no atomics"

// Elements of one access; it wants rows of a multiple of it.
#pragma hone param VEC in {1, 2, 4} default 1
// Threads of a row, accesses of a thread in it, rows before the first is used.
#pragma hone param LANES in pow2 1..128 default 32
#pragma hone param LOADS in {1, 2} default 1
#pragma hone param AHEAD in {1, 2, 4, 8} default 4
#pragma hone param CHUNK in {1, 4, 8, 16, 32, 64} default 8
#pragma hone param BLOCK in pow2 64..512 default 256
#pragma hone param STREAM: bool default true

#pragma hone require SORTED == 1 "indexes that are not sorted have no runs"
#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require W % VEC == 0 "a row is no multiple of the vector"
#pragma hone require LANES <= BLOCK "more threads of a row than of a block"
#pragma hone require LANES == 32 || LANES*VEC < 2*W "half of the threads of a row have nothing to do"
#pragma hone require LANES*VEC*sizeof(T) >= min(32, W*sizeof(T)) "the threads of a row take less than a sector"
#pragma hone require LOADS == 1 || LANES*VEC*(LOADS - 1) < W "a thread's last accesses are behind the row"
#pragma hone require AHEAD*LOADS*VEC*sizeof(T) <= 128 "a thread holds at most 128 bytes"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"

#pragma hone let GROUPS = BLOCK/LANES
#pragma hone let TILE = LANES*VEC*LOADS
#pragma hone launch scatter_add_runs grid(max(1, min(ceildiv(n, GROUPS*CHUNK), 1G)), min(ceildiv(W, TILE), 65535)) block(BLOCK) \
    args(x, index, y, i64(n), i64(W))

using part = hone::row_part<T, VEC, LOADS>;

__device__ inline void add(part &sum, const part &term)
{
#pragma unroll
    for (int i = 0; i < LOADS * VEC; i++)
        sum.at[i / VEC].at[i % VEC] += term.at[i / VEC].at[i % VEC];
}

/* The runs that begin in first .. end - 1; at `first` one does. */
__device__ inline void add_runs(const T *x, const I *index, T *y,
                                long long first, long long end,
                                long long column, long long n, long long W)
{
    constexpr hone::access how_read =
        STREAM ? hone::access::stream : hone::access::normal;
    long long to = index[first];
    part sum = {};

    hone::read_row<hone::access::normal, LANES>(sum, y + to * W, column, W);
#pragma unroll 1
    for (long long i = first; i < n; i += AHEAD) {
        long long key[AHEAD];
        part term[AHEAD];

#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            key[a] = i + a < n ? (long long)index[i + a] : -1;
            term[a] = {};
            if (i + a < n)
                hone::read_row<how_read, LANES>(term[a], x + (i + a) * W,
                                                column, W);
        }
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            if (key[a] != to) {
                hone::write_row<hone::access::normal, LANES>(y + to * W, sum,
                                                             column, W);
                if (i + a >= end || key[a] < 0)
                    return;
                to = key[a];
                hone::read_row<hone::access::normal, LANES>(sum, y + to * W,
                                                            column, W);
            }
            add(sum, term[a]);
        }
    }
    hone::write_row<hone::access::normal, LANES>(y + to * W, sum, column, W);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
scatter_add_runs(const T *__restrict__ x, const I *__restrict__ index, T *y,
                 long long n, long long W)
{
    const int group = threadIdx.x / LANES;
    const int lane = threadIdx.x % LANES;

#pragma unroll 1
    for (long long chunk = (blockIdx.x * (long long)GROUPS + group) * CHUNK;
         chunk < n; chunk += gridDim.x * (long long)GROUPS * CHUNK) {
        const long long end = chunk + CHUNK < n ? chunk + CHUNK : n;
        long long first = chunk;

        /* A run that began earlier is another group's. */
        if (chunk > 0) {
            const I before = index[chunk - 1];

            while (first < end && index[first] == before)
                first++;
        }
        if (first == end)
            continue;
#pragma unroll 1
        for (long long column = blockIdx.y * (long long)TILE + lane * VEC;
             column < W; column += gridDim.y * (long long)TILE)
            add_runs(x, index, y, first, end, column, n, W);
    }
}
