/* SPDX-License-Identifier: Apache-2.0 */
/* A warp group's way to C through staging buffers where the product is the transpose:
 * what the product calls a column is a row of C. Behind gemm_sm90_staging.cuh; no name
 * of a template parameter: see hone_device.cuh. */
#ifndef GEMM_SM90_TURNED_CUH
#define GEMM_SM90_TURNED_CUH

namespace hone {
namespace gemm {

/* A staging buffer of so many rows of C as a row of 128 bytes has elements, a PHASE,
 * and of COUNT elements of each, a warp group's rows of the product: blocks of 128
 * bytes of all rows one behind the other, as `staging` has boxes of whole lines. A box
 * of the copy engine is a part of the rows of a block. A multiple of eight rows begins
 * at a multiple of 1024 bytes, which the exchange of pieces asks for. */
template <typename E, int COUNT>
struct turned_staging
    : staging<E, 128 / sizeof(typename element<E>::one),
              128 / sizeof(typename element<E>::one)> {
    using plain = staging<E, 128 / sizeof(typename element<E>::one),
                          128 / sizeof(typename element<E>::one)>;
    using plain::PHASE;
    using plain::SIZE;
    static constexpr int BLOCK = PHASE * 128; /* bytes of a block */
    static constexpr int BLOCKS = COUNT / PHASE;
    static constexpr int BYTES = BLOCKS * BLOCK; /* COUNT*128, as of `staging` */
    static constexpr int HEIGHT = 64 / PHASE * BLOCK; /* of 64 rows of a product */
    static constexpr int ROW = 128;                   /* bytes */

    /* Where the first sums of a thread go, of eight columns of the product: those of
     * one of its two rows and one of its two columns. Eight columns on it is 8*ROW
     * bytes further, 64 rows on HEIGHT. */
    static __device__ __forceinline__ unsigned at_first(int thread, int row,
                                                        int col)
    {
        return plain::at(lane_col(thread) + col, lane_row(thread) + row * 8);
    }

    /* The columns from `first` on of a thread's sums. 16-bit elements go through an
     * instruction that turns blocks of 8 x 8. Of f32, 32 lanes have eight neighbours
     * each of four rows, whose pieces are exchanged: no bank is met twice. */
    template <int HEIGHTS, int SUMS>
    static __device__ __forceinline__ void
    fill(unsigned to, const float (&sums)[HEIGHTS][SUMS], int first,
         int thread)
    {
        const int end = min(PHASE, SUMS * 2 - first);

        if constexpr (SIZE == 2) {
            const int lane = thread % 32;
            const unsigned at =
                to + plain::at(lane / 16 * 8 + lane % 8,
                               thread / 32 * 16 + lane / 8 % 2 * 8);

#pragma unroll
            for (int i = 0; i < HEIGHTS; i++) {
#pragma unroll
                for (int c = 0; c < end; c += 16) {
                    const float *d = &sums[i][(first + c) / 2];

                    const unsigned at_row = at + i * HEIGHT + c * ROW;
                    const unsigned a = element<E>::pack(d[0], d[1]);
                    const unsigned b = element<E>::pack(d[2], d[3]);

                    if (c + 16 <= end)
                        hone::store_matrices_turned(
                            at_row, a, b, element<E>::pack(d[4], d[5]),
                            element<E>::pack(d[6], d[7]));
                    else
                        hone::store_matrices_turned(at_row, a, b);
                }
            }
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const unsigned at = to + at_first(thread, j / 2, j % 2);

#pragma unroll
                for (int i = 0; i < HEIGHTS; i++) {
#pragma unroll
                    for (int c = 0; c < end; c += 8)
                        hone::shared_store(at + i * HEIGHT + c * ROW,
                                           sums[i][(first + c) / 2 + j]);
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
        for (int j = 0; j < 4; j++) {
            const unsigned at = from + at_first(thread, j / 2, j % 2);

#pragma unroll
            for (int i = 0; i < HEIGHTS; i++) {
#pragma unroll
                for (int c = 0; c < end; c += 8) {
                    float *d = &sums[i][(first + c) / 2 + j];
                    typename plain::one v;

                    hone::shared_load(at + i * HEIGHT + c * ROW, v);
                    *d = alpha * *d + beta * element<E>::value(v);
                }
            }
        }
    }
};

/* What `staged_output` is for a product as it is: a phase of rows of C after the other,
 * by the copy engine if it can reach C (`mapped`), in boxes of BOX rows, else by the
 * group's warps. Tiles are not in runs. */
template <typename E, int WIDTH, int COUNT, int BOX, int BUFFERS, bool STREAM>
struct turned_output {
    using buffer_of = turned_staging<E, COUNT>;
    using plain = typename buffer_of::plain;
    static constexpr int BUFFER_COUNT = BUFFERS;
    static constexpr bool IN_RUNS = false;
    static constexpr bool EARLY = false; /* C is read behind the products */
    static constexpr int PHASE = buffer_of::PHASE;
    static constexpr int BYTES = BUFFERS * buffer_of::BYTES;
    static constexpr int ROUNDS = 1;
    static constexpr int BOXES = buffer_of::BLOCKS; /* of BOX rows */

    unsigned buffers, loaded; /* addresses: the buffers, a barrier of each */
    unsigned edges, segment = 0, own_turn, other_turn, turn; /* of runs */
    bool mapped;
    float alpha, beta;
    int next = 0;        /* buffer */
    unsigned parity = 0; /* of each barrier, a bit */

    /* One thread asks for the rows of C of a tile from `first` on. */
    __device__ __forceinline__ void ask(const CUtensorMap &map, const tile &t,
                                        int first, int buffer) const
    {
        const unsigned barrier = loaded + 8 * buffer;
        const unsigned at = buffers + buffer * buffer_of::BYTES;
        const int count = min(PHASE, WIDTH - first);

        hone::tensor_store_wait_read<0>();
        hone::barrier_expect(barrier,
                             count * (BOXES * buffer_of::ROW));
        for (int i = 0; i < count; i += BOX) {
            for (int j = 0; j < BOXES; j++)
                hone::tensor_load(
                    at + j * buffer_of::BLOCK + i * buffer_of::ROW, map,
                    t.row + j * PHASE, t.col + first + i, t.batch, barrier);
        }
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

    /* Only with EARLY. */
    template <typename C>
    __device__ __forceinline__ void read_early(const C &, const tile &) const
    {
    }

    /* The loop is not unrolled, only what reads registers. A buffer is written as
     * soon as it is full: its rows are as long as the tile lets them be. F is as
     * in `staged_output`. */
    template <int HEIGHTS, int SUMS, typename C, typename F>
    __device__ __forceinline__ void store(float (&sums)[HEIGHTS][SUMS],
                                          const CUtensorMap &map, const C &c,
                                          const tile &t, const F &f)
    {
        const int thread = threadIdx.x % 128;
        const int group = threadIdx.x / 128;
        const bool reads = beta != 0.0f;
        const bool is_late = !F::IS_NOTHING && !reads; /* awaits the buffer */
        const matrix<E, false> rows = {c.to, c.pitch,
                                       min(c.cols, t.col + WIDTH), c.rows,
                                       c.pairs};

        if (!reads)
            gemm::scale(sums, alpha);
#pragma unroll 1
        for (int first = 0; first < WIDTH; first += PHASE) {
            const unsigned at = buffers + next * buffer_of::BYTES;
            const int row = t.col + first; /* of C */

            if (reads && mapped) {
                const int ahead = first + (BUFFERS - 1) * PHASE;

                if (thread == 0 && first > 0 && ahead < WIDTH)
                    ask(map, t, ahead, (next + BUFFERS - 1) % BUFFERS);
                hone::barrier_wait(loaded + 8 * next, parity >> next & 1);
            } else if (!is_late) {
                await_buffer(thread, group);
            }
            if (reads && !mapped) {
                read(at, rows, row, t.row, thread);
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
                if constexpr (!F::IS_NOTHING)
                    f.finish(sums, i, min(i + PHASE, WIDTH));
                if (is_late)
                    await_buffer(thread, group);
                buffer_of::fill(at, sums, i, thread);
            }
            if (mapped)
                hone::async_fence();
            hone::group_sync(group);
            if (!mapped) {
                write(at, rows, row, t.row, thread);
            } else if (thread == 0) {
                for (int i = 0; i < PHASE && first + i < WIDTH; i += BOX) {
                    for (int j = 0; j < BOXES; j++)
                        hone::tensor_store<STREAM>(
                            map, t.row + j * PHASE, row + i, t.batch,
                            at + j * buffer_of::BLOCK + i * buffer_of::ROW);
                }
                hone::tensor_store_commit();
            }
            parity ^= 1u << next;
            next = next + 1 == BUFFERS ? 0 : next + 1;
        }
    }

  private:
    static constexpr int SUMS_OF_THREAD = COUNT * WIDTH / 128;
    static constexpr bool PIECES = SUMS_OF_THREAD <= 160;
    static constexpr int AHEAD = SUMS_OF_THREAD <= 64    ? 4
                                 : SUMS_OF_THREAD <= 128 ? 2
                                                         : 1;

    /* Until the copy engine has read the next buffer. */
    static __device__ __forceinline__ void await_buffer(int thread, int group)
    {
        if (thread == 0)
            hone::tensor_store_wait_read<BUFFERS - 1>();
        hone::group_sync(group);
    }

    /* Rows of C to a buffer, by pieces of 16 bytes where registers are left for that;
     * and from it. */
    static __device__ __forceinline__ void
    read(unsigned at, const matrix<E, false> &c, int row, int col, int thread)
    {
        if constexpr (PIECES && COUNT / plain::PIECE <= 32) {
            plain::template read_rows<COUNT, AHEAD>(at, c, row, col, thread);
        } else {
            for (int j = 0; j < BOXES; j++)
                plain::read_elements(at + j * buffer_of::BLOCK, c, row,
                                     col + j * PHASE, PHASE, thread);
        }
    }
    static __device__ __forceinline__ void
    write(unsigned at, const matrix<E, false> &c, int row, int col, int thread)
    {
        row_lanes<plain, COUNT>(c, row, col, COUNT, thread)
            .template write<AHEAD, STREAM>(at);
    }
};

} /* namespace gemm */
} /* namespace hone */

#endif
