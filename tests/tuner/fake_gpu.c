/* SPDX-License-Identifier: Apache-2.0 */
/* See fake_gpu.h. */
#include "tests/tuner/fake_gpu_parts.h"

#include "tuner/cpu/cpu_device.h"
#include "tuner/cuda/cuda_device.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KERNELS = 32 };

double fake_gpu_now_ns;
size_t fake_gpu_limit_bytes;
size_t fake_gpu_live_bytes;
size_t fake_gpu_taken_bytes;
int fake_gpu_fails;
double fake_gpu_event_ns;
long fake_gpu_n_graphs;
long fake_gpu_live_graphs;
long fake_gpu_n_maps;
float fake_gpu_taps[64];
size_t fake_gpu_taps_bytes;
int fake_gpu_resident_blocks;
int fake_gpu_resident_clusters;
uint32_t fake_gpu_shared;
double fake_gpu_clock_mhz[8];
int fake_gpu_n_clocks;

static hone_driver table;
static fake_kernel kernels[MAX_KERNELS];
static int n_kernels;
static int clock_at;
/* ---- kernels ------------------------------------------------------------
 */

fake_kernel *fake_gpu_find(const char *name)
{
    for (int i = 0; i < n_kernels; ++i) {
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    }
    return NULL;
}

fake_kernel *fake_gpu_kernel(const char *name, fake_kernel_run *run,
                             int n_params, double cost_ns)
{
    fake_kernel *kernel = fake_gpu_find(name);

    if (!kernel) {
        assert(n_kernels < MAX_KERNELS);
        kernel = &kernels[n_kernels++];
    }
    *kernel = (fake_kernel){
        .name = name, .run = run, .n_params = n_params, .cost_ns = cost_ns};
    return kernel;
}

/* hone_load: parameters are the nanoseconds and where to write. */
static void run_load(void **params)
{
    uint64_t *const passed = (uint64_t *)(uintptr_t) * (hone_cu_ptr *)params[1];
    const uint64_t ns = *(uint64_t *)params[0];

    passed[0] = (uint64_t)(1e-3 * fake_gpu_clock_mhz[clock_at] * (double)ns);
    passed[1] = ns;
    if (clock_at + 1 < fake_gpu_n_clocks)
        ++clock_at;
}

/* hone_poison: parameters are the word, and how many. */
static void run_poison(void **params)
{
    memcpy(&fake_gpu_shared, params[0], sizeof fake_gpu_shared);
}

void fake_gpu_run(fake_kernel *kernel, void **params)
{
    fake_gpu_now_ns += kernel->cost_ns;
    ++kernel->n_runs;
    if (kernel->run)
        kernel->run(params);
}

static hone_cu_result launch(hone_cu_function f, unsigned gx, unsigned gy,
                             unsigned gz, unsigned bx, unsigned by, unsigned bz,
                             unsigned shared_bytes, hone_stream s,
                             void **params, void **extra)
{
    fake_kernel *kernel = (fake_kernel *)f;

    (void)by;
    (void)bz;
    (void)shared_bytes;
    (void)s;
    (void)extra;
    if (!bx || !gx)
        return 1;
    if (fake_gpu_fails && strncmp(kernel->name, "hone_", 5) != 0)
        return fake_gpu_fails;
    kernel->grid = gx * gy * gz;
    if (!fake_gpu_capture(kernel, params))
        fake_gpu_run(kernel, params);
    return 0;
}

static hone_cu_result tensor_map(hone_cu_tensor_map *out, int type,
                                 uint32_t rank, hone_cu_ptr address,
                                 const uint64_t *dims, const uint64_t *strides,
                                 const uint32_t *box, const uint32_t *steps,
                                 int interleave, int swizzle, int l2, int fill)
{
    (void)type;
    (void)rank;
    (void)dims;
    (void)strides;
    (void)box;
    (void)steps;
    (void)interleave;
    (void)swizzle;
    (void)l2;
    (void)fill;
    memset(out, 0, sizeof *out);
    out->words[0] = address;
    ++fake_gpu_n_maps;
    return 0;
}

static hone_cu_result launch_with(const hone_cu_launch_config *c,
                                  hone_cu_function f, void **params,
                                  void **extra)
{
    fake_kernel *kernel = (fake_kernel *)f;

    for (unsigned i = 0; i < c->n_attributes; ++i) {
        const hone_cu_attribute *a = &c->attributes[i];

        if (a->id == 4)
            kernel->cluster =
                a->value.cluster[0] * a->value.cluster[1] * a->value.cluster[2];
        else if (a->id == 2)
            kernel->cooperative = a->value.cooperative;
    }
    return launch(f, c->grid[0], c->grid[1], c->grid[2], c->block[0],
                  c->block[1], c->block[2], c->shared_bytes, c->stream, params,
                  extra);
}

static hone_cu_result occupancy(int *out, hone_cu_function f, int block,
                                size_t shared_bytes)
{
    (void)f;
    (void)block;
    (void)shared_bytes;
    *out = fake_gpu_resident_blocks;
    return 0;
}

static hone_cu_result active_clusters(int *out, hone_cu_function f,
                                      const hone_cu_launch_config *c)
{
    (void)f;
    (void)c;
    *out = fake_gpu_resident_clusters;
    return 0;
}

static hone_cu_result function_set(hone_cu_function f, int attribute, int value)
{
    (void)f;
    (void)attribute;
    (void)value;
    return 0;
}

static hone_cu_result module_global(hone_cu_ptr *out, size_t *out_bytes,
                                    hone_cu_module m, const char *name)
{
    (void)m;
    *out = (hone_cu_ptr)(uintptr_t)fake_gpu_taps;
    *out_bytes = fake_gpu_taps_bytes;
    return strcmp(name, "taps") == 0 && fake_gpu_taps_bytes ? 0
                                                            : HONE_CU_NOT_FOUND;
}

static hone_cu_result module_load(hone_cu_module *out, const void *image)
{
    *out = (hone_cu_module)(uintptr_t)image;
    return 0;
}

static hone_cu_result module_unload(hone_cu_module m)
{
    (void)m;
    return 0;
}

static hone_cu_result module_function(hone_cu_function *out, hone_cu_module m,
                                      const char *name)
{
    (void)m;
    *out = (hone_cu_function)(void *)fake_gpu_find(name);
    return *out ? 0 : 500;
}

static hone_cu_result function_get(int *out, int attribute, hone_cu_function f)
{
    (void)f;
    *out = attribute == HONE_CU_FUNC_MAX_THREADS          ? 1024
           : attribute == HONE_CU_FUNC_MAX_DYNAMIC_SHARED ? 49152
                                                          : 0;
    return 0;
}

static hone_cu_result primary_retain(hone_cu_context *out, hone_cu_device d)
{
    (void)d;
    if (fake_gpu_limit_bytes &&
        fake_gpu_live_bytes + FAKE_GPU_CONTEXT_BYTES > fake_gpu_limit_bytes)
        return HONE_CU_OUT_OF_MEMORY;
    *out = (hone_cu_context)(void *)&table;
    return 0;
}

static hone_cu_result primary_release(hone_cu_device d)
{
    (void)d;
    return 0;
}

static hone_cu_result context_set(hone_cu_context c)
{
    (void)c;
    return 0;
}

/* ---- the device ---------------------------------------------------------
 */

static void fill_table(void)
{
    table = fake_driver;
    fake_gpu_memory_rows(&table);
    fake_gpu_graph_rows(&table);
    table.primary_retain = primary_retain;
    table.primary_release = primary_release;
    table.context_set = context_set;
    table.launch = launch;
    table.launch_with = launch_with;
    table.occupancy = occupancy;
    table.active_clusters = active_clusters;
    table.function_set = function_set;
    table.module_global = module_global;
    table.tensor_map = tensor_map;
    table.module_load = module_load;
    table.module_unload = module_unload;
    table.module_function = module_function;
    table.function_get = function_get;
}

void fake_gpu_reset(void)
{
    fill_table();
    (void)setenv("HONE_NVML_LIBRARY", "/nonexistent/libnvidia-ml.so", 1);
    n_kernels = 0;
    clock_at = 0;
    fake_gpu_limit_bytes = 0;
    fake_gpu_taken_bytes = 0;
    fake_gpu_event_ns = 0;
    fake_gpu_fails = 0;
    fake_gpu_shared = 0;
    fake_gpu_n_maps = 0;
    fake_gpu_n_graphs = 0;
    fake_gpu_taps_bytes = sizeof fake_gpu_taps;
    fake_gpu_resident_blocks = 2;
    fake_gpu_resident_clusters = 16;
    fake_gpu_clock_mhz[0] = 1980;
    fake_gpu_n_clocks = 1;
    for (int i = 0; i < HONE_N_CPU_KERNELS; ++i)
        (void)fake_gpu_kernel(hone__cpu_kernels[i].name,
                              hone__cpu_kernels[i].run, 0, 0);
    (void)fake_gpu_kernel("hone_load", run_load, 2, 0);
    (void)fake_gpu_kernel("hone_hold", NULL, 1, 20000);
    (void)fake_gpu_kernel("hone_poison", run_poison, 2, 0);
}

void fake_gpu_open(hone_device *out, int64_t l2_bytes)
{
    hone_error err = {.status = HONE_OK};
    hone_status status;

    memset(out, 0, sizeof *out);
    out->driver = &table;
    out->kind = &hone__cuda_device;
    out->guard_bytes = hone__cuda_device.guard_bytes;
    (void)hone__properties_of_arch("sm_90", &out->properties, &err);
    out->properties.value[HONE_PROPERTY_l2] = l2_bytes;
    status = hone__device_begin(out, "our kernels", &err);
    assert(status == HONE_OK);
    (void)status;
}
