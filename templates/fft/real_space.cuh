/* SPDX-License-Identifier: Apache-2.0 */
/* What transforms of real numbers are tuned by: the radix plan of a complex
 * transform of half the length, threads, and where factors come from. It reads
 * n. */
#pragma once

#pragma hone let LOG_N = log2(n) - 1
// The radix plan: logarithms of the complex elements of a thread and of the
// radix of each pass (0: there is no such pass).
#pragma hone param LOG_E in 2..5 default 4
#pragma hone param R0 in 1..5 default 4
#pragma hone param R1 in 0..5 default 4
#pragma hone param R2 in 0..5 default 1
#pragma hone param R3 in 0..5 default 0
// Threads of a block: it takes as many transforms as fit.
#pragma hone param THREADS in pow2 64..1024 default 256
// A padding element after so many, against bank conflicts.
#pragma hone param PAD in {0, 8, 16, 32} default 16
// Few sines and products of them; a sine for each factor; or a table.
#pragma hone param TWIDDLE in {powers, direct, table} default powers
// Mark lines as not needed again.
#pragma hone param STREAM: bool default false
// Threads of a multiprocessor that the compiler must leave registers for.
#pragma hone param RESIDENT in {0, 512, 1024, 2048} default 0

#pragma hone let PASSES = 1 + (R1 > 0) + (R2 > 0) + (R3 > 0)
#pragma hone require R0 + R1 + R2 + R3 == LOG_N "the radices do not multiply to n/2"
#pragma hone require (R1 > 0 || R2 == 0) && (R2 > 0 || R3 == 0) "a pass without a radix before one with one"
#pragma hone require max(R0, R1, R2, R3) <= LOG_E "a thread does not hold the elements of a butterfly"
#pragma hone require PASSES <= ceildiv(LOG_N, LOG_E) "more passes than needed"
#pragma hone let LANES = 1 << max(LOG_N - LOG_E, 0)
#pragma hone let TOGETHER = max(THREADS/LANES, 1)
#pragma hone require LOG_E < LOG_N && LANES >= 4 "threads would share memory sectors"
#pragma hone require LOG_E > 2 || LOG_N <= 6 "too few elements a thread for so many passes"
#pragma hone require LOG_E > 3 || LOG_N <= 11 "too few elements a thread for so many passes"
#pragma hone require LOG_E < 4 || LOG_N >= 7 "too many elements a thread for so few passes"
#pragma hone require LOG_E < 5 || LOG_N >= 12 || LOG_N == 9 || LOG_N == 10 "too many elements a thread for so few passes"
#pragma hone require TWIDDLE != direct || LOG_N <= 11 "too many sines"
#pragma hone require LANES <= THREADS "a block has fewer threads than a transform"
#pragma hone require THREADS <= max(LANES, 512) "so many threads wait for each other"
#pragma hone require RESIDENT == 0 || (RESIDENT >= THREADS && RESIDENT <= device.threads_sm) "so many threads are not resident"
#pragma hone require RESIDENT < 2048 || LOG_E <= 3 "the elements alone take the registers"
#pragma hone require RESIDENT < 1024 || LOG_E <= 4 "the elements alone take the registers"
#pragma hone require RESIDENT != 512 || LOG_E == 5 "half as many threads leave registers enough"
#pragma hone require THREADS <= device.threads_block "the device has no blocks of so many threads"

#pragma hone let ROOM = (1 << LOG_N) + (PAD > 0 ? (1 << LOG_N)/max(PAD, 1) : 0)
#pragma hone let SHARED = 8*TOGETHER*ROOM
#pragma hone let MIN_BLOCKS = max(RESIDENT/THREADS, 1)
#pragma hone require SHARED <= device.smem_optin "shared memory is too small"
#pragma hone require MIN_BLOCKS*SHARED <= device.smem_sm "the blocks do not fit into shared memory together"

constexpr int source = TWIDDLE == TWIDDLE_values::powers   ? hone::fft::POWERS
                       : TWIDDLE == TWIDDLE_values::direct ? hone::fft::DIRECT
                                                           : hone::fft::TABLE;
using plan = hone::fft::plan<LOG_N, LOG_E, R0, R1, R2, R3, 1, PAD,
                             hone::fft::PAIRS, source>;
using real = hone::fft::real<plan>;
constexpr int pairs = plan::n;
