/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the tests compiled as variants are: with the system's C++
 * compiler against tuner/cpu/host/, to objects that are loaded and launched. */
#ifndef HONE_TESTS_HOST_BUILD_H
#define HONE_TESTS_HOST_BUILD_H

#include "runtime/driver/host_abi.h"

typedef enum build_kind {
    BUILD_PLAIN,
    BUILD_UCONTEXT, /* fibers switched by the C library */
    BUILD_RACE,
    BUILD_SANITIZED /* a program with the kernels' main() */
} build_kind;

typedef struct build {
    char folder[64];
    char path[128]; /* of the object or the program */
    void *object;
    hone_host_run_fn *run;
} build;

/* Compile tests/host/`file`; fails the test if it does not compile. */
void build_open(build *b, const char *file, build_kind kind);
void build_close(build *b);

/* One launch; returns the report's kind. `shared` in bytes. */
int build_run(const build *b, const char *kernel, unsigned blocks,
              unsigned threads, unsigned shared, void *const *params,
              hone_host_report *report);

/* As build_run(), and fails the test on any error. */
void build_run_ok(const build *b, const char *kernel, unsigned blocks,
                  unsigned threads, unsigned shared, void *const *params);

/* Line of the text "MARK: name" in tests/host/`file`. */
int line_of(const char *file, const char *name);

/* Run the program with one argument; its stderr goes to `out`. */
int build_execute(const build *b, const char *argument, char *out, int size);

#endif
