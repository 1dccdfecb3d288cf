/* SPDX-License-Identifier: Apache-2.0 */
/* stencil3d/plain: one step a launch, a thread for a cell, as the definition
 * says; without a step, a launch that copies. y and a workspace change places
 * so that the last step writes y. */
#include "stencil3d.cuh"

#pragma hone implements stencil3d/plain reference "one step a launch, a thread for a cell, any device"

#pragma hone let LAUNCHES = max(STEPS, 1)
#pragma hone workspace other: T[STEPS > 1 ? PLANES*ROWS*COLS : 0]
#pragma hone launch stencil3d_plain repeat(STEP, LAUNCHES) \
    grid(min(ceildiv(PLANES*ROWS*COLS, 256), 1G)) block(256) \
    args(centre, neighbour, \
         pick(STEP == 0 ? 2 : (LAUNCHES - STEP) % 2, y, other, x), \
         pick((LAUNCHES - 1 - STEP) % 2, y, other), i64(PLANES), i64(ROWS), i64(COLS), i32(STEPS > 0))

extern "C" __global__ void __launch_bounds__(256)
stencil3d_plain(T centre, T neighbour, const T *__restrict__ from,
                T *__restrict__ to, long long planes, long long rows,
                long long columns, int is_step)
{
    const long long plane = rows * columns;

    for (long long c = blockIdx.x * 256LL + threadIdx.x; c < planes * plane;
         c += gridDim.x * 256LL) {
        const T *own = from + c;

        if (is_step && hone::is_inner(c / plane, planes) &&
            hone::is_inner(c / columns % rows, rows) &&
            hone::is_inner(c % columns, columns))
            to[c] = hone::stencil_next(centre, neighbour, *own, own[-columns],
                                       own[columns], own[-1], own[1],
                                       own[-plane], own[plane]);
        else
            to[c] = *own;
    }
}
