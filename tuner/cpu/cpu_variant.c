/* SPDX-License-Identifier: Apache-2.0 */
/* A variant compiled for the host, in this process: see cpu_problem.h. */
#define _GNU_SOURCE /* memfd_create */
#include "tuner/cpu/cpu_problem.h"

#include "runtime/base/alloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* dlopen wants a name: a file in memory has one, and no disk is touched. The
 * loader takes a name it knows for the object it knows, and under a sanitizer
 * objects may stay loaded after dlclose: each load spells the name with
 * another number of slashes. */
static hone_status open_object(const void *object, size_t object_bytes,
                               hone_cpu_variant *out, hone_error *err)
{
    enum { MOST_SLASHES = 3000 }; /* a path has at most 4095 characters */
    static unsigned n_loads;
    char path[MOST_SLASHES + 64];
    char slashes[MOST_SLASHES + 1];
    const size_t n_slashes = 1 + n_loads++ % MOST_SLASHES;
    const int fd = memfd_create("hone-variant", 0);

    out->fd = fd;
    if (fd < 0 || hone__write_all(fd, object, object_bytes)) {
        const int code = errno;

        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, code,
                                 "cannot keep a variant in memory: %s",
                                 strerror(code));
    }
    memset(slashes, '/', n_slashes);
    slashes[n_slashes] = '\0';
    (void)snprintf(path, sizeof path, "/proc/self/fd%s%d", slashes, fd);
    out->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (out->library)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_UNSUPPORTED,
                      "a compiled variant cannot be loaded: %.600s", dlerror());
}

static hone_status make_workspaces(const hone_cpu_problem *problem,
                                   hone_cpu_variant *variant, hone_error *err)
{
    for (size_t i = 0; i < variant->resolved.n_workspaces; ++i) {
        const hone_resolved_workspace *w = &variant->resolved.workspaces[i];

        if (!w->size_bytes)
            continue; /* a null pointer, as TEMPLATE.md says */
        HONE_TRY(hone__cpu_block_alloc((size_t)w->size_bytes, problem->guarded,
                                       &variant->workspaces[i], err));
        if (w->zero == HONE_ZERO_ONCE)
            memset(variant->workspaces[i].data, 0, (size_t)w->size_bytes);
    }
    return HONE_OK;
}

static hone_status find_constants(hone_cpu_variant *variant, hone_error *err)
{
    void *symbol = dlsym(variant->library, HONE_HOST_CONSTANT_SYMBOL);
    hone_host_constant_fn *find = NULL;

    memcpy(&find, &symbol, sizeof symbol);
    for (size_t i = 0; i < variant->resolved.n_constants; ++i) {
        const hone_resolved_constant *constant =
            &variant->resolved.constants[i];
        unsigned long size_bytes = 0;

        if (find)
            variant->constants[i] = find(constant->name, &size_bytes);
        if (!variant->constants[i])
            return hone__fail(err, HONE_ERR_INPUT,
                              "the compiled variant has no constant '%s'; is "
                              "it declared __constant__ at file scope?",
                              constant->name);
        if (size_bytes < (unsigned long)constant->size_bytes)
            return hone__fail(err, HONE_ERR_INPUT,
                              "the constant '%s' holds %lu bytes, and %lld "
                              "are to be kept in it",
                              constant->name, size_bytes,
                              (long long)constant->size_bytes);
    }
    return HONE_OK;
}

hone_status hone__cpu_variant_load(const hone_cpu_problem *problem,
                                   const char *launch_spec, const void *object,
                                   size_t object_bytes, hone_cpu_variant *out,
                                   hone_error *err)
{
    return hone__cpu_variant_load_at(problem, problem->resolved.dims,
                                     problem->resolved.n_dims, launch_spec,
                                     object, object_bytes, out, err);
}

hone_status hone__cpu_variant_load_at(const hone_cpu_problem *problem,
                                      const int64_t *dims, size_t n_dims,
                                      const char *launch_spec,
                                      const void *object, size_t object_bytes,
                                      hone_cpu_variant *out, hone_error *err)
{
    hone_status status;

    memset(out, 0, sizeof *out);
    out->fd = -1;
    status = hone__launch_spec_parse(launch_spec, &out->spec, err);
    if (status == HONE_OK)
        status = hone__launch_spec_resolve(
            out->spec, dims, n_dims, &problem->properties, &out->resolved, err);
    if (status == HONE_OK)
        status = open_object(object, object_bytes, out, err);
    if (status == HONE_OK) {
        void *symbol = dlsym(out->library, HONE_HOST_SYMBOL);

        memcpy(&out->run, &symbol, sizeof symbol);
        if (!symbol)
            status = hone__fail(err, HONE_ERR_UNSUPPORTED,
                                "a compiled variant lacks " HONE_HOST_SYMBOL);
    }
    if (status == HONE_OK)
        status = find_constants(out, err);
    if (status == HONE_OK)
        status = make_workspaces(problem, out, err);
    if (status != HONE_OK)
        hone__cpu_variant_unload(out);
    return status;
}

void hone__cpu_variant_unload(hone_cpu_variant *variant)
{
    for (size_t i = 0; i < HONE_MAX_WORKSPACES; ++i)
        hone__cpu_block_free(&variant->workspaces[i]);
    if (variant->library)
        (void)dlclose(variant->library);
    if (variant->fd >= 0)
        (void)close(variant->fd);
    hone__launch_spec_free(variant->spec);
    memset(variant, 0, sizeof *variant);
    variant->fd = -1;
}

static hone_status run_launch(hone_cpu_variant *variant,
                              const hone_resolved_launch *l, void *const *args,
                              hone_error *err)
{
    void *params[HONE_MAX_PASSED];
    void *workspace[HONE_MAX_PASSED];
    int narrow[HONE_MAX_PASSED];
    int64_t wide[HONE_MAX_PASSED];
    hone_host_report report = {.kind = HONE_HOST_OK};
    hone_host_launch launch = {
        .kernel = l->kernel, .shared_bytes = l->shared_bytes, .params = params};

    for (size_t p = 0; p < l->n_passed; ++p) {
        const hone_pass *pass = &l->passed[p];

        narrow[p] = (int)pass->value;
        wide[p] = pass->value;
        if (pass->kind == HONE_PASS_WORKSPACE)
            workspace[p] = variant->workspaces[pass->index].data;
        params[p] = pass->kind == HONE_PASS_ARG         ? args[pass->index]
                    : pass->kind == HONE_PASS_WORKSPACE ? (void *)&workspace[p]
                    : pass->kind == HONE_PASS_I32       ? (void *)&narrow[p]
                                                        : (void *)&wide[p];
    }
    for (int i = 0; i < 3; ++i) {
        launch.grid[i] = l->grid[i];
        launch.block[i] = l->block[i];
    }
    if (variant->run(&launch, &report) == HONE_HOST_OK)
        return HONE_OK;
    report.text[sizeof report.text - 1] = '\0';
    return hone__fail(err, HONE_ERR_KERNEL, "kernel %s: %s", l->kernel,
                      report.text);
}

/* What comes before the launches, as on a GPU. */
static void begin(hone_cpu_variant *variant, void *const *args)
{
    const hone_resolved *r = &variant->resolved;

    for (size_t i = 0; i < r->n_workspaces; ++i) {
        if (r->workspaces[i].zero == HONE_ZERO_EACH &&
            r->workspaces[i].size_bytes)
            memset(variant->workspaces[i].data, 0,
                   (size_t)r->workspaces[i].size_bytes);
    }
    for (size_t i = 0; i < r->n_constants; ++i) {
        const void *from = *(void *const *)args[r->constants[i].arg];

        if (from == variant->filled[i])
            continue;
        memcpy(variant->constants[i], from, (size_t)r->constants[i].size_bytes);
        variant->filled[i] = from;
    }
}

static hone_status enqueue(void *user, void *const *args, hone_stream stream,
                           hone_error *err)
{
    hone_cpu_variant *variant = user;

    (void)stream;
    begin(variant, args);
    for (size_t i = 0; i < variant->resolved.n_launches; ++i)
        HONE_TRY(
            run_launch(variant, &variant->resolved.launches[i], args, err));
    return HONE_OK;
}

hone_subject hone__cpu_variant_subject(hone_cpu_variant *variant)
{
    return (hone_subject){enqueue, variant};
}
