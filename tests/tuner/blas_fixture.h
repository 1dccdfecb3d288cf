/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines of the fake cuBLAS on a driver of host memory, for tests of them.
 */
#ifndef HONE_TESTS_BLAS_FIXTURE_H
#define HONE_TESTS_BLAS_FIXTURE_H

#include "tests/tuner/baseline_fixture.h"

/* Has hone take the fake for both libraries; 0: it could not be loaded. */
int blas_load(void);

/* Both fail the test that calls them, and blas_close() also where the library
 * or the driver holds something after it. */
hone_baseline *blas_open(const char *name, const char *op,
                         const hone_resolved *problem);
void blas_close(hone_baseline *baseline);

/* A refusal with this status and these words, after which nothing is held. */
void blas_refused(const char *name, const hone_resolved *problem,
                  hone_status status, const char *words);

/* Zeros, at an address as a device would give; free() ends it. */
void *blas_array(size_t size_bytes);

#endif
