/* SPDX-License-Identifier: Apache-2.0 */
/* What warp groups of gemm/sm90, gemm/sm90_f32 and gemm_f8/sm90 do with what is in
 * the ring: they multiply tile after tile and take them to C, and add up parts of K.
 * Behind gemm_sm90_shares.cuh and gemm_sm90_store.cuh; no name of a template
 * parameter: see hone_device.cuh.
 *
 * A kernel says what it multiplies by a type P: what gemm_sm90_slots.cuh wants, and
 *
 *   walk                      the tile_walk of its blocks
 *   steps                     made of (K, tile, parts): the steps from `first` to
 *                             before `end` that a part has; a tile has
 *                             of_product(K) for each of COUNT products
 *
 * and by a type T, a `target`, where sums go. */
#ifndef GEMM_SM90_LOOPS_CUH
#define GEMM_SM90_LOOPS_CUH

namespace hone {
namespace gemm {

/* The steps that a part has: from `first` on, before `end`. A tile's are those of
 * DEEP of K, for each of PRODUCTS that are added up. With SPLIT blocks share
 * them. */
template <int DEEP, int PRODUCTS, bool SPLIT> struct steps_of_part {
    static constexpr int COUNT = PRODUCTS;
    int first, end;

    static __device__ __forceinline__ int of_product(int K)
    {
        return (K + DEEP - 1) / DEEP;
    }
    __device__ __forceinline__ steps_of_part(int K, const tile &t, int parts)
    {
        const int n = of_product(K) * PRODUCTS;

        first = SPLIT ? share(n, t.part, parts) : 0;
        end = SPLIT ? share(n, t.part + 1, parts) : n;
    }

  private:
    /* Of n steps those before this part. K is no more than 2e9 and parts are no more than
     * 128: of steps of 64 or more the product fits 32 bits, and a division of 64 takes
     * several times as long. */
    static __device__ __forceinline__ int share(int n, int part, int parts)
    {
        if constexpr (DEEP >= 64 && PRODUCTS == 1)
            return (int)((unsigned)n * part / parts);
        else
            return (int)((long long)n * part / parts);
    }
};

/* Sums as they are, where no row or column has a scale of its own. */
struct no_scales {
    template <int HEIGHTS, int SUMS, typename C>
    __device__ __forceinline__ void apply(float (&)[HEIGHTS][SUMS], const C &,
                                          int, int, int) const
    {
    }
    __device__ __forceinline__ float of_all(float alpha) const { return alpha; }
};

/* Where sums go: C through S, a staged_output, or with DIRECT from registers. With
 * SPLIT the sums of parts of K meet in `partial` before that, with SHARED groups in
 * turn have one set of buffers between them. F is a hone::epilogue. */
template <typename C, typename S, typename F, typename SCALES, bool DIRECT,
          bool SPLIT, bool SHARED>
struct target {
    static constexpr bool IS_STAGED = !DIRECT;
    static constexpr bool SPLITS_K = SPLIT;
    static constexpr bool SHARES_BUFFERS = SHARED;
    using matrix_c = C;
    using output = S;
    using epilogue = F;
    C c; /* the first of the batch */
    long long step;
    S staged;
    float4 *partial;
    unsigned *tickets;
    bool ticket;
    F after;
    SCALES scales;
};

/* The sums of a part go to the workspace. The last warp group of a tile's rows
 * gets the sums of all. */
template <typename P, typename T>
__device__ __forceinline__ bool join_parts(typename P::sums &sums, const T &to,
                                           const tile &t, int parts,
                                           int part_of_rows)
{
    constexpr int PART = P::x::ROWS * P::y::ROWS / 4; /* groups of four */
    const int thread = threadIdx.x % 128;
    float4 *first = to.partial + (long long)t.id * parts * PART +
                    part_of_rows * (P::ROWS_OF_GROUP * P::y::ROWS / 4);

    write_part(sums, first + (long long)t.part * PART, thread);
    if (!to.ticket ||
        !is_last(to.tickets + t.id * P::GROUP_COUNT + part_of_rows, parts,
                 threadIdx.x / 128))
        return false;
    add_parts(sums, first, PART, parts, thread);
    return true;
}

/* What C holds of a tile, or where it is read before the products, of the next
 * one, is asked for. */
template <typename P, typename T>
__device__ __forceinline__ void ask_for_c(const T &to, tile t,
                                          typename P::walk walk, int part)
{
    typename T::matrix_c c = to.c;

    if (T::IS_STAGED && T::output::EARLY) {
        if (!walk.take(&t))
            return;
        t.row += part * P::ROWS_OF_GROUP;
    }
    c.to += t.batch * to.step;
    prefetch_part<P::ROWS_OF_GROUP, P::y::ROWS>(c, t.row, t.col,
                                                threadIdx.x % 128);
}

/* Before the products of a warp group's part of a tile: C is asked for. `t` begins
 * with this part then, but in a cluster that shares K. */
template <typename P, typename T>
__device__ __forceinline__ void begin_tile(const T &to,
                                           const CUtensorMap &map_c,
                                           typename T::matrix_c &c, tile &t,
                                           const typename P::walk &walk,
                                           int part, int parts, float beta)
{
    c.to += t.batch * to.step;
    if constexpr (P::K_BLOCKS > 1) {
        if (beta != 0.0f)
            ask_for_share<P>(c, t);
        return;
    }
    t.row += part * P::ROWS_OF_GROUP;
    if (T::IS_STAGED && (!T::SPLITS_K || parts == 1))
        to.staged.ask_first(map_c, t);
    if (T::output::EARLY && T::IS_STAGED)
        to.staged.read_early(c, t);
    if (beta != 0.0f && !T::matrix_c::IS_TURNED && !T::SPLITS_K &&
        !(T::IS_STAGED && to.staged.mapped))
        ask_for_c<P>(to, t, walk, part);
}

/* Sums to C, behind what F, a finisher, does to them. With runs, groups in turn write
 * one after the other: `turn` as in await_turn(). */
template <typename P, typename T, typename F>
__device__ __forceinline__ void
write_tile(typename P::sums &sums, T &to, const CUtensorMap &map_c,
           const typename T::matrix_c &c, const tile &t,
           const ring_place &place, int group, unsigned turn, int thread,
           float alpha, float beta, const F &after)
{
    using output = typename T::output;
    constexpr bool TAKES_TURNS = P::IN_TURN && output::IN_RUNS;

    to.scales.apply(sums, c, t.row, t.col, thread);
    if constexpr (T::IS_STAGED) {
        if (TAKES_TURNS && !output::EARLY)
            hone::barrier_wait(place.writes + 8 * group, turn);
        to.staged.store(sums, map_c, c, t, after);
        if (TAKES_TURNS) {
            __syncwarp();
            if (!output::EARLY && threadIdx.x % 32 == 0)
                hone::barrier_arrive(place.writes + 8 * (1 - group));
            to.staged.segment += output::ROUNDS;
        }
    } else {
        scale_direct(sums, c, t.row, t.col, thread, alpha, beta);
        if constexpr (!F::IS_NOTHING)
            after.finish(sums, 0, P::y::ROWS);
        store_direct(sums, c, t.row, t.col, thread);
    }
}

/* A warp group's own buffers and the barriers of these; in turn, its tiles and
 * slots. */
template <typename P, typename T>
__device__ __forceinline__ void become(T &to, ring_place &place,
                                       typename P::walk &walk, int group,
                                       int other, int K)
{
    if (!T::SHARES_BUFFERS)
        to.staged.buffers += group * T::output::BYTES;
    to.staged.loaded += group * T::output::BUFFER_COUNT * 8;
    if (P::IN_TURN) {
        place.skip(group * P::steps::of_product(K) * P::steps::COUNT);
        walk.alternate(group);
    }
    P::begin_runs(to.staged, place, group, other);
}

/* A warp group multiplies what is in the ring, tile after tile; in a cluster that
 * shares K there is one. */
template <typename P, typename T>
__device__ __forceinline__ void consume(ring_place place, typename P::walk walk,
                                        const CUtensorMap &map_c, T to, int K,
                                        int parts)
{
    const int group = threadIdx.x / 128 - 1;
    const int thread = threadIdx.x % 128;
    const int part = P::IN_TURN ? 0 : group; /* of a tile's rows */
    const unsigned long long x =
        P::x::DESCRIPTOR +
        hone::wgmma_address(place.slots +
                            part * P::ROWS_OF_GROUP * P::x::ROW);
    const unsigned long long y =
        P::y::DESCRIPTOR + hone::wgmma_address(place.slots + P::x::BYTES);
    typename P::sums sums = {};
    unsigned my_turn = group == 0;
    const float alpha = to.staged.alpha, beta = to.staged.beta;
    const unsigned arrived = to.staged.loaded; /* where nothing is staged */
    finisher<typename T::epilogue, typename T::matrix_c, P::HEIGHTS, P::y::ROWS>
        after;
    tile t;

    become<P>(to, place, walk, group, 1 - group, K);
#pragma unroll 1
    while (walk.take(&t)) {
        const typename P::steps mine(K, t, parts);
        typename T::matrix_c c = to.c;

        begin_tile<P>(to, map_c, c, t, walk, part, parts, beta);
        if constexpr (P::K_BLOCKS == 1)
            after.ask(to.after, c, t.row, t.col, thread);
        await_turn<P>(place, group, my_turn);
        forget<P::HEIGHTS>(sums);
        const int last =
            multiply_slots<P>(sums, place, x, y, mine.first, mine.end,
                              walk.rank);
        pass_turn<P>(place, 1 - group, mine.end);
        finish_slots<P>(sums, place, last, walk.rank);
        if constexpr (P::K_BLOCKS > 1) {
            join_blocks<P>(sums, to, c, t, place, arrived, parts, alpha, beta);
            continue;
        }
        if (T::SPLITS_K && parts > 1) {
            if (!join_parts<P>(sums, to, t, parts, part))
                continue;
            if (T::IS_STAGED)
                to.staged.ask_first(map_c, t);
        }
        write_tile<P>(sums, to, map_c, c, t, place, group, my_turn, thread,
                      alpha, beta, after);
        my_turn ^= 1;
    }
    if (T::IS_STAGED && thread == 0)
        hone::tensor_store_wait();
}

/* Adds up the parts of C, whose first matrix is `c`: a block takes 32 groups of four
 * sums. `walk` is that of whole tiles. */
template <typename P, typename C, typename F, typename SCALES>
__device__ __forceinline__ void
reduce_parts(typename P::walk walk, C c, long long step,
             const float4 *partial, int parts, float alpha, float beta,
             const F &after, const SCALES &scales)
{
    constexpr int PART = P::x::ROWS * P::y::ROWS / 4;
    const tile t = walk.numbered(blockIdx.x / (PART / 32));
    const int in_tile = blockIdx.x % (PART / 32) * 32 + threadIdx.x;
    const spot at = spot_of<P>(t, in_tile);
    float sums[1][4];

    if (!share_parts<8>(sums, partial + (long long)t.id * parts * PART + in_tile,
                        PART, parts))
        return;
    c.to += t.batch * step;
    scales.apply(sums, c, at.row, at.col, at.thread);
    scale_direct(sums, c, at.row, at.col, at.thread, scales.of_all(alpha),
                 beta);
    if constexpr (!F::IS_NOTHING)
        finish_spot(sums, c, at.row, at.col, at.thread, after);
    store_direct(sums, c, at.row, at.col, at.thread);
}

} /* namespace gemm */
} /* namespace hone */

#endif
