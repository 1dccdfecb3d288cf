/* SPDX-License-Identifier: Apache-2.0 */
/* stencil3d/plain: one step a launch, a thread for a cell, as the definition
 * says. y and a workspace change places so that the last step writes y. */
#include "stencil3d.cuh"

#pragma hone implements stencil3d/plain reference "one step a launch, a thread for a cell, any device"

#pragma hone workspace other: T[STEPS > 1 ? PLANES*ROWS*COLS : 0]
#pragma hone launch stencil3d_plain repeat(STEP, STEPS) \
    grid(min(ceildiv(COLS, 32), 1G), min(ceildiv(ROWS, 8), 65535), min(PLANES, 65535)) \
    block(32, 8) \
    args(centre, neighbour, \
         pick(STEP == 0 ? 2 : (STEPS - STEP) % 2, y, other, x), \
         pick((STEPS - 1 - STEP) % 2, y, other), i64(PLANES), i64(ROWS), i64(COLS))

/* The cells of plane k. */
static __device__ inline void step_plane(T centre, T neighbour, const T *from,
                                         T *to, long long rows,
                                         long long columns, bool is_inner)
{
    const long long plane = rows * columns;

    for (long long i = blockIdx.y * 8LL + threadIdx.y; i < rows;
         i += gridDim.y * 8LL) {
        for (long long j = blockIdx.x * 32LL + threadIdx.x; j < columns;
             j += gridDim.x * 32LL) {
            const T *own = from + i * columns + j;

            if (is_inner && hone::is_inner(i, rows) &&
                hone::is_inner(j, columns))
                to[i * columns + j] = hone::stencil_next(
                    centre, neighbour, *own, own[-columns], own[columns],
                    own[-1], own[1], own[-plane], own[plane]);
            else
                to[i * columns + j] = *own;
        }
    }
}

extern "C" __global__ void __launch_bounds__(256)
stencil3d_plain(T centre, T neighbour, const T *__restrict__ from,
                T *__restrict__ to, long long planes, long long rows,
                long long columns)
{
    for (long long k = blockIdx.z; k < planes; k += gridDim.z)
        step_plane(centre, neighbour, from + k * rows * columns,
                   to + k * rows * columns, rows, columns,
                   hone::is_inner(k, planes));
}
