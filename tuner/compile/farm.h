/* SPDX-License-Identifier: Apache-2.0 */
/* A farm of compile processes. NVRTC is nearly serial within one process (25
 * variants/s with 16 threads against 229/s with 16 processes, measured on a
 * 16-core host), so each worker is a process, with a folder of its own for
 * precompiled headers. */
#ifndef HONE_TUNER_FARM_H
#define HONE_TUNER_FARM_H

#include "tuner/compile/compiler.h"
#include "tuner/process/worker.h"

/* Where variants run. On the cpu they are compiled by the system's C++
 * compiler against tuner/cpu/host/ (a device that is always there: its numbers
 * are never compared with a GPU's).
 * X(ID, name, compiler): --device NAME is the row hone__NAME_device of
 * hone_device_kind (device/device.h), compiled by COMPILER (compile_worker.c;
 * its row is in compiler_kind.c). Only this table, the folder of the device and
 * the reader of --device (tools/base/option_device.c) write HONE_BACKEND_ID:
 * everybody else asks a row. */
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

/* A farm of the parent process, used from here (farm_link.h). */
typedef struct hone_farm_link hone_farm_link;

/* Which compiler, where its results are cached, how many compile processes,
 * and when to stop. */
typedef struct hone_farm_options {
    hone_backend backend;
    hone_host_build host_build;        /* of compilers that have several */
    const char *cache_folder;          /* NULL: no cache */
    int n_workers;                     /* 0: one per core, capped by memory */
    double compile_timeout_s;          /* at most (allowance.h); 0: 120 */
    const volatile sig_atomic_t *stop; /* becomes non-zero on Ctrl-C; NULL ok */
    hone_farm_link *link; /* no processes of its own: compile in the parent's
                             farm; NULL: there is none */
} hone_farm_options;

/* ---- the farm --------------------------------------------------------------
 */

typedef struct hone_farm hone_farm;

/* A finished job. `output` is borrowed until the callback returns. A compile
 * that took too long, crashed its process, was killed with it or ran out of
 * memory has ok 0, timed_out, crashed, interrupted or out_of_memory, and a log
 * that says so in a sentence; the cache does not keep it, and this farm does
 * not try it again. What is killed once gets another process. Where memory was
 * the cause, the farm goes on with fewer processes before it gives up. */
typedef void hone_farm_done(void *user, int64_t job,
                            hone_compile_output *output);

/* Start the workers and wait until the first has its compiler.
 * HONE_ERR_NO_NVRTC, HONE_ERR_NO_COMPILER (no C++ compiler), HONE_ERR_IO
 * (cache folder), HONE_ERR_INTERRUPTED. */
hone_status hone__farm_open(const hone_farm_options *options,
                            hone_farm_done *on_done, void *user,
                            hone_farm **out, hone_error *err);
/* The same in two steps, with time for other things between them: the workers
 * load their compilers meanwhile. */
hone_status hone__farm_start(const hone_farm_options *options,
                             hone_farm_done *on_done, void *user,
                             hone_farm **out, hone_error *err);
hone_status hone__farm_wait(hone_farm *farm, hone_error *err);
void hone__farm_close(hone_farm *farm);
/* No more jobs will come: the workers may leave, which takes them a while;
 * hone__farm_close() then waits the less. NULL is a no-op. */
void hone__farm_dismiss(hone_farm *farm);

/* Fewer than at first after memory ran out. */
int hone__farm_n_workers(const hone_farm *farm);
/* Name and version of the compiler: "nvrtc" "13.0", "c++" "12.2.0". */
const hone_toolchain *hone__farm_toolchain(const hone_farm *farm);

/* Workers without a job, and jobs under way. */
int hone__farm_n_idle(const hone_farm *farm);
int hone__farm_n_busy(const hone_farm *farm);

/* Give a job to an idle worker (there must be one). A job whose compile is
 * under way for another job, or came to no end before, takes no worker: it
 * gets a copy of the answer, from a later pump. */
hone_status hone__farm_submit(hone_farm *farm, int64_t job,
                              const hone_compile_input *input, hone_error *err);

enum { HONE_FARM_MOST_ALSO = 129 };
/* The farm's share of a loop: wait a moment, or until a compile process or one
 * of `also` has news, then call on_done for what has finished
 * and replace workers that died or are overdue. HONE_ERR_INTERRUPTED when the
 * options' stop flag is set. */
hone_status hone__farm_turn(hone_farm *farm, hone_worker *const *also,
                            size_t n_also, hone_error *err);

/* One source through a farm of its own: for what a command needs once beside
 * its variants. As hone__farm_open() and hone__farm_submit();
 * HONE_ERR_INTERRUPTED. A source that does not compile is HONE_OK with `ok` 0
 * and a log. Free `out` with hone__compile_output_free(), in any case. */
hone_status hone__compile_one(const hone_farm_options *options,
                              const hone_compile_input *input,
                              hone_compile_output *out, hone_error *err);

#endif
