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
    using elements = element<E>;
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

/* What is done to the four sums of a thread in eight columns of parts of K that were
 * added up: F is a hone::epilogue. */
template <int SUMS, typename C, typename F>
__device__ __forceinline__ void finish_spot(float (&sums)[1][SUMS], const C &c,
                                            int row, int col, int thread,
                                            const F &f)
{
    row += lane_row(thread);
    col += lane_col(thread);
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        const int r = row + i / 2 * 8, k = col + i % 2;

        sums[0][i] = f.finish(
            sums[0][i], C::IS_TURNED ? f.of(r, r < c.rows) : f.of(k, k < c.cols));
    }
}

/* What is done to all sums of a warp group, 64*HEIGHTS rows and WIDTH columns: F is
 * a hone::epilogue. Its bias is asked for before the products, or each
 * phase of columns would wait for memory. So it stays in few registers: lanes have
 * neighbouring pairs of columns and hand them around. Of transposed products each thread
 * has its own rows'. */
template <typename F, typename C, int HEIGHTS, int WIDTH> struct finisher {
    static constexpr bool IS_NOTHING = F::IS_NOTHING;
    static constexpr bool OF_ROWS = F::IS_BIASED && C::IS_TURNED;
    static constexpr bool OF_COLUMNS = F::IS_BIASED && !C::IS_TURNED;
    using of_c = typename C::elements;
    using pair = typename C::two;

    /* Of a tile from (row, col) on. */
    __device__ __forceinline__ void ask(const F &f, const C &c, int row, int col,
                                        int thread)
    {
        if constexpr (OF_ROWS) {
            row += lane_row(thread);
#pragma unroll
            for (int i = 0; i < HEIGHTS * 2; i++) {
                const int r = row + i / 2 * 64 + i % 2 * 8;

                of_row[i] = f.of(r, r < c.rows);
            }
        } else if constexpr (OF_COLUMNS) {
#pragma unroll
            for (int i = 0; i < PAIRS; i++) {
                const int at = col + i * 64 + thread % 32 * 2;

                of_column[i] = {};
                if (at + 1 < c.cols)
                    of_column[i] = *reinterpret_cast<const pair *>(f.bias + at);
                else if (at < c.cols)
                    of_column[i] = of_c::pack(f.of(at), 0.0f);
            }
        }
    }

    /* The columns from `first` to before `end`; whole warps. */
    template <int SUMS>
    __device__ __forceinline__ void finish(float (&sums)[HEIGHTS][SUMS],
                                           int first, int end) const
    {
#pragma unroll
        for (int j = first / 8; j < end / 8; j++) {
            const float2 b = of_columns(j);

#pragma unroll
            for (int i = 0; i < HEIGHTS * 2; i++) {
                float *d = &sums[i / 2][j * 4 + i % 2 * 2];

                d[0] = F::finish(d[0], OF_ROWS ? of_row[i] : b.x);
                d[1] = F::finish(d[1], OF_ROWS ? of_row[i] : b.y);
            }
        }
    }

  private:
    static constexpr int PAIRS = OF_COLUMNS ? (WIDTH + 63) / 64 : 1;
    pair of_column[PAIRS];
    float of_row[OF_ROWS ? HEIGHTS * 2 : 1];

    /* The bias of a thread's columns in the j-th eight. */
    __device__ __forceinline__ float2 of_columns(int j) const
    {
        if constexpr (OF_COLUMNS) {
            const pair b = of_lane(of_column[j / 8],
                                   j % 8 * 4 + threadIdx.x % 4);

            return make_float2(of_c::value(of_c::first(b)),
                               of_c::value(of_c::second(b)));
        }
        return make_float2(0.0f, 0.0f);
    }
    static __device__ __forceinline__ unsigned of_lane(unsigned v, int lane)
    {
        return __shfl_sync(~0u, v, lane);
    }
    static __device__ __forceinline__ float2 of_lane(float2 v, int lane)
    {
        return make_float2(__shfl_sync(~0u, v.x, lane),
                           __shfl_sync(~0u, v.y, lane));
    }
};

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
