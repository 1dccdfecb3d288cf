/* SPDX-License-Identifier: Apache-2.0 */
/* fft/two_passes: transforms that are too long for a block by the four-step
 * algorithm (four_step.cuh) in two launches: columns into a workspace, rows
 * out of it. Of some transforms at a time, so that what lies between the two
 * stays in the level 2 cache.
 *
 * The workspace has elements of ROWS neighbouring rows side by side, one
 * column after the other: what a block of the second launch reads stands
 * together, and a block of the first one writes whole sectors.
 *
 * Accuracy: as fft/registers, and two roundings more. */
#include "fft.cuh"
#include "hone_device.cuh"
#include "four_step.cuh"

#pragma hone implements fft/two_passes "columns, then rows, through a workspace; long transforms, any device"

#pragma hone let LOG_N = log2(n)
#pragma hone let LOG_N1 = (LOG_N + 1)/2
#pragma hone let LOG_N2 = LOG_N/2
#pragma hone require LOG_N > 12 || (LOG_N > 9 && STRIDE > 1) "as few elements take one pass: fft/registers"
// Elements of a thread, as logarithm.
#pragma hone param LOG_E in 3..4 default 4
// Columns, and then rows, of a block.
#pragma hone param COLUMNS in pow2 4..32 default 16
#pragma hone param ROWS in pow2 4..32 default 16
#pragma hone param TWIDDLE in {powers, table} default powers
// Elements of the transforms between two launches, in millions (0: all).
#pragma hone param CHUNK in {0, 2, 4} default 2
// Threads of a multiprocessor that the compiler must leave registers for.
#pragma hone param RESIDENT in {0, 1024} default 1024

#pragma hone let LANES1 = 1 << (LOG_N1 - LOG_E)
#pragma hone let LANES2 = 1 << (LOG_N2 - LOG_E)
#pragma hone let THREADS1 = COLUMNS*LANES1
#pragma hone let THREADS2 = ROWS*LANES2
#pragma hone require max(THREADS1, THREADS2) <= min(1024, device.threads_block) "so many columns or rows have too many threads"
#pragma hone require min(THREADS1, THREADS2) >= 32 "so few columns or rows have too few threads"
#pragma hone let PER_COLUMN = (1 << LOG_N1) + (COLUMNS < 16 ? (1 << LOG_N1)/16 : 0)
#pragma hone let PER_ROW = (1 << LOG_N2) + (ROWS < 16 ? (1 << LOG_N2)/16 : 0)
#pragma hone let SHARED1 = 8*COLUMNS*PER_COLUMN
#pragma hone let SHARED2 = 8*ROWS*PER_ROW
#pragma hone require max(SHARED1, SHARED2) <= device.smem_optin "shared memory is too small"
#pragma hone let MIN_BLOCKS1 = max(RESIDENT/THREADS1, 1)
#pragma hone let MIN_BLOCKS2 = max(RESIDENT/THREADS2, 1)
#pragma hone require MIN_BLOCKS1*(SHARED1 + 1K) <= device.smem_sm && MIN_BLOCKS2*(SHARED2 + 1K) <= device.smem_sm "the blocks do not fit into shared memory together"
#pragma hone require RESIDENT <= device.threads_sm "so many threads are not resident"

#pragma hone let AT_A_TIME = CHUNK == 0 ? batch : min(batch, CHUNK*1M/n)
#pragma hone require CHUNK == 0 || CHUNK == 2 || AT_A_TIME < batch "that is all"
#pragma hone workspace between: c32[AT_A_TIME*n]
#pragma hone launch fft_columns repeat(PART, ceildiv(batch, AT_A_TIME)) grid(min(AT_A_TIME, batch - PART*AT_A_TIME)*((1 << LOG_N2)/COLUMNS)) block(THREADS1) shared(SHARED1) args(x, between, i64(PART*AT_A_TIME), i64(STRIDE), i64(DISTANCE)) early
#pragma hone launch fft_rows repeat(PART) grid(min(AT_A_TIME, batch - PART*AT_A_TIME)*((1 << LOG_N1)/ROWS)) block(THREADS2) shared(SHARED2) args(between, y, i64(PART*AT_A_TIME), i64(STRIDE), i64(DISTANCE)) early

constexpr int source = TWIDDLE == TWIDDLE_values::powers ? hone::fft::POWERS
                                                         : hone::fft::TABLE;
using column = hone::fft::strip<LOG_N1, LOG_E, source, COLUMNS>;
using row = hone::fft::strip<LOG_N2, LOG_E, source, ROWS>;
constexpr int of_rows = ROWS * row::n; /* elements of as many rows */
/* What comes and goes once makes way for what is read again. */
constexpr bool stays = CHUNK > 0;

/* Where element k of column 0 stands in the workspace. Additive, as
 * plan::padded(). */
static constexpr __device__ int place(int k)
{
    return k / ROWS * of_rows + k % ROWS;
}

/* No pointer is __restrict__: nothing may be read before the launch in front
 * has ended. */
extern "C" __global__ void __launch_bounds__(THREADS1, MIN_BLOCKS1)
fft_columns(const float2 *x, float2 *between,
            long long first, long long stride, long long distance)
{
    extern __shared__ float2 shared[];
    constexpr int strips = row::n / COLUMNS;
    const int which = threadIdx.x % COLUMNS;
    const int t = threadIdx.x / COLUMNS;
    const int j = (int)(blockIdx.x % strips) * COLUMNS + which;
    const long long mine = blockIdx.x / strips;
    float2 v[column::elements];

    hone::wait_for_previous();
    column::load_apart<stays, row::n>(
        v, t, x + (first + mine) * distance + j * stride, stride);
    hone::start_next();
    if constexpr (direction == 2)
        column::swap_parts(v);
    column::run(v, t, shared + which, false);
    hone::fft::turn_column<column, row::n>(v, t, j);

    float2 *const to = between + mine * n + j * ROWS + place(t);

#pragma unroll
    for (int i = 0; i < column::elements; i++)
        to[place(i * column::threads)] = v[i];
}

extern "C" __global__ void __launch_bounds__(THREADS2, MIN_BLOCKS2)
fft_rows(const float2 *between, float2 *y,
         long long first, long long stride, long long distance)
{
    extern __shared__ float2 shared[];
    constexpr int strips = column::n / ROWS;
    const int which = threadIdx.x % ROWS;
    const int t = threadIdx.x / ROWS;
    const long long mine = blockIdx.x / strips;
    const int k = (int)(blockIdx.x % strips) * ROWS + which;
    float2 v[row::elements];

    hone::wait_for_previous();
    row::load_apart<false, ROWS>(
        v, t, between + (long long)blockIdx.x * of_rows + which, 1);
    hone::start_next();
    row::run(v, t, shared + which, false);
    if constexpr (direction == 2)
        row::swap_parts(v);
    row::store_apart<stays, column::n>(
        y + (first + mine) * distance + k * stride, t, v, stride);
}
