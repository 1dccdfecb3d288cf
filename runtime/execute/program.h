/* SPDX-License-Identifier: Apache-2.0 */
/* A program: a launch plan at one shape whose kernels are loaded. Geometry
 * and the source of each kernel parameter are settled when it is made, so
 * that a run only fills an array of pointers. The runtime's plans and the
 * tuner's variants are programs: what is timed is what ships.
 *
 * A program owns no memory of the device. Whoever runs it brings one address
 * for each workspace and, for constant memory, a bank. It may be run from
 * several threads at once. */
#ifndef HONE_RUNTIME_PROGRAM_H
#define HONE_RUNTIME_PROGRAM_H

#include "runtime/base/lines.h"
#include "runtime/driver/map_cache.h"
#include "runtime/vendor/vendor.h"

#include <string.h>

/* What the pointer of an argument must be. */
typedef enum hone_program_rule {
    HONE_RULE_ANY,   /* a scalar, or an array without elements */
    HONE_RULE_ARRAY, /* no null pointer */
    HONE_RULE_ABSENT /* a null pointer; or there is none, too */
} hone_program_rule;

/* One kernel parameter. */
typedef struct hone_program_param {
    hone_pass_kind kind;
    hone_program_rule rule; /* HONE_PASS_ARG */
    union {
        int index;   /* of the argument, workspace or tensor map */
        int32_t i32; /* the value itself: the driver gets its address */
        int64_t i64;
    } of;
} hone_program_param;

typedef struct hone_program_launch {
    hone_cu_function function;
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    unsigned n_params;
    hone_program_param *params;
} hone_program_launch;

/* What differs between the repetitions of a launch. */
typedef struct hone_program_repeat {
    int together; /* launches with the same number are repeated together and
                     follow each other; 0: this one is launched once */
    unsigned n;   /* repetitions */
    unsigned (*grids)[3]; /* n; of no blocks: it is left out */
    unsigned n_varying;
    unsigned char varying[HONE_MAX_PASSED]; /* which parameters */
    hone_program_param *params;             /* n_varying for each repetition */
} hone_program_repeat;

typedef struct hone_program_part {
    size_t size_bytes; /* 0: the kernels get a null pointer */
    hone_zero zero;
} hone_program_part;

typedef struct hone_program_constant {
    const char *name;
    int arg; /* it is filled from */
    size_t size_bytes;
    hone_cu_ptr to; /* in the module that the program was made with */
} hone_program_constant;

struct hone_program_pipeline; /* pipeline.h */

/* What the run of a plain program does not read. */
typedef struct hone_program_more {
    void *block;       /* what is freed; this structure is in it */
    hone_lines *lines; /* the program is of these; NULL: of the block, too */
    size_t n_lines;
    const hone_properties *properties;
    hone_map_cache *maps; /* NULL: no tensor maps */
    size_t n_least; /* arguments that a run needs: behind them all are absent */
    size_t n_parts;
    hone_program_part parts[HONE_MAX_WORKSPACES];
    size_t n_constants;
    hone_program_constant constants[HONE_MAX_CONSTANTS];
    /* Of arrays in host memory, whose parts are the last; NULL: none. */
    struct hone_program_pipeline *pipeline;
    hone_launch_shape *shapes; /* one for each launch, as are kernels */
    const char **kernels;
    hone_program_repeat *repeats; /* likewise; NULL: none is repeated */
    /* In place of launches, NULL: none. It has one part at most, the
     * workspace; `arguments` are its args, as parameters. */
    hone_vendor *vendor;
    hone_program_launch arguments;
} hone_program_more;

/* What the run of a plain program reads is one block of cache lines: this,
 * what its user keeps behind it, the operation's name and the launches with
 * their parameters. The rest is in `more`. A process with thousands of
 * programs waits for memory, not for instructions. */
typedef struct hone_program {
    const hone_driver *driver;
    hone_program_launch *launches;
    const char *op;
    hone_program_more *more;
    uint16_t n_launches;
    uint8_t n_args;
    /* A run is not launches alone: constants, tensor maps, workspaces that
     * are zeroed each time, clusters, cooperative or repeated launches, copies
     * of arrays in host memory; or a function of a vendor's library. */
    uint8_t is_special;
    uint32_t counter; /* of the plan's, count.h; here is room. 0: none */
} hone_program;

typedef struct hone_program_setup {
    const hone_driver *driver;
    const hone_properties *properties; /* of the device; outlive the program */
    hone_cu_module module;             /* likewise; has the kernels */
    hone_vendors *vendors; /* likewise; of a plan with a vendor's function */
    const char *op;
    const hone_resolved *resolved;
    /* Where the program's lines come from, NULL: anywhere. They outlive it,
     * and whoever frees the program holds their lock. */
    hone_lines *lines;
    /* Of the structures that begin with a hone_program and with its
     * hone_program_more; 0: no larger than these. The rest is zeroed. */
    size_t head_bytes;
    size_t more_bytes;
} hone_program_setup;

/* HONE_ERR_DATABASE if the launches are not those of the module's kernels;
 * HONE_ERR_INPUT if this device cannot launch a kernel that way, or if the
 * module has no such constant, or a smaller one; HONE_ERR_UNSUPPORTED,
 * HONE_ERR_NO_GPU for what the driver does not have; what hone__vendor_open()
 * returns. */
hone_status hone__program_create(const hone_program_setup *setup,
                                 hone_program **out, hone_error *err);
void hone__program_free(hone_program *program); /* NULL is a no-op */

/* repeat.c: what differs between the repetitions of launches, if any is
 * repeated; a program is freed with it. */
hone_status hone__program_repeat(hone_program *program,
                                 const hone_resolved *resolved,
                                 hone_error *err);
void hone__program_repeat_free(hone_program *program);
/* A kernel parameter of a resolved plan. */
void hone__program_param(const hone_resolved *resolved, const hone_pass *pass,
                         hone_program_param *out);

/* ---- bank.c ----------------------------------------------------------------
 *
 * Constant memory of one loaded module and what it was filled from: it is
 * filled again only when that is another array, or when somebody said that
 * the contents changed.
 *
 * Constant memory belongs to a module. A bank either describes the module
 * that the programs were made with (one user: the tuner), or has a module of
 * its own, loaded from the same code: the runtime gives each stream one, so
 * that streams do not disturb each other. A bank serves all programs of that
 * code, one run at a time.
 *
 * What a captured copy will write, and when, nobody knows here. A bank that
 * follows captures begins each of them with a copy, and from the first one on
 * copies before every run that is not captured. */
/* A constant that some program of the code has. */
typedef struct hone_bank_constant {
    hone_cu_ptr of_program; /* where the programs' module has it */
    hone_cu_ptr to;
    hone_cu_ptr from;
    size_t filled_bytes; /* 0: not filled */
} hone_bank_constant;

/* A kernel of the programs' module, in the bank's own one. */
typedef struct hone_bank_kernel {
    hone_cu_function of_program;
    hone_cu_function function;
    unsigned shared_bytes; /* it was made ready for, as n_cluster */
    unsigned n_cluster;
} hone_bank_kernel;

/* Starts as {0}: of the module that the programs were made with. Programs of
 * one code rarely differ in what they use of it; where they do, an entry is
 * given up for another one and made again when it is needed. */
typedef struct hone_bank {
    hone_cu_module module; /* whoever loaded it unloads it; NULL: that of the
                              programs */
    int follows_captures;
    int was_captured;
    uint64_t capture; /* in which one it was filled; 0: in none */
    unsigned n_constants;
    unsigned n_kernels;
    hone_bank_constant constants[HONE_MAX_CONSTANTS];
    hone_bank_kernel kernels[HONE_MAX_LAUNCHES];
} hone_bank;

/* The contents of arrays may have changed: the next run fills it again. */
void hone__bank_forget(hone_bank *bank);

/* Before the launches of a run: fill what is not filled from these
 * arguments. */
hone_status hone__bank_fill(hone_bank *bank, const hone_program *program,
                            void *const *args, hone_stream stream,
                            hone_error *err);
/* The kernel of a launch of `program`, whose constants are the bank's. */
hone_status hone__bank_kernel(hone_bank *bank, const hone_program *program,
                              size_t launch, hone_cu_function *out,
                              hone_error *err);

/* ---- running ---------------------------------------------------------------
 */

struct hone_lane; /* pipeline.h */

/* Enqueue one execution. `args` as for hone_plan_run(); `parts` are the
 * addresses of the workspaces, 0 for those of no size; `bank` is NULL for a
 * program without constants, `lane` for one without a pipeline. Runs that
 * share a bank or a lane take turns: the caller sees to it. */
hone_status hone__program_run(const hone_program *program, void *const *args,
                              hone_cu_ptr *parts, hone_bank *bank,
                              struct hone_lane *lane, hone_stream stream,
                              hone_error *err);
/* A piece of it: `n` launches from `first` on. */
hone_status hone__program_launches(const hone_program *program, size_t first,
                                   size_t n, void *const *args,
                                   hone_cu_ptr *parts, hone_bank *bank,
                                   hone_stream stream, hone_error *err);

/* Zero the workspaces with this rule. */
hone_status hone__program_zero(const hone_program *program, hone_zero rule,
                               const hone_cu_ptr *parts, hone_stream stream,
                               hone_error *err);

/* Why hone__program_enqueue() returned 0. */
typedef struct hone_program_fault {
    int missing;          /* the argument that is not as it must be; -1: none */
    const void *argument; /* args[missing] */
    size_t launch;
    hone_cu_result result;
} hone_program_fault;
hone_status hone__program_explain(const hone_program *program,
                                  const hone_program_fault *fault,
                                  hone_error *err);

/* Does an entry of `args` lead to no array? */
static inline int hone__program_is_null(const void *argument)
{
    hone_cu_ptr pointer = 0;

    if (argument)
        memcpy(&pointer, argument, sizeof pointer);
    return pointer == 0;
}

/* Collect the kernel parameters of a launch, but for tensor maps. Returns the
 * index of an argument that is not as it must be, or -1. */
static inline int hone__program_params(const hone_program_launch *launch,
                                       void *const *args, hone_cu_ptr *parts,
                                       void **params)
{
    static hone_cu_ptr null_pointer;

    for (unsigned p = 0; p < launch->n_params; ++p) {
        hone_program_param *from = &launch->params[p];

        params[p] = &from->of;
        if (from->kind == HONE_PASS_ARG) {
            params[p] = args[from->of.index];
            if (from->rule == HONE_RULE_ABSENT) {
                if (!hone__program_is_null(params[p]))
                    return from->of.index;
                params[p] = &null_pointer;
            } else if (!params[p] || (from->rule == HONE_RULE_ARRAY &&
                                      hone__program_is_null(params[p]))) {
                return from->of.index;
            }
        } else if (from->kind == HONE_PASS_WORKSPACE) {
            params[p] = &parts[from->of.index];
        }
    }
    return -1;
}

/* hone__program_run() for a program that is not special, without a second
 * function: 1, or 0 with the reason in `fault`. */
static inline int hone__program_enqueue(const hone_program *program,
                                        void *const *args, hone_cu_ptr *parts,
                                        hone_stream stream,
                                        hone_program_fault *fault)
{
    for (size_t i = 0; i < program->n_launches; ++i) {
        const hone_program_launch *launch = &program->launches[i];
        void *params[HONE_MAX_PASSED];
        const int missing = hone__program_params(launch, args, parts, params);
        hone_cu_result result = 0;

        if (missing < 0)
            result = program->driver->launch(
                launch->function, launch->grid[0], launch->grid[1],
                launch->grid[2], launch->block[0], launch->block[1],
                launch->block[2], launch->shared_bytes, stream, params, NULL);
        if (missing >= 0 || result) {
            *fault = (hone_program_fault){
                missing, missing < 0 ? NULL : args[missing], i, result};
            return 0;
        }
    }
    return 1;
}

#endif
