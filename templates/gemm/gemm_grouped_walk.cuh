/* SPDX-License-Identifier: Apache-2.0 */
/* How blocks of gemm_grouped find their tiles. How high groups are, and so how many
 * tiles there are, only the device knows: each block goes through the offsets once,
 * as far as its next tile, and keeps the place.
 * No name of a template parameter: see hone_device.cuh. */
#ifndef GEMM_GROUPED_WALK_CUH
#define GEMM_GROUPED_WALK_CUH

namespace hone {
namespace gemm {

/* A tile: its first row and column, its group, and the first row behind that. */
struct grouped_tile {
    int row, col, group, end;
};

/* The tiles of this block, BM x BN each. Tiles of a group are numbered behind those
 * of the groups before it; `band` lines of them (rows of tiles, or with `along_n`
 * columns) are walked together, across them. A cluster takes SHARED_M that lie one below
 * the other, or SHARED_N side by side, in one group: of these some may lie outside. */
template <int BM, int BN, int SHARED_M, int SHARED_N> struct grouped_walk {
    static constexpr int BLOCKS = SHARED_M * SHARED_N; /* of a cluster */
    static_assert(SHARED_M == 1 || SHARED_N == 1, "a column of tiles, or a row");
    const int *offsets;
    int groups, across, band, rank; /* across: units of a row of tiles */
    bool along_n;
    int next, step;                   /* unit, the distance to the one behind it */
    int group = -1, begin = 0, end = 0; /* and its rows */
    int first = 0, units = 0;           /* of the group */

    __device__ grouped_walk(const int *offsets_, int groups_, int cols, int band_,
                            bool along_n_)
        : offsets(offsets_), groups(groups_),
          across((cols + BN * SHARED_N - 1) / (BN * SHARED_N)), band(band_),
          rank(BLOCKS > 1 ? (int)blockIdx.x % BLOCKS : 0), along_n(along_n_),
          next((int)blockIdx.x / BLOCKS), step((int)gridDim.x / BLOCKS)
    {
    }

    /* From here on every second one, from the first or second on. */
    __device__ void alternate(int from)
    {
        next += from * step;
        step *= 2;
    }

    /* The next one; false behind the last, and not to be called again then. */
    __device__ bool take(grouped_tile *t)
    {
#pragma unroll 1
        while (next - first >= units) {
            if (++group == groups)
                return false;
            first += units;
            begin = end;
            end = __ldg(offsets + group + 1);
            units = high() * across;
        }
        *t = at(next - first);
        next += step;
        return true;
    }

  private:
    __device__ int high() const /* units of a column of tiles */
    {
        return (int)((unsigned)(end - begin + BM * SHARED_M - 1) /
                     (unsigned)(BM * SHARED_M));
    }
    __device__ grouped_tile at(int unit) const
    {
        const int lines = along_n ? across : high();
        const int others = along_n ? high() : across;
        const int line_of_band = unit / (band * others) * band;
        const int in_band = unit % (band * others);
        const int width = min(band, lines - line_of_band);
        const int line = line_of_band + in_band % width;
        const int other = in_band / width;
        grouped_tile t;

        t.row = begin + ((along_n ? other : line) * SHARED_M +
                         (SHARED_M > 1 ? rank : 0)) * BM;
        t.col = ((along_n ? line : other) * SHARED_N +
                 (SHARED_N > 1 ? rank : 0)) * BN;
        t.group = group;
        t.end = end;
        return t;
    }
};

} /* namespace gemm */
} /* namespace hone */

#endif
