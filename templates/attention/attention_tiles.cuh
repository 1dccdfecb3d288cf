/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of queries, keys and values in shared memory, as attention/mma has them.
 *
 * Rows of D numbers of 16 bits lie one behind the other; of a row r the pieces of 16
 * bytes, 8 or 16 of them, change places: piece c lies at place c ^ (r & 7). A copy
 * writes, and a phase of ldmatrix reads, 8 pieces at once. Of a copy they are 8
 * neighbours of one row, in some order: all banks once. Of ldmatrix they are the same
 * piece c of 8 rows that follow each other from a multiple of 8 on: places c ^ 0 to c ^ 7,
 * which differ in their lowest three bits, and rows are 128 or 256 bytes long, so that the
 * banks, 4*(place % 8) to 4*(place % 8) + 3, are all 32, each once.
 *
 * What a lane reads in step s of D is 2*s pieces farther on: the place is
 * (c + 2*s) ^ (r & 7) with c 0 or 1, which is the first one's address with bits exchanged,
 * `at ^ 32*s`, as rows are longer than 16*c. One number of a lane serves all steps.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_ATTENTION_TILES_CUH
#define HONE_ATTENTION_TILES_CUH

#include "attention_parts.cuh"
#include "hone_device.cuh"
#include "hone_mma.cuh"

namespace hone {

template <int D> struct tile_rows {
    static constexpr int CHUNKS = D / 8; /* pieces of a row */
    static constexpr int BYTES = 2 * D;  /* of a row */

    /* Where piece `chunk` of a row lies, from the first row on. */
    static __device__ int piece(int row, int chunk)
    {
        return row * BYTES + ((chunk ^ (row & 7)) << 4);
    }
    /* What this lane of a warp reads, in step 0, of 16 rows of queries, or of 16
     * values as columns; and of 16 keys: bytes from the first row on. */
    static __device__ int by_rows()
    {
        const int lane = threadIdx.x % 32;

        return piece(lane % 16, lane / 16);
    }
    static __device__ int by_keys()
    {
        const int lane = threadIdx.x % 32;

        return piece(lane % 8 + lane / 16 * 8, lane / 8 % 2);
    }
    /* The same in another step. */
    static __device__ int in_step(int at, int step)
    {
        return at ^ step << 5;
    }
};

/* The next keys and values that a thread copies: its piece of the first of its rows,
 * and `left`: keys from that row to the last one. */
template <typename E, int D, int ROWS, int THREADS> struct key_copies {
    using tile = tile_rows<D>;
    static constexpr int DOWN = THREADS / tile::CHUNKS;

    const E *k, *v;
    long long at;   /* elements */
    long long step; /* to the next key */
    int left, to;

    __device__ key_copies(const E *k, const E *v, long long base, long long step,
                          int first, int keys)
        : k(k), v(v), step(step)
    {
        const int row = threadIdx.x / tile::CHUNKS;
        const int chunk = threadIdx.x % tile::CHUNKS;

        at = base + (first + row) * step + chunk * 8;
        left = keys - first - row;
        to = tile::piece(row, chunk);
    }
    /* Start copying them, zeros behind the last key. */
    __device__ void start(unsigned char *rows, bool values) const
    {
        const E *from = (values ? v : k) + at;

        static_assert(ROWS * tile::CHUNKS % THREADS == 0, "whole rounds");
#pragma unroll
        for (int i = 0; i < ROWS / DOWN; i++) {
            /* Where a round is no multiple of 8 rows, pieces change places anew. */
            const int place = to ^ (i * DOWN & 7) << 4;

            copy16_async(rows + place + i * DOWN * tile::BYTES, from,
                         i * DOWN < left, true);
            from += DOWN * step;
        }
    }
    __device__ void next()
    {
        at += ROWS * step;
        left -= ROWS;
    }
};

/* Start copying ROWS rows of queries from `first` on, zeros behind the last. */
template <int ROWS, int THREADS, typename E, int D, bool CAUSAL>
__device__ inline void copy_queries(unsigned char *to, const E *q,
                                    const head<D, CAUSAL> &of, int first)
{
    using tile = tile_rows<D>;

#pragma unroll 1
    for (int i = threadIdx.x; i < ROWS * tile::CHUNKS; i += THREADS) {
        const int r = i / tile::CHUNKS, chunk = i % tile::CHUNKS;
        const bool valid = first + r < of.rows;

        copy16_async(to + tile::piece(r, chunk),
                     q + of.q_of(valid ? first + r : first) + chunk * 8, valid,
                     true);
    }
}

/* ROWS rows of one warp from shared memory to `out`, whole pieces of them. */
template <int ROWS, typename E, int D, bool CAUSAL>
__device__ inline void write_rows(E *out, const unsigned char *from,
                                  const head<D, CAUSAL> &of, int first)
{
    using tile = tile_rows<D>;

#pragma unroll 1
    for (int i = threadIdx.x % 32; i < ROWS * tile::CHUNKS; i += 32) {
        const int r = i / tile::CHUNKS, chunk = i % tile::CHUNKS;

        if (first + r < of.all_rows)
            write_pack(out + of.q_of(first + r) + chunk * 8,
                       read_pack<8>(reinterpret_cast<const E *>(
                           from + tile::piece(r, chunk))));
    }
}

} /* namespace hone */

#endif
