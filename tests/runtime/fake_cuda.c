/* SPDX-License-Identifier: Apache-2.0 */
/* The driver for tests: see fake_cuda.h. */
#include "tests/runtime/fake_cuda_parts.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPTURE_UNSUPPORTED = 900, INVALID_HANDLE = 400 };

struct CUctx_st {
    unsigned long long id; /* 0: destroyed */
};

struct CUfunc_st {
    struct CUmod_st *module;
    char name[64];
    int static_bytes;
    int dynamic_limit_bytes;
    size_t n_params;
    size_t size_bytes[FAKE_MAX_PARAMS];
};

struct CUmod_st {
    unsigned long long context_id;
    char constant_name[64]; /* "": none */
    size_t constant_bytes;
    _Alignas(16) unsigned char constant[256];
    size_t n_functions;
    struct CUfunc_st functions[8];
};

static struct {
    pthread_mutex_t lock; /* of the launches and of `kept` */
    int capturing;
    int recording;
    int n_resident_blocks;
    int n_resident_clusters;
    int allows_large_clusters;
    fake_launch launches[FAKE_KEPT_LAUNCHES];
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_long n_calls;
static atomic_long fail_at; /* the value of n_calls that fails; 0: none */
static atomic_int fail_code;
static atomic_long n_launches;
static atomic_long n_modules;
static atomic_long n_loads;
static atomic_long n_allocations;
static atomic_long n_streams;
static atomic_long n_copies;
static atomic_long n_fills;
static atomic_ullong last_context_id;
static _Thread_local hone_cu_context current;
static _Thread_local hone_cu_context stack[8];
static _Thread_local int stack_depth;

/* What would be leaked when a context dies under it stays reachable. */
static struct {
    void *block;
    size_t size_bytes; /* of device memory */
} kept[4096];
static atomic_size_t kept_bytes; /* of all */
static size_t most_bytes;

static void keep(void *block, size_t size_bytes)
{
    (void)pthread_mutex_lock(&fake.lock);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; ++i) {
        if (!kept[i].block) {
            kept[i].block = block;
            kept[i].size_bytes = size_bytes;
            kept_bytes += size_bytes;
            break;
        }
    }
    (void)pthread_mutex_unlock(&fake.lock);
}

static void drop(void *block)
{
    (void)pthread_mutex_lock(&fake.lock);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; ++i) {
        if (kept[i].block == block) {
            kept[i].block = NULL;
            kept_bytes -= kept[i].size_bytes;
        }
    }
    (void)pthread_mutex_unlock(&fake.lock);
    free(block);
}

int fake_enter(void)
{
    const long call = atomic_fetch_add(&n_calls, 1) + 1;

    if (fake_is_forked())
        return HONE_CU_NOT_INITIALIZED;
    return call == atomic_load(&fail_at) ? atomic_load(&fail_code) : 0;
}

void fake_reset(void)
{
    fake_device(90, 132, "Fake H200");
    fake_no_device(0);
    fake.capturing = 0;
    fake.recording = 1;
    fake.allows_large_clusters = 0;
    fake_occupancy(2, 16);
    atomic_store(&n_copies, 0);
    atomic_store(&n_fills, 0);
    atomic_store(&n_calls, 0);
    atomic_store(&fail_at, 0);
    atomic_store(&n_launches, 0);
    fake_forget_maps();
    fake_forget_steps();
    fake_memory((size_t)1 << 32);
    atomic_store(&n_loads, 0);
}

hone_cu_context fake_context_create(void)
{
    current = calloc(1, sizeof *current);
    keep(current, 0);
    current->id = atomic_fetch_add(&last_context_id, 1) + 1;
    return current;
}

void fake_context_destroy(hone_cu_context context)
{
    context->id = 0; /* kept, so that its handle can be looked at */
}

void fake_context_reset(hone_cu_context context)
{
    context->id = atomic_fetch_add(&last_context_id, 1) + 1;
}

void fake_fail_call(long n, int code)
{
    atomic_store(&fail_code, code);
    atomic_store(&fail_at, n ? atomic_load(&n_calls) + n : 0);
}

long fake_n_calls(void)
{
    return atomic_load(&n_calls);
}

long fake_n_launches(void)
{
    return atomic_load(&n_launches);
}

const fake_launch *fake_launch_at(long index)
{
    return &fake.launches[index % FAKE_KEPT_LAUNCHES];
}

void fake_record(int on)
{
    fake.recording = on;
}

void fake_capture(int on)
{
    fake.capturing = on;
}

void fake_occupancy(int n_blocks, int n_clusters)
{
    fake.n_resident_blocks = n_blocks;
    fake.n_resident_clusters = n_clusters;
}

int fake_allows_large_clusters(void)
{
    return fake.allows_large_clusters;
}

long fake_n_copies(void)
{
    return atomic_load(&n_copies);
}

long fake_n_fills(void)
{
    return atomic_load(&n_fills);
}

void fake_lose_all(void)
{
    atomic_store(&n_modules, 0);
    atomic_store(&n_allocations, 0);
}

long fake_n_modules(void)
{
    return atomic_load(&n_modules);
}

long fake_n_loads(void)
{
    return atomic_load(&n_loads);
}

long fake_n_allocations(void)
{
    return atomic_load(&n_allocations);
}

size_t fake_n_bytes(void)
{
    return kept_bytes;
}

void fake_memory(size_t size_bytes)
{
    most_bytes = size_bytes;
}

long fake_n_streams(void)
{
    return atomic_load(&n_streams);
}

hone_cu_result cuCtxGetCurrent(hone_cu_context *out)
{
    FAKE_ENTER();
    *out = current;
    return 0;
}

hone_cu_result cuCtxSetCurrent(hone_cu_context c)
{
    FAKE_ENTER();
    current = c;
    return 0;
}

hone_cu_result cuCtxPushCurrent_v2(hone_cu_context c)
{
    FAKE_ENTER();
    if (!c || !c->id || stack_depth == 8)
        return HONE_CU_INVALID_CONTEXT;
    stack[stack_depth++] = current;
    current = c;
    return 0;
}

hone_cu_result cuCtxPopCurrent_v2(hone_cu_context *out)
{
    FAKE_ENTER();
    *out = current;
    if (!stack_depth)
        return HONE_CU_INVALID_CONTEXT;
    current = stack[--stack_depth];
    return 0;
}

hone_cu_result cuCtxGetDevice(hone_cu_device *out)
{
    FAKE_ENTER();
    *out = 0;
    return current ? 0 : HONE_CU_INVALID_CONTEXT;
}

hone_cu_result cuCtxGetId(hone_cu_context c, unsigned long long *out)
{
    FAKE_ENTER();
    if (!c)
        c = current;
    if (!c || !c->id)
        return HONE_CU_INVALID_CONTEXT;
    *out = c->id;
    return 0;
}

/* "NAME STATIC_SHARED SIZE,SIZE,.." */
static int parse_kernel(const char *line, struct CUfunc_st *out)
{
    char sizes[128] = "";
    char *rest = sizes;

    if (sscanf(line, "%63s %d %127s", out->name, &out->static_bytes, sizes) < 2)
        return 0;
    out->dynamic_limit_bytes = FAKE_DEFAULT_SHARED - out->static_bytes;
    while (*rest && out->n_params < FAKE_MAX_PARAMS) {
        out->size_bytes[out->n_params++] = strtoul(rest, &rest, 10);
        rest += *rest == ',';
    }
    return 1;
}

hone_cu_result cuModuleLoadData(hone_cu_module *out, const void *image)
{
    const char *line = image;
    hone_cu_module module;

    FAKE_ENTER();
    if (!current || !current->id)
        return HONE_CU_INVALID_CONTEXT;
    module = calloc(1, sizeof *module);
    while (line && *line && module->n_functions < 8) {
        struct CUfunc_st *f = &module->functions[module->n_functions];

        if (*line == '@') {
            (void)sscanf(line, "@%63s %zu", module->constant_name,
                         &module->constant_bytes);
        } else if (parse_kernel(line, f)) {
            f->module = module;
            ++module->n_functions;
        } else {
            free(module);
            return HONE_CU_NO_BINARY_FOR_GPU;
        }
        line = strchr(line, '\n');
        line += line != NULL;
    }
    keep(module, 0);
    module->context_id = current->id;
    atomic_fetch_add(&n_modules, 1);
    atomic_fetch_add(&n_loads, 1);
    *out = module;
    return 0;
}

hone_cu_result cuModuleUnload(hone_cu_module m)
{
    if (!current || m->context_id != current->id)
        return INVALID_HANDLE;
    drop(m);
    atomic_fetch_sub(&n_modules, 1);
    FAKE_ENTER(); /* a late failure: it is gone all the same */
    return 0;
}

hone_cu_result cuModuleGetFunction(hone_cu_function *out, hone_cu_module m,
                                   const char *name)
{
    FAKE_ENTER();
    for (size_t i = 0; i < m->n_functions; ++i) {
        if (strcmp(m->functions[i].name, name) == 0) {
            *out = &m->functions[i];
            return 0;
        }
    }
    return HONE_CU_NOT_FOUND;
}

hone_cu_result cuModuleGetGlobal_v2(hone_cu_ptr *out, size_t *out_bytes,
                                    hone_cu_module m, const char *name)
{
    FAKE_ENTER();
    if (!*m->constant_name || strcmp(m->constant_name, name) != 0)
        return HONE_CU_NOT_FOUND;
    *out = (hone_cu_ptr)(uintptr_t)m->constant;
    *out_bytes = m->constant_bytes;
    return 0;
}

hone_cu_result cuFuncGetAttribute(int *out, int attribute, hone_cu_function f)
{
    FAKE_ENTER();
    *out = attribute == HONE_CU_FUNC_MAX_DYNAMIC_SHARED ? f->dynamic_limit_bytes
           : attribute == HONE_CU_FUNC_SHARED_BYTES     ? f->static_bytes
           : attribute == HONE_CU_FUNC_MAX_THREADS      ? FAKE_MAX_THREADS
                                                        : 0;
    return 0;
}

hone_cu_result cuFuncGetParamInfo(hone_cu_function f, size_t index,
                                  size_t *out_offset, size_t *out_bytes)
{
    FAKE_ENTER();
    if (index >= f->n_params)
        return FAKE_INVALID_VALUE;
    *out_offset = 8 * index;
    *out_bytes = f->size_bytes[index];
    return 0;
}

hone_cu_result cuFuncSetAttribute(hone_cu_function f, int attribute, int value)
{
    FAKE_ENTER();
    if (attribute == HONE_CU_FUNC_NON_PORTABLE_CLUSTER) {
        fake.allows_large_clusters |= value;
        return 0;
    }
    if (attribute != HONE_CU_FUNC_MAX_DYNAMIC_SHARED ||
        f->static_bytes + value > FAKE_OPTIN_SHARED)
        return FAKE_INVALID_VALUE;
    f->dynamic_limit_bytes = value;
    return 0;
}

static void record(long index, hone_cu_function f,
                   const hone_cu_launch_config *config, void **params)
{
    fake_launch *to = &fake.launches[index % FAKE_KEPT_LAUNCHES];

    (void)pthread_mutex_lock(&fake.lock);
    memset(to, 0, sizeof *to);
    memcpy(to->kernel, f->name, sizeof f->name);
    memcpy(to->grid, config->grid, sizeof to->grid);
    memcpy(to->block, config->block, sizeof to->block);
    to->shared_bytes = config->shared_bytes;
    to->stream = config->stream;
    memcpy(&to->constant, f->module->constant, sizeof to->constant);
    for (unsigned i = 0; i < config->n_attributes; ++i) {
        const hone_cu_attribute *a = &config->attributes[i];

        if (a->id == 2)
            to->cooperative = a->value.cooperative;
        else if (a->id == 4)
            memcpy(to->cluster, a->value.cluster, sizeof to->cluster);
        else if (a->id == 6)
            to->early = a->value.early;
    }
    to->context_id = current->id;
    to->n_params = f->n_params;
    for (size_t i = 0; i < f->n_params; ++i)
        memcpy(&to->params[i], params[i],
               f->size_bytes[i] < 8 ? f->size_bytes[i] : 8);
    fake_step_add((fake_step){.kind = FAKE_LAUNCH, .stream = config->stream});
    (void)pthread_mutex_unlock(&fake.lock);
}

hone_cu_result cuLaunchKernel(hone_cu_function f, unsigned gx, unsigned gy,
                              unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned shared_bytes, hone_stream s,
                              void **params, void **extra)
{
    const hone_cu_launch_config config = {.grid = {gx, gy, gz},
                                          .block = {bx, by, bz},
                                          .shared_bytes = shared_bytes,
                                          .stream = s};

    if (!fake.recording) {
        atomic_fetch_add_explicit(&n_launches, 1, memory_order_relaxed);
        return 0;
    }
    return cuLaunchKernelEx(&config, f, params, extra);
}

hone_cu_result cuLaunchKernelEx(const hone_cu_launch_config *c,
                                hone_cu_function f, void **params, void **extra)
{
    (void)extra;
    FAKE_ENTER();
    if (!current || f->module->context_id != current->id)
        return INVALID_HANDLE;
    if ((int)c->shared_bytes > f->dynamic_limit_bytes)
        return FAKE_INVALID_VALUE;
    record(atomic_fetch_add(&n_launches, 1), f, c, params);
    return 0;
}

hone_cu_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out,
                                                           hone_cu_function f,
                                                           int block,
                                                           size_t shared_bytes)
{
    FAKE_ENTER();
    (void)f;
    (void)block;
    (void)shared_bytes;
    *out = fake.n_resident_blocks;
    return 0;
}

hone_cu_result cuOccupancyMaxActiveClusters(int *out, hone_cu_function f,
                                            const hone_cu_launch_config *c)
{
    FAKE_ENTER();
    (void)f;
    *out = fake.n_resident_clusters;
    return c->n_attributes && c->attributes[0].id == 4 ? 0 : FAKE_INVALID_VALUE;
}

hone_cu_result cuMemAlloc_v2(hone_cu_ptr *out, size_t size_bytes)
{
    void *block;

    FAKE_ENTER();
    if (fake.capturing)
        return CAPTURE_UNSUPPORTED;
    if (size_bytes > most_bytes || kept_bytes > most_bytes - size_bytes)
        return HONE_CU_OUT_OF_MEMORY;
    block = aligned_alloc(256, (size_bytes + 255) / 256 * 256);
    keep(block, size_bytes);
    memset(block, 0xa5, size_bytes);
    *out = (hone_cu_ptr)(uintptr_t)block;
    atomic_fetch_add(&n_allocations, 1);
    return 0;
}

hone_cu_result cuMemFree_v2(hone_cu_ptr p)
{
    drop((void *)(uintptr_t)p);
    atomic_fetch_sub(&n_allocations, 1);
    FAKE_ENTER();
    return 0;
}

hone_cu_result cuMemsetD8Async(hone_cu_ptr to, unsigned char value,
                               size_t count, hone_stream s)
{
    FAKE_ENTER();
    (void)s;
    memset((void *)(uintptr_t)to, value, count);
    atomic_fetch_add(&n_fills, 1);
    return 0;
}

/* A captured copy happens at once, which is as good. */
hone_cu_result cuMemcpyDtoDAsync_v2(hone_cu_ptr to, hone_cu_ptr from,
                                    size_t size_bytes, hone_stream s)
{
    FAKE_ENTER();
    (void)s;
    if (!from)
        return FAKE_INVALID_VALUE;
    memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size_bytes);
    atomic_fetch_add(&n_copies, 1);
    (void)sched_yield(); /* whoever must not come between now would */
    return 0;
}

hone_cu_result cuStreamGetCaptureInfo(hone_stream s, int *out_status,
                                      uint64_t *out_id)
{
    FAKE_ENTER();
    (void)s;
    *out_status = fake.capturing != 0;
    if (fake.capturing)
        *out_id = (uint64_t)fake.capturing;
    return 0;
}

hone_cu_result cuStreamCreate(hone_stream *out, unsigned flags)
{
    FAKE_ENTER();
    (void)flags;
    *out = malloc(8);
    atomic_fetch_add(&n_streams, 1);
    return 0;
}

hone_cu_result cuStreamDestroy_v2(hone_stream s)
{
    free(s);
    atomic_fetch_sub(&n_streams, 1);
    FAKE_ENTER();
    return 0;
}

hone_cu_result cuStreamSynchronize(hone_stream s)
{
    FAKE_ENTER();
    (void)s;
    return 0;
}
