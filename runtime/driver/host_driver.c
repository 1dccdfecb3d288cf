/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of the cpu device: see driver.h. Device memory is memory of the
 * process, a module is a shared object (host_object.h), a launch has ended
 * when it returns. What a kernel reports, or why an object does not load, is
 * kept for the calling thread until `failed` asks for it. */
#include "runtime/driver/driver.h"

#include "runtime/base/alloc.h"
#include "runtime/driver/host_object.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    ALIGN_BYTES = 256, /* what cuMemAlloc gives: vector loads may rely on it */
    MAX_THREADS = 1024,
    CONTEXT_ID = 1,
    /* Shared memory comes from the heap: sm_90's limit, so that the same
     * variants are valid, is a matter of the device properties. */
    MOST_SHARED_BYTES = 1 << 30
};

typedef struct hone_host_module {
    hone_host_object object;
    pthread_mutex_t lock; /* of the list */
    hone_host_function *functions;
} hone_host_module;

/* Any handle that has to be there, and nothing is behind it. */
static char something;

static _Thread_local hone_error last_failure;

/* A status that was recorded there. */
static hone_cu_result keep(hone_status status)
{
    return status == HONE_OK ? 0 : HONE_CU_HOST_FAILED;
}

static hone_status failed(hone_cu_result result, const char *what,
                          hone_error *err)
{
    if (result == HONE_CU_HOST_FAILED)
        return hone__fail_native(err, last_failure.status, last_failure.domain,
                                 last_failure.native, "%s", last_failure.text);
    return hone__fail(err,
                      result == HONE_CU_OUT_OF_MEMORY ? HONE_ERR_NO_MEMORY
                                                      : HONE_ERR_UNSUPPORTED,
                      "%s: %s", what,
                      result == HONE_CU_OUT_OF_MEMORY
                          ? "out of memory"
                          : "the cpu device does not have this");
}

/* ---- the device ---------------------------------------------------------- */

/* What there is nothing to do for. */
#define NOTHING(name, type)                                                    \
    static hone_cu_result name(type unused)                                    \
    {                                                                          \
        (void)unused;                                                          \
        return 0;                                                              \
    }
NOTHING(init, unsigned)
NOTHING(primary_release, hone_cu_device)
NOTHING(context_set, hone_cu_context)
NOTHING(stream_nothing, hone_stream)
NOTHING(event_nothing, hone_cu_event)
#undef NOTHING

static hone_cu_result get_zero(int *out)
{
    *out = 0;
    return 0;
}

static hone_cu_result device_count(int *out)
{
    *out = 1;
    return 0;
}

static hone_cu_result device_get(hone_cu_device *out, int ordinal)
{
    *out = ordinal;
    return ordinal ? HONE_CU_NO_DEVICE : 0;
}

static hone_cu_result device_name(char *out, int size, hone_cu_device device)
{
    hone_error ignored = {0};

    (void)device;
    return hone__host_name(out, (size_t)size, &ignored) == HONE_OK
               ? 0
               : HONE_CU_NOT_FOUND;
}

static hone_cu_result device_memory(size_t *out, hone_cu_device device)
{
    hone_properties properties;

    (void)device;
    hone__properties_of_host(&properties);
    *out = (size_t)properties.value[HONE_PROPERTY_memory];
    return 0;
}

static hone_cu_result primary_retain(hone_cu_context *out,
                                     hone_cu_device device)
{
    (void)device;
    *out = (hone_cu_context)(void *)&something;
    return 0;
}

static hone_cu_result context_get(hone_cu_context *out)
{
    return primary_retain(out, 0);
}

static hone_cu_result context_id(hone_cu_context context,
                                 unsigned long long *out)
{
    (void)context;
    *out = CONTEXT_ID;
    return 0;
}

static hone_cu_result context_synchronize(void)
{
    return 0;
}

/* ---- kernels ------------------------------------------------------------- */

static hone_cu_result load(hone_cu_module *out, const void *code,
                           size_t size_bytes, const char *what)
{
    hone_host_module *module = hone__alloc(sizeof *module);
    hone_status status;

    *out = NULL;
    if (!module || pthread_mutex_init(&module->lock, NULL)) {
        hone__free(module);
        return HONE_CU_OUT_OF_MEMORY;
    }
    status =
        hone__host_load(code, size_bytes, what, &module->object, &last_failure);
    if (status == HONE_OK)
        *out = (hone_cu_module)(void *)module;
    else
        hone__free(module);
    return keep(status);
}

static hone_cu_result module_unload(hone_cu_module handle)
{
    hone_host_module *module = (hone_host_module *)(void *)handle;

    while (module->functions) {
        hone_host_function *next = module->functions->next;

        hone__free(module->functions);
        module->functions = next;
    }
    hone__host_unload(&module->object);
    (void)pthread_mutex_destroy(&module->lock);
    hone__free(module);
    return 0;
}

static hone_cu_result param_info(hone_cu_function handle, size_t index,
                                 size_t *out_offset, size_t *out_bytes)
{
    const hone_host_function *f = (hone_host_function *)(void *)handle;

    unsigned long bytes = 0;
    const int report = f->module->object.param(f->name, index, &bytes);

    *out_offset = 0;
    *out_bytes = bytes;
    return report ? HONE_CU_INVALID_VALUE : 0;
}

static hone_cu_result module_function(hone_cu_function *out,
                                      hone_cu_module handle, const char *name)
{
    hone_host_module *module = (hone_host_module *)(void *)handle;
    hone_host_function *f;
    unsigned long first_bytes;

    if (module->object.param(name, 0, &first_bytes) == HONE_HOST_NO_KERNEL)
        return HONE_CU_NOT_FOUND;
    (void)pthread_mutex_lock(&module->lock);
    for (f = module->functions; f && strcmp(f->name, name) != 0; f = f->next)
        ;
    if (!f) {
        const size_t bytes = strlen(name) + 1;

        f = hone__alloc(sizeof *f + bytes);
        if (f) {
            f->name = memcpy(f + 1, name, bytes);
            f->module = module;
            f->next = module->functions;
            module->functions = f;
        }
    }
    (void)pthread_mutex_unlock(&module->lock);
    *out = (hone_cu_function)(void *)f;
    return f ? 0 : HONE_CU_OUT_OF_MEMORY;
}

static hone_cu_result module_global(hone_cu_ptr *out, size_t *out_bytes,
                                    hone_cu_module handle, const char *name)
{
    const hone_host_module *module = (hone_host_module *)(void *)handle;
    unsigned long bytes = 0;
    void *found =
        module->object.constant ? module->object.constant(name, &bytes) : NULL;

    *out = (uintptr_t)found;
    *out_bytes = bytes;
    return found ? 0 : HONE_CU_NOT_FOUND;
}

static hone_cu_result function_get(int *out, int attribute, hone_cu_function f)
{
    (void)f;
    *out = attribute == HONE_CU_FUNC_MAX_THREADS          ? MAX_THREADS
           : attribute == HONE_CU_FUNC_MAX_DYNAMIC_SHARED ? MOST_SHARED_BYTES
                                                          : 0;
    return 0;
}

hone_cu_function hone__host_kernel(hone_host_function *function)
{
    return (hone_cu_function)(void *)function;
}

static hone_cu_result launch(hone_cu_function handle, unsigned gx, unsigned gy,
                             unsigned gz, unsigned bx, unsigned by, unsigned bz,
                             unsigned shared_bytes, hone_stream stream,
                             void **params, void **extra)
{
    const hone_host_function *f = (hone_host_function *)(void *)handle;
    const hone_host_launch call = {.kernel = f->name,
                                   .grid = {gx, gy, gz},
                                   .block = {bx, by, bz},
                                   .shared_bytes = shared_bytes,
                                   .params = params};
    hone_host_report report = {.kind = HONE_HOST_OK};

    (void)stream;
    (void)extra;
    if (!f->module) {
        f->run(params);
        return 0;
    }
    if (f->module->object.run(&call, &report) == HONE_HOST_OK)
        return 0;
    report.text[sizeof report.text - 1] = '\0';
    if (!report.text[0])
        (void)snprintf(report.text, sizeof report.text, "report %d",
                       report.kind);
    return keep(hone__fail(&last_failure,
                           report.kind == HONE_HOST_MEMORY ? HONE_ERR_NO_MEMORY
                                                           : HONE_ERR_KERNEL,
                           "kernel %s: %s", f->name, report.text));
}

/* ---- memory -------------------------------------------------------------- */

static hone_cu_result memory_alloc(hone_cu_ptr *out, size_t size_bytes)
{
    void *block = hone__alloc_aligned(ALIGN_BYTES, size_bytes);

    *out = (uintptr_t)block;
    return block ? 0 : HONE_CU_OUT_OF_MEMORY;
}

static void *at(hone_cu_ptr address)
{
    return (void *)(uintptr_t)address;
}

static hone_cu_result memory_free(hone_cu_ptr address)
{
    hone__free(at(address));
    return 0;
}

static hone_cu_result memory_info(size_t *out_free, size_t *out_total)
{
    const long n_free = sysconf(_SC_AVPHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);

    *out_free =
        n_free > 0 && page_bytes > 0 ? (size_t)n_free * (size_t)page_bytes : 0;
    return device_memory(out_total, 0);
}

static hone_cu_result copy_to_device(hone_cu_ptr to, const void *from,
                                     size_t size_bytes)
{
    memcpy(at(to), from, size_bytes);
    return 0;
}

static hone_cu_result copy_to_host(void *to, hone_cu_ptr from,
                                   size_t size_bytes)
{
    memcpy(to, at(from), size_bytes);
    return 0;
}

static hone_cu_result copy_async(hone_cu_ptr to, hone_cu_ptr from,
                                 size_t size_bytes, hone_stream stream)
{
    (void)stream;
    memcpy(at(to), at(from), size_bytes);
    return 0;
}

static hone_cu_result copy_in_async(hone_cu_ptr to, const void *from,
                                    size_t size_bytes, hone_stream stream)
{
    (void)stream;
    return copy_to_device(to, from, size_bytes);
}

static hone_cu_result copy_out_async(void *to, hone_cu_ptr from,
                                     size_t size_bytes, hone_stream stream)
{
    (void)stream;
    return copy_to_host(to, from, size_bytes);
}

static hone_cu_result host_alloc(void **out, size_t size_bytes, unsigned flags)
{
    (void)flags;
    *out = hone__alloc_aligned(ALIGN_BYTES, size_bytes);
    return *out ? 0 : HONE_CU_OUT_OF_MEMORY;
}

static hone_cu_result host_free(void *block)
{
    hone__free(block);
    return 0;
}

static hone_cu_result fill8_async(hone_cu_ptr to, unsigned char value,
                                  size_t count, hone_stream stream)
{
    (void)stream;
    memset(at(to), value, count);
    return 0;
}

/* ---- streams and events -------------------------------------------------- */

static hone_cu_result stream_create(hone_stream *out, unsigned flags)
{
    (void)flags;
    *out = (hone_stream)(void *)&something;
    return 0;
}

static hone_cu_result stream_wait(hone_stream stream, hone_cu_event event,
                                  unsigned flags)
{
    (void)stream;
    (void)event;
    (void)flags;
    return 0;
}

static hone_cu_result capture_info(hone_stream stream, int *out_status,
                                   uint64_t *out_id)
{
    (void)stream;
    *out_status = HONE_CU_CAPTURE_NONE;
    *out_id = 0;
    return 0;
}

static hone_cu_result event_create(hone_cu_event *out, unsigned flags)
{
    struct timespec *event = hone__alloc(sizeof *event);

    (void)flags;
    *out = (hone_cu_event)(void *)event;
    return event ? 0 : HONE_CU_OUT_OF_MEMORY;
}

static hone_cu_result event_destroy(hone_cu_event event)
{
    hone__free(event);
    return 0;
}

static hone_cu_result event_record(hone_cu_event event, hone_stream stream)
{
    (void)stream;
    (void)clock_gettime(CLOCK_MONOTONIC, (struct timespec *)(void *)event);
    return 0;
}

static hone_cu_result event_elapsed(float *out_ms, hone_cu_event from,
                                    hone_cu_event to)
{
    const struct timespec *a = (struct timespec *)(void *)from;
    const struct timespec *b = (struct timespec *)(void *)to;

    *out_ms = (float)(1e3 * (double)(b->tv_sec - a->tv_sec) +
                      1e-6 * (double)(b->tv_nsec - a->tv_nsec));
    return 0;
}

/* ---- the table ----------------------------------------------------------- */

const hone_driver *hone__host_driver(void)
{
    static const hone_driver_kind kind = {"cpu", 1, load, failed};
    /* What is not here is NULL: whoever asks for it looks at `kind`, or there
     * is a row of the device properties that keeps it from being asked for. */
    static const hone_driver table = {
        .init = init,
        .driver_version = get_zero,
        .device_count = device_count,
        .device_get = device_get,
        .device_name = device_name,
        .device_memory = device_memory,
        .primary_retain = primary_retain,
        .primary_release = primary_release,
        .context_get = context_get,
        .context_set = context_set,
        .context_push = context_set,
        .context_pop = context_get,
        .context_device = get_zero,
        .context_id = context_id,
        .context_synchronize = context_synchronize,
        .module_unload = module_unload,
        .module_function = module_function,
        .module_global = module_global,
        .function_get = function_get,
        .param_info = param_info,
        .launch = launch,
        .memory_alloc = memory_alloc,
        .memory_free = memory_free,
        .memory_info = memory_info,
        .copy_to_device = copy_to_device,
        .copy_to_host = copy_to_host,
        .copy_in_async = copy_in_async,
        .copy_out_async = copy_out_async,
        .host_alloc = host_alloc,
        .host_free = host_free,
        .copy_async = copy_async,
        .fill8_async = fill8_async,
        .stream_create = stream_create,
        .stream_destroy = stream_nothing,
        .stream_synchronize = stream_nothing,
        .stream_query = stream_nothing,
        .stream_wait = stream_wait,
        .capture_info = capture_info,
        .event_create = event_create,
        .event_destroy = event_destroy,
        .event_record = event_record,
        .event_synchronize = event_nothing,
        .event_elapsed = event_elapsed,
        .kind = &kind,
    };

    return &table;
}
