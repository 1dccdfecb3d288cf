/* SPDX-License-Identifier: Apache-2.0 */
/* Copies matrices of 16-bit elements whose rows do not start at multiples of
 * 16 bytes to rows that do. No name of a template parameter: see
 * hone_device.cuh. */
#ifndef GEMM_SM90_PACK_CUH
#define GEMM_SM90_PACK_CUH

namespace hone {
namespace gemm {

/* Matrices of rows x cols elements of 16 bits, rows `pitch` elements apart and
 * matrices `step`, which begin at a multiple of 16 bytes. */
struct loose_matrices {
    const unsigned short *from;
    int rows, cols, batches;
    long long pitch, step;

    /* Groups of eight elements that they take, and elements up to the end. */
    __device__ unsigned groups() const
    {
        return (unsigned)(cols + 7) / 8 * rows * batches;
    }
    __device__ long long end() const
    {
        return (batches - 1) * step + (rows - 1) * pitch + cols;
    }
};

/* Eight elements somewhere in the 32 bytes around them. */
struct loose_group {
    uint4 low, high;
    long long first; /* element */
    int count;       /* of this row */

    __device__ void load(const loose_matrices &m, unsigned group)
    {
        const unsigned of_row = (unsigned)(m.cols + 7) / 8;
        const unsigned line = group / of_row;
        const int col = (int)(group % of_row * 8);
        const unsigned batch = m.batches > 1 ? line / m.rows : 0;
        const long long end = m.end();

        first = batch * m.step + (line - batch * m.rows) * m.pitch + col;
        count = min(m.cols - col, 8);
        low = high = uint4{};
        if (first / 8 * 8 + 16 <= end) {
            const uint4 *at =
                reinterpret_cast<const uint4 *>(m.from) + first / 8;

            low = at[0];
            high = at[1];
        }
    }

    /* The eight in order; where the 32 bytes go beyond the end, one by one. */
    __device__ uint4 value(const loose_matrices &m) const
    {
        const int shift = (int)(first % 8);
        unsigned w[8] = {low.x,  low.y,  low.z,  low.w,
                         high.x, high.y, high.z, high.w};

        if (first / 8 * 8 + 16 > m.end()) {
#pragma unroll 1
            for (int i = 7; i >= 0; i--) {
                w[3] = __funnelshift_l(w[2], w[3], 16);
                w[2] = __funnelshift_l(w[1], w[2], 16);
                w[1] = __funnelshift_l(w[0], w[1], 16);
                w[0] = w[0] << 16 | (i < count ? m.from[first + i] : 0);
            }
            return make_uint4(w[0], w[1], w[2], w[3]);
        }
#pragma unroll
        for (int i = 0; i < 6; i++)
            w[i] = shift & 4 ? w[i + 2] : w[i];
#pragma unroll
        for (int i = 0; i < 5; i++)
            w[i] = shift & 2 ? w[i + 1] : w[i];
#pragma unroll
        for (int i = 0; i < 4; i++)
            w[i] = __funnelshift_r(w[i], w[i + 1], shift & 1 ? 16 : 0);
        return make_uint4(w[0], w[1], w[2], w[3]);
    }
};

/* Copies them to rows of whole groups of eight, without gaps between rows or
 * matrices. What is behind the end of a row is anything. */
__device__ __forceinline__ void pack(const loose_matrices &m, uint4 *to)
{
    constexpr int AHEAD = 4;
    const unsigned total = m.groups();
    const unsigned step = gridDim.x * blockDim.x;

#pragma unroll 1
    for (unsigned g = blockIdx.x * blockDim.x + threadIdx.x; g < total;
         g += AHEAD * step) {
        loose_group v[AHEAD];

#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            v[i].load(m, min(g + i * step, total - 1));
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (g + i * step < total)
                to[g + i * step] = v[i].value(m);
        }
    }
}

} /* namespace gemm */
} /* namespace hone */

#endif
