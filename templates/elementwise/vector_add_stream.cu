/* SPDX-License-Identifier: Apache-2.0 */
/* vector_add/stream: packs of up to 16 bytes, several of them under way. */
#include "elementwise.cuh"
#include "vector_add.cuh"

#pragma hone implements vector_add/stream "wide accesses, several in flight, any device"

// Bytes of an access; accesses to each input that a thread has under way.
#pragma hone param BYTES in {4, 8, 16} default 16
#pragma hone param ITEMS in {1, 2, 4, 8} default 2
#pragma hone param BLOCK in pow2 64..1024 default 256
// 0: a thread for every ITEMS accesses. Else so many blocks for each
// multiprocessor, which walk over the arrays together.
#pragma hone param BLOCKS_PER_SM in {0, 2, 4, 8, 16} default 0
// Two numbers of 16 bits at once, or one by one in f32.
#pragma hone param PAIRS: bool default true when sizeof(T) == 2
// How inputs are read and the output written (hone::access).
#pragma hone param READ in {normal, stream, constant} default normal
#pragma hone param WRITE in {normal, stream} default normal

#pragma hone let VEC = BYTES/sizeof(T)
#pragma hone let FULL = ceildiv(n, BLOCK*ITEMS*max(VEC, 1))
#pragma hone let GRID = BLOCKS_PER_SM > 0 ? min(FULL, device.sm_count*BLOCKS_PER_SM) : min(FULL, 2G - 1)

#pragma hone require BYTES >= sizeof(T) "an access has at least one element"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCK*BLOCKS_PER_SM <= device.threads_sm "the grid that walks does not fit the device"
#pragma hone require BLOCKS_PER_SM == 0 || BLOCK*BLOCKS_PER_SM >= 512 "too few threads to keep the memory busy"
#pragma hone require BYTES*ITEMS <= 64 "a thread holds at most 64 bytes of an input"
#pragma hone launch vector_add grid(GRID) block(BLOCK) args(x, y, z, i64(n))

extern "C" __global__ void __launch_bounds__(BLOCK)
vector_add(const T *__restrict__ x, const T *__restrict__ y,
           T *__restrict__ z, long long n)
{
    using F = hone::added<sizeof(T) == 2 && PAIRS>;
    const hone::mapped<T, 2, hone::access::@{READ}, hone::access::@{WRITE}, F>
        arrays = {{x, y}, {}, z, {}, {}};

    hone::stream<VEC, ITEMS, BLOCK>(arrays, n);
}
