/* SPDX-License-Identifier: Apache-2.0 */
/* How warp groups of gemm/sm90_across multiply: elements of X from the ring to registers,
 * and their products with Y where it lies. Behind hone_hopper.cuh and
 * gemm_sm90_slots.cuh; P is the kernel's type of products (gemm_sm90_slots.cuh), whose
 * multiply() takes four elements of X in place of what describes them. No name of a
 * template parameter: see hone_device.cuh.
 *
 * X lies in boxes of 32 rows of the product and 32 k, 128 bytes for each k, whose eight
 * pieces of 16 are exchanged by the number of k (swizzle). */
#ifndef GEMM_SM90_ACROSS_PARTS_CUH
#define GEMM_SM90_ACROSS_PARTS_CUH

namespace hone {
namespace across {

constexpr int BOX = 32 * 128; /* bytes */

/* Which rows of the tile this thread's are: its row r = lane/4 and row r + 8 of each of
 * COUNT products of 64 rows, 1 or 2, are COUNT*2 neighbours. Threads of a load that reads
 * 128 bytes have two neighbouring r (loads of 16 bytes) or four (of 8), and for each of
 * them every k: pieces of r that differ in bit 2 lie in other banks. */
template <int COUNT> struct corner {
    int box, piece, half; /* 32 rows, 4 of them, and of these 2 */

    __device__ __forceinline__ corner()
    {
        const int r = threadIdx.x % 32 / 4, warp = threadIdx.x / 32;

        if constexpr (COUNT == 2) {
            box = warp;
            piece = r % 2 * 4 + r / 2;
            half = 0;
        } else {
            box = warp / 2;
            piece = r / 2 % 2 * 4 + warp % 2 * 2 + r / 4;
            half = r % 2;
        }
    }
    __device__ __forceinline__ int row() const { return box * 32 + piece * 4 + half * 2; }
    /* Where its elements of k, of the first eight of a slot, are in X. */
    __device__ __forceinline__ unsigned at(int k) const
    {
        return box * BOX + k * 128 + (piece ^ k) * 16 + half * 8;
    }
};

/* A thread's elements of X of a slot, for each 8 k and product. */
template <int COUNT> using fragments = unsigned[4][COUNT][4];

template <int COUNT>
__device__ __forceinline__ void read(fragments<COUNT> &x, unsigned low, unsigned high)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if constexpr (COUNT == 2) {
            uint4 a, b;

            shared_load(low + i * 1024, a);
            shared_load(high + i * 1024, b);
            x[i][0][0] = a.x, x[i][0][1] = a.y, x[i][0][2] = b.x, x[i][0][3] = b.y;
            x[i][1][0] = a.z, x[i][1][1] = a.w, x[i][1][2] = b.z, x[i][1][3] = b.w;
        } else {
            uint2 a, b;

            shared_load(low + i * 1024, a);
            shared_load(high + i * 1024, b);
            x[i][0][0] = a.x, x[i][0][1] = a.y, x[i][0][2] = b.x, x[i][0][3] = b.y;
        }
    }
}

/* Where a warp group reads: its thread's two places of X in the first slot, those of its
 * k and of 4 more, and what describes Y there. */
template <typename P> struct reader {
    using elements = fragments<P::HEIGHTS>;
    unsigned low, high;
    unsigned long long y;

    __device__ __forceinline__ reader(const gemm::ring_place &place, const corner<P::HEIGHTS> &here)
        : low(place.slots + here.at(threadIdx.x % 4)),
          high(place.slots + here.at(threadIdx.x % 4 + 4)),
          y(P::y::DESCRIPTOR + wgmma_address(place.slots + P::x::BYTES))
    {
    }
    __device__ __forceinline__ void next(elements &x, const gemm::ring_place &place) const
    {
        const int slot = place.slot * P::SLOT;

        barrier_wait(place.own_full(), place.round);
        read<P::HEIGHTS>(x, low + slot, high + slot);
    }
    __device__ __forceinline__ void multiply(typename P::sums &sums, const elements &x,
                                             int slot, int old) const
    {
        const unsigned long long of_slot = y + slot * (P::SLOT / 16);

        wgmma_begin();
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int h = 0; h < P::HEIGHTS; h++)
                P::multiply(sums[h], x[i][h], of_slot + P::y::at(i) / 16, i > 0 || old);
        wgmma_commit();
    }
};

/* A slot's products are done, sums may be read, and it may be filled. Sums are said to be
 * ready behind each slot: said behind the last one alone, ptxas 13.0 finds them read
 * before that where clusters share K, and serialises all products (C7514). */
template <typename P>
__device__ __forceinline__ void finish(typename P::sums &sums, const gemm::ring_place &place, int slot)
{
    wgmma_wait<0>();
#pragma unroll
    for (int h = 0; h < P::HEIGHTS; h++)
        wgmma_result(sums[h]);
    gemm::release<1>(place, slot);
}

/* The products of `count` slots, of one or more, each read when the last one is done. */
template <typename P>
__device__ __forceinline__ void multiply_slots(typename P::sums &sums, gemm::ring_place &place,
                                               const reader<P> &from, int count)
{
    typename reader<P>::elements x;

#pragma unroll 1
    for (int step = 0; step < count; step++) {
        from.next(x, place);
        from.multiply(sums, x, place.slot, step > 0);
        finish<P>(sums, place, place.slot);
        place.advance();
    }
}

/* The same; each is read while the one before it is multiplied, to the other of two sets
 * of elements: these stay where they are until their products are done. (Products of two
 * slots under way at once would be of elements that something else than wgmma changes
 * meanwhile: compilers let them wait for each other, C7513.) */
template <typename P>
__device__ __forceinline__ void multiply_ahead(typename P::sums &sums, gemm::ring_place &place,
                                               const reader<P> &from, int count)
{
    typename reader<P>::elements x[2];

    from.next(x[0], place);
#pragma unroll 1
    for (int step = 0; step < count; step += 2)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int slot = place.slot;
            const bool is_last = step + i + 1 == count;

            from.multiply(sums, x[i], slot, step + i > 0);
            place.advance();
            if (!is_last)
                from.next(x[1 - i], place);
            finish<P>(sums, place, slot);
            if (is_last)
                break;
        }
}

} /* namespace across */
} /* namespace hone */

#endif
