/* SPDX-License-Identifier: Apache-2.0 */
/* Problems for check_baselines.c: random inputs on both sides, and what plain
 * loops in double make of them. What fails here ends the program. */
#ifndef HONE_TESTS_BASELINE_SUBJECTS_H
#define HONE_TESTS_BASELINE_SUBJECTS_H

#include "tests/tuner/baseline_fixture.h"
#include "tuner/cuda/cuda_device.h"

extern const hone_driver *driver;

/* One problem with its data on both sides. */
typedef struct subject {
    char title[64];
    const char *op;
    hone_resolved problem;
    int out; /* argument that is compared */
    void *host[HONE_MAX_ARGS];
    hone_cu_ptr device[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];
    double *expected; /* of the output */
    double *scale;    /* sum of the absolute values of its terms */
    double bound;     /* of error / scale */
} subject;

void must(hone_status status, const hone_error *err);
void must_cuda(hone_cu_result result, const char *what);
void *must_alloc(size_t size_bytes);

void make_gemm(subject *s, int64_t m, int64_t n, int64_t k);
void make_gemv(subject *s, int64_t m, int64_t n, int trans);
void make_saxpy(subject *s, int64_t n, hone_type type);
/* The product of two vectors; of one with itself its root, the norm. */
void make_dot(subject *s, int64_t n, int is_norm);
void make_sum(subject *s, int64_t n);
/* Rows `pitch` apart. */
void make_row_sums(subject *s, int64_t rows, int64_t columns, int64_t pitch);
void make_scan(subject *s, int64_t rows, int64_t columns, int32_t exclusive);
void subject_destroy(subject *s);

#endif
