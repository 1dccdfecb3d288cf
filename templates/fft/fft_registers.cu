/* SPDX-License-Identifier: Apache-2.0 */
/* fft/registers: one pass over memory. n/ELEMENTS threads hold a transform in
 * registers and exchange it through shared memory or shuffles between passes
 * of radix 2 to 32 (transform.cuh has the algorithm). It is a copy in disguise:
 * what matters is how many bytes are under way, so few registers and short
 * waits.
 *
 * In a block the threads of a transform follow each other (ORDER `along`),
 * or the threads that have the same elements of neighbouring transforms do
 * (`across`): where DISTANCE is 1 an access then covers whole memory lines.
 *
 * Accuracy: errors are proportional to the 2-norm of the transform's input.
 * Their root mean square is about one unit of round-off of it, with `powers` a
 * little more: 0.7 times that of cuFFT at n = 64, half of it at n = 8192;
 * the largest of 10^8 is 6 to 10 units. */
#include "fft.cuh"
#include "hone_device.cuh"
#include "transform.cuh"

#pragma hone implements fft/registers "one pass over memory, transforms in registers, any device"

// The radix plan: logarithms of the elements of a thread and of the radix of
// each pass (0: there is no such pass).
#pragma hone let LOG_N = log2(n)
#pragma hone param LOG_E in 2..5 default 4
#pragma hone param R0 in 1..5 default 4
#pragma hone param R1 in 0..5 default 4
#pragma hone param R2 in 0..5 default 2
#pragma hone param R3 in 0..5 default 0
// Elements of one access to global memory.
#pragma hone param WIDTH in {1, 2} default 1
// Threads of a block: it takes as many transforms as fit.
#pragma hone param THREADS in pow2 64..1024 default 256
// Neighbouring threads have elements of one transform, or of as many as a
// block takes.
#pragma hone param ORDER in {along, across} default along
// Pairs of coordinates; real parts, then imaginary parts, in half the shared
// memory; or lanes of a warp among each other.
#pragma hone param EXCHANGE in {pairs, halves, shuffle} default pairs
// A padding element after so many, against bank conflicts.
#pragma hone param PAD in {0, 8, 16, 32} default 16
// Few sines and products of them; a sine for each factor; or a table.
#pragma hone param TWIDDLE in {powers, direct, table} default powers
// Mark lines as not needed again.
#pragma hone param STREAM: bool default false
// Threads of a multiprocessor that the compiler must leave registers for.
#pragma hone param RESIDENT in {0, 512, 1024, 2048} default 0

#pragma hone let PASSES = 1 + (R1 > 0) + (R2 > 0) + (R3 > 0)
#pragma hone let LAST = R3 > 0 ? R3 : R2 > 0 ? R2 : R1 > 0 ? R1 : R0
#pragma hone require R0 + R1 + R2 + R3 == LOG_N "the radices do not multiply to n"
#pragma hone require (R1 > 0 || R2 == 0) && (R2 > 0 || R3 == 0) "a pass without a radix before one with one"
#pragma hone require max(R0, R1, R2, R3) <= LOG_E "a thread does not hold the elements of a butterfly"
#pragma hone require WIDTH == 1 || max(R0, LAST) < LOG_E "a thread has no neighbouring elements in its first or last pass"
#pragma hone let MOST = min(LOG_E, 5)
#pragma hone let EDGE = LOG_E - 1
#pragma hone let NEEDED = WIDTH == 1 ? ceildiv(LOG_N, MOST) : 2 + ceildiv(max(LOG_N - 2*EDGE, 0), MOST)
#pragma hone require PASSES <= NEEDED "more passes than needed"

#pragma hone let LANES = 1 << max(LOG_N - LOG_E, 0)
#pragma hone let TOGETHER = max(THREADS/LANES, 1)
#pragma hone require LOG_E < LOG_N && (ORDER == across || LANES*WIDTH >= 4) "threads would share memory sectors"
#pragma hone require LOG_N <= 13 "as many elements take more than one block: fft/cluster, fft/two_passes"
#pragma hone require WIDTH == 1 || (ORDER == along && STRIDE == 1 && DISTANCE % 2 == 0) "neighbouring elements of a transform do not stand together"
#pragma hone require ORDER == along || DISTANCE < STRIDE "elements of a transform stand closer together than transforms"
#pragma hone require ORDER == along || TOGETHER >= 4 "threads would share memory sectors"
#pragma hone require THREADS < 1024 || ORDER == across "so many threads wait for each other"
// What never came within 3 % of the best on an H200.
#pragma hone require LOG_E > 2 || LOG_N <= 6 "too few elements a thread for so many passes"
#pragma hone require LOG_E > 3 || LOG_N <= 11 "too few elements a thread for so many passes"
#pragma hone require LOG_E < 4 || LOG_N >= 7 "too many elements a thread for so few passes"
#pragma hone require LOG_E < 5 || LOG_N >= 12 || LOG_N == 9 || LOG_N == 10 "too many elements a thread for so few passes"
#pragma hone require TWIDDLE != direct || LOG_N <= 11 "too many sines"
#pragma hone require LANES <= THREADS "a block has fewer threads than a transform"
#pragma hone require EXCHANGE != shuffle || (PASSES == 2 && R0 == LOG_E && LANES <= 32 && LOG_N <= 2*LOG_E && WIDTH == 1 && ORDER == along) "shuffles exchange the radix of all elements of a thread, once, within a warp"
#pragma hone require EXCHANGE != shuffle || PAD == 0 "shuffles need no padding"
#pragma hone require RESIDENT == 0 || (RESIDENT >= THREADS && RESIDENT <= device.threads_sm) "so many threads are not resident"
#pragma hone require RESIDENT < 2048 || LOG_E <= 3 "the elements alone take the registers"
#pragma hone require RESIDENT < 1024 || LOG_E <= 4 "the elements alone take the registers"
#pragma hone require RESIDENT != 512 || LOG_E == 5 "half as many threads leave registers enough"
#pragma hone require THREADS <= device.threads_block "the device has no blocks of so many threads"

#pragma hone let ROOM = (1 << LOG_N) + (PAD > 0 ? (1 << LOG_N)/max(PAD, 1) : 0)
#pragma hone let SHARED = EXCHANGE == shuffle ? 0 : TOGETHER*ROOM*(EXCHANGE == halves ? 4 : 8)
#pragma hone let MIN_BLOCKS = max(RESIDENT/THREADS, 1)
#pragma hone require SHARED <= device.smem_optin "shared memory is too small"
#pragma hone require MIN_BLOCKS*SHARED <= device.smem_sm "the blocks do not fit into shared memory together"

#pragma hone launch fft grid(ceildiv(batch, TOGETHER)) block(THREADS) shared(SHARED) args(x, y, i64(batch), i64(STRIDE), i64(DISTANCE))

constexpr int exchange = EXCHANGE == EXCHANGE_values::pairs    ? hone::fft::PAIRS
                         : EXCHANGE == EXCHANGE_values::halves ? hone::fft::HALVES
                                                               : hone::fft::SHUFFLE;
constexpr int source = TWIDDLE == TWIDDLE_values::powers   ? hone::fft::POWERS
                       : TWIDDLE == TWIDDLE_values::direct ? hone::fft::DIRECT
                                                           : hone::fft::TABLE;
constexpr bool is_across = ORDER == ORDER_values::across;
using plan = hone::fft::plan<LOG_N, LOG_E, R0, R1, R2, R3, WIDTH, PAD,
                             exchange, source, is_across ? TOGETHER : 1>;

/* The room of transform `which` of a block. */
static __device__ inline void *room_of(void *shared, int which)
{
    constexpr int one = exchange == hone::fft::HALVES ? 4 : 8;

    return static_cast<char *>(shared) +
           which * (is_across ? one : SHARED / TOGETHER);
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
fft(const float2 *__restrict__ x, float2 *__restrict__ y, long long batch,
    long long stride, long long distance)
{
    extern __shared__ float2 shared[];
    const int t = is_across ? threadIdx.x / TOGETHER : threadIdx.x % LANES;
    const int which = is_across ? threadIdx.x % TOGETHER : threadIdx.x / LANES;
    const long long mine = (long long)blockIdx.x * TOGETHER + which;
    /* Threads without a transform read the last one again. */
    const long long from = mine < batch ? mine : batch - 1;
    float2 v[plan::elements];

    if constexpr (WIDTH > 1)
        plan::load<STREAM>(v, t, x + from * distance);
    else
        plan::load_apart<STREAM>(v, t, x + from * distance, stride);
    if constexpr (direction == 2)
        plan::swap_parts(v);
    plan::run(v, t, room_of(shared, which), false);
    if constexpr (direction == 2)
        plan::swap_parts(v);
    if (mine >= batch)
        return;
    if constexpr (WIDTH > 1)
        plan::store<STREAM>(y + mine * distance, t, v);
    else
        plan::store_apart<STREAM>(y + mine * distance, t, v, stride);
}
