/* SPDX-License-Identifier: Apache-2.0 */
/* fft2d/strips: rows from x into y, then the columns of y in place, in strips
 * whose rows are whole sectors or lines of memory. Of some images at a time,
 * so that they are still in the level 2 cache when their columns are read.
 *
 * A strip is in registers, whole, before any of it is written: nothing but
 * its own block reads it. */
#include "fft2d.cuh"
#include "hone_device.cuh"
#include "four_step.cuh"

#pragma hone implements fft2d/strips "rows, then strips of columns in place, any device"

#pragma hone let LOG_ROWS = log2(rows)
#pragma hone let LOG_COLUMNS = log2(columns)
// Elements of a thread, as logarithm: of a row, and of a column.
#pragma hone param ROW_E in 3..4 default 4
#pragma hone param COLUMN_E in 3..5 default 4
// Threads of a block that does rows.
#pragma hone param THREADS in pow2 64..512 default 256
// Columns of a strip (0: as many as take 36 KB of shared memory, up to 32).
#pragma hone param STRIP in {0, 2, 4, 8, 16, 32} default 0
// In a long strip, pairs of coordinates; or real parts, then imaginary parts,
// in half the shared memory.
#pragma hone param EXCHANGE in {pairs, halves} default halves when rows > 1024
#pragma hone param TWIDDLE in {powers, table} default powers
// Elements of the images between two launches, in millions (0: all).
#pragma hone param CHUNK in {0, 2, 4} default 0
// Threads of a multiprocessor that the compiler must leave registers for.
#pragma hone param RESIDENT in {512, 1024} default 1024

#pragma hone let ROW_LANES = 1 << (LOG_COLUMNS - ROW_E)
#pragma hone let TOGETHER = max(THREADS/ROW_LANES, 1)
#pragma hone require ROW_LANES <= THREADS "a block has fewer threads than a row"
#pragma hone let COLUMN_LANES = 1 << (LOG_ROWS - COLUMN_E)
#pragma hone let IN_HALVES = rows > 1024 && EXCHANGE == halves
#pragma hone let USUAL = min((rows > 1024 ? 8192 : 4096)/rows, 32)
#pragma hone require STRIP != USUAL "that is as many as without a number"
#pragma hone let WIDE = STRIP > 0 ? STRIP : USUAL
#pragma hone require WIDE >= 4 || rows > 1024 "blocks would share memory sectors"
#pragma hone let STRIP_THREADS = WIDE*COLUMN_LANES
#pragma hone require STRIP_THREADS <= min(1024, device.threads_block) "the device has no blocks of so many threads"
#pragma hone require STRIP_THREADS >= 64 "a strip has too few threads"
#pragma hone require COLUMN_E < 5 || RESIDENT == 512 "the elements alone take the registers"
#pragma hone let ROW_ROOM = columns + columns/16
#pragma hone let ROW_SHARED = 8*TOGETHER*ROW_ROOM
#pragma hone let PADDED = WIDE < (IN_HALVES ? 32 : 16)
#pragma hone let STRIP_SHARED = (IN_HALVES ? 4 : 8)*WIDE*(rows + (PADDED ? rows/16 : 0))
#pragma hone require max(ROW_SHARED, STRIP_SHARED) <= device.smem_optin "shared memory is too small"
#pragma hone let ROW_BLOCKS = max(min(RESIDENT/THREADS, 227K/(ROW_SHARED + 1K)), 1)
#pragma hone let STRIP_BLOCKS = max(min(RESIDENT/STRIP_THREADS, 227K/(STRIP_SHARED + 1K)), 1)

#pragma hone let IMAGES = CHUNK == 0 ? batch : min(batch, max(CHUNK*1M/(rows*columns), 1))
#pragma hone require CHUNK == 0 || IMAGES < batch "that is all"
#pragma hone require CHUNK == 0 || CHUNK*1M >= rows*columns "an image is larger"
#pragma hone launch fft2d_rows repeat(PART, ceildiv(batch, IMAGES)) grid(ceildiv(min(IMAGES, batch - PART*IMAGES)*rows, TOGETHER)) block(THREADS) shared(ROW_SHARED) args(x, y, i64(PART*IMAGES), i64(min(IMAGES, batch - PART*IMAGES))) early
#pragma hone launch fft2d_columns repeat(PART) grid(min(IMAGES, batch - PART*IMAGES)*(columns/WIDE)) block(STRIP_THREADS) shared(STRIP_SHARED) args(y, i64(PART*IMAGES)) early

constexpr int source = TWIDDLE == TWIDDLE_values::powers ? hone::fft::POWERS
                                                         : hone::fft::TABLE;
using row = hone::fft::plan<LOG_COLUMNS, ROW_E,
                            hone::fft::even_radix<LOG_COLUMNS, ROW_E, 0>(),
                            hone::fft::even_radix<LOG_COLUMNS, ROW_E, 1>(),
                            hone::fft::even_radix<LOG_COLUMNS, ROW_E, 2>(),
                            hone::fft::even_radix<LOG_COLUMNS, ROW_E, 3>(), 1,
                            16, hone::fft::PAIRS, source>;
constexpr int exchange = IN_HALVES ? hone::fft::HALVES : hone::fft::PAIRS;
using column = hone::fft::strip<LOG_ROWS, COLUMN_E, source, WIDE, exchange>;
/* What comes and goes once makes way for what is read again. */
constexpr bool stays = CHUNK > 0;
constexpr long long image = (long long)rows * columns;

/* No pointer is __restrict__: nothing may be read before the launch in front
 * has ended. */
extern "C" __global__ void __launch_bounds__(THREADS, ROW_BLOCKS)
fft2d_rows(const float2 *x, float2 *y,
           long long first, long long count)
{
    extern __shared__ float2 shared[];
    const int t = threadIdx.x % ROW_LANES;
    const int which = threadIdx.x / ROW_LANES;
    const long long mine = (long long)blockIdx.x * TOGETHER + which;
    /* Threads without a row read the last one again. */
    const long long from = mine < count * rows ? mine : count * rows - 1;
    float2 v[row::elements];

    hone::wait_for_previous();
    row::load<stays>(v, t, x + first * image + from * columns);
    hone::start_next();
    if constexpr (direction == 2)
        row::swap_parts(v);
    row::run(v, t, shared + which * ROW_ROOM, false);
    if constexpr (direction == 2)
        row::swap_parts(v);
    if (mine < count * rows)
        row::store<false>(y + first * image + mine * columns, t, v);
}

extern "C" __global__ void __launch_bounds__(STRIP_THREADS, STRIP_BLOCKS)
fft2d_columns(float2 *y, long long first)
{
    extern __shared__ float2 shared[];
    constexpr int strips = columns / WIDE;
    const int which = threadIdx.x % WIDE;
    const int t = threadIdx.x / WIDE;
    const long long mine = first + blockIdx.x / strips;
    float2 *const at =
        y + mine * image + (blockIdx.x % strips) * WIDE + which;
    float2 v[column::elements];

    hone::wait_for_previous();
    column::load_apart<false, columns>(v, t, at, 1);
    hone::start_next();
    if constexpr (direction == 2)
        column::swap_parts(v);
    if constexpr (exchange == hone::fft::PAIRS)
        column::run(v, t, shared + which, false);
    else
        column::run(v, t, reinterpret_cast<float *>(shared) + which, false);
    if constexpr (direction == 2)
        column::swap_parts(v);
    column::store_apart<stays, columns>(at, t, v, 1);
}
