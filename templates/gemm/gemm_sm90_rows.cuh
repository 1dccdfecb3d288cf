/* SPDX-License-Identifier: Apache-2.0 */
/* Rows from staging buffers to C, where the copy engine cannot write them. S is the
 * `staging` that they lie in (gemm_sm90_staging.cuh, which includes this). Behind
 * gemm_sm90_pack.cuh; no name of a template parameter: see hone_device.cuh. */
#ifndef GEMM_SM90_ROWS_CUH
#define GEMM_SM90_ROWS_CUH

namespace hone {
namespace gemm {

/* How a thread takes part in writing what fits into C of the first `end` columns, of
 * WIDE or less, which lie in neighbouring buffers. Eight lanes have a row, each every
 * eighth piece of 16 bytes of it, counted from the start of the sector in which the
 * row begins, so that no access ends within a sector but at an end of the row. Of
 * these pieces the first two may begin in front of the row, and as much is left at its
 * end: so rows are taken for rings, and what lies in front of a row is what comes
 * behind its last piece. The elements of a piece that is of both ends, and of the last
 * one if C ends within it, are written one by one, by the lane that has their number
 * within a piece.
 *
 * A lane's rows are STEP apart, a multiple of a sector's elements and of the rows
 * after which the exchange of pieces repeats. So all of them begin equally far behind
 * the start of a sector and lie a constant apart in a buffer: what loops do is load,
 * shift and write. Nothing here reads the buffers before write(). */
template <typename S, int WIDE> struct row_lanes {
    using one = typename S::one;
    static constexpr int PIECE = S::PIECE;
    static constexpr int LANES = 8; /* of a row, which has OF_ROW pieces */
    static constexpr int OF_ROW = WIDE / PIECE;
    static constexpr int TURNS = (OF_ROW + LANES - 1) / LANES;
    static constexpr int STEP = 128 / LANES; /* a lane has ROWS of them */
    static constexpr int ROWS = S::ROW_COUNT / STEP;
    static constexpr int APART = STEP * S::LINE;           /* bytes of buffers */
    static constexpr int TURN = S::ROW_COUNT * LANES * 16; /* the same */
    static_assert(WIDE % PIECE == 0 && OF_ROW > 1, "a row is whole pieces");
    static_assert(STEP % S::SECTOR == 0 && STEP % 8 == 0, "rows differ");

    /* In the buffers: the two pieces of which a piece of C is made, in the first turn,
     * where rows are rings, and without the turn in the others; the element that is
     * written alone. */
    unsigned low_of_ring, high_of_ring, low, high, alone;
    int q, shift; /* lane of the row; numbers of 16 bits */
    int rows, count; /* of C from the lane's first row on, and elements of one */
    int first, in_ring, element; /* number in the row of a lane's first elements */
    bool is_whole, is_alone;
    one *start; /* of the row */
    long long step;

    template <typename C>
    __device__ __forceinline__ row_lanes(const C &c, int row, int col, int end,
                                         int thread)
    {
        const int slot = thread / LANES;

        q = thread % LANES;
        start = c.at(row + slot, col);
        step = STEP * c.pitch;
        rows = c.rows - row - slot;
        count = min(end, c.cols - col);

        const int lead = (unsigned)reinterpret_cast<unsigned long long>(start) /
                         S::SIZE % S::SECTOR;
        const int off = lead % PIECE;
        const int at_low = min(q, OF_ROW - 1) - (lead + PIECE - 1) / PIECE;
        const int at_high = at_low + (off > 0);

        shift = (PIECE - off) % PIECE * S::SIZE / 2;
        first = q * PIECE - lead;
        in_ring = first <= -PIECE ? first + WIDE : first;
        is_whole = q < OF_ROW && in_ring >= 0 && in_ring + PIECE <= count;
        low = piece(slot, at_low);
        high = piece(slot, at_high);
        low_of_ring = piece(slot, at_low < 0 ? at_low + OF_ROW : at_low);
        high_of_ring = piece(slot, at_high < 0 ? at_high + OF_ROW : at_high);

        const int last = last_of(off);

        element = q < off ? last : q - off;
        is_alone = element < count && q < PIECE &&
                   (q < off ? last >= q : off > 0);
        alone = S::at(slot, is_alone ? element : 0);
    }

    /* AHEAD pieces are under way before the first is written. */
    template <int AHEAD, bool STREAM>
    __device__ __forceinline__ void write(unsigned buffers)
    {
        constexpr int OF_TURN = TURNS < AHEAD ? TURNS : AHEAD;
        constexpr int MOST = AHEAD / OF_TURN;
        constexpr int FITS = MOST < ROWS ? MOST : ROWS;
        /* A lane has 4, 8, 12 or 16 rows. */
        constexpr int AT_ONCE = ROWS % FITS == 0 ? FITS : FITS / 2;

        static_assert(ROWS % AT_ONCE == 0, "rows behind the last");

        if (count <= 0)
            return;
        if (count % PIECE != 0)
            write_others<STREAM>(buffers);
#pragma unroll 1
        for (int i = 0; i < ROWS; i += AT_ONCE) {
            one single[AT_ONCE];

#pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                hone::shared_load(buffers + alone + j * APART, single[j]);
#pragma unroll
            for (int turn = 0; turn < TURNS; turn += OF_TURN)
                write_pieces<AT_ONCE, OF_TURN, STREAM>(buffers, turn);
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++) {
                hone::store_if<STREAM>(is_alone && j * STEP < rows,
                                       start + j * step + element, single[j]);
            }
            buffers += AT_ONCE * APART;
            rows -= AT_ONCE * STEP;
            start += AT_ONCE * step;
        }
    }

  private:
    static __device__ unsigned piece(int slot, int i)
    {
        return S::template piece<false>(0, 0, slot, i);
    }
    /* The element with the lane's number of the piece in which a row ends; in front of
     * the lane's number if that is the one in which it begins. */
    __device__ int last_of(int off) const
    {
        return (count + off) / PIECE * PIECE - off + q;
    }

    /* So many turns of so many rows. */
    template <int COUNT, int OF_TURN, bool STREAM>
    __device__ __forceinline__ void write_pieces(unsigned buffers,
                                                 int turn) const
    {
        uint4 lows[COUNT][OF_TURN], highs[COUNT][OF_TURN];

#pragma unroll
        for (int j = 0; j < COUNT; j++) {
#pragma unroll
            for (int k = 0; k < OF_TURN; k++) {
                const unsigned at = buffers + j * APART + (turn + k) * TURN;
                const bool is_ring = turn + k == 0;

                if (turn + k >= TURNS)
                    continue;
                hone::shared_load(at + (is_ring ? low_of_ring : low),
                                  lows[j][k]);
                hone::shared_load(at + (is_ring ? high_of_ring : high),
                                  highs[j][k]);
            }
        }
#pragma unroll
        for (int j = 0; j < COUNT; j++) {
#pragma unroll
            for (int k = 0; k < OF_TURN; k++) {
                const int number = (turn + k) * LANES;
                const int from = first + number * PIECE;
                const bool is_ring = turn + k == 0;

                if (turn + k >= TURNS)
                    continue;
                const bool fits =
                    is_ring ? is_whole
                            : q + number < OF_ROW && from + PIECE <= count;

                hone::store_if<STREAM>(
                    fits && j * STEP < rows,
                    reinterpret_cast<uint4 *>(start + j * step +
                                              (is_ring ? in_ring : from)),
                    shifted<7>(lows[j][k], highs[j][k], shift));
            }
        }
    }

    /* Where C ends within a piece, lanes may have an element of that one, too. */
    template <bool STREAM>
    __device__ __forceinline__ void write_others(unsigned buffers) const
    {
        constexpr int AT_ONCE = ROWS < 4 ? ROWS : 4;
        const int off = (PIECE - shift * 2 / S::SIZE) % PIECE;
        const int last = last_of(off);
        const bool is_other =
            q >= off && q < PIECE && last >= q && last < count;
        const unsigned at =
            buffers + S::at(threadIdx.x % 128 / LANES, is_other ? last : 0);

#pragma unroll 1
        for (int i = 0; i < ROWS; i += AT_ONCE) {
            one single[AT_ONCE];

#pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                hone::shared_load(at + (i + j) * APART, single[j]);
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++) {
                hone::store_if<STREAM>(is_other && (i + j) * STEP < rows,
                                       start + (i + j) * step + last,
                                       single[j]);
            }
        }
    }
};

/* The same for rows that go on in neighbouring tiles of a block. */
template <typename S> struct run_rows {
    using one = typename S::one;
    static constexpr int SIZE = S::SIZE;
    static constexpr int PIECE = S::PIECE;
    static constexpr int SECTOR = S::SECTOR;
    static constexpr int ROWS = S::ROW_COUNT;

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
        return i >= 0 ? buffer + S::at(r, i)
                      : edges + (r * SECTOR + SECTOR + i) * SIZE;
    }

    /* What fits into C of the first `end` columns, of WIDE or less, which lie in
     * neighbouring buffers. A lane has a whole piece of C, made of two neighbours
     * in the buffer. Then SECTOR lanes write what is left of a row, its ends. */
    template <int WIDE, int MOST, bool STREAM, typename C>
    static __device__ __forceinline__ void
    write(unsigned buffer, unsigned edges, const C &c, int row, int col, int end,
          int thread, bool before, bool more)
    {
        constexpr int OF_ROW = WIDE / PIECE;
        constexpr int LANES = S::template lanes<OF_ROW>::COUNT;
        constexpr int BLOCK = S::template lanes<OF_ROW>::BLOCK;
        constexpr int AHEAD = MOST * BLOCK > ROWS ? ROWS / BLOCK : MOST;
        constexpr access HOW = STREAM ? access::stream : access::normal;
        const int rows = min(ROWS, c.rows - row);
        const int count = min(end, c.cols - col);
        const int q = thread % LANES;

        if (count <= 0)
            return;
#pragma unroll 1
        for (int i = thread / 32; i < SECTOR; i += 4) {
            const int first_row = i + thread % 32 / LANES * SECTOR;
            const unsigned long long place =
                reinterpret_cast<unsigned long long>(
                    c.at(row + first_row, col));
            const int lead = (unsigned)place / SIZE % SECTOR;
            const int off = lead & (PIECE - 1);
            const int skipped = (lead + PIECE - 1u) / PIECE;
            const int from = min(q, OF_ROW - 1) - skipped;
            const int next = from + (off > 0);
            const bool fits = q < OF_ROW && (before || q >= skipped) &&
                              (q + 1) * PIECE <= count + (more ? 0 : lead);
            const one *to = reinterpret_cast<const one *>(place / S::EDGE * S::EDGE) +
                            q * PIECE;
            unsigned low_at =
                S::template piece<true>(buffer, edges, first_row, from);
            unsigned high_at =
                S::template piece<true>(buffer, edges, first_row, next);
            const unsigned low_step = BLOCK * (from >= 0 ? S::LINE : S::EDGE);
            const unsigned high_step = BLOCK * (next >= 0 ? S::LINE : S::EDGE);

#pragma unroll 1
            for (int block = first_row; block < ROWS; block += AHEAD * BLOCK) {
                uint4 low[AHEAD], high[AHEAD];

#pragma unroll
                for (int j = 0; j < AHEAD; j++) {
                    hone::shared_load(low_at, low[j]);
                    hone::shared_load(high_at, high[j]);
                    low_at += low_step;
                    high_at += high_step;
                }
#pragma unroll
                for (int j = 0; j < AHEAD; j++) {
                    if (fits && block + j * BLOCK < rows)
                        hone::write_word<HOW>(
                            (uint4 *)to,
                            shifted<7>(low[j], high[j],
                                       (PIECE - off) % PIECE * SIZE / 2));
                    to += BLOCK * c.pitch;
                }
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
                hone::shared_load(buffer + S::at(r, lane), v);
                hone::write_word<HOW>(of_c + lane, v);
            }
            if (behind < w.to) {
                hone::shared_load(place(buffer, edges, r, behind), v);
                hone::write_word<HOW>(of_c + behind, v);
            }
        }
    }
};
} /* namespace gemm */
} /* namespace hone */

#endif
