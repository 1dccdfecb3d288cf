/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's meaning on a host: include it before a kernel's source, list the
 * kernels with HONE_HOST_KERNELS(a, b) after it, and compile the whole as
 * C++17 to a shared object with the interface of host_abi.h. Written without
 * the larger headers of the C++ library: it is compiled with every variant.
 *
 * `extern __shared__ T name[];` has no form here; write
 * `T *name = hone_host::dynamic_shared<T>();`. */
#ifndef HONE_TUNER_HOST_HONE_CUDA_HOST_H
#define HONE_TUNER_HOST_HONE_CUDA_HOST_H

#pragma GCC system_header

/* Asked for with -DHONE_HOST_RACE, which is also a name of host_abi.h. */
#ifdef HONE_HOST_RACE
#undef HONE_HOST_RACE
#define HONE_HOST_RACE_BUILD 1
#endif

#include <host_abi.h>
#include <host_vectors.h>
#include <host_state.h>
#include <host_switch.h>
#include <host_fibers.h>
#include <host_warp.h>
#include <host_workers.h>
#include <host_launch.h>
#include <host_half.h>
#include <host_memory.h>
#include <host_wmma.h>
#include <host_race.h>
#include <host_math.h>
#include <time.h>

/* --- where a thread is -------------------------------------------------- */

#define threadIdx (hone_host::here.self->index)
#define blockIdx (hone_host::here.block)
#define blockDim (hone_host::here.block_dim)
#define gridDim (hone_host::here.grid_dim)
constexpr int warpSize = 32;

/* --- words of the language ---------------------------------------------- */

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __forceinline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
/* C++ wants alignas in front of `static`, CUDA allows it behind
 * __shared__. */
#define alignas(...) __attribute__((aligned(__VA_ARGS__)))
#ifdef HONE_HOST_ASAN
#define __shared__ static
#else
#define __shared__ static thread_local
#endif

/* --- ending and waiting ------------------------------------------------- */

namespace hone_host
{

[[noreturn]] inline void trap(const char *what, const char *file, int line)
{
    fail(HONE_HOST_TRAP, here.self, file, line, what);
}

} /* namespace hone_host */

[[noreturn]] inline void __trap(HONE_HOST_AT)
{
    hone_host::trap("__trap()", file, line);
}

#undef assert
#define assert(e)                                                              \
    ((e) ? void(0)                                                             \
         : hone_host::trap("assert(" #e ") failed", __FILE__, __LINE__))

inline long long clock64()
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}
HONE_HOST_FN(unsigned long long, __globaltimer, (),
             static_cast<unsigned long long>(clock64()))
/* Lets all other threads of the block run, which is what waiting is for. */
HONE_HOST_FN(void, __nanosleep, (unsigned), hone_host::give_way())

#endif
