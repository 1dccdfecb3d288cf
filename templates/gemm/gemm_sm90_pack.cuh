/* SPDX-License-Identifier: Apache-2.0 */
/* Copies matrices of 16-bit elements whose rows do not start at multiples of
 * 16 bytes to rows that do. It reads whole 16 bytes and shifts them into place:
 * gemm_sm90_rows.cuh does the same on the way to C. No name of a template
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
 * gaps between matrices. Where nothing is copied, rows are 0.
 * A warp does a unit at a time: 128 groups of a row or, where a row has 16 or less, one
 * group a lane of several rows. */
struct loose_matrices {
    const unsigned short *from;
    uint4 *to;
    int rows, cols, batches, groups_to;
    long long pitch, step;

    __device__ __forceinline__ int groups() const { return (cols + 7) / 8; }
    __device__ __forceinline__ unsigned lines() const
    {
        return (unsigned)rows * batches;
    }
    __device__ __forceinline__ bool is_narrow() const { return groups() <= 16; }
    /* Of a narrow one, 1 << so many lanes have a row. */
    __device__ __forceinline__ int bits() const
    {
        return 32 - __clz(groups() - 1);
    }
    /* Of another, so many units are a row. */
    __device__ __forceinline__ unsigned of_row() const
    {
        return ((unsigned)groups() + 127) / 128;
    }
    __device__ __forceinline__ unsigned units() const
    {
        return is_narrow() ? (lines() + (32u >> bits()) - 1) >> (5 - bits())
                           : lines() * of_row();
    }
    /* Of the array, and 16 bytes that it has as a whole. */
    __device__ __forceinline__ long long elements() const
    {
        return (batches - 1) * step + (rows - 1) * pitch + cols;
    }
    __device__ __forceinline__ long long wholes() const
    {
        return elements() / 8;
    }
};

/* A unit on its way: 16 bytes each and those behind them, to be shifted into place. A
 * row's groups lie equally far behind a multiple of 16 bytes. */
struct loose_unit {
    static constexpr int AHEAD = 4; /* groups of a lane */
    uint4 low[AHEAD], high[AHEAD];
    const unsigned short *row; /* begins here, or so many elements behind it */
    uint4 *to;
    int shift;
    /* Groups of the row from the lane's first on, and those that lie in whole 16 bytes;
     * elements. */
    int left, whole, elements;

    __device__ __forceinline__ void load(const loose_matrices &m, unsigned unit)
    {
        const int lane = threadIdx.x % 32;
        const unsigned of_row = m.of_row();
        unsigned line = unit;
        int group = lane;

        if (m.is_narrow()) {
            line = (unit << (5 - m.bits())) + (lane >> m.bits());
            group = lane & ((1 << m.bits()) - 1);
        } else if (of_row > 1) {
            line = unit / of_row;
            group += (int)(unit - line * of_row) * (AHEAD * 32);
        }
        const unsigned batch = m.batches > 1 ? line / m.rows : 0;
        const long long first =
            batch * m.step + (line - batch * m.rows) * m.pitch;
        const long long piece = first / 8 + group;
        const uint4 *from = reinterpret_cast<const uint4 *>(m.from) + piece;

        row = m.from + piece * 8;
        to = m.to + (long long)line * m.groups_to + group;
        shift = (int)(first % 8);
        left = line < m.lines() ? m.groups() - group : 0;
        whole = left > 0
                    ? (int)min((long long)left, m.wholes() - piece - 1)
                    : 0;
        elements = m.cols - group * 8;
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            low[i] = high[i] = uint4{};
            if (i * 32 < whole) {
                low[i] = __ldg(from + i * 32);
                high[i] = __ldg(from + i * 32 + 1);
            }
        }
    }

    __device__ __forceinline__ void store() const
    {
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (i * 32 < whole)
                to[i * 32] = shifted<7>(low[i], high[i], shift);
        }
        if (whole < left)
            store_last();
    }

  private:
    /* Groups in the last bytes of an array, element by element. */
    __device__ __forceinline__ void store_last() const
    {
#pragma unroll 1
        for (int i = (max(whole, 0) + 31) / 32 * 32;
             i < min(left, AHEAD * 32); i += 32) {
            unsigned w[4] = {};

#pragma unroll 1
            for (int j = 7; j >= 0; j--) {
                const int element = i * 8 + j;

                w[3] = __funnelshift_l(w[2], w[3], 16);
                w[2] = __funnelshift_l(w[1], w[2], 16);
                w[1] = __funnelshift_l(w[0], w[1], 16);
                w[0] = w[0] << 16 |
                       (element < elements ? row[shift + element] : 0);
            }
            to[i] = make_uint4(w[0], w[1], w[2], w[3]);
        }
    }
};

/* Registers hold one of the two: an address of either would be one in local memory. */
__device__ __forceinline__ loose_matrices chosen(const loose_matrices &a,
                                                 const loose_matrices &b,
                                                 bool is_b)
{
    return {is_b ? b.from : a.from,   is_b ? b.to : a.to,
            is_b ? b.rows : a.rows,   is_b ? b.cols : a.cols,
            a.batches,                is_b ? b.groups_to : a.groups_to,
            is_b ? b.pitch : a.pitch, is_b ? b.step : a.step};
}

/* Copies A and B. What is behind the end of a row is anything, up to a multiple of
 * eight; what follows is not written. Units are dealt to all warps of the grid. */
__device__ __forceinline__ void pack(const loose_matrices &a,
                                     const loose_matrices &b)
{
    const unsigned of_block = blockDim.x / 32;
    const unsigned of_a = a.units(), total = of_a + b.units();

#pragma unroll 1
    for (unsigned u = blockIdx.x * of_block + threadIdx.x / 32; u < total;
         u += gridDim.x * of_block) {
        const bool is_b = u >= of_a;
        loose_unit v;

        v.load(chosen(a, b, is_b), is_b ? u - of_a : u);
        v.store();
    }
}

} /* namespace gemm */
} /* namespace hone */

#endif
