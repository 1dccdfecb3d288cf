/* SPDX-License-Identifier: Apache-2.0 */
/* LOOSE = meanwhile of gemm/sm90: matrices whose rows do not begin at multiples of 16
 * bytes are copied to rows that do by the kernel that multiplies them, in the three
 * warps beside the one that fills the ring, which asks for a step when what it reads is
 * there. Behind gemm_sm90_pack.cuh and gemm_sm90_patches.cuh; no name of a template parameter: see
 * hone_device.cuh.
 *
 * A warp takes the number of the next unit (gemm_sm90_patches.cuh) from a counter of all
 * blocks. It waits for nobody, so that all units are done whatever blocks run, and blocks
 * wait for them alone. Its lines come by copies of 16 bytes a lane to a few places in
 * shared memory, four at a time, and leave shifted.
 *
 * Who reads a patch sees it: each lane's stores are in front of its fence between
 * proxies (threads write, the copy engine reads), that in front of __syncwarp(), that of
 * the first lane's release, by which the patch's count goes up. Who finds that all units
 * of the patch count acquires, and a fence between proxies is in front of its copies. */
#ifndef GEMM_SM90_MEANWHILE_CUH
#define GEMM_SM90_MEANWHILE_CUH

namespace hone {
namespace gemm {

/* A place of lines under way, 16 bytes longer than what they become, and what a warp has
 * to know of its unit and of the next one. */
constexpr int PLACE_LINES = 4;
constexpr int PLACE_LINE = PATCH_COLS * 2 + 16;
constexpr int PLACE_BYTES = PLACE_LINES * PLACE_LINE;
constexpr int UNIT_ROUNDS = UNIT_LINES / PLACE_LINES;
constexpr int ABOUT_BYTES = 48;
constexpr int ABOUT_ALL = 128; /* of a warp, with where it is */

/* --- warps that pack --------------------------------------------------------- */

/* One of the warps that pack. It asks for the lines of a unit, four a round, as many
 * rounds ahead as there are places, fewer than a unit has. S says what is packed, in
 * which order: made afresh for each unit, since a thread has few registers. What is told
 * of units is in shared memory:
 * - the first line's address, and how far lines are apart, bytes;
 * - where that goes, 16 bytes from line to line, and lines, groups << 8 of eight elements,
 *   and 1 << 16 where the array may end inside;
 * - where the array ends, and the patch's count. */
template <typename P, typename S> struct packing_warp {
    const S &source;
    unsigned *words;
    unsigned about; /* in shared memory */
    unsigned taken;        /* the first lane's: the next unit, asked for ahead */
    unsigned whole = ~0u;  /* the count of a unit that has left and is not counted */

    __device__ __forceinline__ packing_warp(const S &of, unsigned *shared_words,
                                            unsigned about_)
        : source(of), words(shared_words), about(about_), taken(0)
    {
        take();
        tell_spot(packing_spot{});
        __syncwarp();
    }
    /* Asks for the lines of a round; false if there are none. */
    __device__ __forceinline__ bool ask(unsigned place, unsigned round)
    {
        const unsigned of_unit = round % UNIT_ROUNDS;

        if (of_unit == 0 && !next_unit(about_of(round)))
            return false;
        const int lane = threadIdx.x % 32;
        uint4 lines, to;

        hone::shared_load(about_of(round), lines);
        hone::shared_load(about_of(round) + 16, to);
        const unsigned long long pitch = whole_of(lines.z, lines.w);
        unsigned long long at =
            whole_of(lines.x, lines.y) + of_unit * PLACE_LINES * pitch;
        const int left = (int)(to.w & 255) - (int)of_unit * PLACE_LINES;
        const int groups = (int)(to.w >> 8 & 255);

        place += lane * 16;
        if (to.w >> 16) {
            ask_end(place, at, pitch, left, groups, about_of(round));
            return true;
        }
#pragma unroll
        for (int i = 0; i < PLACE_LINES; i++) {
            const unsigned long long piece = (at & ~15ull) + lane * 16;

            if (lane <= groups && i < left)
                hone::copy16_async_all(place + i * PLACE_LINE, piece);
            if (lane == 31 && groups == 32 && i < left)
                hone::copy16_async_all(place + i * PLACE_LINE + 16, piece + 16);
            at += pitch;
        }
        return true;
    }
    /* What was asked for to where it belongs. */
    __device__ __forceinline__ void move(unsigned place, unsigned round)
    {
        const unsigned first = round % UNIT_ROUNDS * PLACE_LINES;
        const int lane = threadIdx.x % 32;
        uint4 lines, to;

        hone::shared_load(about_of(round), lines);
        hone::shared_load(about_of(round) + 16, to);
        const unsigned left = lane < (int)(to.w >> 8 & 255) ? to.w & 255 : 0;
        unsigned long long at = whole_of(to.x, to.y) + lane * 16;
        uint4 low[PLACE_LINES], high[PLACE_LINES];

        place += lane * 16;
        at += first * 16 * (unsigned long long)to.z;
#pragma unroll
        for (int i = 0; i < PLACE_LINES; i++) {
            hone::shared_load(place + i * PLACE_LINE, low[i]);
            hone::shared_load(place + i * PLACE_LINE + 16, high[i]);
        }
#pragma unroll
        for (int i = 0; i < PLACE_LINES; i++) {
            const unsigned begin = (lines.x + (first + i) * lines.z) / 2;

            low[i] = shifted<7>(low[i], high[i], begin % 8);
            hone::store_if<false>(first + i < left,
                                  reinterpret_cast<uint4 *>(at), low[i]);
            at += 16 * (unsigned long long)to.z;
        }
        if (first == UNIT_LINES - PLACE_LINES)
            hone::shared_load(about_of(round) + 40, whole);
    }
    /* A unit that has left counts: behind the next lines that are asked for. */
    __device__ __forceinline__ void count()
    {
        if (whole == ~0u)
            return;
        hone::async_fence_global();
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            hone::count_release(words + FIRST_COUNT + whole);
        whole = ~0u;
    }

  private:
    static __device__ __forceinline__ unsigned long long whole_of(unsigned low,
                                                                  unsigned high)
    {
        return (unsigned long long)high << 32 | low;
    }
    __device__ __forceinline__ unsigned about_of(unsigned round) const
    {
        return about + round / UNIT_ROUNDS % 2 * ABOUT_BYTES;
    }
    __device__ __forceinline__ void take()
    {
        if (threadIdx.x % 32 == 0)
            taken = hone::take_number(words);
    }
    __device__ __forceinline__ bool next_unit(unsigned about_it)
    {
        const packing_order<P> order = source.order();
        packing_spot spot = told_spot();
        packing_unit u;

#pragma unroll 1
        do {
            const unsigned number = __shfl_sync(~0u, taken, 0);

            if (number >= order.units())
                return false;
            take();
            u = order.find(number, spot);
        } while (u.lines <= 0);
        __syncwarp();
        tell_spot(spot);
        if (threadIdx.x % 32 == 0)
            tell(u, source.matrices(u.is_y), about_it);
        __syncwarp();
        return true;
    }
    __device__ __forceinline__ packing_spot told_spot() const
    {
        packing_spot spot;
        uint4 a, b;

        hone::shared_load(about + 2 * ABOUT_BYTES, a);
        hone::shared_load(about + 2 * ABOUT_BYTES + 16, b);
        spot.wave = a.x;
        spot.batch = a.y;
        spot.first = a.z;
        spot.size = a.w;
        spot.x_from = b.x;
        spot.x_count = b.y;
        spot.y_from = b.z;
        spot.y_count = b.w;
        return spot;
    }
    __device__ __forceinline__ void tell_spot(const packing_spot &spot) const
    {
        if (threadIdx.x % 32 != 0)
            return;
        hone::shared_store(
            about + 2 * ABOUT_BYTES,
            make_uint4(spot.wave, spot.batch, spot.first, spot.size));
        hone::shared_store(about + 2 * ABOUT_BYTES + 16,
                           make_uint4(spot.x_from, spot.x_count, spot.y_from,
                                      spot.y_count));
    }
    static __device__ __forceinline__ void tell(const packing_unit &u,
                                                const loose_matrices &m,
                                                unsigned about_it)
    {
        const int group = u.across * (PATCH_COLS / 8);
        const int groups = min(m.groups() - group, PATCH_COLS / 8);
        const long long first =
            u.batch * m.step + u.line * m.pitch + group * 8;
        const unsigned long long from =
            reinterpret_cast<unsigned long long>(m.from + first);
        const unsigned long long pitch = (unsigned long long)m.pitch * 2;
        const unsigned long long to = reinterpret_cast<unsigned long long>(
            m.to + ((long long)u.batch * m.rows + u.line) * m.groups_to +
            group);
        const unsigned long long end =
            reinterpret_cast<unsigned long long>(m.from + m.elements());
        const bool is_end =
            from + (u.lines - 1) * pitch + (groups + 1) * 16 > end;

        hone::shared_store(about_it,
                           make_uint4((unsigned)from, (unsigned)(from >> 32),
                                      (unsigned)pitch,
                                      (unsigned)(pitch >> 32)));
        hone::shared_store(about_it + 16,
                           make_uint4((unsigned)to, (unsigned)(to >> 32),
                                      (unsigned)m.groups_to,
                                      (unsigned)(u.lines | groups << 8 |
                                                 (int)is_end << 16)));
        hone::shared_store(about_it + 32,
                           make_uint4((unsigned)end, (unsigned)(end >> 32),
                                      u.count, 0));
    }
    /* The same where the array may end: what is behind that is not read. */
    static __device__ __forceinline__ void
    ask_end(unsigned place, unsigned long long at, unsigned long long pitch,
            int left, int groups, unsigned about_it)
    {
        const int lane = threadIdx.x % 32;
        uint4 end;

        hone::shared_load(about_it + 32, end);
#pragma unroll 1
        for (int i = 0; i < min(left, PLACE_LINES); i++) {
            ask_part(place, (at & ~15ull) + lane * 16, whole_of(end.x, end.y),
                     lane <= groups);
            ask_part(place + 16, (at & ~15ull) + lane * 16 + 16,
                     whole_of(end.x, end.y), lane == 31 && groups == 32);
            place += PLACE_LINE;
            at += pitch;
        }
    }
    static __device__ __forceinline__ void
    ask_part(unsigned place, unsigned long long piece, unsigned long long end,
             bool is_there)
    {
        const long long bytes = (long long)(end - piece);

        if (is_there && bytes > 0)
            hone::copy16_async_part(place, piece, (int)min(bytes, 16ll));
    }
};

/* What a warp does that packs: `warp` is its number of `warps`. From `memory` on, a
 * multiple of 16, are `depth` places for each, 2 to 4, and behind them what it has to
 * know of units. */
template <typename P, typename S>
__device__ __forceinline__ void
pack_meanwhile(const S &source, unsigned *shared_words, unsigned memory,
               int depth, int warp)
{
    const unsigned about = memory + warp * (depth * PLACE_BYTES + ABOUT_ALL);
    const unsigned first = about + ABOUT_ALL;
    unsigned place = first, asked = 0, moved = 0;
    packing_warp<P, S> packer(source, shared_words, about);
    int missing = depth - 1;
    bool there = true;

#pragma unroll 1
    for (;;) {
        if (there)
            there = packer.ask(place, asked);
        if (there)
            asked++;
        hone::copy_commit();
        place += PLACE_BYTES;
        if (place == first + depth * PLACE_BYTES)
            place = first;
        packer.count();
        if (missing > 0) {
            missing--;
            continue;
        }
        if (moved == asked)
            return;
        hone::copy16_wait(depth - 1);
        __syncwarp();
        packer.move(place, moved++);
        __syncwarp();
    }
}

} /* namespace gemm */
} /* namespace hone */

#endif
