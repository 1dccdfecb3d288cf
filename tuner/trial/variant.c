/* SPDX-License-Identifier: Apache-2.0 */
/* Loading and launching a variant in the GPU worker: see variant.h. The
 * runtime's plans do the same for users (runtime/plan.c); this side keeps
 * workspaces between guard bands and tells failures apart. */
#include "tuner/trial/variant.h"

#include "runtime/base/alloc.h"

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

/* The driver takes a cubin at an odd address without a word and then places
 * dynamic shared memory at an odd address too: always load from a copy. */
static hone_status load_module(hone_variant *variant, const void *cubin,
                               size_t cubin_bytes, hone_error *err)
{
    const hone_driver *driver = variant->device->driver;
    void *aligned = hone__alloc(cubin_bytes);
    hone_status status;

    if (!aligned)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    memcpy(aligned, cubin, cubin_bytes);
    status = hone__driver_check(driver,
                                driver->module_load(&variant->module, aligned),
                                "loading the cubin", err);
    hone__free(aligned);
    return status;
}

static hone_status load_kernels(hone_variant *variant, hone_error *err)
{
    const hone_driver *driver = variant->device->driver;

    for (size_t i = 0; i < variant->resolved.n_launches; ++i) {
        const hone_resolved_launch *launch = &variant->resolved.launches[i];

        variant->shapes[i] = hone__launch_shape(launch);
        HONE_TRY(hone__driver_kernel(driver, variant->module, launch->kernel, 0,
                                     &variant->functions[i], err));
        HONE_TRY(hone__driver_prepare(driver, variant->functions[i],
                                      launch->kernel, &variant->shapes[i],
                                      &variant->device->properties, err));
    }
    return HONE_OK;
}

static hone_status find_constants(hone_variant *variant, hone_error *err)
{
    const hone_driver *driver = variant->device->driver;

    for (size_t i = 0; i < variant->resolved.n_constants; ++i) {
        const hone_resolved_constant *constant =
            &variant->resolved.constants[i];
        size_t size_bytes = 0;
        const hone_cu_result result =
            driver->module_global(&variant->constants[i].to, &size_bytes,
                                  variant->module, constant->name);

        if (result == HONE_CU_NOT_FOUND)
            return hone__fail(err, HONE_ERR_INPUT,
                              "the compiled variant has no constant '%s'; is "
                              "it declared __constant__ at file scope, and "
                              "used?",
                              constant->name);
        HONE_TRY(
            hone__driver_check(driver, result, "finding constant memory", err));
        if (size_bytes < (size_t)constant->size_bytes)
            return hone__fail(err, HONE_ERR_INPUT,
                              "the constant '%s' holds %zu bytes, and %lld "
                              "are to be kept in it",
                              constant->name, size_bytes,
                              (long long)constant->size_bytes);
    }
    return HONE_OK;
}

static hone_status make_workspace(hone_gpu *device,
                                  const hone_resolved_workspace *workspace,
                                  hone_block *out, hone_error *err)
{
    hone_error found = {.status = HONE_OK};
    const hone_status status =
        hone__block_alloc(device, (size_t)workspace->size_bytes, out, &found);

    if (status != HONE_ERR_NO_MEMORY) {
        if (status != HONE_OK && err)
            *err = found;
        return status;
    }
    return hone__fail_native(
        err, status, found.domain, found.native,
        "the workspace '%s' does not fit beside the arguments: %.200s; end "
        "other processes on the GPU if they hold the rest",
        workspace->name, found.text);
}

/* All workspaces at one more place. */
static hone_status add_place(hone_variant *variant, hone_error *err)
{
    hone_gpu *device = variant->device;
    const size_t n = variant->resolved.n_workspaces;
    hone_block *blocks = &variant->workspaces[variant->n_places * n];

    for (size_t i = 0; i < n; ++i) {
        const hone_resolved_workspace *w = &variant->resolved.workspaces[i];

        if (!w->size_bytes)
            continue; /* a null pointer, as TEMPLATE.md says */
        HONE_TRY(make_workspace(device, w, &blocks[i], err));
        if (w->zero == HONE_ZERO_ONCE)
            HONE_TRY(hone__driver_check(
                device->driver,
                device->driver->fill8_async(
                    blocks[i].data, 0, (size_t)w->size_bytes, device->stream),
                "clearing a workspace", err));
    }
    ++variant->n_places;
    return HONE_OK;
}

hone_status hone__variant_spread(hone_variant *variant, size_t most,
                                 hone_error *err)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < variant->resolved.n_workspaces; ++i)
        bytes += variant->resolved.workspaces[i].size_bytes;
    if (!bytes || bytes > 16 << 20)
        return HONE_OK;
    if (bytes > 1 << 20 && most > HONE_PLACES_OF_LARGE)
        most = HONE_PLACES_OF_LARGE;
    while (variant->n_places < most) {
        const hone_status status = add_place(variant, err);

        if (status == HONE_ERR_NO_MEMORY)
            return HONE_OK;
        HONE_TRY(status);
    }
    return HONE_OK;
}

size_t hone__variant_n_blocks(const hone_variant *variant)
{
    return variant->n_places * variant->resolved.n_workspaces;
}

hone_status hone__variant_load(hone_gpu *device, const char *launch_spec,
                               const void *cubin, size_t cubin_bytes,
                               const int64_t *dims, size_t n_dims,
                               hone_variant *out, hone_outcome *out_outcome,
                               hone_error *err)
{
    hone_status status;

    memset(out, 0, sizeof *out);
    out->device = device;
    status = hone__launch_spec_parse(launch_spec, &out->spec, err);
    if (status == HONE_OK)
        status = hone__launch_spec_resolve(
            out->spec, dims, n_dims, &device->properties, &out->resolved, err);
    if (status == HONE_OK)
        status = load_module(out, cubin, cubin_bytes, err);
    if (status == HONE_OK)
        status = load_kernels(out, err);
    if (status == HONE_OK)
        status = hone__map_cache_create(&out->resolved, device->driver,
                                        &out->maps, err);
    if (status == HONE_OK)
        status = find_constants(out, err);
    if (status == HONE_OK)
        status = add_place(out, err);
    *out_outcome = status == HONE_OK ? HONE_OUTCOME_OK : hone__outcome_of(err);
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
    hone__map_cache_free(variant->maps);
    if (variant->module)
        (void)variant->device->driver->module_unload(variant->module);
    hone__launch_spec_free(variant->spec);
    memset(variant, 0, sizeof *variant);
}

/* The tensor maps of a run on these workspaces. */
static hone_status get_maps(const hone_variant *variant, void *const *args,
                            const hone_block *blocks, hone_cu_tensor_map *out,
                            hone_error *err)
{
    hone_cu_ptr parts[HONE_MAX_WORKSPACES] = {0};

    if (!variant->maps)
        return HONE_OK;
    for (size_t i = 0; i < variant->resolved.n_workspaces; ++i)
        parts[i] = blocks[i].data;
    return hone__map_cache_get(variant->maps, args, parts, out, err);
}

/* What comes before the launches, and is part of an execution. */
static hone_status begin(hone_variant *variant, const hone_block *blocks,
                         void *const *args, hone_stream stream, hone_error *err)
{
    const hone_driver *driver = variant->device->driver;
    const hone_resolved *r = &variant->resolved;

    for (size_t i = 0; i < r->n_workspaces; ++i) {
        if (r->workspaces[i].zero == HONE_ZERO_EACH &&
            r->workspaces[i].size_bytes)
            HONE_TRY(hone__driver_check(
                driver,
                driver->fill8_async(blocks[i].data, 0,
                                    (size_t)r->workspaces[i].size_bytes,
                                    stream),
                "zeroing a workspace", err));
    }
    for (size_t i = 0; i < r->n_constants; ++i) {
        hone_filled *constant = &variant->constants[i];
        hone_cu_ptr from;

        memcpy(&from, args[r->constants[i].arg], sizeof from);
        if (from == constant->from)
            continue;
        HONE_TRY(hone__driver_check(
            driver,
            driver->copy_async(constant->to, from,
                               (size_t)r->constants[i].size_bytes, stream),
            "filling constant memory", err));
        constant->from = from;
    }
    return HONE_OK;
}

static hone_status enqueue(void *user, void *const *args, hone_stream stream,
                           hone_error *err)
{
    hone_variant *variant = user;
    const hone_driver *driver = variant->device->driver;
    hone_block *blocks =
        &variant->workspaces[variant->turn++ % variant->n_places *
                             variant->resolved.n_workspaces];
    hone_cu_tensor_map maps[HONE_MAX_MAPS];

    HONE_TRY(get_maps(variant, args, blocks, maps, err));
    HONE_TRY(begin(variant, blocks, args, stream, err));
    for (size_t i = 0; i < variant->resolved.n_launches; ++i) {
        const hone_resolved_launch *l = &variant->resolved.launches[i];
        void *params[HONE_MAX_PASSED];
        int narrow[HONE_MAX_PASSED];
        int64_t wide[HONE_MAX_PASSED];

        for (size_t p = 0; p < l->n_passed; ++p) {
            const hone_pass *pass = &l->passed[p];

            narrow[p] = (int)pass->value;
            wide[p] = pass->value;
            params[p] = pass->kind == HONE_PASS_ARG ? args[pass->index]
                        : pass->kind == HONE_PASS_WORKSPACE
                            ? (void *)&blocks[pass->index].data
                        : pass->kind == HONE_PASS_MAP
                            ? (void *)&maps[pass->index]
                        : pass->kind == HONE_PASS_I32 ? (void *)&narrow[p]
                                                      : (void *)&wide[p];
        }
        HONE_TRY(hone__driver_check(
            driver,
            hone__driver_launch(driver, variant->functions[i],
                                &variant->shapes[i], stream, params),
            l->kernel, err));
    }
    return HONE_OK;
}

hone_subject hone__variant_subject(hone_variant *variant)
{
    return (hone_subject){enqueue, variant};
}
