/* SPDX-License-Identifier: Apache-2.0 */
/* conv1d: y[i] = sum over k < taps of h[k] * x[i - k], f32, for i from 0 to
 * n - 1; samples in front of the signal are 0. A causal FIR filter of any
 * length; without taps y is 0.
 *
 * Bound by memory up to some 60 taps (8 bytes for each output), by the
 * multiply-adds of the multiprocessor above. So what counts is how few other
 * instructions stand between these, and that is decided by OUTPUTS, the
 * neighbouring outputs that a thread computes. It keeps two groups of OUTPUTS
 * samples in registers: the tap k of output r needs sample r - k, in the
 * newer group as long as r >= k. After OUTPUTS taps the newer group has been
 * used up, element by element from its end, and the group in front of the
 * older one has been loaded in its place. Nothing moves: the two swap their
 * roles, and the loop, UNROLL taps long, holds an even number of such rounds.
 * The loads of a round are so issued a round ahead.
 *
 * SIGNAL shared: a block first copies its samples, and TAP_TILE - 1 in front
 * of them, to shared memory. Groups are PITCH floats apart there, an odd
 * multiple of 16 bytes, so that the eight threads that are served together
 * meet different banks. Longer filters are taken tile by tile. SIGNAL global:
 * straight from memory, through the level 1 cache. OUTPUTS 1 with SIGNAL and
 * FILTER global is the straightforward kernel, for comparison.
 *
 * FILTER: all threads of a warp need the same tap at the same time, which
 * shared memory and the caches answer with one broadcast for four taps,
 * constant memory tap by tap. Constant holds 16384 taps, and what is at `h`
 * is copied there when a run gets another pointer than the one before it: who
 * changes taps in place says so (hone_plan_refresh).
 *
 * x, h and y must start at multiples of 16 bytes (any cudaMalloc result does)
 * and y must not overlap the others. Each output is one chain of multiply-
 * adds from k = 0 upwards in every variant: all variants give the same bits.
 * The error is at most taps * 2^-24 * sum |h[k]*x[i-k]|. An infinite tap
 * makes NaN of the zeros in front of the signal: nothing is left out there.
 *
 * Source: the definition; several results of a thread share what they read. */
#include "hone_device.cuh"

#pragma hone op conv1d(n, taps from 0) "y[i] = sum of h[k]*x[i-k], k < taps, with zeros in front; f32"
#pragma hone arg x: in f32[n], h: in f32[taps], y: out f32[n]

// Outputs of a thread; taps in the body of its loop.
#pragma hone param OUTPUTS in {1, 2, 4, 8, 12, 16, 20, 24, 32} default 16
#pragma hone param UNROLL in {4, 8, 16, 24, 32, 40, 48, 64} default 32
#pragma hone param BLOCK in {64, 128, 256, 512} default 128
#pragma hone param FILTER in {shared, global, constant} default shared
#pragma hone param SIGNAL in {shared, global} default shared
// How samples get to shared memory: one by one, by fours, or by fours without
// passing through registers.
#pragma hone param FETCH in {scalar, vector} default vector for device sm >= 80 in {async}
#pragma hone param TAP_TILE in {256, 1024, 4096} default 1024
// Staged: outputs pass through shared memory, so that a warp writes whole
// lines.
#pragma hone param STORE in {direct, staged} default staged
// Blocks the compiler must leave registers for.
#pragma hone param MIN_BLOCKS in {1, 2, 4, 8} default 1

#pragma hone let TILE = TAP_TILE/UNROLL*UNROLL
#pragma hone let PITCH = OUTPUTS % 8 == 0 ? OUTPUTS + 4 : OUTPUTS
#pragma hone let HISTORY = align((ceildiv(min(taps, TILE), OUTPUTS) + 1)*OUTPUTS, max(OUTPUTS, 4))
#pragma hone let SAMPLES = SIGNAL == shared ? (BLOCK + HISTORY/OUTPUTS)*PITCH : 0
#pragma hone let TAPS = FILTER == shared ? align(min(taps, TILE), 4) : 0
#pragma hone let SMEM = 4*max(SAMPLES + TAPS, STORE == staged ? BLOCK*PITCH : 0)

#pragma hone require UNROLL % (2*OUTPUTS) == 0 "the loop holds an even number of rounds of OUTPUTS taps"
#pragma hone require UNROLL*OUTPUTS <= 2048 "the loop does not fit the instruction cache"
#pragma hone require UNROLL <= max(taps, max(2*OUTPUTS, 4)) || n < 100000 "the loop is longer than the filter"
#pragma hone require OUTPUTS <= 8 || taps >= 2*OUTPUTS || n < 100000 "a short filter leaves most of each round unused"
#pragma hone require OUTPUTS > 1 || (BLOCK == 256 && MIN_BLOCKS == 1) "one output per thread is for comparison"
#pragma hone require STORE == direct || OUTPUTS >= 8 "few outputs are neighbours as they are"
#pragma hone require SIGNAL == shared || (FETCH == vector && OUTPUTS <= 16) "nothing is copied to shared memory"
#pragma hone require (FETCH == scalar) + (MIN_BLOCKS > 1) + (TAP_TILE != 1024) + (BLOCK == 512) + (OUTPUTS <= 2) <= 1 "what seldom helps is tried one at a time"
#pragma hone require TAP_TILE == 1024 || SIGNAL == shared || FILTER == shared "nothing is taken in tiles"
#pragma hone require TAP_TILE != 256 || taps > 256 "the filter fits one tile"
#pragma hone require TAP_TILE != 4096 || taps > 1024 "the filter fits a smaller tile"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require SMEM <= device.smem_optin "the tile does not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm "MIN_BLOCKS tiles do not fit a multiprocessor"
#pragma hone require BLOCK*MIN_BLOCKS <= device.threads_sm "a multiprocessor does not hold so many threads"
#pragma hone require MIN_BLOCKS == 1 || BLOCK*MIN_BLOCKS*(3*OUTPUTS + 24) <= device.regs_sm "MIN_BLOCKS blocks have too few registers"
#pragma hone require MIN_BLOCKS == 1 || BLOCK*MIN_BLOCKS >= 512 "so few threads have all registers anyway"
#pragma hone require taps <= 1000000000 "the number of taps must fit 31 bits"
#pragma hone require FILTER != constant || taps > 0 "there is nothing to keep in constant memory"

#pragma hone constant filter_memory: f32[taps] from h if(FILTER == constant)
#pragma hone launch conv1d grid(ceildiv(n, BLOCK*OUTPUTS)) block(BLOCK) shared(SMEM) args(x, h, y, i64(n), i32(taps), i32(TILE), i32(HISTORY))
#pragma hone work flops(2*n*taps) bytes(8*n + 4*taps)
#pragma hone shapes (8388608, 3) (8388608, 512) (1000003, 129)
#pragma hone check cpu.conv1d tolerance(taps + 1) exact(taps <= 65536 ? 8 : 1)
#pragma hone baseline memcpy

constexpr int kVec = OUTPUTS < 4 ? OUTPUTS : 4; /* of a load from a group */
constexpr int kBlockOutputs = BLOCK * OUTPUTS;
constexpr bool kStageSignal = SIGNAL == SIGNAL_values::shared;
constexpr bool kStageFilter = FILTER == FILTER_values::shared;

using vec = hone::vector<float, kVec>::type;

#if HONE_FILTER == HONE_FILTER_constant
__constant__ __align__(16) float filter_memory[16384]; /* all there is */
#endif

/* Sample `at`, 0 outside of the signal. */
template <bool INSIDE>
__device__ inline float sample(const float *x, long long at, long long n)
{
    return INSIDE || (at >= 0 && at < n) ? x[at] : 0.0f;
}

/* Samples [at, at + 4), `at` being a multiple of 4. */
template <bool INSIDE>
__device__ inline float4 four_samples(const float *x, long long at,
                                      long long n)
{
    if (INSIDE || (at >= 0 && at + 4 <= n))
        return *reinterpret_cast<const float4 *>(x + at);
    return make_float4(sample<false>(x, at, n), sample<false>(x, at + 1, n),
                       sample<false>(x, at + 2, n),
                       sample<false>(x, at + 3, n));
}

/* Copy samples [first, first + count) to groups in shared memory, zeros where
 * there are none; first and count are multiples of 4. INSIDE: all exist, and
 * loads need no questions between them. */
template <bool INSIDE>
__device__ inline void stage_signal(float *to, const float *x,
                                    long long first, int count, long long n)
{
    constexpr int WIDTH = FETCH == FETCH_values::scalar ? 1 : 4;
    constexpr int AT_ONCE = INSIDE ? 16 / WIDTH : 1;

#pragma unroll AT_ONCE
    for (int i = threadIdx.x * WIDTH; i < count; i += BLOCK * WIDTH) {
        float *at =
            to + (PITCH == OUTPUTS ? i : i / OUTPUTS * PITCH + i % OUTPUTS);

        if constexpr (FETCH == FETCH_values::scalar) {
            *at = sample<INSIDE>(x, first + i, n);
        } else if (FETCH == FETCH_values::async &&
                   (INSIDE || first + i + 4 <= n)) {
            const bool valid = INSIDE || first + i >= 0;

            hone::copy16_async(at, valid ? x + first + i : x, valid, true);
        } else {
            *reinterpret_cast<float4 *>(at) =
                four_samples<INSIDE>(x, first + i, n);
        }
    }
    if constexpr (FETCH == FETCH_values::async) {
        hone::copy_commit();
        hone::copy_wait(0);
    }
}

/* Where a thread finds its groups of samples. */
struct reader {
    const float *at; /* the newest group */
    int groups;      /* of the signal in front of it; for SIGNAL global */

    /* Part `part` of the group that lies `back` groups in front. */
    __device__ vec load(int back, int part) const
    {
        if constexpr (kStageSignal) {
            return *reinterpret_cast<const vec *>(at - back * PITCH +
                                                  part * kVec);
        } else {
            if (back > groups)
                return vec{};
            return __ldg(reinterpret_cast<const vec *>(at - back * OUTPUTS +
                                                       part * kVec));
        }
    }

    __device__ void load_group(float *group, int back) const
    {
#pragma unroll
        for (int part = 0; part < OUTPUTS / kVec; part++)
            *reinterpret_cast<vec *>(group + part * kVec) = load(back, part);
    }

    __device__ void step(int n_groups)
    {
        at -= n_groups * (kStageSignal ? PITCH : OUTPUTS);
        groups -= n_groups;
    }
};

/* acc[r] += h * (sample r - k), the samples being `newer` and `older`. */
__device__ inline void add_tap(float (&acc)[OUTPUTS], float h, int k,
                               const float *newer, const float *older)
{
#pragma unroll
    for (int r = 0; r < OUTPUTS; r++)
        acc[r] += h * (r >= k ? newer[r - k] : older[OUTPUTS + r - k]);
}

/* Add taps [0, count) of `h` for the outputs whose own samples are the newest
 * group of `from`; `newest` holds that group. */
__device__ inline void add_taps(float (&acc)[OUTPUTS], const float *h,
                                int count, reader from,
                                const float (&newest)[OUTPUTS])
{
    constexpr int ROUNDS = UNROLL / OUTPUTS;
    alignas(16) float group[2][OUTPUTS];
    int k = 0;

#pragma unroll
    for (int r = 0; r < OUTPUTS; r++)
        group[0][r] = newest[r];
    from.load_group(group[1], 1);

#pragma unroll 1
    for (; k + UNROLL <= count; k += UNROLL) {
#pragma unroll
        for (int round = 0; round < ROUNDS; round++) {
            float *newer = group[round % 2];
            float tap[4];

#pragma unroll
            for (int u = 0; u < OUTPUTS; u++) {
                const int at = round * OUTPUTS + u;

                if (at % 4 == 0)
                    *reinterpret_cast<float4 *>(tap) =
                        *reinterpret_cast<const float4 *>(h + k + at);
                add_tap(acc, tap[at % 4], u, newer, group[1 - round % 2]);
                if ((u + 1) % kVec == 0)
                    *reinterpret_cast<vec *>(newer + OUTPUTS - 1 - u) =
                        from.load(round + 2, (OUTPUTS - 1 - u) / kVec);
            }
        }
        from.step(ROUNDS);
    }

    /* Fewer than UNROLL taps are left. */
#pragma unroll 1
    for (; k < count; k += OUTPUTS) {
#pragma unroll
        for (int u = 0; u < OUTPUTS; u++) {
            if (k + u < count)
                add_tap(acc, h[k + u], u, group[0], group[1]);
        }
#pragma unroll
        for (int r = 0; r < OUTPUTS; r++)
            group[0][r] = group[1][r];
        from.load_group(group[1], 2);
        from.step(1);
    }
}

/* Write a thread's outputs, or those of them that exist. */
__device__ inline void store_own(float *y, const float (&acc)[OUTPUTS],
                                 long long first, long long n)
{
    if (first + OUTPUTS <= n) {
#pragma unroll
        for (int part = 0; part < OUTPUTS / kVec; part++)
            *reinterpret_cast<vec *>(y + first + part * kVec) =
                *reinterpret_cast<const vec *>(acc + part * kVec);
    } else {
#pragma unroll
        for (int r = 0; r < OUTPUTS; r++) {
            if (first + r < n)
                y[first + r] = acc[r];
        }
    }
}

/* Write a block's outputs by way of shared memory. */
__device__ inline void store_staged(float *y, float *shared,
                                    const float (&acc)[OUTPUTS],
                                    long long first, long long n)
{
    __syncthreads();
#pragma unroll
    for (int part = 0; part < OUTPUTS / kVec; part++)
        *reinterpret_cast<vec *>(shared + threadIdx.x * PITCH +
                                 part * kVec) =
            *reinterpret_cast<const vec *>(acc + part * kVec);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < OUTPUTS / kVec; i++) {
        const int at = (i * BLOCK + threadIdx.x) * kVec;
        const float *from = shared + at / OUTPUTS * PITCH + at % OUTPUTS;

        if (first + at + kVec <= n) {
            *reinterpret_cast<vec *>(y + first + at) =
                *reinterpret_cast<const vec *>(from);
        } else {
#pragma unroll 1
            for (int j = 0; j < kVec && first + at + j < n; j++)
                y[first + at + j] = from[j];
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
conv1d(const float *__restrict__ x, const float *__restrict__ h,
       float *__restrict__ y, long long n, int taps, int tile_taps,
       int history)
{
    extern __shared__ __align__(16) float shared[];
    const long long block_first = (long long)blockIdx.x * kBlockOutputs;
    const long long first = block_first + threadIdx.x * OUTPUTS;
    const int history_groups = history / OUTPUTS;
    float *filter =
        shared + (kStageSignal ? (BLOCK + history_groups) * PITCH : 0);
    alignas(16) float acc[OUTPUTS];

    if constexpr (!kStageSignal && !kStageFilter)
        tile_taps = taps;
#pragma unroll
    for (int r = 0; r < OUTPUTS; r++)
        acc[r] = 0.0f;

#pragma unroll 1
    for (int done = 0; done < taps; done += tile_taps) {
        const int count = min(tile_taps, taps - done);
        alignas(16) float newest[OUTPUTS];
        reader from;

        if constexpr (kStageSignal || kStageFilter) {
            if (done > 0)
                __syncthreads();
        }
        if constexpr (kStageFilter) {
#pragma unroll 4
            for (int i = threadIdx.x; i < count; i += BLOCK)
                filter[i] = h[done + i];
        }
        if constexpr (kStageSignal) {
            const long long start = block_first - done - history;
            const int n_samples = kBlockOutputs + history;

            if (start >= 0 && start + n_samples <= n)
                stage_signal<true>(shared, x, start, n_samples, n);
            else
                stage_signal<false>(shared, x, start, n_samples, n);
        }
        if constexpr (kStageSignal || kStageFilter)
            __syncthreads();

        if constexpr (kStageSignal) {
            from.at = shared + (history_groups + threadIdx.x) * PITCH;
            from.groups = 0;
            from.load_group(newest, 0);
        } else {
            const long long at = first - done;

            from.at = x + at;
            from.groups = first < n ? (int)min(at / OUTPUTS, 1LL << 30) : -1;
#pragma unroll
            for (int r = 0; r < OUTPUTS; r++)
                newest[r] = sample<false>(x, at + r, n);
        }
#if HONE_FILTER == HONE_FILTER_constant
        add_taps(acc, filter_memory + done, count, from, newest);
#else
        add_taps(acc, kStageFilter ? filter : h + done, count, from, newest);
#endif
    }

    if constexpr (STORE == STORE_values::staged)
        store_staged(y, shared, acc, block_first, n);
    else
        store_own(y, acc, first, n);
}
