/* SPDX-License-Identifier: Apache-2.0 */
/* How the sums of a warp group get to C from registers, and what the way through
 * staging buffers (gemm_sm90_staging.cuh) shares with it. Behind hone_pack.cuh and
 * gemm_sm90_parts.cuh, which says where a thread's sums belong; no name of a
 * template parameter: see hone_device.cuh. */
#ifndef GEMM_SM90_OUTPUT_CUH
#define GEMM_SM90_OUTPUT_CUH

namespace hone {
namespace gemm {

/* --- elements of C -------------------------------------------------------- */

/* How elements lie in memory, one or two at once. */
template <typename E> struct element;
template <> struct element<float> {
    using one = float;
    using two = float2;
    static __device__ float2 pack(float a, float b)
    {
        return make_float2(a, b);
    }
    static __device__ float first(float2 v) { return v.x; }
    static __device__ float second(float2 v) { return v.y; }
    static __device__ float value(float v) { return v; }
};
template <> struct element<__half> {
    using one = unsigned short;
    using two = unsigned;
    static __device__ unsigned pack(float a, float b)
    {
        return narrow_pair<__half>(a, b);
    }
    static __device__ one first(unsigned v) { return (one)v; }
    static __device__ one second(unsigned v) { return (one)(v >> 16); }
    static __device__ float value(one v)
    {
        return __half2float(__ushort_as_half(v));
    }
};
template <> struct element<__nv_bfloat16> {
    using one = unsigned short;
    using two = unsigned;
    static __device__ unsigned pack(float a, float b)
    {
        return narrow_pair<__nv_bfloat16>(a, b);
    }
    static __device__ one first(unsigned v) { return (one)v; }
    static __device__ one second(unsigned v) { return (one)(v >> 16); }
    static __device__ float value(one v)
    {
        return __uint_as_float((unsigned)v << 16);
    }
};

/* One matrix C of ROWS x COLS as the products see it: with TURNED, what they
 * call a column is a row of C. `pairs`: two neighbours that begin at an even
 * column lie at a multiple of their size. */
template <typename E, bool TURNED> struct matrix {
    using one = typename element<E>::one;
    using two = typename element<E>::two;
    static constexpr bool IS_TURNED = TURNED;
    one *to;
    long long pitch;
    int rows, cols;
    bool pairs;

    __device__ one *at(int row, int col) const
    {
        return TURNED ? to + col * pitch + row : to + row * pitch + col;
    }
    __device__ void write(int row, int col, float a, float b) const
    {
        const two v = element<E>::pack(a, b);
        one *p = at(row, col);

        if (row >= rows)
            return;
        if (!TURNED && pairs && col + 1 < cols) {
            *reinterpret_cast<two *>(p) = v;
        } else {
            if (col < cols)
                p[0] = element<E>::first(v);
            if (col + 1 < cols)
                p[TURNED ? pitch : 1] = element<E>::second(v);
        }
    }
    __device__ float2 read(int row, int col) const
    {
        const one *p = at(row, col);
        const bool first = row < rows && col < cols;
        const bool second = row < rows && col + 1 < cols;

        return make_float2(
            first ? element<E>::value(p[0]) : 0.0f,
            second ? element<E>::value(p[TURNED ? pitch : 1]) : 0.0f);
    }
};

/* --- what becomes of sums ------------------------------------------------- */

/* Row and column of a thread's first sum. */
__device__ inline int lane_row(int thread)
{
    return thread % 128 / 32 * 16 + thread % 32 / 4;
}
__device__ inline int lane_col(int thread)
{
    return thread % 4 * 2;
}

/* alpha times them. */
template <int HEIGHTS, int SUMS>
__device__ __forceinline__ void scale(float (&sums)[HEIGHTS][SUMS],
                                      float alpha)
{
    if (alpha != 1.0f) {
#pragma unroll
        for (int i = 0; i < HEIGHTS; i++) {
#pragma unroll
            for (int j = 0; j < SUMS; j++)
                sums[i][j] *= alpha;
        }
    }
}

/* alpha times them, plus beta times what is in C. Some accesses are asked for
 * before the first is used. */
template <int HEIGHTS, int SUMS, typename C>
__device__ __forceinline__ void
scale_direct(float (&sums)[HEIGHTS][SUMS], const C &c, int row, int col,
             int thread, float alpha, float beta)
{
    constexpr int AHEAD = 8;

    if (beta != 0.0f) {
        row += lane_row(thread);
        col += lane_col(thread);
#pragma unroll
        for (int i = 0; i < HEIGHTS * 2; i++) {
#pragma unroll
            for (int from = 0; from < SUMS / 4; from += AHEAD) {
                float2 old[AHEAD] = {};

#pragma unroll
                for (int j = 0; j < AHEAD && from + j < SUMS / 4; j++)
                    old[j] = c.read(row + i / 2 * 64 + i % 2 * 8,
                                    col + (from + j) * 8);
#pragma unroll
                for (int j = 0; j < AHEAD && from + j < SUMS / 4; j++) {
                    float *d = &sums[i / 2][(from + j) * 4 + i % 2 * 2];

                    d[0] = alpha * d[0] + beta * old[j].x;
                    d[1] = alpha * d[1] + beta * old[j].y;
                }
            }
        }
    } else {
        scale(sums, alpha);
    }
}

/* What is done to the sums of the columns from `first` to before `end`: F is a
 * hone::epilogue. */
template <int HEIGHTS, int SUMS, typename C, typename F>
__device__ __forceinline__ void finish(float (&sums)[HEIGHTS][SUMS], const C &c,
                                       int row, int col, int thread, const F &f,
                                       int first, int end)
{
    row += lane_row(thread);
    col += lane_col(thread);
#pragma unroll
    for (int j = first / 8; j < end / 8; j++) {
        const int at = col + j * 8;
        const float of_first = C::IS_TURNED ? 0.0f : f.of(at, at < c.cols);
        const float of_second =
            C::IS_TURNED ? 0.0f : f.of(at + 1, at + 1 < c.cols);

#pragma unroll
        for (int i = 0; i < HEIGHTS * 2; i++) {
            const int r = row + i / 2 * 64 + i % 2 * 8;
            const float of_row = C::IS_TURNED ? f.of(r, r < c.rows) : 0.0f;
            float *d = &sums[i / 2][j * 4 + i % 2 * 2];

            d[0] = f.finish(d[0], C::IS_TURNED ? of_row : of_first);
            d[1] = f.finish(d[1], C::IS_TURNED ? of_row : of_second);
        }
    }
}

/* To C from registers. */
template <int HEIGHTS, int SUMS, typename C>
__device__ __forceinline__ void
store_direct(const float (&sums)[HEIGHTS][SUMS], const C &c, int row, int col,
             int thread)
{
    row += lane_row(thread);
    col += lane_col(thread);
#pragma unroll
    for (int i = 0; i < HEIGHTS * 2; i++) {
#pragma unroll
        for (int j = 0; j < SUMS / 4; j++) {
            const float *d = &sums[i / 2][j * 4 + i % 2 * 2];

            c.write(row + i / 2 * 64 + i % 2 * 8, col + j * 8, d[0], d[1]);
        }
    }
}

/* Ask for a warp group's part of C, some time before it is read. */
template <int HEIGHT, int WIDTH, typename C>
__device__ __forceinline__ void prefetch_part(const C &c, int row, int col,
                                              int thread)
{
    constexpr int LINE = 128 / (int)sizeof(typename C::one);
    constexpr int LINES = (WIDTH + LINE - 1) / LINE;

#pragma unroll 1
    for (int i = thread; i < HEIGHT * LINES; i += 128) {
        const int r = row + i / LINES;
        const int k = col + i % LINES * LINE;

        if (r < c.rows && k < c.cols)
            hone::prefetch(c.at(r, k));
    }
}

} /* namespace gemm */
} /* namespace hone */

#endif
