/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of operands whose rows begin anywhere, without a copy of the matrix: the warp
 * group that fills the ring reads whole 16 bytes around what it wants, shifts them
 * into place and writes what the copy engine would have written, zeros outside of the
 * matrix included. The other operand, if its rows are aligned, comes by copies as ever.
 * Behind gemm_sm90_slots.cuh and gemm_sm90_pack.cuh; no name of a template parameter:
 * see hone_device.cuh.
 *
 * Lines of a slot are its 128 bytes of a row of the matrix, eight pieces of 16 bytes
 * each. A thread has one piece of every 16th line, so that all its pieces begin
 * equally far behind a multiple of 16 bytes, whatever the pitch. What a round of
 * pieces is made of is asked for a round ahead, into the registers that the one before
 * has just left. Array elements are 16 bits; arrays begin at multiples of 16 bytes and
 * are not read behind their end. */
#ifndef GEMM_SM90_LOOSE_CUH
#define GEMM_SM90_LOOSE_CUH

namespace hone {
namespace gemm {

/* Matrices of rows x cols elements as they are stored, rows `pitch` elements apart and
 * matrices `step`; `end` elements in all. */
struct loose_array {
    const unsigned short *from;
    int rows, cols;
    int apart; /* 16 bytes from a row to the one that is 16 further on */
    long long pitch, step, end;
    const uint4 *last; /* behind the last whole 16 bytes */

    __device__ loose_array(const void *array, int rows_, int cols_,
                           long long pitch_, long long step_, int batches)
        : from(static_cast<const unsigned short *>(array)), rows(rows_),
          cols(cols_), apart((int)pitch_ * 2), pitch(pitch_), step(step_),
          end((batches - 1) * step_ + (rows_ - 1) * pitch_ + cols_),
          last(static_cast<const uint4 *>(array) + end / 8)
    {
    }
};

/* The first `n` of eight 16-bit numbers; the others become 0. */
__device__ __forceinline__ uint4 first_of(const uint4 &v, int n)
{
    const unsigned w[4] = {v.x, v.y, v.z, v.w};
    unsigned kept[4];

#pragma unroll
    for (int i = 0; i < 4; i++)
        kept[i] = n >= 2 * i + 2 ? w[i] : n == 2 * i + 1 ? w[i] & 0xffffu : 0;
    return make_uint4(kept[0], kept[1], kept[2], kept[3]);
}

/* The steps of a block's tiles, one after the other. */
template <typename P> struct loose_steps {
    typename P::walk walk;
    tile t;
    int K, parts;
    int step = 0, end = 0;
    bool there = true; /* there is one */
    bool begins = false; /* it is the first of its tile */

    __device__ __forceinline__ loose_steps(const typename P::walk &walk_,
                                           int K_, int parts_)
        : walk(walk_), t(), K(K_), parts(parts_)
    {
        take();
    }
    __device__ __forceinline__ void take()
    {
        step++;
        begins = step >= end;
        while (there && step >= end) {
            there = walk.take(&t);
            if (there) {
                const typename P::steps mine(K, t, parts);

                step = mine.first;
                end = mine.end;
            }
        }
    }
    __device__ __forceinline__ int k() const { return step * P::x::DEPTH; }
};

/* A thread's pieces of an operand P: a round of them is under way. */
template <typename P> struct loose_pieces {
    static constexpr int APART = 16; /* lines of a thread */
    static constexpr int PASSES = (P::BOX_ROWS + APART - 1) / APART;
    static constexpr int AHEAD = PASSES < 4 ? PASSES : 4; /* of a round */
    static constexpr int ROUNDS_OF_BOX = (PASSES + AHEAD - 1) / AHEAD;
    static constexpr int ROUNDS = P::BOXES * ROUNDS_OF_BOX;
    static constexpr int SOON = 3; /* steps */

    /* Of the step that is being asked for: 16 bytes in which this thread's first
     * piece begins, how many elements behind their start, and what the matrix has
     * from there on: elements of the row, and rows. */
    const uint4 *first;
    int shift, left, down;
    /* Of the round that is under way: where a piece begins (`low`), elements of a
     * piece and lines that the matrix has, and whether the array ends there. */
    uint4 low[AHEAD], high[AHEAD];
    const uint4 *at;
    int count, lines;
    bool ends;

    __device__ __forceinline__ loose_pieces()
        : first(nullptr), shift(0), left(0), down(0), low(), high(),
          at(nullptr), count(0), lines(0), ends(false)
    {
    }

    /* This thread's line of 16, and its piece of them. */
    static __device__ __forceinline__ int own_line()
    {
        return threadIdx.x / 8;
    }
    static __device__ __forceinline__ int own_piece()
    {
        return threadIdx.x % 8;
    }
    /* Lines of their box before those of a round. */
    static __device__ __forceinline__ int passed(int round)
    {
        return round % ROUNDS_OF_BOX * (AHEAD * APART);
    }
    static __device__ __forceinline__ int box_of(int round)
    {
        return round / ROUNDS_OF_BOX;
    }

    /* The level 2 cache gets the lines of the matrix that this warp will want `steps`
     * steps from now: each thread asks for some, of its own line of 16. */
    __device__ __forceinline__ void prefetch(const loose_array &m, int steps)
    {
        constexpr int POINTS = P::BOXES + (P::IS_ACROSS ? 1 : 0);
        const int deep = steps * P::DEPTH;
        const int elements =
            left + own_piece() * 8 - (P::IS_ACROSS ? 0 : deep);
        const int rows = down - (P::IS_ACROSS ? deep : 0);
        const unsigned short *from =
            reinterpret_cast<const unsigned short *>(first - own_piece()) +
            shift + (P::IS_ACROSS ? deep * m.pitch : deep);

#pragma unroll
        for (int i = 0; i < POINTS * PASSES; i += 8) {
            const int line = (i + own_piece()) % PASSES * APART;
            const int box = (i + own_piece()) / PASSES;
            const int point = min(box * 64 + (P::IS_ACROSS ? 0 : 63),
                                  elements - 1);

            if (box < POINTS && point >= 0 && line < rows)
                hone::prefetch(from + (unsigned)(line / APART * m.apart) * 8LL +
                               point);
        }
    }

    /* A tile's first step. */
    __device__ __forceinline__ void begin_tile(const loose_array &m, int row,
                                               int k, int matrix)
    {
        const int x = (P::IS_ACROSS ? row : k) + own_piece() * 8;
        const int y = (P::IS_ACROSS ? k : row) + own_line();
        const long long element = matrix * m.step + y * m.pitch + x;

        first = reinterpret_cast<const uint4 *>(m.from) + element / 8;
        shift = (int)(element & 7);
        left = m.cols - x;
        down = m.rows - y;
#pragma unroll 1
        for (int i = 1; i <= SOON; i++)
            prefetch(m, i);
    }

    /* The one after it. */
    __device__ __forceinline__ void next_step(const loose_array &m)
    {
        if (P::IS_ACROSS) {
            first += P::DEPTH / 8 * m.pitch;
            down -= P::DEPTH;
        } else {
            first += P::DEPTH / 8;
            left -= P::DEPTH;
        }
        prefetch(m, SOON);
    }

    /* The i-th piece of the round `at`, or what the array has of it. */
    __device__ __forceinline__ void ask(const loose_array &m, int i)
    {
        const uint4 *from = at + (unsigned)(i * m.apart);
        const bool is_line = i * APART < lines;
        const bool is_more = i * APART < (shift + count > 8 ? lines : 0);

        if (!ends) {
            if (is_line)
                low[i] = __ldg(from);
            if (is_more)
                high[i] = __ldg(from + 1);
        } else {
            if (is_line && from < m.last)
                low[i] = __ldg(from);
            if (is_more && from + 1 < m.last)
                high[i] = __ldg(from + 1);
        }
    }

    /* What follows is about this round of the step. */
    __device__ __forceinline__ void begin_round(const loose_array &m, int round)
    {
        const unsigned further =
            passed(round) / APART * m.apart + box_of(round) * 8;

        at = first + further;
        count = min(left - box_of(round) * 64, 8);
        lines = count > 0 ? down - passed(round) : 0;
        const unsigned last = min((lines - 1) / APART, AHEAD - 1) * m.apart;

        ends = lines > 0 && at + last + 2 > m.last;
    }

    __device__ __forceinline__ void begin(const loose_array &m, int row, int k,
                                          int matrix)
    {
        begin_tile(m, row, k, matrix);
        begin_round(m, 0);
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            ask(m, i);
    }

    /* What an array has behind its last whole 16 bytes stands in shared memory. */
    __device__ __forceinline__ void add_tail(const loose_array &m, unsigned tail)
    {
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const uint4 *from = at + (unsigned)(i * m.apart);

            if (from >= m.last)
                hone::shared_load(tail, low[i]);
            if (from + 1 >= m.last)
                hone::shared_load(tail, high[i]);
        }
    }

    /* The pieces of a round go to the slot's part that begins at `to`, those of the
     * next round are asked for, of the next step's first behind the last. */
    template <typename S>
    __device__ __forceinline__ void move(const loose_array &m, unsigned to,
                                         unsigned tail, int round,
                                         const S &next, int row)
    {
        const int line = passed(round) + own_line();
        const unsigned place =
            to + (box_of(round) * P::BOX_ROWS + line) * 128 +
            (own_piece() ^ own_line() % 8) * 16;
        const int moved = shift, had = count, had_lines = lines;

        if (ends)
            add_tail(m, tail);
        if (round + 1 == ROUNDS) {
            if (next.begins)
                begin_tile(m, row, next.k(), next.t.batch);
            else
                next_step(m);
            if (!next.there)
                down = 0;
        }
        begin_round(m, round + 1 < ROUNDS ? round + 1 : 0);
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            uint4 v = shifted<7>(low[i], high[i], moved);
            const int n = i * APART < had_lines ? had : 0;

            if (n < 8)
                v = first_of(v, n);
            if (P::BOX_ROWS % (AHEAD * APART) == 0 ||
                line + i * APART < P::BOX_ROWS)
                hone::shared_store(place + i * (APART * 128), v);
            ask(m, i);
        }
    }
};

/* What the array has behind its last whole 16 bytes to `to` in shared memory; a warp
 * does it for itself. */
struct loose_tail {
    unsigned short element;

    __device__ __forceinline__ explicit loose_tail(const loose_array &m)
        : element(0)
    {
        const long long at = m.end / 8 * 8 + threadIdx.x % 32;

        if (threadIdx.x % 32 < 8 && at < m.end)
            element = __ldg(m.from + at);
    }
    __device__ __forceinline__ void store(unsigned to) const
    {
        if (threadIdx.x % 32 < 8)
            hone::shared_store(to + threadIdx.x % 32 * 2, element);
    }
};

/* The warp group fills the ring: what is `loose_x` or `loose_y` piece by piece, the
 * rest by copies that its first thread asks for. That one and four warps arrive at
 * `full`. `tails` are 128 bytes of shared memory, at a multiple of 16. */
template <typename P>
__device__ __forceinline__ void
produce_loose(ring_place place, const typename P::walk &walk,
              const CUtensorMap &map_x, const CUtensorMap &map_y,
              const loose_array &x, const loose_array &y, bool loose_x,
              bool loose_y, int K, int parts, unsigned tails)
{
    using pieces_x = loose_pieces<typename P::x>;
    using pieces_y = loose_pieces<typename P::y>;
    constexpr int ROUNDS = pieces_x::ROUNDS > pieces_y::ROUNDS
                               ? pieces_x::ROUNDS
                               : pieces_y::ROUNDS;
    const unsigned tail_x = tails + threadIdx.x / 32 * 32;
    const unsigned tail_y = tail_x + 16;
    const loose_tail end_x(x), end_y(y);
    loose_steps<P> steps(walk, K, parts);
    pieces_x of_x;
    pieces_y of_y;

    if (threadIdx.x == 0 && !loose_x)
        hone::tensor_prefetch(map_x);
    if (threadIdx.x == 0 && !loose_y)
        hone::tensor_prefetch(map_y);
    if (loose_x && steps.there)
        of_x.begin(x, steps.t.row, steps.k(), steps.t.batch);
    if (loose_y && steps.there)
        of_y.begin(y, steps.t.col, steps.k(), steps.t.batch);
    end_x.store(tail_x);
    end_y.store(tail_y);
    __syncwarp();
#pragma unroll 1
    while (steps.there) {
        const unsigned to = place.slots + place.slot * P::SLOT;
        const unsigned full = place.own_full();

        hone::barrier_wait(place.own_empty(), place.round ^ 1);
        if (threadIdx.x == 0) {
            hone::barrier_expect(full, (loose_x ? 0 : P::x::BYTES) +
                                           (loose_y ? 0 : P::y::BYTES));
            if (!loose_x)
                P::x::load(to, map_x, steps.t.row, steps.k(), steps.t.batch, 0,
                           full);
            if (!loose_y)
                P::y::load(to + P::x::BYTES, map_y, steps.t.col, steps.k(),
                           steps.t.batch, 0, full);
        }
        steps.take();
#pragma unroll 1
        for (int i = 0; i < ROUNDS; i++) {
            if (loose_x && i < pieces_x::ROUNDS)
                of_x.move(x, to, tail_x, i, steps, steps.t.row);
            if (loose_y && i < pieces_y::ROUNDS)
                of_y.move(y, to + P::x::BYTES, tail_y, i, steps, steps.t.col);
        }
        hone::async_fence();
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            hone::barrier_arrive(full);
        place.advance();
    }
}

} /* namespace gemm */
} /* namespace hone */

#endif
