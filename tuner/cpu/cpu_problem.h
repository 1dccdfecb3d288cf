/* SPDX-License-Identifier: Apache-2.0 */
/* One problem on the cpu device: arguments in host memory, what the output
 * must be, and a compiled variant loaded into this process. */
#ifndef HONE_TUNER_CPU_PROBLEM_H
#define HONE_TUNER_CPU_PROBLEM_H

#include "runtime/driver/host_abi.h"
#include "tuner/judge/check_data.h"
#include "tuner/trial/problem.h"
#include "tuner/trial/variant.h"
#include "tuner/judge/watch.h"

/* Host memory with guard bands of 0xff, or, under a sanitizer that watches
 * the bounds itself, exactly as large as the array. */
typedef struct hone_cpu_block {
    unsigned char *base; /* NULL: none */
    unsigned char *data;
    size_t size_bytes;
    size_t guard_bytes;
} hone_cpu_block;

hone_status hone__cpu_block_alloc(size_t size_bytes, int guarded,
                                  hone_cpu_block *out, hone_error *err);
void hone__cpu_block_free(hone_cpu_block *block);
/* The guards and the contents as they are now. */
hone_watch_state hone__cpu_block_state(const hone_cpu_block *block);

typedef struct hone_cpu_check {
    const char *name;
    double tolerance;
    int64_t exact;
    int64_t count[HONE_N_PASSES];        /* 0: nothing to compare */
    hone_cpu_block index[HONE_N_PASSES]; /* int64; base NULL: all elements */
    hone_cpu_block value[HONE_N_PASSES]; /* double, like the magnitude */
    hone_cpu_block magnitude[HONE_N_PASSES];
    char skipped[256];
} hone_cpu_check;

/* A block that is watched, see watch.h. */
typedef struct hone_cpu_watched {
    hone_watch what;
    hone_cpu_block *block;
} hone_cpu_watched;

enum {
    HONE_CPU_MAX_WATCHED = HONE_MAX_ARGS * (HONE_N_PASSES + 1) +
                           HONE_MAX_CHECKS * HONE_N_PASSES * 3
};

typedef struct hone_cpu_problem {
    const hone_template *tmpl;
    hone_properties properties;
    hone_launch_spec *spec;
    hone_resolved resolved;
    uint64_t seed;
    int64_t amplitude[HONE_N_PASSES]; /* of integers as inputs; 0: reals */
    int guarded;
    int output; /* index of the only array that is written; -1: none */
    hone_cpu_block pristine[HONE_N_PASSES][HONE_MAX_ARGS];
    hone_cpu_block work[HONE_MAX_ARGS];
    hone_scalar scalar[HONE_N_PASSES][HONE_MAX_ARGS];
    size_t n_checks;
    hone_cpu_check checks[HONE_MAX_CHECKS];
    size_t n_watched;
    hone_cpu_watched watched[HONE_CPU_MAX_WATCHED];
} hone_cpu_problem;

/* As hone__problem_open(). */
hone_status hone__cpu_problem_open(const hone_problem_setup *setup, int guarded,
                                   hone_cpu_problem *out, hone_error *err);
void hone__cpu_problem_close(hone_cpu_problem *problem);
/* Arguments for a run; `pointers` has room for HONE_MAX_ARGS. */
void hone__cpu_problem_prepare(hone_cpu_problem *problem, int pass,
                               void **pointers, void **args);

/* Write inputs and guards anew, as they were at first. */
void hone__cpu_problem_restore(hone_cpu_problem *problem);

/* A variant's shared object, loaded. */
typedef struct hone_cpu_variant {
    void *library;
    int fd; /* of the object; the loader tells objects apart by its number */
    hone_host_run_fn *run;
    void *constants[HONE_MAX_CONSTANTS];    /* where they are */
    const void *filled[HONE_MAX_CONSTANTS]; /* from where; NULL: not yet */
    hone_launch_spec *spec;
    hone_resolved resolved;
    hone_cpu_block workspaces[HONE_MAX_WORKSPACES];
} hone_cpu_variant;

hone_status hone__cpu_variant_load(const hone_cpu_problem *problem,
                                   const char *launch_spec, const void *object,
                                   size_t object_bytes, hone_cpu_variant *out,
                                   hone_error *err);
/* One of another template, whose dimensions are these. */
hone_status hone__cpu_variant_load_at(const hone_cpu_problem *problem,
                                      const int64_t *dims, size_t n_dims,
                                      const char *launch_spec,
                                      const void *object, size_t object_bytes,
                                      hone_cpu_variant *out, hone_error *err);
void hone__cpu_variant_unload(hone_cpu_variant *variant);
/* Runs all launches of the variant, at once. HONE_ERR_KERNEL with the
 * sentence of the kernel's own report. */
hone_subject hone__cpu_variant_subject(hone_cpu_variant *variant);

#endif
