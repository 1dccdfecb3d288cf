/* SPDX-License-Identifier: Apache-2.0 */
/* How the sums of a warp group get to C through staging buffers in shared memory,
 * and what C held to the sums. Behind gemm_sm90_output.cuh and
 * gemm_sm90_pack.cuh; no name of a template parameter: see hone_device.cuh. */
#ifndef GEMM_SM90_STAGING_CUH
#define GEMM_SM90_STAGING_CUH

namespace hone {
namespace gemm {

/* --- buffers -------------------------------------------------------------- */

/* A staging buffer holds PHASE columns, 128 bytes a row, of ROWS rows, as
 * boxes of BOX columns one after the other, their 16-byte pieces exchanged as
 * the copy engine does it. */
template <typename E, int ROWS, int BOX> struct staging {
    using one = typename element<E>::one;
    static constexpr int SIZE = sizeof(one);
    static constexpr int PHASE = 128 / SIZE;
    static constexpr int PIECE = 16 / SIZE; /* elements of a piece */
    static constexpr int SECTOR = 32 / SIZE; /* memory is written by sectors */
    static constexpr int EDGE = 32;          /* bytes of it */
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

        __device__ row_parts(const one *place, int count)
            : off((int)(reinterpret_cast<unsigned long long>(place) / SIZE %
                        PIECE)),
              pieces((count + off) / PIECE),
              head(off > 0 ? min(PIECE - off, count) : 0),
              tail(max(pieces * PIECE - off, head)),
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

    /* What is written of a row whose first column lies `lead` elements behind the
     * start of a sector: elements `from` to before `to`, counted from that column.
     * Memory takes part of a sector in several times the time of a whole one. So
     * where a row goes on, `more`, the elements of its last sector are left to
     * those that come next, which find them in `edges`: they come `before`. */
    struct row_window {
        int lead, from, to;

        __device__ row_window(const one *place, int count, bool before,
                              bool more)
            : lead((int)(reinterpret_cast<unsigned long long>(place) / SIZE %
                         SECTOR)),
              from(before ? -lead : 0), to(more ? count - lead : count)
        {
        }
        /* Of piece q, counted from the start of the sector. */
        __device__ int first(int q) const { return q * PIECE - lead; }
        __device__ bool whole(int q) const
        {
            return first(q) >= from && first(q) + PIECE <= to;
        }
        /* Elements in front of the first whole piece, and the first behind the
         * last one, if there are no more than `pieces`. */
        __device__ int head() const
        {
            return from < 0 ? from : min((SECTOR - lead) % PIECE, to);
        }
        __device__ int tail(int pieces) const
        {
            return max(first(min((to + lead) / PIECE, pieces)), head());
        }
    };

    /* Where element i of row r is. */
    static __device__ unsigned place(unsigned buffer, unsigned edges, int r,
                                     int i)
    {
        return i >= 0 ? buffer + at(r, i)
                      : edges + (r * SECTOR + SECTOR + i) * SIZE;
    }

    /* What fits into C of the first `end` columns, of WIDE or less, which lie in
     * neighbouring buffers. A lane has a whole piece of C, made of two neighbours
     * in the buffer; two lanes have a sector, lanes next to each other pieces of
     * one row. Then SECTOR lanes write what is left of a row, its ends. */
    template <int WIDE, int AHEAD, bool STREAM, typename C>
    static __device__ __forceinline__ void
    write_rows(unsigned buffer, unsigned edges, const C &c, int row, int col,
               int end, int thread, bool before, bool more)
    {
        constexpr int OF_ROW = WIDE / PIECE;
        constexpr access HOW = STREAM ? access::stream : access::normal;
        const int rows = min(ROWS, c.rows - row);
        const int count = min(end, c.cols - col);

        if (count <= 0)
            return;
#pragma unroll 1
        for (int i = thread; i < ROWS * OF_ROW; i += AHEAD * 128) {
            uint4 low[AHEAD], high[AHEAD];
            uint4 *to[AHEAD];
            int off[AHEAD];

#pragma unroll
            for (int j = 0; j < AHEAD; j++) {
                const int r = (i + j * 128) / OF_ROW;
                const int q = (i + j * 128) % OF_ROW;
                one *of_c = c.at(row + r, col);
                const row_window w(of_c, count, before, more);
                const int at_c = w.first(q);

                off[j] = w.lead % PIECE;
                to[j] = r < rows && w.whole(q)
                            ? reinterpret_cast<uint4 *>(of_c + at_c)
                            : nullptr;
                if (to[j] == nullptr)
                    continue;
                hone::shared_load(
                    place(buffer, edges, r,
                          at_c + off[j] - (off[j] > 0 ? PIECE : 0)),
                    low[j]);
                hone::shared_load(place(buffer, edges, r, at_c + off[j]),
                                  high[j]);
            }
#pragma unroll
            for (int j = 0; j < AHEAD; j++) {
                if (to[j] != nullptr)
                    hone::write_word<HOW>(
                        to[j],
                        shifted(low[j], high[j], 8 - off[j] * SIZE / 2));
            }
        }
        if (before && more)
            return;
#pragma unroll 2
        for (int r = thread / SECTOR; r < rows; r += 128 / SECTOR) {
            const int lane = thread % SECTOR;
            one *of_c = c.at(row + r, col);
            const row_window w(of_c, count, before, more);
            const int behind = w.tail(OF_ROW) + lane;
            one v;

            if (lane < w.head()) {
                hone::shared_load(buffer + at(r, lane), v);
                hone::write_word<HOW>(of_c + lane, v);
            }
            if (behind < w.to) {
                hone::shared_load(place(buffer, edges, r, behind), v);
                hone::write_word<HOW>(of_c + behind, v);
            }
        }
    }

    /* The last sector's worth of every row, up to column `end`, to `edges`. */
    static __device__ __forceinline__ void
    keep_edges(unsigned buffer, unsigned edges, int end, int thread)
    {
        if (thread < ROWS) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
                uint4 v;

                hone::shared_load(
                    buffer + at(thread, end - SECTOR + i * PIECE), v);
                hone::shared_store(edges + thread * EDGE + i * 16, v);
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
#pragma unroll 1
        for (int of_warp = thread / 32 * 4; of_warp < rows;
             of_warp += 16 * AHEAD) {
            uint4 low[AHEAD];
            one single[AHEAD][2];

#pragma unroll
            for (int j = 0; j < AHEAD; j++) {
                const int r = of_warp + j * 16 + thread % 32 / 8;
                const one *in = c.at(row + r, col);
                const row_parts part(in, r < rows ? count : 0);

                low[j] = {};
                if (part.whole(lane))
                    low[j] = __ldcg(reinterpret_cast<const uint4 *>(
                        in + lane * PIECE - part.off));
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    single[j][i] = {};
                    if (lane + i * 8 < part.singles)
                        single[j][i] = __ldcg(in + part.single(lane + i * 8));
                }
            }
#pragma unroll
            for (int j = 0; j < AHEAD; j++) {
                const int r = of_warp + j * 16 + thread % 32 / 8;
                const row_parts part(c.at(row + r, col), r < rows ? count : 0);
                uint4 high;

                high.x = __shfl_down_sync(~0u, low[j].x, 1, 8);
                high.y = __shfl_down_sync(~0u, low[j].y, 1, 8);
                high.z = __shfl_down_sync(~0u, low[j].z, 1, 8);
                high.w = __shfl_down_sync(~0u, low[j].w, 1, 8);
                if (r < rows && lane * PIECE < count)
                    hone::shared_store(
                        buffer + at(r, lane * PIECE),
                        shifted(low[j], high, part.off * SIZE / 2));
                __syncwarp();
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    if (lane + i * 8 < part.singles)
                        hone::shared_store(
                            buffer + at(r, part.single(lane + i * 8)),
                            single[j][i]);
                }
                __syncwarp();
            }
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

/* --- a warp group's way ----------------------------------------------------- */

/* A warp group's way to C and back, a phase of columns after the other: by the
 * copy engine if it can reach C (`mapped`), else by its warps. What C held is
 * asked for as many phases before it is needed as there are buffers. */
template <typename E, int WIDTH, int ROWS, int BOX, int BUFFERS, bool STREAM,
          bool RUNS, bool WAITS>
struct staged_output {
    using buffer_of = staging<E, ROWS, BOX>;
    static constexpr int PHASE = buffer_of::PHASE;
    static constexpr int COLUMN = ROWS * buffer_of::SIZE; /* bytes */
    /* Columns that the buffers hold. Are these all, no sums are left in registers
     * when they are written, else so many rows of a warp are on their way at once
     * as registers allow. */
    static constexpr int ROUND = BUFFERS * PHASE;
    static constexpr int ROUNDS = (WIDTH + ROUND - 1) / ROUND;
    static constexpr bool WHOLE = ROUND >= WIDTH;
    /* A warp group that waits for its turn reads C meanwhile, if there is room. */
    static constexpr bool EARLY = WAITS && WHOLE;

    unsigned buffers, loaded; /* addresses: the buffers, a barrier of each */
    unsigned edges;           /* address, with RUNS: two times an edge per row */
    unsigned segment = 0;     /* with RUNS: of what the block writes of a row */
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

    /* With EARLY, what C holds is read before the products of a tile begin. */
    template <typename C>
    __device__ __forceinline__ void read_early(const C &c, const tile &t) const
    {
        const int group = threadIdx.x / 128;

        if (beta == 0.0f || (!RUNS && mapped))
            return;
        hone::group_sync(group);
#pragma unroll 1
        for (int first = 0; first < WIDTH; first += PHASE)
            buffer_of::template read_rows<4>(
                buffers + first / PHASE * buffer_of::BYTES, c, t.row,
                t.col + first, min(PHASE, WIDTH - first), threadIdx.x % 128);
    }

    /* The loop is not unrolled, only what reads registers: that is most of
     * the code. Warps write rows when all buffers are full, the copy engine a
     * buffer at a time. */
    template <int HEIGHTS, int SUMS, typename C>
    __device__ __forceinline__ void store(float (&sums)[HEIGHTS][SUMS],
                                          const CUtensorMap &map, const C &c,
                                          const tile &t)
    {
        const int thread = threadIdx.x % 128;
        const int group = threadIdx.x / 128;
        const bool reads = beta != 0.0f;
        const bool by_engine = !RUNS && mapped;

        if (!reads)
            gemm::scale(sums, alpha);
        if (!by_engine)
            next = 0;
#pragma unroll 1
        for (int first = 0; first < WIDTH; first += PHASE) {
            const unsigned at = buffers + next * buffer_of::BYTES;
            const int col = t.col + first;

            if (reads && by_engine) {
                const int ahead = first + (BUFFERS - 1) * PHASE;

                if (thread == 0 && first > 0 && ahead < WIDTH)
                    ask(map, t, ahead, (next + BUFFERS - 1) % BUFFERS);
                hone::barrier_wait(loaded + 8 * next, parity >> next & 1);
            } else if (by_engine || next == 0) {
                if (thread == 0)
                    hone::tensor_store_wait_read<BUFFERS - 1>();
                hone::group_sync(group);
            }
            if (reads && !by_engine && !EARLY) {
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
            if (by_engine) {
                hone::async_fence();
                hone::group_sync(group);
                if (thread == 0) {
                    for (int i = 0; i < PHASE && first + i < WIDTH; i += BOX)
                        hone::tensor_store<STREAM>(map, col + i, t.row,
                                                   t.batch, at + i * COLUMN);
                    hone::tensor_store_commit();
                }
            }
            parity ^= 1u << next;
            next = next + 1 == BUFFERS ? 0 : next + 1;
            if constexpr (!WHOLE) {
                if (!by_engine && (next == 0 || first + PHASE >= WIDTH))
                    write(c, t, first / ROUND * ROUND, group);
            }
        }
        if constexpr (WHOLE) {
            if (!by_engine)
                write(c, t, 0, group);
        }
    }

  private:
    static constexpr int SUMS_OF_THREAD = ROWS * WIDTH / 128;
    static constexpr bool PIECES = SUMS_OF_THREAD <= 160;
    static constexpr int AHEAD = SUMS_OF_THREAD <= 64    ? 4
                                 : SUMS_OF_THREAD <= 128 ? 2
                                                         : 1;

    /* What the buffers hold: the columns of a tile from `first` on. */
    template <typename C>
    __device__ __forceinline__ void write(const C &c, const tile &t, int first,
                                          int group)
    {
        const int thread = threadIdx.x % 128;
        const int end = min(ROUND, WIDTH - first);
        const int col = t.col + first;
        const bool before = RUNS && (first > 0 || t.follows);
        const bool more = RUNS && (first + end < WIDTH || t.goes_on) &&
                          col + end < c.cols;
        const unsigned mine = edges + segment % 2 * (ROWS * buffer_of::EDGE);
        const unsigned last =
            edges + (segment + 1) % 2 * (ROWS * buffer_of::EDGE);

        hone::group_sync(group);
        if constexpr (WHOLE || PIECES || RUNS) {
            buffer_of::template write_rows<WHOLE ? WIDTH : ROUND,
                                           WHOLE ? 2 : AHEAD, STREAM>(
                buffers, last, c, t.row, col, end, thread, before, more);
        } else {
            for (int i = 0; i < end; i += PHASE)
                buffer_of::template copy_rows<true>(
                    buffers + i / PHASE * buffer_of::BYTES, c, t.row, col + i,
                    end - i, thread);
        }
        if (more)
            buffer_of::keep_edges(buffers, mine, end, thread);
        segment++;
    }
};

} /* namespace gemm */
} /* namespace hone */

#endif
