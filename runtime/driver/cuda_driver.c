/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's driver: opening the library and filling the table. See driver.h. */
#include "runtime/driver/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The first driver that has every symbol of HONE_CUDA_MAP. */
#define NEEDED_DRIVER "525.60 (CUDA 12.0)"

typedef struct cuda_symbol {
    const char *name;
    size_t offset; /* of its field in hone_driver */
    int is_optional;
} cuda_symbol;

static const cuda_symbol symbols[] = {
#define SYMBOL_ROW(field, symbol, parameters)                                  \
    {#symbol, offsetof(hone_driver, field), 0},
    HONE_CUDA_MAP(SYMBOL_ROW)
#undef SYMBOL_ROW
#define SYMBOL_ROW(field, symbol, parameters)                                  \
    {#symbol, offsetof(hone_driver, field), 1},
        HONE_CUDA_OPTIONAL_MAP(SYMBOL_ROW)
#undef SYMBOL_ROW
};

static hone_driver table;
static _Atomic(const hone_driver *) ready; /* NULL until `table` is usable */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static hone_status fill_table(void *library, const char *path, hone_error *err)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; ++i) {
        void *address = dlsym(library, symbols[i].name);

        if (!address && !symbols[i].is_optional)
            return hone__fail(err, HONE_ERR_NO_GPU,
                              "'%s' has no function %s: the NVIDIA driver is "
                              "too old; install driver " NEEDED_DRIVER
                              " or newer",
                              path, symbols[i].name);
        /* ISO C has no conversion from object to function pointers; POSIX
         * promises that they have the same representation. */
        memcpy((char *)&table + symbols[i].offset, &address, sizeof address);
    }
    return HONE_OK;
}

static hone_status start_driver(hone_error *err)
{
    const hone_cu_result result = table.init(0);
    int n_devices = 0;

    if (result == HONE_CU_NO_DEVICE ||
        (!result && (table.device_count(&n_devices) || n_devices == 0)))
        return hone__fail_native(
            err, HONE_ERR_NO_GPU, HONE_DOMAIN_CUDA, HONE_CU_NO_DEVICE,
            "the NVIDIA driver is installed but shows no CUDA device; check "
            "nvidia-smi and CUDA_VISIBLE_DEVICES, and in a container that "
            "the GPU is passed in (docker run --gpus all)");
    if (result) {
        const char *name = NULL;

        (void)table.error_name(result, &name);
        return hone__fail_native(
            err, HONE_ERR_NO_GPU, HONE_DOMAIN_CUDA, result,
            "the NVIDIA driver does not start: cuInit failed with %s (%d); "
            "check that nvidia-smi works on this machine",
            name ? name : "an unknown error", result);
    }
    return HONE_OK;
}

static hone_status load(hone_error *err)
{
    const char *chosen = getenv("HONE_CUDA_LIBRARY");
    const char *path = chosen && *chosen ? chosen : "libcuda.so.1";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        const char *why = dlerror();

        return hone__fail(err, HONE_ERR_NO_GPU,
                          "no NVIDIA driver: %s; install driver " NEEDED_DRIVER
                          " or newer on a machine with an NVIDIA GPU",
                          why ? why : path);
    }
    /* Never closed again: the driver does not survive dlclose(). */
    HONE_TRY(fill_table(library, path, err));
    return start_driver(err);
}

hone_status hone__cuda_get(const hone_driver **out, hone_error *err)
{
    hone_status status = HONE_OK;

    *out = atomic_load_explicit(&ready, memory_order_acquire);
    if (*out)
        return HONE_OK;
    (void)pthread_mutex_lock(&loading);
    *out = atomic_load_explicit(&ready, memory_order_relaxed);
    if (!*out) {
        /* A failure is not remembered: the next call tries again. */
        status = load(err);
        if (status == HONE_OK) {
            *out = &table;
            atomic_store_explicit(&ready, &table, memory_order_release);
        }
    }
    (void)pthread_mutex_unlock(&loading);
    return status;
}
