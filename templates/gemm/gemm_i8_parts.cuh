/* SPDX-License-Identifier: Apache-2.0 */
/* How tiles of bytes get to shared memory for gemm_i8/simt: in words of four
 * bytes that follow each other along K. No name of a template parameter: see
 * hone_device.cuh. */
#ifndef GEMM_I8_PARTS_CUH
#define GEMM_I8_PARTS_CUH

#include "hone_device.cuh"
#include "hone_pack.cuh"

namespace hone {
namespace simt {

/* Four words, the rows of a square of bytes, to its columns. */
__device__ inline void turn_bytes(const unsigned (&rows)[4],
                                  unsigned (&cols)[4])
{
    const unsigned a = __byte_perm(rows[0], rows[1], 0x5140);
    const unsigned b = __byte_perm(rows[2], rows[3], 0x5140);
    const unsigned c = __byte_perm(rows[0], rows[1], 0x7362);
    const unsigned d = __byte_perm(rows[2], rows[3], 0x7362);

    cols[0] = __byte_perm(a, b, 0x5410);
    cols[1] = __byte_perm(a, b, 0x7632);
    cols[2] = __byte_perm(c, d, 0x5410);
    cols[3] = __byte_perm(c, d, 0x7632);
}

/* The first `count` of four bytes at p, then zeros; at once if they are `wide`,
 * at multiples of four. */
template <bool WIDE>
__device__ inline unsigned load_bytes(const signed char *p, int count)
{
    unsigned v = 0;

    if (WIDE && count >= 4)
        return *reinterpret_cast<const unsigned *>(p);
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (i < count)
            v |= (unsigned)(unsigned char)p[i] << 8 * i;
    return v;
}

/* One thread's part in copying tiles of EXTENT elements across K and DEPTH
 * words of four along K: squares of four bytes along K and four rows or
 * columns. With TURNED rows run along K, else down. In shared memory a line
 * belongs to a word of K, PITCH words from line to line. WIDE: rows begin at
 * multiples of four bytes. */
template <int EXTENT, int DEPTH, bool WIDE, int THREADS, bool TURNED, int PITCH>
struct byte_reader {
    static constexpr int SIZE = DEPTH * PITCH;
    static constexpr int ACROSS = EXTENT / 4; /* squares */
    /* Neighbours along K share sectors, those across it a row. */
    static constexpr int LANES = TURNED ? (DEPTH < 8 ? DEPTH : 8) : ACROSS;
    static constexpr int COUNT = (ACROSS * DEPTH + THREADS - 1) / THREADS;

    const signed char *at; /* the next tile's first element */
    int pitch;
    int left, k_left; /* of the matrix, from there on */
    int first = 0;
    unsigned held[COUNT][4];

    __device__ byte_reader(const signed char *matrix, int pitch_, int i, int k,
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
    /* Square `n` of this thread: its first element across, its word of K. */
    __device__ static void find(int n, int &i, int &word)
    {
        const int square = threadIdx.x + n * THREADS;

        if (TURNED) {
            const int of_rows = square / LANES;

            word = square % LANES + of_rows / ACROSS * LANES;
            i = of_rows % ACROSS * 4;
        } else {
            word = square / ACROSS;
            i = square % ACROSS * 4;
        }
    }
    __device__ static bool has(int n)
    {
        return (n + 1) * THREADS <= ACROSS * DEPTH ||
               (int)threadIdx.x + n * THREADS < ACROSS * DEPTH;
    }

    template <bool INNER> __device__ void load(bool wanted)
    {
#pragma unroll
        for (int n = 0; n < COUNT; n++) {
            int i, word;

            find(n, i, word);
#pragma unroll
            for (int line = 0; line < 4; line++) {
                /* Of the matrix as it lies: row and columns. */
                const int row = TURNED ? i + line : 4 * word + line;
                const int col = TURNED ? 4 * word : i;
                const int rows = TURNED ? left : k_left;
                const int cols = TURNED ? k_left : left;
                const bool is_row = INNER && !TURNED ? true : row < rows;

                held[n][line] =
                    wanted && has(n) && is_row
                        ? load_bytes<WIDE>(at + (long long)row * pitch + col,
                                           INNER && TURNED ? 4 : cols - col)
                        : 0u;
            }
        }
    }
    __device__ void store(unsigned *to) const
    {
#pragma unroll
        for (int n = 0; n < COUNT; n++) {
            int i, word;
            pack<unsigned, 4> v;

            if (!has(n))
                continue;
            find(n, i, word);
            if (TURNED) {
#pragma unroll
                for (int line = 0; line < 4; line++)
                    v.at[line] = held[n][line];
            } else {
                turn_bytes(held[n], v.at);
            }
            write_pack<access::shared>(to + word * PITCH + i, v);
        }
    }
    /* All goes through registers. */
    template <bool INNER> __device__ void copy(unsigned *, int, bool) {}
};

} /* namespace simt */
} /* namespace hone */

#endif
