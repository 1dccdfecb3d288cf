/* SPDX-License-Identifier: Apache-2.0 */
/* stencil3d/planes: several steps in one pass over memory, plane by plane.
 *
 * A block takes a tile of TILE_X by TILE_Y cells of a plane and walks through
 * the planes. It reads a plane of the tile, and from that and the two before it
 * makes the plane in front of it after one step, from these the plane in front
 * of that after two, and so on: a pipeline of STEPS_PASS stages. A thread
 * keeps ROWS_EACH cells of two planes of each stage in registers; the newer one
 * of the two lies in shared memory too, for the neighbours in the plane. It
 * was put there one plane earlier, and there are two such buffers in turns:
 * one barrier a plane, for all stages.
 *
 * A stage is wrong in one more cell from each side of the tile than the one
 * before it: tiles overlap by STEPS_PASS cells, chunks of CHUNK planes by those
 * that fill the pipeline. Tiles that hold no border of the field, in passes of
 * all their steps, are computed without a test. */
#include "stencil3d.cuh"

#pragma hone implements stencil3d/planes "tiles of planes, steps in registers and shared memory, any device"

// Steps in one pass over memory.
#pragma hone param STEPS_PASS in {1, 2, 3, 4} default 2
// A block: so many threads side by side, and rows of them; a thread has so
// many cells, one below the other.
#pragma hone param TILE_X in {32, 64, 128} default 32
#pragma hone param THREADS_Y in {2, 4, 8, 16} default 8
#pragma hone param ROWS_EACH in {1, 2, 4, 8} default 2
// Planes that are written by a block; whether the next one is asked for early.
#pragma hone param CHUNK in {16, 32, 64, 128, 256} default 32
#pragma hone param AHEAD in {0, 1, 2} default 1
// Mark lines as not needed again.
#pragma hone param STREAM_WRITE: bool
// Blocks the compiler must leave registers for.
#pragma hone param MIN_BLOCKS in {1, 2, 4}

#pragma hone let TILE_Y = THREADS_Y*ROWS_EACH
#pragma hone let THREADS = TILE_X*THREADS_Y
#pragma hone let USEFUL_X = TILE_X - 2*STEPS_PASS
#pragma hone let USEFUL_Y = TILE_Y - 2*STEPS_PASS
#pragma hone let SHARED = 2*STEPS_PASS*TILE_X*TILE_Y*sizeof(T)

#pragma hone require THREADS >= 64 && THREADS <= 1024 "a block has 64 to 1024 threads"
#pragma hone require USEFUL_Y > 0 && 3*USEFUL_X*USEFUL_Y >= TILE_X*TILE_Y "most of a tile would be its overlap"
#pragma hone require STEPS_PASS*ROWS_EACH*sizeof(T) <= 128 "the planes of all stages do not fit the registers"
#pragma hone require THREADS*MIN_BLOCKS <= device.threads_sm "a multiprocessor does not hold so many threads"
#pragma hone require MIN_BLOCKS == 1 || THREADS*MIN_BLOCKS*(24 + (2*STEPS_PASS + AHEAD + 2)*ROWS_EACH*sizeof(T)/4) <= device.regs_sm "the registers of so many blocks would not hold the planes"
#pragma hone require SHARED <= device.smem_optin && SHARED*MIN_BLOCKS <= device.smem_sm "the planes do not fit shared memory"
#pragma hone require CHUNK >= 8*STEPS_PASS "most planes of a chunk would be its overlap"
#pragma hone require CHUNK <= 32 || CHUNK < 2*PLANES "chunks are longer than the field"
#pragma hone require STEPS_PASS == 1 || STEPS_PASS <= STEPS || STEPS_PASS == 2 "there are not so many steps"

#pragma hone let PASSES = ceildiv(STEPS, STEPS_PASS)
#pragma hone workspace other: T[PASSES > 1 ? PLANES*ROWS*COLS : 0]
#pragma hone launch stencil3d_planes repeat(PASS, PASSES) \
    grid(ceildiv(COLS, USEFUL_X), min(ceildiv(ROWS, USEFUL_Y), 65535), \
         min(ceildiv(PLANES, CHUNK), 65535)) \
    block(TILE_X, THREADS_Y) shared(SHARED) \
    args(centre, neighbour, \
         pick(PASS == 0 ? 2 : (PASSES - PASS) % 2, y, other, x), \
         pick((PASSES - 1 - PASS) % 2, y, other), i64(PLANES), i64(ROWS), i64(COLS), \
         i32(min(STEPS_PASS, STEPS - PASS*STEPS_PASS)))

namespace {

constexpr hone::access writes =
    STREAM_WRITE ? hone::access::stream : hone::access::normal;

struct cells {
    T at[ROWS_EACH];
};

/* One plane of the tile, for each stage. */
using stages = T[STEPS_PASS][TILE_Y][TILE_X];

/* What a thread knows of its field and tile. */
struct tile {
    T centre, neighbour;
    const T *from;
    T *to;
    long long planes, rows, columns;
    long long row, column; /* of its first cell */
    int steps;             /* of this pass */
};

/* EDGE: cells that are not there are zeros. */
template <bool EDGE>
__device__ inline cells read_plane(const tile &t, long long plane)
{
    const bool is_there = !EDGE || (plane >= 0 && plane < t.planes &&
                                    t.column >= 0 && t.column < t.columns);
    const T *own = t.from + (plane * t.rows + t.row) * t.columns + t.column;
    cells c;

#pragma unroll
    for (int i = 0; i < ROWS_EACH; i++) {
        c.at[i] = 0;
        if (!EDGE || (is_there && t.row + i >= 0 && t.row + i < t.rows))
            c.at[i] = own[i * t.columns];
    }
    return c;
}

template <bool EDGE>
__device__ inline void write_plane(const tile &t, long long plane,
                                   const cells &c)
{
    T *own = t.to + (plane * t.rows + t.row) * t.columns + t.column;
    const int x = threadIdx.x;
    const int y = threadIdx.y * ROWS_EACH;

    if (x < STEPS_PASS || x >= TILE_X - STEPS_PASS ||
        (EDGE && t.column >= t.columns))
        return;
#pragma unroll
    for (int i = 0; i < ROWS_EACH; i++) {
        if (y + i >= STEPS_PASS && y + i < TILE_Y - STEPS_PASS &&
            (!EDGE || t.row + i < t.rows))
            hone::write_word<writes>(own + i * t.columns, c.at[i]);
    }
}

/* The plane `own` a step later, between `front` and `back`; shared memory has
 * it in `lies`. `plane` is its number, `step` that of the step, from 1. */
template <bool EDGE>
__device__ inline cells next_plane(const tile &t, const cells &front,
                                   const cells &own, const cells &back,
                                   const T (*lies)[TILE_X], long long plane,
                                   int step)
{
    const int x = threadIdx.x;
    const int y = threadIdx.y * ROWS_EACH;
    const int left = x > 0 ? x - 1 : 0;
    const int right = x < TILE_X - 1 ? x + 1 : x;
    const T above = lies[y > 0 ? y - 1 : 0][x];
    const T below = lies[y + ROWS_EACH < TILE_Y ? y + ROWS_EACH : y][x];
    const bool moves =
        !EDGE || (step <= t.steps && hone::is_inner(plane, t.planes) &&
                  hone::is_inner(t.column, t.columns));
    cells next;

#pragma unroll
    for (int i = 0; i < ROWS_EACH; i++) {
        next.at[i] = hone::stencil_next(
            t.centre, t.neighbour, own.at[i], i ? own.at[i ? i - 1 : 0] : above,
            i + 1 < ROWS_EACH ? own.at[i + 1 < ROWS_EACH ? i + 1 : 0] : below,
            lies[y + i][left], lies[y + i][right], front.at[i], back.at[i]);
        if (EDGE && !(moves && hone::is_inner(t.row + i, t.rows)))
            next.at[i] = own.at[i];
    }
    return next;
}

/* Write the planes [first, last) of the tile. All threads of the block. */
template <bool EDGE>
__device__ inline void walk(const tile &t, stages *shared, long long first,
                            long long last)
{
    const int x = threadIdx.x;
    const int y = threadIdx.y * ROWS_EACH;
    const long long end = last + STEPS_PASS; /* of the planes that are read */
    cells older[STEPS_PASS] = {}, newer[STEPS_PASS] = {};
    cells ahead[AHEAD + 1] = {};
    int turn = 0;

#pragma unroll
    for (int a = 0; a < AHEAD; a++)
        ahead[a] = read_plane<EDGE>(t, first - STEPS_PASS + a);
#pragma unroll 2
    for (long long plane = first - STEPS_PASS; plane < end; plane++) {
        cells now;

        if (plane + AHEAD < end)
            ahead[AHEAD] = read_plane<EDGE>(t, plane + AHEAD);
        now = ahead[0];
#pragma unroll
        for (int a = 0; a < AHEAD; a++)
            ahead[a] = ahead[a + 1];
#pragma unroll
        for (int s = 0; s < STEPS_PASS; s++) {
            const cells next =
                next_plane<EDGE>(t, older[s], newer[s], now, shared[turn][s],
                                 plane - s - 1, s + 1);

            older[s] = newer[s];
            newer[s] = now;
#pragma unroll
            for (int i = 0; i < ROWS_EACH; i++)
                shared[1 - turn][s][y + i][x] = now.at[i];
            now = next;
        }
        if (plane - STEPS_PASS >= first)
            write_plane<EDGE>(t, plane - STEPS_PASS, now);
        turn = 1 - turn;
        __syncthreads();
    }
}

} /* namespace */

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
stencil3d_planes(T centre, T neighbour, const T *__restrict__ from,
                 T *__restrict__ to, long long planes, long long rows,
                 long long columns, int steps)
{
    extern __shared__ __align__(16) unsigned char memory[];
    stages *shared = reinterpret_cast<stages *>(memory);
    const long long x = (long long)blockIdx.x * USEFUL_X - STEPS_PASS;
    T *all = reinterpret_cast<T *>(memory);

    /* The first planes find something, which nobody uses. */
    for (int i = threadIdx.y * TILE_X + threadIdx.x;
         i < 2 * STEPS_PASS * TILE_X * TILE_Y; i += THREADS)
        all[i] = 0;
    __syncthreads();
    for (long long y = (long long)blockIdx.y * USEFUL_Y - STEPS_PASS;
         y + STEPS_PASS < rows; y += (long long)gridDim.y * USEFUL_Y) {
        const tile t = {centre,
                        neighbour,
                        from,
                        to,
                        planes,
                        rows,
                        columns,
                        y + threadIdx.y * ROWS_EACH,
                        x + threadIdx.x,
                        steps};
        const bool is_inside = steps == STEPS_PASS && x > 0 &&
                               x + TILE_X < columns && y > 0 &&
                               y + TILE_Y < rows;

        for (long long first = (long long)blockIdx.z * CHUNK; first < planes;
             first += (long long)gridDim.z * CHUNK) {
            const long long last =
                first + CHUNK < planes ? first + CHUNK : planes;

            if (is_inside && first > STEPS_PASS && last + STEPS_PASS < planes)
                walk<false>(t, shared, first, last);
            else
                walk<true>(t, shared, first, last);
        }
    }
}
