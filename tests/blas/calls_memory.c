/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's driver is opened by name: the tests are built without it. */
#include "tests/blas/calls_memory.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct {
    void *driver; /* NULL: the host's memory */
    int (*set)(void *context);
    int (*synchronize)(void);
    int (*allocate)(uint64_t *out, size_t bytes, unsigned flags);
    int (*release)(uint64_t p);
    void *context;
} cuda;

static void find(const char *name, void *to)
{
    void *function = dlsym(cuda.driver, name);

    if (!function)
        exit(4);
    memcpy(to, &function, sizeof function);
}

void calls_memory_on_gpu(void)
{
    int (*init)(unsigned flags);
    int (*retain)(void **out, int device);

    cuda.driver = dlopen("libcuda.so.1", RTLD_NOW);
    find("cuInit", &init);
    find("cuDevicePrimaryCtxRetain", &retain);
    find("cuCtxSetCurrent", &cuda.set);
    find("cuCtxSynchronize", &cuda.synchronize);
    find("cuMemAllocManaged", &cuda.allocate);
    find("cuMemFree_v2", &cuda.release);
    if (init(0) || retain(&cuda.context, 0))
        exit(4);
}

void *calls_memory_take(size_t bytes)
{
    uint64_t p = 0;

    if (!cuda.driver)
        return aligned_alloc(64, bytes);
    if (cuda.set(cuda.context) || cuda.allocate(&p, bytes, 1))
        return NULL;
    return (void *)(uintptr_t)p;
}

void calls_memory_give(void *p)
{
    if (cuda.driver)
        (void)cuda.release((uintptr_t)p);
    else
        free(p);
}

int calls_memory_settle(void)
{
    return cuda.driver ? cuda.synchronize() : 0;
}

int calls_memory_reset(void)
{
    void *runtime, *function = NULL;
    int (*reset)(void);

    if (!cuda.driver)
        return 0;
    runtime = dlopen("libcudart.so.13", RTLD_NOW);
    if (runtime)
        function = dlsym(runtime, "cudaDeviceReset");
    if (!function)
        return -1;
    memcpy(&reset, &function, sizeof reset);
    return reset();
}
