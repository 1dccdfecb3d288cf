/* SPDX-License-Identifier: Apache-2.0 */
/**
 * hone: tuned CUDA kernels at call time.
 *
 * A database written by `hone tune` holds, per operation, device and shape,
 * the fastest verified kernel. This library finds it, loads its cubin into
 * the caller's CUDA context and launches it. What is not declared here is
 * not API.
 *
 *     hone_ctx *ctx = NULL;
 *     hone_plan *plan = NULL;
 *     const int64_t dims[] = {1 << 20};
 *     float alpha = 2.0f;
 *     void *args[] = {&alpha, &x_device, &y_device};
 *
 *     if (hone_open(NULL, &ctx) != HONE_OK ||
 *         hone_plan_create(ctx, "saxpy", dims, 1, &plan, NULL) != HONE_OK)
 *         fprintf(stderr, "%s\n", hone_errmsg(ctx));
 *     else
 *         hone_plan_run(plan, args, stream);
 *     hone_plan_destroy(plan);
 *     hone_close(ctx);
 *
 * Streams are CUstream or cudaStream_t, device pointers CUdeviceptr or the
 * runtime API's `T *`: they are the same values. The calling thread must have
 * a current CUDA context (any runtime API call, e.g. cudaMalloc, makes one).
 *
 * On the device `cpu` (hone_use_device(), or HONE_DEVICE in the environment)
 * the same calls run what `hone tune --device cpu` compiled for this machine:
 * no driver is needed, arrays are host memory, streams do not count, and a
 * run is over when the call returns.
 */
#ifndef HONE_H
#define HONE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HONE_VERSION_MAJOR 0
#define HONE_VERSION_MINOR 1
#define HONE_VERSION_PATCH 0
#define HONE_VERSION "0.1.0"

#if defined(__GNUC__)
#define HONE_API __attribute__((visibility("default")))
#else
#define HONE_API
#endif

/**
 * Every status: X(name, value, short text). Values are pinned: never
 * renumbered, never reused.
 */
#define HONE_STATUS_MAP(X)                                                     \
    X(HONE_OK, 0, "success")                                                   \
    X(HONE_ERR_ARGUMENT, 1, "invalid argument")                                \
    X(HONE_ERR_NO_MEMORY, 2, "out of host memory")                             \
    X(HONE_ERR_IO, 3, "a file could not be read or written")                   \
    X(HONE_ERR_INPUT, 4, "malformed input")                                    \
    X(HONE_ERR_OVERFLOW, 5, "integer overflow in an expression")               \
    X(HONE_ERR_NOT_FOUND, 6, "no such operation or nothing tuned for it")      \
    X(HONE_ERR_DATABASE, 7, "database error")                                  \
    X(HONE_ERR_NO_GPU, 8, "no CUDA driver or device")                          \
    X(HONE_ERR_NO_NVRTC, 9, "NVRTC is not installed")                          \
    X(HONE_ERR_CUDA, 10, "CUDA driver error")                                  \
    X(HONE_ERR_NVRTC, 11, "NVRTC error")                                       \
    X(HONE_ERR_CONSTRAINT, 12, "a constraint is violated")                     \
    X(HONE_ERR_UNSUPPORTED, 13, "not supported")                               \
    X(HONE_ERR_BUSY, 14, "in use by another process")                          \
    X(HONE_ERR_INTERRUPTED, 15, "interrupted")                                 \
    X(HONE_ERR_INTERNAL, 16, "internal error")                                 \
    X(HONE_ERR_DIMS, 17, "wrong number or value of problem dimensions")        \
    X(HONE_ERR_KERNEL, 18, "a kernel reported an error")                       \
    X(HONE_ERR_NO_COMPILER, 19, "the C++ compiler cannot work here")

typedef enum hone_status {
#define HONE_STATUS_ENUM(name, value, text) name = value,
    HONE_STATUS_MAP(HONE_STATUS_ENUM)
#undef HONE_STATUS_ENUM
} hone_status;

/**
 * Element types: X(NAME, code, spelling, size in bytes, C++ type). A problem
 * dimension that is a type takes the code as its value. Codes are pinned.
 */
#define HONE_TYPE_MAP(X)                                                       \
    X(F16, 1, "f16", 2, "__half")                                              \
    X(BF16, 2, "bf16", 2, "__nv_bfloat16")                                     \
    X(TF32, 3, "tf32", 4, "float")                                             \
    X(F32, 4, "f32", 4, "float")                                               \
    X(F64, 5, "f64", 8, "double")                                              \
    X(I8, 6, "i8", 1, "signed char")                                           \
    X(I32, 7, "i32", 4, "int")                                                 \
    X(C32, 8, "c32", 8, "float2")                                              \
    X(U8, 9, "u8", 1, "unsigned char")                                         \
    X(U32, 10, "u32", 4, "unsigned int")                                       \
    X(I64, 11, "i64", 8, "long long")                                          \
    X(U64, 12, "u64", 8, "unsigned long long")                                 \
    X(C64, 13, "c64", 16, "double2")

typedef enum hone_type {
#define HONE_TYPE_ENUM(name, code, spelling, size, cpp) HONE_TYPE_##name = code,
    HONE_TYPE_MAP(HONE_TYPE_ENUM)
#undef HONE_TYPE_ENUM
} hone_type;

/**
 * How good an answer is, best first. X(NAME, value, spelling). Pinned.
 * exact: tuned on this architecture and SM count for these dimensions;
 * neighbour: tuned for a similar shape, its constraints re-checked for this
 * one; default: the template's default variant.
 */
#define HONE_MATCH_MAP(X)                                                      \
    X(EXACT, 0, "exact")                                                       \
    X(NEIGHBOUR, 1, "neighbour")                                               \
    X(DEFAULT, 2, "default")

typedef enum hone_match_kind {
#define HONE_MATCH_ENUM(name, value, spelling) HONE_MATCH_##name = value,
    HONE_MATCH_MAP(HONE_MATCH_ENUM)
#undef HONE_MATCH_ENUM
} hone_match_kind;

/** Why a plan got the kernel it got. Plain data, filled by the library. */
typedef struct hone_match {
    hone_match_kind kind;
    int64_t tuned_time_ns; /**< median when tuned, 0 if never measured */
    char config[256];      /**< "BLOCK=256,VEC=4", cut if longer */
    char reason[256];      /**< one sentence for a person */
} hone_match;

/** An open database and the kernels loaded from it. Thread-safe. */
typedef struct hone_ctx hone_ctx;
/** One operation at one shape in one CUDA context, or on the cpu device.
 *  Thread-safe to run. */
typedef struct hone_plan hone_plan;
/** What cuda.h calls CUstream and the runtime API cudaStream_t. */
typedef struct CUstream_st *hone_stream;

/** Version of the library that is loaded: 10000*major + 100*minor + patch. */
HONE_API int hone_version_number(void);

/** Name of a status, "HONE_ERR_DIMS"; "HONE_?" for an unknown value. */
HONE_API const char *hone_status_name(hone_status status);

/** Short text of a status; never NULL. Static storage. */
HONE_API const char *hone_status_str(hone_status status);

/**
 * Open a database for launching.
 *
 * @param path     database file; NULL takes $HONE_DB, else
 *                 $XDG_DATA_HOME/hone/hone.db, else
 *                 ~/.local/share/hone/hone.db. The file is opened read-only.
 * @param out_ctx  always set, also on failure (unless memory ran out), so
 *                 that hone_errmsg() can tell what went wrong; close it.
 * @return HONE_OK, HONE_ERR_NO_MEMORY, HONE_ERR_NOT_FOUND (no such file),
 *         HONE_ERR_DATABASE (not a database of ours, damaged, or a newer
 *         one), HONE_ERR_IO (it cannot be read), HONE_ERR_BUSY (locked),
 *         HONE_ERR_ARGUMENT (HONE_DEVICE has an unknown value)
 * Needs no GPU: the driver is loaded by the first plan.
 */
HONE_API hone_status hone_open(const char *path, hone_ctx **out_ctx);

/**
 * Choose the device that plans of `ctx` are for, before the first one is made
 * and before other threads use `ctx`. Without this call it is $HONE_DEVICE,
 * else "cuda".
 *
 * "cuda": the GPU of the CUDA context that is current when a plan is made.
 * "cpu":  this machine. Only kernels tuned with `--device cpu` answer, found
 *         by the same rules as on a GPU with the cores that are online as
 *         multiprocessors; they are loaded as code into this process, so the
 *         database must be one you trust. What was tuned on GPUs never
 *         answers here, nor the other way round. A plan may be run from
 *         several threads at once; runs of one plan that has a workspace
 *         take turns.
 *
 * @return HONE_OK, HONE_ERR_ARGUMENT (another name, or plans were made for
 *         the other device)
 */
HONE_API hone_status hone_use_device(hone_ctx *ctx, const char *device);

/**
 * Close `ctx`, its cached plans and its modules; NULL is a no-op. No plan of
 * it may be running or be used later; destroy those from hone_plan_create()
 * first. Modules are unloaded from the contexts that are still alive.
 */
HONE_API void hone_close(hone_ctx *ctx);

/**
 * The sentence for the last failure of the calling thread on `ctx`. Valid
 * until that thread's next call on any hone_ctx; "" if there was none.
 */
HONE_API const char *hone_errmsg(hone_ctx *ctx);

/**
 * The native code behind the last failure of the calling thread.
 *
 * @param out_domain  "cuda", "nvrtc", "sqlite", "errno" or "" (static)
 * @return the code, 0 if there was none
 */
HONE_API int hone_err_native(hone_ctx *ctx, const char **out_domain);

/**
 * Find the best kernel for a problem and load it into the current context.
 * Costs file and driver work; do it once per shape and keep the plan.
 *
 * @param op        operation, e.g. "gemm_f16"
 * @param dims      problem dimensions in the order the template declares
 *                  them; trailing ones with a default may be left out; a
 *                  dimension that is a type takes a hone_type code
 * @param n_dims    how many
 * @param out_plan  NULL on failure; free with hone_plan_destroy()
 * @param out_match may be NULL
 * @return HONE_OK, HONE_ERR_ARGUMENT, HONE_ERR_DIMS, HONE_ERR_NOT_FOUND
 *         (unknown operation, or nothing that runs on this device),
 *         HONE_ERR_NO_GPU (no driver, no current context), HONE_ERR_CUDA,
 *         HONE_ERR_INPUT (this device cannot launch the kernel that way: a
 *         cluster or a cooperative launch that does not fit),
 *         HONE_ERR_DATABASE, HONE_ERR_IO, HONE_ERR_BUSY (the database),
 *         HONE_ERR_NO_MEMORY; on the cpu device instead of the two about CUDA:
 * HONE_ERR_UNSUPPORTED (this machine does not load the compiled kernel),
 * HONE_ERR_IO (no place to load it from)
 */
HONE_API hone_status hone_plan_create(hone_ctx *ctx, const char *op,
                                      const int64_t *dims, size_t n_dims,
                                      hone_plan **out_plan,
                                      hone_match *out_match);

/**
 * Say that the contents of arrays that a plan keeps in constant memory may
 * have changed.
 *
 * SOME KERNELS KEEP A SMALL INPUT (the taps of a filter) IN CONSTANT MEMORY.
 * It is copied there on the stream when a run gets another pointer for it
 * than the last run of this plan on this stream got. THE CONTENTS AT A
 * POINTER THAT STAYS THE SAME ARE TAKEN AS UNCHANGED: if you write to the
 * array, or free it and get the same address again, call this before the next
 * run, else that run computes with the old contents. Which operations do so
 * depends on what was tuned: call it whenever you changed an input that is
 * set once and used many times. For other plans it costs nothing and does
 * nothing.
 *
 * Runs that were captured into a graph copy each time the graph is launched,
 * and need no call.
 *
 * @return HONE_OK, HONE_ERR_ARGUMENT (plan is NULL)
 */
HONE_API hone_status hone_plan_refresh(hone_plan *plan);

/**
 * hone_plan_refresh() for every plan of `ctx`, those of hone_launch() too.
 *
 * @return HONE_OK, HONE_ERR_ARGUMENT (ctx is NULL)
 */
HONE_API hone_status hone_refresh(hone_ctx *ctx);

/** Free a plan from hone_plan_create(); NULL is a no-op. Waits for nothing:
 *  the caller synchronises its streams first. */
HONE_API void hone_plan_destroy(hone_plan *plan);

/**
 * Reserve this plan's workspace and constant memory for `stream`. Operations
 * with one of them make it at the first run on a stream, which must not be
 * while that stream is captured into a graph; call this before a capture. A
 * no-op for other operations. A graph uses what belongs to the stream it was
 * captured on: do not launch it at the same time as runs on that stream. On
 * the cpu device a plan has one workspace, whatever the stream.
 *
 * @return HONE_OK, HONE_ERR_CUDA, HONE_ERR_NO_MEMORY (over 64 streams)
 */
HONE_API hone_status hone_plan_prepare(hone_plan *plan, hone_stream stream);

/**
 * Enqueue the operation on `stream`. Thread-safe; no lock, no allocation and
 * no system call of ours once the stream is prepared; runs of a plan with
 * constant memory on one stream take turns in queueing. May be captured into
 * a CUDA graph. The context of the plan must be current. For kernels with
 * constant memory see hone_plan_refresh().
 *
 * On the cpu device the operation runs here and now: on the calling thread
 * and on others that end before the call returns. `stream` is ignored.
 *
 * @param args  one pointer per declared argument, in the template's order:
 *              to the device pointer (cpu: host pointer) for arrays, to the
 *              value for scalars (what cuLaunchKernel's kernelParams takes)
 * @return HONE_OK, HONE_ERR_CUDA, HONE_ERR_ARGUMENT (also for an array that
 *         does not lie at a multiple of 16 bytes, where the kernel reads it
 *         through a tensor map); plus what hone_plan_prepare() returns, at
 *         the first run on a stream; on the cpu device HONE_ERR_KERNEL
 * (barriers, warp operations, bounds or a trap: the message has block, thread
 * and line; the contents of output arrays are undefined) and
 * HONE_ERR_NO_MEMORY
 */
HONE_API hone_status hone_plan_run(hone_plan *plan, void *const *args,
                                   hone_stream stream);

/**
 * Find (in a cache keyed by context, operation and dimensions) or create the
 * plan and run it. Plans made here live until hone_close(). About arrays
 * whose contents change at the same pointer see hone_refresh().
 *
 * @return what hone_plan_create() and hone_plan_run() return
 */
HONE_API hone_status hone_launch(hone_ctx *ctx, const char *op,
                                 const int64_t *dims, size_t n_dims,
                                 void *const *args, hone_stream stream);

#ifdef __cplusplus
}
#endif
#endif
