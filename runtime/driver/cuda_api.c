/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA driver table: opening the library, filling the table, reading
 * device properties and preparing kernels. See cuda_api.h. */
#include "runtime/driver/cuda_api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The first driver that has every symbol of HONE_CUDA_MAP. */
#define NEEDED_DRIVER "525.60 (CUDA 12.0)"

typedef struct cuda_symbol {
    const char *name;
    size_t offset; /* of its field in hone_cuda */
    int is_optional;
} cuda_symbol;

static const cuda_symbol symbols[] = {
#define SYMBOL_ROW(field, symbol, parameters)                                  \
    {#symbol, offsetof(hone_cuda, field), 0},
    HONE_CUDA_MAP(SYMBOL_ROW)
#undef SYMBOL_ROW
#define SYMBOL_ROW(field, symbol, parameters)                                  \
    {#symbol, offsetof(hone_cuda, field), 1},
        HONE_CUDA_OPTIONAL_MAP(SYMBOL_ROW)
#undef SYMBOL_ROW
};

static hone_cuda table;
static _Atomic(const hone_cuda *) ready; /* NULL until `table` is usable */
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

hone_status hone__cuda_get(const hone_cuda **out, hone_error *err)
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

hone_status hone__cuda_check(const hone_cuda *cuda, hone_cu_result result,
                             const char *what, hone_error *err)
{
    const char *name = NULL;
    const char *text = NULL;

    if (!result)
        return HONE_OK;
    if (cuda->error_name(result, &name) || !name)
        name = "unknown error";
    if (cuda->error_string(result, &text) || !text)
        text = "the driver has no text for it";
    return hone__fail_native(
        err,
        result == HONE_CU_OUT_OF_MEMORY ? HONE_ERR_NO_MEMORY : HONE_ERR_CUDA,
        HONE_DOMAIN_CUDA, result, "%s failed: %s (%d): %s", what, name, result,
        text);
}

hone_status hone__cuda_properties(const hone_cuda *cuda, hone_cu_device device,
                                  hone_properties *out, hone_error *err)
{
    static const struct {
        hone_property fact;
        int attribute;
    } rows[] = {
        {HONE_PROPERTY_sm_count, HONE_CU_ATTR_SM_COUNT},
        {HONE_PROPERTY_warp, HONE_CU_ATTR_WARP_SIZE},
        {HONE_PROPERTY_threads_block, HONE_CU_ATTR_MAX_THREADS_PER_BLOCK},
        {HONE_PROPERTY_threads_sm, HONE_CU_ATTR_MAX_THREADS_PER_SM},
        {HONE_PROPERTY_blocks_sm, HONE_CU_ATTR_MAX_BLOCKS_PER_SM},
        {HONE_PROPERTY_regs_sm, HONE_CU_ATTR_MAX_REGS_PER_SM},
        {HONE_PROPERTY_smem_sm, HONE_CU_ATTR_MAX_SHARED_PER_SM},
        {HONE_PROPERTY_smem_block, HONE_CU_ATTR_MAX_SHARED_PER_BLOCK},
        {HONE_PROPERTY_smem_optin, HONE_CU_ATTR_MAX_SHARED_OPTIN},
        {HONE_PROPERTY_l2, HONE_CU_ATTR_L2_BYTES},
    };
    int major = 0;
    int minor = 0;
    size_t memory_bytes = 0;

    *out = (hone_properties){{0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        int value = 0;

        HONE_TRY(hone__cuda_check(
            cuda, cuda->device_attribute(&value, rows[i].attribute, device),
            "cuDeviceGetAttribute", err));
        out->value[rows[i].fact] = value;
    }
    HONE_TRY(hone__cuda_check(
        cuda, cuda->device_attribute(&major, HONE_CU_ATTR_CC_MAJOR, device),
        "cuDeviceGetAttribute", err));
    HONE_TRY(hone__cuda_check(
        cuda, cuda->device_attribute(&minor, HONE_CU_ATTR_CC_MINOR, device),
        "cuDeviceGetAttribute", err));
    HONE_TRY(hone__cuda_check(cuda, cuda->device_memory(&memory_bytes, device),
                              "cuDeviceTotalMem", err));
    out->value[HONE_PROPERTY_sm] = 10 * major + minor;
    out->value[HONE_PROPERTY_memory] = (int64_t)memory_bytes;
    return HONE_OK;
}

hone_status hone__cuda_kernel(const hone_cuda *cuda, hone_cu_module module,
                              const char *name, unsigned shared_bytes,
                              hone_cu_function *out, hone_error *err)
{
    const hone_cu_result found = cuda->module_function(out, module, name);
    int limit_bytes = 0;

    if (found) {
        const char *error_name = NULL;

        (void)cuda->error_name(found, &error_name);
        return hone__fail_native(
            err, HONE_ERR_CUDA, HONE_DOMAIN_CUDA, found,
            "the cubin has no kernel '%s': %s (%d); is it declared "
            "extern \"C\"?",
            name, error_name ? error_name : "unknown error", found);
    }
    /* Asking for an attribute also makes a lazily loading driver load the
     * kernel now, not inside the first launch. The limit is only ever
     * raised: other plans may share the kernel. */
    HONE_TRY(hone__cuda_check(
        cuda,
        cuda->function_get(&limit_bytes, HONE_CU_FUNC_MAX_DYNAMIC_SHARED, *out),
        "cuFuncGetAttribute", err));
    if (limit_bytes >= 0 && shared_bytes <= (unsigned)limit_bytes)
        return HONE_OK;
    return hone__cuda_check(
        cuda,
        cuda->function_set(*out, HONE_CU_FUNC_MAX_DYNAMIC_SHARED,
                           (int)shared_bytes),
        "raising the shared memory limit (cuFuncSetAttribute)", err);
}
