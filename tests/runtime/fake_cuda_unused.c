/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols of the fake driver that the runtime looks up for the tuner and
 * never calls. */
#include "tests/runtime/fake_cuda_parts.h"

enum { NOT_SUPPORTED = 801 };

#define UNUSED(symbol, parameters, ...)                                        \
    hone_cu_result symbol parameters                                           \
    {                                                                          \
        const void *const unused[] = {__VA_ARGS__};                            \
        (void)unused;                                                          \
        return NOT_SUPPORTED;                                                  \
    }
#define ADDRESS(value) (const void *)(uintptr_t)(value)

UNUSED(cuDevicePrimaryCtxRetain, (hone_cu_context * out, hone_cu_device d), out,
       ADDRESS(d))
UNUSED(cuDevicePrimaryCtxRelease_v2, (hone_cu_device d), ADDRESS(d))
UNUSED(cuCtxSynchronize, (void), NULL)
UNUSED(cuMemGetInfo_v2, (size_t * free_bytes, size_t *total), free_bytes, total)
UNUSED(cuMemcpyHtoD_v2, (hone_cu_ptr to, const void *from, size_t size_bytes),
       ADDRESS(to), from, ADDRESS(size_bytes))
UNUSED(cuMemcpyDtoH_v2, (void *to, hone_cu_ptr from, size_t size_bytes), to,
       ADDRESS(from), ADDRESS(size_bytes))
UNUSED(cuMemsetD32Async,
       (hone_cu_ptr to, unsigned value, size_t count, hone_stream s),
       ADDRESS(to), ADDRESS(value), ADDRESS(count), s)
UNUSED(cuGraphLaunch, (hone_cu_graph_exec g, hone_stream s), g, s)
UNUSED(cuEventElapsedTime, (float *out_ms, hone_cu_event a, hone_cu_event b),
       out_ms, a, b)
