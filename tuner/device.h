/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU as a worker process sees it: one device, one context, one stream,
 * the tuner's own kernels, and NVML. */
#ifndef HONE_TUNER_DEVICE_H
#define HONE_TUNER_DEVICE_H

#include "runtime/cuda_api.h"
#include "tuner/nvml.h"

/* The kernels of device_code.cu. X(field, symbol) */
#define HONE_DEVICE_KERNEL_MAP(X)                                            \
    X(fill, "hone_fill")                                                     \
    X(absolute, "hone_absolute")                                             \
    X(to_double, "hone_to_double")                                           \
    X(hash, "hone_hash")                                                     \
    X(count_other, "hone_count_other")                                       \
    X(compare, "hone_compare")                                               \
    X(spin, "hone_spin")

typedef struct hone_gpu {
    const hone_cuda *cuda;
    hone_cu_device ordinal;
    hone_cu_context context; /* the primary one, so that CUDA libraries and
                                the runtime API of rivals share it */
    hone_stream stream;
    hone_facts facts;
    char name[128];
    int driver_version;
    hone_cu_module code;
    struct {
#define DEVICE_KERNEL(field, symbol) hone_cu_function field;
        HONE_DEVICE_KERNEL_MAP(DEVICE_KERNEL)
#undef DEVICE_KERNEL
    } kernel;
    hone_cu_ptr scratch; /* small results of our kernels */
    hone_nvml *nvml;     /* NULL: not there */
} hone_gpu;

enum { HONE_SCRATCH_BYTES = 256 };

/* The text of device_code.cu. */
extern const char hone__device_code[];

/* Name, facts and versions; makes no context. */
hone_status hone__device_identify(hone_gpu *device, int ordinal,
                                  hone_error *err);
/* Make the context current and load `code`, the cubin of device_code.cu
 * (NULL: without our kernels). */
hone_status hone__device_open(hone_gpu *device, int ordinal,
                              const void *code, hone_error *err);
/* Needed only for a clean exit under a memory checker. */
void hone__device_close(hone_gpu *device);

/* Keep the card busy until its clock has settled, about `max_s` at most. */
hone_status hone__device_warm_up(hone_gpu *device, double max_s,
                                 hone_error *err);

/* Launch one of our kernels over `n` elements on the device's stream. */
hone_status hone__device_run(hone_gpu *device, hone_cu_function kernel,
                             int64_t n, void **params, const char *what,
                             hone_error *err);
hone_status hone__device_synchronize(hone_gpu *device, const char *what,
                                     hone_error *err);

/* A result that means the context is lost and only a new process helps. */
int hone__cuda_is_fatal(int result);

/* Device memory with guard bands: HONE_GUARD_BYTES of 0xff before and after.
 * Read as a float they are NaN, so that reading them shows in the result. */
typedef struct hone_block {
    hone_cu_ptr base; /* 0: nothing allocated */
    hone_cu_ptr data;
    size_t size_bytes;
} hone_block;

enum { HONE_GUARD_BYTES = 4096 };

hone_status hone__block_alloc(hone_gpu *device, size_t size_bytes,
                              hone_block *out, hone_error *err);
void hone__block_free(hone_gpu *device, hone_block *block);
/* HONE_OK, or HONE_ERR_CONSTRAINT if the guards were written: `what` names
 * the block in the sentence. */
hone_status hone__block_check(hone_gpu *device, const hone_block *block,
                              const char *what, hone_error *err);

#endif
