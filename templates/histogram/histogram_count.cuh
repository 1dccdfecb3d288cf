/* SPDX-License-Identifier: Apache-2.0 */
/* Counting as histogram_u8/copies and histogram_f32/copies do it. Included below
 * the parameters, which it reads: BLOCK, ITEMS, COPIES, DEAL, RUNS, FINISH and
 * the type of the counts, C. */

constexpr bool kLanes = DEAL == DEAL_values::lanes;
constexpr bool kTicket = FINISH == FINISH_values::ticket;
constexpr bool kPartials = FINISH == FINISH_values::partials;

/* Where a thread counts: copies of the bins in shared memory, or the sums in
 * global memory. */
template <bool SHARED> struct place {
    unsigned *copy;
    C *sums;

    /* This thread's copy of `bins` bins. The copies of lanes lie side by side,
     * bin by bin, so that lanes with the same bin meet different banks. */
    __device__ place(unsigned *copies, C *global, int bins)
        : copy(copies +
               (kLanes ? (int)threadIdx.x % COPIES
                       : (int)threadIdx.x / 32 % COPIES * bins)),
          sums(global)
    {
    }
    __device__ void add(int bin, unsigned by) const
    {
        if (bin < 0)
            return;
        if constexpr (SHARED)
            atomicAdd(copy + bin * (kLanes ? COPIES : 1), by);
        else
            hone::add_count(sums + bin, by);
    }
};

/* A thread's elements on their way to `to`. With RUNS thread it holds back the
 * latest bin until another comes. */
template <typename PLACE_TYPE, typename BINS> struct counter {
    const PLACE_TYPE to;
    const BINS bin_of;
    int bin;
    unsigned count;

    __device__ counter(const PLACE_TYPE &place_of, const BINS &bins)
        : to(place_of), bin_of(bins), bin(-1), count(0)
    {
    }

    template <typename X> __device__ void one(X x)
    {
        const int next = bin_of(x);

        if constexpr (RUNS == RUNS_values::thread) {
            if (next != bin) {
                flush();
                bin = next;
                count = 0;
            }
            count++;
        } else {
            to.add(next, 1);
        }
    }

    template <typename X, int WIDTH>
    __device__ void all(const hone::pack<X, WIDTH> &v)
    {
        if constexpr (RUNS == RUNS_values::access) {
            if (are_equal(v)) {
                to.add(bin_of(v.at[0]), WIDTH);
                return;
            }
        }
#pragma unroll
        for (int i = 0; i < WIDTH; i++)
            one(v.at[i]);
    }

    /* Are the elements of 16 bytes the same, bit by bit? */
    template <typename X, int WIDTH>
    static __device__ bool are_equal(const hone::pack<X, WIDTH> &v)
    {
        unsigned w[4];

        memcpy(w, &v, sizeof w);

        const unsigned same =
            sizeof(X) == 1 ? (w[0] & 0xffu) * 0x01010101u : w[0];

        return ((w[0] ^ same) | (w[1] ^ same) | (w[2] ^ same) |
                (w[3] ^ same)) == 0;
    }

    __device__ void flush()
    {
        if constexpr (RUNS == RUNS_values::thread) {
            if (count > 0)
                to.add(bin, count);
        }
    }
};

/* All elements of this block. */
template <typename X, typename COUNTER>
__device__ inline void count_elements(const X *x, long long n,
                                      COUNTER &elements)
{
    constexpr int WIDTH = 16 / sizeof(X);
    constexpr int SPAN = BLOCK * ITEMS; /* packs of a block and pass */
    const long long n_packs = n / WIDTH;
    const long long last = n_packs * WIDTH + threadIdx.x;

#pragma unroll 1
    for (long long base = (long long)blockIdx.x * SPAN; base < n_packs;
         base += (long long)gridDim.x * SPAN) {
        const long long first = base + threadIdx.x;

        if (base + SPAN <= n_packs) {
            hone::pack<X, WIDTH> v[ITEMS];

#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                v[i] = hone::read_pack<WIDTH, hone::access::stream>(
                    x + (first + i * BLOCK) * WIDTH);
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                elements.all(v[i]);
        } else {
#pragma unroll 1
            for (long long i = first; i < n_packs; i += BLOCK)
                elements.all(hone::read_pack<WIDTH>(x + i * WIDTH));
        }
    }
    if (blockIdx.x == gridDim.x - 1 && last < n)
        elements.one(x[last]);
    elements.flush();
}

/* The copies of this block added up: to the sums in global memory, or as the
 * block's part of `partial`. */
__device__ inline void merge_copies(const unsigned *copies, C *sums,
                                    unsigned *partial, int bins)
{
#pragma unroll 1
    for (int bin = threadIdx.x; bin < bins; bin += BLOCK) {
        unsigned sum = 0;

        /* Each thread begins at a copy, and so a bank, of its own. */
#pragma unroll 4
        for (int i = 0; i < COPIES; i++) {
            const int copy = (i + threadIdx.x) % COPIES;

            sum += copies[kLanes ? bin * COPIES + copy : copy * bins + bin];
        }
        if constexpr (kPartials)
            partial[(long long)blockIdx.x * bins + bin] = sum;
        else if (sum > 0)
            hone::add_count(sums + bin, sum);
    }
}

/* What each block does. SHARED: COPIES copies of the bins fit `copies`. */
template <bool SHARED, typename X, typename BINS>
__device__ inline void count_block(const X *x, const BINS &bin_of, C *sums,
                                   unsigned *partial, unsigned *copies,
                                   long long n)
{
    const int bins = bin_of.count;

    if constexpr (SHARED) {
#pragma unroll 1
        for (int i = threadIdx.x; i < COPIES * bins; i += BLOCK)
            copies[i] = 0;
        __syncthreads();
    }

    counter<place<SHARED>, BINS> elements(place<SHARED>(copies, sums, bins),
                                          bin_of);

    count_elements(x, n, elements);
    if constexpr (SHARED) {
        __syncthreads();
        merge_copies(copies, sums, partial, bins);
    }
}

/* FINISH ticket: the last block hands the sums over, and leaves zeros. */
__device__ inline void hand_over(C *counts, C *sums, unsigned *ticket,
                                 int bins)
{
    if (!hone::is_last_block(ticket, gridDim.x))
        return;
#pragma unroll 1
    for (int bin = threadIdx.x; bin < bins; bin += BLOCK) {
        counts[bin] = __ldcg(sums + bin);
        sums[bin] = 0;
    }
}

/* FINISH partials: a lane of 8 warps for each bin. */
__device__ inline void add_partials(C *counts, const unsigned *partial,
                                    int n_parts, int bins)
{
    __shared__ C of_warp[8][32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int bin = blockIdx.x * 32 + lane;
    C sum = 0;

#pragma unroll 4
    for (int part = warp; part < n_parts; part += 8) {
        if (bin < bins)
            sum += partial[(long long)part * bins + bin];
    }
    of_warp[warp][lane] = sum;
    __syncthreads();
    if (warp == 0 && bin < bins) {
#pragma unroll
        for (int i = 1; i < 8; i++)
            sum += of_warp[i][lane];
        counts[bin] = sum;
    }
}
