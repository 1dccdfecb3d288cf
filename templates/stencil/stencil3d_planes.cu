/* SPDX-License-Identifier: Apache-2.0 */
/* stencil3d/planes: several steps in one pass over memory, plane by plane.
 *
 * A block takes a tile of TILE_X by TILE_Y cells of a plane and walks through
 * the planes. It reads a plane of the tile, and from that and the two before it
 * makes the plane in front of it after one step, from these the plane in front
 * of that after two, and so on: a pipeline of STEPS_PASS stages (3.5-D blocking,
 * Nguyen et al., SC 2010). A thread keeps CELLS by ROWS_EACH cells of two planes
 * of each stage in registers. What stands left and right of them comes from the
 * registers of its neighbours by shuffles, LANES threads being side by side in a
 * warp; what stands above and below from shared memory, where each thread puts
 * the first and the last row of its cells of the newer one of the two planes.
 * They are put there one plane earlier, and there are two such buffers in turns:
 * one barrier a plane, for all stages.
 *
 * A stage is wrong in one more cell from each side of the tile than the one
 * before it, but not where the field ends: tiles overlap by STEPS_PASS cells on
 * each side, and so do chunks of planes. There are as many chunks as give each
 * multiprocessor BLOCKS_SM blocks. Borders are put back behind each step, by
 * the threads that have some. */
#include "hone_device.cuh"
#include "stencil3d.cuh"

#pragma hone implements stencil3d/planes "tiles of planes, steps in registers and shared memory, any device"
#pragma hone require STEPS > 0 "no step: the plain implementation copies x"

// Steps in one pass over memory.
#pragma hone param STEPS_PASS in {1, 2, 3, 4} default 2
// A thread: so many cells side by side, and rows of them.
#pragma hone param CELLS in {1, 2, 4} default 1
#pragma hone param ROWS_EACH in {2, 4, 8} default 4
// A block: so many threads side by side, and rows of them.
#pragma hone param LANES in {16, 32} default 32
#pragma hone param THREADS_Y in {4, 6, 8, 12, 16} default 8
// A thread reads and writes its cells of a row at once; or it takes every
// LANES-th cell of a row, and threads exchange them in shared memory.
#pragma hone param WIDE: bool
// Blocks for each multiprocessor, which decides how long chunks are.
#pragma hone param BLOCKS_SM in {2, 4, 6, 8, 12} default 8
// Planes that are asked for before they are needed, and where they arrive:
// registers, or shared memory by asynchronous copies.
#pragma hone param AHEAD in {1, 2, 3} default 1
#pragma hone param LOAD in {registers} for device sm >= 80 in {async}
// Planes that the compiler sees at once: pipelines move on without moves.
#pragma hone param UNROLL in {1, 3} default 1
// Blocks the compiler must leave registers for.
#pragma hone param MIN_BLOCKS in {1, 2, 4}

#pragma hone let HALO = WIDE ? align(STEPS_PASS, CELLS) : STEPS_PASS
#pragma hone let TILE_X = LANES*CELLS
#pragma hone let TILE_Y = THREADS_Y*ROWS_EACH
#pragma hone let THREADS = LANES*THREADS_Y
#pragma hone let USEFUL_X = TILE_X - 2*HALO
#pragma hone let USEFUL_Y = TILE_Y - 2*STEPS_PASS
#pragma hone let EXCHANGE = !WIDE && CELLS > 1
#pragma hone let SLOTS = LOAD == async ? AHEAD + 1 : 0
#pragma hone let SHARED = (4*STEPS_PASS*THREADS_Y + SLOTS*TILE_Y)*TILE_X*sizeof(T)
#pragma hone let SET = CELLS*ROWS_EACH*sizeof(T)/4
#pragma hone let REGISTERS = 36 + (2*STEPS_PASS + (LOAD == registers ? AHEAD : 0) + 1)*SET

#pragma hone require CELLS*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require WIDE ? CELLS > 1 && COLS % CELLS == 0 : CELLS == 1 || COLS % CELLS > 0 "rows of whole accesses are read by these, others are not"
#pragma hone require CELLS > 1 || COLS % 2 > 0 || (LANES == 32 && ROWS_EACH == 4) "several cells would be read at once"
#pragma hone require !EXCHANGE || LOAD == async "cells are exchanged where copies arrive"
#pragma hone require LOAD == async ? AHEAD > 1 : AHEAD < 3 "shared memory has room for more than registers"
#pragma hone require SET >= 4 && SET <= 32 "a thread has so few or many cells"
#pragma hone require THREADS >= 128 && THREADS <= 1024 "a block has 128 to 1024 threads"
#pragma hone require USEFUL_X > 0 && USEFUL_Y > 0 && 8*USEFUL_X*USEFUL_Y >= 5*TILE_X*TILE_Y "much of a tile would be its overlap"
#pragma hone require REGISTERS <= 255 "the planes of all stages do not fit the registers"
#pragma hone require THREADS*MIN_BLOCKS*REGISTERS <= device.regs_sm "the registers of so many blocks would not hold the planes"
#pragma hone require THREADS*MIN_BLOCKS <= device.threads_sm "a multiprocessor does not hold so many threads"
#pragma hone require THREADS*MIN_BLOCKS >= 256 "so few threads do not hide what they wait for"
#pragma hone require SHARED <= device.smem_optin && SHARED*MIN_BLOCKS <= device.smem_sm "the planes do not fit shared memory"
#pragma hone require STEPS_PASS == 1 || STEPS_PASS <= STEPS || STEPS_PASS == 2 "there are not so many steps"

#pragma hone let TILES_X = ceildiv(max(COLS - 2*HALO, 1), USEFUL_X)
#pragma hone let TILES_Y = ceildiv(max(ROWS - 2*STEPS_PASS, 1), USEFUL_Y)
#pragma hone let CHUNKS = max(BLOCKS_SM*device.sm_count/(TILES_X*TILES_Y), 1)
#pragma hone let CHUNK = max(ceildiv(PLANES, CHUNKS), 4*STEPS_PASS)
#pragma hone let PASSES = ceildiv(STEPS, STEPS_PASS)
#pragma hone workspace other: T[PASSES > 1 ? PLANES*ROWS*COLS : 0]
#pragma hone launch stencil3d_planes repeat(PASS, PASSES) \
    grid(TILES_X, min(TILES_Y, 65535), min(ceildiv(PLANES, CHUNK), 65535)) \
    block(LANES, THREADS_Y) shared(SHARED) \
    args(centre, neighbour, \
         pick(PASS == 0 ? 2 : (PASSES - PASS) % 2, y, other, x), \
         pick((PASSES - 1 - PASS) % 2, y, other), i64(PLANES), i64(ROWS), i64(COLS), \
         i64(CHUNK), i32(min(STEPS_PASS, STEPS - PASS*STEPS_PASS)))

namespace {

constexpr bool is_async = LOAD == LOAD_values::async;

using row = hone::pack<T, CELLS>;

/* A thread's cells of a plane. */
struct cells {
    row of[ROWS_EACH];
};

/* The first and the last rows of all threads, for each stage. */
using edges = T[STEPS_PASS][THREADS_Y][2][TILE_X];

/* A plane of the tile on its way from memory, or to it. */
using slot = T[TILE_Y][TILE_X];

/* What a thread knows of its field and tile. */
struct tile {
    T centre, neighbour;
    const T *from; /* the thread's first cell of plane 0 */
    T *to;
    long long planes, columns, plane_cells;
    int steps;                 /* of this pass */
    int rows_there;            /* of its rows, those in the field */
    int columns_there;         /* of the tile's */
    int rows_first, rows_end;  /* of its rows, those it writes */
    int places_first, places_end; /* columns of the tile that are written */
    unsigned fixed;            /* a bit for each of its cells: on a border? */
};

/* The column of the tile in which the thread's element k of a row lies when
 * memory is read or written. */
__device__ inline int place(int k)
{
    return EXCHANGE ? k * LANES + threadIdx.x : threadIdx.x * CELLS + k;
}

/* Cells that are not there are zeros. */
__device__ inline cells read_plane(const tile &t, long long plane)
{
    const T *own = t.from + plane * t.plane_cells;
    cells c = {};

    if (plane >= t.planes)
        return c;
#pragma unroll
    for (int i = 0; i < ROWS_EACH; i++, own += t.columns) {
        if (i < t.rows_there && place(0) < t.columns_there)
            c.of[i] = hone::read_pack<CELLS>(own);
    }
    return c;
}

/* Ask for the same; `to` are the thread's rows in shared memory, where cells
 * that are not there change nothing. */
__device__ inline void fetch_plane(const tile &t, long long plane,
                                   T (*to)[TILE_X])
{
    const T *own = t.from + plane * t.plane_cells;
    const int rows_there = plane < t.planes ? t.rows_there : 0;

#pragma unroll
    for (int i = 0; i < ROWS_EACH; i++, own += t.columns) {
        if constexpr (EXCHANGE) {
#pragma unroll
            for (int k = 0; k < CELLS; k++)
                hone::copy_async_part<sizeof(T)>(
                    &to[i][place(k)], own + k * LANES, sizeof(T),
                    i < rows_there && place(k) < t.columns_there);
        } else
            hone::copy_async_part<CELLS * sizeof(T)>(
                &to[i][place(0)], own, CELLS * sizeof(T),
                i < rows_there && place(0) < t.columns_there);
    }
}

/* What has arrived there. */
__device__ inline cells take_plane(const T (*lies)[TILE_X])
{
    cells c;

    if constexpr (EXCHANGE)
        __syncwarp();
#pragma unroll
    for (int i = 0; i < ROWS_EACH; i++)
        c.of[i] = hone::read_pack<CELLS, hone::access::shared>(
            &lies[i][threadIdx.x * CELLS]);
    return c;
}

/* From the order of cells to that of memory; `lies` are the thread's rows in
 * shared memory. */
__device__ inline void exchange(T (*lies)[TILE_X], cells &c)
{
#pragma unroll
    for (int i = 0; i < ROWS_EACH; i++)
        hone::write_pack<hone::access::shared>(
            &lies[i][threadIdx.x * CELLS], c.of[i]);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < ROWS_EACH; i++)
#pragma unroll
        for (int k = 0; k < CELLS; k++)
            c.of[i].at[k] = lies[i][place(k)];
}

__device__ inline void write_plane(const tile &t, long long plane,
                                   const cells &c)
{
    T *own = t.to + plane * t.plane_cells;

#pragma unroll
    for (int i = 0; i < ROWS_EACH; i++, own += t.columns) {
        if (i < t.rows_first || i >= t.rows_end)
            continue;
        if constexpr (EXCHANGE) {
#pragma unroll
            for (int k = 0; k < CELLS; k++)
                if (place(k) >= t.places_first && place(k) < t.places_end)
                    own[k * LANES] = c.of[i].at[k];
        } else if (place(0) >= t.places_first && place(0) < t.places_end)
            hone::write_pack(own, c.of[i]);
    }
}

/* The plane `own` a step later, between `front` and `back`; shared memory has
 * its edges in `lies`. `plane` is its number, `step` that of the step, from 1. */
__device__ inline cells next_plane(const tile &t, const cells &front,
                                   const cells &own, const cells &back,
                                   const T (*lies)[2][TILE_X], long long plane,
                                   int step)
{
    constexpr unsigned all = 0xffffffffu;
    const int x = threadIdx.x * CELLS;
    const int y = threadIdx.y;
    const row above = hone::read_pack<CELLS, hone::access::shared>(
        &lies[y > 0 ? y - 1 : 0][1][x]);
    const row below = hone::read_pack<CELLS, hone::access::shared>(
        &lies[y < THREADS_Y - 1 ? y + 1 : y][0][x]);
    cells next;

#pragma unroll
    for (int i = 0; i < ROWS_EACH; i++) {
        const row &o = own.of[i];
        const row &up = i ? own.of[i ? i - 1 : 0] : above;
        const row &down = i + 1 < ROWS_EACH
                              ? own.of[i + 1 < ROWS_EACH ? i + 1 : 0]
                              : below;
        const T left = __shfl_up_sync(all, o.at[CELLS - 1], 1, LANES);
        const T right = __shfl_down_sync(all, o.at[0], 1, LANES);

#pragma unroll
        for (int k = 0; k < CELLS; k++)
            next.of[i].at[k] = hone::stencil_next(
                t.centre, t.neighbour, o.at[k], up.at[k], down.at[k],
                k ? o.at[k ? k - 1 : 0] : left,
                k + 1 < CELLS ? o.at[k + 1 < CELLS ? k + 1 : 0] : right,
                front.of[i].at[k], back.of[i].at[k]);
    }

    const bool moves = step <= t.steps && hone::is_inner(plane, t.planes);
    const unsigned stays = moves ? t.fixed : all;

    if (stays) {
#pragma unroll
        for (int i = 0; i < ROWS_EACH; i++)
#pragma unroll
            for (int k = 0; k < CELLS; k++)
                if (stays >> (i * CELLS + k) & 1)
                    next.of[i].at[k] = own.of[i].at[k];
    }
    return next;
}

/* Write the planes [first, last) of the tile. All threads of the block. */
__device__ inline void walk(const tile &t, edges *shared, slot *slots,
                            long long first, long long last)
{
    const int x = threadIdx.x * CELLS;
    const int y = threadIdx.y;
    const long long begin = first > STEPS_PASS ? first - STEPS_PASS : 0;
    const long long end = last + STEPS_PASS; /* of the planes that are read */
    cells older[STEPS_PASS] = {}, newer[STEPS_PASS] = {};
    cells ahead[AHEAD + 1] = {};
    int turn = 0, at = 0; /* of the slots */

#pragma unroll
    for (int a = 0; a < AHEAD; a++) {
        if constexpr (is_async) {
            fetch_plane(t, begin + a, &slots[a][y * ROWS_EACH]);
            hone::copy_commit();
        } else
            ahead[a] = read_plane(t, begin + a);
    }
#pragma unroll UNROLL
    for (long long plane = begin; plane < end; plane++) {
        T(*const lies)[TILE_X] = &slots[at][y * ROWS_EACH];
        cells now;

        if constexpr (is_async) {
            if (plane + AHEAD < end)
                fetch_plane(t, plane + AHEAD,
                            &slots[at > 0 ? at - 1 : AHEAD][y * ROWS_EACH]);
            hone::copy_commit();
            hone::copy_wait(AHEAD);
            now = take_plane(lies);
            at = at < AHEAD ? at + 1 : 0;
        } else {
            if (plane + AHEAD < end)
                ahead[AHEAD] = read_plane(t, plane + AHEAD);
            now = ahead[0];
#pragma unroll
            for (int a = 0; a < AHEAD; a++)
                ahead[a] = ahead[a + 1];
        }
#pragma unroll
        for (int s = 0; s < STEPS_PASS; s++) {
            const cells next = next_plane(t, older[s], newer[s], now,
                                          shared[turn][s], plane - s - 1, s + 1);

            older[s] = newer[s];
            newer[s] = now;
            hone::write_pack<hone::access::shared>(&shared[1 - turn][s][y][0][x],
                                                   now.of[0]);
            hone::write_pack<hone::access::shared>(&shared[1 - turn][s][y][1][x],
                                                   now.of[ROWS_EACH - 1]);
            now = next;
        }
        if (plane - STEPS_PASS >= first) {
            if constexpr (EXCHANGE)
                exchange(lies, now);
            write_plane(t, plane - STEPS_PASS, now);
        }
        turn = 1 - turn;
        __syncthreads();
    }
}

/* `at`, but between 0 and n. */
__device__ inline int clamp(long long at, int n)
{
    return at < 0 ? 0 : at < n ? static_cast<int>(at) : n;
}

/* The thread's part of the tile that begins in `column` and `row`. */
__device__ inline tile tile_of(const T *from, T *to, long long planes,
                               long long rows, long long columns,
                               long long row, long long column)
{
    const int y = threadIdx.y * ROWS_EACH;
    const int x = threadIdx.x * CELLS;
    const long long first = (row + y) * columns + column + place(0);
    const bool is_last_y = row + TILE_Y >= rows;
    const bool is_last_x = column + TILE_X >= columns;
    tile t = {};

    t.from = from + first;
    t.to = to + first;
    t.planes = planes;
    t.columns = columns;
    t.plane_cells = rows * columns;
    t.rows_there = clamp(rows - row - y, ROWS_EACH);
    t.columns_there = clamp(columns - column, TILE_X);
    t.rows_first = row > 0 ? clamp(STEPS_PASS - y, ROWS_EACH) : 0;
    t.rows_end = is_last_y ? t.rows_there
                           : clamp(TILE_Y - STEPS_PASS - y, ROWS_EACH);
    t.places_first = column > 0 ? HALO : 0;
    t.places_end = is_last_x ? t.columns_there : TILE_X - HALO;
#pragma unroll
    for (int i = 0; i < ROWS_EACH; i++)
#pragma unroll
        for (int k = 0; k < CELLS; k++)
            if (!hone::is_inner(row + y + i, rows) ||
                !hone::is_inner(column + x + k, columns))
                t.fixed |= 1u << (i * CELLS + k);
    return t;
}

} /* namespace */

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
stencil3d_planes(T centre, T neighbour, const T *__restrict__ from,
                 T *__restrict__ to, long long planes, long long rows,
                 long long columns, long long chunk, int steps)
{
    extern __shared__ __align__(16) unsigned char memory[];
    edges *shared = reinterpret_cast<edges *>(memory);
    slot *slots = reinterpret_cast<slot *>(shared + 2);
    const long long column = (long long)blockIdx.x * USEFUL_X;

    for (long long row = (long long)blockIdx.y * USEFUL_Y;
         row == 0 || row + 2 * STEPS_PASS < rows;
         row += (long long)gridDim.y * USEFUL_Y) {
        tile t = tile_of(from, to, planes, rows, columns, row, column);

        t.centre = centre;
        t.neighbour = neighbour;
        t.steps = steps;
        for (long long first = blockIdx.z * chunk; first < planes;
             first += gridDim.z * chunk) {
            const long long last =
                first + chunk < planes ? first + chunk : planes;

            walk(t, shared, slots, first, last);
        }
    }
}
