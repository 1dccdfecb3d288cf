/* SPDX-License-Identifier: Apache-2.0 */
/* stencil2d/strips: several steps in one pass over memory, in registers.
 *
 * A warp takes a strip of 32*CELLS columns and walks down its rows. It reads a
 * row of the field, and from that and the two before it makes the row above
 * after one step, from these the row above that after two, and so on: a
 * pipeline of STEPS_PASS stages, each of which keeps two rows in registers.
 * What stands beside a thread's cells comes from its neighbours' registers by
 * shuffles; no memory is shared, no barrier is waited for.
 *
 * A stage is wrong in one more column from each side of the strip than the one
 * before it: strips overlap by HALO columns, and so do chunks of rows by those
 * that fill the pipeline. There are as many chunks as give each multiprocessor
 * WARPS_SM warps. Strips that hold no border of the field, in passes of all
 * their steps, are computed without a test. */
#include "stencil2d.cuh"

#pragma hone implements stencil2d/strips "strips of columns, steps in registers, any device"
#pragma hone require STEPS > 0 "no step: the plain implementation copies x"

// Steps in one pass over memory.
#pragma hone param STEPS_PASS in {1, 2, 3, 4, 5, 6, 8} default 4
// Neighbouring columns of a thread, and how many of them are read at once.
#pragma hone param CELLS in {1, 2, 4, 8} default 4
#pragma hone param VEC in {1, 2, 4} default 1
// Warps for each multiprocessor, which decides how many rows a warp writes.
#pragma hone param WARPS_SM in {16, 24, 32, 48, 64, 96} default 32
// Rows that are asked for before they are needed.
#pragma hone param AHEAD in {1, 2, 4} default 2
// Strips of a block, side by side.
#pragma hone param WARPS in {2, 4, 8} default 4
// Rows that the compiler sees at once: pipelines move on without moves.
#pragma hone param UNROLL in {1, 3}

#pragma hone let HALO = align(STEPS_PASS, VEC)
#pragma hone let SPAN = 32*CELLS
#pragma hone let USEFUL = SPAN - 2*HALO

#pragma hone require CELLS % VEC == 0 "a thread's columns are whole accesses"
#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require VEC == 1 || COLS % VEC == 0 "rows must be multiples of an access"
#pragma hone require USEFUL*2 >= SPAN "most of a strip would be its overlap"
#pragma hone require STEPS_PASS*CELLS*sizeof(T) <= 256 "the rows of all stages do not fit the registers"
#pragma hone require AHEAD*CELLS*sizeof(T) <= 64 "rows that are asked for early take too many registers"
#pragma hone require STEPS_PASS == 1 || STEPS_PASS <= STEPS || STEPS_PASS == 4 "there are not so many steps"

#pragma hone let STRIPS = ceildiv(COLS, USEFUL)
#pragma hone let CHUNKS = max(WARPS_SM*device.sm_count/align(STRIPS, WARPS), 1)
#pragma hone let CHUNK = max(ceildiv(ROWS, CHUNKS), 4*STEPS_PASS)
#pragma hone let PASSES = ceildiv(STEPS, STEPS_PASS)
#pragma hone workspace other: T[PASSES > 1 ? ROWS*COLS : 0]
#pragma hone launch stencil2d_strips repeat(PASS, PASSES) \
    grid(ceildiv(STRIPS, WARPS), min(ceildiv(ROWS, CHUNK), 65535)) block(32*WARPS) \
    args(centre, neighbour, \
         pick(PASS == 0 ? 2 : (PASSES - PASS) % 2, y, other, x), \
         pick((PASSES - 1 - PASS) % 2, y, other), i64(ROWS), i64(COLS), \
         i64(CHUNK), i32(min(STEPS_PASS, STEPS - PASS*STEPS_PASS)))

namespace {

struct cells {
    T at[CELLS];
};

/* What a thread knows of its field and strip. */
struct strip {
    T centre, neighbour;
    const T *from;
    T *to;
    long long rows, columns;
    long long column; /* the thread's first */
    int steps;        /* of this pass */
};

/* EDGE: columns that are not there are zeros. */
template <bool EDGE>
__device__ inline cells read_row(const strip &s, long long row)
{
    const T *own = s.from + row * s.columns + s.column;
    const bool is_there = !EDGE || (row >= 0 && row < s.rows);
    cells c;

#pragma unroll
    for (int v = 0; v < CELLS; v += VEC) {
        hone::pack<T, VEC> p = {};

        if (!EDGE || (is_there && s.column + v >= 0 &&
                      s.column + v < s.columns))
            p = hone::read_pack<VEC>(own + v);
#pragma unroll
        for (int k = 0; k < VEC; k++)
            c.at[v + k] = p.at[k];
    }
    return c;
}

template <bool EDGE>
__device__ inline void write_row(const strip &s, long long row, const cells &c)
{
    T *own = s.to + row * s.columns + s.column;

#pragma unroll
    for (int v = 0; v < CELLS; v += VEC) {
        hone::pack<T, VEC> p;
        const int place = threadIdx.x % 32 * CELLS + v;

#pragma unroll
        for (int k = 0; k < VEC; k++)
            p.at[k] = c.at[v + k];
        if (place >= HALO && place < SPAN - HALO &&
            (!EDGE || s.column + v < s.columns))
            hone::write_pack(own + v, p);
    }
}

/* The row `own` a step later, between `up` and `down`; `row` is its number,
 * `step` that of the step, from 1. */
template <bool EDGE>
__device__ inline cells next_row(const strip &s, const cells &up,
                                 const cells &own, const cells &down,
                                 long long row, int step)
{
    const T left = __shfl_up_sync(0xffffffffu, own.at[CELLS - 1], 1);
    const T right = __shfl_down_sync(0xffffffffu, own.at[0], 1);
    const bool moves =
        !EDGE || (step <= s.steps && hone::is_inner(row, s.rows));
    cells next;

#pragma unroll
    for (int v = 0; v < CELLS; v++) {
        next.at[v] = hone::stencil_next(
            s.centre, s.neighbour, own.at[v], up.at[v], down.at[v],
            v ? own.at[v ? v - 1 : 0] : left,
            v + 1 < CELLS ? own.at[v + 1 < CELLS ? v + 1 : 0] : right);
        if (EDGE && !(moves && hone::is_inner(s.column + v, s.columns)))
            next.at[v] = own.at[v];
    }
    return next;
}

/* Write the rows [first, last) of the strip. */
template <bool EDGE>
__device__ inline void walk(const strip &s, long long first, long long last)
{
    const long long end = last + STEPS_PASS; /* of the rows that are read */
    cells older[STEPS_PASS] = {}, newer[STEPS_PASS] = {};
    cells ahead[AHEAD + 1] = {};

#pragma unroll
    for (int a = 0; a < AHEAD; a++)
        ahead[a] = read_row<EDGE>(s, first - STEPS_PASS + a);
#pragma unroll UNROLL
    for (long long row = first - STEPS_PASS; row < end; row++) {
        cells now;

        if (row + AHEAD < end)
            ahead[AHEAD] = read_row<EDGE>(s, row + AHEAD);
        now = ahead[0];
#pragma unroll
        for (int a = 0; a < AHEAD; a++)
            ahead[a] = ahead[a + 1];
#pragma unroll
        for (int t = 0; t < STEPS_PASS; t++) {
            const cells next = next_row<EDGE>(s, older[t], newer[t], now,
                                              row - t - 1, t + 1);

            older[t] = newer[t];
            newer[t] = now;
            now = next;
        }
        if (row - STEPS_PASS >= first)
            write_row<EDGE>(s, row - STEPS_PASS, now);
    }
}

} /* namespace */

extern "C" __global__ void __launch_bounds__(32 * WARPS)
stencil2d_strips(T centre, T neighbour, const T *__restrict__ from,
                 T *__restrict__ to, long long rows, long long columns,
                 long long chunk, int steps)
{
    const long long begin =
        ((long long)blockIdx.x * WARPS + threadIdx.x / 32) * USEFUL - HALO;
    const strip s = {centre,
                     neighbour,
                     from,
                     to,
                     rows,
                     columns,
                     begin + threadIdx.x % 32 * CELLS,
                     steps};
    const bool is_inside =
        steps == STEPS_PASS && begin > 0 && begin + SPAN < columns;

    if (begin + HALO >= columns)
        return; /* the whole warp */
    for (long long first = blockIdx.y * chunk; first < rows;
         first += gridDim.y * chunk) {
        const long long last = first + chunk < rows ? first + chunk : rows;

        if (is_inside && first > STEPS_PASS && last + STEPS_PASS < rows)
            walk<false>(s, first, last);
        else
            walk<true>(s, first, last);
    }
}
