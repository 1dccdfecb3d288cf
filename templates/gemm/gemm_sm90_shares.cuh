/* SPDX-License-Identifier: Apache-2.0 */
/* Sums that are taken up four by four, anywhere in a tile: where they belong, and how
 * the blocks of a cluster, each of which has a part of a tile's K, add these up. For
 * gemm/sm90, gemm/sm90_f32 and gemm_f8/sm90. Behind gemm_sm90_slots.cuh and
 * gemm_sm90_output.cuh; no name of a template parameter: see hone_device.cuh.
 *
 * A tile's sums in fours, in the order of write_part(): place i of the first warp
 * group is what its thread i % 128 has in its sums from i / 128 * 4 on, and so on
 * with the next warp group. 128 places are 64 rows and 8 columns of C.
 *
 * In a cluster each block sends its sums to those whose shares of the places they are,
 * into the slots of their rings, which nobody reads any more, and adds up its own. */
#ifndef GEMM_SM90_SHARES_CUH
#define GEMM_SM90_SHARES_CUH

namespace hone {
namespace gemm {

/* What store_direct() and others want of a place: the row and column that its warp
 * group's products begin at, and the thread. */
struct spot {
    int row, col, thread;
};

/* P is as gemm_sm90_slots.cuh says. */
template <typename P>
__device__ __forceinline__ spot spot_of(const tile &t, int place)
{
    constexpr int OF_GROUP = P::ROWS_OF_GROUP * P::y::ROWS / 4;
    const int in_group = place % OF_GROUP;
    const int first = in_group / 128 * 4; /* of a thread's sums */
    spot at;

    at.thread = in_group % 128;
    at.row = t.row + place / OF_GROUP * P::ROWS_OF_GROUP +
             first / P::SUMS * 64;
    at.col = t.col + first % P::SUMS * 2;
    return at;
}

/* The share that a block of a cluster has of a tile's places, the same number for
 * each. They are dealt so that 32 bytes of a row of 16-bit elements, 16 columns, are
 * one block's. A thread of the warp groups adds up to COUNT of them. */
template <typename P> struct share {
    static constexpr int PLACES = P::x::ROWS * P::y::ROWS / 4;
    static constexpr int SIZE = PLACES / P::K_BLOCKS;
    static constexpr int THREADS = P::GROUP_COUNT * 128;
    static constexpr int COUNT = (SIZE + THREADS - 1) / THREADS;
    static constexpr int WIDE = P::SUMS % 8 == 0 ? 2 : 1; /* of 8 columns */
    using sums = float[COUNT][1][4];

    /* Whether this thread has an i-th one, and its number in the share. */
    static __device__ __forceinline__ bool has(int i)
    {
        return (i + 1) * THREADS <= SIZE || number(i) < SIZE;
    }
    static __device__ __forceinline__ int number(int i)
    {
        return i * THREADS + (int)threadIdx.x - 128;
    }
    /* The place of number n of all shares, one behind the other; and the n of a
     * thread's first sums: those of the sums from 4*i on are after(i) further. */
    static __device__ __forceinline__ int place(int n)
    {
        const int lane = n % 32, wide = n / 32 % WIDE;
        const int warp = n / (32 * WIDE) % 4, all = n / (128 * WIDE);

        return (all * WIDE + wide) * 128 + warp * 32 + lane;
    }
    static __device__ __forceinline__ int dealt()
    {
        const int thread = threadIdx.x % 128;
        const int group = (int)threadIdx.x / 128 - 1;

        return group * (PLACES / P::GROUP_COUNT) +
               thread / 32 * (32 * WIDE) + thread % 32;
    }
    static constexpr int after(int i)
    {
        return i / WIDE * (128 * WIDE) + i % WIDE * 32;
    }
};

/* A warp group's sums to the blocks whose shares they are: to where each keeps those
 * of block `rank`, its shares one behind the other from `to` on. `arrived` counts
 * their bytes. Blocks begin with different shares, lest all write to one. Addresses
 * are worked out where they are needed: the sums take the registers. */
template <typename P>
__device__ __forceinline__ void send_shares(const typename P::sums &sums,
                                            unsigned to, unsigned arrived,
                                            int rank)
{
    using of = share<P>;
    constexpr int FOURS = P::HEIGHTS * P::SUMS / 4;
    constexpr int RECEIVERS = P::K_BLOCKS / P::GROUP_COUNT;
    constexpr int PIECES = RECEIVERS < FOURS / of::WIDE ? RECEIVERS
                                                        : FOURS / of::WIDE;
    constexpr int PIECE =
        (FOURS / of::WIDE + PIECES - 1) / PIECES * of::WIDE;

#pragma unroll 1
    for (int later = 0; later < 2; later++) {
#pragma unroll
        for (int piece = 0; piece < PIECES; piece++) {
            if ((piece < rank % PIECES) != (later != 0))
                continue;
            const int first = hone::afresh(of::dealt());

#pragma unroll
            for (int i = piece * PIECE; i < (piece + 1) * PIECE && i < FOURS;
                 i++) {
                const float *v = &sums[i * 4 / P::SUMS][i * 4 % P::SUMS];
                const int n = first + of::after(i);

                hone::store_async(to + (rank * of::SIZE + n % of::SIZE) * 16,
                                  arrived, n / of::SIZE,
                                  make_float4(v[0], v[1], v[2], v[3]));
            }
        }
    }
}

/* The sums of this block's share, from what all sent, in the order of the parts. */
template <typename P>
__device__ __forceinline__ void add_share(typename share<P>::sums &sums,
                                          unsigned from)
{
    using of = share<P>;

#pragma unroll
    for (int i = 0; i < of::COUNT; i++) {
        float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f), v;

        if (of::has(i)) {
            const unsigned at = from + of::number(i) * 16;

            hone::shared_load(at, sum);
#pragma unroll
            for (int j = 1; j < P::K_BLOCKS; j++) {
                hone::shared_load(at + j * of::SIZE * 16, v);
                sum = hone::axpy(1.0f, v, sum);
            }
        }
        sums[i][0][0] = sum.x;
        sums[i][0][1] = sum.y;
        sums[i][0][2] = sum.z;
        sums[i][0][3] = sum.w;
    }
}

/* Where `parts` clusters share the K of a tile, what they came to meets in the
 * workspace, share by share. The last warp group of a share gets the sums of all. */
template <typename P, typename T>
__device__ __forceinline__ bool join_clusters(typename share<P>::sums &sums,
                                              const T &to, const tile &t,
                                              int rank, int parts)
{
    using of = share<P>;
    constexpr int AHEAD = of::COUNT < 8 ? 8 / of::COUNT : 1;
    const int group = threadIdx.x / 128;
    const int ticket = (t.id * P::K_BLOCKS + rank) * P::GROUP_COUNT + group - 1;
    float4 *from = to.partial + (long long)t.id * parts * of::PLACES +
                   rank * of::SIZE;
    float4 *own = from + (long long)(t.part / P::K_BLOCKS) * of::PLACES;

#pragma unroll
    for (int i = 0; i < of::COUNT; i++)
        if (of::has(i))
            own[of::number(i)] = make_float4(sums[i][0][0], sums[i][0][1],
                                             sums[i][0][2], sums[i][0][3]);
    if (!is_last(to.tickets + ticket, parts, group))
        return false;
#pragma unroll
    for (int i = 0; i < of::COUNT * 4; i++)
        sums[i / 4][0][i % 4] = 0.0f;
#pragma unroll AHEAD
    for (int part = 0; part < parts; part++) {
#pragma unroll
        for (int i = 0; i < of::COUNT; i++) {
            if (!of::has(i))
                continue;
            const float4 v = __ldcg(from + of::number(i));

            sums[i][0][0] += v.x;
            sums[i][0][1] += v.y;
            sums[i][0][2] += v.z;
            sums[i][0][3] += v.w;
        }
        from += of::PLACES;
    }
    return true;
}

/* Asks for what C holds of the block's share. */
template <typename P, typename C>
__device__ __forceinline__ void ask_for_share(const C &c, const tile &t)
{
    using of = share<P>;
    const int first = t.part % P::K_BLOCKS * of::SIZE;

#pragma unroll 1
    for (int i = 0; i < of::COUNT; i++) {
        const spot at = spot_of<P>(t, of::place(first + of::number(i)));
        const int row = at.row + lane_row(at.thread);
        const int col = at.col + lane_col(at.thread);

        if (of::has(i) && row < c.rows && col < c.cols) {
            hone::prefetch(c.at(row, col));
            if (row + 8 < c.rows)
                hone::prefetch(c.at(row + 8, col));
        }
    }
}

/* What becomes of the sums of a share: `first` is its first number of all. Loads
 * that follow a store would wait for it. */
template <typename P, typename T, typename C>
__device__ __forceinline__ void
write_share(typename share<P>::sums &sums, const T &to, const C &c,
            const tile &t, int first,
            float alpha, float beta)
{
    using of = share<P>;

#pragma unroll
    for (int i = 0; i < of::COUNT; i++) {
        const spot at = spot_of<P>(t, of::place(first + of::number(i)));

        if (!of::has(i))
            continue;
        to.scales.apply(sums[i], c, at.row, at.col, at.thread);
        scale_direct(sums[i], c, at.row, at.col, at.thread, alpha, beta);
    }
#pragma unroll
    for (int i = 0; i < of::COUNT; i++) {
        const spot at = spot_of<P>(t, of::place(first + of::number(i)));

        if (!of::has(i))
            continue;
        if constexpr (!T::epilogue::IS_NOTHING)
            finish_spot(sums[i], c, at.row, at.col, at.thread, to.after);
        store_direct(sums[i], c, at.row, at.col, at.thread);
    }
}

/* A warp group has its sums of a part of a tile. The cluster adds up its parts, and
 * each block writes its share of C, whose matrix `c` is. When all blocks are done
 * with their slots, these take what is sent; the barrier at `arrived`, of one
 * arrival, counts it. */
template <typename P, typename T>
__device__ __forceinline__ void
join_blocks(typename P::sums &sums, const T &to, const typename T::matrix_c &c,
            const tile &t, const ring_place &place, unsigned arrived,
            int parts, float alpha, float beta)
{
    using of = share<P>;
    const int rank = t.part % P::K_BLOCKS;
    typename of::sums own;

    if (threadIdx.x == 128)
        hone::barrier_expect(arrived, of::PLACES * 16);
    __syncwarp();
    hone::cluster_arrive();
    hone::cluster_wait();
    send_shares<P>(sums, place.slots, arrived, rank);
    __syncwarp();
    hone::cluster_arrive();
    hone::barrier_wait(arrived, 0);
    add_share<P>(own, place.slots);
    if (parts > P::K_BLOCKS &&
        !join_clusters<P>(own, to, t, rank, parts / P::K_BLOCKS))
        return;
    write_share<P>(own, to, c, t, rank * of::SIZE, alpha, beta);
}

} /* namespace gemm */
} /* namespace hone */

#endif
