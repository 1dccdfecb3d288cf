/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for test_host_warp.c: each thread writes what it got. */
#include "hone_cuda_host.h"

/* Shuffles of v = 100*thread at the given width. */
extern "C" __global__ void shuffles(int *out, int width, int by)
{
    const int t = threadIdx.x;
    const int v = 100 * t;

    out[4 * t] = __shfl_sync(0xffffffffu, v, by, width);
    out[4 * t + 1] = __shfl_up_sync(0xffffffffu, v, by, width);
    out[4 * t + 2] = __shfl_down_sync(0xffffffffu, v, by, width);
    out[4 * t + 3] = __shfl_xor_sync(0xffffffffu, v, by, width);
}

extern "C" __global__ void shuffle_types(double *out)
{
    const int t = threadIdx.x;
    double sum = 0;

    sum += __shfl_xor_sync(~0u, 1.5f * t, 1);
    sum += __shfl_xor_sync(~0u, 0.25 * t, 1);
    sum += double(__shfl_xor_sync(~0u, (1ll << 40) + t, 1));
    sum += __shfl_xor_sync(~0u, 7u * t, 1);
    sum += __half2float(__shfl_xor_sync(~0u, __float2half(t), 1));
    sum += __half2float(
        __shfl_xor_sync(~0u, __floats2half2_rn(t, 2 * t), 1).y);
    out[t] = sum;
}

/* Lanes by three, each group in its own branch and mask. */
extern "C" __global__ void groups(int *out)
{
    const int t = threadIdx.x;
    const unsigned third = 0x49249249u;
    int v = t;

    if (t % 3 == 0)
        v = __reduce_add_sync(third, v);
    else if (t % 3 == 1)
        v = __reduce_max_sync(third << 1, v);
    else
        v = __shfl_sync(third >> 1, v, 5);
    __syncwarp();
    out[t] = v;
}

extern "C" __global__ void votes(unsigned *out)
{
    const unsigned t = threadIdx.x;
    unsigned *mine = out + 8 * t;

    mine[0] = __ballot_sync(~0u, t % 5 == 0);
    mine[1] = __any_sync(~0u, t == 9) + 2 * __any_sync(~0u, t > 64);
    mine[2] = __all_sync(~0u, t < 64) + 2 * __all_sync(~0u, t == 9);
    mine[3] = __match_any_sync(~0u, t % 4);
    int all = 7;
    mine[4] = __match_all_sync(~0u, 3.5, &all) + unsigned(all);
    mine[5] = __match_all_sync(~0u, t, &all) + unsigned(all);
    mine[6] = __activemask();
    mine[7] = __uni_sync(~0u, t < 64);
}

extern "C" __global__ void reductions(long long *out)
{
    const int t = threadIdx.x;
    long long *mine = out + 8 * t;

    mine[0] = __reduce_add_sync(~0u, 1u << 27);
    mine[1] = __reduce_min_sync(~0u, 5 - t);
    mine[2] = __reduce_max_sync(~0u, 5 - t);
    mine[3] = __reduce_min_sync(~0u, unsigned(5 - t));
    mine[4] = __reduce_and_sync(~0u, 0xff00u | unsigned(t));
    mine[5] = __reduce_or_sync(~0u, 1u << t);
    mine[6] = __reduce_xor_sync(~0u, unsigned(t) & 7u);
    mine[7] = __reduce_add_sync(~0u, -1);
}

/* Neighbours exchange through shared memory, ordered by __syncwarp. */
extern "C" __global__ void exchange(int *out)
{
    __shared__ int all[64];
    const int t = threadIdx.x;

    for (int i = 0; i < 10; i++) {
        all[t] = t + i;
        __syncwarp();
        out[t] = all[t ^ 1];
        __syncwarp();
    }
}

/* Lanes from `n` on leave; the others go on voting and synchronizing. */
extern "C" __global__ void leavers(unsigned *out, int n)
{
    const int t = threadIdx.x;

    out[t] = 99;
    if (t >= n)
        return;
    __syncwarp();
    out[t] = __ballot_sync(~0u, 1);
}

HONE_HOST_KERNELS(shuffles, shuffle_types, groups, votes, reductions,
                  exchange, leavers)
