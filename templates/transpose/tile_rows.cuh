/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a tile in shared memory, as memory has them: in chunks of 16 bytes
 * that no register turns, copied asynchronously where the device can.
 *
 * CUT: rows begin anywhere. Chunks are those of memory, so that each row is a
 * chunk longer, and its elements begin where they do in memory. Before its
 * first row a tile has ABOVE more.
 *
 * Banks: as many rows as 16 bytes have elements are a group, and groups are an
 * odd multiple of 16 bytes apart, so that eight lanes which read the same row
 * of eight groups meet nowhere.
 *
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_TILE_ROWS_CUH
#define HONE_TILE_ROWS_CUH

#include "hone_device.cuh"
#include "hone_pack.cuh"

namespace hone {

/* Bytes from the multiple of BYTES at or below p to p. */
template <int BYTES> __device__ inline int bytes_behind(const void *p)
{
    return static_cast<int>(
               static_cast<unsigned>(reinterpret_cast<unsigned long long>(p))) &
           (BYTES - 1);
}

/* Where a tile is read: its first element, elements from a row to the next, the
 * rows [lowest, high) and columns that the matrix has of it, and where the
 * array ends. */
template <typename E> struct tile_source {
    const E *first;
    long long pitch;
    int lowest, high, wide;
    const E *end;
};

template <typename E, int ROWS, int COLUMNS, int BLOCK, int ABOVE, bool CUT>
struct tile_rows {
    /* Elements of a word and of a pack, words of a pack. */
    static constexpr int unit = sizeof(E) < 4 ? 4 / sizeof(E) : 1;
    static constexpr int word_bytes = unit * sizeof(E);
    static constexpr int group = 16 / sizeof(E);
    static constexpr int pack_words = group / unit;
    /* Chunks of a row, bytes from one to the next. */
    static constexpr int chunks = COLUMNS * sizeof(E) / 16;
    static constexpr int row_chunks = chunks + CUT;
    static constexpr int row_bytes = row_chunks * 16;
    /* Lanes of a warp along y, and groups as far apart as they need. */
    static constexpr int down = ROWS / group < 8 ? ROWS / group : 8;
    static constexpr int across = 32 / down;
    static constexpr int apart = 8 / down;
    static constexpr int padding =
        (9 * apart - group * row_chunks % 8) % (2 * apart) * 16;
    static constexpr int group_bytes = group * row_bytes + padding;
    static constexpr int bytes = (ROWS + ABOVE) / group * group_bytes;

    static_assert(ABOVE % group == 0, "groups above the tile are whole");
    static_assert(BLOCK % chunks == 0, "threads share chunks of rows");

    using word_type = typename word<word_bytes>::type;
    using element_bits = typename word<sizeof(E)>::type;

    /* Where a row begins in shared memory, -ABOVE the first. */
    __device__ static constexpr int place(int row)
    {
        const unsigned from = static_cast<unsigned>(row + ABOVE);

        return static_cast<int>(from * row_bytes + from / group * padding);
    }

    /* --- from memory ----------------------------------------------------- */

    /* The chunk at p, as far as the array goes. */
    template <access READ>
    __device__ static uint4 read_chunk(const char *p, const E *end)
    {
        const long long left = reinterpret_cast<const char *>(end) - p;
        element_bits e[group] = {};
        uint4 v;

        if (left >= 16)
            return read_word<READ>(reinterpret_cast<const uint4 *>(p));
#pragma unroll
        for (int k = 0; k < group; k++)
            if ((k + 1) * static_cast<int>(sizeof(E)) <= left)
                e[k] = reinterpret_cast<const element_bits *>(p)[k];
        memcpy(&v, e, sizeof v);
        return v;
    }

    __device__ static int bytes_left(const char *p, const E *end)
    {
        const long long left = reinterpret_cast<const char *>(end) - p;

        return left < 16 ? static_cast<int>(left) : 16;
    }

    /* Has the matrix all of the tile, and the array whole chunks of it? */
    __device__ static bool whole(const tile_source<E> &from)
    {
        return from.lowest <= -ABOVE && from.high >= ROWS &&
               from.wide >= COLUMNS &&
               (!CUT || from.end - (from.first + (ROWS - 1) * from.pitch +
                                    COLUMNS) >= group);
    }

    /* Copies into shared memory; ASYNC, they are under way. */
    template <bool ASYNC, access READ, bool WHOLE>
    __device__ static void fetch_rows(unsigned char *shared,
                                      const tile_source<E> &from)
    {
        constexpr int step = BLOCK / chunks;
        constexpr int total = ROWS + ABOVE;
        constexpr int items = (total + step - 1) / step;
        const int first = threadIdx.x / chunks;
        const char *p =
            reinterpret_cast<const char *>(from.first +
                                           (first - ABOVE) * from.pitch) +
            threadIdx.x % chunks * 16;
        unsigned char *to =
            shared + place(first - ABOVE) + threadIdx.x % chunks * 16;
        const long long next = step * from.pitch * (long long)sizeof(E);
        constexpr bool hold = WHOLE && !ASYNC;
        uint4 held[hold ? items : 1];

#pragma unroll(WHOLE ? items : 1)
        for (int i = 0; i < items; i++) {
            const int r = first + i * step - ABOVE;
            const char *chunk = p - bytes_behind<16>(p);
            unsigned char *at = to + place(i * step - ABOVE);
            bool wanted = total % step == 0 || r < ROWS;

            if constexpr (!WHOLE)
                wanted = wanted && r >= from.lowest && r < from.high &&
                         static_cast<int>(threadIdx.x % chunks * 16) -
                                 bytes_behind<16>(p) <
                             from.wide * static_cast<int>(sizeof(E));
            if constexpr (ASYNC)
                copy16_async_part(at, chunk,
                                  WHOLE ? 16 : bytes_left(chunk, from.end),
                                  wanted);
            else if (wanted && hold)
                held[hold ? i : 0] =
                    read_word<READ>(reinterpret_cast<const uint4 *>(chunk));
            else if (wanted)
                *reinterpret_cast<uint4 *>(at) =
                    read_chunk<READ>(chunk, from.end);
            p += next;
        }
        if constexpr (CUT) {
#pragma unroll 1
            for (int r = static_cast<int>(threadIdx.x) - ABOVE; r < ROWS;
                 r += BLOCK) {
                const E *row = from.first + r * from.pitch;
                const int before = bytes_behind<16>(row);
                const char *chunk = reinterpret_cast<const char *>(row) -
                                    before + chunks * 16;
                unsigned char *last = shared + place(r) + chunks * 16;
                bool wanted = before > 0;

                if constexpr (!WHOLE)
                    wanted = wanted && r >= from.lowest && r < from.high &&
                             chunks * 16 - before <
                                 from.wide * static_cast<int>(sizeof(E));
                if constexpr (ASYNC)
                    copy16_async_part(last, chunk,
                                      WHOLE ? 16 : bytes_left(chunk, from.end),
                                      wanted);
                else if (wanted)
                    *reinterpret_cast<uint4 *>(last) =
                        read_chunk<READ>(chunk, from.end);
            }
        }
        if constexpr (hold) {
#pragma unroll
            for (int i = 0; i < items; i++)
                if (total % step == 0 || first + i * step < total)
                    *reinterpret_cast<uint4 *>(to + place(i * step - ABOVE)) =
                        held[i];
        }
    }

    /* A tile into shared memory. Behind it comes arrived(), then a barrier. */
    template <bool ASYNC, access READ>
    __device__ static void fetch(unsigned char *shared,
                                 const tile_source<E> &from)
    {
        if (whole(from))
            fetch_rows<ASYNC, READ, true>(shared, from);
        else
            fetch_rows<ASYNC, READ, false>(shared, from);
    }

    template <bool ASYNC> __device__ static void arrived()
    {
        if constexpr (ASYNC) {
            copy_commit();
            copy_wait(0);
        }
    }
};

} /* namespace hone */

#endif
