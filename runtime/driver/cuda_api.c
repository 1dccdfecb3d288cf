/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's driver, opened when it is first needed: filling its table
 * (driver.h). */
#include "runtime/driver/driver.h"
#include "runtime/driver/library.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* The first driver that has every symbol of HONE_CUDA_MAP. */
#define NEEDED_DRIVER "525.60 (CUDA 12.0)"

#define FORKED                                                                 \
    "this process was forked after its parent had started CUDA, which "        \
    "fails here; fork before the first plan, or exec"

static hone_driver cuda;
static atomic_long started_in; /* the process; 0: not started */

hone_status hone__cuda_check_process(hone_error *err)
{
    const long process =
        atomic_load_explicit(&started_in, memory_order_relaxed);

    if (!process || process == (long)getpid())
        return HONE_OK;
    return hone__fail_native(err, HONE_ERR_NO_GPU, HONE_DOMAIN_CUDA,
                             HONE_CU_NOT_INITIALIZED, FORKED);
}

static hone_status start_driver(hone_error *err)
{
    const hone_cu_result result = cuda.init(0);
    int n_devices = 0;

    /* Whoever called cuInit() before, it was in a parent of this process. */
    if (result == HONE_CU_NOT_INITIALIZED)
        return hone__fail_native(err, HONE_ERR_NO_GPU, HONE_DOMAIN_CUDA, result,
                                 FORKED);

    if (result == HONE_CU_NO_DEVICE ||
        (!result && (cuda.device_count(&n_devices) || n_devices == 0)))
        return hone__fail_native(
            err, HONE_ERR_NO_GPU, HONE_DOMAIN_CUDA, HONE_CU_NO_DEVICE,
            "the NVIDIA driver shows no CUDA device; check nvidia-smi, "
            "CUDA_VISIBLE_DEVICES, in a container --gpus all");
    if (result) {
        const char *name = NULL;

        (void)cuda.error_name(result, &name);
        return hone__fail_native(
            err, HONE_ERR_NO_GPU, HONE_DOMAIN_CUDA, result,
            "the NVIDIA driver does not start: cuInit failed with %s (%d); "
            "check nvidia-smi",
            name ? name : "an unknown error", result);
    }
    atomic_store_explicit(&started_in, (long)getpid(), memory_order_relaxed);
    return HONE_OK;
}

static hone_status load_cuda(hone_error *err)
{
#define NAME(field, symbol, parameters) HONE_LIBRARY_NAME(symbol)
#define OPTIONAL(field, symbol, parameters) HONE_LIBRARY_OPTIONAL_NAME(symbol)
    static const char symbols[] =
        HONE_CUDA_MAP(NAME) HONE_CUDA_OPTIONAL_MAP(OPTIONAL);
#undef NAME
#undef OPTIONAL
    const char *chosen = getenv("HONE_CUDA_LIBRARY");
    const char *path = chosen && *chosen ? chosen : "libcuda.so.1";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *missing;

    if (!library) {
        const char *why = dlerror();

        return hone__fail(err, HONE_ERR_NO_GPU,
                          "no NVIDIA driver: %s; install driver " NEEDED_DRIVER
                          " or newer",
                          why ? why : path);
    }
    /* Never closed again: the driver does not survive dlclose(). */
    missing = hone__library_fill(library, symbols, &cuda);
    if (missing)
        return hone__fail(err, HONE_ERR_NO_GPU,
                          "'%s' has no function %s: the NVIDIA driver is too "
                          "old; install driver " NEEDED_DRIVER " or newer",
                          path, missing);
    return start_driver(err);
}

hone_status hone__cuda_get(const hone_driver **out, hone_error *err)
{
    static hone_library_once state = HONE_LIBRARY_ONCE;
    const hone_status status = hone__library_once(&state, load_cuda, err);

    *out = status == HONE_OK ? &cuda : NULL;
    return status;
}
