/* SPDX-License-Identifier: Apache-2.0 */
/* rms_norm/rows: THREADS threads take a row, a block BLOCK/THREADS of them;
 * or CLUSTER blocks take a row together.
 *
 * Between the passes over it (one for the squares and one that writes) the row
 * is kept in registers, kept in shared memory, or read again. Shared memory
 * may be filled by bulk copies, whose rows come while others are worked on.
 * Packs lie where memory has their multiples; what a row has in front of them
 * and behind them is apart (rows.cuh). */
#include "norm_parts.cuh"
#include "rms_norm.cuh"

#pragma hone implements rms_norm/rows "a group of threads for each row, any device"

#include "rows_space.cuh"

#pragma hone let N_WEIGHTS = 1
#include "weights_space.cuh"

#include "rows_limits.cuh"
#pragma hone launch rms_norm grid(GRID) block(BLOCK_TAKEN) cluster(CLUSTER) shared(SHARED_TAKEN) args(x, gamma, eps, y, rstd, i64(rows), i64(columns), i64(pitch), i64(pitch_out), i32(KEPT_TAKEN))

/* Rows of a block, N at a time. */
template <typename K>
__device__ inline void
rms_norm_rows(const T *__restrict__ x, const T *__restrict__ gamma, float eps,
              T *__restrict__ y, float *rstd, long long rows, long long columns,
              long long pitch, long long pitch_out, int kept_bytes,
              unsigned char *kept)
{
    using P = typename K::part;
    using weights = hone::weights<P, hone::when(WEIGHTS)>;
    using row_weights = hone::row_weights<P, hone::when(WEIGHTS)>;
    hone::block_rows<P, K::rows, BUFFERS> of(x, rows, columns, pitch, kept,
                                       kept_bytes, hone::zero<P>());
    const weights scales(gamma, of.room(0), of.row(of.first));

    if constexpr (WEIGHTS == WEIGHTS_values::shared)
        __syncthreads();
    for (long long at = of.first; at < rows; at += of.step) {
        P in = of.next(at);
        T *const out = y + of.number(at) * pitch_out;
        const row_weights scale_of(scales, in);
        const float squares =
            hone::sum_of_row<true, true, P::template first<IN>, K::block>(
                in, [](float v) { return v * v; });
        const float scale = rsqrtf(squares / float(columns) + eps);

        if (STATS && of.has(at) && in.lane == 0)
            rstd[of.number(at)] = scale;
        hone::write_weighted<IN, OUT>(
            in, out, [=](float v, float by) { return v * scale * by; },
            scale_of);
    }
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS, LEAST_BLOCKS)
    rms_norm(const T *__restrict__ x, const T *__restrict__ gamma, float eps,
             T *__restrict__ y, float *rstd, long long rows, long long columns,
             long long pitch, long long pitch_out, int kept_bytes)
{
    extern __shared__ __align__(16) unsigned char kept[];

    with_kind(columns, kept_bytes, [&](auto kind) {
        rms_norm_rows<decltype(kind)>(x, gamma, eps, y, rstd, rows, columns,
                                      pitch, pitch_out, kept_bytes, kept);
    });
}
