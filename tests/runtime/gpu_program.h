/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs that need a real GPU share. They end at the first thing
 * that is wrong; with 77 where there is no GPU, or no library that they need.
 */
#ifndef HONE_TESTS_RUNTIME_GPU_PROGRAM_H
#define HONE_TESTS_RUNTIME_GPU_PROGRAM_H

#include "runtime/driver/driver.h"
#include "tests/runtime/tuned_db.h"

extern const hone_driver *driver;
extern hone_properties properties; /* of device 0 */
extern hone_ctx *ctx;              /* of gpu_open() */
extern hone_error error; /* of the last call that was given it: is printed */

void gpu_check(int good, const char *file, int line, const char *what);
#define CHECK(condition) gpu_check(condition, __FILE__, __LINE__, #condition)

void gpu_skip(const char *why);

/* Device 0, its primary context current. */
void gpu_begin(void);
/* "sm_90" */
const char *gpu_arch(void);
/* Compile for it; the text's bytes are the cubin. */
void gpu_compile(const char *source, hone_text *out);
/* A database of our own, to be written and closed; then what is in it. */
hone_db *gpu_create_database(void);
void gpu_open(void);
/* What main() returns. */
int gpu_passed(void);

#endif
