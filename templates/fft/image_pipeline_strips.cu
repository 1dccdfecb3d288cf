/* SPDX-License-Identifier: Apache-2.0 */
/* image_pipeline/strips: three launches. Rows are thresholded while they are
 * read, and transformed as real numbers (real.cuh); a block has a strip of
 * columns in registers, transforms it, drops what the low-pass drops and the
 * mean, adds up the squares of what is left, and transforms it back; then rows
 * back, times 1/sqrt(variance + eps), where every block adds up the sums of the
 * strips of its image (hazards: none; in the same order in every run).
 *
 * The spectrum lies in y. A row of it, columns/2 complex numbers at most as the
 * contract says, takes the place of the row of pixels it becomes; only columns
 * that the low-pass keeps, up to whole strips, are ever written. Of some images
 * at a time, so that they are still in the level 2 cache.
 *
 * Accuracy: see the contract. Squares are added in f32: in a thread, in a tree
 * over its block, and in trees over the strips. */
#include "image_pipeline.cuh"
#include "hone_device.cuh"
#include "hone_reduce.cuh"
#include "four_step.cuh"
#include "real.cuh"

#pragma hone implements image_pipeline/strips "rows, strips of columns there and back, rows, all in place; any device"

#pragma hone let LOG_ROWS = log2(rows)
#pragma hone let LOG_PAIRS = log2(columns) - 1
// Elements of a thread, as logarithm: pairs of pixels of a row; a column.
#pragma hone param ROW_E in 3..5 default 4
#pragma hone param COLUMN_E in 3..5 default 4
// Threads of a block that does rows.
#pragma hone param THREADS in pow2 64..512 default 256
// Columns of a strip (0: as many as take 36 KB of shared memory, up to 32).
#pragma hone param STRIP in {0, 2, 4, 8, 16, 32} default 0
// In a long strip, pairs of coordinates; or real parts, then imaginary parts,
// in half the shared memory.
#pragma hone param EXCHANGE in {pairs, halves} default halves when rows > 1024
#pragma hone param TWIDDLE in {powers, table} default powers
// Keep the factors of the way there for the way back, or compute them twice.
#pragma hone param KEEP: bool default true
// Pixels of the images between two launches, in millions (0: all).
#pragma hone param CHUNK in {0, 4, 8, 16} default 0
// Threads of a multiprocessor that the compiler must leave registers for.
#pragma hone param RESIDENT in {512, 768, 1024} default 768

#pragma hone let ROW_LANES = 1 << (LOG_PAIRS - ROW_E)
#pragma hone let TOGETHER = min(max(THREADS/ROW_LANES, 1), rows)
#pragma hone let ROW_THREADS = TOGETHER*ROW_LANES
#pragma hone require ROW_LANES <= THREADS "a block has fewer threads than a row"
#pragma hone require ROW_THREADS >= THREADS/2 || THREADS == 64 "an image has no rows for so many threads"
#pragma hone require ROW_E < 5 || LOG_PAIRS == 9 || LOG_PAIRS == 10 "so many elements save no pass"
#pragma hone let COLUMN_LANES = 1 << (LOG_ROWS - COLUMN_E)
#pragma hone let IN_HALVES = rows > 1024 && EXCHANGE == halves
#pragma hone let USUAL = min((rows > 1024 ? 8192 : 4096)/rows, 32)
#pragma hone require STRIP != USUAL "that is as many as without a number"
#pragma hone let WIDE = STRIP > 0 ? STRIP : USUAL
#pragma hone require WIDE >= 4 || rows > 1024 "blocks would share memory sectors"
#pragma hone let STRIP_THREADS = WIDE*COLUMN_LANES
#pragma hone require STRIP_THREADS <= min(1024, device.threads_block) "the device has no blocks of so many threads"
#pragma hone require STRIP_THREADS >= 64 "a strip has too few threads"
#pragma hone require max(ROW_E, COLUMN_E) < 5 || RESIDENT == 512 "the elements alone take the registers"
#pragma hone let ROW_ROOM = columns/2 + columns/32
#pragma hone let ROW_SHARED = 8*TOGETHER*ROW_ROOM
#pragma hone let PADDED = WIDE < (IN_HALVES ? 32 : 16)
#pragma hone let STRIP_SHARED = (IN_HALVES ? 4 : 8)*WIDE*(rows + (PADDED ? rows/16 : 0))
#pragma hone require max(ROW_SHARED, STRIP_SHARED) + 128 <= device.smem_optin "shared memory is too small"
#pragma hone let ROW_BLOCKS = max(min(RESIDENT/ROW_THREADS, 227K/(ROW_SHARED + 2K)), 1)
#pragma hone let STRIP_BLOCKS = max(min(RESIDENT/STRIP_THREADS, 227K/(STRIP_SHARED + 2K)), 1)

// Columns that are kept, from 0, and their strips.
#pragma hone let KEPT = ceildiv(cutoff*columns, LONGER)
#pragma hone let STRIPS = ceildiv(KEPT, WIDE)
#pragma hone require STRIP == 0 || WIDE <= max(USUAL, 2*KEPT) "most of a strip would be dropped"

#pragma hone let IMAGES = CHUNK == 0 ? max(batch, 1) : max(min(batch, CHUNK*1M/(rows*columns)), 1)
#pragma hone require CHUNK == 0 || IMAGES < batch "that is all"
#pragma hone require CHUNK == 0 || CHUNK*1M >= rows*columns "an image is larger"
#pragma hone workspace squares: f32[IMAGES*STRIPS]
#pragma hone launch pipeline_rows repeat(PART, ceildiv(batch, IMAGES)) grid(min(IMAGES, batch - PART*IMAGES)*(rows/TOGETHER)) block(ROW_THREADS) shared(ROW_SHARED) args(x, threshold, y, i64(PART*IMAGES), i32(STRIPS*WIDE)) early
#pragma hone launch pipeline_columns repeat(PART) grid(min(IMAGES, batch - PART*IMAGES)*STRIPS) block(STRIP_THREADS) shared(STRIP_SHARED) args(y, squares, i64(PART*IMAGES), i32(STRIPS), i32(cutoff)) early
#pragma hone launch pipeline_rows_back repeat(PART) grid(min(IMAGES, batch - PART*IMAGES)*(rows/TOGETHER)) block(ROW_THREADS) shared(ROW_SHARED) args(squares, eps, y, i64(PART*IMAGES), i32(STRIPS), i32(STRIPS*WIDE)) early

constexpr int source = TWIDDLE == TWIDDLE_values::powers ? hone::fft::POWERS
                                                         : hone::fft::TABLE;
using row = hone::fft::plan<LOG_PAIRS, ROW_E,
                            hone::fft::even_radix<LOG_PAIRS, ROW_E, 0>(),
                            hone::fft::even_radix<LOG_PAIRS, ROW_E, 1>(),
                            hone::fft::even_radix<LOG_PAIRS, ROW_E, 2>(),
                            hone::fft::even_radix<LOG_PAIRS, ROW_E, 3>(), 1, 16,
                            hone::fft::PAIRS, source>;
using real = hone::fft::real<row>;
constexpr int exchange = IN_HALVES ? hone::fft::HALVES : hone::fft::PAIRS;
using column = hone::fft::strip<LOG_ROWS, COLUMN_E, source, WIDE, exchange>;
/* What comes and goes once makes way for what is read again. */
constexpr bool stays = CHUNK > 0;
/* Complex numbers, or pairs of pixels, of a row and of an image. */
constexpr int pairs = columns / 2;
constexpr long long image = (long long)rows * pairs;
constexpr int longer = rows > columns ? rows : columns;

/* No pointer is __restrict__: nothing may be read before the launch in front
 * has ended. */
extern "C" __global__ void __launch_bounds__(ROW_THREADS, ROW_BLOCKS)
pipeline_rows(const float2 *x, float threshold, float2 *y, long long first,
              int stored)
{
    extern __shared__ float2 shared[];
    const int t = threadIdx.x % ROW_LANES;
    const int which = threadIdx.x / ROW_LANES;
    const long long at =
        first * image + ((long long)blockIdx.x * TOGETHER + which) * pairs;
    float2 v[row::elements], last;

    hone::wait_for_previous();
    row::load<stays>(v, t, x + at);
    hone::start_next();
#pragma unroll
    for (int i = 0; i < row::elements; i++)
        v[i] = make_float2(v[i].x < threshold ? 0.0f : v[i].x,
                           v[i].y < threshold ? 0.0f : v[i].y);
    row::run(v, t, shared + which * ROW_ROOM, false);
    real::split(v, t, shared + which * ROW_ROOM, last);
#pragma unroll
    for (int i = 0; i < row::elements; i++) {
        if (t + i * row::threads < stored)
            y[at + t + i * row::threads] = v[i];
    }
}

/* What thread t has of column v: kept and divided by the number of pixels, or
 * 0. The sum of the squares of what is kept. */
static __device__ inline float low_pass(float2 (&a)[column::elements], int t,
                                        int v, int cutoff)
{
    constexpr float scale = 1.0f / ((float)rows * columns);
    constexpr int down = longer / rows, across = longer / columns;
    /* How much is left of the circle's radius, squared. */
    const int radius = cutoff * cutoff - v * across * v * across;
    float sum = 0.0f;

#pragma unroll
    for (int i = 0; i < column::elements; i++) {
        const int k = t + i * column::threads;
        const int u = (i < column::elements / 2 ? k : rows - k) * down;
        const bool is_kept = u * u < radius && (i > 0 || k + v > 0);

        a[i] = make_float2(is_kept ? a[i].x * scale : 0.0f,
                           is_kept ? a[i].y * scale : 0.0f);
        sum += a[i].x * a[i].x + a[i].y * a[i].y;
    }
    /* The other half of the spectrum has the same once more. */
    return v > 0 ? 2.0f * sum : sum;
}

static __device__ inline void run_column(float2 (&a)[column::elements], int t,
                                         void *shared, int which, bool again)
{
    if constexpr (exchange == hone::fft::PAIRS)
        column::run(a, t, static_cast<float2 *>(shared) + which, again);
    else
        column::run(a, t, static_cast<float *>(shared) + which, again);
}

extern "C" __global__ void __launch_bounds__(STRIP_THREADS, STRIP_BLOCKS)
pipeline_columns(float2 *y, float *squares, long long first, int strips,
                 int cutoff)
{
    extern __shared__ float2 shared[];
    const int which = threadIdx.x % WIDE;
    const int t = threadIdx.x / WIDE;
    const int v = blockIdx.x % strips * WIDE + which;
    float2 *const at = y + (first + blockIdx.x / strips) * image + v;
    float2 a[column::elements];
    float sum = 0.0f;

    hone::wait_for_previous();
    column::load_apart<false, pairs>(a, t, at, 1);
    hone::start_next();
    if constexpr (KEEP) {
        run_column(a, t, shared, which, false);
        sum = low_pass(a, t, v, cutoff);
        column::swap_parts(a);
        run_column(a, t, shared, which, true);
        column::swap_parts(a);
    } else {
#pragma unroll 1
        for (int way = 0; way < 2; way++) {
            const int me = hone::afresh(t);

            run_column(a, me, shared, which, true);
            if (way == 0)
                sum = low_pass(a, me, v, cutoff);
            column::swap_parts(a);
        }
    }
    column::store_apart<false, pairs>(at, t, a, 1);
    sum = hone::block_reduce<STRIP_THREADS>(sum, hone::op_sum{});
    if (threadIdx.x == 0)
        squares[blockIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(ROW_THREADS, ROW_BLOCKS)
pipeline_rows_back(const float *squares, float eps, float2 *y, long long first,
                   int strips, int stored)
{
    extern __shared__ float2 shared[];
    const int t = threadIdx.x % ROW_LANES;
    const int which = threadIdx.x / ROW_LANES;
    const unsigned mine = blockIdx.x / (rows / TOGETHER);
    float2 *const at =
        y + first * image + ((long long)blockIdx.x * TOGETHER + which) * pairs;
    float2 v[row::elements];
    float variance = 0.0f;

    hone::wait_for_previous();
    real::join_read(v, t, [=](int k, bool) {
        return k < stored ? at[k] : make_float2(0.0f, 0.0f);
    });
    for (int i = threadIdx.x; i < strips; i += ROW_THREADS)
        variance += squares[(long long)mine * strips + i];
    hone::start_next();
    variance = hone::group_reduce<ROW_THREADS, ROW_THREADS>(variance,
                                                            hone::op_sum{});
    const float scale = 1.0f / sqrtf(variance + eps);

    row::swap_parts(v);
    row::run(v, t, shared + which * ROW_ROOM, false);
    row::swap_parts(v);
#pragma unroll
    for (int i = 0; i < row::elements; i++)
        v[i] = make_float2(v[i].x * scale, v[i].y * scale);
    row::store<stays>(at, t, v);
}
