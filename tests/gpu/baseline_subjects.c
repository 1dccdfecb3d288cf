/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/gpu/baseline_subjects.h"
#include "runtime/base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const hone_driver *driver;

void must(hone_status status, const hone_error *err)
{
    if (status == HONE_OK)
        return;
    (void)printf("stopped: %s\n", err->text);
    exit(1);
}

void must_cuda(hone_cu_result result, const char *what)
{
    hone_error err = {0};

    must(hone__driver_check(driver, result, what, &err), &err);
}

void *must_alloc(size_t size_bytes)
{
    void *const block = hone__alloc(size_bytes);

    if (!block) {
        (void)printf("stopped: out of host memory\n");
        exit(1);
    }
    return block;
}

/* Multiples of 1/256 in [-1, 1], exact in every type. */
static double random_value(void)
{
    static uint64_t seed = 88172645463325252u;

    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return ((double)(seed % 513) - 256) / 256;
}

/* f16 bits of such a value. */
static uint16_t half_bits(double value)
{
    int exponent = 0;
    const double fraction = frexp(fabs(value), &exponent); /* [0.5, 1) */

    if (value == 0)
        return 0;
    return (uint16_t)((value < 0 ? 0x8000 : 0) | (exponent + 14) << 10 |
                      ((int)(fraction * 2048) & 1023));
}

/* Fill an argument with random numbers; the values also as doubles. */
static double *make_arg(subject *s, size_t index)
{
    const hone_resolved_arg *const arg = &s->problem.args[index];
    double *const values = must_alloc((size_t)arg->count * sizeof *values);
    void *const bytes = must_alloc((size_t)arg->size_bytes);

    for (int64_t i = 0; i < arg->count; i++) {
        values[i] = random_value();
        if (arg->type == HONE_TYPE_F16)
            ((uint16_t *)bytes)[i] = half_bits(values[i]);
        else if (arg->type == HONE_TYPE_F64)
            ((double *)bytes)[i] = values[i];
        else
            ((float *)bytes)[i] = (float)values[i];
    }
    s->host[index] = bytes;
    s->args[index] = bytes; /* right for a scalar */
    if (arg->mode != HONE_ARG_SCALAR) {
        must_cuda(
            driver->memory_alloc(&s->device[index], (size_t)arg->size_bytes),
            "cuMemAlloc");
        s->args[index] = &s->device[index];
    }
    return values;
}

void subject_destroy(subject *s)
{
    for (size_t i = 0; i < s->problem.n_args; i++) {
        hone__free(s->host[i]);
        if (s->device[i])
            must_cuda(driver->memory_free(s->device[i]), "cuMemFree");
    }
    hone__free(s->expected);
    hone__free(s->scale);
}

static void start(subject *s, const char *op, const hone_resolved *problem,
                  int out, double bound)
{
    const size_t n = (size_t)problem->args[out].count;

    memset(s, 0, sizeof *s);
    s->op = op;
    s->problem = *problem;
    s->out = out;
    s->bound = bound;
    s->expected = must_alloc(n * sizeof *s->expected);
    s->scale = must_alloc(n * sizeof *s->scale);
}

/* The bound, K * 2^-23, is what a sum of K floats can lose at worst. */
void make_gemm(subject *s, int64_t m, int64_t n, int64_t k)
{
    const hone_resolved problem = gemm_problem(m, n, k);
    double *values[5];

    start(s, "gemm", &problem, 2, ldexp((double)k, -23));
    (void)snprintf(s->title, sizeof s->title, "gemm %dx%dx%d", (int)m, (int)n,
                   (int)k);
    for (size_t i = 0; i < 5; i++)
        values[i] = make_arg(s, i);
    *(float *)s->host[3] = 1.5f;
    *(float *)s->host[4] = -0.5f;
    for (int64_t row = 0; row < m; row++) {
        double *const out = s->expected + row * n;
        double *const scale = s->scale + row * n;

        for (int64_t l = 0; l < k; l++) {
            const double a = 1.5 * values[0][row * k + l];

            for (int64_t j = 0; j < n; j++) {
                out[j] += a * values[1][l * n + j];
                scale[j] += fabs(a * values[1][l * n + j]);
            }
        }
        for (int64_t j = 0; j < n; j++) {
            out[j] -= 0.5 * values[2][row * n + j];
            scale[j] += fabs(0.5 * values[2][row * n + j]);
        }
    }
    for (size_t i = 0; i < 5; i++)
        hone__free(values[i]);
}

void make_saxpy(subject *s, int64_t n, hone_type type)
{
    const hone_resolved problem = saxpy_problem(n, type);
    double *alpha, *x, *y;

    start(s, "saxpy", &problem, 2, ldexp(1, type == HONE_TYPE_F64 ? -51 : -22));
    (void)snprintf(s->title, sizeof s->title, "saxpy %s n=%d",
                   type == HONE_TYPE_F64 ? "f64" : "f32", (int)n);
    alpha = make_arg(s, 0);
    x = make_arg(s, 1);
    y = make_arg(s, 2);
    for (int64_t i = 0; i < n; i++) {
        s->expected[i] = alpha[0] * x[i] + y[i];
        s->scale[i] = fabs(alpha[0] * x[i]) + fabs(y[i]);
    }
    hone__free(alpha);
    hone__free(x);
    hone__free(y);
}

void make_sum(subject *s, int64_t n)
{
    const hone_resolved problem = sum_problem(n);
    double *x, *out;

    start(s, "sum", &problem, 1, 1e-5);
    (void)snprintf(s->title, sizeof s->title, "sum n=%d", (int)n);
    x = make_arg(s, 0);
    out = make_arg(s, 1);
    for (int64_t i = 0; i < n; i++) {
        s->expected[0] += x[i];
        s->scale[0] += fabs(x[i]);
    }
    hone__free(x);
    hone__free(out);
}

void make_row_sums(subject *s, int64_t rows, int64_t columns, int64_t pitch)
{
    hone_resolved problem = {.n_dims = 4};
    double *x, *out;

    problem.dims[0] = rows;
    problem.dims[1] = columns;
    problem.dims[2] = HONE_TYPE_F32;
    problem.dims[3] = pitch;
    problem_arg(&problem, "x", HONE_ARG_IN, HONE_TYPE_F32,
                (rows - 1) * pitch + columns);
    problem_arg(&problem, "out", HONE_ARG_OUT, HONE_TYPE_F32, rows);
    problem.bytes = 4 * rows * columns;
    start(s, "row_sums", &problem, 1, 1e-5);
    (void)snprintf(s->title, sizeof s->title, "row_sums %d x %d, %d apart",
                   (int)rows, (int)columns, (int)pitch);
    x = make_arg(s, 0);
    out = make_arg(s, 1);
    for (int64_t i = 0; i < rows * columns; i++) {
        const double v = x[i / columns * pitch + i % columns];

        s->expected[i / columns] += v;
        s->scale[i / columns] += fabs(v);
    }
    hone__free(x);
    hone__free(out);
}

void make_dot(subject *s, int64_t n, int is_norm)
{
    hone_resolved problem = sum_problem(n);
    const size_t out = is_norm ? 1 : 2;
    double *values[3] = {NULL, NULL, NULL};

    if (!is_norm) {
        problem.args[2] = problem.args[1];
        problem.args[1] = problem.args[0];
        problem.args[1].name = "y";
        problem.n_args = 3;
    }
    start(s, is_norm ? "norm2" : "dot", &problem, (int)out, 1e-5);
    (void)snprintf(s->title, sizeof s->title, "%s n=%d",
                   is_norm ? "norm2" : "dot", (int)n);
    for (size_t i = 0; i <= out; i++)
        values[i] = make_arg(s, i);
    for (int64_t i = 0; i < n; i++) {
        const double product = values[0][i] * values[is_norm ? 0 : 1][i];

        s->expected[0] += product;
        s->scale[0] += fabs(product);
    }
    if (is_norm)
        s->expected[0] = s->scale[0] = sqrt(s->expected[0]);
    for (size_t i = 0; i <= out; i++)
        hone__free(values[i]);
}

/* y = alpha*A*x + beta*y, or with A transposed. */
void make_gemv(subject *s, int64_t m, int64_t n, int trans)
{
    const hone_resolved problem =
        gemv_problem(m, n, HONE_TYPE_F32, trans, n, 1);
    const int64_t in = trans ? m : n, out = trans ? n : m;
    double *values[5];

    start(s, "gemv", &problem, 2, ldexp((double)in, -23));
    (void)snprintf(s->title, sizeof s->title, "gemv %dx%d%s", (int)m, (int)n,
                   trans ? " transposed" : "");
    for (size_t i = 0; i < 5; i++)
        values[i] = make_arg(s, i);
    *(double *)s->host[3] = 1.5;
    *(double *)s->host[4] = -0.5;
    for (int64_t i = 0; i < out; i++) {
        s->expected[i] = -0.5 * values[2][i];
        s->scale[i] = fabs(s->expected[i]);
        for (int64_t k = 0; k < in; k++) {
            const double product =
                1.5 * values[0][trans ? k * n + i : i * n + k] * values[1][k];

            s->expected[i] += product;
            s->scale[i] += fabs(product);
        }
    }
    for (size_t i = 0; i < 5; i++)
        hone__free(values[i]);
}

void make_scan(subject *s, int64_t rows, int64_t columns, int32_t exclusive)
{
    const int64_t n = rows * columns;
    hone_resolved problem = scan_problem(n);
    double *values[3];
    double sum = 0, scale = 0;

    if (rows > 1) {
        problem.dims[0] = rows;
        problem.dims[1] = columns;
        problem.n_dims = 2;
    }
    start(s, rows > 1 ? "scan_rows" : "scan", &problem, 1, 1e-5);
    (void)snprintf(s->title, sizeof s->title, "scan %s %d x %d",
                   exclusive ? "excl." : "incl.", (int)rows, (int)columns);
    for (size_t i = 0; i < 3; i++)
        values[i] = make_arg(s, i);
    *(int32_t *)s->host[2] = exclusive;
    for (int64_t i = 0; i < n; i++) {
        double before, scale_before;

        if (i % columns == 0)
            sum = scale = 0;
        before = sum;
        scale_before = scale;
        sum += values[0][i];
        scale += fabs(values[0][i]);
        s->expected[i] = exclusive ? before : sum;
        s->scale[i] = exclusive ? scale_before : scale;
    }
    for (size_t i = 0; i < 3; i++)
        hone__free(values[i]);
}
