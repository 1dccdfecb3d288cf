/* SPDX-License-Identifier: Apache-2.0 */
/* threshold/stream: packs of up to 16 bytes, several of them under way. */
#include "elementwise.cuh"
#include "threshold.cuh"

#pragma hone implements threshold/stream "wide accesses, several in flight, any device"

// Bytes of an access; accesses that a thread has under way.
#pragma hone param BYTES in {4, 8, 16} default 16
#pragma hone param ITEMS in {1, 2, 4, 8} default 2
#pragma hone param BLOCK in pow2 64..1024 default 256
// 0: a thread for every ITEMS accesses. Else so many blocks for each
// multiprocessor, which walk over the array together.
#pragma hone param BLOCKS_PER_SM in {0, 2, 4, 8, 16} default 0
// How x is read and y written (hone::access).
#pragma hone param READ in {normal, stream, constant} default normal
#pragma hone param WRITE in {normal, stream} default normal

#pragma hone let VEC = BYTES/sizeof(T)
#pragma hone let FULL = ceildiv(n, BLOCK*ITEMS*max(VEC, 1))
#pragma hone let GRID = BLOCKS_PER_SM > 0 ? min(FULL, device.sm_count*BLOCKS_PER_SM) : min(FULL, 2G - 1)

#pragma hone require BYTES >= sizeof(T) "an access has at least one element"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCK*BLOCKS_PER_SM <= device.threads_sm "the grid that walks does not fit the device"
#pragma hone require BLOCKS_PER_SM == 0 || BLOCK*BLOCKS_PER_SM >= 512 "too few threads to keep the memory busy"
#pragma hone require BYTES*ITEMS <= 64 "a thread holds at most 64 bytes"
#pragma hone launch threshold grid(GRID) block(BLOCK) args(limit, value, x, y, i64(n))

/* x compared with the limit, each element. */
struct compared : hone::no_columns {
    T limit, value;

    template <int WIDTH>
    __device__ hone::pack<T, WIDTH>
    operator()(const columns<WIDTH> &, const hone::pack<T, WIDTH> (&x)[1]) const
    {
        hone::pack<T, WIDTH> y;

#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            const T v = x[0].at[i];
            const bool above = hone::widen(v) > hone::widen(limit);
            const T high = MODE == 0 ? value : MODE == 1 ? v : limit;

            y.at[i] = above ? high : MODE == 2 ? v : hone::narrow<T>(0);
        }
        return y;
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK)
threshold(T limit, T value, const T *__restrict__ x, T *__restrict__ y,
          long long n)
{
    const hone::mapped<T, 1, hone::access::@{READ}, hone::access::@{WRITE},
                       compared>
        arrays = {{x}, {}, y, {}, {{}, limit, value}};

    hone::stream<VEC, ITEMS, BLOCK>(arrays, n);
}
