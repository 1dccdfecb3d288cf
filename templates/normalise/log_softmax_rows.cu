/* SPDX-License-Identifier: Apache-2.0 */
/* log_softmax/rows: THREADS threads take a row, a block BLOCK/THREADS of them;
 * or CLUSTER blocks take a row together.
 *
 * Between the passes over it (one for the sum beside a running maximum, or one
 * for each, and one that writes) the row is kept in registers, kept in shared
 * memory, or read again. Shared memory may be filled by bulk copies, whose
 * rows come while others are worked on. Packs lie where memory has their
 * multiples; what a row has in front of them and behind them is apart
 * (rows.cuh). */
#include "softmax_parts.cuh"
#include "log_softmax.cuh"

#pragma hone implements log_softmax/rows "a group of threads for each row, any device"

#include "rows_space.cuh"

#pragma hone param PASSES in {online, two} default online

// Numbers below 2^-126 may count as 0: the largest exponential is 1, and errors
// are measured by 1 and more.
#pragma hone option ftz(true)
#pragma hone let WEIGHT_BYTES = 0
#pragma hone let HELD_ARRAYS = 1
#pragma hone let ALIKE = 1

#include "rows_limits.cuh"
#pragma hone let TWICE = PASSES == two
#include "rows_cost.cuh"
#pragma hone launch log_softmax grid(GRID) block(BLOCK_TAKEN) cluster(CLUSTER) shared(SHARED_TAKEN) args(x, y, i64(rows), i64(columns), i64(pitch), i64(pitch_out), i32(KEPT_TAKEN))

template <typename K, typename P>
__device__ inline hone::softmax_sum sum_of_row(P &in)
{
    if constexpr (PASSES == PASSES_values::online)
        return hone::softmax_online<IN, K::block>(in);
    else
        return hone::softmax_two_pass<false, IN, K::block>(in);
}

/* Rows of a block, N at a time. */
template <typename K>
__device__ inline void
log_softmax_rows(const T *__restrict__ x, T *__restrict__ y, long long rows,
                 long long columns, long long pitch, long long pitch_out,
                 int kept_bytes, unsigned char *kept)
{
    using P = typename K::part;
    hone::block_rows<P, K::rows, BUFFERS> of(x, rows, columns, pitch, kept,
                                       kept_bytes, hone::least<P>());

    for (long long at = of.first; at < rows; at += of.step) {
        P in = of.next(at);
        T *const out = y + of.number(at) * pitch_out;
        const hone::softmax_sum all = sum_of_row<K>(in);
        const float log_sum = logf(all.sum);

        hone::write_row<IN, OUT>(
            in, out, [=](float v) { return v - all.largest - log_sum; });
    }
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS, LEAST_BLOCKS)
    log_softmax(const T *__restrict__ x, T *__restrict__ y, long long rows,
                long long columns, long long pitch, long long pitch_out,
                int kept_bytes)
{
    extern __shared__ __align__(16) unsigned char kept[];

    with_kind(columns, kept_bytes, [&](auto kind) {
        log_softmax_rows<decltype(kind)>(x, y, rows, columns, pitch, pitch_out,
                                         kept_bytes, kept);
    });
}
