/* SPDX-License-Identifier: Apache-2.0 */
/* What the tuner offers to the commands: compile a space, tune a problem,
 * run a tuned problem. The calling process never touches the GPU or NVRTC:
 * both live in worker processes forked from here, so the caller must be
 * single-threaded and must not have initialised CUDA. */
#ifndef HONE_TUNER_TUNER_H
#define HONE_TUNER_TUNER_H

#include "db/db.h"
#include "gen/space.h"
#include "gen/parse/template.h"
#include "runtime/base/error.h"
#include "runtime/base/device_properties.h"
#include "runtime/hone.h"
#include "tuner/judge/outcome.h"
#include "tuner/judge/cpu_reference.h"

#include <signal.h>

/* Where variants run. On the cpu they are compiled by the system's C++
 * compiler against tuner/cpu/host/ (a device that is always there: its numbers
 * are never compared with a GPU's). */
typedef enum hone_backend { HONE_BACKEND_CUDA, HONE_BACKEND_CPU } hone_backend;

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
    double compile_timeout_s;          /* at most (compile_limit.h); 0: 120 */
    const volatile sig_atomic_t *stop; /* becomes non-zero on Ctrl-C; NULL ok */
} hone_farm_options;

/* ---- compile ---------------------------------------------------------- */

typedef struct hone_compile_report { /* one finished variant */
    int64_t index;                   /* in the order of the request, 0.. */
    int64_t n_total;
    const char *config;   /* canonical text; valid during the call */
    hone_outcome outcome; /* OK, COMPILE, TIMEOUT, or LIMITS: not compiled,
                             for it cannot be launched (gate.h) */
    int cached;           /* came from the cache, or from another variant
                             with the same source */
    double compile_ms;    /* of the compiler, 0 if cached */
    size_t cubin_bytes;
    int registers; /* most of its kernels; -1 unknown */
    int spill_bytes;
    int static_shared_bytes;
    const char *warnings; /* "C7510,C7515" (compile_log.h), "" if none */
    const char *log;      /* compiler's log, or why it was not asked; "" */
} hone_compile_report;

typedef struct hone_compile_request {
    const hone_template *tmpl;
    const char *arch;      /* "sm_90", "sm_90a"; suffix added if needed */
    const int64_t *dims;   /* completed dims, or NULL for every shape */
    const int64_t *config; /* this one only, or NULL for the space */
    int64_t limit;         /* at most so many, spread evenly; 0: all */
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

/* ---- tune ------------------------------------------------------------- */

/* How a sample is taken: a CUDA graph that is replayed, or launches between
 * two events. AUTO takes graphs for short executions. */
typedef enum hone_timing {
    HONE_TIMING_AUTO,
    HONE_TIMING_EVENT,
    HONE_TIMING_GRAPH
} hone_timing;
const char *hone__timing_name(hone_timing timing); /* "auto", "event", .. */

typedef enum hone_mode { HONE_MODE_COLD, HONE_MODE_HOT } hone_mode;
const char *hone__mode_name(hone_mode mode); /* "cold", "hot" */

typedef struct hone_tune_progress {
    int64_t n_done;    /* trials with an outcome, resumed ones included */
    int64_t n_resumed; /* of these, found in the database */
    int64_t n_planned; /* by budget and space; 0 if limited by time only */
    int64_t n_compiled;
    double elapsed_s;
    double budget_s;         /* 0: none */
    double best_ns;          /* 0: none yet */
    const char *best_config; /* "" : none yet; valid during the call */
    const char *stage; /* "tuning", "final", "waiting for process 12", .. */
    int64_t outcomes[HONE_N_OUTCOMES];
} hone_tune_progress;

typedef struct hone_tune_request {
    const hone_template *tmpl;
    const int64_t *dims; /* completed */
    int device;          /* CUDA ordinal */
    hone_mode mode;
    const char *strategy;  /* of tuner/search/search.h */
    int64_t budget_trials; /* 0: no such limit */
    double budget_s;       /* 0: no such limit */
    double until_gain;     /* stop when another such gain is unlikely, see
                              until.h: 0.01 for 1 %; 0: do not */
    uint64_t seed;
    int without_seeds;      /* do not begin with what is good elsewhere */
    double trial_timeout_s; /* 0: 10 */
    int fixed_samples;      /* > 0: so many for every variant, no racing */
    hone_timing timing;
    const int64_t *config; /* this one only; NULL: the space */
    const hone_reference *references;
    size_t n_references;
    hone_db *db; /* NULL with verify_only: nothing is stored */
    /* Only verify, on small shapes that divide nothing: `dims` gives the
     * type dimensions, and the space is that of every shape, or with
     * `space_of_dims` that of `dims`. */
    int verify_only;
    int space_of_dims;
    hone_farm_options farm;
    void (*on_trial)(void *user, const char *config, hone_outcome outcome,
                     const char *message); /* NULL ok */
    void (*on_progress)(void *user, const hone_tune_progress *progress);
    void *user;
} hone_tune_request;

/* A baseline measured beside the winner, interleaved with it. */
typedef struct hone_tune_baseline {
    char name[64];
    char label[96];
    double time_ns;   /* median; 0 if it could not run */
    double spread_ns; /* half the interquartile range */
    int algorithm;
    int n_algorithms;
    char message[256]; /* why it could not run */
} hone_tune_baseline;

enum { HONE_MAX_BASELINES = 8 };

typedef struct hone_tune_result {
    char device_name[128];
    char arch[16];
    int64_t space_raw;
    int64_t space_valid;
    int64_t n_trials; /* with an outcome, resumed ones included */
    int64_t n_resumed;
    int64_t n_seeded;    /* configurations that went first, see seeds.h */
    int64_t n_compiled;  /* variants that have a cubin */
    int64_t n_compiles;  /* of the compiler; the rest shared one or came from
                            the cache */
    int64_t n_gated;     /* rejected before they were compiled */
    int64_t n_deferred;  /* spill registers: left for the end */
    int64_t n_samples;   /* of all trials of this run */
    double sample_s;     /* spent in these samples */
    int64_t n_discarded; /* samples during a slowdown, repeated */
    int64_t n_retried;   /* trials whose worker was killed from outside */
    int64_t outcomes[HONE_N_OUTCOMES];
    int has_winner;
    char message[512]; /* why there is none (failures.h); "" if there is */
    char winner[256];
    double time_ns; /* of the winner, median of the final */
    double ci_low_ns;
    double ci_high_ns;
    double spread_ns;
    double default_ns;  /* of the default variant in the same final */
    double error_ratio; /* worst error over the bound; at most 1 */
    double flops;       /* declared work; 0 if not declared */
    double bytes;
    int sm_clock_mhz;      /* -1 unknown */
    char stopped[16];      /* "exhausted", "budget", "unlikely",
                              "interrupted"; "": it did not come to it */
    char stopped_why[160]; /* a sentence */
    char decided_by[160];
    char verdict[16];      /* "decided", "tied", "too_noisy", "only_one", "" */
    double noise_floor;    /* relative, of the final; negative: unknown */
    double event_floor_ns; /* of an empty pair of events; 0: unknown */
    char notes[1024];      /* checks left out, alarms, a smaller set-up: what a
                              person should know; "" : nothing */
    size_t n_baselines;
    hone_tune_baseline baselines[HONE_MAX_BASELINES];
    double seconds;
    /* Where they went: until the first trial could start, trials, final. */
    double setup_s;
    double trials_s;
    double final_s;
    double gpu_busy_s; /* of trials_s */
} hone_tune_result;

/* Tune one problem: every trial is in the database when this returns, also
 * with HONE_ERR_INTERRUPTED. Calling it again resumes. A run in which no
 * variant is valid returns HONE_OK with has_winner 0. Errors:
 * HONE_ERR_NO_GPU, HONE_ERR_NO_NVRTC, HONE_ERR_CUDA (the device stopped
 * answering), HONE_ERR_DATABASE, HONE_ERR_CONSTRAINT (the template's arch
 * line), HONE_ERR_NO_MEMORY (device memory too small for the problem). */
hone_status hone__tune(const hone_tune_request *request, hone_tune_result *out,
                       hone_error *err);

/* HONE_ERR_CONSTRAINT with the template's reason if it is for CUDA devices
 * only and `backend` is the cpu. */
hone_status hone__cpu_can_run(const hone_template *tmpl, hone_backend backend,
                              hone_error *err);

/* ---- run -------------------------------------------------------------- */

typedef struct hone_run_request {
    const hone_template *tmpl; /* for arguments and checks */
    const int64_t *dims;       /* completed */
    hone_backend backend;
    int device;
    hone_mode mode;
    const char *db_path; /* NULL: the default */
    uint64_t seed;
    const hone_reference *references;
    size_t n_references;
    const char *cache_folder;
    const volatile sig_atomic_t *stop; /* while waiting; NULL ok */
    /* Another process measures on this GPU; NULL ok. */
    void (*on_wait)(void *user, long holder);
    void *user;
} hone_run_request;

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
 * tuner's protocol. */
hone_status hone__run(const hone_run_request *request, hone_run_result *out,
                      hone_error *err);

/* ---- doctor ----------------------------------------------------------- */

/* Name, architecture and properties of a device, asked in a child process. */
typedef struct hone_device_report {
    char name[128];
    char id[40];        /* of this very card: 32 hex digits; "cpu" */
    char arch[16];      /* "sm_90" */
    int driver_version; /* 13000: CUDA 13.0 */
    hone_properties properties;
} hone_device_report;

hone_status hone__device_describe(int device, hone_device_report *out,
                                  hone_error *err);

#endif
