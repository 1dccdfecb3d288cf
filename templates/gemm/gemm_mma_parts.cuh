/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of gemm/mma: tiles of A and B on their way to shared memory and from there
 * to fragments, and sums on theirs to rows of C. E is f16 or bf16.
 * No name of a template parameter: see hone_device.cuh. */
#ifndef GEMM_MMA_PARTS_CUH
#define GEMM_MMA_PARTS_CUH

#include "hone_device.cuh"
#include "hone_mma.cuh"
#include "hone_pack.cuh"

namespace hone {
namespace mma {

constexpr int least(int a, int b)
{
    return a < b ? a : b;
}

/* Rows of GROUPS groups of eight elements, 16 bytes, in shared memory. Up to eight
 * neighbouring groups change places by the row's number: eight rows' groups of one
 * number, and eight groups that follow each other, lie in different banks. */
template <int GROUPS> struct swizzle {
    static constexpr int SPAN = least(GROUPS, 8); /* that change places */
    static constexpr int LINE = GROUPS * 16;      /* bytes of a row */

    /* What the bytes of a row's groups are exchanged by. */
    __device__ static constexpr unsigned turn(unsigned row)
    {
        return row / (8 / SPAN) % SPAN * 16;
    }
    __device__ static constexpr unsigned place(unsigned row, unsigned group)
    {
        return (row * LINE + group * 16) ^ turn(row);
    }
};

/* A tile of A or B: EXTENT elements of M or N, DEPTH of K. Its rows run along K, or
 * with DOWN across it; in shared memory it lies as in the matrix. */
template <int EXTENT, int DEPTH, bool DOWN> struct tile {
    static constexpr int ROWS = DOWN ? DEPTH : EXTENT;
    static constexpr int GROUPS = (DOWN ? EXTENT : DEPTH) / 8;
    using lies = swizzle<GROUPS>;
    static constexpr int BYTES = ROWS * lies::LINE;

    /* Where this lane's row of the 8 x 8 matrices of a fragment lies, the first of
     * those that begin `across` elements across K. Of A (IS_A) the second matrix
     * lies across K and the third along it, of B the other way round: fragments of
     * 16 x 16 of A, and two of 16 x 8 of B. */
    template <bool IS_A> __device__ static unsigned lane_of(unsigned across)
    {
        const unsigned lane = threadIdx.x % 32;
        const unsigned second = lane / 8 % 2, third = lane / 16;
        const unsigned further = IS_A ? second : third;
        const unsigned deeper = IS_A ? third : second;

        return DOWN ? lies::place(lane % 8 + deeper * 8, across / 8 + further)
                    : lies::place(across + lane % 8 + further * 8, deeper);
    }
    /* The same 16*i elements further across K and 16*k along it: `across` was a
     * multiple of all that follow. */
    __device__ static constexpr unsigned fragment(unsigned of_lane, int i, int k)
    {
        const int group = 2 * (DOWN ? i : k), row = 16 * (DOWN ? k : i);

        return (of_lane ^ (group % lies::SPAN * 16)) +
               (group / lies::SPAN * lies::SPAN * 16 + row * lies::LINE);
    }
    static __device__ void load(unsigned (&v)[4], shared_place slot,
                                unsigned of_lane, int i, int k)
    {
        load_matrices<DOWN>(v, slot + fragment(of_lane, i, k));
    }
};

/* One thread's part in copying tiles to shared memory: pieces of VEC elements, 4, 8
 * or 16 bytes at multiples of that, ROW_STEP rows apart, a power of two. */
template <typename E, int EXTENT, int DEPTH, bool DOWN, int VEC, int THREADS>
struct tile_reader {
    using its = tile<EXTENT, DEPTH, DOWN>;
    using lies = typename its::lies;
    static constexpr int PIECES = its::GROUPS * 8 / VEC; /* of a row */
    static constexpr int ROW_STEP = THREADS / PIECES;
    static constexpr int COUNT = ROW_STEP ? its::ROWS / ROW_STEP : 0;
    static_assert(COUNT > 0 && COUNT * ROW_STEP == its::ROWS,
                  "every thread copies a part");

    const E *at;          /* this thread's next piece */
    long long step, next; /* elements to the next of a tile, from tile to tile */
    int left, k_left;     /* of the matrix, from the tile's first on: across K,
                             along it */
    unsigned to;          /* where in the slot */

    /* `pitch` elements from row to row; the tile starts at (i, k) of a matrix
     * that ends before (i_end, k_end). */
    __device__ tile_reader(const E *matrix, int pitch, int i, int k, int i_end,
                           int k_end)
    {
        const int row = (int)threadIdx.x / PIECES;
        const int col = (int)threadIdx.x % PIECES * VEC;

        at = matrix + (long long)((DOWN ? k : i) + row) * pitch +
             (DOWN ? i : k) + col;
        step = (long long)ROW_STEP * pitch;
        next = DOWN ? (long long)DEPTH * pitch : DEPTH;
        left = i_end - i - (DOWN ? col : row);
        k_left = k_end - k - (DOWN ? row : col);
        to = lies::place(row, col / 8) + col % 8 * 2;
    }
    __device__ void move(int tiles)
    {
        at += tiles * next;
        k_left -= tiles * DEPTH;
    }
    /* Of piece `n` from the first one's on. Rows are ROW_STEP apart, so no bit of
     * their numbers is set in both `row` and n*ROW_STEP. */
    __device__ static unsigned place(unsigned to, int n)
    {
        return (to ^ lies::turn(n * ROW_STEP)) + n * ROW_STEP * lies::LINE;
    }

    /* If `wanted`, copy a tile of which any part may lie outside and becomes 0 to
     * `slot`. */
    __device__ void copy_any(char *slot, bool wanted)
    {
        const int rows_left = DOWN ? k_left : left;
        const int cols_left = DOWN ? left : k_left;
        const int bytes = min(max(cols_left, 0), VEC) * 2;

#pragma unroll 1
        for (int n = 0; n < COUNT; n++) {
            hone::copy_async_part<VEC * 2>(
                slot + place(to, n), at,
                n * ROW_STEP < rows_left ? bytes : 0, wanted);
            at += step;
        }
        at -= COUNT * step;
    }
    /* If `wanted`, copy part `part` of PARTS, one after the other, of a tile which
     * is not the last along K to `slot`; rows or pieces outside become 0. The
     * addresses go from piece to piece, or the compiler keeps the distances of all
     * in registers. */
    template <int PARTS>
    __device__ void copy(shared_place slot, int part, bool wanted)
    {
        constexpr int MOST = (COUNT + PARTS - 1) / PARTS;

#pragma unroll
        for (int i = 0; i < MOST; i++) {
            const int n = part * COUNT / PARTS + i;

            if (n >= (part + 1) * COUNT / PARTS)
                break;
            copy_async_to<VEC * 2>(slot + place(to, n), at,
                                   DOWN ? left > 0 : n * ROW_STEP < left,
                                   wanted);
            at = afresh(at + step);
        }
        if (part == PARTS - 1)
            at -= COUNT * step;
    }
};

/* Rows of C from a warp's first one on, of which rows x cols lie in the matrix.
 * `after` is an epilogue of the columns from the warp's first one on. */
template <typename OUT, typename AFTER> struct rows_of_c {
    OUT *to;
    long long pitch;
    int rows, cols;
    float alpha, beta;
    AFTER after;

    /* The only place where a sum becomes an element of C. */
    __device__ OUT finished(float sum, OUT old, float bias) const
    {
        return narrow<OUT>(
            after.finish(alpha * sum + beta * widen(old), bias));
    }
    /* N neighbours that are all inside, p being a multiple of their size. */
    template <int N>
    __device__ void put(OUT *p, const pack<OUT, N> &old, const float (&sums)[N],
                        const float (&bias)[N]) const
    {
        pack<OUT, N> v;

#pragma unroll
        for (int i = 0; i < N; i++)
            v.at[i] = finished(sums[i], old.at[i], bias[i]);
        write_pack(p, v);
    }
    __device__ void put_one(OUT *p, float sum, float bias) const
    {
        *p = finished(sum, beta != 0.0f ? *p : OUT(0.0f), bias);
    }
};

/* 16 rows of WIDTH sums of a warp, as fragments leave them, put together to rows in
 * shared memory of its own. */
template <int WIDTH> struct strip {
    static constexpr int PITCH = WIDTH + 8; /* no bank conflicts, 16 bytes */
    static constexpr int SIZE = 16 * PITCH; /* floats */
    float *at;

    __device__ void put(const float (&sums)[WIDTH / 8][4]) const
    {
        const int lane = threadIdx.x % 32;
        float *const to = at + lane / 4 * PITCH + lane % 4 * 2;

#pragma unroll
        for (int j = 0; j < WIDTH / 8; j++)
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const pack<float, 2> v = {
                    {sums[j][2 * half], sums[j][2 * half + 1]}};

                write_pack<access::shared>(to + half * 8 * PITCH + j * 8, v);
            }
    }
    /* Where rows of C begin at multiples of 16 bytes and all columns are inside,
     * these leave whole: N elements in each of COUNT rows a lane. */
    template <typename OUT, typename AFTER> struct wide_rows {
        static constexpr int N = 16 / (int)sizeof(OUT);
        static constexpr int LANES = WIDTH / N; /* of a row */
        static constexpr int STEP = 32 / LANES; /* rows at a time */
        static constexpr int COUNT = 16 / STEP;
        pack<OUT, N> old[COUNT]; /* what C held, where beta is not 0 */

        static __device__ int row() { return (int)threadIdx.x % 32 / LANES; }
        static __device__ int col() { return (int)threadIdx.x % LANES * N; }

        /* Ask for what C holds. */
        __device__ void read(const rows_of_c<OUT, AFTER> &c)
        {
            const OUT *const from = c.to + row() * c.pitch + col();

#pragma unroll
            for (int n = 0; n < COUNT; n++) {
                old[n] = {};
                if (c.beta != 0.0f && row() + n * STEP < c.rows)
                    old[n] = read_pack<N>(from + n * STEP * c.pitch);
            }
        }
        __device__ void write(const rows_of_c<OUT, AFTER> &c,
                              const float *at) const
        {
            const float *const from = at + row() * PITCH + col();
            OUT *const to = c.to + row() * c.pitch + col();
            float bias[N];

#pragma unroll
            for (int i = 0; i < N; i++)
                bias[i] = c.after.of(col() + i);

#pragma unroll
            for (int n = 0; n < COUNT; n++) {
                float sums[N];

#pragma unroll
                for (int i = 0; i < N; i += 4) {
                    const pack<float, 4> v = read_pack<4, access::shared>(
                        from + n * STEP * PITCH + i);

#pragma unroll
                    for (int e = 0; e < 4; e++)
                        sums[i + e] = v.at[e];
                }
                if (row() + n * STEP < c.rows)
                    c.put(to + n * STEP * c.pitch, old[n], sums, bias);
            }
        }
    };
    /* Else four bytes at multiples of that. Of rows of 16 bits that begin between
     * two such, one lane has the first and the last. */
    template <typename OUT, typename AFTER>
    __device__ void write_loose(const rows_of_c<OUT, AFTER> &c) const
    {
        constexpr int N = 4 / (int)sizeof(OUT);
        constexpr int LANES = least(WIDTH / N, 32);
        const int lane = threadIdx.x % 32;

#pragma unroll 1
        for (int row = lane / LANES; row < least(c.rows, 16);
             row += 32 / LANES) {
            OUT *const to = c.to + row * c.pitch;
            const int odd = is_aligned<4>(to) ? 0 : 1;

#pragma unroll 1
            for (int i = lane % LANES; i < WIDTH / N; i += LANES) {
                const int first = i * N + odd;
                const int last = (first + N - 1) % WIDTH;
                float sums[N], bias[N];

#pragma unroll
                for (int e = 0; e < N; e++) {
                    const int col = (first + e) % WIDTH;

                    sums[e] = at[row * PITCH + col];
                    bias[e] = c.after.of(col, col < c.cols);
                }
                if (last >= first && last < c.cols) {
                    c.put(to + first,
                          c.beta != 0.0f ? read_pack<N>(to + first)
                                         : pack<OUT, N>{},
                          sums, bias);
                    continue;
                }
#pragma unroll
                for (int e = 0; e < N; e++)
                    if ((first + e) % WIDTH < c.cols)
                        c.put_one(to + (first + e) % WIDTH, sums[e], bias[e]);
            }
        }
    }
};

} /* namespace mma */
} /* namespace hone */

#endif
