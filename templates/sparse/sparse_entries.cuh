/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a matrix in compressed rows: VEC of them, value and column, are
 * read at once wherever their row starts, and multiplied with what they are
 * for.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef SPARSE_ENTRIES_CUH
#define SPARSE_ENTRIES_CUH

#include "hone_pack.cuh"

namespace hone {

/* Elements at .. at + VEC - 1, `at` being a multiple of VEC. */
template <typename T, int VEC> struct entries {
    pack<T, VEC> value;
    pack<int, VEC> column;
};

/* Of these the ones in begin .. end - 1; the others are 0 in column 0. The
 * arrays have `count` elements: behind them nothing is read. */
template <access HOW, typename T, int VEC>
__device__ inline void read_entries(entries<T, VEC> &e, const T *value,
                                    const int *column, long long at,
                                    long long begin, long long end,
                                    long long count)
{
    if (at + VEC <= begin || at >= end) {
        e = {};
    } else if (at + VEC <= count) {
        e.value = read_pack<VEC, HOW>(value + at);
        e.column = read_pack<VEC, HOW>(column + at);
    } else {
        e = {};
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            if (at + v < count) {
                e.value.at[v] = value[at + v];
                e.column.at[v] = column[at + v];
            }
        }
    }
}

/* value*x of those that are in begin .. end - 1, and 0 for the others: what
 * they would be multiplied with may be no number. */
template <access HOW, typename T, int VEC>
__device__ inline pack<T, VEC> times(const entries<T, VEC> &e, const T *x,
                                     long long at, long long begin,
                                     long long end)
{
    pack<T, VEC> product;

#pragma unroll
    for (int v = 0; v < VEC; v++)
        product.at[v] = at + v >= begin && at + v < end
                            ? e.value.at[v] *
                                  read_word<HOW>(x + e.column.at[v])
                            : T(0);
    return product;
}

/* Where the product of element k of a tile stands in shared memory: PAD words
 * are left out behind every 32, so that rows of a power of two do not begin in
 * one bank. */
template <int PAD> __device__ inline int slot_of(int k)
{
    return k + k / 32 * PAD;
}

/* The products of a tile, elements at `tile` (a multiple of VEC) and on, into
 * shared memory, by all BLOCK threads, ITEMS packs each; of those outside of
 * begin .. end - 1 zeros. Two barriers are the caller's: one before, so that
 * nobody reads what an earlier tile left, and one behind. */
template <access MATRIX, access VECTOR, int BLOCK, int ITEMS, int VEC, int PAD,
          typename T>
__device__ inline void products_of_tile(T *shared, const T *value,
                                        const int *column, const T *x,
                                        long long tile, long long begin,
                                        long long end, long long count)
{
    entries<T, VEC> e[ITEMS];

#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        read_entries<MATRIX>(e[i], value, column,
                             tile + (i * BLOCK + (int)threadIdx.x) * VEC,
                             begin, end, count);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int k = (i * BLOCK + (int)threadIdx.x) * VEC;

        write_pack<access::shared>(
            shared + slot_of<PAD>(k),
            times<VECTOR>(e[i], x, tile + k, begin, end));
    }
}

} /* namespace hone */

#endif
