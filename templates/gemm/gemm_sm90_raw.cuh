/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of operands whose rows begin anywhere, without a copy of the matrix:
 * threads ask for the whole 16 bytes around what they want some steps ahead, in
 * raw lines of shared memory, and then shift these into place: they write what
 * the copy engine would have written, zeros outside of the matrix included.
 * Behind gemm_sm90_slots.cuh; no name of a template parameter: see
 * hone_device.cuh.
 *
 * A slot has boxes, next to each other in the matrix, of lines of 128 bytes. A
 * raw line is one line of all boxes, and the group of 16 bytes behind it: an
 * odd number of groups, so that eight lanes that read the same group of eight
 * lines meet no bank twice. Of each 32 lines a warp has eight, for which it
 * asks and which it moves: no other warp has to wait for them. A lane's lines
 * are 32 apart, so that all of them begin equally far behind a multiple of 16
 * bytes, whatever the pitch, and what it asks for is at constant distances. Of the 16
 * bytes it takes, half are chosen by the address, the rest by selects and funnel shifts.
 * Array elements are 16 bits; arrays begin at multiples of 16 bytes and are not
 * read behind their end. */
#ifndef GEMM_SM90_RAW_CUH
#define GEMM_SM90_RAW_CUH

namespace hone
{
namespace gemm
{

/* Matrices of rows x cols elements as they are stored, rows `pitch` elements
 * apart and matrices `step`; `end` elements in all. */
struct loose_array {
    const unsigned short *from;
    int rows, cols;
    int apart; /* 16 bytes from a row to the one that is 32 further on */
    long long pitch, step, end;
    const uint4 *last; /* behind the last whole 16 bytes */

    __device__ loose_array(const void *array, int rows_, int cols_,
                           long long pitch_, long long step_, int batches)
        : from(static_cast<const unsigned short *>(array)), rows(rows_),
          cols(cols_), apart((int)pitch_ * 4), pitch(pitch_), step(step_),
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

/* What the array has behind its last whole 16 bytes, for a warp: loaded at once, put
 * into shared memory where it is wanted. */
struct loose_tail {
    unsigned short element;
    unsigned at; /* of 16 bytes, the warp's own */

    __device__ __forceinline__ loose_tail(const loose_array &m, unsigned at_)
        : element(0), at(at_)
    {
        const long long i = m.end / 8 * 8 + threadIdx.x % 32;

        if (threadIdx.x % 32 < 8 && i < m.end)
            element = __ldg(m.from + i);
    }
    __device__ __forceinline__ void store() const
    {
        if (threadIdx.x % 32 < 8)
            hone::shared_store(at + threadIdx.x % 32 * 2, element);
        __syncwarp();
    }
};

/* Of 20 numbers of 16 bits in pairs of words the 16 from number `first` on, 0 to 3. */
__device__ __forceinline__ void shift_pair(const uint2 (&from)[5], int first,
                                           uint4 (&to)[2])
{
    unsigned w[10];

#pragma unroll
    for (int i = 0; i < 5; i++) {
        w[2 * i] = from[i].x;
        w[2 * i + 1] = from[i].y;
    }
#pragma unroll
    for (int i = 0; i < 9; i++)
        w[i] = first & 2 ? w[i + 1] : w[i];
#pragma unroll
    for (int i = 0; i < 8; i++)
        w[i] = __funnelshift_r(w[i], w[i + 1], first % 2 * 16);
    to[0] = make_uint4(w[0], w[1], w[2], w[3]);
    to[1] = make_uint4(w[4], w[5], w[6], w[7]);
}

/* The raw lines of an operand P in one step. */
template <typename P> struct raw_lines {
    static constexpr int GROUPS = P::BOXES * 8 + 1; /* of 16 bytes, in a line */
    static constexpr int PITCH = GROUPS * 16;
    static constexpr int PASSES = (P::BOX_ROWS + 31) / 32; /* of all warps */
    static constexpr int BYTES = P::BOX_ROWS * PITCH;

    /* The first of this warp's eight lines of 32. */
    static __device__ __forceinline__ int own_lines()
    {
        return threadIdx.x % 128 / 32 * 8;
    }
    /* A warp has lines in this pass. */
    static __device__ __forceinline__ bool is_there(int pass)
    {
        return P::BOX_ROWS % 32 == 0 || pass * 32 + own_lines() < P::BOX_ROWS;
    }
    /* Elements from a step's first one to the row's end, and rows to the last
     * one, of the step that begins at `row` and `k`. */
    static __device__ __forceinline__ int left(const loose_array &m, int row,
                                               int k)
    {
        return m.cols - (P::IS_ACROSS ? row : k);
    }
    static __device__ __forceinline__ int down(const loose_array &m, int row,
                                               int k)
    {
        return m.rows - (P::IS_ACROSS ? k : row);
    }
    static __device__ __forceinline__ long long
    element(const loose_array &m, int row, int k, int matrix, int line)
    {
        return matrix * m.step + ((P::IS_ACROSS ? k : row) + line) * m.pitch +
               (P::IS_ACROSS ? row : k);
    }
};

/* A thread asks for groups of raw lines, in three roles. Of each eight groups of a line
 * eight lanes have one each: of one of the warp's first four lines (0), and of one of
 * its other four (1). The group behind all boxes is a single one of a line (2): eight
 * lanes have those of the warp's eight lines, the next eight those of the next pass. */
template <typename P> struct raw_asked {
    using raw = raw_lines<P>;
    static constexpr int LASTS = (raw::PASSES + 3) / 4; /* passes of them */

    const uint4 *at[3];
    int more[3];  /* elements from there to the row's end */
    int lines[3]; /* from there to the last one of the matrix */
    int left, down;

    static __device__ __forceinline__ int line(int i)
    {
        const int lane = threadIdx.x % 32;

        return raw::own_lines() +
               (i < 2 ? lane / 8 + i * 4 : lane / 8 * 32 + lane % 8);
    }
    static __device__ __forceinline__ int group(int i)
    {
        return i < 2 ? threadIdx.x % 8 : raw::GROUPS - 1;
    }

    /* A tile's first step. */
    __device__ __forceinline__ void begin_tile(const loose_array &m, int row,
                                               int k, int matrix)
    {
        left = raw::left(m, row, k);
        down = raw::down(m, row, k);
#pragma unroll
        for (int i = 0; i < 3; i++) {
            const long long element = raw::element(m, row, k, matrix, line(i));

            at[i] = reinterpret_cast<const uint4 *>(m.from) + element / 8 +
                    group(i);
            more[i] = (int)(element & 7) + left - group(i) * 8;
            lines[i] = down - line(i);
        }
    }

    /* The one that is APART steps further on. */
    template <int APART>
    __device__ __forceinline__ void next_step(const loose_array &m)
    {
        constexpr int DEEP = APART * P::DEPTH;
        const long long further = P::IS_ACROSS ? m.pitch * (DEEP / 8) : DEEP / 8;

        (P::IS_ACROSS ? down : left) -= DEEP;
#pragma unroll
        for (int i = 0; i < 3; i++) {
            at[i] += further;
            (P::IS_ACROSS ? lines : more)[i] -= DEEP;
        }
    }

    /* The array goes on behind all groups of a step: rows do, or eight more lines, of
     * at least an element each, follow. */
    __device__ __forceinline__ bool is_inside() const
    {
        return left >= P::BOXES * 64 + 16 || down >= P::BOX_ROWS + 8;
    }

    /* A lane has a last group in the i-th pass of these. */
    static __device__ __forceinline__ bool has_last(int i)
    {
        return P::BOX_ROWS % 128 == 0 || line(2) + i * 128 < P::BOX_ROWS;
    }

    /* Lines of a step go to those at `lines`: zeros where the matrix has none. */
    __device__ __forceinline__ void ask(const loose_array &m,
                                        const loose_tail &tail,
                                        unsigned to_lines) const
    {
        unsigned to[3];

#pragma unroll
        for (int i = 0; i < 3; i++)
            to[i] = to_lines + line(i) * raw::PITCH + group(i) * 16;
        if (__builtin_expect(!is_inside(), 0)) {
            ask_at_end(m, tail, to);
            return;
        }
#pragma unroll
        for (int pass = 0; pass < raw::PASSES; pass++) {
            if (!raw::is_there(pass))
                continue;
#pragma unroll
            for (int i = 0; i < 2 * P::BOXES; i++)
                hone::copy16_async(
                    to[i % 2] + pass * 32 * raw::PITCH + i / 2 * 128,
                    at[i % 2] + (unsigned)(pass * m.apart) + i / 2 * 8,
                    pass * 32 < lines[i % 2] && i / 2 * 64 < more[i % 2]);
        }
#pragma unroll
        for (int i = 0; i < LASTS; i++) {
            if (has_last(i))
                hone::copy16_async(
                    to[2] + i * 128 * raw::PITCH,
                    at[2] + (unsigned)(i * 4) * (unsigned)m.apart,
                    i * 128 < lines[2] && more[2] > 0);
        }
    }

  private:
    /* A group, or zeros where it is not `wanted`; what an array has behind its
     * last whole 16 bytes stands in shared memory. */
    static __device__ __forceinline__ void
    ask_one(const loose_array &m, const loose_tail &tail, unsigned to,
            const uint4 *from, bool wanted)
    {
        if (!wanted || from < m.last) {
            hone::copy16_async(to, from, wanted);
        } else {
            uint4 v;

            hone::shared_load(tail.at, v);
            hone::shared_store(to, v);
        }
    }

    /* The same where the array may end. */
    __device__ __forceinline__ void ask_at_end(const loose_array &m,
                                               const loose_tail &tail,
                                               const unsigned (&to)[3]) const
    {
        tail.store();
#pragma unroll 1
        for (int pass = 0; pass < raw::PASSES && raw::is_there(pass); pass++) {
#pragma unroll
            for (int i = 0; i < 2 * P::BOXES; i++)
                ask_one(m, tail, to[i % 2] + pass * 32 * raw::PITCH + i / 2 * 128,
                        at[i % 2] + (unsigned)(pass * m.apart) + i / 2 * 8,
                        pass * 32 < lines[i % 2] && i / 2 * 64 < more[i % 2]);
        }
#pragma unroll 1
        for (int i = 0; i < LASTS && has_last(i); i++)
            ask_one(m, tail, to[2] + i * 128 * raw::PITCH,
                    at[2] + (unsigned)(i * 4) * (unsigned)m.apart,
                    i * 128 < lines[2] && more[2] > 0);
    }
};

/* A thread moves two neighbouring pieces of 16 bytes of a line of each box: eight lanes
 * next to each other have the same two pieces of the warp's eight lines, and the four
 * eights of a warp all eight pieces. */
template <typename P> struct raw_moved {
    using raw = raw_lines<P>;

    int shift, left; /* elements that lines begin behind a group, from a row to its end */

    static __device__ __forceinline__ int line()
    {
        return raw::own_lines() + threadIdx.x % 8;
    }
    static __device__ __forceinline__ int quarter()
    {
        return threadIdx.x % 32 / 8;
    }

    __device__ __forceinline__ void begin_tile(const loose_array &m, int row,
                                               int k, int matrix)
    {
        shift = (int)(raw::element(m, row, k, matrix, line()) & 7);
        left = raw::left(m, row, k);
    }
    template <int APART> __device__ __forceinline__ void next_step()
    {
        if (!P::IS_ACROSS)
            left -= APART * P::DEPTH;
    }

    /* Where rows end in this step, the elements of that group behind them
     * become 0; the groups behind it are. */
    __device__ __forceinline__ void end_rows(unsigned from) const
    {
        const int count = shift + left;

        if (count > 0 && count % 8 != 0) {
#pragma unroll 1
            for (int i = line() + quarter() * 32; i < P::BOX_ROWS; i += 128) {
                const unsigned at = from + i * raw::PITCH + count / 8 * 16;
                uint4 v;

                hone::shared_load(at, v);
                hone::shared_store(at, first_of(v, count % 8));
            }
        }
        __syncwarp();
    }

    /* The raw lines at `from` go to the slot's part that begins at `to`. */
    __device__ __forceinline__ void move(unsigned from, unsigned to) const
    {
        constexpr int ROUNDS = raw::PASSES * P::BOXES;
        const int own = quarter() * 2;
        const unsigned at = from + line() * raw::PITCH + own * 16 + shift / 4 * 8;
        const unsigned low = to + line() * 128 + (own ^ line() % 8) * 16;
        const unsigned high = to + line() * 128 + ((own + 1) ^ line() % 8) * 16;
        uint2 pairs[2][5];
        uint4 pieces[2];

        if (__builtin_expect(left < P::BOXES * 64, 0))
            end_rows(from);
        load(at, 0, pairs[0]);
#pragma unroll
        for (int i = 0; i < ROUNDS; i++) {
            const int further =
                (i % P::BOXES * P::BOX_ROWS + i / P::BOXES * 32) * 128;

            if (i + 1 < ROUNDS)
                load(at, i + 1, pairs[(i + 1) % 2]);
            shift_pair(pairs[i % 2], shift % 4, pieces);
            if (raw::is_there(i / P::BOXES)) {
                hone::shared_store(low + further, pieces[0]);
                hone::shared_store(high + further, pieces[1]);
            }
        }
    }

    static __device__ __forceinline__ void load(unsigned at, int round,
                                                uint2 (&pairs)[5])
    {
        const unsigned from =
            at + round / P::BOXES * 32 * raw::PITCH + round % P::BOXES * 128;

        if (raw::is_there(round / P::BOXES)) {
#pragma unroll
            for (int i = 0; i < 5; i++)
                hone::shared_load(from + i * 8, pairs[i]);
        }
    }
};

} /* namespace gemm */
} /* namespace hone */

#endif
