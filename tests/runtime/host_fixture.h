/* SPDX-License-Identifier: Apache-2.0 */
/* A database with rows of this machine as the cpu device, the kernels of
 * host_kernels.c in them, and no CUDA driver to be found. */
#ifndef HONE_TESTS_RUNTIME_HOST_FIXTURE_H
#define HONE_TESTS_RUNTIME_HOST_FIXTURE_H

#include "tests/runtime/runtime_fixture.h"

#include "runtime/base/device_properties.h"
#include "runtime/base/text.h"

enum { HOST_N = 1000 }; /* the tuned dim */

/* The object, and the one that adds one; what this machine is called. */
extern hone_text host_objects[2];
extern char host_device_name[HONE_HOST_NAME_BYTES];
extern int64_t host_n_cores;

/* Of a group. */
int host_load_objects(void **state);
int host_free_objects(void **state);
/* Of a test. */
int host_setup(void **state);
int host_teardown(void **state);

/* A row of this machine for HOST_N, completed from what is set: axpy, or
 * "sum", which has two launches and two workspaces. */
tuned_row host_row(tuned_row row);
void host_put(runtime_fixture *fixture, tuned_row row);
void host_put_both(runtime_fixture *fixture);

/* Each asserts success. */
hone_ctx *host_open(const runtime_fixture *fixture);
hone_plan *host_plan_of(hone_ctx *ctx, const char *op, int64_t n);
/* Run axpy with alpha = 2 on ones; what each y is now. */
float host_run_axpy(hone_ctx *ctx, hone_plan *plan);

/* No plan for axpy at HOST_N; the message has `part` in it. */
void host_refuse(const runtime_fixture *fixture, hone_status status,
                 const char *part);
void host_refuse_n(const runtime_fixture *fixture, int64_t n,
                   hone_status status, const char *part);

#endif
