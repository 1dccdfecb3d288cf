/* SPDX-License-Identifier: Apache-2.0 */
/* How the sums of a warp group get to C: from registers, or through staging
 * buffers in shared memory. Behind hone_pack.cuh and gemm_sm90_parts.cuh, which
 * says where a thread's sums belong; no name of a template parameter: see
 * hone_device.cuh. */
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

/* A staging buffer holds PHASE columns, 128 bytes a row, of ROWS rows, as
 * boxes of BOX columns one after the other, their 16-byte pieces exchanged as
 * the copy engine does it. */
template <typename E, int ROWS, int BOX> struct staging {
    using one = typename element<E>::one;
    static constexpr int SIZE = sizeof(one);
    static constexpr int PHASE = 128 / SIZE;
    static constexpr int PIECE = 16 / SIZE; /* elements of a piece */
    static constexpr int BYTES = ROWS * 128;
    static constexpr unsigned SWIZZLE = BOX * SIZE - 16;

    static __device__ unsigned at(int row, int col)
    {
        const unsigned at = col / BOX * (ROWS * BOX * SIZE) +
                            row * (BOX * SIZE) + col % BOX * SIZE;

        return at ^ (at >> 3 & SWIZZLE);
    }

    /* The columns from `first` on of a thread's sums. 16-bit elements go through
     * an instruction that turns fragments to rows. Of f32, eight rows and
     * four columns each 8 bytes wide would meet in the banks of two rows:
     * every other row writes its second half first. */
    template <int HEIGHTS, int SUMS>
    static __device__ __forceinline__ void
    fill(unsigned to, const float (&sums)[HEIGHTS][SUMS], int first,
         int thread)
    {
        const int end = min(PHASE, SUMS * 2 - first);

#pragma unroll
        for (int i = 0; i < HEIGHTS; i++) {
            const int row = i * 64 + lane_row(thread);

            if constexpr (SIZE == 2) {
                const int line = i * 64 + thread / 32 * 16 + thread % 16;

#pragma unroll
                for (int c = 0; c < end; c += 16) {
                    const float *d = &sums[i][(first + c) / 2];

                    hone::store_matrices(
                        to + at(line, c + thread % 32 / 16 * 8),
                        element<E>::pack(d[0], d[1]),
                        element<E>::pack(d[2], d[3]),
                        element<E>::pack(d[4], d[5]),
                        element<E>::pack(d[6], d[7]));
                }
            } else if constexpr (BOX == 32) {
                const bool odd = row % 2 != 0;

#pragma unroll
                for (int j = 0; j < 8; j++) {
                    const int c = j / 4 * 8;
                    const int half = j % 4 / 2, later = j % 2;
                    const float *a = &sums[i][(first + c) / 2 + half * 2];
                    const float *b = a + 8;
                    const bool second = odd != (later != 0);

                    hone::shared_store(
                        to + at(row + half * 8,
                                c + lane_col(thread) + (second ? 16 : 0)),
                        second ? b[0] : a[0], second ? b[1] : a[1]);
                }
            } else {
#pragma unroll
                for (int c = 0; c < end; c += 8) {
                    const float *d = &sums[i][(first + c) / 2];

                    hone::shared_store(to + at(row, c + lane_col(thread)),
                                       d[0], d[1]);
                    hone::shared_store(to + at(row + 8, c + lane_col(thread)),
                                       d[2], d[3]);
                }
            }
        }
    }

    /* alpha times the columns from `first` on of a thread's sums, plus beta times
     * what is in the buffer. */
    template <int HEIGHTS, int SUMS>
    static __device__ __forceinline__ void
    scale(unsigned from, float (&sums)[HEIGHTS][SUMS], int first, int thread,
          float alpha, float beta)
    {
        const int end = min(PHASE, SUMS * 2 - first);

#pragma unroll
        for (int i = 0; i < HEIGHTS * 2; i++) {
            const int row = i / 2 * 64 + i % 2 * 8 + lane_row(thread);

#pragma unroll
            for (int c = 0; c < end; c += 8) {
                float *d = &sums[i / 2][(first + c) / 2 + i % 2 * 2];
                typename element<E>::two v;

                hone::shared_load(from + at(row, c + lane_col(thread)), v);
                d[0] = alpha * d[0] +
                       beta * element<E>::value(element<E>::first(v));
                d[1] = alpha * d[1] +
                       beta * element<E>::value(element<E>::second(v));
            }
        }
    }

    /* What a row of C has of `count` elements from a place that lies `off`
     * elements behind a multiple of 16 bytes: whole pieces of 16 bytes, from
     * number `off` ? 1 : 0 to before `pieces`, counted from that multiple, and
     * in front and behind of them fewer than PIECE elements. */
    struct row_parts {
        int off, pieces, head, tail, singles;

        __device__ row_parts(int off_, int count)
            : off(off_), pieces((count + off_) / PIECE),
              head(off_ > 0 ? min(PIECE - off_, count) : 0),
              tail(max(pieces * PIECE - off_, head)),
              singles(head + count - tail)
        {
        }
        __device__ bool whole(int piece) const
        {
            return piece < pieces && (piece > 0 || off == 0);
        }
        /* The i-th element that is in no whole piece. */
        __device__ int single(int i) const
        {
            return i < head ? i : i - head + tail;
        }
    };

    /* What fits into C of the first `end` columns: eight lanes have a row and
     * write its pieces, which are two neighbours in the buffer, then the rest
     * of the row. */
    template <int AHEAD, typename C>
    static __device__ __forceinline__ void
    write_rows(unsigned buffer, const C &c, int row, int col, int end,
               int thread)
    {
        const int lane = thread % 8;
        const int rows = min(ROWS, c.rows - row);
        const int count = min(end, c.cols - col);

        if (count <= 0)
            return;
#pragma unroll AHEAD
        for (int r = thread / 8; r < rows; r += 16) {
            one *to = c.at(row + r, col);
            const row_parts part(
                (int)((unsigned long long)to / SIZE % PIECE), count);

            if (part.whole(lane)) {
                uint4 low = {}, high;

                hone::shared_load(buffer + at(r, lane * PIECE), high);
                if (part.off > 0)
                    hone::shared_load(buffer + at(r, (lane - 1) * PIECE), low);
                *reinterpret_cast<uint4 *>(to + lane * PIECE - part.off) =
                    shifted(low, high, 8 - part.off * SIZE / 2);
            }
#pragma unroll 1
            for (int i = lane; i < part.singles; i += 8) {
                one v;

                hone::shared_load(buffer + at(r, part.single(i)), v);
                to[part.single(i)] = v;
            }
        }
    }

    /* The same from C. A lane makes a piece of the buffer of the piece that it
     * read and that of the next lane; what is missing then is overwritten. */
    template <int AHEAD, typename C>
    static __device__ __forceinline__ void
    read_rows(unsigned buffer, const C &c, int row, int col, int end,
              int thread)
    {
        const int lane = thread % 8;
        const int rows = min(ROWS, c.rows - row);
        const int count = min(end, c.cols - col);

        if (count <= 0)
            return;
#pragma unroll AHEAD
        for (int of_warp = thread / 32 * 4; of_warp < rows; of_warp += 16) {
            const int r = min(of_warp + thread % 32 / 8, rows - 1);
            const one *in = c.at(row + r, col);
            const row_parts part(
                (int)((unsigned long long)in / SIZE % PIECE), count);
            uint4 low = {}, high;
            one first = {}, second = {};

            if (part.whole(lane))
                low = __ldcg(reinterpret_cast<const uint4 *>(
                    in + lane * PIECE - part.off));
            if (lane < part.singles)
                first = __ldcg(in + part.single(lane));
            if (lane + 8 < part.singles)
                second = __ldcg(in + part.single(lane + 8));
            high.x = __shfl_down_sync(~0u, low.x, 1, 8);
            high.y = __shfl_down_sync(~0u, low.y, 1, 8);
            high.z = __shfl_down_sync(~0u, low.z, 1, 8);
            high.w = __shfl_down_sync(~0u, low.w, 1, 8);
            if (lane * PIECE < count)
                hone::shared_store(buffer + at(r, lane * PIECE),
                             shifted(low, high, part.off * SIZE / 2));
            __syncwarp();
            if (lane < part.singles)
                hone::shared_store(buffer + at(r, part.single(lane)), first);
            if (lane + 8 < part.singles)
                hone::shared_store(buffer + at(r, part.single(lane + 8)), second);
            __syncwarp();
        }
    }

    /* From C to a buffer, or what fits into C from it, an element a lane: for
     * tiles whose sums leave no registers for whole pieces. */
    template <bool TO_C, typename C>
    static __device__ __forceinline__ void
    copy_rows(unsigned buffer, const C &c, int row, int col, int end,
              int thread)
    {
#pragma unroll 8
        for (int r = thread / 32; r < ROWS; r += 4) {
#pragma unroll
            for (int k = thread % 32; k < PHASE; k += 32) {
                one *of_c = c.at(row + r, col + k);
                one v;

                if (row + r >= c.rows || k >= end || col + k >= c.cols)
                    continue;
                if constexpr (TO_C) {
                    hone::shared_load(buffer + at(r, k), v);
                    *of_c = v;
                } else {
                    v = *of_c;
                    hone::shared_store(buffer + at(r, k), v);
                }
            }
        }
    }
};

/* --- through staging buffers ------------------------------------------------ */

/* A warp group's way to C and back, a phase of columns after the other: by the
 * copy engine if it can reach C (`mapped`), else by its warps. What C held is
 * asked for as many phases before it is needed as there are buffers. */
template <typename E, int WIDTH, int ROWS, int BOX, int BUFFERS>
struct staged_output {
    using buffer_of = staging<E, ROWS, BOX>;
    static constexpr int PHASE = buffer_of::PHASE;
    static constexpr int COLUMN = ROWS * buffer_of::SIZE; /* bytes */

    unsigned buffers, loaded; /* addresses: the buffers, a barrier of each */
    bool mapped;
    float alpha, beta;
    int next = 0;        /* buffer */
    unsigned parity = 0; /* of each barrier, a bit */

    /* One thread asks for the columns of a tile from `first` on. */
    __device__ __forceinline__ void ask(const CUtensorMap &map, const tile &t,
                                        int first, int buffer) const
    {
        const unsigned barrier = loaded + 8 * buffer;
        const unsigned at = buffers + buffer * buffer_of::BYTES;
        const int count = min(PHASE, WIDTH - first);

        hone::tensor_store_wait_read<0>();
        hone::barrier_expect(barrier, count * COLUMN);
        for (int i = 0; i < count; i += BOX)
            hone::tensor_load(at + i * COLUMN, map, t.col + first + i, t.row,
                              t.batch, barrier);
    }

    /* For as many phases as there are buffers: some time before store(). */
    __device__ __forceinline__ void ask_first(const CUtensorMap &map,
                                              const tile &t) const
    {
        if (!mapped || beta == 0.0f || threadIdx.x % 128 != 0)
            return;
        for (int i = 0; i < BUFFERS && i * PHASE < WIDTH; i++)
            ask(map, t, i * PHASE, (next + i) % BUFFERS);
    }

    /* The loop is not unrolled, only what reads registers: that is most of
     * the code. */
    template <int HEIGHTS, int SUMS, typename C>
    __device__ __forceinline__ void store(float (&sums)[HEIGHTS][SUMS],
                                          const CUtensorMap &map, const C &c,
                                          const tile &t)
    {
        const int thread = threadIdx.x % 128;
        const int group = threadIdx.x / 128;
        const bool reads = beta != 0.0f;
        /* Rows of a warp on their way at once, as registers allow. */
        constexpr int AHEAD = HEIGHTS * SUMS <= 64    ? 4
                              : HEIGHTS * SUMS <= 128 ? 2
                                                      : 1;
        constexpr bool PIECES = HEIGHTS * SUMS <= 160;

        if (!reads)
            gemm::scale(sums, alpha);
#pragma unroll 1
        for (int first = 0; first < WIDTH; first += PHASE) {
            const unsigned at = buffers + next * buffer_of::BYTES;
            const int col = t.col + first;

            if (reads && mapped) {
                const int ahead = first + (BUFFERS - 1) * PHASE;

                if (thread == 0 && first > 0 && ahead < WIDTH)
                    ask(map, t, ahead, (next + BUFFERS - 1) % BUFFERS);
                hone::barrier_wait(loaded + 8 * next, parity >> next & 1);
            } else {
                if (thread == 0)
                    hone::tensor_store_wait_read<BUFFERS - 1>();
                hone::group_sync(group);
            }
            if (reads && !mapped) {
                if constexpr (PIECES)
                    buffer_of::template read_rows<AHEAD>(
                        at, c, t.row, col, min(PHASE, WIDTH - first), thread);
                else
                    buffer_of::template copy_rows<false>(at, c, t.row, col,
                                                      WIDTH - first, thread);
                hone::group_sync(group);
            }
#pragma unroll
            for (int i = 0; i < WIDTH; i += PHASE) {
                if (i != first)
                    continue;
                if (reads) {
                    buffer_of::scale(at, sums, i, thread, alpha, beta);
                    __syncwarp();
                }
                buffer_of::fill(at, sums, i, thread);
            }
            hone::async_fence();
            hone::group_sync(group);
            if (!mapped) {
                if constexpr (PIECES)
                    buffer_of::template write_rows<AHEAD>(
                        at, c, t.row, col, min(PHASE, WIDTH - first), thread);
                else
                    buffer_of::template copy_rows<true>(at, c, t.row, col,
                                                      WIDTH - first, thread);
            } else if (thread == 0) {
                for (int i = 0; i < PHASE && first + i < WIDTH; i += BOX)
                    hone::tensor_store(map, col + i, t.row, t.batch,
                                       at + i * COLUMN);
                hone::tensor_store_commit();
            }
            parity ^= 1u << next;
            next = next + 1 == BUFFERS ? 0 : next + 1;
        }
    }
};

} /* namespace gemm */
} /* namespace hone */

#endif
