/* SPDX-License-Identifier: Apache-2.0 */
/* A device's driver as a table of functions. Two drivers fill one: CUDA's, by
 * dlopen (libraries.c), and that of the cpu device, which does the same in
 * host memory (host_driver.c). Everything above this table exists once.
 *
 * The functions, their parameters and their results are CUDA's, because the
 * hot path of a launch must not pass through a second function. cuda.h is not
 * used: hone builds on machines without CUDA. Declarations below follow the
 * driver's ABI (symbols with their versioned names). */
#ifndef HONE_RUNTIME_DRIVER_H
#define HONE_RUNTIME_DRIVER_H

#include "runtime/launch/launch_spec.h"

typedef int hone_cu_result;   /* CUresult; 0 is success */
typedef int hone_cu_device;   /* CUdevice */
typedef uint64_t hone_cu_ptr; /* CUdeviceptr */
typedef struct CUctx_st *hone_cu_context;
typedef struct CUmod_st *hone_cu_module;
typedef struct CUfunc_st *hone_cu_function;
typedef struct CUevent_st *hone_cu_event;
typedef struct CUgraph_st *hone_cu_graph;
typedef struct CUgraphExec_st *hone_cu_graph_exec;

/* CUresult values that are told apart. */
enum {
    HONE_CU_INVALID_VALUE = 1,
    HONE_CU_OUT_OF_MEMORY = 2,
    HONE_CU_NOT_INITIALIZED = 3,
    HONE_CU_NO_DEVICE = 100,
    HONE_CU_INVALID_CONTEXT = 201,
    HONE_CU_NO_BINARY_FOR_GPU = 209,
    HONE_CU_NOT_FOUND = 500,
    HONE_CU_NOT_READY = 600,
    HONE_CU_ILLEGAL_ADDRESS = 700,
    HONE_CU_LAUNCH_OUT_OF_RESOURCES = 701,
    HONE_CU_LAUNCH_TIMEOUT = 702,
    HONE_CU_LAUNCH_FAILED = 719,
    HONE_CU_NOT_SUPPORTED = 801,
    HONE_CU_HOST_FAILED = 1 << 16 /* of the cpu device: its `failed` knows */
};

/* CUdevice_attribute values that are read. */
enum {
    HONE_CU_ATTR_MAX_THREADS_PER_BLOCK = 1,
    HONE_CU_ATTR_MAX_SHARED_PER_BLOCK = 8,
    HONE_CU_ATTR_WARP_SIZE = 10,
    HONE_CU_ATTR_CLOCK_RATE_KHZ = 13,
    HONE_CU_ATTR_SM_COUNT = 16,
    HONE_CU_ATTR_L2_BYTES = 38,
    HONE_CU_ATTR_MAX_THREADS_PER_SM = 39,
    HONE_CU_ATTR_CC_MAJOR = 75,
    HONE_CU_ATTR_CC_MINOR = 76,
    HONE_CU_ATTR_MAX_SHARED_PER_SM = 81,
    HONE_CU_ATTR_MAX_REGS_PER_SM = 82,
    HONE_CU_ATTR_MAX_SHARED_OPTIN = 97,
    HONE_CU_ATTR_MAX_BLOCKS_PER_SM = 106
};

/* CUfunction_attribute values that are read or set. */
enum {
    HONE_CU_FUNC_MAX_THREADS = 0,
    HONE_CU_FUNC_SHARED_BYTES = 1,
    HONE_CU_FUNC_LOCAL_BYTES = 3,
    HONE_CU_FUNC_REGISTERS = 4,
    HONE_CU_FUNC_MAX_DYNAMIC_SHARED = 8,
    HONE_CU_FUNC_NON_PORTABLE_CLUSTER = 14
};

/* CUlaunchAttribute and CUlaunchConfig. */
typedef struct hone_cu_attribute {
    int id;
    char padding[8 - sizeof(int)];
    union {
        char all[64];
        unsigned cluster[3];
        int cooperative;
        int early;
    } value;
} hone_cu_attribute;

typedef struct hone_cu_launch_config {
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    hone_stream stream;
    hone_cu_attribute *attributes;
    unsigned n_attributes;
} hone_cu_launch_config;

enum {
    HONE_CU_CAPTURE_NONE = 0, /* status */
    HONE_CU_CAPTURE_RELAXED = 2,
    HONE_CU_CAPTURE_THREAD_LOCAL = 1,
    HONE_CU_EVENT_DEFAULT = 0,
    HONE_CU_EVENT_NO_TIMING = 2,
    HONE_CU_STREAM_NON_BLOCKING = 1,
    /* Page-locked for all contexts, and to be read and written by the device
     * at the same address. */
    HONE_CU_HOST_SHARED = 1 | 2
};

/* X(field, symbol, parameters): CUresult symbol(parameters). All of these
 * are mandatory: they exist since CUDA 12.0. */
#define HONE_CUDA_MAP(X)                                                       \
    X(init, cuInit, (unsigned flags))                                          \
    X(driver_version, cuDriverGetVersion, (int *out))                          \
    X(error_name, cuGetErrorName, (hone_cu_result r, const char **out))        \
    X(error_string, cuGetErrorString, (hone_cu_result r, const char **out))    \
    X(device_count, cuDeviceGetCount, (int *out))                              \
    X(device_get, cuDeviceGet, (hone_cu_device * out, int ordinal))            \
    X(device_name, cuDeviceGetName, (char *out, int size, hone_cu_device d))   \
    X(device_uuid, cuDeviceGetUuid_v2,                                         \
      (unsigned char *out16, hone_cu_device d))                                \
    X(device_memory, cuDeviceTotalMem_v2, (size_t * out, hone_cu_device d))    \
    X(device_attribute, cuDeviceGetAttribute,                                  \
      (int *out, int attribute, hone_cu_device d))                             \
    X(primary_retain, cuDevicePrimaryCtxRetain,                                \
      (hone_cu_context * out, hone_cu_device d))                               \
    X(primary_release, cuDevicePrimaryCtxRelease_v2, (hone_cu_device d))       \
    X(context_get, cuCtxGetCurrent, (hone_cu_context * out))                   \
    X(context_set, cuCtxSetCurrent, (hone_cu_context c))                       \
    X(context_push, cuCtxPushCurrent_v2, (hone_cu_context c))                  \
    X(context_pop, cuCtxPopCurrent_v2, (hone_cu_context * out))                \
    X(context_device, cuCtxGetDevice, (hone_cu_device * out))                  \
    X(context_id, cuCtxGetId, (hone_cu_context c, unsigned long long *out))    \
    X(context_synchronize, cuCtxSynchronize, (void))                           \
    X(module_load, cuModuleLoadData,                                           \
      (hone_cu_module * out, const void *image))                               \
    X(module_unload, cuModuleUnload, (hone_cu_module m))                       \
    X(module_function, cuModuleGetFunction,                                    \
      (hone_cu_function * out, hone_cu_module m, const char *name))            \
    X(module_global, cuModuleGetGlobal_v2,                                     \
      (hone_cu_ptr * out, size_t * out_bytes, hone_cu_module m,                \
       const char *name))                                                      \
    X(function_get, cuFuncGetAttribute,                                        \
      (int *out, int attribute, hone_cu_function f))                           \
    X(function_set, cuFuncSetAttribute,                                        \
      (hone_cu_function f, int attribute, int value))                          \
    X(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor,                  \
      (int *out, hone_cu_function f, int block, size_t shared_bytes))          \
    X(launch, cuLaunchKernel,                                                  \
      (hone_cu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, \
       unsigned by, unsigned bz, unsigned shared_bytes, hone_stream s,         \
       void **params, void **extra))                                           \
    X(active_clusters, cuOccupancyMaxActiveClusters,                           \
      (int *out, hone_cu_function f, const hone_cu_launch_config *c))          \
    X(launch_with, cuLaunchKernelEx,                                           \
      (const hone_cu_launch_config *c, hone_cu_function f, void **params,      \
       void **extra))                                                          \
    X(memory_alloc, cuMemAlloc_v2, (hone_cu_ptr * out, size_t size_bytes))     \
    X(memory_free, cuMemFree_v2, (hone_cu_ptr p))                              \
    X(memory_info, cuMemGetInfo_v2, (size_t * free_bytes, size_t * total))     \
    X(copy_to_device, cuMemcpyHtoD_v2,                                         \
      (hone_cu_ptr to, const void *from, size_t size_bytes))                   \
    X(copy_to_host, cuMemcpyDtoH_v2,                                           \
      (void *to, hone_cu_ptr from, size_t size_bytes))                         \
    X(copy_in_async, cuMemcpyHtoDAsync_v2,                                     \
      (hone_cu_ptr to, const void *from, size_t size_bytes, hone_stream s))    \
    X(copy_out_async, cuMemcpyDtoHAsync_v2,                                    \
      (void *to, hone_cu_ptr from, size_t size_bytes, hone_stream s))          \
    X(host_alloc, cuMemHostAlloc,                                              \
      (void **out, size_t size_bytes, unsigned flags))                         \
    X(host_free, cuMemFreeHost, (void *p))                                     \
    X(copy_async, cuMemcpyDtoDAsync_v2,                                        \
      (hone_cu_ptr to, hone_cu_ptr from, size_t size_bytes, hone_stream s))    \
    X(fill8_async, cuMemsetD8Async,                                            \
      (hone_cu_ptr to, unsigned char value, size_t count, hone_stream s))      \
    X(fill32_async, cuMemsetD32Async,                                          \
      (hone_cu_ptr to, unsigned value, size_t count, hone_stream s))           \
    X(stream_create, cuStreamCreate, (hone_stream * out, unsigned flags))      \
    X(stream_destroy, cuStreamDestroy_v2, (hone_stream s))                     \
    X(stream_synchronize, cuStreamSynchronize, (hone_stream s))                \
    X(stream_query, cuStreamQuery, (hone_stream s))                            \
    X(stream_wait, cuStreamWaitEvent,                                          \
      (hone_stream s, hone_cu_event e, unsigned flags))                        \
    X(capture_info, cuStreamGetCaptureInfo,                                    \
      (hone_stream s, int *out_status, uint64_t *out_id))                      \
    X(capture_begin, cuStreamBeginCapture_v2, (hone_stream s, int mode))       \
    X(capture_end, cuStreamEndCapture, (hone_stream s, hone_cu_graph * out))   \
    X(graph_instantiate, cuGraphInstantiateWithFlags,                          \
      (hone_cu_graph_exec * out, hone_cu_graph g, unsigned long long flags))   \
    X(graph_launch, cuGraphLaunch, (hone_cu_graph_exec g, hone_stream s))      \
    X(graph_exec_destroy, cuGraphExecDestroy, (hone_cu_graph_exec g))          \
    X(graph_destroy, cuGraphDestroy, (hone_cu_graph g))                        \
    X(event_create, cuEventCreate, (hone_cu_event * out, unsigned flags))      \
    X(event_destroy, cuEventDestroy_v2, (hone_cu_event e))                     \
    X(event_record, cuEventRecord, (hone_cu_event e, hone_stream s))           \
    X(event_synchronize, cuEventSynchronize, (hone_cu_event e))                \
    X(event_elapsed, cuEventElapsedTime,                                       \
      (float *out_ms, hone_cu_event a, hone_cu_event b))

/* CUtensorMap: its words are the driver's business. Their alignment is what
 * the driver asks for (64) and what cuda.h declares (128). */
typedef struct hone_cu_tensor_map {
    _Alignas(128) uint64_t words[16];
} hone_cu_tensor_map;

enum { HONE_CU_INTERLEAVE_NONE = 0 };

/* The same for functions that a driver may lack: NULL then. */
#define HONE_CUDA_OPTIONAL_MAP(X)                                              \
    X(capture_mode, cuThreadExchangeStreamCaptureMode, (int *in_out_mode))     \
    X(param_info, cuFuncGetParamInfo, /* since 12.4 */                         \
      (hone_cu_function f, size_t index, size_t * out_offset,                  \
       size_t * out_bytes))                                                    \
    X(tensor_map, cuTensorMapEncodeTiled,                                      \
      (hone_cu_tensor_map * out, int type, uint32_t rank, hone_cu_ptr address, \
       const uint64_t *dims, const uint64_t *strides, const uint32_t *box,     \
       const uint32_t *steps, int interleave, int swizzle, int l2, int fill))

/* How a driver differs from CUDA's. */
typedef struct hone_driver_kind {
    const char *name; /* "cpu" */
    /* A launch has ended when it returns, and streams mean nothing: runs that
     * share memory must not overlap. */
    int is_synchronous;
    /* Load kernels, when their length has to be known. `what` names them. */
    hone_cu_result (*load)(hone_cu_module *out, const void *code,
                           size_t size_bytes, const char *what);
    /* Record what `result`, which the calling thread just got, means. */
    hone_status (*failed)(hone_cu_result result, const char *what,
                          hone_error *err);
} hone_driver_kind;

typedef struct hone_driver {
#define HONE_CUDA_FIELD(field, symbol, parameters)                             \
    hone_cu_result(*field) parameters;
    HONE_CUDA_MAP(HONE_CUDA_FIELD)
    HONE_CUDA_OPTIONAL_MAP(HONE_CUDA_FIELD)
#undef HONE_CUDA_FIELD
    const hone_driver_kind *kind; /* NULL: CUDA's own */
} hone_driver;

/* CUDA's driver: libcuda.so.1 (or $HONE_CUDA_LIBRARY, a test's fake) is opened
 * and cuInit called once; later calls are one atomic load. HONE_ERR_NO_GPU
 * says what is missing and what to do. Thread-safe. */
hone_status hone__cuda_get(const hone_driver **out, hone_error *err);
/* HONE_ERR_NO_GPU: the process was forked after the driver had been started,
 * which then works in the parent alone. */
hone_status hone__cuda_check_process(hone_error *err);

/* The driver of the cpu device: one device, one context (id 1) that is always
 * current, memory of the process, events that read the clock, objects of
 * host_abi.h as modules. It has no graphs, clusters, cooperative launches and
 * tensor maps. */
const hone_driver *hone__host_driver(void);
/* A function of ours as a kernel of the cpu device; `function` is used as its
 * memory and lives as long as it is launched. It gets the parameters as
 * cuLaunchKernel() does. */
typedef struct hone_host_function {
    struct hone_host_module *module; /* NULL: `run` is called */
    void (*run)(void **params);
    struct hone_host_function *next;
    const char *name; /* of a module's */
} hone_host_function;
hone_cu_function hone__host_kernel(hone_host_function *function);

/* HONE_OK for 0; else HONE_ERR_CUDA (HONE_ERR_NO_MEMORY for out of device
 * memory) with "WHAT failed: CUDA_ERROR_NAME (code): text". Of the cpu device:
 * HONE_ERR_KERNEL if a kernel reports something, else what failed. */
hone_status hone__driver_check(const hone_driver *driver, hone_cu_result result,
                               const char *what, hone_error *err);

/* A result that means the context is lost and only a new process helps. */
int hone__driver_is_fatal(int result);

/* Read the properties of a device. */
hone_status hone__driver_properties(const hone_driver *driver,
                                    hone_cu_device device, hone_properties *out,
                                    hone_error *err);

/* Load kernels from memory at any address; `what` names them in sentences.
 * HONE_ERR_DATABASE: they are damaged (code_check.h). */
hone_status hone__driver_load(const hone_driver *driver, const void *code,
                              size_t size_bytes, const char *what,
                              hone_cu_module *out, hone_error *err);

/* Find a kernel and get it ready for a launch with this much dynamic shared
 * memory. HONE_ERR_DATABASE: the code has none of this name. */
hone_status hone__driver_kernel(const hone_driver *driver,
                                hone_cu_module module, const char *name,
                                unsigned shared_bytes, hone_cu_function *out,
                                hone_error *err);

/* Does the kernel have as many parameters as the launch has, of these sizes?
 * HONE_ERR_DATABASE: its launch plan is not that of this code, and a launch
 * would be undefined behaviour. A driver that cannot be asked (CUDA's before
 * 12.4) is taken at its word. */
hone_status hone__driver_check_params(const hone_driver *driver,
                                      hone_cu_function f,
                                      const hone_resolved *resolved,
                                      const hone_resolved_launch *launch,
                                      hone_error *err);
/* What a kernel's parameter takes. */
size_t hone__driver_param_bytes(const hone_resolved *resolved,
                                const hone_pass *pass);

/* Make the kernel `name` ready for such launches, and see whether the device
 * can hold them. What the driver would answer with a bare "invalid value" is
 * said in a sentence. HONE_ERR_INPUT: more threads or shared memory than a
 * block of this kernel can have, blocks of a cooperative launch that would
 * have to wait for others to end, a cluster that does not fit.
 * HONE_ERR_UNSUPPORTED: the driver has no launches of this kind. */
hone_status hone__driver_prepare(const hone_driver *driver, hone_cu_function f,
                                 const char *name,
                                 const hone_launch_shape *shape,
                                 const hone_properties *properties,
                                 hone_error *err);

hone_cu_result hone__driver_launch(const hone_driver *driver,
                                   hone_cu_function f,
                                   const hone_launch_shape *shape,
                                   hone_stream stream, void **params);

#endif
