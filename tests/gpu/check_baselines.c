/* SPDX-License-Identifier: Apache-2.0 */
/* Every baseline on a real GPU: results against plain loops in double, each
 * choice of each baseline, first run directly and then in a replayed graph.
 * One line per baseline: worst error, bound, time of the best choice. Also
 * reads NVML once. Exit 0: all right, 1: not, 77: no GPU. With
 * --allow-missing a baseline whose library is not here does not count. */
#include "runtime/base/alloc.h"
#include "tests/tuner/baseline_fixture.h"
#include "tuner/cuda/cuda_device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_REPLAYED = 20, N_REPLAYS = 20 };

static const hone_driver *driver;
static hone_stream stream;

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

static void must(hone_status status, const hone_error *err)
{
    if (status == HONE_OK)
        return;
    (void)printf("stopped: %s\n", err->text);
    exit(1);
}

static void must_cuda(hone_cu_result result, const char *what)
{
    hone_error err = {0};

    must(hone__driver_check(driver, result, what, &err), &err);
}

static void *must_alloc(size_t size_bytes)
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

/* A copy from pageable memory may still be under way when it returns, and
 * our stream waits for no other: so wait here. */
static void upload(const subject *s)
{
    for (size_t i = 0; i < s->problem.n_args; i++)
        if (s->problem.args[i].mode != HONE_ARG_SCALAR)
            must_cuda(
                driver->copy_to_device(s->device[i], s->host[i],
                                       (size_t)s->problem.args[i].size_bytes),
                "cuMemcpyHtoD");
    must_cuda(driver->context_synchronize(), "cuCtxSynchronize");
}

static void destroy(subject *s)
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
static void make_gemm(subject *s, int64_t m, int64_t n, int64_t k)
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

static void make_saxpy(subject *s, int64_t n, hone_type type)
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

static void make_sum(subject *s, int64_t n)
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

/* The product of two vectors; of one with itself its root, the norm. */
static void make_dot(subject *s, int64_t n, int is_norm)
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
static void make_gemv(subject *s, int64_t m, int64_t n, int trans)
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

static void make_scan(subject *s, int64_t n, int32_t exclusive)
{
    const hone_resolved problem = scan_problem(n);
    double *values[3];
    double sum = 0, scale = 0;

    start(s, "scan", &problem, 1, 1e-5);
    (void)snprintf(s->title, sizeof s->title, "scan %s n=%d",
                   exclusive ? "excl." : "incl.", (int)n);
    for (size_t i = 0; i < 3; i++)
        values[i] = make_arg(s, i);
    *(int32_t *)s->host[2] = exclusive;
    for (int64_t i = 0; i < n; i++) {
        const double before = sum, scale_before = scale;

        sum += values[0][i];
        scale += fabs(values[0][i]);
        s->expected[i] = exclusive ? before : sum;
        s->scale[i] = exclusive ? scale_before : scale;
    }
    for (size_t i = 0; i < 3; i++)
        hone__free(values[i]);
}

/* Worst error over the output, in parts of the scale; INFINITY for NaN. */
static double worst_error(const subject *s)
{
    const hone_resolved_arg *const arg = &s->problem.args[s->out];
    void *const got = must_alloc((size_t)arg->size_bytes);
    double worst = 0;

    must_cuda(
        driver->copy_to_host(got, s->device[s->out], (size_t)arg->size_bytes),
        "cuMemcpyDtoH");
    for (int64_t i = 0; i < arg->count; i++) {
        const double value = arg->type == HONE_TYPE_F64
                                 ? ((double *)got)[i]
                                 : (double)((float *)got)[i];
        const double error = fabs(value - s->expected[i]);

        if (!(error <= worst * s->scale[i]))
            worst = s->scale[i] > 0 && error < HUGE_VAL ? error / s->scale[i]
                                                        : HUGE_VAL;
    }
    hone__free(got);
    return worst;
}

/* Whether every array is, byte for byte, what was uploaded. */
static int arguments_intact(const subject *s)
{
    int intact = 1;

    for (size_t i = 0; i < s->problem.n_args; i++) {
        const size_t size_bytes = (size_t)s->problem.args[i].size_bytes;
        void *got;

        if (s->problem.args[i].mode == HONE_ARG_SCALAR)
            continue;
        got = must_alloc(size_bytes);
        must_cuda(driver->copy_to_host(got, s->device[i], size_bytes),
                  "cuMemcpyDtoH");
        intact = intact && !memcmp(got, s->host[i], size_bytes);
        hone__free(got);
    }
    return intact;
}

/* Inputs of an operation must survive it; returns 0 if one changed. */
static int inputs_intact(const subject *s)
{
    subject inputs = *s;

    inputs.problem.n_args = (size_t)s->out; /* they stand before it */
    return arguments_intact(&inputs);
}

/* Nanoseconds of one execution, from replays of a graph of N_REPLAYED. */
static double replay_time_ns(hone_baseline *baseline, size_t choice,
                             const subject *s)
{
    hone_cu_graph graph = NULL;
    hone_cu_graph_exec exec = NULL;
    hone_cu_event before = NULL, after = NULL;
    hone_error err = {0};
    float elapsed_ms = 0;

    must_cuda(driver->capture_begin(stream, HONE_CU_CAPTURE_THREAD_LOCAL),
              "cuStreamBeginCapture");
    for (int i = 0; i < N_REPLAYED; i++)
        must(enqueue_algorithm(baseline, choice, s->args, stream, &err), &err);
    must_cuda(driver->capture_end(stream, &graph), "cuStreamEndCapture");
    must_cuda(driver->graph_instantiate(&exec, graph, 0), "cuGraphInstantiate");
    must_cuda(driver->event_create(&before, HONE_CU_EVENT_DEFAULT), "event");
    must_cuda(driver->event_create(&after, HONE_CU_EVENT_DEFAULT), "event");
    must_cuda(driver->graph_launch(exec, stream), "cuGraphLaunch");
    must_cuda(driver->event_record(before, stream), "cuEventRecord");
    for (int i = 0; i < N_REPLAYS; i++)
        must_cuda(driver->graph_launch(exec, stream), "cuGraphLaunch");
    must_cuda(driver->event_record(after, stream), "cuEventRecord");
    must_cuda(driver->stream_synchronize(stream), "cuStreamSynchronize");
    must_cuda(driver->event_elapsed(&elapsed_ms, before, after),
              "cuEventElapsedTime");
    must_cuda(driver->event_destroy(before), "cuEventDestroy");
    must_cuda(driver->event_destroy(after), "cuEventDestroy");
    must_cuda(driver->graph_exec_destroy(exec), "cuGraphExecDestroy");
    must_cuda(driver->graph_destroy(graph), "cuGraphDestroy");
    return (double)elapsed_ms * 1e6 / (N_REPLAYED * N_REPLAYS);
}

/* One line; returns 1 if something is wrong. */
static int check_baseline(const char *name, subject *s, int allow_missing)
{
    hone_baseline *baseline = NULL;
    hone_error err = {0};
    double worst = 0, best_ns = HUGE_VAL;
    size_t best = 0;
    int intact = 1, wrong;
    const hone_status status =
        hone__baseline_open(name, s->op, &s->problem, driver, &baseline, &err);

    if (status != HONE_OK) {
        (void)printf("%-12s %-24s MISSING: %s\n", name, s->title, err.text);
        return status != HONE_ERR_UNSUPPORTED || !allow_missing;
    }
    for (size_t i = 0; i < baseline->n_algorithms; i++) {
        double error, time_ns;

        upload(s);
        must(enqueue_algorithm(baseline, i, s->args, stream, &err), &err);
        must_cuda(driver->stream_synchronize(stream), name);
        error = baseline->kind->computes ? worst_error(s) : 0;
        worst = error > worst ? error : worst;
        intact = intact && (baseline->kind->computes ? inputs_intact(s)
                                                     : arguments_intact(s));
        time_ns = replay_time_ns(baseline, i, s);
        if (time_ns < best_ns) {
            best_ns = time_ns;
            best = i;
        }
    }
    wrong = !(worst <= s->bound) || !intact;
    (void)printf("%-12s %-24s %s error %.2e (bound %.2e)%s time %.2f us "
                 "choice %zu of %zu  [%s]\n",
                 name, s->title, wrong ? "WRONG" : "ok   ", worst, s->bound,
                 intact ? "" : " INPUTS CHANGED", best_ns / 1e3, best,
                 baseline->n_algorithms, baseline->label);
    hone__baseline_close(baseline);
    return wrong;
}

static void show_nvml(hone_cu_device device)
{
    hone_nvml *nvml = NULL;
    hone_clocks sample;
    hone_error err = {0};
    char reasons[128];

    must(hone__nvml_open(driver, device, &nvml, &err), &err);
    hone__nvml_sample(nvml, &sample);
    hone__clock_reasons_text(sample.clock_reasons, reasons, sizeof reasons);
    (void)printf("NVML: available %d, SM %d MHz, memory %d MHz, power %d mW, "
                 "%d C, clocks held by: %s. %s\n",
                 sample.available, sample.sm_clock_mhz, sample.memory_clock_mhz,
                 sample.power_mw, sample.temperature_c, reasons,
                 hone__nvml_reason(nvml));
    hone__nvml_close(nvml);
}

static int check_subjects(int allow_missing)
{
    static const char *const gemm_baselines[] = {"cublas", "cublaslt",
                                                 "memcpy"};
    subject s;
    int failures = 0;

    for (int shape = 0; shape < 2; shape++) {
        if (shape == 0)
            make_gemm(&s, 256, 192, 320);
        else
            make_gemm(&s, 3000, 517, 777);
        for (size_t i = 0; i < 3; i++)
            failures += check_baseline(gemm_baselines[i], &s, allow_missing);
        destroy(&s);
    }
    for (int twice = 0; twice < 2; twice++) {
        make_saxpy(&s, 10007, twice ? HONE_TYPE_F64 : HONE_TYPE_F32);
        failures += check_baseline("cublas.axpy", &s, allow_missing);
        failures += check_baseline("memcpy", &s, allow_missing);
        destroy(&s);
    }
    for (int32_t exclusive = 0; exclusive < 2; exclusive++) {
        make_scan(&s, 999983, exclusive);
        failures += check_baseline("cub.scan", &s, allow_missing);
        destroy(&s);
    }
    for (int trans = 0; trans < 2; trans++) {
        make_gemv(&s, 517, 1999, trans);
        failures += check_baseline("cublas.gemv", &s, allow_missing);
        destroy(&s);
    }
    for (int is_norm = 0; is_norm < 2; is_norm++) {
        make_dot(&s, 999983, is_norm);
        failures += check_baseline(is_norm ? "cublas.nrm2" : "cublas.dot", &s,
                                   allow_missing);
        destroy(&s);
    }
    make_sum(&s, 999983);
    failures += check_baseline("cub.sum", &s, allow_missing);
    failures += check_baseline("memcpy", &s, allow_missing);
    destroy(&s);
    return failures;
}

int main(int argc, char **argv)
{
    const int allow_missing = argc > 1 && !strcmp(argv[1], "--allow-missing");
    hone_error err = {0};
    hone_cu_device device = 0;
    hone_cu_context context = NULL;
    int n_devices = 0, failures;
    char name[128] = "";

    if (hone__cuda_get(&driver, &err) != HONE_OK ||
        driver->device_count(&n_devices) || n_devices < 1) {
        (void)printf("skipped: %s\n", *err.text ? err.text : "no CUDA device");
        return 77;
    }
    must_cuda(driver->device_get(&device, 0), "cuDeviceGet");
    must_cuda(driver->device_name(name, sizeof name, device),
              "cuDeviceGetName");
    must_cuda(driver->primary_retain(&context, device),
              "cuDevicePrimaryCtxRetain");
    must_cuda(driver->context_set(context), "cuCtxSetCurrent");
    must_cuda(driver->stream_create(&stream, HONE_CU_STREAM_NON_BLOCKING),
              "cuStreamCreate");
    (void)printf("device: %s\n", name);
    failures = check_subjects(allow_missing);
    show_nvml(device);
    must_cuda(driver->stream_destroy(stream), "cuStreamDestroy");
    must_cuda(driver->primary_release(device), "cuDevicePrimaryCtxRelease");
    (void)printf("%s: %d wrong\n", failures ? "FAILED" : "passed", failures);
    return failures != 0;
}
