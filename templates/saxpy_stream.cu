/* SPDX-License-Identifier: Apache-2.0 */
/* saxpy/stream: vectors of up to 16 bytes, several of them under way.
 *
 * What is tuned is how many bytes each thread keeps in flight and how the
 * vector is dealt to the blocks: once (GRID_STRIDE false) or by a grid that
 * fits the device and walks over it. */
#include "hone_device.cuh"
#include "saxpy.cuh"

#pragma hone implements saxpy/stream "wide accesses, several in flight, any device"

// Elements of one access, accesses of one thread before the first is used.
#pragma hone param VEC in {1, 2, 4} default 4
#pragma hone param ITEMS in {1, 2, 4, 8} default 2
#pragma hone param BLOCK in pow2 64..1024 default 256
// False: a thread for every ITEMS*VEC elements. True: BLOCKS_PER_SM blocks
// for each multiprocessor walk over the vector together.
#pragma hone param GRID_STRIDE: bool default false
#pragma hone param BLOCKS_PER_SM in {2, 4, 8, 16} default 2
// Mark lines as not needed again.
#pragma hone param STREAM: bool default false
// Blocks the compiler must leave registers for.
#pragma hone param MIN_BLOCKS in {1, 2} default 1

#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require GRID_STRIDE || BLOCKS_PER_SM == 2 "only a grid-stride grid has blocks per multiprocessor"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require !GRID_STRIDE || BLOCK*BLOCKS_PER_SM <= device.threads_sm "the grid-stride grid does not fit the device"
#pragma hone require MIN_BLOCKS == 1 || ITEMS*VEC >= 16 "few registers are used: launch bounds change nothing"
#pragma hone require BLOCK*MIN_BLOCKS <= device.threads_sm "a multiprocessor does not hold so many threads"

#pragma hone let FULL = ceildiv(n, BLOCK*VEC*ITEMS)
#pragma hone let GRID = GRID_STRIDE ? min(FULL, device.sm_count*BLOCKS_PER_SM) : FULL
#pragma hone launch saxpy grid(GRID) block(BLOCK) args(alpha, x, y, i64(n))

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
saxpy(T alpha, const T *__restrict__ x, T *__restrict__ y, long long n)
{
    using V = hone::vector<T, VEC>::type;
    constexpr int span = BLOCK * ITEMS; /* vectors of a block and pass */
    const V *vx = reinterpret_cast<const V *>(x);
    V *vy = reinterpret_cast<V *>(y);
    const long long n_vectors = n / VEC;
    const long long step = GRID_STRIDE ? (long long)gridDim.x * span
                                       : n_vectors;
    long long base = (long long)blockIdx.x * span;

    for (; base < n_vectors; base += step) {
        const long long first = base + threadIdx.x;
        V a[ITEMS], b[ITEMS];

        if (base + span <= n_vectors) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                a[i] = hone::load<STREAM>(vx + first + i * BLOCK);
                b[i] = hone::load<STREAM>(vy + first + i * BLOCK);
            }
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                hone::store<STREAM>(vy + first + i * BLOCK,
                                    hone::axpy(alpha, a[i], b[i]));
        } else {
#pragma unroll 1
            for (long long i = first; i < n_vectors; i += BLOCK)
                vy[i] = hone::axpy(alpha, vx[i], vy[i]);
        }
    }

    /* What is left of a last, incomplete vector: at most VEC - 1. */
    const long long last = n_vectors * VEC + threadIdx.x;

    if (blockIdx.x == gridDim.x - 1 && last < n)
        y[last] = hone::axpy(alpha, x[last], y[last]);
}
