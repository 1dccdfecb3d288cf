/* SPDX-License-Identifier: Apache-2.0 */
/* A device as a worker process sees it: a driver, one context, one stream,
 * blocks of memory with guard bands, and the tuner's helper kernels. What
 * differs between kinds of devices is a row of hone_device_kind; everything
 * above this header exists once. */
#ifndef HONE_TUNER_DEVICE_H
#define HONE_TUNER_DEVICE_H

#include "runtime/driver/driver.h"
#include "runtime/vendor/vendor.h"
#include "tuner/compile/gate.h"
#include "tuner/judge/outcome.h"

/* The helper kernels of cuda/device_code.cu and cpu/cpu_device.c.
 * X(field, symbol) */
#define HONE_DEVICE_KERNEL_MAP(X)                                              \
    X(fill, "hone_fill")                                                       \
    X(absolute, "hone_absolute")                                               \
    X(perturb, "hone_perturb")                                                 \
    X(spread, "hone_spread")                                                   \
    X(magnitude, "hone_magnitude")                                             \
    X(to_double, "hone_to_double")                                             \
    X(norms, "hone_norms")                                                     \
    X(audit, "hone_audit")                                                     \
    X(compare, "hone_compare")                                                 \
    X(load, "hone_load")                                                       \
    X(poison, "hone_poison")                                                   \
    X(hold, "hone_hold")

/* Name, architecture and properties of a device. */
typedef struct hone_device_report {
    char name[128];
    char id[40];        /* of this very card: 32 hex digits, or where it is;
                           "cpu" */
    char arch[16];      /* "sm_90", "cpu" */
    int driver_version; /* 13000: CUDA 13.0; 0: none */
    int n_devices;      /* of its kind, that the driver shows */
    hone_properties properties;
} hone_device_report;

typedef struct hone_warm_up {
    double seconds;   /* it took */
    double clock_mhz; /* of the multiprocessors, last seen; 0: unknown */
    int settled;      /* 0: the clock still moved when the time was over */
} hone_warm_up;

/* Where a block is. Helper kernels read and write all of them: page-locked
 * memory has the same address on the device, and pageable memory a page-locked
 * copy there, to which and from which it is copied around a run. */
typedef enum hone_block_kind {
    HONE_BLOCK_DEVICE,
    HONE_BLOCK_PINNED,
    HONE_BLOCK_PAGEABLE
} hone_block_kind;

/* Memory with guard bands of 0xff before and after. Read as a float they are
 * NaN, so that reading them shows in the result. */
typedef struct hone_block {
    hone_cu_ptr base; /* 0: nothing allocated */
    hone_cu_ptr data;
    size_t size_bytes;
    int is_host;             /* page-locked, or the copy of pageable memory */
    unsigned char *pageable; /* as `base`; NULL: there is none */
} hone_block;

struct hone_nvml;
struct hone_device_kind;

typedef struct hone_device {
    const struct hone_device_kind *kind;
    const hone_driver *driver;
    hone_cu_device ordinal;
    hone_cu_context context; /* the primary one, so that CUDA libraries and
                                the runtime API of baselines share it */
    hone_stream stream;
    hone_properties properties;
    char name[128];
    int driver_version;
    int n_devices;      /* of its kind */
    size_t guard_bytes; /* of each band; 0: a sanitizer watches the bounds */
    hone_cu_module code;
    struct {
#define DEVICE_KERNEL(field, symbol) hone_cu_function field;
        HONE_DEVICE_KERNEL_MAP(DEVICE_KERNEL)
#undef DEVICE_KERNEL
    } kernel;               /* NULL: the device does without */
    hone_cu_ptr scratch;    /* small results of our kernels */
    hone_block audit;       /* rows of hone__audit() */
    struct hone_nvml *nvml; /* NULL: not there */
    hone_vendors *vendors;  /* hone__device_vendors(); NULL: not asked for */
    int64_t clock_khz;      /* the most; 0 unknown, like the others */
    int64_t memory_clock_khz;
    int64_t bus_bits;
    double event_floor_ns; /* of an empty sample (timer.h); 0 unknown */
} hone_device;

/* One kind of device: what it can do, and what only it knows how to do. The
 * rows are in trial/devices.c. */
typedef struct hone_device_kind {
    const char *name;   /* as --device, the database and the runtime say it */
    const char *driver; /* "CUDA driver": somebody else's, loaded to find the
                           device, and may be missing; NULL: always there */
    int has_ordinals;   /* there may be several: --device NAME:N */
    int is_shared;      /* other programs take its time: several may measure on
                           it at once, and a wide spread is normal */
    int has_vendors;    /* vendors' libraries run on it */
    int needs_code; /* its helper kernels come compiled (helper_kernels.h) */
    int has_limits; /* of registers, threads and shared memory; else all it
                       refuses is what it lacks */
    int has_caches; /* cold mode rotates over copies of the arguments; else
                       it always measures hot */
    int rests;      /* a series after a rest differs from times in turns */
    hone_timing timing; /* the only way times are taken; AUTO: any */
    double trial_s;     /* of timing per trial, at most */
    double race_s;      /* of a final's race, at most; 0: as it needs */
    size_t guard_bytes;
    hone_gate_rule *gate; /* what it cannot launch is not compiled; NULL ok */
    /* Driver, properties and versions; makes no context. */
    hone_status (*identify)(hone_device *device, int ordinal, hone_error *err);
    /* The rest of the report: identity and architecture. */
    void (*describe)(const hone_device *device, hone_device_report *out);
    /* Context, stream and helper kernels of an identified device. `code` is
     * the cubin of cuda/device_code.cu; NULL: it comes later, or there is
     * none. */
    hone_status (*begin)(hone_device *device, const void *code,
                         hone_error *err);
    void (*end)(hone_device *device); /* NULL ok, like those below */
    /* Bring it to its working clock, and measure event_floor_ns. */
    hone_status (*warm_up)(hone_device *device, hone_warm_up *out,
                           hone_error *err);
    void (*read_clocks)(hone_device *device, hone_clocks *out);
    /* Millijoules since some moment of its own; 0: it cannot say. */
    int (*read_energy)(hone_device *device, int64_t *out_mj);
    /* Reasons, right now, for which a sample must be thrown away
     * (cuda_device.h). */
    int64_t (*slowed)(hone_device *device);
    /* The card is gone, or its driver: what ran on it is not to blame. */
    int (*is_lost)(hone_device *device);
} hone_device_kind;

enum { HONE_SCRATCH_BYTES = 256 };

/* Identify, and begin. HONE_ERR_NO_GPU, HONE_ERR_NO_MEMORY, HONE_ERR_CUDA. */
hone_status hone__device_open(const hone_device_kind *kind, int ordinal,
                              const void *code, hone_device *out,
                              hone_error *err);
/* The second half, of a device that is identified. */
hone_status hone__device_begin(hone_device *device, const void *code,
                               hone_error *err);
/* Needed only for a clean exit under a memory checker. */
void hone__device_close(hone_device *device);
/* The handles of vendors' libraries in its context, made at the first call. */
hone_status hone__device_vendors(hone_device *device, hone_vendors **out,
                                 hone_error *err);
hone_status hone__device_warm_up(hone_device *device, hone_warm_up *out,
                                 hone_error *err);
/* All -1 where the device has nothing to say. */
void hone__device_clocks(hone_device *device, hone_clocks *out);
/* The device's counter of energy, in millijoules; 0: it has none. */
int hone__device_energy(hone_device *device, int64_t *out_mj);

/* Asked after a kernel ended its context. */
int hone__device_is_lost(hone_device *device);

/* Load the cubin of our kernels, where the context was made without it. */
hone_status hone__device_load(hone_device *device, const void *code,
                              hone_error *err);
/* Launch one of our kernels over `n` elements on the device's stream. */
hone_status hone__device_run(hone_device *device, hone_cu_function kernel,
                             int64_t n, void **params, const char *what,
                             hone_error *err);
hone_status hone__device_synchronize(hone_device *device, const char *what,
                                     hone_error *err);
/* Fill the shared memory of every multiprocessor with this word, on the
 * device's stream: what the next kernel reads of it before it writes is that,
 * and not zeros or what another kernel left there. Nothing to do where the
 * device does so itself. */
hone_status hone__device_poison(hone_device *device, uint32_t word,
                                hone_error *err);

/* ---- memory -------------------------------------------------------------- */

enum { HONE_GUARD_BYTES = 4096 }; /* as in device_code.cu; of the cpu fewer */

/* HONE_ERR_NO_MEMORY says what is free. */
hone_status hone__block_alloc(hone_device *device, size_t size_bytes,
                              hone_block *out, hone_error *err);
hone_status hone__block_alloc_in(hone_device *device, hone_block_kind kind,
                                 size_t size_bytes, hone_block *out,
                                 hone_error *err);
void hone__block_free(hone_device *device, hone_block *block);
/* What a variant gets: the address of the contents, in pageable memory where
 * that is what it is for. */
hone_cu_ptr hone__block_address(const hone_block *block);
/* After the block was written, its pageable memory gets the same; after a run,
 * the block what was written there. Both wait for the stream; nothing to do for
 * blocks of other kinds. */
hone_status hone__block_lend(hone_device *device, const hone_block *block,
                             hone_error *err);
hone_status hone__block_return(hone_device *device, const hone_block *block,
                               hone_error *err);
/* Write the guards anew, after somebody else did. */
hone_status hone__block_guard(hone_device *device, const hone_block *block,
                              hone_error *err);
/* On the device's stream. */
hone_status hone__block_fill(hone_device *device, const hone_block *block,
                             unsigned char value, hone_error *err);
hone_status hone__block_copy(hone_device *device, const hone_block *from,
                             const hone_block *to, hone_error *err);
/* A new block with these bytes; waits for the stream. */
hone_status hone__block_upload(hone_device *device, const void *from,
                               size_t size_bytes, hone_block *out,
                               hone_error *err);

/* ---- looking at memory ---------------------------------------------------
 * Many blocks at once: were the guard bands written, did the contents change?
 * One launch, about the time it takes to read the blocks. */

/* A block and what was found: as in device_code.cu. */
typedef struct hone_audit_row {
    hone_cu_ptr base;
    hone_cu_ptr data;
    int64_t size_bytes;
    int64_t first_chunk; /* of device.c */
    uint64_t hash;       /* of the contents, in any order of reading */
    uint64_t n_before;   /* bytes of the guards that were written */
    uint64_t n_behind;
} hone_audit_row;

/* A row for a block. */
hone_audit_row hone__audit_row_of(const hone_block *block);

/* Fills hash, n_before and n_behind of every row. Waits for the stream. */
hone_status hone__audit(hone_device *device, hone_audit_row *rows, size_t n,
                        hone_error *err);

/* ---- time: two events around a piece of the stream ----------------------- */

typedef struct hone_stopwatch {
    hone_device *device;
    hone_cu_event start;
    hone_cu_event stop;
} hone_stopwatch;

hone_status hone__stopwatch_open(hone_device *device, hone_stopwatch *out,
                                 hone_error *err);
void hone__stopwatch_close(hone_stopwatch *watch);
/* Hold the stream and start; then enqueue; then stop and wait. */
hone_status hone__stopwatch_start(hone_stopwatch *watch, hone_error *err);
hone_status hone__stopwatch_stop(hone_stopwatch *watch, double *out_ns,
                                 hone_error *err);

#endif
