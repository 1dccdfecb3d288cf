/* SPDX-License-Identifier: Apache-2.0 */
/* What is the same for every driver: results as sentences, a device's
 * properties, loading kernels, cuLaunchKernelEx and what has to be asked
 * before. See driver.h. */
#include "runtime/driver/driver.h"

#include "runtime/base/alloc.h"
#include "runtime/driver/code_check.h"

#include <inttypes.h>
#include <string.h>

enum {
    ATTRIBUTE_COOPERATIVE = 2,
    ATTRIBUTE_CLUSTER = 4,
    ATTRIBUTE_EARLY = 6, /* programmatic stream serialization */
    MAX_ATTRIBUTES = 3
};

hone_status hone__driver_check(const hone_driver *driver, hone_cu_result result,
                               const char *what, hone_error *err)
{
    const char *name = NULL;
    const char *text = NULL;

    if (!result)
        return HONE_OK;
    if (driver->kind)
        return driver->kind->failed(result, what, err);
    if (hone__cuda_check_process(err) != HONE_OK)
        return hone__fail_native(err, HONE_ERR_CUDA, HONE_DOMAIN_CUDA, result,
                                 "%s failed (%d): %s", what, result,
                                 "CUDA was started before this process was "
                                 "forked, and works in its parent alone");
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
        hone_property property;
        int attribute;
        int unit;
    } rows[] = {
        {HONE_PROPERTY_sm, HONE_CU_ATTR_CC_MAJOR, 10},
        {HONE_PROPERTY_sm, HONE_CU_ATTR_CC_MINOR, 1},
        {HONE_PROPERTY_sm_count, HONE_CU_ATTR_SM_COUNT, 1},
        {HONE_PROPERTY_warp, HONE_CU_ATTR_WARP_SIZE, 1},
        {HONE_PROPERTY_threads_block, HONE_CU_ATTR_MAX_THREADS_PER_BLOCK, 1},
        {HONE_PROPERTY_threads_sm, HONE_CU_ATTR_MAX_THREADS_PER_SM, 1},
        {HONE_PROPERTY_blocks_sm, HONE_CU_ATTR_MAX_BLOCKS_PER_SM, 1},
        {HONE_PROPERTY_regs_sm, HONE_CU_ATTR_MAX_REGS_PER_SM, 1},
        {HONE_PROPERTY_smem_sm, HONE_CU_ATTR_MAX_SHARED_PER_SM, 1},
        {HONE_PROPERTY_smem_block, HONE_CU_ATTR_MAX_SHARED_PER_BLOCK, 1},
        {HONE_PROPERTY_smem_optin, HONE_CU_ATTR_MAX_SHARED_OPTIN, 1},
        {HONE_PROPERTY_l2, HONE_CU_ATTR_L2_BYTES, 1},
    };
    size_t memory_bytes = 0;

    *out = (hone_properties){{0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        int value = 0;

        HONE_TRY(hone__driver_check(
            driver, driver->device_attribute(&value, rows[i].attribute, device),
            "cuDeviceGetAttribute", err));
        out->value[rows[i].property] += rows[i].unit * value;
    }
    HONE_TRY(hone__driver_check(driver,
                                driver->device_memory(&memory_bytes, device),
                                "cuDeviceTotalMem", err));
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
    aligned = hone__alloc(size_bytes + 1); /* PTX ends with a NUL */
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
    const char *const reason =
        driver->kind ? NULL : hone__code_check(code, size_bytes);
    hone_cu_result result;

    if (reason)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "the kernels of %s are damaged: %s; tune again", what,
                          reason);
    result = driver->kind ? driver->kind->load(out, code, size_bytes, what)
                          : load_aligned(driver, code, size_bytes, out);
    if (result == HONE_CU_NO_BINARY_FOR_GPU)
        return hone__fail_native(err, HONE_ERR_CUDA, HONE_DOMAIN_CUDA, result,
                                 "the driver does not take the cubin of %s: it "
                                 "was compiled for another architecture; tune "
                                 "again here",
                                 what);
    return hone__driver_check(driver, result,
                              "loading a cubin (cuModuleLoadData)", err);
}

/* Allow a kernel this much dynamic shared memory, above 48 KB where needed.
 * The limit is only ever raised: others may use the same kernel. */
static hone_status raise_shared(const hone_driver *driver, hone_cu_function f,
                                unsigned shared_bytes, hone_error *err)
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
        return hone__fail(
            err, HONE_ERR_DATABASE,
            "the code has no kernel '%s'; is it declared extern \"C\"?", name);
    HONE_TRY(hone__driver_check(driver, found,
                                "finding a kernel (cuModuleGetFunction)", err));
    /* Asking for an attribute also makes a lazily loading driver load the
     * kernel now, not inside the first launch. */
    return raise_shared(driver, *out, shared_bytes, err);
}

/* ---- launches ------------------------------------------------------------ */

size_t hone__driver_param_bytes(const hone_resolved *resolved,
                                const hone_pass *pass)
{
    static const unsigned char bytes[] = {
        [HONE_PASS_ARG] = sizeof(hone_cu_ptr),
        [HONE_PASS_WORKSPACE] = sizeof(hone_cu_ptr),
        [HONE_PASS_I32] = 4,
        [HONE_PASS_I64] = 8,
        [HONE_PASS_MAP] = sizeof(hone_cu_tensor_map),
        [HONE_PASS_F32] = 4,
        [HONE_PASS_F64] = 8};

    if (pass->kind == HONE_PASS_ARG &&
        resolved->args[pass->index].mode == HONE_ARG_SCALAR)
        return (size_t)resolved->args[pass->index].size_bytes;
    return bytes[pass->kind];
}

hone_status hone__driver_check_params(const hone_driver *driver,
                                      hone_cu_function f,
                                      const hone_resolved *resolved,
                                      const hone_resolved_launch *launch,
                                      hone_error *err)
{
    for (size_t i = 0; driver->param_info && i <= launch->n_passed; ++i) {
        const size_t in_plan =
            i < launch->n_passed
                ? hone__driver_param_bytes(resolved, &launch->passed[i])
                : 0;
        size_t in_code = 0;
        size_t offset;
        const hone_cu_result result =
            driver->param_info(f, i, &offset, &in_code);

        if (result == HONE_CU_NOT_SUPPORTED)
            return HONE_OK; /* this driver does not say */
        if (result == HONE_CU_INVALID_VALUE)
            in_code = 0;
        else
            HONE_TRY(
                hone__driver_check(driver, result, "cuFuncGetParamInfo", err));
        if (in_code != in_plan)
            return hone__fail(
                err, HONE_ERR_DATABASE,
                "kernel '%s' is not its launch plan's: its parameter %zu takes "
                "%zu bytes and gets %zu (0: none); tune again",
                launch->kernel, i + 1, in_code, in_plan);
    }
    return HONE_OK;
}

/* The driver's form of a launch. `attributes` has room for
 * MAX_ATTRIBUTES. */
static hone_cu_launch_config config_of(const hone_launch_shape *shape,
                                       hone_stream stream,
                                       hone_cu_attribute *attributes)
{
    hone_cu_launch_config config = {.shared_bytes = shape->shared_bytes,
                                    .stream = stream,
                                    .attributes = attributes};

    memcpy(config.grid, shape->grid, sizeof config.grid);
    memcpy(config.block, shape->block, sizeof config.block);
    if (hone__volume(shape->cluster) > 1) {
        hone_cu_attribute *a = &attributes[config.n_attributes++];

        *a = (hone_cu_attribute){.id = ATTRIBUTE_CLUSTER};
        memcpy(a->value.cluster, shape->cluster, sizeof a->value.cluster);
    }
    if (shape->cooperative) {
        hone_cu_attribute *a = &attributes[config.n_attributes++];

        *a = (hone_cu_attribute){.id = ATTRIBUTE_COOPERATIVE};
        a->value.cooperative = 1;
    }
    if (shape->early) {
        hone_cu_attribute *a = &attributes[config.n_attributes++];

        *a = (hone_cu_attribute){.id = ATTRIBUTE_EARLY};
        a->value.early = 1;
    }
    return config;
}

/* What the driver would refuse with a bare "invalid value". */
static hone_status check_limits(const hone_driver *driver, hone_cu_function f,
                                const char *name,
                                const hone_launch_shape *shape,
                                const hone_properties *properties,
                                hone_error *err)
{
    const int64_t optin = properties->value[HONE_PROPERTY_smem_optin];
    const unsigned threads = hone__volume(shape->block);
    int static_bytes = 0;
    int max_threads = 0;

    HONE_TRY(hone__driver_check(
        driver,
        driver->function_get(&static_bytes, HONE_CU_FUNC_SHARED_BYTES, f),
        "reading a kernel's shared memory (cuFuncGetAttribute)", err));
    HONE_TRY(hone__driver_check(
        driver, driver->function_get(&max_threads, HONE_CU_FUNC_MAX_THREADS, f),
        "reading a kernel's block limit (cuFuncGetAttribute)", err));
    if ((int64_t)shape->shared_bytes + static_bytes > optin)
        return hone__fail(err, HONE_ERR_INPUT,
                          "kernel %s needs %u + %d bytes of shared memory; "
                          "the device has %" PRId64 " per block",
                          name, shape->shared_bytes, static_bytes, optin);
    if (threads > (unsigned)max_threads)
        return hone__fail(err, HONE_ERR_INPUT,
                          "kernel %s is launched with %u threads per block "
                          "but can run at most %d (registers or launch "
                          "bounds)",
                          name, threads, max_threads);
    return HONE_OK;
}

/* Clusters and cooperative launches: do they fit? Others pass. */
static hone_status check_residents(const hone_driver *driver,
                                   hone_cu_function f, const char *name,
                                   const hone_launch_shape *shape,
                                   const hone_properties *properties,
                                   hone_error *err)
{
    const unsigned of_cluster = hone__volume(shape->cluster);
    const unsigned threads = hone__volume(shape->block);
    const int64_t grid =
        (int64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
    int64_t resident = grid; /* blocks that run at the same time */
    hone_cu_attribute attributes[MAX_ATTRIBUTES];
    int n = 0;

    if (of_cluster > 1) {
        const hone_cu_launch_config config = config_of(shape, NULL, attributes);

        if (of_cluster > HONE_PORTABLE_CLUSTER)
            HONE_TRY(hone__driver_check(
                driver,
                driver->function_set(f, HONE_CU_FUNC_NON_PORTABLE_CLUSTER, 1),
                "allowing clusters of more than 8 blocks (cuFuncSetAttribute)",
                err));
        HONE_TRY(hone__driver_check(
            driver, driver->active_clusters(&n, f, &config),
            "counting resident clusters (cuOccupancyMaxActiveClusters)", err));
        if (n < 1)
            return hone__fail(err, HONE_ERR_INPUT,
                              "no cluster of %u blocks of kernel '%s' fits "
                              "this device: each has %u threads and %u bytes "
                              "of shared memory",
                              of_cluster, name, threads, shape->shared_bytes);
        resident = (int64_t)n * of_cluster;
    } else if (shape->cooperative) {
        HONE_TRY(hone__driver_check(
            driver, driver->occupancy(&n, f, (int)threads, shape->shared_bytes),
            "counting resident blocks "
            "(cuOccupancyMaxActiveBlocksPerMultiprocessor)",
            err));
        resident = n * properties->value[HONE_PROPERTY_sm_count];
    }
    if (shape->cooperative && grid > resident)
        return hone__fail(err, HONE_ERR_INPUT,
                          "kernel '%s' is a cooperative launch of %" PRId64
                          " blocks, but only %" PRId64
                          " of them run at the same time on this device; "
                          "take a smaller grid",
                          name, grid, resident);
    return HONE_OK;
}

hone_status hone__driver_prepare(const hone_driver *driver, hone_cu_function f,
                                 const char *name,
                                 const hone_launch_shape *shape,
                                 const hone_properties *properties,
                                 hone_error *err)
{
    if (driver->kind && hone__launch_is_together(shape))
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "kernel '%s' is launched %s, which the %s device "
                          "does not have",
                          name,
                          shape->cooperative ? "cooperatively" : "in clusters",
                          driver->kind->name);
    HONE_TRY(check_limits(driver, f, name, shape, properties, err));
    HONE_TRY(raise_shared(driver, f, shape->shared_bytes, err));
    return check_residents(driver, f, name, shape, properties, err);
}

hone_cu_result hone__driver_launch(const hone_driver *driver,
                                   hone_cu_function f,
                                   const hone_launch_shape *shape,
                                   hone_stream stream, void **params)
{
    hone_cu_attribute attributes[MAX_ATTRIBUTES];
    const hone_cu_launch_config config = config_of(shape, stream, attributes);

    /* Of other devices each launch waits for the one before it. */
    if (!config.n_attributes || driver->kind)
        return driver->launch(f, shape->grid[0], shape->grid[1], shape->grid[2],
                              shape->block[0], shape->block[1], shape->block[2],
                              shape->shared_bytes, stream, params, NULL);
    return driver->launch_with(&config, f, params, NULL);
}
