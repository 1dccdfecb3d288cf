/* SPDX-License-Identifier: Apache-2.0 */
/* Sums along the columns of a matrix: a thread has VEC neighbouring columns, a
 * block WIDTH such packs side by side and DEPTH rows at once. What the rows count
 * is a function of the row, 1 or an element of a vector. Sums of several blocks are
 * rows of a matrix too, which are added up in the same way.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_REDUCTION_COLUMNS_CUH
#define HONE_REDUCTION_COLUMNS_CUH

#include "hone_pack.cuh"

namespace hone {

/* What every row counts in a plain sum. */
template <typename S> struct count_once {
    __device__ S operator()(long long) const
    {
        return 1;
    }
};

template <typename S, int VEC, int UNROLL, int BLOCK, int WIDTH> struct column_sums_of {
    static constexpr int DEPTH = BLOCK / WIDTH;

    /* Adds rows first, first + step, .. in front of `end`, times weight(row), to
     * the sums of the pack of columns that begins at x, `valid` of which the
     * matrix has. W: elements that are read at once, 1 or VEC. */
    template <int W, access HOW, typename E, typename WEIGHT>
    static __device__ void add_rows(S (&sum)[VEC], const E *x, long long pitch, long long valid, long long first, long long step, long long end, WEIGHT weight)
    {
        long long row = first;

        if (valid >= VEC) {
            for (; row + (UNROLL - 1) * step < end; row += UNROLL * step) {
                pack<E, W> packs[UNROLL][VEC / W];
                S weights[UNROLL];

#pragma unroll
                for (int i = 0; i < UNROLL; i++) {
                    weights[i] = weight(row + i * step);
#pragma unroll
                    for (int p = 0; p < VEC / W; p++)
                        packs[i][p] = read_pack<W, HOW>(x + (row + i * step) * pitch + p * W);
                }
#pragma unroll
                for (int i = 0; i < UNROLL; i++)
#pragma unroll
                    for (int e = 0; e < VEC; e++)
                        sum[e] += weights[i] * widen(packs[i][e / W].at[e % W]);
            }
        }
        /* What is left of the rows, or all of a pack that the matrix ends in. */
#pragma unroll 1
        for (; row < end; row += step) {
            const S of_row = weight(row);

#pragma unroll
            for (int e = 0; e < VEC; e++)
                if (e < valid)
                    sum[e] += of_row * widen(read_pack<1, HOW>(x + row * pitch + e).at[0]);
        }
    }

    /* The sums of the DEPTH threads that have the same columns, in the first. All
     * threads of the block call it. */
    static __device__ void join_rows(S (&sum)[VEC])
    {
        __shared__ S of_thread[VEC][BLOCK];
        const int me = threadIdx.x;

#pragma unroll 1
        for (int half = DEPTH / 2; half > 0; half /= 2) {
            __syncthreads(); /* nobody reads what the last round left */
#pragma unroll
            for (int e = 0; e < VEC; e++)
                of_thread[e][me] = sum[e];
            __syncthreads();
            if (me < half * WIDTH) {
#pragma unroll
                for (int e = 0; e < VEC; e++)
                    sum[e] += of_thread[e][me + half * WIDTH];
            }
        }
    }

    /* The sums of `n_parts` blocks, rows of `columns` sums one `step` behind the
     * other, of the pack that begins at `column`, in the first threads. Others
     * wrote them: they are read past the level 1 cache. */
    static __device__ void add_parts(S (&sum)[VEC], const S *parts, long long step, long long n_parts, long long column, long long columns)
    {
        add_rows<1, access::l2>(sum, parts + column, step, columns - column, threadIdx.x / WIDTH, DEPTH, n_parts, count_once<S>());
        join_rows(sum);
    }
};

} /* namespace hone */

#endif
