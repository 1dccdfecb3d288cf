/* SPDX-License-Identifier: Apache-2.0 */
/* gaussian/march: threads go down columns with the latest results of the filter
 * along rows in registers (separable.cuh), in one pass over the image; or, FORM
 * two, that filter writes its sums as f32 and a second launch filters these down
 * the columns. */
#include "separable.cuh"
#include "gaussian.cuh"

#pragma hone implements gaussian/march "down columns with sums of rows in registers, any device"

#pragma hone param FORM in {one, two} default one
// Pixels of an access, which rows must be multiples of.
#pragma hone param VEC in {1, 2, 4, 8, 16} default 1
// Pixels of a thread along the row and down the column; threads of a block.
#pragma hone param PX in {1, 2, 4, 8, 16} default 4
#pragma hone param PY in {1, 4, 8, 16, 32, 64} default 16
#pragma hone param BLOCK_X in {16, 32, 64, 128} default 32
#pragma hone param BLOCK_Y in {1, 2, 4, 8} default 4
// Rows of a thread's loop that are unrolled: one; as many as the filter is
// long, so that sums do not move; or all.
#pragma hone param UNROLL in {one, ring, all} default ring
// Rows that are asked for before the one in front of them is used.
#pragma hone param AHEAD in {0, 1, 2, 4} default 2 when UNROLL != all
// Tiles go through shared memory; else windows come through the caches.
#pragma hone param SHARED: bool default false when FORM == one
#pragma hone param READ in {normal, l2, stream} when SHARED
#pragma hone param WRITE in {normal, stream}
// Bytes are taken for small f32 numbers, in place of conversions.
#pragma hone param MAGIC: bool default true when T == u8
// Bytes are filtered along rows in whole numbers, two taps by one instruction.
#pragma hone param WHOLE: bool default false when T == u8 && FORM == one
// Blocks the compiler must leave registers for.
#pragma hone param MIN_BLOCKS in {1, 2, 4, 6} default 1

#pragma hone let R = SIZE/2
#pragma hone let PER = T == u8 && VEC % 4 == 0 ? 4 : 1
#pragma hone let WANTED = ceildiv(R, PER)
#pragma hone let EDGE = min(VEC/PER, 1 << log2(2*WANTED - 1))
#pragma hone let HALO = align(WANTED, EDGE)*PER
#pragma hone let SPAN = BLOCK_X*PX + 2*align(HALO, VEC)
#pragma hone let SMEM = SHARED ? (BLOCK_Y*PY + 2*R)*SPAN*sizeof(T) : 0
#pragma hone let UNROLL_ROWS = UNROLL == one ? 1 : UNROLL == ring ? SIZE : PY + 2*R

#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require PX % VEC == 0 "a thread has whole accesses"
#pragma hone require PX*sizeof(T) <= 32 && (PX <= 2*VEC || VEC == 1 && PX <= 4) "a thread has one or two accesses of a row, or four small ones"
#pragma hone require VEC*sizeof(T) >= (sizeof(T) == 1 ? 4 : 8) || pitch % (2*VEC) != 0 || pitch_out % (2*VEC) != 0 || height*width < 4096 "rows allow wider accesses"
#pragma hone require T != u8 || PX >= 8 && PY >= 4*R && UNROLL != one || pitch % 8 != 0 || pitch_out % 8 != 0 || height*width*batch < 16M "too few bytes for what each row of a thread costs, or too few rows"
#pragma hone require pitch % VEC == 0 && pitch_out % VEC == 0 "rows are not multiples of VEC pixels"
#pragma hone require !WHOLE || VEC % 4 == 0 && MAGIC "whole numbers need words of four bytes"
#pragma hone require WHOLE || T != u8 || VEC % 4 != 0 || FORM == two || height*width < 4096 "whole numbers take fewer instructions"
#pragma hone require BLOCK_X*BLOCK_Y >= 64 && BLOCK_X*BLOCK_Y <= 256 "blocks have 64 to 256 threads"
#pragma hone require BLOCK_X*BLOCK_Y*MIN_BLOCKS <= device.threads_sm "a multiprocessor does not hold so many threads"
#pragma hone require MIN_BLOCKS == 1 || PX*SIZE >= 16 "few registers are used: launch bounds change nothing"
#pragma hone require FORM == one || SIZE >= 11 "the sums cost more than filtering rows again"
#pragma hone require (SIZE + 2)*PX <= 160 "the sums do not fit a thread's registers"
#pragma hone require UNROLL != all || (PY + 2*R)*PX*SIZE <= 640 "the loop does not fit the instruction cache"
#pragma hone require UNROLL != ring || SIZE*PX*SIZE <= 2048 && PY >= SIZE "the loop does not fit the instruction cache, or is longer than the rows"
#pragma hone require AHEAD < SIZE && (UNROLL != one || AHEAD <= 1) "windows would move from row to row"
#pragma hone require UNROLL != one || PY + 2*R >= 16 "few rows: unroll them"
#pragma hone require PY >= SIZE/2 || PY == 1 && (SHARED || FORM == two) || height < 64 "rows are filtered again and again"
#pragma hone require !SHARED || BLOCK_Y*PY >= 2*R || height < 64 "most of a tile are its edges"
#pragma hone require (MIN_BLOCKS > 1) + (WRITE == stream) + (READ == stream) + (FORM == two) + (AHEAD == 1) + (BLOCK_X*BLOCK_Y == 64) <= 1 "what seldom helps is tried one at a time"
#pragma hone require SMEM <= device.smem_optin "the tile does not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm "MIN_BLOCKS tiles do not fit a multiprocessor"

#pragma hone let TILES = ceildiv(height, BLOCK_Y*PY)*batch
#pragma hone let PITCH_SUMS = align(width, 4)
#pragma hone workspace sums: f32[FORM == two ? batch*height*PITCH_SUMS : 0]
#pragma hone launch filter_image if(FORM == one) grid(ceildiv(width, BLOCK_X*PX), min(TILES, 65535)) block(BLOCK_X, BLOCK_Y) shared(SMEM) args(x, sigma, y, i64(height), i64(width), i64(pitch), i64(pitch_out), i64(batch))
#pragma hone launch filter_along if(FORM == two) grid(ceildiv(width, BLOCK_X*PX), min(TILES, 65535)) block(BLOCK_X, BLOCK_Y) args(x, sigma, sums, i64(height), i64(width), i64(pitch), i64(PITCH_SUMS), i64(batch))
#pragma hone launch filter_down if(FORM == two) grid(ceildiv(width, BLOCK_X*PX), min(TILES, 65535)) block(BLOCK_X, BLOCK_Y) args(sums, sigma, y, i64(height), i64(width), i64(PITCH_SUMS), i64(pitch_out), i64(batch))

struct form {
    using pixel = T;
    static constexpr int BORDER = ::BORDER, VEC = ::VEC;
    static constexpr int HALO = ::HALO, EDGE = ::EDGE;
    static constexpr int PX = ::PX, PY = ::PY;
    static constexpr int BLOCK_X = ::BLOCK_X, BLOCK_Y = ::BLOCK_Y;
    static constexpr int SIZE = ::SIZE;
    static constexpr int UNROLL = ::UNROLL_ROWS, SPAN = ::SPAN;
    static constexpr int AHEAD = ::AHEAD;
    static constexpr bool MAGIC = ::MAGIC && sizeof(T) == 1;
    static constexpr bool WHOLE = ::WHOLE && sizeof(T) == 1;
    static constexpr bool SHARED = ::SHARED, CLAMP = false;
    static constexpr hone::access READ =
        ::READ == READ_values::l2       ? hone::access::l2
        : ::READ == READ_values::stream ? hone::access::stream
                                        : hone::access::normal;
    static constexpr hone::access WRITE = ::WRITE == WRITE_values::stream
                                              ? hone::access::stream
                                              : hone::access::normal;
};

/* The weights, by each thread and without a branch, so that loads of pixels do
 * not wait for them. */
struct weights_of {
    float sigma;

    /* 1/v, off by 2 * 2^-24 of itself, for v from 2^-60 to 2^60. */
    __device__ static float reciprocal(float v)
    {
        const float r = __fdividef(1.0f, v);

        return r * fmaf(-v, r, 2.0f);
    }

    __device__ hone::taps<SIZE> operator()() const
    {
        /* Beyond, all weights but one are 0, or all are the same. */
        const float r = reciprocal(fminf(fmaxf(sigma, 0x1p-60f), 0x1p60f));
        const float scale = -0.5f * r * r;
        hone::taps<SIZE> t;
        float g[R + 1], sum = 1.0f;

        g[0] = 1.0f;
#pragma unroll
        for (int k = 1; k <= R; k++) {
            g[k] = expf((float)(k * k) * scale);
            sum += 2.0f * g[k];
        }
        sum = reciprocal(sum);
#pragma unroll
        for (int k = 0; k < SIZE; k++)
            t.at[k] = g[k < R ? R - k : k - R] * sum;
        return t;
    }
};

#if HONE_FORM == HONE_FORM_one
extern "C" __global__ void
__launch_bounds__(BLOCK_X *BLOCK_Y, MIN_BLOCKS)
filter_image(const T *__restrict__ x, float sigma, T *__restrict__ y,
             long long height, long long width, long long pitch,
             long long pitch_out, long long batch)
{
    extern __shared__ __align__(16) unsigned char tile[];
    const weights_of weights = {sigma};

    hone::filter_both<form>(x, y, reinterpret_cast<T *>(tile), weights, weights,
                            {height, width, pitch, pitch_out, batch});
}
#else
extern "C" __global__ void
__launch_bounds__(BLOCK_X *BLOCK_Y, MIN_BLOCKS)
filter_along(const T *__restrict__ x, float sigma,
             float *__restrict__ sums, long long height, long long width,
             long long pitch, long long pitch_sums, long long batch)
{
    hone::filter_rows<form>(x, sums, weights_of{sigma},
                            {height, width, pitch, pitch_sums, batch});
}

extern "C" __global__ void
__launch_bounds__(BLOCK_X *BLOCK_Y, MIN_BLOCKS)
filter_down(const float *__restrict__ sums, float sigma, T *__restrict__ y,
            long long height, long long width, long long pitch_sums,
            long long pitch_out, long long batch)
{
    hone::filter_columns<form>(sums, y, weights_of{sigma},
                               {height, width, pitch_sums, pitch_out, batch});
}
#endif
