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
 *         fprintf(stderr, "%s\n", hone_error_text(ctx));
 *     else
 *         hone_plan_run(plan, args, HONE_COUNT(args), stream);
 *     hone_plan_destroy(plan);
 *     hone_close(ctx);
 *
 * Streams are CUstream or cudaStream_t, device pointers CUdeviceptr or the
 * runtime API's `T *`: they are the same values. The calling thread must have
 * a current CUDA context (any runtime API call, e.g. cudaMalloc, makes one).
 *
 * fork(): hone_open() starts no driver, the first plan does. A process that
 * forks before that uses its hone_ctx on both sides; so does, at any time, one
 * that uses the device `cpu`, and its plans as well. It forks when no thread is
 * in a call of the library. After CUDA was started its child cannot use
 * it: what needs the driver there is HONE_ERR_NO_GPU, or HONE_ERR_CUDA of
 * hone_plan_run(), and says so; hone_close() is no error.
 *
 * A GPU is what CUDA shows: a MIG slice is a device with multiprocessors and
 * memory of its own. Programs with several GPUs make a plan for each, or let
 * hone_launch() do so: what counts is the CUDA context that is current.
 *
 * On the device `cpu` (hone_device_select(), or HONE_DEVICE in the environment)
 * the same calls run what `hone tune --device cpu` compiled for this machine:
 * no driver is needed, arrays are host memory, streams do not count, and a
 * run is over when the call returns.
 *
 * Whose code runs: whoever can write to a database, a pack, a file that an
 * environment variable HONE_* names, or the cubin cache chooses what this
 * process launches; on the device `cpu` that is native code with all rights of
 * the process. Checksums find accidents and no intent: only the SHA-256 of a
 * pack (hone_sources_open()) says that it is the one that is trusted. A cubin
 * that was altered on purpose may crash the driver. Files are read up to a
 * size: a pack 16 GiB, a kernel or launch plan 64 MiB; a look-up that computes
 * for more than 20 seconds (HONE_DB_SECONDS) fails, a launch has up to 2^34
 * blocks. A file that is mapped (a pack without a SHA-256, the -shm file of a
 * database that may be written to) must not be cut short while it is open:
 * SIGBUS.
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
    X(C64, 13, "c64", 16, "double2")                                           \
    X(E4M3, 14, "e4m3", 1, "__nv_fp8_e4m3")                                    \
    X(E5M2, 15, "e5m2", 1, "__nv_fp8_e5m2")

typedef enum hone_type {
#define HONE_TYPE_ENUM(name, code, spelling, size, cpp) HONE_TYPE_##name = code,
    HONE_TYPE_MAP(HONE_TYPE_ENUM)
#undef HONE_TYPE_ENUM
} hone_type;

/** What is done with an argument. X(NAME, value, spelling). Pinned. */
#define HONE_ARG_MODE_MAP(X)                                                   \
    X(SCALAR, 0, "scalar")                                                     \
    X(IN, 1, "in")                                                             \
    X(OUT, 2, "out")                                                           \
    X(INOUT, 3, "inout")

typedef enum hone_arg_mode {
#define HONE_ARG_MODE_ENUM(name, value, spelling) HONE_ARG_##name = value,
    HONE_ARG_MODE_MAP(HONE_ARG_MODE_ENUM)
#undef HONE_ARG_MODE_ENUM
} hone_arg_mode;

/**
 * What the values of a dimension are. X(NAME, value, spelling). Pinned. size:
 * a number of elements; type: a hone_type; choice: one of a few integers,
 * known when a kernel is compiled.
 */
#define HONE_DIM_KIND_MAP(X)                                                   \
    X(SIZE, 0, "size")                                                         \
    X(TYPE, 1, "type")                                                         \
    X(CHOICE, 2, "choice")

typedef enum hone_dim_kind {
#define HONE_DIM_KIND_ENUM(name, value, spelling) HONE_DIM_##name = value,
    HONE_DIM_KIND_MAP(HONE_DIM_KIND_ENUM)
#undef HONE_DIM_KIND_ENUM
} hone_dim_kind;

/**
 * How good an answer is. X(NAME, value, spelling). Pinned; the values are in
 * the order in which they were added. Best first:
 * exact: tuned on this architecture and SM count for these dimensions;
 * chosen: of a few variants that were timed at many shapes on such a device
 * the one that is predicted to be the fastest at this one (`hone tune OP
 * --portfolio`), its constraints checked; neighbour: tuned for a similar shape,
 * its constraints re-checked for this one; family: tuned for this shape or a
 * similar one, or chosen, on another device whose code runs here (other SM
 * count, or older minor version of the compute capability), its constraints
 * re-checked for this device; default: a template's default variant; ptx: what
 * was tuned near this shape, or a default variant, as PTX that the driver has
 * compiled for this device (`hone pack --with-ptx`); reference: the plain
 * implementation that is right everywhere, and slow.
 */
#define HONE_MATCH_MAP(X)                                                      \
    X(EXACT, 0, "exact")                                                       \
    X(NEIGHBOUR, 1, "neighbour")                                               \
    X(DEFAULT, 2, "default")                                                   \
    X(FAMILY, 3, "family")                                                     \
    X(REFERENCE, 4, "reference")                                               \
    X(PTX, 5, "ptx")                                                           \
    X(CHOSEN, 6, "chosen")

typedef enum hone_match_kind {
#define HONE_MATCH_ENUM(name, value, spelling) HONE_MATCH_##name = value,
    HONE_MATCH_MAP(HONE_MATCH_ENUM)
#undef HONE_MATCH_ENUM
} hone_match_kind;

/** Why a plan got the kernel it got. Plain data, filled by the library. */
typedef struct hone_match {
    hone_match_kind kind;
    int64_t tuned_time_ns;     /**< median when tuned, 0 if never measured */
    char config[256];          /**< "BLOCK=256,VEC=4", cut if longer */
    char implementation[64];   /**< of the operation: "sm90", "cublaslt"; of a
                                    template without contract its file, "axpy.cu"
                                */
    char reason[256];          /**< one sentence for a person; begins with how
                                    many better ones are left out because they
                                    are damaged in the database, or functions of
                                    a library that cannot be used here, and with
                                    what of a library is not as it was tuned */
    int64_t compile_time_ns;   /**< what it took to compile its code for this
                                    device, once in this context; 0: it was there.
                                    The driver keeps what it compiled on disk
                                    (CUDA_CACHE_PATH): much less the next time */
    int64_t predicted_time_ns; /**< what the kernel was chosen for, where it
                                  was; 0: it was not predicted */
    double doubt; /**< standard deviation of that time, relative: 0.05 is 5 % */
} hone_match;

/**
 * In place of the value of a dimension that has a default: take it. So a
 * caller leaves out dimensions in front of others.
 */
#define HONE_DIM_DEFAULT INT64_MIN

/** Elements of an array; never of a pointer. For `n_args` and `n_dims`. */
#define HONE_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/** Open databases and packs, and the kernels loaded from them. Thread-safe. */
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
HONE_API const char *hone_status_text(hone_status status);

/** How much a message matters. X(NAME, value, spelling). Pinned. */
#define HONE_LOG_LEVEL_MAP(X)                                                  \
    X(ERROR, 0, "error")                                                       \
    X(WARNING, 1, "warning")                                                   \
    X(INFO, 2, "info")

typedef enum hone_log_level {
#define HONE_LOG_LEVEL_ENUM(name, value, spelling) HONE_LOG_##name = value,
    HONE_LOG_LEVEL_MAP(HONE_LOG_LEVEL_ENUM)
#undef HONE_LOG_LEVEL_ENUM
} hone_log_level;

/** Gets a message, one line without its end; valid during the call. */
typedef void hone_log_function(void *user, hone_log_level level,
                               const char *message);

/**
 * Say what the library does, for the whole process. error: hone_open() or a
 * plan that failed, with what hone_error_text() has; warning: a plan that is
 * slower than it could be, since nothing near its shape was tuned, or better
 * kernels are damaged or cannot be used; info: what was opened, each plan with
 * the reason for its kernel, code that is loaded, device memory that is
 * allocated. Launching a known shape says nothing and asks nothing, neither
 * when it fails.
 *
 * Messages come one at a time, on the threads whose calls they are about,
 * while locks are held: the function must not call the library. Once this call
 * has returned, the function that was set before is not called any more.
 * Thread-safe.
 *
 * Without this call it is HONE_LOG of the environment, which hone_open()
 * reads: `stderr`, or a file that lines are appended to, each with time and
 * process.
 *
 * @param function NULL: nobody wants to know, whatever HONE_LOG says
 * @param user     what it gets
 * @param level    the last level that it gets
 * @return HONE_OK, HONE_ERR_ARGUMENT (no such level)
 */
HONE_API hone_status hone_log_set(hone_log_function *function, void *user,
                                  hone_log_level level);

/**
 * Open a database or a pack for launching.
 *
 * A pack is one read-only file that `hone pack` makes of a database. Which of
 * the two a file is, its content says.
 *
 * @param path     the file, opened read-only; NULL takes the search path:
 *                 what $HONE_PATH names, files between colons (an empty
 *                 entry is the user's database); else $HONE_DB alone; else
 *                 the user's ($XDG_DATA_HOME/hone/hone.db, else
 *                 ~/.local/share/hone/hone.db) before hone/hone.pack and
 *                 hone/hone.db in each folder of $XDG_DATA_DIRS
 *                 (/usr/local/share:/usr/share). Behind all of them are the
 *                 packs of hone_pack_register(). What is not there is passed
 *                 over; what is there and cannot be used is an error. Answers
 *                 are chosen as hone_sources_open() says
 * @param out_ctx  always set, also on failure (unless memory ran out), so
 *                 that hone_error_text() can tell what went wrong; close it.
 * @return HONE_OK, HONE_ERR_NO_MEMORY, HONE_ERR_NOT_FOUND (no such file,
 *         or an empty one), HONE_ERR_DATABASE (neither a database nor a pack
 *         of ours, damaged, or a newer one), HONE_ERR_IO (it cannot be read,
 *         or HONE_LOG not written), HONE_ERR_BUSY (locked),
 *         HONE_ERR_ARGUMENT (path is ""; HONE_DEVICE, HONE_COMPILE or
 *         HONE_PLAN_LIMIT in the environment has an unknown value),
 *         HONE_ERR_UNSUPPORTED (a database, and libhone_sqlite, which reads
 *         them, is neither beside libhone nor what $HONE_SQLITE_LIBRARY names)
 *
 * Needs no GPU: the driver is loaded by the first plan.
 *
 * WHO CAN WRITE A DATABASE OR A PACK CAN RUN CODE: on the GPU with your data,
 * and on the device "cpu" in your process. Checksums find damage, not bad
 * will; hone_source.sha256 does.
 */
HONE_API hone_status hone_open(const char *path, hone_ctx **out_ctx);

/** One place that winners come from: a file, or a pack in memory. */
typedef struct hone_source {
    const char *path;   /**< a database or a pack; NULL: `pack` */
    const void *pack;   /**< at a multiple of 8 bytes; stays as it is until
                             hone_close() */
    size_t pack_bytes;  /**< of `pack` */
    const char *sha256; /**< the pack is used only if this is its SHA-256 (64
                             lower-case hex digits, as sha256sum and `hone
                             pack` print it); NULL: not compared. The file is
                             read into memory then, as a whole: about 3 ms per
                             MB, and what is written to it later does not
                             matter */
} hone_source;

/**
 * Open several databases and packs, the most specific one first: a user's
 * before a site's before a system's. Of a problem the first one that knows it
 * exactly (same dims, architecture, multiprocessors) answers; else the nearest
 * neighbour of all of them, of equally near ones the first; else what was tuned
 * nearest on another device of the family; else the default variant of the
 * first one that has another than the reference implementation,
 * else that. hone_match.reason ends with the file.
 *
 * A pack is mapped: replace it by renaming another one over it, as `hone pack`
 * does. Who shortens or overwrites it in place takes its pages from programs
 * that have it open.
 *
 * @param out_ctx  as of hone_open(); close it
 * @return what hone_open() returns, and HONE_ERR_ARGUMENT (no sources; one
 *         without path and pack, or with both; a SHA-256 that is none, or of
 *         a database; a pack in memory that is not aligned),
 *         HONE_ERR_DATABASE also for a pack with another SHA-256
 */
HONE_API hone_status hone_sources_open(const hone_source *sources,
                                       size_t n_sources, hone_ctx **out_ctx);

/**
 * Make a pack that is linked into the program (`hone pack --format c`) the last
 * place of the search path of hone_open(NULL), from now on and for the whole
 * process; those registered later come before. The bytes stay where they are,
 * as they are. Thread-safe; hone_error_text(NULL) tells what went wrong.
 *
 * @return HONE_OK, HONE_ERR_ARGUMENT (NULL, or not at a multiple of 8 bytes),
 *         HONE_ERR_DATABASE (no pack, damaged, or a newer one),
 *         HONE_ERR_NO_MEMORY
 */
HONE_API hone_status hone_pack_register(const void *pack, size_t pack_bytes);

/**
 * Declare what `hone pack --format c -o NAME.c` writes, or EMBED of
 * hone_add_kernels(), where NAME is hone_kernels_TARGET. NAME_register() calls
 * hone_pack_register(), as often as one likes.
 */
#ifdef __cplusplus
#define HONE_PACK_DECLARE(name)                                                \
    extern "C" const unsigned char name[];                                     \
    extern "C" const size_t name##_bytes;                                      \
    extern "C" hone_status name##_register(void)
#else
#define HONE_PACK_DECLARE(name)                                                \
    extern const unsigned char name[];                                         \
    extern const size_t name##_bytes;                                          \
    extern hone_status name##_register(void)
#endif

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
 *         several threads at once; runs that need a workspace or constant
 *         memory take turns.
 *
 * @return HONE_OK, HONE_ERR_ARGUMENT (another name, or plans were made for
 *         the other device)
 */
HONE_API hone_status hone_device_select(hone_ctx *ctx, const char *device);

/**
 * Choose when kernels are compiled that a database or pack has as PTX alone
 * (`hone pack --with-ptx`) and that answer on this device. Without this call it
 * is $HONE_COMPILE, else "now".
 *
 * "now":   the call that makes the plan waits for the driver: tens of
 *          milliseconds to seconds, once, and other threads that make plans
 *          wait with it.
 * "later": plans get the reference implementation, if that runs here, and what
 *          they wait for is compiled by hone_compile_pending(). If nothing else
 *          runs, as "now".
 * "never": as if there were no PTX.
 *
 * Thread-safe; holds for plans that are made from then on.
 *
 * @return HONE_OK, HONE_ERR_ARGUMENT (NULL, or another word)
 */
HONE_API hone_status hone_compile_select(hone_ctx *ctx, const char *when);

/**
 * Compile what one plan waits for ("later"), in the calling thread, with the
 * CUDA context of that plan. Other threads make and run plans meanwhile: the
 * library has no threads of its own, a program calls this in one of its own
 * until nothing is left. hone_launch() takes the new kernel from then on; a
 * plan of hone_plan_create() stays what it is, the next one has it.
 *
 * @param out_n_left how many plans wait still; may be NULL
 * @return HONE_OK (also if none does), HONE_ERR_ARGUMENT (ctx is NULL); else
 *         what hone_plan_create() returns: this plan waits no more then
 */
HONE_API hone_status hone_compile_pending(hone_ctx *ctx, size_t *out_n_left);

/**
 * Close `ctx` with its cached plans, and give back all that it has of the
 * device: the memory of streams, and the modules with the kernels, which stay
 * loaded until then, one for each compiled kernel that was used. NULL is a
 * no-op. Work that was queued through `ctx` has ended, no thread is in one of
 * its calls, and neither its plans nor graphs that captured runs of them are
 * used later; destroy the plans from hone_plan_create() first. CUDA contexts
 * that are gone by now are left alone.
 */
HONE_API void hone_close(hone_ctx *ctx);

/**
 * Give back the device memory that `ctx` keeps for runs on `stream`.
 *
 * Workspaces and constant memory belong to a stream. Of scratch memory it has
 * as much as the largest need of the plans that ran on it, whatever their
 * number, and at most four times that where it had to grow. Workspaces that
 * start zeroed (counters, tickets) are a plan's own; when the plan is
 * destroyed or evicted, the next one gets them, unless a run with them was
 * captured. All this is made by the first run that needs it, or by
 * hone_plan_prepare(), and kept until this call or hone_close(). A program that
 * makes and destroys streams calls it for each, when the work that was queued
 * there has ended: before the stream is destroyed or after that. Graphs that
 * were captured on the stream use this memory: they must not be launched any
 * more. The next run on the stream makes it again.
 *
 * For the per-thread default stream the memory is that of the calling
 * thread's: call it before the thread ends. On the cpu device there is one
 * for all streams and threads, and the call waits for the run that is using
 * it.
 *
 * Thread-safe, but no other thread may be in a call of `ctx` with this
 * stream. The CUDA context is the one that is current.
 *
 * @return HONE_OK (also if there was none), HONE_ERR_ARGUMENT (ctx is NULL),
 *         HONE_ERR_NO_GPU (no driver, no current context), HONE_ERR_CUDA,
 *         HONE_ERR_NO_MEMORY
 */
HONE_API hone_status hone_stream_release(hone_ctx *ctx, hone_stream stream);

/**
 * The sentence for the last failure of the calling thread on `ctx`. Valid
 * until that thread's next call on any hone_ctx; "" if there was none.
 */
HONE_API const char *hone_error_text(hone_ctx *ctx);

/**
 * The native code behind the last failure of the calling thread.
 *
 * @param out_domain  "cuda", "nvrtc", "sqlite", "errno", "cublas", "cufft" or
 * "" (static)
 * @return the code, 0 if there was none
 */
HONE_API int hone_error_native(hone_ctx *ctx, const char **out_domain);

/** Names in alphabetical order; free with hone_names_free(). */
typedef struct hone_names {
    size_t n_names;
    const char *const *names;
} hone_names;

/**
 * The operations that `ctx` has kernels of, for the device it is for
 * (hone_device_select()): of all its databases and packs, whatever the
 * architecture. Needs no GPU. Thread-safe.
 *
 * @param out_names NULL on failure; free with hone_names_free()
 * @return HONE_OK, HONE_ERR_ARGUMENT (NULL), HONE_ERR_DATABASE (damaged, or
 *         hone_open() had failed), HONE_ERR_IO, HONE_ERR_BUSY,
 *         HONE_ERR_NO_MEMORY
 */
HONE_API hone_status hone_operation_list(hone_ctx *ctx, hone_names **out_names);

/** NULL is a no-op. */
HONE_API void hone_names_free(hone_names *names);

/** A dimension of an operation. */
typedef struct hone_dim_info {
    const char *name; /**< "M" */
    hone_dim_kind kind;
    int has_default; /**< it may be left out */
    int64_t value;   /**< as it was asked for, or its default; where no dims
                          were given and the default depends on others, or
                          there is none, HONE_DIM_DEFAULT */
} hone_dim_info;

/** An argument of an operation. */
typedef struct hone_arg_info {
    const char *name; /**< "A" */
    hone_arg_mode mode;
    hone_type type;     /**< of an element; 0: it depends on dims that were not
                             given */
    int64_t n_elements; /**< 1 of a scalar, 0 of an array that is left out; -1:
                             it depends on what was not given, or on the
                             device. In bytes: times the size of `type` */
    size_t rank;        /**< of an array 1 to 3, of a scalar 0 */
    int64_t extents[3]; /**< `rank` of them, the outermost first; their product
                             is n_elements, the array has no gaps. -1 as
                             above */
    int is_optional;    /**< dims say whether it is left out; then a run gets
                             a null pointer for it */
    int is_host;        /**< the array is in host memory, on GPUs too */
} hone_arg_info;

/** An operation as programs call it; free with hone_operation_free(). */
typedef struct hone_operation {
    const char *name;
    size_t n_dims;
    const hone_dim_info *dims; /**< in the order of hone_plan_create() */
    size_t n_args;
    const hone_arg_info *args; /**< in the order of hone_plan_run() */
    size_t n_implementations;
    const char *const *implementations; /**< that there are kernels of, for any
                                             shape and architecture; as in
                                             hone_match, in alphabetical
                                             order */
} hone_operation;

/**
 * Say how an operation is called, and with dims, how large its arrays are.
 * Needs no GPU. Thread-safe. Dims and arguments are those of the first
 * database or pack that has the operation for such dims; implementations are
 * of all.
 *
 * @param op      "gemm"
 * @param dims    as for hone_plan_create(); NULL with n_dims 0: not given,
 *                names and kinds alone are wanted
 * @param n_dims  how many
 * @param out     NULL on failure; free with hone_operation_free()
 * @return HONE_OK, HONE_ERR_ARGUMENT (NULL), HONE_ERR_NOT_FOUND (no such
 *         operation), HONE_ERR_DIMS, HONE_ERR_OVERFLOW (an array of more than
 *         2^63 bytes), HONE_ERR_INPUT (of a newer hone), HONE_ERR_DATABASE
 *         (damaged, or hone_open() had failed), HONE_ERR_IO, HONE_ERR_BUSY,
 *         HONE_ERR_NO_MEMORY
 */
HONE_API hone_status hone_operation_describe(hone_ctx *ctx, const char *op,
                                             const int64_t *dims, size_t n_dims,
                                             hone_operation **out);

/** NULL is a no-op. */
HONE_API void hone_operation_free(hone_operation *operation);

/**
 * Find the best kernel for a problem and load it into the current context.
 * Costs file and driver work; do it once per shape and keep the plan.
 *
 * What was tuned may be a function of a vendor's library instead (cuBLASLt,
 * cuBLAS, cuFFT): it is found and run by the same calls. The library is
 * opened here, its handles are made here and kept until hone_close(), and its
 * kernels are loaded, as far as it allows, so that the first run may be
 * captured. Where it is missing, of another version or refuses the problem,
 * out_match says so, and what is next best is taken or, of another version,
 * what the library now proposes in the place of what was tuned.
 *
 * @param op        operation, e.g. "gemm"
 * @param dims      problem dimensions in the order the template declares
 *                  them; trailing ones with a default may be left out, others
 *                  are HONE_DIM_DEFAULT then; a dimension that is a type takes
 *                  a hone_type code. A size may be 0 where the operation says
 *                  so, and where no array that is written has elements then:
 *                  the plan launches nothing, and its runs are HONE_OK
 * @param n_dims    how many
 * @param out_plan  NULL on failure; free with hone_plan_destroy()
 * @param out_match may be NULL
 * @return HONE_OK, HONE_ERR_ARGUMENT, HONE_ERR_DIMS, HONE_ERR_NOT_FOUND
 *         (unknown operation, or nothing that runs on this device),
 *         HONE_ERR_NO_GPU (no driver, no current context), HONE_ERR_CUDA,
 *         HONE_ERR_INPUT (this device cannot launch the kernel that way: a
 *         cluster or a cooperative launch that does not fit),
 *         HONE_ERR_OVERFLOW (workspaces of more than 2^61 bytes together),
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
 * hone_plan_create() with a kernel of the caller's choice: to compare
 * configurations, or to keep to one whatever is tuned later. Nothing is
 * compiled: every place of a ranking is looked at, and the default variants.
 * What that database or pack does not have, `hone tune OP --config CONFIG`
 * stores.
 *
 * @param implementation as in hone_match; NULL: of any
 * @param config    all parameters, "BM=128,STAGES=3", in any order, spelled
 *                  as `hone show` and hone_match spell them; "" where there
 *                  are none
 * @param out_plan  NULL on failure; free with hone_plan_destroy()
 * @param out_match may be NULL; `kind` is HONE_MATCH_EXACT if the
 *                  configuration was measured for these dims on this
 *                  device, HONE_MATCH_NEIGHBOUR if for others, whatever they
 *                  are, HONE_MATCH_DEFAULT if not at all
 * @return what hone_plan_create() returns; HONE_ERR_NOT_FOUND also if there
 *         is no such kernel, or if it cannot run these dims: the message has
 *         the `require` that does not hold. The other parameters are those of
 *         hone_plan_create()
 */
HONE_API hone_status hone_plan_create_config(hone_ctx *ctx, const char *op,
                                             const int64_t *dims, size_t n_dims,
                                             const char *implementation,
                                             const char *config,
                                             hone_plan **out_plan,
                                             hone_match *out_match);

/**
 * How much device memory a run of the plan works with besides its arguments:
 * its workspaces, a library's too, and the chunks of arrays in host memory. A
 * stream has as much as its largest plan needs, and for each plan the part
 * that starts zeroed: see hone_stream_release(). The code of kernels and its
 * constant memory do not count. 0: none.
 *
 * @return HONE_OK, HONE_ERR_ARGUMENT (NULL)
 */
HONE_API hone_status hone_plan_workspace_bytes(const hone_plan *plan,
                                               size_t *out_bytes);

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

/**
 * Free a plan from hone_plan_create(); NULL is a no-op. No thread may be in a
 * call with it. A plan has host memory only: work that is queued, and graphs
 * that captured its runs, go on. Memory of streams stays, see
 * hone_stream_release().
 */
HONE_API void hone_plan_destroy(hone_plan *plan);

/**
 * Reserve what this plan needs of `stream`'s memory: workspace and constant
 * memory. Operations with one of them make it at the first run on a stream,
 * and more of it when a larger shape comes; that must not be while the stream
 * is captured into a graph: call this before a capture, for each plan that
 * will run in it. A no-op for other operations.
 *
 * A graph uses the memory of the stream it was captured on. Runs on this
 * stream share scratch memory, those of other plans too: do not launch the
 * graph at the same time as they run, nor two such graphs at the same time;
 * launch them on that stream, or wait. The memory stays where it is until
 * hone_stream_release() or hone_close(), also when a larger shape comes or
 * the plan is destroyed or evicted.
 *
 * @return HONE_OK, HONE_ERR_ARGUMENT (plan is NULL), HONE_ERR_CUDA,
 *         HONE_ERR_NO_MEMORY
 */
HONE_API hone_status hone_plan_prepare(hone_plan *plan, hone_stream stream);

/**
 * Enqueue the operation on `stream`. Thread-safe; no lock, no allocation and
 * no system call of ours once the stream is prepared; but runs of plans with a
 * workspace or constant memory on one stream take turns in queueing. May be
 * captured into a CUDA graph. The context of the plan must be current. For
 * kernels with constant memory see hone_plan_refresh().
 *
 * Arrays that the operation declares in host memory are read and written in
 * the order of the stream, too: results are there once the stream has come to
 * the end of the run. Pageable arrays that are read are read during the call,
 * and the call lasts until pageable ones are written. A plan that stages
 * (gen/TEMPLATE.md, "pipeline") waits for the stream and returns when all is
 * done. Runs on one stream take turns; none may be captured (HONE_ERR_CUDA).
 *
 * On the cpu device the operation runs here and now: on the calling thread
 * and on others that end before the call returns. `stream` is ignored.
 *
 * @param args  one pointer per declared argument, in the template's order:
 *              to the device pointer (cpu, and arrays declared in host memory:
 *              host pointer) for arrays, to the value for scalars (what
 *              cuLaunchKernel's kernelParams takes). An optional array that
 *              the dims leave out: NULL, or to a null pointer; a null pointer
 *              is refused everywhere else
 * @param n_args how many: those that the operation declares, scalars and
 *              what is left out too; but for optional arrays at the end of
 *              the list that the dims leave out, which may be missing
 * @return HONE_OK, HONE_ERR_CUDA, HONE_ERR_ARGUMENT (another number of
 *         arguments, NULL among them; also for an array that
 *         does not lie at a multiple of 16 bytes, where the kernel reads it
 *         through a tensor map, or of its elements' size, where a library
 *         does), HONE_ERR_UNSUPPORTED (a library has no algorithm for arrays at
 *         such addresses); plus what hone_plan_prepare() returns, at
 *         the first run on a stream; on the cpu device HONE_ERR_KERNEL
 * (barriers, warp operations, bounds or a trap: the message has block, thread
 * and line; the contents of output arrays are undefined) and
 * HONE_ERR_NO_MEMORY
 */
HONE_API hone_status hone_plan_run(hone_plan *plan, void *const *args,
                                   size_t n_args, hone_stream stream);

/**
 * Find (in a cache keyed by context, operation and dimensions) or create the
 * plan and run it. Dims with a default may be left out (HONE_DIM_DEFAULT, or a
 * shorter list); it is the same plan. About arrays whose contents change at the
 * same pointer see hone_refresh().
 *
 * The cache keeps a bounded number of plans, see hone_plan_limit(). Plans
 * have host memory only, so that one may be evicted while its work is queued,
 * and graphs that captured it go on. To capture a launch into a graph, launch
 * the same dimensions once on that stream before, which prepares the plan.
 *
 * @return what hone_plan_create() and hone_plan_run() return
 */
HONE_API hone_status hone_launch(hone_ctx *ctx, const char *op,
                                 const int64_t *dims, size_t n_dims,
                                 void *const *args, size_t n_args,
                                 hone_stream stream);

/**
 * Choose how many plans hone_launch() keeps, of all contexts together.
 * Without this call it is $HONE_PLAN_LIMIT, else 4096: about 2 MB of host
 * memory, and on each stream the workspaces of those that start zeroed. With
 * one more, a plan is evicted that was not launched since the
 * last time it was looked at (second chance); its next launch makes it again,
 * which costs 10 to 100 microseconds. A program that uses more shapes than
 * this all the time sets it higher. Besides them there may be some that are
 * being given up: 32, and three for each thread.
 *
 * Thread-safe, at any time.
 *
 * @param n_plans  1 or more; where there are more now, the rest goes at once
 * @return HONE_OK, HONE_ERR_ARGUMENT
 */
HONE_API hone_status hone_plan_limit(hone_ctx *ctx, size_t n_plans);

/**
 * Record which shapes are launched, and how often, from now on: what `hone tune
 * --shapes FILE` spends its time on. Counting costs a launch some nanoseconds.
 * Without this call it is HONE_RECORD of the environment, a file, which
 * hone_open() reads; where that cannot be written, the log says so, and
 * nothing else happens.
 *
 * A line for each shape and kernel is appended by hone_record_write(), by
 * hone_close(), when the program ends, and about every ten seconds while plans
 * are made: hone-record(5). Many processes may write one file. What is counted
 * are runs of plans that launch something, by hone_launch() and
 * hone_plan_run(); a run that is captured into a graph counts once, however
 * often the graph is launched. A child of fork() counts its own.
 *
 * @param path  NULL: only count, for hone_counters_get()
 * @return HONE_OK, HONE_ERR_ARGUMENT (ctx is NULL; launches are recorded
 *         already; plans were made before), HONE_ERR_IO (the file cannot be
 *         written), HONE_ERR_NO_MEMORY
 */
HONE_API hone_status hone_record_start(hone_ctx *ctx, const char *path);

/**
 * Append what was launched since the last time now. Thread-safe.
 *
 * @return HONE_OK, HONE_ERR_ARGUMENT (ctx is NULL, or nothing is recorded),
 *         HONE_ERR_IO (the file is as it was; the next call tries again),
 *         HONE_ERR_BUSY (other processes kept it locked for seconds),
 *         HONE_ERR_NO_MEMORY
 */
HONE_API hone_status hone_record_write(hone_ctx *ctx);

/**
 * What was done with a hone_ctx so far. Arrays are indexed by hone_match_kind,
 * with room for kinds to come.
 */
typedef struct hone_counters {
    uint64_t n_plans[8];        /**< that were made, by the kernel they got */
    uint64_t n_vendor_plans;    /**< functions of vendors' libraries of those */
    uint64_t n_failed_plans;    /**< that could not be made */
    uint64_t n_misses;          /**< of hone_launch(): no plan was there */
    uint64_t n_evictions;       /**< see hone_plan_limit() */
    uint64_t n_cached_plans;    /**< that hone_launch() has now */
    uint64_t n_launches[8];     /**< runs of plans; 0 unless they are recorded,
                                     see hone_record_start() */
    uint64_t n_vendor_launches; /**< of those */
    uint64_t code_bytes;        /**< of kernels that were loaded */
    uint64_t workspace_bytes;   /**< of device memory that streams have now,
                                     see hone_stream_release() */
} hone_counters;

/**
 * Tell the counters; hone_close() says them by the log (info). Thread-safe; it
 * may wait for a plan that is being made and, on the cpu device, for a run.
 *
 * @return HONE_OK, HONE_ERR_ARGUMENT (NULL)
 */
HONE_API hone_status hone_counters_get(hone_ctx *ctx, hone_counters *out);

#ifdef __cplusplus
}
#endif
#endif
