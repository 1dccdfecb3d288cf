/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table that are read and written by groups of threads: LANES
 * neighbouring threads share a row, each takes LOADS packs of VEC elements,
 * LANES packs apart. A tile is the columns that a group takes at once.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef SPARSE_ROWS_CUH
#define SPARSE_ROWS_CUH

#include "hone_pack.cuh"

namespace hone {

/* What a thread holds of a row. */
template <typename E, int VEC, int LOADS> struct row_part {
    pack<E, VEC> at[LOADS];
};

/* The part that begins in column `column` of a row of `width` elements. What
 * lies behind the row is not touched. */
template <access HOW, int LANES, typename E, int VEC, int LOADS>
__device__ inline void read_row(row_part<E, VEC, LOADS> &part, const E *row,
                                long long column, long long width)
{
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        const long long c = column + i * (LANES * VEC);

        if (c < width)
            part.at[i] = read_pack<VEC, HOW>(row + c);
    }
}

template <access HOW, int LANES, typename E, int VEC, int LOADS>
__device__ inline void write_row(E *row, const row_part<E, VEC, LOADS> &part,
                                 long long column, long long width)
{
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        const long long c = column + i * (LANES * VEC);

        if (c < width)
            write_pack<HOW>(row + c, part.at[i]);
    }
}

} /* namespace hone */

#endif
