/* SPDX-License-Identifier: Apache-2.0 */
/* A variant is a program of the runtime (runtime/execute) with workspaces
 * between guard bands: see variant.h. */
#include "tuner/trial/variant.h"
#include "runtime/launch/launch_body.h"

#include <string.h>

hone_outcome hone__outcome_of(const hone_error *err)
{
    if (err->domain == HONE_DOMAIN_CUDA && hone__driver_is_fatal(err->native))
        return HONE_OUTCOME_FAULT;
    if (err->domain == HONE_DOMAIN_CUDA &&
        err->native == HONE_CU_LAUNCH_OUT_OF_RESOURCES)
        return HONE_OUTCOME_LIMITS;
    if (err->status == HONE_ERR_CONSTRAINT)
        return HONE_OUTCOME_CONSTRAINT;
    if (err->status == HONE_ERR_INPUT || err->status == HONE_ERR_OVERFLOW ||
        err->status == HONE_ERR_NO_MEMORY)
        return HONE_OUTCOME_LIMITS;
    return HONE_OUTCOME_LAUNCH;
}

static size_t count_parts(const hone_variant *variant)
{
    return variant->program ? variant->program->more->n_parts : 0;
}

static size_t part_bytes(const hone_variant *variant, size_t part)
{
    return variant->program->more->parts[part].size_bytes;
}

/* Behind the workspaces, those of arrays in host memory. */
static const char *part_name(const hone_resolved *resolved, size_t part)
{
    size_t n = resolved->n_workspaces;

    if (resolved->vendor)
        return resolved->vendor->function;
    if (part < n)
        return resolved->workspaces[part].name;
    for (size_t i = 0; i < resolved->n_args; ++i) {
        if (resolved->args[i].is_host && resolved->args[i].copy_bytes &&
            n++ == part)
            return resolved->args[i].name;
    }
    return "?";
}

static hone_status make_workspace(hone_variant *variant, size_t part,
                                  hone_block *out, hone_error *err)
{
    hone_error found = {.status = HONE_OK};
    const hone_status status = hone__block_alloc(
        variant->device, part_bytes(variant, part), out, &found);

    if (status != HONE_ERR_NO_MEMORY) {
        if (status != HONE_OK && err)
            *err = found;
        return status;
    }
    return hone__fail_native(
        err, status, found.domain, found.native,
        "the workspace '%s' does not fit beside the arguments: %.200s; end "
        "other processes on the device if they hold the rest",
        part_name(&variant->resolved, part), found.text);
}

/* All workspaces at one more place. */
static hone_status add_place(hone_variant *variant, hone_error *err)
{
    hone_device *device = variant->device;
    const size_t n = count_parts(variant);
    hone_block *blocks = &variant->workspaces[variant->n_places * n];
    hone_cu_ptr parts[HONE_MAX_WORKSPACES] = {0};

    for (size_t i = 0; i < n; ++i) {
        if (!part_bytes(variant, i))
            continue; /* a null pointer, as TEMPLATE.md says */
        HONE_TRY(make_workspace(variant, i, &blocks[i], err));
        parts[i] = blocks[i].data;
    }
    HONE_TRY(hone__program_zero(variant->program, HONE_ZERO_ONCE, parts,
                                device->stream, err));
    ++variant->n_places;
    return HONE_OK;
}

hone_status hone__variant_spread(hone_variant *variant, size_t most,
                                 hone_error *err)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count_parts(variant); ++i)
        bytes += part_bytes(variant, i);
    if (!bytes || bytes > 1 << 20 || variant->resolved.vendor)
        return HONE_OK;
    while (variant->n_places < most) {
        const hone_status status = add_place(variant, err);

        if (status == HONE_ERR_NO_MEMORY)
            return HONE_OK;
        HONE_TRY(status);
    }
    return HONE_OK;
}

static hone_status load(hone_variant *variant, const hone_launch_spec *spec,
                        const void *cubin, size_t cubin_bytes,
                        const int64_t *dims, size_t n_dims, hone_error *err)
{
    hone_device *device = variant->device;
    hone_vendors *vendors = NULL;

    HONE_TRY(hone__launch_spec_resolve(
        &(hone_launch_case){spec, dims, n_dims, &device->properties},
        &variant->resolved, err));
    if (variant->resolved.vendor)
        HONE_TRY(hone__device_vendors(device, &vendors, err));
    else
        HONE_TRY(hone__driver_load(device->driver, cubin, cubin_bytes,
                                   "the variant", &variant->module, err));
    HONE_TRY(hone__program_create(
        &(hone_program_setup){.driver = device->driver,
                              .properties = &device->properties,
                              .module = variant->module,
                              .vendors = vendors,
                              .op = spec->op,
                              .resolved = &variant->resolved},
        &variant->program, err));
    if (hone__lane_is_needed(variant->program))
        HONE_TRY(hone__lane_make(&variant->lane, variant->program, err));
    return add_place(variant, err);
}

hone_status hone__variant_load(hone_device *device,
                               const hone_launch_spec *spec, const void *cubin,
                               size_t cubin_bytes, const int64_t *dims,
                               size_t n_dims, hone_variant *out,
                               hone_error *err)
{
    hone_status status;

    memset(out, 0, sizeof *out);
    out->device = device;
    status = load(out, spec, cubin, cubin_bytes, dims, n_dims, err);
    if (status != HONE_OK)
        hone__variant_unload(out);
    return status;
}

void hone__variant_unload(hone_variant *variant)
{
    for (size_t i = 0; i < HONE_PLACES * HONE_MAX_WORKSPACES; ++i) {
        if (variant->device)
            hone__block_free(variant->device, &variant->workspaces[i]);
    }
    if (variant->device)
        hone__lane_free(&variant->lane, variant->device->driver, 1);
    hone__program_free(variant->program);
    if (variant->module)
        (void)variant->device->driver->module_unload(variant->module);
    memset(variant, 0, sizeof *variant);
}

static hone_status enqueue(void *user, void *const *args, hone_stream stream,
                           hone_error *err)
{
    hone_variant *variant = user;
    const size_t n = count_parts(variant);
    const hone_block *blocks =
        &variant->workspaces[variant->turn++ % variant->n_places * n];
    hone_cu_ptr parts[HONE_MAX_WORKSPACES] = {0};

    for (size_t i = 0; i < n; ++i)
        parts[i] = blocks[i].data;
    return hone__program_run(variant->program, args, parts, &variant->bank,
                             &variant->lane, stream, err);
}

hone_subject hone__variant_subject(hone_variant *variant)
{
    return (hone_subject){enqueue, variant, variant->workspaces,
                          variant->n_places * count_parts(variant)};
}
