/* SPDX-License-Identifier: Apache-2.0 */
/* Decoupled look-back in one launch: how tiles learn the sum of everything in
 * front of them, in an order of additions that does not depend on timing.
 *
 * LOOK neighbouring tiles are a group. A tile publishes its own sum; the last
 * one of a group also the sum of everything up to its end. A warp looks at 31
 * groups and the tiles of its own group at once, a lane at each: it waits
 * until some lane has a group whose end is known, and all lanes behind that
 * one know the sums of their tiles. The tiles of a group are added from left
 * to right, then groups from left to right, which gives the same bits from
 * whichever known end one starts.
 *
 * A word of 8 bytes holds 4 bytes of a value and the number of the run, so that
 * nothing has to be zeroed between runs: what an earlier run left has another
 * number. A value of 8 bytes is two such words. They need not arrive together,
 * and no fence stands between them: the value is known when both are of this
 * run.
 *
 * No name of a template parameter: see hone_device.cuh, which stands in front
 * of this file. */
#ifndef HONE_LOOKBACK_CUH
#define HONE_LOOKBACK_CUH

namespace hone {

using word = unsigned long long;

constexpr unsigned all_lanes = 0xffffffffu;

/* Sum over this lane and those below it. */
template <typename V> __device__ inline V warp_scan(V v)
{
    const int lane = threadIdx.x % 32;

#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const V below = __shfl_up_sync(all_lanes, v, step);

        if (lane >= step)
            v += below;
    }
    return v;
}

/* A word drawn from `control`: its lower half is a tile, its upper half the
 * run. Who has drawn the last one of a run's `n_draws` begins the next run.
 * Returns the tile. */
__device__ inline int take_ticket(word *control, unsigned n_draws,
                                  word ticket)
{
    if ((unsigned)ticket == n_draws - 1)
        atomicAdd(control, (1ull << 32) - n_draws);
    return (int)(unsigned)ticket;
}

/* What all blocks share: the sums of tiles and those up to the end of groups.
 * TOGETHER words, 1 or 2, are read at once. Of 32 neighbouring groups the
 * first words (or two) lie side by side, then the next ones: a warp that looks
 * at one tile of each reads whole lines, and a lane finds all tiles of its
 * group at fixed distances. */
template <typename V, int LOOK, int TOGETHER> struct lookback_words {
    static constexpr int per_value = sizeof(V) / 4; /* words */
    static constexpr int per_group = LOOK * per_value;
    static_assert(sizeof(V) == 4 || sizeof(V) == 8, "values of 4 or 8 bytes");
    static_assert(per_group % TOGETHER == 0, "groups are read whole");

    /* per_value * LOOK * groups, a multiple of 32 of these; at 16 bytes */
    word *of_tile;
    word *of_end; /* per_value for each group */

    static __device__ void to_words(V value, unsigned run,
                                    word (&w)[per_value])
    {
        unsigned bits[per_value];

        memcpy(bits, &value, sizeof value);
#pragma unroll
        for (int i = 0; i < per_value; i++)
            w[i] = (word)run << 32 | bits[i];
    }
    static __device__ bool is_known(const word *w, unsigned run)
    {
        bool known = true;

#pragma unroll
        for (int i = 0; i < per_value; i++)
            known = known && (unsigned)(w[i] >> 32) == run;
        return known;
    }
    static __device__ V value_of(const word *w)
    {
        unsigned bits[per_value];
        V value;

#pragma unroll
        for (int i = 0; i < per_value; i++)
            bits[i] = (unsigned)w[i];
        memcpy(&value, bits, sizeof value);
        return value;
    }

    /* Word i of a group. */
    __device__ word *place_of(int group, int i) const
    {
        return of_tile +
               (long long)(group / 32) * (32 * per_group) +
               (i / TOGETHER * 32 + group % 32) * TOGETHER + i % TOGETHER;
    }

    /* By one thread. */
    __device__ void publish(int tile, V own, unsigned run) const
    {
        word w[per_value];

        to_words(own, run, w);
#pragma unroll
        for (int i = 0; i < per_value; i++)
            store_relaxed(
                place_of(tile / LOOK, tile % LOOK * per_value + i), w[i]);
    }

    __device__ void load(int group, word (&w)[per_group]) const
    {
#pragma unroll
        for (int i = 0; i < per_group; i += TOGETHER) {
            if constexpr (TOGETHER == 2)
                load_relaxed(place_of(group, i), w[i], w[i + 1]);
            else
                w[i] = load_relaxed(place_of(group, i));
        }
    }

    __device__ void load_end(int group, word (&w)[per_value]) const
    {
        const word *const at = of_end + (long long)group * per_value;

        if constexpr (per_value == 2) {
            load_relaxed(at, w[0], w[1]);
        } else {
            w[0] = load_relaxed(at);
        }
    }

    /* Whether the first `count` tiles are known, and their sum. */
    static __device__ bool add_up(const word (&w)[per_group], int count,
                                  unsigned run, V &sum)
    {
        bool known = true;

        sum = 0;
#pragma unroll
        for (int i = 0; i < LOOK; i++) {
            if (i < count) {
                known = known && is_known(w + i * per_value, run);
                sum += value_of(w + i * per_value);
            }
        }
        return known;
    }

    /* The sum of all tiles in front of one whose own sum is published. By a
     * whole warp, which pauses `pause_ns` between two looks. */
    __device__ V look_back(int tile, unsigned run, V own, int pause_ns) const
    {
        const int lane = threadIdx.x % 32;
        const int group = tile / LOOK - lane; /* that this lane looks at */
        const int count = lane == 0 ? tile % LOOK : LOOK;
        V end = 0; /* of everything up to this lane's group */
        V sum = 0; /* of its group, or of what is in front of the tile */
        bool end_known = group == -1;
        bool sum_known = group < 0 || count == 0;
        int nearest;

        for (;;) {
            const bool ask_end = !end_known && group >= 0 && lane > 0;
            const bool ask_sum = !sum_known;
            word of_group_end[per_value] = {}, w[per_group];

            /* All loads before the first use: one latency, not two. */
            if (ask_end)
                load_end(group, of_group_end);
            if (ask_sum)
                load(group, w);
            if (ask_end) {
                end_known = is_known(of_group_end, run);
                end = value_of(of_group_end);
            }
            if (ask_sum)
                sum_known = add_up(w, count, run, sum);
            nearest =
                __ffs(__ballot_sync(all_lanes, end_known && lane > 0)) - 1;

            const unsigned unknown = __ballot_sync(all_lanes, !sum_known);

            if (nearest > 0 && (unknown & ((1u << nearest) - 1)) == 0)
                break;
            __nanosleep(pause_ns);
        }

        V before = __shfl_sync(all_lanes, end, nearest);

        /* From the farthest group that is needed, five at a time. */
#pragma unroll 1
        for (int first = 26; first > 0; first -= 5) {
            if (first >= nearest)
                continue;
#pragma unroll
            for (int l = first + 4; l >= first; l--) {
                const V of_group = __shfl_sync(all_lanes, sum, l);

                if (l < nearest)
                    before += of_group;
            }
        }
        /* Added as others do it who start in front of this group. */
        if (lane == 0 && count == LOOK - 1) {
            word w[per_value];

            to_words(before + (sum + own), run, w);
#pragma unroll
            for (int i = 0; i < per_value; i++)
                store_relaxed(of_end + (long long)group * per_value + i, w[i]);
        }
        if (tile % LOOK > 0)
            before += __shfl_sync(all_lanes, sum, 0);
        return __shfl_sync(all_lanes, before, 0);
    }
};

} /* namespace hone */

#endif
