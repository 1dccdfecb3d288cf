/* SPDX-License-Identifier: Apache-2.0 */
/* Problems as the launch plan would give them, for tests of baselines. */
#ifndef HONE_TESTS_BASELINE_FIXTURE_H
#define HONE_TESTS_BASELINE_FIXTURE_H

#include "tuner/baselines/baseline.h"

#include <string.h>

static inline void problem_arg(hone_resolved *problem, const char *name,
                               hone_arg_mode mode, hone_type type,
                               int64_t count)
{
    hone_resolved_arg *const arg = &problem->args[problem->n_args++];

    *arg = (hone_resolved_arg){
        .name = name, .mode = mode, .type = type, .count = count};
    arg->size_bytes = count * (type == HONE_TYPE_F16   ? 2
                               : type == HONE_TYPE_F64 ? 8
                                                       : 4);
}

/* One execution by one of its algorithms. */
static inline hone_status enqueue_algorithm(hone_baseline *baseline,
                                            size_t algorithm, void *const *args,
                                            hone_stream stream, hone_error *err)
{
    baseline->algorithm = algorithm;
    return hone__baseline_enqueue(baseline, args, stream, err);
}

/* C[m,n] = alpha*A*B + beta*C in the order of gemm's contract. */
static inline hone_resolved gemm_problem(int64_t m, int64_t n, int64_t k)
{
    hone_resolved problem;

    memset(&problem, 0, sizeof problem);
    problem.n_dims = 3;
    problem.dims[0] = m;
    problem.dims[1] = n;
    problem.dims[2] = k;
    problem_arg(&problem, "A", HONE_ARG_IN, HONE_TYPE_F16, m * k);
    problem_arg(&problem, "B", HONE_ARG_IN, HONE_TYPE_F16, k * n);
    problem_arg(&problem, "C", HONE_ARG_INOUT, HONE_TYPE_F32, m * n);
    problem_arg(&problem, "alpha", HONE_ARG_SCALAR, HONE_TYPE_F32, 1);
    problem_arg(&problem, "beta", HONE_ARG_SCALAR, HONE_TYPE_F32, 1);
    problem.flops = 2 * m * n * k;
    problem.bytes = 2 * (m * k + k * n) + 4 * m * n;
    return problem;
}

static inline hone_resolved saxpy_problem(int64_t n, hone_type type)
{
    hone_resolved problem;

    memset(&problem, 0, sizeof problem);
    problem.n_dims = 1;
    problem.dims[0] = n;
    problem_arg(&problem, "alpha", HONE_ARG_SCALAR, type, 1);
    problem_arg(&problem, "x", HONE_ARG_IN, type, n);
    problem_arg(&problem, "y", HONE_ARG_INOUT, type, n);
    problem.bytes = 3 * problem.args[1].size_bytes;
    return problem;
}

static inline hone_resolved sum_problem(int64_t n)
{
    hone_resolved problem;

    memset(&problem, 0, sizeof problem);
    problem.n_dims = 1;
    problem.dims[0] = n;
    problem_arg(&problem, "x", HONE_ARG_IN, HONE_TYPE_F32, n);
    problem_arg(&problem, "out", HONE_ARG_OUT, HONE_TYPE_F32, 1);
    problem.bytes = 4 * n;
    return problem;
}

/* y = alpha*op(A)*x + beta*y in the order of gemv's contract, A m x n in rows
 * of `lda`; matrices and vectors of a batch follow each other. */
static inline hone_resolved gemv_problem(int64_t m, int64_t n, hone_type type,
                                         int trans, int64_t lda, int64_t batch)
{
    static const char *const names[] = {"M", "N", "T", "TRANS", "LDA", "BATCH"};
    const int64_t dims[] = {m, n, type, trans, lda, batch};
    hone_resolved problem;

    memset(&problem, 0, sizeof problem);
    problem.n_dims = 6;
    for (size_t i = 0; i < 6; i++) {
        problem.dims[i] = dims[i];
        problem.dim_names[i] = names[i];
    }
    problem_arg(&problem, "A", HONE_ARG_IN, type,
                (batch - 1) * m * lda + (m - 1) * lda + n);
    problem_arg(&problem, "x", HONE_ARG_IN, type, batch * (trans ? m : n));
    problem_arg(&problem, "y", HONE_ARG_INOUT, type, batch * (trans ? n : m));
    problem_arg(&problem, "alpha", HONE_ARG_SCALAR, HONE_TYPE_F64, 1);
    problem_arg(&problem, "beta", HONE_ARG_SCALAR, HONE_TYPE_F64, 1);
    problem.bytes = problem.args[0].size_bytes;
    return problem;
}

static inline hone_resolved scan_problem(int64_t n)
{
    hone_resolved problem;

    memset(&problem, 0, sizeof problem);
    problem.n_dims = 2;
    problem.dims[0] = n;
    problem.dims[1] = HONE_TYPE_F32;
    problem_arg(&problem, "x", HONE_ARG_IN, HONE_TYPE_F32, n);
    problem_arg(&problem, "y", HONE_ARG_OUT, HONE_TYPE_F32, n);
    problem_arg(&problem, "exclusive", HONE_ARG_SCALAR, HONE_TYPE_I32, 1);
    problem.bytes = 8 * n;
    return problem;
}

#endif
