/* SPDX-License-Identifier: Apache-2.0 */
/* scan_rows/groups: THREADS threads take a row, tile after tile, and carry the
 * sum of what they have behind them. So short rows are several to a warp or to
 * a block, and long ones have a block each that walks along them. The next tile
 * is asked for before the present one is added up (AHEAD).
 *
 * A warp's part of a tile is contiguous, UNROLL accesses long; its sum is
 * known to the other warps of the row after one barrier, for which two sets of
 * sums take turns. The order of the additions depends on parameters alone. */
#include "hone_pack.cuh"
#include "scan_rows.cuh"

#pragma hone implements scan_rows/groups "a group of threads for each row, from a few lanes to a block, any device"

// Threads of a row.
#pragma hone param THREADS in pow2 2..1024 default 32
#pragma hone param BLOCK in pow2 64..1024 default 256
// Elements of one access, accesses of a thread and tile.
#pragma hone param VEC in {1, 2, 4, 8} default 1
#pragma hone param UNROLL in {1, 2, 4, 8} default 1
// The next tile is under way while this one is scanned.
#pragma hone param AHEAD: bool default false
// Mark lines as not needed again.
#pragma hone param STREAM: bool default false

#pragma hone let TILE = THREADS*VEC*UNROLL
#pragma hone let GROUPS = BLOCK/THREADS

#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require columns % VEC == 0 "rows do not begin at multiples of an access"
#pragma hone require THREADS <= BLOCK "a row has at most a block"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require VEC*UNROLL*sizeof(T) <= 64 "a thread holds at most 64 bytes of a tile"
#pragma hone require !AHEAD || columns > TILE || rows*columns < 100000 "a row has one tile"
#pragma hone require UNROLL == 1 || TILE < 2*columns || rows*columns < 100000 "half of the accesses are behind the row"
#pragma hone require THREADS <= 32 || THREADS*VEC < 2*columns || rows*columns < 100000 "half of the threads are behind the row"
#pragma hone require THREADS >= 32 || columns <= 64*THREADS*VEC || rows*columns < 100000 "too few threads for so long a row"

#pragma hone launch scan_rows grid(min(ceildiv(rows, GROUPS), 1G)) block(BLOCK) args(x, y, exclusive, i64(rows), i64(columns))

#if HONE_T == HONE_T_i32
using sum_type = unsigned; /* which may wrap around */
#elif HONE_T == HONE_T_i64
using sum_type = unsigned long long;
#else
using sum_type = float;
#endif

constexpr int kLanes = THREADS < 32 ? THREADS : 32; /* of a warp and a row */
constexpr int kWarps = THREADS / kLanes;            /* of a row */
constexpr hone::access kAccess =
    STREAM ? hone::access::stream : hone::access::normal;

using elements = hone::pack<T, VEC>;

/* The column of this thread's access u, counted from its tile. */
__device__ inline int place_of(int u)
{
    const int in_row = threadIdx.x % THREADS;

    return ((in_row / kLanes * UNROLL + u) * kLanes + in_row % kLanes) * VEC;
}

/* This thread's part of a tile that begins at `x` and of which `left` elements
 * exist, a multiple of VEC, 0 or less if none: what is behind them reads as 0.
 */
__device__ inline void load_tile(elements (&v)[UNROLL], const T *x,
                                 long long left)
{
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        if (place_of(u) < left) {
            v[u] = hone::read_pack<VEC, kAccess>(x + place_of(u));
        } else {
#pragma unroll
            for (int i = 0; i < VEC; i++)
                v[u].at[i] = T(0);
        }
    }
}

/* What stands in front of each access of this thread inside its warp's part of
 * the tile; returns the sum of that part. */
__device__ inline sum_type scan_part(const elements (&v)[UNROLL],
                                     sum_type (&before)[UNROLL])
{
    const int lane = threadIdx.x % kLanes;
    sum_type total = 0;

#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        sum_type up_to = (sum_type)hone::widen(v[u].at[0]);

#pragma unroll
        for (int i = 1; i < VEC; i++)
            up_to += (sum_type)hone::widen(v[u].at[i]);
#pragma unroll
        for (int step = 1; step < kLanes; step *= 2) {
            const sum_type below =
                __shfl_up_sync(0xffffffffu, up_to, step, kLanes);

            if (lane >= step)
                up_to += below;
        }

        const sum_type below = __shfl_up_sync(0xffffffffu, up_to, 1, kLanes);

        before[u] = total + (lane > 0 ? below : sum_type(0));
        total += __shfl_sync(0xffffffffu, up_to, kLanes - 1, kLanes);
    }
    return total;
}

__device__ inline void store_tile(T *y, const elements (&v)[UNROLL],
                                  const sum_type (&before)[UNROLL],
                                  sum_type offset, bool exclusive,
                                  long long left)
{
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        sum_type sum = offset + before[u];
        elements out;

#pragma unroll
        for (int i = 0; i < VEC; i++) {
            const sum_type next = sum + (sum_type)hone::widen(v[u].at[i]);

            out.at[i] = hone::narrow<T>(exclusive ? sum : next);
            sum = next;
        }
        if (place_of(u) < left)
            hone::write_pack<kAccess>(y + place_of(u), out);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    scan_rows(const T *__restrict__ x, T *__restrict__ y, int exclusive,
              long long rows, long long columns)
{
    __shared__ sum_type of_warp[2][BLOCK / kLanes];
    const int warp = threadIdx.x % THREADS / kLanes; /* of the row */
    const int first_warp = threadIdx.x / THREADS * kWarps;
    int turn = 0;

    /* All threads of a block go the same number of rounds: they meet at
     * barriers. A group without a row has columns behind its end. */
#pragma unroll 1
    for (long long base = (long long)blockIdx.x * GROUPS; base < rows;
         base += (long long)gridDim.x * GROUPS) {
        const long long row = base + threadIdx.x / THREADS;
        const long long end = row < rows ? columns : 0;
        const T *const from = x + row * columns;
        T *const to = y + row * columns;
        sum_type carry = 0;
        elements v[UNROLL], next[UNROLL];

        load_tile(v, from, end);
#pragma unroll 1
        for (long long at = 0; at < columns; at += TILE) {
            sum_type before[UNROLL];

            if constexpr (AHEAD)
                load_tile(next, from + at + TILE, end - at - TILE);

            sum_type of_tile = scan_part(v, before);
            sum_type offset = carry;

            if constexpr (kWarps > 1) {
                if (threadIdx.x % kLanes == 0)
                    of_warp[turn][first_warp + warp] = of_tile;
                __syncthreads();
                of_tile = 0;
#pragma unroll
                for (int i = 0; i < kWarps; i++) {
                    if (i == warp)
                        offset += of_tile;
                    of_tile += of_warp[turn][first_warp + i];
                }
                turn ^= 1;
            }
            carry += of_tile;
            store_tile(to + at, v, before, offset, (exclusive & 1) != 0,
                       end - at);
            if constexpr (AHEAD) {
#pragma unroll
                for (int u = 0; u < UNROLL; u++)
                    v[u] = next[u];
            } else {
                load_tile(v, from + at + TILE, end - at - TILE);
            }
        }
    }
}
