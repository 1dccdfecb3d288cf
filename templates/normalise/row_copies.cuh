/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that bulk copies bring to shared memory ahead of their turn.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_NORMALISE_ROW_COPIES_CUH
#define HONE_NORMALISE_ROW_COPIES_CUH

#include "row_reduce.cuh"

namespace hone {

/* Has rows copied to shared memory where P keeps them so, else does nothing: the
 * rows that each of the GROUPS groups of a block takes, one turn after another,
 * into BUFFERS buffers, so that BUFFERS - 1 rows are on their way while one is
 * worked on; BUFFERS where registers take the row first. The element that a
 * thread has apart is asked for a turn ahead, too. */
template <typename P, int GROUPS, int BUFFERS> struct copies {
    /* Turns from a row's copy to its use. */
    static constexpr int LEAD = P::is_in_registers ? BUFFERS : BUFFERS - 1;
    using element = typename P::element;

    unsigned barriers, turn;
    pack<element, 1> apart;

    /* All threads of the block. */
    __device__ copies() : barriers(0), turn(0)
    {
        begin_reductions<P>();
#ifdef HONE_ROWS_BULK
        if constexpr (P::is_copied) {
            __shared__ unsigned long long of_rows[BUFFERS * GROUPS];

            if (threadIdx.x < BUFFERS * GROUPS)
                barrier_init(shared_address(of_rows + threadIdx.x), 1);
            barrier_init_done();
            __syncthreads();
            barriers = shared_address(of_rows + threadIdx.x / P::threads);
        }
#endif
    }
    /* Has the first rows copied; later(n) is the row of n turns on. A buffer has
     * `bytes`; `outside` is what is not in the row. All threads of the block. */
    template <typename F>
    __device__ void begin(int bytes, element outside, F later)
    {
        if constexpr (P::is_copied) {
            for (int n = 0; n < LEAD; n++)
                copy(later(n), bytes, n);
            apart = later(0).template read_apart<access::normal>(outside);
        }
    }
    /* Puts x, this turn's row, where it is. All threads of the block. */
    template <typename F>
    __device__ void ask(P &x, int bytes, element outside, F later)
    {
        if constexpr (P::is_copied) {
            place(x, bytes, turn);
            if constexpr (P::is_in_registers)
                x.take(outside);
            if (P::is_in_registers || turn > 0)
                __syncthreads(); /* nobody reads the buffer that is next */
            copy(later(LEAD), bytes, turn + LEAD);
            x.kept_apart[0] = P::hold(apart);
            if constexpr (LEAD > 0)
                apart = later(1).template read_apart<access::normal>(outside);
            x.turn = turn++;
        }
    }
    __device__ void copy(P x, int bytes, unsigned at) const
    {
        place(x, bytes, at);
        x.copy();
    }
    __device__ void place(P &x, int bytes, unsigned at) const
    {
        const unsigned buffer = at % BUFFERS;

        x.shared += buffer * bytes / sizeof(*x.shared);
        x.barrier = barriers + buffer * GROUPS * 8;
        x.parity = at / BUFFERS % 2;
    }
};

} /* namespace hone */

#endif
