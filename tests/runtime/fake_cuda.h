/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA driver for tests, built as a library with the driver's symbols and
 * loaded through HONE_CUDA_LIBRARY. "Device memory" is host memory, kernels
 * do not run but are recorded with the values of their parameters. A
 * "cubin" is a text, one kernel a line: "NAME STATIC_SHARED SIZE,SIZE,..",
 * the sizes of its parameters in bytes; or constant memory, "@NAME BYTES". */
#ifndef HONE_TESTS_RUNTIME_FAKE_CUDA_H
#define HONE_TESTS_RUNTIME_FAKE_CUDA_H

#include "runtime/driver/driver.h"

#define FAKE_API __attribute__((visibility("default")))

FAKE_API hone_cu_result cuCtxSetCurrent(hone_cu_context c);

enum {
    FAKE_MAX_PARAMS = 16,
    FAKE_KEPT_LAUNCHES = 64,
    FAKE_MAX_THREADS = 512 /* of a block, of each kernel */
};

typedef struct fake_launch {
    char kernel[64];
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    unsigned cluster[3]; /* of cuLaunchKernelEx; else 0 */
    int cooperative;
    int early;
    uint32_t constant; /* the first word of the module's constant memory */
    hone_stream stream;
    unsigned long long context_id;
    size_t n_params;
    uint64_t params[FAKE_MAX_PARAMS]; /* zero-extended, cut after 8 bytes */
} fake_launch;

/* What cuTensorMapEncodeTiled was asked. A map holds the address of its array
 * in its first word, and the number of the call in the second. */
typedef struct fake_map {
    int type;
    uint32_t rank;
    hone_cu_ptr address;
    uint64_t dims[5];
    uint64_t strides[4];
    uint32_t box[5];
    uint32_t steps[5];
    int modes[4]; /* interleave, swizzle, L2 promotion, fill */
} fake_map;

/* What was asked of a stream, or of the host. */
typedef struct fake_step {
    enum {
        FAKE_COPY_IN,
        FAKE_COPY_OUT,
        FAKE_LAUNCH,
        FAKE_RECORD,
        FAKE_WAIT,
        FAKE_HOST_WAIT /* for an event */
    } kind;
    hone_stream stream;
    hone_cu_event event;
    uint64_t to; /* of a copy */
    size_t size_bytes;
} fake_step;

enum { FAKE_KEPT_STEPS = 256 };
FAKE_API long fake_n_steps(void); /* since fake_reset() */
FAKE_API const fake_step *fake_step_at(long index);
FAKE_API long fake_n_events(void);      /* now, as the next two */
FAKE_API long fake_n_host_blocks(void); /* page-locked */
FAKE_API size_t fake_n_host_bytes(void);

FAKE_API long fake_n_maps(void); /* encoded since fake_reset() */
/* Map 0 is the first since fake_reset(); only 64 are kept. */
FAKE_API const fake_map *fake_map_at(long index);

/* Back to: sm_90 with 132 multiprocessors, name "Fake H200", nothing
 * recorded, no failure planned. Contexts and modules stay. */
FAKE_API void fake_reset(void);
FAKE_API void fake_device(int sm, int sm_count, const char *name);
FAKE_API void fake_no_device(int on);

/* A new context, made current for the calling thread. */
FAKE_API hone_cu_context fake_context_create(void);
FAKE_API void fake_context_destroy(hone_cu_context context);
/* As cudaDeviceReset() does: same handle, another id, modules are gone. */
FAKE_API void fake_context_reset(hone_cu_context context);

/* The n-th driver call from now on (1: the next) fails with `code`, once;
 * 0 turns it off. Calls that only explain an error do not count. */
FAKE_API void fake_fail_call(long n, int code);
FAKE_API long fake_n_calls(void); /* since fake_reset() */

FAKE_API long fake_n_launches(void);
/* Launch 0 is the first since fake_reset(); only 64 are kept. */
FAKE_API const fake_launch *fake_launch_at(long index);
/* Off: launches are only counted, as a benchmark wants it. */
FAKE_API void fake_record(int on);

/* What occupancy is: blocks of a multiprocessor, clusters of the device. */
FAKE_API void fake_occupancy(int n_blocks, int n_clusters);
/* Was a kernel allowed clusters of more than eight blocks since the reset? */
FAKE_API int fake_allows_large_clusters(void);
FAKE_API long fake_n_copies(void); /* on the device, since fake_reset() */
FAKE_API long fake_n_fills(void);

/* A stream is captured, `on` is the id of that: allocating fails meanwhile.
 */
FAKE_API void fake_capture(int on);

FAKE_API long fake_n_graphs(void);       /* now, instantiated ones as well */
FAKE_API long fake_n_instantiated(void); /* ever */

/* Count no modules and memory of before: they died with a context. */
FAKE_API void fake_lose_all(void);
FAKE_API long fake_n_modules(void);     /* loaded now */
FAKE_API long fake_n_loads(void);       /* ever */
FAKE_API long fake_n_allocations(void); /* device memory blocks now */
FAKE_API size_t fake_n_bytes(void);     /* and what was asked for them */
/* More than this together is refused; fake_reset() makes it 4 GB. */
FAKE_API void fake_memory(size_t size_bytes);
FAKE_API long fake_n_streams(void); /* now */

#endif
