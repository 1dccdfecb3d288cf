/* SPDX-License-Identifier: Apache-2.0 */
/* What is packed beside a product (gemm_sm90_meanwhile.cuh): the patches and units that
 * matrices are cut into, the order of these, and how the warp that fills the ring
 * waits for what a step reads. Behind gemm_sm90_slots.cuh; no name of a template
 * parameter: see hone_device.cuh.
 *
 * What is stored is cut into patches of 128 lines by 256 elements, and these into units
 * of 32 lines. Units are numbered in the order in which products want them. Who reads a
 * patch waits for all its units. */
#ifndef GEMM_SM90_PATCHES_CUH
#define GEMM_SM90_PATCHES_CUH

namespace hone {
namespace gemm {

constexpr int PATCH_LINES = 128, PATCH_COLS = 256; /* a lane has eight of these */
constexpr int UNIT_LINES = 32;
constexpr int PATCH_CHUNK = 256; /* of K: units are ordered by these */
/* From the first of the words that blocks share on: the next unit's number, and behind
 * this many a count for each patch. */
constexpr int FIRST_COUNT = 32;

/* --- patches ---------------------------------------------------------------- */

/* How an operand's matrices, of `lines` x `cols` as they are stored, are cut. Where
 * they are not loose, lines are 0. */
template <typename OPERAND> struct patches {
    static constexpr bool ACROSS = OPERAND::IS_ACROSS;
    /* Of K, and of M or N. */
    static constexpr int DEEP = ACROSS ? PATCH_LINES : PATCH_COLS;
    static constexpr int WIDE = ACROSS ? PATCH_COLS : PATCH_LINES;
    static constexpr int OF_CHUNK = PATCH_CHUNK / DEEP;
    int lines, cols;

    __device__ __forceinline__ unsigned down() const
    {
        return ((unsigned)lines + PATCH_LINES - 1) / PATCH_LINES;
    }
    __device__ __forceinline__ unsigned across() const
    {
        return ((unsigned)cols + PATCH_COLS - 1) / PATCH_COLS;
    }
    __device__ __forceinline__ unsigned of_matrix() const
    {
        return down() * across();
    }
    /* Along M or N. */
    __device__ __forceinline__ unsigned beside() const
    {
        return lines == 0 ? 0 : ACROSS ? across() : down();
    }
    /* Those that have some of the first `n` of M or N. */
    __device__ __forceinline__ unsigned of_first(unsigned n) const
    {
        return min(beside(), (n + WIDE - 1) / WIDE);
    }
};

/* --- the warp that fills the ring ------------------------------------------ */

/* What is known to be there of an operand: the patches of a tile in some of K. */
template <typename OPERAND> struct awaited {
    using cut = patches<OPERAND>;
    /* Along M or N what boxes read, and patches that this can touch; of these so many
     * along K are looked at. */
    static constexpr int READ =
        cut::ACROSS ? OPERAND::BOXES * 64 : OPERAND::ROWS;
    static constexpr int MOST = (READ + cut::WIDE - 2) / cut::WIDE + 1;
    static constexpr int AHEAD = 512 / cut::DEEP;
    static constexpr unsigned FIRST = (1u << MOST) - 1; /* that a step reads */
    static_assert(cut::DEEP % OPERAND::DEPTH == 0, "a step is in one patch");
    static_assert(MOST * AHEAD <= 16, "half a warp has a patch each");

    /* The count of the n-th of these and of units that the patch has; nullptr if it is
     * none. */
    static __device__ __forceinline__ const unsigned *
    patch(const cut &matrix, const unsigned *counts, int row, int k, int batch,
          int n, unsigned &units)
    {
        const int all = cut::ACROSS ? matrix.cols : matrix.lines;
        const int last = (min(row + READ, all) - 1) / cut::WIDE;
        const unsigned beside = row / cut::WIDE + n % MOST;
        const unsigned deep = k / cut::DEEP + n / MOST;
        const unsigned down = cut::ACROSS ? deep : beside;
        const unsigned across = cut::ACROSS ? beside : deep;

        if (matrix.lines == 0 || n >= MOST * AHEAD || (int)beside > last ||
            deep >= (cut::ACROSS ? matrix.down() : matrix.across()))
            return nullptr;
        units = (unsigned)min(matrix.lines - (int)down * PATCH_LINES +
                                  UNIT_LINES - 1,
                              PATCH_LINES) /
                UNIT_LINES;
        return counts + batch * matrix.of_matrix() + down * matrix.across() +
               across;
    }
    /* In front of this k all is there where these bits are not. */
    static __device__ __forceinline__ int known(const cut &matrix, int k,
                                                unsigned missing)
    {
        const int patches = (__ffs(missing | 1u << MOST * AHEAD) - 1) / MOST;

        return matrix.lines == 0 ? 0x7fffffff
                                 : (k / cut::DEEP + patches) * cut::DEEP;
    }
};

/* Both operands of P. A warp looks at patches of X with its first 16 lanes, at those of
 * Y with the others, some ahead, since a fence is behind that. */
template <typename P> struct awaited_step {
    using of_x = awaited<typename P::x>;
    using of_y = awaited<typename P::y>;
    static constexpr int LANES = 32;
    patches<typename P::x> x;
    patches<typename P::y> y;
    const unsigned *words;
    int batches;
    int known = 0; /* in front of this k of the tile all is there */

    __device__ __forceinline__ awaited_step(const patches<typename P::x> &x_,
                                            const patches<typename P::y> &y_,
                                            const unsigned *shared_words,
                                            int batches_)
        : x(x_), y(y_), words(shared_words), batches(batches_)
    {
    }
    __device__ __forceinline__ void begin_tile() { known = 0; }
    /* Waits for what the step at `k` reads. */
    __device__ __forceinline__ void wait(const tile &t, int k)
    {
        if (k < known)
            return;
        const int lane = threadIdx.x % 32;
        const unsigned *counts = words + FIRST_COUNT;
        unsigned units = 0, missing;
        const unsigned *count =
            lane < 16 ? of_x::patch(x, counts, t.row, k, t.batch, lane, units)
                      : of_y::patch(y, counts + x.of_matrix() * batches, t.col,
                                    k, t.batch, lane - 16, units);

#pragma unroll 1
        for (;;) {
            missing = __ballot_sync(
                ~0u, count != nullptr && hone::load_count(count) < units);
            if ((missing & (of_x::FIRST | of_y::FIRST << 16)) == 0)
                break;
            __nanosleep(20);
        }
        known = min(of_x::known(x, k, missing & 0xffff),
                    of_y::known(y, k, missing >> 16));
        hone::acquire_fence();
        __syncwarp();
        hone::async_fence_global();
    }
};

/* Everything is there. */
struct nothing_awaited {
    static constexpr int LANES = 1;
    __device__ __forceinline__ void begin_tile() {}
    __device__ __forceinline__ void wait(const tile &, int) {}
};

/* --- the order of units ---------------------------------------------------- */

/* Lines of one patch. */
struct packing_unit {
    bool is_y;
    unsigned batch, down, across, count; /* the patch */
    int line, lines;                     /* 0: nothing is to be done */
};

/* Where a unit is: a matrix of the batch, tiles of it that run at the same time, the
 * number of the first unit that is theirs, and how many are; what they read of X and Y,
 * in patches along M and N. */
struct packing_spot {
    unsigned wave = ~0u, batch = 0, first = 0, size = 0;
    unsigned x_from = 0, x_count = 0, y_from = 0, y_count = 0;
};

/* Units in the order in which products want them. Of each matrix first what the tiles
 * that run first read, then what those behind them do; of that chunk after chunk of K,
 * those of all parts of K in turn; of a chunk X, then Y. */
template <typename P> struct packing_order {
    using cut_x = patches<typename P::x>;
    using cut_y = patches<typename P::y>;
    static constexpr unsigned OF_PATCH = PATCH_LINES / UNIT_LINES;
    typename P::walk walk;
    cut_x x;
    cut_y y;
    int K, parts;

    __device__ __forceinline__ unsigned chunks() const
    {
        return ((unsigned)K + PATCH_CHUNK - 1) / PATCH_CHUNK;
    }
    __device__ __forceinline__ unsigned units() const
    {
        return of_chunks(x.beside(), y.beside()) * walk.batches;
    }
    /* The one with this number, not before what was looked for last. */
    __device__ __forceinline__ packing_unit find(unsigned number,
                                                 packing_spot &spot) const
    {
#pragma unroll 1
        while (number - spot.first >= spot.size)
            next(spot);
        const unsigned of_x = spot.x_count * cut_x::OF_CHUNK * OF_PATCH;
        const unsigned of_chunk =
            of_x + spot.y_count * cut_y::OF_CHUNK * OF_PATCH;
        const unsigned turn = (number - spot.first) / of_chunk;
        const unsigned i = number - spot.first - turn * of_chunk;
        const bool is_y = i >= of_x;
        const unsigned chunk = in_turn(turn);
        packing_unit u =
            is_y ? unit(y, chunk, i - of_x, spot.y_from, spot.y_count)
                 : unit(x, chunk, i, spot.x_from, spot.x_count);

        u.is_y = is_y;
        u.batch = spot.batch;
        u.count = (u.batch * (is_y ? y.down() : x.down()) + u.down) *
                      (is_y ? y.across() : x.across()) +
                  u.across + (is_y ? x.of_matrix() * walk.batches : 0);
        return u;
    }

  private:
    __device__ __forceinline__ void next(packing_spot &spot) const
    {
        spot.first += spot.size;
        spot.wave++;
        if (spot.x_from + spot.x_count == x.beside() &&
            spot.y_from + spot.y_count == y.beside()) {
            spot.wave = 0;
            spot.batch++;
        }
        spot.x_from = x_before(spot.wave);
        spot.y_from = y_before(spot.wave);
        spot.x_count = x_before(spot.wave + 1) - spot.x_from;
        spot.y_count = y_before(spot.wave + 1) - spot.y_from;
        spot.size = of_chunks(spot.x_count, spot.y_count);
    }
    __device__ __forceinline__ unsigned of_chunks(unsigned x_count,
                                                  unsigned y_count) const
    {
        return chunks() * OF_PATCH *
               (x_count * cut_x::OF_CHUNK + y_count * cut_y::OF_CHUNK);
    }
    /* The first chunk of every part of K, then the second ones; last those that not all
     * parts have. */
    __device__ __forceinline__ unsigned in_turn(unsigned turn) const
    {
        if (parts == 1)
            return turn;
        const unsigned whole = K / PATCH_CHUNK, each = whole / parts;
        unsigned part = turn % parts, more = turn / parts;

        if (more >= each) {
            more = turn - each * parts;
            for (part = 0;; part++) {
                const unsigned end = part + 1u < (unsigned)parts
                                         ? whole * (part + 1) / parts
                                         : chunks();
                const unsigned left = end - whole * part / parts - each;

                if (more < left)
                    break;
                more -= left;
            }
            more += each;
        }
        return whole * part / parts + more;
    }
    template <typename C>
    __device__ __forceinline__ packing_unit
    unit(const C &cut, unsigned chunk, unsigned i, unsigned from,
         unsigned count) const
    {
        const unsigned patch = i / OF_PATCH;
        const unsigned in_chunk = C::OF_CHUNK > 1 ? patch / count : 0;
        const unsigned deep = chunk * C::OF_CHUNK + in_chunk;
        const unsigned beside = from + patch - in_chunk * count;
        packing_unit u;

        u.down = C::ACROSS ? deep : beside;
        u.across = C::ACROSS ? beside : deep;
        u.line = (int)(u.down * PATCH_LINES + i % OF_PATCH * UNIT_LINES);
        u.lines = min(cut.lines - u.line, UNIT_LINES);
        return u;
    }
    /* Patches along M or N that tiles read which run before this wave. */
    __device__ __forceinline__ unsigned x_before(unsigned waves) const
    {
        const unsigned n = waves * walk.step;

        return x.of_first((walk.along_n ? others_of(n) : lines_of(n)) *
                          P::walk::X_AT_ONCE);
    }
    __device__ __forceinline__ unsigned y_before(unsigned waves) const
    {
        const unsigned n = waves * walk.step;

        return y.of_first((walk.along_n ? lines_of(n) : others_of(n)) *
                          P::walk::Y_AT_ONCE);
    }
    /* The first n clusters of a walk have tiles in so many lines, and across. */
    __device__ __forceinline__ unsigned lines_of(unsigned n) const
    {
        const unsigned of_group = walk.group * walk.others;
        const unsigned groups = n / of_group;

        return min((unsigned)walk.lines,
                   groups * walk.group +
                       min(n - groups * of_group, (unsigned)walk.group));
    }
    __device__ __forceinline__ unsigned others_of(unsigned n) const
    {
        const unsigned width = min(walk.group, walk.lines);

        return min((unsigned)walk.others, (n + width - 1) / width);
    }
};

} /* namespace gemm */
} /* namespace hone */

#endif
