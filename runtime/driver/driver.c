/* SPDX-License-Identifier: Apache-2.0 */
/* What is the same for every driver: results as sentences, a device's
 * properties, loading kernels. See driver.h. */
#include "runtime/driver/driver.h"

#include "runtime/base/alloc.h"

#include <string.h>

hone_status hone__driver_check(const hone_driver *driver, hone_cu_result result,
                               const char *what, hone_error *err)
{
    const char *name = NULL;
    const char *text = NULL;

    if (!result)
        return HONE_OK;
    if (driver->kind)
        return driver->kind->failed(result, what, err);
    if (driver->error_name(result, &name) || !name)
        name = "unknown error";
    if (driver->error_string(result, &text) || !text)
        text = "the driver has no text for it";
    return hone__fail_native(
        err,
        result == HONE_CU_OUT_OF_MEMORY ? HONE_ERR_NO_MEMORY : HONE_ERR_CUDA,
        HONE_DOMAIN_CUDA, result, "%s failed: %s (%d): %s", what, name, result,
        text);
}

int hone__driver_is_fatal(int result)
{
    /* Codes after which cuda.h says that the process must be relaunched:
     * 700 illegal address, 702 launch timeout, 710 assert, 714 hardware
     * stack error, 715 illegal instruction, 716 misaligned address, 717
     * invalid address space, 718 invalid program counter, 719 launch
     * failed, 721 launch failure of the external kind, 999 unknown. */
    static const int codes[] = {700, 702, 710, 714, 715, 716,
                                717, 718, 719, 721, 999};

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; ++i) {
        if (result == codes[i])
            return 1;
    }
    return 0;
}

hone_status hone__driver_properties(const hone_driver *driver,
                                    hone_cu_device device, hone_properties *out,
                                    hone_error *err)
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

        HONE_TRY(hone__driver_check(
            driver, driver->device_attribute(&value, rows[i].attribute, device),
            "cuDeviceGetAttribute", err));
        out->value[rows[i].fact] = value;
    }
    HONE_TRY(hone__driver_check(
        driver, driver->device_attribute(&major, HONE_CU_ATTR_CC_MAJOR, device),
        "cuDeviceGetAttribute", err));
    HONE_TRY(hone__driver_check(
        driver, driver->device_attribute(&minor, HONE_CU_ATTR_CC_MINOR, device),
        "cuDeviceGetAttribute", err));
    HONE_TRY(hone__driver_check(driver,
                                driver->device_memory(&memory_bytes, device),
                                "cuDeviceTotalMem", err));
    out->value[HONE_PROPERTY_sm] = 10 * major + minor;
    out->value[HONE_PROPERTY_memory] = (int64_t)memory_bytes;
    return HONE_OK;
}

/* CUDA's driver takes a cubin at an odd address without complaint and then
 * places dynamic shared memory at an odd address too: load from a copy that
 * is aligned as memory from the allocator is. */
static hone_cu_result load_aligned(const hone_driver *driver, const void *code,
                                   size_t size_bytes, hone_cu_module *out)
{
    hone_cu_result result = HONE_CU_OUT_OF_MEMORY;
    void *aligned;

    if ((uintptr_t)code % sizeof(max_align_t) == 0)
        return driver->module_load(out, code);
    aligned = hone__alloc(size_bytes);
    if (aligned) {
        memcpy(aligned, code, size_bytes);
        result = driver->module_load(out, aligned);
    }
    hone__free(aligned);
    return result;
}

hone_status hone__driver_load(const hone_driver *driver, const void *code,
                              size_t size_bytes, const char *what,
                              hone_cu_module *out, hone_error *err)
{
    const hone_cu_result result =
        driver->kind ? driver->kind->load(out, code, size_bytes, what)
                     : load_aligned(driver, code, size_bytes, out);

    if (result == HONE_CU_NO_BINARY_FOR_GPU)
        return hone__fail_native(err, HONE_ERR_CUDA, HONE_DOMAIN_CUDA, result,
                                 "the driver does not take the cubin of %s: it "
                                 "was compiled for another architecture; tune "
                                 "again on this machine",
                                 what);
    return hone__driver_check(driver, result,
                              "loading a cubin (cuModuleLoadData)", err);
}

hone_status hone__driver_raise_shared(const hone_driver *driver,
                                      hone_cu_function f, unsigned shared_bytes,
                                      hone_error *err)
{
    int limit_bytes = 0;

    HONE_TRY(hone__driver_check(
        driver,
        driver->function_get(&limit_bytes, HONE_CU_FUNC_MAX_DYNAMIC_SHARED, f),
        "cuFuncGetAttribute", err));
    if (limit_bytes >= 0 && shared_bytes <= (unsigned)limit_bytes)
        return HONE_OK;
    return hone__driver_check(
        driver,
        driver->function_set(f, HONE_CU_FUNC_MAX_DYNAMIC_SHARED,
                             (int)shared_bytes),
        "raising the shared memory limit (cuFuncSetAttribute)", err);
}

hone_status hone__driver_kernel(const hone_driver *driver,
                                hone_cu_module module, const char *name,
                                unsigned shared_bytes, hone_cu_function *out,
                                hone_error *err)
{
    const hone_cu_result found = driver->module_function(out, module, name);

    if (found == HONE_CU_NOT_FOUND)
        return hone__fail_native(
            err, HONE_ERR_CUDA, HONE_DOMAIN_CUDA, found,
            "the cubin has no kernel '%s'; is it declared extern \"C\"?", name);
    HONE_TRY(hone__driver_check(driver, found,
                                "finding a kernel (cuModuleGetFunction)", err));
    /* Asking for an attribute also makes a lazily loading driver load the
     * kernel now, not inside the first launch. */
    return hone__driver_raise_shared(driver, *out, shared_bytes, err);
}
