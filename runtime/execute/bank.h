/* SPDX-License-Identifier: Apache-2.0 */
/* Constant memory of one loaded module and what it was filled from: it is
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
#ifndef HONE_RUNTIME_BANK_H
#define HONE_RUNTIME_BANK_H

#include "runtime/driver/driver.h"
#include "runtime/launch/launch_spec.h"

struct hone_program;

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
    hone_cu_module module; /* NULL: that of the programs */
    int follows_captures;
    int was_captured;
    uint64_t capture; /* in which one it was filled; 0: in none */
    unsigned n_constants;
    unsigned n_kernels;
    hone_bank_constant constants[HONE_MAX_CONSTANTS];
    hone_bank_kernel kernels[HONE_MAX_LAUNCHES];
} hone_bank;

/* A bank with a module of its own; `what` names the code in sentences. */
hone_status hone__bank_load(const hone_driver *driver, const void *code,
                            size_t size_bytes, const char *what, hone_bank *out,
                            hone_error *err);
/* Back to {0}; the module's context is current. */
void hone__bank_unload(const hone_driver *driver, hone_bank *bank);

/* The contents of arrays may have changed: the next run fills it again. */
void hone__bank_forget(hone_bank *bank);

/* Before the launches of a run: fill what is not filled from these
 * arguments. */
hone_status hone__bank_fill(hone_bank *bank, const struct hone_program *program,
                            void *const *args, hone_stream stream,
                            hone_error *err);
/* The kernel of a launch of `program`, whose constants are the bank's. */
hone_status hone__bank_kernel(hone_bank *bank,
                              const struct hone_program *program, size_t launch,
                              hone_cu_function *out, hone_error *err);

#endif
