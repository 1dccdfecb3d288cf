/* SPDX-License-Identifier: Apache-2.0 */
/* What gemm/mma does otherwise where elements have 32 bits (tf32). It counts words of
 * 16 bits along K, two for each element, so that tiles whose rows run along K are
 * those of gemm_mma_parts.cuh: ldmatrix, which moves 16 bytes of a row, gives each
 * lane a whole element. It turns none around, so tiles that lie across K are read
 * element by element.
 * No name of a template parameter: see hone_device.cuh. */
#ifndef GEMM_MMA_TF32_CUH
#define GEMM_MMA_TF32_CUH

#include "gemm_mma_parts.cuh"
#include "hone_tf32.cuh"

namespace hone {
namespace mma {

/* A tile of A (IS_A) or B that lies across K: EXTENT elements of M or N in each of
 * DEPTH rows. Groups of four elements that are neighbours lie in different halves of
 * those that change places (swizzle), so that eight elements in each of four rows
 * that follow each other lie in different banks. */
template <bool IS_A, int EXTENT, int DEPTH> struct tf32_tile {
    using lies = swizzle<EXTENT / 4>;
    static constexpr int BYTES = DEPTH * lies::LINE;

    /* Where a group goes. */
    __device__ static constexpr unsigned moved(unsigned group)
    {
        const unsigned of_span = group % lies::SPAN;

        return group - of_span + of_span / 2 + of_span % 2 * (lies::SPAN / 2);
    }
    /* Where this lane's element lies, g of row t, of a fragment that begins `across`
     * elements across K. */
    template <bool> __device__ static unsigned lane_of(unsigned across)
    {
        const unsigned lane = threadIdx.x % 32, first = across + lane / 4;

        return lies::place(lane % 4, moved(first / 4)) + first % 4 * 4;
    }
    /* The fragment 16*i elements further across K and 8*k along it: `across` was a
     * multiple of all that follow. Of A it is one, of B there are two. */
    static __device__ void load(unsigned (&v)[4], shared_place slot,
                                unsigned of_lane, int i, int k)
    {
#pragma unroll
        for (int further = 0; further < 2; further++)
#pragma unroll
            for (int deeper = 0; deeper < 2; deeper++)
                v[IS_A ? further + 2 * deeper : deeper + 2 * further] =
                    load_word(slot + at(of_lane, 4 * i + 2 * further,
                                        8 * k + 4 * deeper));
    }

  private:
    /* The same `group` groups further, an even number, and `row` rows, a multiple of
     * four. */
    __device__ static constexpr unsigned at(unsigned of_lane, unsigned group,
                                            unsigned row)
    {
        const unsigned of_span = group % lies::SPAN;

        return (of_lane ^ moved(of_span) * 16 ^ lies::turn(row)) +
               ((group - of_span) * 16 + row * lies::LINE);
    }
};

/* One thread's part in copying tiles whose rows run along K: tile_reader for words of
 * 16 bits. DEPTH, VEC, k and k_end count words, all else elements. */
template <bool IS_A, int EXTENT, int DEPTH, bool DOWN, int VEC, int THREADS>
struct tf32_reader
    : tile_reader<unsigned short, EXTENT, DEPTH, false, VEC, THREADS> {
    using base = tile_reader<unsigned short, EXTENT, DEPTH, false, VEC, THREADS>;

    __device__ tf32_reader(const float *matrix, int pitch, int i, int k,
                           int i_end, int k_end)
        : base(reinterpret_cast<const unsigned short *>(matrix), 2 * pitch, i,
               k, i_end, k_end)
    {
    }
};

/* And across it. */
template <bool IS_A, int EXTENT, int DEPTH, int VEC, int THREADS>
struct tf32_reader<IS_A, EXTENT, DEPTH, true, VEC, THREADS>
    : tile_reader<unsigned short, 2 * EXTENT, DEPTH / 2, true, VEC, THREADS> {
    using base =
        tile_reader<unsigned short, 2 * EXTENT, DEPTH / 2, true, VEC, THREADS>;
    using its = tf32_tile<IS_A, EXTENT, DEPTH / 2>;

    __device__ tf32_reader(const float *matrix, int pitch, int i, int k,
                           int i_end, int k_end)
        : base(reinterpret_cast<const unsigned short *>(matrix), 2 * pitch,
               2 * i, k / 2, 2 * i_end, k_end / 2)
    {
        const unsigned row = threadIdx.x / base::PIECES;
        const unsigned col = threadIdx.x % base::PIECES * VEC;

        base::to = its::lies::place(row, its::moved(col / 8)) + col % 8 * 2;
    }
};

} /* namespace mma */
} /* namespace hone */

#endif
