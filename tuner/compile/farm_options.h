/* SPDX-License-Identifier: Apache-2.0 */
/* How variants are compiled: for which device, with what built in, by how
 * many processes, and when to stop. */
#ifndef HONE_TUNER_FARM_OPTIONS_H
#define HONE_TUNER_FARM_OPTIONS_H

#include <signal.h>

/* Where variants run. On the cpu they are compiled by the system's C++
 * compiler against tuner/cpu/host/ (a device that is always there: its numbers
 * are never compared with a GPU's).
 * X(ID, name, compiler): --device NAME is the row hone__NAME_device of
 * hone_device_kind (device/device.h), compiled by COMPILER
 * (compile_worker.c). */
#define HONE_BACKEND_MAP(X)                                                    \
    X(CUDA, cuda, nvrtc)                                                       \
    X(CPU, cpu, host)

typedef enum hone_backend {
#define HONE_BACKEND_ENUM(id, name, compiler) HONE_BACKEND_##id,
    HONE_BACKEND_MAP(HONE_BACKEND_ENUM)
#undef HONE_BACKEND_ENUM
        HONE_N_BACKENDS
} hone_backend;

/* What the C++ compiler builds in beside the variant: nothing, ASan and UBSan
 * (the process must run with ASan's library preloaded), or a check of races
 * in shared memory. */
typedef enum hone_host_build {
    HONE_HOST_PLAIN,
    HONE_HOST_SANITIZED,
    HONE_HOST_RACES
} hone_host_build;

/* Which compiler, where its results are cached, how many compile processes,
 * and when to stop. */
typedef struct hone_farm_options {
    hone_backend backend;
    hone_host_build host_build;        /* of the cpu */
    const char *cache_folder;          /* NULL: no cache */
    int n_workers;                     /* 0: one per core, capped by memory */
    double compile_timeout_s;          /* at most (allowance.h); 0: 120 */
    const volatile sig_atomic_t *stop; /* becomes non-zero on Ctrl-C; NULL ok */
} hone_farm_options;

#endif
