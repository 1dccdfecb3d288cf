/* SPDX-License-Identifier: Apache-2.0 */
/* median/network: threads go down columns. Of each new row of outputs they put
 * the columns of its windows in order, each once for all windows that it is part
 * of, and find the medians by a network of comparisons in registers, for up to
 * four neighbouring pixels at a time (LANES). */
#include "image_tiles.cuh"
#include "median_network.cuh"
#include "median.cuh"

#pragma hone implements median/network "columns in order, then a network, in registers, any device"

// Pixels of an access, which rows must be multiples of.
#pragma hone param VEC in {1, 2, 4, 8, 16} default 1
// Pixels of a word: one; four bytes; two, as integers of 16 bits or as f16.
#pragma hone param LANES in {one, bytes, shorts, halves}
// Pixels of a thread along the row and down the column; threads of a block.
#pragma hone param PX in {1, 2, 4, 8, 16} default 4
#pragma hone param PY in {1, 2, 4, 8, 16, 32} default 4
#pragma hone param BLOCK_X in {32, 64, 128} default 32
#pragma hone param BLOCK_Y in {1, 2, 4, 8} default 4
// Rows of a thread's loop that are unrolled: one; as many as a window has, so
// that rows do not move; or all.
#pragma hone param UNROLL in {one, ring, all} default ring
// Tiles go through shared memory; else windows come through the caches.
#pragma hone param SHARED: bool default false
#pragma hone param READ in {normal, l2, stream} when SHARED
#pragma hone param WRITE in {normal, stream}
// Blocks the compiler must leave registers for.
#pragma hone param MIN_BLOCKS in {1, 2, 4} default 1

#pragma hone let R = SIZE/2
#pragma hone let PER = T == u8 ? (VEC % 4 == 0 ? 4 : 1) : LANES == halves ? 2 : 1
#pragma hone let WANTED = ceildiv(R, PER)
#pragma hone let EDGE = min(max(VEC/PER, 1), 1 << log2(2*WANTED - 1))
#pragma hone let HALO = align(WANTED, EDGE)*PER
#pragma hone let SPAN = BLOCK_X*PX + 2*align(HALO, VEC)
#pragma hone let SMEM = SHARED ? (BLOCK_Y*PY + 2*R)*SPAN*sizeof(T) : 0
#pragma hone let UNROLL_ROWS = UNROLL == one ? 1 : UNROLL == ring ? SIZE : PY + 2*R

#pragma hone require LANES == one || (T == u8 && VEC % 4 == 0) || (T == f16 && LANES == halves && VEC % 2 == 0) "words hold several bytes where accesses are of 4, f16 (halves) where they are of 2"
#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require PX % VEC == 0 "a thread has whole accesses"
#pragma hone require PX*sizeof(T) <= 32 && (PX <= 2*VEC || VEC == 1 && PX <= 4) "a thread has one or two accesses of a row, or four small ones"
#pragma hone require VEC*sizeof(T) >= 4 || pitch % (2*VEC) != 0 || pitch_out % (2*VEC) != 0 || height*width < 4096 "rows allow wider accesses"
#pragma hone require pitch % VEC == 0 && pitch_out % VEC == 0 "rows are not multiples of VEC pixels"
#pragma hone require BLOCK_X*BLOCK_Y >= 64 && BLOCK_X*BLOCK_Y <= 256 "blocks have 64 to 256 threads"
#pragma hone require BLOCK_X*BLOCK_Y*MIN_BLOCKS <= device.threads_sm "a multiprocessor does not hold so many threads"
#pragma hone require SIZE*(PX + 2*HALO) <= (LANES == one ? 96 : 256) "the rows do not fit a thread's registers"
#pragma hone require UNROLL != all || (PY + 2*R)*PX*(SIZE == 3 ? 1 : 5) <= (LANES == one ? 256 : 1024) "the loop does not fit the instruction cache"
#pragma hone require UNROLL != ring || PY >= SIZE "the loop is longer than the rows"
#pragma hone require UNROLL != one || PY >= 16 "few rows: unroll them"
#pragma hone require !SHARED || BLOCK_Y*PY >= 2*R || height < 64 "most of a tile are its edges"
#pragma hone require (MIN_BLOCKS > 1) + (WRITE == stream) + (READ == stream) + (BLOCK_X*BLOCK_Y == 64) <= 1 "what seldom helps is tried one at a time"
#pragma hone require SMEM <= device.smem_optin "the tile does not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm "MIN_BLOCKS tiles do not fit a multiprocessor"

#pragma hone let TILES = ceildiv(height, BLOCK_Y*PY)*batch
#pragma hone launch median_image grid(ceildiv(width, BLOCK_X*PX), min(TILES, 65535)) block(BLOCK_X, BLOCK_Y) shared(SMEM) args(x, y, i64(height), i64(width), i64(pitch), i64(pitch_out), i64(batch))

#if HONE_PER == 1
using unit = T;
#else
using unit = unsigned;
#endif
constexpr hone::lanes kLanes = (hone::lanes)(int)LANES;
using word = hone::lane_word<T, kLanes>::type;
constexpr int kPixels = hone::lane_word<T, kLanes>::PIXELS;
using window = hone::window<T, unit, PX, VEC, HALO, EDGE>;
constexpr int kWords = (PX + 2 * HALO) / kPixels; /* of a window's row */

struct form {
    using pixel = T;
    static constexpr int BORDER = ::BORDER, VEC = ::VEC;
    static constexpr int HALO = ::HALO, EDGE = ::EDGE;
    static constexpr int PX = ::PX, PY = ::PY;
    static constexpr int BLOCK_X = ::BLOCK_X, BLOCK_Y = ::BLOCK_Y;
    static constexpr int SPAN = ::SPAN;
    static constexpr bool SHARED = ::SHARED;
    static constexpr hone::access READ =
        ::READ == READ_values::l2       ? hone::access::l2
        : ::READ == READ_values::stream ? hone::access::stream
                                        : hone::access::normal;
    static constexpr hone::access WRITE = ::WRITE == WRITE_values::stream
                                              ? hone::access::stream
                                              : hone::access::normal;
};

/* The medians of one row of outputs, `ring` being the rows of its windows. */
__device__ inline void medians(const word (&ring)[SIZE][kWords],
                               word (&median)[PX / kPixels])
{
    word column[SIZE][kWords]; /* in order */

#pragma unroll
    for (int i = 0; i < kWords; i++) {
        word v[SIZE];

#pragma unroll
        for (int k = 0; k < SIZE; k++)
            v[k] = ring[k][i];
        hone::order_all<kLanes>(v);
#pragma unroll
        for (int k = 0; k < SIZE; k++)
            column[k][i] = v[k];
    }
#pragma unroll
    for (int i = 0; i < PX / kPixels; i++) {
        word v[SIZE][SIZE];

#pragma unroll
        for (int k = 0; k < SIZE; k++)
#pragma unroll
            for (int c = 0; c < SIZE; c++)
                v[k][c] = hone::word_at<kPixels>(column[k], HALO - R + c +
                                                                i * kPixels);
        median[i] = hone::median_of_columns<kLanes>(v);
    }
}

extern "C" __global__ void
__launch_bounds__(BLOCK_X *BLOCK_Y, MIN_BLOCKS)
median_image(const T *__restrict__ x, T *__restrict__ y, long long height,
             long long width, long long pitch, long long pitch_out,
             long long batch)
{
    extern __shared__ __align__(16) unsigned char tile[];

    hone::for_tiles<form, R, HALO, window>(
        x, reinterpret_cast<T *>(tile),
        {height, width, pitch, pitch_out, batch},
        [&](const auto &rows, long long image, long long row,
            long long column) {
            T *to = y + (image * height + row) * pitch_out + column;
            const long long left = rows.limit(height - row);
            word ring[SIZE][kWords] = {};

#pragma unroll UNROLL_ROWS
            for (int i = 0; i < PY + 2 * R; i++) {
                window w;
                word median[PX / kPixels];
                unit out[PX / PER];

                if (i - 2 * R >= left)
                    break;
#pragma unroll
                for (int k = 0; k + 1 < SIZE; k++)
#pragma unroll
                    for (int c = 0; c < kWords; c++)
                        ring[k][c] = ring[k + 1][c];
                rows.read(w, i);
                hone::to_words(w.at, ring[SIZE - 1]);
                if (i < 2 * R)
                    continue;
                medians(ring, median);
                hone::to_units(median, out);
                hone::write_pixels<VEC, form::WRITE>(
                    to + (i - 2 * R) * pitch_out, out,
                    rows.limit(width - column));
            }
        });
}
