/* SPDX-License-Identifier: Apache-2.0 */
/* stencil2d/plain: one step a launch, a thread for a cell, as the definition
 * says; without a step, a launch that copies. y and a workspace change places
 * so that the last step writes y. */
#include "stencil2d.cuh"

#pragma hone implements stencil2d/plain reference "one step a launch, a thread for a cell, any device"

#pragma hone let LAUNCHES = max(STEPS, 1)
#pragma hone workspace other: T[STEPS > 1 ? ROWS*COLS : 0]
#pragma hone launch stencil2d_plain repeat(STEP, LAUNCHES) \
    grid(min(ceildiv(COLS, 32), 1G), min(ceildiv(ROWS, 8), 65535)) block(32, 8) \
    args(centre, neighbour, \
         pick(STEP == 0 ? 2 : (LAUNCHES - STEP) % 2, y, other, x), \
         pick((LAUNCHES - 1 - STEP) % 2, y, other), i64(ROWS), i64(COLS), i32(STEPS > 0))

extern "C" __global__ void __launch_bounds__(256)
stencil2d_plain(T centre, T neighbour, const T *__restrict__ from,
                T *__restrict__ to, long long rows, long long columns,
                int is_step)
{
    for (long long i = blockIdx.y * 8LL + threadIdx.y; i < rows;
         i += gridDim.y * 8LL) {
        for (long long j = blockIdx.x * 32LL + threadIdx.x; j < columns;
             j += gridDim.x * 32LL) {
            const T *own = from + i * columns + j;

            if (is_step && hone::is_inner(i, rows) && hone::is_inner(j, columns))
                to[i * columns + j] =
                    hone::stencil_next(centre, neighbour, *own, own[-columns],
                                       own[columns], own[-1], own[1]);
            else
                to[i * columns + j] = *own;
        }
    }
}
