/* SPDX-License-Identifier: Apache-2.0 */
/* Copies matrices of 16-bit elements whose rows do not start at multiples of
 * 16 bytes to rows that do. It reads whole 16 bytes and shifts them into place:
 * gemm_sm90_staging.cuh does the same on the way to C. No name of a template
 * parameter: see hone_device.cuh. */
#ifndef GEMM_SM90_PACK_CUH
#define GEMM_SM90_PACK_CUH

namespace hone {
namespace gemm {

/* Of the sixteen 16-bit numbers in `low` and `high` the eight from number
 * `first` on, 0 to MOST. */
template <int MOST = 8>
__device__ __forceinline__ uint4 shifted(const uint4 &low, const uint4 &high,
                                         int first)
{
    unsigned w[8] = {low.x,  low.y,  low.z,  low.w,
                     high.x, high.y, high.z, high.w};

    if constexpr (MOST == 8) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            w[i] = first & 8 ? w[i + 4] : w[i];
    }
#pragma unroll
    for (int i = 0; i < 6; i++)
        w[i] = first & 4 ? w[i + 2] : w[i];
#pragma unroll
    for (int i = 0; i < 5; i++)
        w[i] = first & 2 ? w[i + 1] : w[i];
#pragma unroll
    for (int i = 0; i < 4; i++)
        w[i] = __funnelshift_r(w[i], w[i + 1], first & 1 ? 16 : 0);
    return make_uint4(w[0], w[1], w[2], w[3]);
}

/* Matrices of rows x cols elements of 16 bits, rows `pitch` elements apart and
 * matrices `step`, which begin at a multiple of 16 bytes. What they are copied
 * to has rows of `groups_to` groups of eight, one behind the other, without
 * gaps between matrices. */
struct loose_matrices {
    const unsigned short *from;
    uint4 *to;
    int rows, cols, batches, groups_to;
    long long pitch, step;

    __device__ int groups() const { return (cols + 7) / 8; }
    __device__ unsigned lines() const { return (unsigned)rows * batches; }
    __device__ long long end() const
    {
        return (batches - 1) * step + (rows - 1) * pitch + cols;
    }
    /* A warp takes a unit at a time: 32 groups of a row, or where a row has no
     * more than 16, several rows of 1 << this many lanes each. */
    __device__ int lanes() const
    {
        return groups() > 16 ? 5 : 32 - __clz(groups() - 1);
    }
    __device__ unsigned units() const
    {
        const unsigned together = 32u >> lanes(); /* rows */

        return together > 1 ? (lines() + together - 1) / together
                            : lines() * ((unsigned)(groups() + 31) / 32);
    }
};

/* Eight elements somewhere in the 32 bytes around them. */
struct loose_group {
    uint4 low, high;
    long long first; /* element */
    long long to;    /* group */
    int count;       /* of this row; 0: nothing is copied */

    __device__ void load(const loose_matrices &m, unsigned unit, int lane)
    {
        const int lanes = m.lanes();
        unsigned line, group;

        if (lanes < 5) {
            line = (unit << (5 - lanes)) + (lane >> lanes);
            group = lane & ((1 << lanes) - 1);
        } else {
            const unsigned of_row = (unsigned)(m.groups() + 31) / 32;

            line = unit / of_row;
            group = unit % of_row * 32 + lane;
        }
        const unsigned batch = m.batches > 1 ? line / m.rows : 0;

        first = batch * m.step + (line - batch * m.rows) * m.pitch + group * 8;
        to = (long long)line * m.groups_to + group;
        count = line < m.lines() ? min(m.cols - (int)group * 8, 8) : 0;
        low = high = uint4{};
        if (count > 0 && first / 8 * 8 + 16 <= m.end()) {
            const uint4 *at =
                reinterpret_cast<const uint4 *>(m.from) + first / 8;

            low = at[0];
            high = at[1];
        }
    }

    /* The eight in order; where the 32 bytes go beyond the end, one by one. */
    __device__ void store(const loose_matrices &m) const
    {
        uint4 v;

        if (count <= 0)
            return;
        if (first / 8 * 8 + 16 <= m.end()) {
            v = shifted(low, high, (int)(first % 8));
        } else {
            unsigned w[4] = {};

#pragma unroll 1
            for (int i = 7; i >= 0; i--) {
                w[3] = __funnelshift_l(w[2], w[3], 16);
                w[2] = __funnelshift_l(w[1], w[2], 16);
                w[1] = __funnelshift_l(w[0], w[1], 16);
                w[0] = w[0] << 16 | (i < count ? m.from[first + i] : 0);
            }
            v = make_uint4(w[0], w[1], w[2], w[3]);
        }
        m.to[to] = v;
    }
};

/* Copies them. What is behind the end of a row is anything, up to a multiple of
 * eight; what follows is not written. Units are dealt to all warps of the grid, the
 * first one to warp `skip`, modulo their number: the next to get one is returned. */
__device__ __forceinline__ unsigned pack(const loose_matrices &m,
                                         unsigned skip)
{
    constexpr int AHEAD = 4;
    const unsigned warps = gridDim.x * (blockDim.x / 32);
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const unsigned total = m.rows > 0 ? m.units() : 0;
    const int lane = threadIdx.x % 32;

#pragma unroll 1
    for (unsigned u = (warp + warps - skip) % warps; u < total;
         u += AHEAD * warps) {
        loose_group v[AHEAD];

#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            v[i].load(m, min(u + i * warps, total - 1), lane);
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (u + i * warps < total)
                v[i].store(m);
        }
    }
    return (skip + total) % warps;
}

} /* namespace gemm */
} /* namespace hone */

#endif
