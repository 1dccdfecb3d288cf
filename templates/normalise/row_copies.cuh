/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that bulk copies bring to shared memory ahead of their turn.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_NORMALISE_ROW_COPIES_CUH
#define HONE_NORMALISE_ROW_COPIES_CUH

#include "rows.cuh"

namespace hone {

/* Has rows copied to shared memory where P keeps them so, else does nothing: the
 * rows that each of the GROUPS groups of a block takes, one turn after another,
 * into BUFFERS buffers, so that BUFFERS - 1 rows are on their way while one is
 * worked on. */
template <typename P, int GROUPS, int BUFFERS> struct copies {
    unsigned barriers, turn;

    /* All threads of the block. */
    __device__ copies() : barriers(0), turn(0)
    {
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
    /* Puts x, this turn's row, where it is; later(n) is the row of n turns on. A
     * buffer has `bytes`. All threads of the block. */
    template <typename F> __device__ void ask(P &x, int bytes, F later)
    {
        if constexpr (P::is_copied) {
            if (turn > 0)
                __syncthreads(); /* nobody reads the row before */
            for (int n = turn > 0 ? BUFFERS - 1 : 0; n < BUFFERS; n++) {
                P next = later(n);

                place(next, bytes, turn + n);
                next.copy();
            }
            place(x, bytes, turn++);
        }
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
