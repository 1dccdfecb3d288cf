/* SPDX-License-Identifier: Apache-2.0 */
/* row_sums/stream: THREADS threads for each row, so that a block has one long
 * row or many short ones; PARTS blocks for each row where there are few. Rows
 * may begin anywhere: elements in front of the first multiple of an access are
 * read one by one. */
#include "accumulate.cuh"
#include "reduction.cuh"
#include "row_sums.cuh"

#pragma hone implements row_sums/stream "threads, a block or blocks for each row, any device"

#pragma hone param BLOCK in pow2 64..1024 default 256
// Threads of a row, in one block.
#pragma hone param THREADS in pow2 1..1024 default 64
// Blocks of a row, whose sums a second launch adds up.
#pragma hone param PARTS in {1, 4, 16, 64, 256} when THREADS == BLOCK
// Bytes of one access, accesses of one thread before the first is used.
#pragma hone param BYTES in {2, 4, 8, 16} default 16
#pragma hone param UNROLL in {1, 2, 4, 8, 16} default 1
// How x is read: the names of hone::access, in its order.
#pragma hone param READ in {normal, stream}
// Blocks the compiler must leave registers for. Without a number it makes room
// for more of them than what is in flight leaves.
#pragma hone param MIN_BLOCKS in {1, 2} when BYTES*UNROLL >= 64

#pragma hone require THREADS <= BLOCK "the threads of a row are in one block"
#pragma hone require BYTES >= sizeof(T) "an access is an element at least"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCK*MIN_BLOCKS*BYTES*UNROLL <= 128K "what is in flight takes more than half of the registers"
#pragma hone require BLOCK*MIN_BLOCKS <= device.threads_sm "a multiprocessor does not hold so many threads"
#pragma hone let VEC = BYTES/sizeof(T)
// The default, for every shape, is let through.
#pragma hone let IS_DEFAULT = THREADS == 64 && UNROLL == 1
#pragma hone prefer IS_DEFAULT || THREADS <= 4 || THREADS*PARTS*VEC*UNROLL < 4*columns "most threads of a row have nothing to read"
#pragma hone prefer IS_DEFAULT || columns <= THREADS*PARTS*4K "a thread has too much to read"
#pragma hone require PARTS == 1 || rows*PARTS <= 64*device.sm_count "there are blocks enough without parts"

#pragma hone let ROWS = BLOCK/THREADS
#pragma hone workspace sums: u32[PARTS == 1 ? 0 : PARTS*rows*(max(sizeof(T), 4)/4)]
#pragma hone launch row_sums grid(max(1, min(ceildiv(rows, ROWS), 1G)), PARTS) block(BLOCK) args(x, out, sums, i64(rows), i64(columns), i64(PITCH))
#pragma hone launch row_sums_join if(PARTS > 1) grid(max(1, min(ceildiv(rows, 128), 1G))) block(128) args(sums, out, i64(rows))

using sum_of_x = hone::sum_of<hone::elements<T, static_cast<hone::access>(READ)>>;
using sum_type = hone::wide<T>::type;

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
row_sums(const T *x, T *out, void *sums, long long rows, long long columns,
         long long pitch)
{
    const sum_of_x r{{x}};
    const int me = threadIdx.x % THREADS;

    /* All threads of a block go round as often. */
    for (long long first = blockIdx.x * (long long)ROWS; first < rows;
         first += gridDim.x * (long long)ROWS) {
        const long long row = first + threadIdx.x / THREADS;
        sum_type sum = 0;

        if (row < rows)
            sum = hone::share_of<VEC, UNROLL>(r, row * pitch, row * pitch + columns,
                                              blockIdx.y * (long long)THREADS + me, (long long)THREADS * PARTS);
        sum = hone::group_reduce<THREADS, BLOCK>(sum, r);
        if (row < rows && me == 0) {
            if constexpr (PARTS == 1)
                out[row] = hone::narrow<T>(sum);
            else
                static_cast<sum_type *>(sums)[blockIdx.y * rows + row] = sum;
        }
    }
}

#if HONE_PARTS > 1
extern "C" __global__ void __launch_bounds__(128)
row_sums_join(const void *sums, T *out, long long rows)
{
    for (long long row = blockIdx.x * 128LL + threadIdx.x; row < rows;
         row += gridDim.x * 128LL) {
        sum_type sum = 0;

#pragma unroll 16
        for (int part = 0; part < PARTS; part++)
            sum += static_cast<const sum_type *>(sums)[part * rows + row];
        out[row] = hone::narrow<T>(sum);
    }
}
#endif
