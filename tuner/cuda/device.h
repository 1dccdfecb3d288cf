/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU as a worker process sees it: one device, one context, one stream,
 * the tuner's own kernels, and NVML. */
#ifndef HONE_TUNER_DEVICE_H
#define HONE_TUNER_DEVICE_H

#include "runtime/driver/driver.h"
#include "tuner/cuda/nvml.h"

/* The kernels of device_code.cu. X(field, symbol) */
#define HONE_DEVICE_KERNEL_MAP(X)                                              \
    X(fill, "hone_fill")                                                       \
    X(absolute, "hone_absolute")                                               \
    X(to_double, "hone_to_double")                                             \
    X(norms, "hone_norms")                                                     \
    X(audit, "hone_audit")                                                     \
    X(compare, "hone_compare")                                                 \
    X(load, "hone_load")                                                       \
    X(hold, "hone_hold")

/* Device memory with guard bands: HONE_GUARD_BYTES of 0xff before and after.
 * Read as a float they are NaN, so that reading them shows in the result. */
typedef struct hone_block {
    hone_cu_ptr base; /* 0: nothing allocated */
    hone_cu_ptr data;
    size_t size_bytes;
} hone_block;

typedef struct hone_gpu {
    const hone_driver *driver;
    hone_cu_device ordinal;
    hone_cu_context context; /* the primary one, so that CUDA libraries and
                                the runtime API of baselines share it */
    hone_stream stream;
    hone_properties properties;
    char name[128];
    int driver_version;
    hone_cu_module code;
    struct {
#define DEVICE_KERNEL(field, symbol) hone_cu_function field;
        HONE_DEVICE_KERNEL_MAP(DEVICE_KERNEL)
#undef DEVICE_KERNEL
    } kernel;
    hone_cu_ptr scratch; /* small results of our kernels */
    hone_block audit;    /* what audit.c looks at */
    hone_nvml *nvml;     /* NULL: not there */
    int64_t clock_khz;   /* the most; 0 unknown, like the others */
    int64_t memory_clock_khz;
    int64_t bus_bits;
    double event_floor_ns; /* of an empty sample (measure.h); 0 unknown */
} hone_gpu;

enum { HONE_SCRATCH_BYTES = 256 };

/* The text of device_code.cu. */
extern const char hone__device_code[];

/* Name, properties and versions; makes no context. */
hone_status hone__device_identify(hone_gpu *device, int ordinal,
                                  hone_error *err);
/* Make the context of an identified device current and load `code`, the cubin
 * of device_code.cu (NULL: without our kernels). HONE_ERR_NO_MEMORY. */
hone_status hone__device_begin(hone_gpu *device, const void *code,
                               hone_error *err);
/* Both. */
hone_status hone__device_open(hone_gpu *device, int ordinal, const void *code,
                              hone_error *err);
/* Load the cubin of our kernels, where the context was made without it. */
hone_status hone__device_load(hone_gpu *device, const void *code,
                              hone_error *err);
/* Needed only for a clean exit under a memory checker. */
void hone__device_close(hone_gpu *device);

/* Launch one of our kernels over `n` elements on the device's stream. */
hone_status hone__device_run(hone_gpu *device, hone_cu_function kernel,
                             int64_t n, void **params, const char *what,
                             hone_error *err);
hone_status hone__device_synchronize(hone_gpu *device, const char *what,
                                     hone_error *err);

enum { HONE_GUARD_BYTES = 4096 };

/* HONE_ERR_NO_MEMORY says what is free. */
hone_status hone__block_alloc(hone_gpu *device, size_t size_bytes,
                              hone_block *out, hone_error *err);
void hone__block_free(hone_gpu *device, hone_block *block);
/* Write the guards anew, after somebody else did. */
hone_status hone__block_guard(hone_gpu *device, const hone_block *block,
                              hone_error *err);

#endif
