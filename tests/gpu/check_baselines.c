/* SPDX-License-Identifier: Apache-2.0 */
/* Every baseline on a real GPU: results against plain loops in double, each
 * algorithm of each baseline, first run directly and then in a replayed graph.
 * One line per baseline: worst error, bound, time of the best one. Also
 * reads NVML once. Exit 0: all right, 1: not, 77: no GPU. With
 * --allow-missing a baseline whose library is not here does not count. */
#include "runtime/base/alloc.h"
#include "tests/gpu/baseline_subjects.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N_REPLAYED = 20, N_REPLAYS = 20 };

static hone_stream stream;

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
static double replay_time_ns(hone_baseline *baseline, size_t algorithm,
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
        must(enqueue_algorithm(baseline, algorithm, s->args, stream, &err),
             &err);
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
                 "algorithm %zu of %zu  [%s]\n",
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
        subject_destroy(&s);
    }
    for (int twice = 0; twice < 2; twice++) {
        make_saxpy(&s, 10007, twice ? HONE_TYPE_F64 : HONE_TYPE_F32);
        failures += check_baseline("cublas.axpy", &s, allow_missing);
        failures += check_baseline("memcpy", &s, allow_missing);
        subject_destroy(&s);
    }
    for (int32_t exclusive = 0; exclusive < 2; exclusive++) {
        make_scan(&s, 1, 999983, exclusive);
        failures += check_baseline("cub.scan", &s, allow_missing);
        subject_destroy(&s);
        make_scan(&s, 1003, 517, exclusive);
        failures += check_baseline("cub.scan_rows", &s, allow_missing);
        subject_destroy(&s);
    }
    for (int trans = 0; trans < 2; trans++) {
        make_gemv(&s, 517, 1999, trans);
        failures += check_baseline("cublas.gemv", &s, allow_missing);
        subject_destroy(&s);
    }
    for (int is_norm = 0; is_norm < 2; is_norm++) {
        make_dot(&s, 999983, is_norm);
        failures += check_baseline(is_norm ? "cublas.nrm2" : "cublas.dot", &s,
                                   allow_missing);
        subject_destroy(&s);
    }
    for (int64_t apart = 0; apart < 16; apart += 15) {
        make_row_sums(&s, 1003, 517, 517 + apart);
        failures += check_baseline("cub.row_sums", &s, allow_missing);
        subject_destroy(&s);
    }
    make_sum(&s, 999983);
    failures += check_baseline("cub.sum", &s, allow_missing);
    failures += check_baseline("memcpy", &s, allow_missing);
    subject_destroy(&s);
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
