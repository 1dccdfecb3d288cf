/* SPDX-License-Identifier: Apache-2.0 */
/* How tiles of bytes get to shared memory for gemm_i8/mma. As in gemm_i8/simt a
 * line of it belongs to a word, four bytes along K, and has a word of each row of
 * op(A) or column of op(B); but a thread reads up to 16 bytes at once. No name of
 * a template parameter: see hone_device.cuh. */
#ifndef GEMM_I8_MMA_PARTS_CUH
#define GEMM_I8_MMA_PARTS_CUH

#include "gemm_i8_parts.cuh"

namespace hone {
namespace bytes {

/* Bytes at p, in words, 4*WORDS of them: all, or the first `count` and zeros.
 * VEC of 1 says that p may lie anywhere, else it is a multiple of VEC. */
template <int VEC, int WORDS>
__device__ inline void load_line(unsigned (&v)[WORDS], const signed char *p,
                                 int count)
{
    if (VEC > 1 && count >= 4 * WORDS) {
        const pack<unsigned, WORDS> all =
            read_pack<WORDS>(reinterpret_cast<const unsigned *>(p));

#pragma unroll
        for (int q = 0; q < WORDS; q++)
            v[q] = all.at[q];
    } else {
#pragma unroll
        for (int q = 0; q < WORDS; q++)
            v[q] = simt::load_bytes<(VEC > 1)>(p + 4 * q, count - 4 * q);
    }
}

/* One thread's part in copying tiles of EXTENT elements across K and DEPTH words
 * along it: units of four lines of UNIT bytes. With TURNED lines run along K, and
 * a unit is UNIT/4 words of four rows; else they run across, and it is a word of
 * UNIT columns, in squares that are turned. Either is stored in packs of four
 * words, those of eight neighbouring lanes next to each other: no conflicts.
 *
 * For that squares of columns that are neighbours in a unit lie apart: which
 * element is where, index_of() says. Products do not mind. */
template <int EXTENT, int DEPTH, int VEC, int THREADS, bool TURNED, int PITCH>
struct unit_reader {
    static constexpr int UNIT = VEC < 4 ? 4 : VEC;
    static constexpr int WORDS = UNIT / 4;
    static constexpr int SIZE = DEPTH * PITCH;
    static constexpr int ACROSS = EXTENT / UNIT;  /* units, without TURNED */
    static constexpr int ALONG = DEPTH / WORDS;   /* units, with TURNED */
    static constexpr int UNITS = EXTENT * DEPTH / UNIT;
    static constexpr int COUNT = (UNITS + THREADS - 1) / THREADS;

    const signed char *at; /* the next tile's first element */
    int pitch;
    int left, k_left; /* of the matrix, from there on */
    unsigned held[COUNT][4][WORDS];

    __device__ unit_reader(const signed char *matrix, int pitch_, int i, int k,
                           int i_end, int k_end)
        : pitch(pitch_), left(i_end - i), k_left(k_end - k)
    {
        at = matrix + (long long)(TURNED ? i : k) * pitch + (TURNED ? k : i);
    }
    __device__ void move(int tiles)
    {
        at += tiles * (TURNED ? 4LL * DEPTH : 4LL * DEPTH * pitch);
        k_left -= tiles * (4 * DEPTH);
    }
    /* Of the tile, the first of four elements whose words lie at `place` of a
     * line, a multiple of four. */
    __device__ static int index_of(int place)
    {
        return TURNED ? place
                      : place / 4 % ACROSS * UNIT + place / 4 / ACROSS * 4;
    }
    /* Unit `n` of this thread: its first element across, its word of K. */
    __device__ static void find(int n, int &i, int &word)
    {
        const int unit = threadIdx.x + n * THREADS;

        if (TURNED) {
            constexpr int LINES = 8 * ALONG; /* units of 32 rows */
            constexpr bool EVEN = THREADS % LINES == 0;
            const int of = EVEN ? (int)threadIdx.x : unit;

            word = of / 8 % ALONG * WORDS;
            i = of % 8 * 4 + of / LINES * 32 + (EVEN ? n * (THREADS / LINES) * 32 : 0);
        } else {
            word = THREADS % ACROSS == 0
                       ? (int)threadIdx.x / ACROSS + n * (THREADS / ACROSS)
                       : unit / ACROSS;
            i = (THREADS % ACROSS == 0 ? (int)threadIdx.x : unit) % ACROSS * UNIT;
        }
    }
    __device__ static bool has(int n)
    {
        return (n + 1) * THREADS <= UNITS ||
               (int)threadIdx.x + n * THREADS < UNITS;
    }

    /* Ask for unit `n` of a tile, if `wanted`. With INNER it is not the last along
     * K: what follows a line in the same row of the matrix may be read. */
    template <bool INNER>
    __device__ void load_unit(unsigned (&unit)[4][WORDS], int n, bool wanted) const
    {
        /* Or the compiler keeps the distances of all lines in registers. */
        const int step = afresh(pitch);
        int i, word;

        find(n, i, word);
#pragma unroll
        for (int line = 0; line < 4; line++) {
            const int row = TURNED ? i + line : 4 * word + line;
            const int col = TURNED ? 4 * word : i;
            const int rows = TURNED ? left : k_left;
            const int cols = (TURNED ? k_left : left) - col;
            const bool is_row = (INNER && !TURNED) || row < rows;

#pragma unroll
            for (int q = 0; q < WORDS; q++)
                unit[line][q] = 0;
            if (wanted && has(n) && is_row && cols > 0)
                load_line<VEC>(unit[line], at + (long long)row * step + col,
                               INNER && (TURNED || VEC > 1) ? UNIT : cols);
        }
    }
    static __device__ void store_unit(unsigned *to,
                                      const unsigned (&unit)[4][WORDS], int n)
    {
        int i, word;

        if (!has(n))
            return;
        find(n, i, word);
#pragma unroll
        for (int q = 0; q < WORDS; q++) {
            const unsigned lines[4] = {unit[0][q], unit[1][q], unit[2][q],
                                       unit[3][q]};
            pack<unsigned, 4> v;

            if (TURNED) {
#pragma unroll
                for (int line = 0; line < 4; line++)
                    v.at[line] = lines[line];
                write_pack<access::shared>(to + (word + q) * PITCH + i, v);
            } else {
                simt::turn_bytes(lines, v.at);
                write_pack<access::shared>(
                    to + word * PITCH + q * (4 * ACROSS) + i / WORDS, v);
            }
        }
    }
    /* The last tile along K, with care: once, so one unit after the other. */
    __device__ void copy_last(unsigned *to, bool wanted) const
    {
#pragma unroll 1
        for (int n = 0; n < COUNT; n++) {
            unsigned unit[4][WORDS];

            load_unit<false>(unit, n, wanted);
            store_unit(to, unit, n);
        }
    }
    /* Any other, on its way through registers. */
    __device__ void load(bool wanted)
    {
#pragma unroll
        for (int n = 0; n < COUNT; n++)
            load_unit<true>(held[n], n, wanted);
    }
    __device__ void store(unsigned *to) const
    {
#pragma unroll
        for (int n = 0; n < COUNT; n++)
            store_unit(to, held[n], n);
    }
};

} /* namespace bytes */
} /* namespace hone */

#endif
