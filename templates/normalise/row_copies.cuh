/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that a block takes, which bulk copies can bring ahead of their turn.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_NORMALISE_ROW_COPIES_CUH
#define HONE_NORMALISE_ROW_COPIES_CUH

#include "row_reduce.cuh"

namespace hone {

/* The rows of x, or `rows` of them, that a block takes, GROUPS at once, one turn
 * after another: from number `first` on, `step` apart. Where P has rows copied to
 * shared memory, they come into BUFFERS buffers, so that BUFFERS - 1 of a group's
 * are on their way while one is worked on; BUFFERS where registers take the row
 * first. The element that a thread has apart is asked for a turn ahead, too. */
template <typename P, int GROUPS, int BUFFERS> struct block_rows {
    using element = typename P::element;
    /* Turns from a row's copy to its use. */
    static constexpr int LEAD =
        !P::is_copied ? 0 : P::is_in_registers ? BUFFERS : BUFFERS - 1;

    const element *x;
    long long rows, columns, pitch;
    unsigned char *kept;
    int bytes; /* that `kept` has for a row */
    element outside;
    long long first, step;
    unsigned barriers, turn;
    pack<element, 1> apart;

    /* `none` is what is not in a row. All threads of the block. */
    __device__ block_rows(const element *of, long long count, long long width,
                          long long apart_by, unsigned char *at, int row_bytes,
                          element none)
        : x(of), rows(count), columns(width), pitch(apart_by), kept(at),
          bytes(row_bytes), outside(none),
          first(blockIdx.x / P::cluster * (long long)GROUPS),
          step(gridDim.x / P::cluster * (long long)GROUPS), barriers(0), turn(0)
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
        if constexpr (LEAD > 0) {
            for (int n = 0; n < LEAD; n++)
                copy(row(first + n * step), n);
            apart = row(first).template read_apart<access::normal>(outside);
        }
    }
    /* This group's row of those from `at` on: is there one, its number (or that
     * of another row), and the row, of no columns if there is none. */
    __device__ bool has(long long at) const { return at + group() < rows; }
    __device__ long long number(long long at) const
    {
        return has(at) ? at + group() : 0;
    }
    __device__ P row(long long at) const
    {
        return P(x + number(at) * pitch, has(at) ? columns : 0,
                 kept + group() * bytes);
    }
    __device__ static int group() { return threadIdx.x / P::threads; }
    /* Behind the buffers, room for a row. */
    __device__ unsigned char *room(int which) const
    {
        return kept + (BUFFERS * GROUPS + which) * bytes;
    }
    /* This turn's row, where it is. All threads of the block, for `first`, first
     * + step, .. */
    __device__ P next(long long at)
    {
        P in = row(at);

        if constexpr (P::is_copied) {
            place(in, turn);
            if constexpr (P::is_in_registers)
                in.take(outside);
            if (P::is_in_registers || turn > 0)
                __syncthreads(); /* nobody reads the buffer that is next */
            copy(row(at + LEAD * step), turn + LEAD);
            if constexpr (LEAD == 0)
                apart = in.template read_apart<access::normal>(outside);
            in.kept_apart[0] = P::hold(apart);
            if constexpr (LEAD > 0)
                apart = row(at + step).template read_apart<access::normal>(outside);
            in.turn = turn++;
        }
        return in;
    }
    __device__ void copy(P in, unsigned at) const
    {
        place(in, at);
        in.copy();
    }
    __device__ void place(P &in, unsigned at) const
    {
        const unsigned buffer = at % BUFFERS;

        in.shared += buffer * GROUPS * bytes / sizeof(*in.shared);
        in.barrier = barriers + buffer * GROUPS * 8;
        in.parity = at / BUFFERS % 2;
    }
};

} /* namespace hone */

#endif
