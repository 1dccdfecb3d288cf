/* SPDX-License-Identifier: Apache-2.0 */
/* cuLaunchKernelEx and what has to be asked before: see driver_launch.h. */
#include "runtime/driver/driver_launch.h"

#include <inttypes.h>
#include <string.h>

enum { ATTRIBUTE_COOPERATIVE = 2, ATTRIBUTE_CLUSTER = 4 };

hone_cu_shape hone__launch_shape(const hone_resolved_launch *launch)
{
    hone_cu_shape shape = {.shared_bytes = launch->shared_bytes,
                           .cooperative = launch->cooperative};

    memcpy(shape.grid, launch->grid, sizeof shape.grid);
    memcpy(shape.block, launch->block, sizeof shape.block);
    memcpy(shape.cluster, launch->cluster, sizeof shape.cluster);
    return shape;
}

static unsigned volume(const unsigned extents[3])
{
    return extents[0] * extents[1] * extents[2];
}

unsigned hone__launch_n_cluster(const hone_cu_shape *shape)
{
    return volume(shape->cluster);
}

int hone__launch_is_special(const hone_resolved_launch *launch)
{
    return launch->cooperative || volume(launch->cluster) > 1;
}

/* The driver's form of a launch. `attributes` has room for two. */
static hone_cu_launch_config config_of(const hone_cu_shape *shape,
                                       hone_stream stream,
                                       hone_cu_attribute *attributes)
{
    hone_cu_launch_config config = {.shared_bytes = shape->shared_bytes,
                                    .stream = stream,
                                    .attributes = attributes};

    memcpy(config.grid, shape->grid, sizeof config.grid);
    memcpy(config.block, shape->block, sizeof config.block);
    if (volume(shape->cluster) > 1) {
        hone_cu_attribute *a = &attributes[config.n_attributes++];

        *a = (hone_cu_attribute){.id = ATTRIBUTE_CLUSTER};
        memcpy(a->value.cluster, shape->cluster, sizeof a->value.cluster);
    }
    if (shape->cooperative) {
        hone_cu_attribute *a = &attributes[config.n_attributes++];

        *a = (hone_cu_attribute){.id = ATTRIBUTE_COOPERATIVE};
        a->value.cooperative = 1;
    }
    return config;
}

/* What the driver would refuse with a bare "invalid value". */
static hone_status check_limits(const hone_driver *driver, hone_cu_function f,
                                const char *name, const hone_cu_shape *shape,
                                const hone_properties *properties,
                                hone_error *err)
{
    const int64_t optin = properties->value[HONE_PROPERTY_smem_optin];
    const unsigned threads = volume(shape->block);
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

/* Blocks that run at the same time. */
static hone_status count_resident(const hone_driver *driver, hone_cu_function f,
                                  const hone_cu_shape *shape,
                                  const hone_properties *properties,
                                  int64_t *out, hone_error *err)
{
    int of_each = 0;

    HONE_TRY(hone__driver_check(driver,
                                driver->occupancy(&of_each, f,
                                                  (int)volume(shape->block),
                                                  shape->shared_bytes),
                                "counting resident blocks "
                                "(cuOccupancyMaxActiveBlocksPerMultiprocessor)",
                                err));
    *out = of_each * properties->value[HONE_PROPERTY_sm_count];
    return HONE_OK;
}

static hone_status check_cluster(const hone_driver *driver, hone_cu_function f,
                                 const char *name, const hone_cu_shape *shape,
                                 int64_t *out_resident, hone_error *err)
{
    const unsigned blocks = volume(shape->cluster);
    hone_cu_attribute attributes[2];
    hone_cu_launch_config config;
    int n_clusters = 0;

    if (blocks > HONE_PORTABLE_CLUSTER)
        HONE_TRY(hone__driver_check(
            driver,
            driver->function_set(f, HONE_CU_FUNC_NON_PORTABLE_CLUSTER, 1),
            "allowing clusters of more than 8 blocks (cuFuncSetAttribute)",
            err));
    config = config_of(shape, NULL, attributes);
    HONE_TRY(hone__driver_check(
        driver, driver->active_clusters(&n_clusters, f, &config),
        "counting resident clusters (cuOccupancyMaxActiveClusters)", err));
    if (n_clusters < 1)
        return hone__fail(err, HONE_ERR_INPUT,
                          "no cluster of %u blocks of kernel '%s' fits this "
                          "device: each block has %u threads and %u bytes of "
                          "dynamic shared memory; take smaller clusters or "
                          "blocks",
                          blocks, name, volume(shape->block),
                          shape->shared_bytes);
    *out_resident = (int64_t)n_clusters * blocks;
    return HONE_OK;
}

/* Clusters and cooperative launches; others pass. */
static hone_status check_residents(const hone_driver *driver,
                                   hone_cu_function f, const char *name,
                                   const hone_cu_shape *shape,
                                   const hone_properties *properties,
                                   hone_error *err)
{
    const int64_t grid =
        (int64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
    int64_t resident = 0;

    if (volume(shape->cluster) > 1)
        HONE_TRY(check_cluster(driver, f, name, shape, &resident, err));
    else if (shape->cooperative)
        HONE_TRY(count_resident(driver, f, shape, properties, &resident, err));
    if (shape->cooperative && grid > resident)
        return hone__fail(err, HONE_ERR_INPUT,
                          "kernel '%s' is a cooperative launch of %" PRId64
                          " blocks, but only %" PRId64
                          " of them run at the same time on this device; "
                          "take a smaller grid, such as "
                          "min(.., device.sm_count)",
                          name, grid, resident);
    return HONE_OK;
}

hone_status hone__driver_prepare(const hone_driver *driver, hone_cu_function f,
                                 const char *name, const hone_cu_shape *shape,
                                 const hone_properties *properties,
                                 hone_error *err)
{
    if (driver->kind && (shape->cooperative || volume(shape->cluster) > 1))
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "kernel '%s' is launched %s, which the %s device "
                          "does not have",
                          name,
                          shape->cooperative ? "cooperatively" : "in clusters",
                          driver->kind->name);
    HONE_TRY(check_limits(driver, f, name, shape, properties, err));
    HONE_TRY(hone__driver_raise_shared(driver, f, shape->shared_bytes, err));
    return check_residents(driver, f, name, shape, properties, err);
}

hone_cu_result hone__driver_launch(const hone_driver *driver,
                                   hone_cu_function f,
                                   const hone_cu_shape *shape,
                                   hone_stream stream, void **params)
{
    hone_cu_attribute attributes[2];
    const hone_cu_launch_config config = config_of(shape, stream, attributes);

    if (!config.n_attributes)
        return driver->launch(f, shape->grid[0], shape->grid[1], shape->grid[2],
                              shape->block[0], shape->block[1], shape->block[2],
                              shape->shared_bytes, stream, params, NULL);
    return driver->launch_with(&config, f, params, NULL);
}
