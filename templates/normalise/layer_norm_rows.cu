/* SPDX-License-Identifier: Apache-2.0 */
/* layer_norm/rows: THREADS threads take a row, a block BLOCK/THREADS of them;
 * or CLUSTER blocks take a row together.
 *
 * Between the passes over it (one or two for mean and variance, and one that
 * writes) the row is kept in registers, kept in shared memory, or read again.
 * Shared memory may be filled by bulk copies, whose rows come while others are
 * worked on. Packs lie where memory has their multiples; what a row has in
 * front of them and behind them is apart (rows.cuh). */
#include "norm_parts.cuh"
#include "layer_norm.cuh"

#pragma hone implements layer_norm/rows "a group of threads for each row, any device"

#include "rows_space.cuh"

// Mean and variance: a pass for each, which registers make cheap, or one, of
// chunks that are merged.
#pragma hone param PASSES in {merge, two} default two when KEEP != registers
#pragma hone let N_WEIGHTS = 2
#include "weights_space.cuh"

#include "rows_limits.cuh"
#pragma hone launch layer_norm grid(GRID) block(BLOCK_TAKEN) cluster(CLUSTER) shared(SHARED_TAKEN) args(x, gamma, beta, eps, y, mean, rstd, i64(rows), i64(columns), i64(pitch), i64(pitch_out), i32(KEPT_TAKEN))

template <typename K, typename P>
__device__ inline hone::moments moments_of_row(P &in, long long columns)
{
    if constexpr (PASSES == PASSES_values::merge)
        return hone::moments_merged<IN, K::block>(in);
    else
        return hone::moments_two_pass<IN, K::block>(in, columns);
}

/* Rows of a block, N at a time. */
template <typename K>
__device__ inline void
layer_norm_rows(const T *__restrict__ x, const T *__restrict__ gamma,
                const T *__restrict__ beta, float eps, T *__restrict__ y,
                float *mean, float *rstd, long long rows, long long columns,
                long long pitch, long long pitch_out, int kept_bytes,
                unsigned char *kept)
{
    using P = typename K::part;
    using weights = hone::weights<P, hone::when(WEIGHTS)>;
    using row_weights = hone::row_weights<P, hone::when(WEIGHTS)>;
    hone::block_rows<P, K::rows, BUFFERS> of(x, rows, columns, pitch, kept,
                                       kept_bytes, hone::zero<P>());
    const weights scales(gamma, of.room(0), of.row(of.first));
    const weights shifts(beta, of.room(1), of.row(of.first));

    if constexpr (WEIGHTS == WEIGHTS_values::shared)
        __syncthreads();
    for (long long at = of.first; at < rows; at += of.step) {
        P in = of.next(at);
        T *const out = y + of.number(at) * pitch_out;
        const row_weights scale_of(scales, in);
        const row_weights shift_of(shifts, in);
        const hone::moments all = moments_of_row<K>(in, columns);
        const float scale = rsqrtf(all.squares / float(columns) + eps);

        if (STATS && of.has(at) && in.lane == 0) {
            mean[of.number(at)] = all.mean;
            rstd[of.number(at)] = scale;
        }
        hone::write_weighted<IN, OUT>(
            in, out,
            [=](float v, float by, float to) {
                return (v - all.mean) * scale * by + to;
            },
            scale_of, shift_of);
    }
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS, LEAST_BLOCKS)
    layer_norm(const T *__restrict__ x, const T *__restrict__ gamma,
               const T *__restrict__ beta, float eps, T *__restrict__ y,
               float *mean, float *rstd, long long rows, long long columns,
               long long pitch, long long pitch_out, int kept_bytes)
{
    extern __shared__ __align__(16) unsigned char kept[];

    with_kind(columns, kept_bytes, [&](auto kind) {
        layer_norm_rows<decltype(kind)>(x, gamma, beta, eps, y, mean, rstd,
                                        rows, columns, pitch, pitch_out,
                                        kept_bytes, kept);
    });
}
