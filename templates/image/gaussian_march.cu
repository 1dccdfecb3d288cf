/* SPDX-License-Identifier: Apache-2.0 */
/* gaussian/march: threads go down columns with the latest results of the filter
 * along rows in registers (separable.cuh), in one pass over the image; or, FORM
 * two, that filter writes its sums as f32 and a second launch filters these down
 * the columns. */
#include "separable.cuh"
#include "gaussian.cuh"

#pragma hone implements gaussian/march "down columns with sums of rows in registers, any device"

#include "march_space.cuh"
// Bytes are filtered along rows in whole numbers, two taps by one instruction.
#pragma hone param WHOLE: bool default false when T == u8 && FORM == one
// Blocks the compiler must leave registers for.
#pragma hone param MIN_BLOCKS in {1, 2, 4, 6} default 1
#pragma hone require !WHOLE || VEC % 4 == 0 && MAGIC "whole numbers need words of four bytes"
#pragma hone require WHOLE || T != u8 || VEC % 4 != 0 || FORM == two || height*width < 4096 "whole numbers take fewer instructions"
#pragma hone let RARE = 0
#include "march_limits.cuh"
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
