/* SPDX-License-Identifier: Apache-2.0 */
/* Staging buffers in shared memory: how a warp group's sums get there, and rows of C.
 * How rows get from there to C, gemm_sm90_rows.cuh has. Behind gemm_sm90_output.cuh and
 * gemm_sm90_pack.cuh; no name of a template parameter: see hone_device.cuh. */
#ifndef GEMM_SM90_STAGING_CUH
#define GEMM_SM90_STAGING_CUH

#include "gemm_sm90_rows.cuh"

namespace hone {
namespace gemm {

/* A staging buffer holds PHASE columns, 128 bytes a row, of ROWS rows, as
 * boxes of BOX columns one after the other, their 16-byte pieces exchanged as
 * the copy engine does it. */
template <typename E, int ROWS, int BOX> struct staging {
    using one = typename element<E>::one;
    static constexpr int SIZE = sizeof(one);
    static constexpr int ROW_COUNT = ROWS;
    static constexpr int PHASE = 128 / SIZE;
    static constexpr int PIECE = 16 / SIZE; /* elements of a piece */
    static constexpr int SECTOR = 32 / SIZE; /* memory is written by sectors */
    static constexpr int EDGE = 32;          /* bytes of it */
    static constexpr int LINE = BOX * SIZE; /* bytes of a row in a box */
    static constexpr int BYTES = ROWS * 128;
    static constexpr unsigned SWIZZLE = BOX * SIZE - 16;

    static __device__ unsigned at(int row, int col)
    {
        const unsigned at = col / BOX * (ROWS * BOX * SIZE) +
                            row * (BOX * SIZE) + col % BOX * SIZE;

        return at ^ (at >> 3 & SWIZZLE);
    }

    /* The columns from `first` on of a thread's sums. 16-bit elements go through
     * an instruction that turns fragments to rows. Of f32, eight rows and
     * four columns each 8 bytes wide would meet in the banks of two rows:
     * every other row writes its second half first. */
    template <int HEIGHTS, int SUMS>
    static __device__ __forceinline__ void
    fill(unsigned to, const float (&sums)[HEIGHTS][SUMS], int first,
         int thread)
    {
        const int end = min(PHASE, SUMS * 2 - first);

#pragma unroll
        for (int i = 0; i < HEIGHTS; i++) {
            const int row = i * 64 + lane_row(thread);

            if constexpr (SIZE == 2) {
                const int line = i * 64 + thread / 32 * 16 + thread % 16;

#pragma unroll
                for (int c = 0; c < end; c += 16) {
                    const float *d = &sums[i][(first + c) / 2];

                    hone::store_matrices(
                        to + at(line, c + thread % 32 / 16 * 8),
                        element<E>::pack(d[0], d[1]),
                        element<E>::pack(d[2], d[3]),
                        element<E>::pack(d[4], d[5]),
                        element<E>::pack(d[6], d[7]));
                }
            } else if constexpr (BOX == 32) {
                const bool odd = row % 2 != 0;

#pragma unroll
                for (int j = 0; j < 8; j++) {
                    const int c = j / 4 * 8;
                    const int half = j % 4 / 2, later = j % 2;
                    const float *a = &sums[i][(first + c) / 2 + half * 2];
                    const float *b = a + 8;
                    const bool second = odd != (later != 0);

                    hone::shared_store(
                        to + at(row + half * 8,
                                c + lane_col(thread) + (second ? 16 : 0)),
                        second ? b[0] : a[0], second ? b[1] : a[1]);
                }
            } else {
#pragma unroll
                for (int c = 0; c < end; c += 8) {
                    const float *d = &sums[i][(first + c) / 2];

                    hone::shared_store(to + at(row, c + lane_col(thread)),
                                       d[0], d[1]);
                    hone::shared_store(to + at(row + 8, c + lane_col(thread)),
                                       d[2], d[3]);
                }
            }
        }
    }

    /* alpha times the columns from `first` on of a thread's sums, plus beta times
     * what is in the buffer. */
    template <int HEIGHTS, int SUMS>
    static __device__ __forceinline__ void
    scale(unsigned from, float (&sums)[HEIGHTS][SUMS], int first, int thread,
          float alpha, float beta)
    {
        const int end = min(PHASE, SUMS * 2 - first);

#pragma unroll
        for (int i = 0; i < HEIGHTS * 2; i++) {
            const int row = i / 2 * 64 + i % 2 * 8 + lane_row(thread);

#pragma unroll
            for (int c = 0; c < end; c += 8) {
                float *d = &sums[i / 2][(first + c) / 2 + i % 2 * 2];
                typename element<E>::two v;

                hone::shared_load(from + at(row, c + lane_col(thread)), v);
                d[0] = alpha * d[0] +
                       beta * element<E>::value(element<E>::first(v));
                d[1] = alpha * d[1] +
                       beta * element<E>::value(element<E>::second(v));
            }
        }
    }

    /* Where the i-th piece of row r is. */
    template <bool EDGES>
    static __device__ unsigned piece(unsigned buffer, unsigned edges, int r,
                                     int i)
    {
        const unsigned at = (i & -(LINE / 16)) * (ROWS * 16) + r * LINE +
                            ((i * 16 ^ r * (LINE / 8)) & SWIZZLE);

        return !EDGES || i >= 0 ? buffer + at : edges + (r * 2 + 2 + i) * 16;
    }

    /* How warps take rows of OF_ROW pieces: lanes next to each other have pieces of
     * one row. Rows of a lane are a BLOCK apart, a multiple of a sector's elements,
     * so that all of them begin as far behind the start of a sector, and what
     * follows from that is worked out once. */
    template <int OF_ROW> struct lanes {
        static constexpr int COUNT = OF_ROW > 16 ? 32 : OF_ROW > 8 ? 16 : 8;
        static constexpr int BLOCK = 32 / COUNT * SECTOR; /* rows */
    };

    /* The last sector's worth of every row, up to column `end`, to `edges`. */
    static __device__ __forceinline__ void
    keep_edges(unsigned buffer, unsigned edges, int end, int thread)
    {
        if (thread < ROWS) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
                uint4 v;

                hone::shared_load(
                    buffer + at(thread, end - SECTOR + i * PIECE), v);
                hone::shared_store(edges + thread * EDGE + i * 16, v);
            }
        }
    }

    /* A piece of row r of C, the first element of which is number `from` of the
     * tile's part of it, `before` behind the row's start and `behind` in front of
     * its end: what is in the row. */
    static __device__ __forceinline__ uint4 row_piece(const one *at, int from,
                                                      int before, int behind)
    {
        uint4 v = {};

        if (from >= -before && from + PIECE <= behind) {
            v = __ldcg(reinterpret_cast<const uint4 *>(at));
        } else if (from + PIECE > 0 && from < behind) {
            one single[PIECE];

#pragma unroll
            for (int i = 0; i < PIECE; i++) {
                single[i] = {};
                if (from + i >= 0 && from + i < behind)
                    single[i] = __ldcg(at + i);
            }
            memcpy(&v, single, sizeof(v));
        }
        return v;
    }

    /* Rows from C: a lane makes a piece of the buffers of the piece that it read and
     * that of the next lane. */
    template <int WIDE, int MOST, typename C>
    static __device__ __forceinline__ void
    read_rows(unsigned buffer, const C &c, int row, int col, int thread)
    {
        constexpr int OF_ROW = WIDE / PIECE;
        constexpr int LANES = lanes<OF_ROW>::COUNT;
        constexpr int BLOCK = lanes<OF_ROW>::BLOCK;
        constexpr int AHEAD = MOST * BLOCK > ROWS ? ROWS / BLOCK : MOST;
        const int rows = min(ROWS, c.rows - row);
        const int behind = c.cols - col;
        const int q = thread % LANES;
        const bool is_last = LANES == OF_ROW && q == LANES - 1;

        if (behind <= 0)
            return;
#pragma unroll 1
        for (int i = thread / 32; i < SECTOR; i += 4) {
            const int first_row = i + thread % 32 / LANES * SECTOR;
            const unsigned long long place =
                reinterpret_cast<unsigned long long>(
                    c.at(row + first_row, col));
            const int off = (unsigned)place / SIZE % PIECE;
            const int from = q * PIECE - off;
            const one *in = reinterpret_cast<const one *>(place) + from;
            unsigned to =
                piece<false>(buffer, 0, first_row, min(q, OF_ROW - 1));

#pragma unroll 1
            for (int block = first_row; block < first_row / SECTOR * SECTOR + ROWS;
                 block += AHEAD * BLOCK) {
                uint4 low[AHEAD], last[AHEAD];

#pragma unroll
                for (int j = 0; j < AHEAD; j++) {
                    low[j] = last[j] = {};
                    if (q <= OF_ROW && block + j * BLOCK < rows) {
                        low[j] = row_piece(in, from, col, behind);
                        if (is_last && off > 0)
                            last[j] =
                                row_piece(in + PIECE, from + PIECE, col, behind);
                    }
                    in += BLOCK * c.pitch;
                }
#pragma unroll
                for (int j = 0; j < AHEAD; j++) {
                    uint4 high;

                    high.x = __shfl_down_sync(~0u, low[j].x, 1, LANES);
                    high.y = __shfl_down_sync(~0u, low[j].y, 1, LANES);
                    high.z = __shfl_down_sync(~0u, low[j].z, 1, LANES);
                    high.w = __shfl_down_sync(~0u, low[j].w, 1, LANES);
                    if (is_last)
                        high = last[j];
                    if (q < OF_ROW && block + j * BLOCK < rows)
                        hone::shared_store(
                            to, shifted<7>(low[j], high, off * SIZE / 2));
                    to += BLOCK * LINE;
                }
            }
        }
    }

    /* From C to a buffer, an element a lane: for tiles whose sums leave no registers for
     * whole pieces. */
    template <typename C>
    static __device__ __forceinline__ void
    read_elements(unsigned buffer, const C &c, int row, int col, int end,
                  int thread)
    {
#pragma unroll 8
        for (int r = thread / 32; r < ROWS; r += 4) {
#pragma unroll
            for (int k = thread % 32; k < PHASE; k += 32) {
                if (row + r < c.rows && k < end && col + k < c.cols) {
                    const one v = *c.at(row + r, col + k);

                    hone::shared_store(buffer + at(r, k), v);
                }
            }
        }
    }
};

} /* namespace gemm */
} /* namespace hone */

#endif
