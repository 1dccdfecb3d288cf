/* SPDX-License-Identifier: Apache-2.0 */
/* A warp group's way to C through staging buffers, and what C held to the sums.
 * Behind gemm_sm90_staging.cuh; no name of a template parameter: see
 * hone_device.cuh. */
#ifndef GEMM_SM90_STORE_CUH
#define GEMM_SM90_STORE_CUH

namespace hone {
namespace gemm {

/* A warp group's way to C and back, a phase of columns after the other: by the
 * copy engine if it can reach C (`mapped`), else by its warps. What C held is
 * asked for as many phases before it is needed as there are buffers. */
template <typename E, int WIDTH, int ROWS, int BOX, int BUFFERS, bool STREAM,
          bool RUNS, bool WAITS, int GROUPS = 2>
struct staged_output {
    using buffer_of = staging<E, ROWS, BOX>;
    static constexpr int BUFFER_COUNT = BUFFERS;
    static constexpr bool IN_RUNS = RUNS;
    static constexpr int PHASE = buffer_of::PHASE;
    static constexpr int BYTES = BUFFERS * buffer_of::BYTES;
    static constexpr int COLUMN = ROWS * buffer_of::SIZE; /* bytes */
    /* Columns that the buffers hold. Are these all, no sums are left in registers
     * when warps write them. Else warps write in rounds, and of all but the last as
     * much is under way as registers allow: so the first has what the others, which
     * fill the buffers, leave. */
    static constexpr int ROUND = BUFFERS * PHASE;
    static constexpr int PHASES = (WIDTH + PHASE - 1) / PHASE;
    static constexpr int ROUNDS = (PHASES + BUFFERS - 1) / BUFFERS;
    static constexpr bool WHOLE = ROUND >= WIDTH;
    static constexpr int LAST = WHOLE ? 0 : PHASES * PHASE - ROUND; /* column */
    static constexpr int WIDEST = ROUNDS == 2 ? LAST : ROUND; /* of all but that */
    /* A warp group that waits for its turn reads C meanwhile, if there is room. */
    static constexpr bool EARLY = WAITS && WHOLE;
    static constexpr int EDGE_BYTES = ROWS * buffer_of::EDGE; /* bytes of a set */
    /* The edges of a tile are read while those of the next are there and those of
     * the one behind it are written, if that is the same group's. */
    static constexpr int EDGE_SETS = EARLY ? 3 : 2;

    unsigned buffers, loaded; /* addresses: the buffers, a barrier of each */
    unsigned edges;           /* address, with RUNS: sets of an edge per row */
    unsigned segment = 0;     /* with RUNS: of what the block writes of a row */
    /* With RUNS, where groups have tiles in turn and buffers of their own: barriers
     * that tell when the edges of the tile before are there, and the parity. */
    unsigned own_turn, other_turn, turn;
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
        hone::group_sync<GROUPS>(group);
        buffer_of::template read_rows<WIDTH, 4>(buffers, c, t.row, t.col,
                                                     threadIdx.x % 128);
    }

    /* The loop is not unrolled, only what reads registers: that is most of
     * the code. Warps write rows when all buffers are full, the copy engine a
     * buffer at a time. F is a finisher, or a hone::epilogue that does nothing; what
     * it does is done while the copy engine reads the buffer, if C is not read. */
    template <int HEIGHTS, int SUMS, typename C, typename F>
    __device__ __forceinline__ void store(float (&sums)[HEIGHTS][SUMS],
                                          const CUtensorMap &map, const C &c,
                                          const tile &t, const F &f)
    {
        const int thread = threadIdx.x % 128;
        const int group = threadIdx.x / 128;
        const bool reads = beta != 0.0f;
        const bool by_engine = !RUNS && mapped;
        const bool is_late = !F::IS_NOTHING && !reads; /* awaits the buffer */

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
            } else if (!is_late && (by_engine || next == 0)) {
                await_buffer(thread, group);
            }
            if (reads && !by_engine && !EARLY) {
                if constexpr (PIECES)
                    buffer_of::template read_rows<PHASE, AHEAD>(
                        at, c, t.row, col, thread);
                else
                    buffer_of::read_elements(at, c, t.row, col, WIDTH - first,
                                             thread);
                hone::group_sync<GROUPS>(group);
            }
#pragma unroll
            for (int i = 0; i < WIDTH; i += PHASE) {
                if (i != first)
                    continue;
                if (reads) {
                    buffer_of::scale(at, sums, i, thread, alpha, beta);
                    __syncwarp();
                }
                if constexpr (!F::IS_NOTHING)
                    f.finish(sums, i, min(i + PHASE, WIDTH));
                if (is_late && (by_engine || next == 0))
                    await_buffer(thread, group);
                buffer_of::fill(at, sums, i, thread);
            }
            if (by_engine) {
                hone::async_fence();
                hone::group_sync<GROUPS>(group);
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
                const int end = first + PHASE;

                if (!by_engine && end <= LAST && (LAST - end) % ROUND == 0) {
                    write<WIDEST, AHEAD>(c, t, max(end - ROUND, 0), end, group);
                    next = 0;
                }
            }
        }
        if (!by_engine)
            write<WIDTH - LAST, MOST_AHEAD>(c, t, LAST, WIDTH, group);
    }

  private:
    static constexpr int SUMS_OF_THREAD = ROWS * WIDTH / 128;
    static constexpr bool PIECES = SUMS_OF_THREAD <= 160;
    static constexpr int AHEAD = SUMS_OF_THREAD <= 64    ? 4
                                 : SUMS_OF_THREAD <= 128 ? 2
                                                         : 1;
    static constexpr int MOST_AHEAD = RUNS ? 4 : 8; /* when no sums are left */

    /* Until the copy engine has read the next buffer. */
    static __device__ __forceinline__ void await_buffer(int thread, int group)
    {
        if (thread == 0)
            hone::tensor_store_wait_read<BUFFERS - 1>();
        hone::group_sync<GROUPS>(group);
    }

    /* What the buffers hold: the columns of a tile from `first` to before `end`, WIDE
     * of them or less. MOST pieces of a thread are under way. */
    template <int WIDE, int MOST, typename C>
    __device__ __forceinline__ void write(const C &c, const tile &t, int first,
                                          int end, int group)
    {
        if constexpr (RUNS) {
            write_run<WIDE, MOST>(c, t, first, end, group);
        } else {
            row_lanes<buffer_of, WIDE> lanes(c, t.row, t.col + first,
                                             end - first, threadIdx.x % 128);

            hone::group_sync<GROUPS>(group);
            lanes.template write<MOST, STREAM>(buffers);
        }
    }

    template <int WIDE, int MOST, typename C>
    __device__ __forceinline__ void write_run(const C &c, const tile &t,
                                              int first, int end, int group)
    {
        const int thread = threadIdx.x % 128;
        const int col = t.col + first;
        const bool before = first > 0 || t.follows;
        const bool more = (end < WIDTH || t.goes_on) && t.col + end < c.cols;
        const unsigned mine = edges + segment % EDGE_SETS * EDGE_BYTES;
        const unsigned last = edges + (segment + EDGE_SETS - 1) % EDGE_SETS *
                                          EDGE_BYTES;

        hone::group_sync<GROUPS>(group);
        if constexpr (EARLY) {
            if (more)
                buffer_of::keep_edges(buffers, mine, end - first, thread);
            hone::barrier_wait(own_turn, turn);
            turn ^= 1;
            if (thread % 32 == 0)
                hone::barrier_arrive(other_turn);
        }
        run_rows<buffer_of>::template write<WIDE, MOST, STREAM>(
            buffers, last, c, t.row, col, end - first, thread, before, more);
        if (more && !EARLY)
            buffer_of::keep_edges(buffers, mine, end - first, thread);
        segment++;
    }
};

} /* namespace gemm */
} /* namespace hone */

#endif
