/* SPDX-License-Identifier: Apache-2.0 */
/* What the tuner offers to the commands: compile a space, tune a problem
 * (session/tune.h), run a tuned problem, describe a device. The calling
 * process never touches a device or NVRTC: both live in worker processes
 * forked from here, so the caller must be single-threaded and must not have
 * initialised CUDA. */
#ifndef HONE_TUNER_TUNER_H
#define HONE_TUNER_TUNER_H

#include "db/db.h"
#include "gen/parse/template.h"
#include "gen/space.h"
#include "runtime/base/text.h"
#include "runtime/hone.h"
#include "tuner/compile/compiler.h"
#include "tuner/compile/farm.h"
#include "tuner/compile/host_unit.h"
#include "tuner/judge/check_data.h"
#include "tuner/judge/outcome.h"
#include "tuner/session/tune.h"
#include "tuner/trial/devices.h"

/* ---- compile ------------------------------------------------------------ */

typedef struct hone_compile_report { /* one finished variant */
    int64_t index;                   /* in the order of the request, 0.. */
    int64_t n_total;
    const char *config;   /* canonical text; valid during the call */
    hone_outcome outcome; /* OK, COMPILE, TIMEOUT, or LIMITS: not compiled,
                             for it cannot be launched (gate.h) */
    /* `cached`: from the cache, or from another variant with the same source.
     * The log may be why the compiler was not asked. */
    const hone_compile_output *output;
} hone_compile_report;

typedef struct hone_compile_request {
    const hone_template *tmpl;
    const char *arch;      /* "sm_90", "sm_90a"; suffix added if needed */
    const int64_t *dims;   /* completed dims, or NULL for every shape */
    const int64_t *config; /* this one only, or NULL for the space */
    int64_t limit;         /* at most so many, spread evenly; 0: all */
    int part, n_parts; /* of these, `part` of 0 .. n_parts-1; 0 parts: all */
    hone_farm_options farm;
    void (*on_variant)(void *user, const hone_compile_report *report);
    void *user;
} hone_compile_request;

typedef struct hone_compile_result {
    int64_t n_variants; /* = n_gated + n_compiles + n_cached */
    int64_t n_failed;
    int64_t n_gated;
    int64_t n_warned;   /* of those that compiled */
    int64_t n_compiles; /* of the compiler */
    int64_t n_cached;   /* same source as another, or in the cache before */
    int n_workers;
    double seconds;
    double variants_per_s;
    double compiles_per_s;
    char toolchain[64]; /* "NVRTC 13.0" */
} hone_compile_result;

/* HONE_ERR_NO_NVRTC, HONE_ERR_INTERRUPTED (what is done is in the cache and
 * in `out`), HONE_ERR_CONSTRAINT (arch), HONE_ERR_IO (cache folder). A
 * variant that does not compile is counted, not an error. */
hone_status hone__compile_space(const hone_compile_request *request,
                                hone_compile_result *out, hone_error *err);

/* ---- what is tuned ------------------------------------------------------ */

/* What `hone run` and `hone bench` begin with: one problem on one device, and
 * where what is known of it lies. */
typedef struct hone_tuned {
    /* Implementations of the operation, in the order in which they would be
     * launched untuned. */
    const hone_template *const *impls;
    size_t n_impls;
    int64_t dims[HONE_MAX_DIMS]; /* completed */
    int device;                  /* CUDA ordinal */
    hone_mode mode;
    hone_text db_path;
    hone_text cache; /* its folder, which exists */
    uint64_t seed;
    const hone_reference *references;
    size_t n_references;
    hone_farm_options farm; /* backend, cache folder, stop */
    /* Another process measures on this device; NULL ok. */
    void (*on_wait)(void *user, long holder);
    void *user;
    int is_said; /* for `on_wait` */
} hone_tuned;

/* ---- run ---------------------------------------------------------------- */

typedef struct hone_run_result {
    double time_ns; /* median through the runtime */
    double spread_ns;
    double tuned_time_ns; /* what the database says, 0 if nothing */
    double error_ratio;   /* worst error over the bound; > 1 is wrong */
    int correct;
    char message[256]; /* what is wrong, if not correct */
    hone_match match;
    char device_name[128];
} hone_run_result;

/* Launch through the runtime (hone.h), verify the result, measure with the
 * tuner's protocol. `timeout_s` of the run that is checked; 0: 60.
 * HONE_ERR_KERNEL: the kernel hangs or crashes; HONE_ERR_INTERRUPTED. */
hone_status hone__run(const hone_tuned *tuned, double timeout_s,
                      hone_run_result *out, hone_error *err);

#endif
