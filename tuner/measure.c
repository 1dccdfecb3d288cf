/* SPDX-License-Identifier: Apache-2.0 */
/* The timer: see measure.h. */
#include "tuner/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Length of one sample. Longer samples hide the events better but cost more
 * per trial; at 500 us the floor of 5 us of an event pair is 1 %, and within
 * a graph of several launches it is shared by all of them. */
static const double sample_ns = 500e3;
enum { MAX_LAUNCHES = 512 };

static hone_status enqueue_on_set(hone_timer *timer, size_t n,
                                  hone_error *err)
{
    const size_t set = n % timer->problem->n_sets;

    return timer->subject.enqueue(timer->subject.user,
                                  timer->problem->args[set],
                                  timer->device->stream, err);
}

static hone_status elapsed_ns(hone_timer *timer, double *out_ns,
                              hone_error *err)
{
    const hone_cuda *cuda = timer->device->cuda;
    float ms = 0;

    HONE_TRY(hone__cuda_check(cuda, cuda->event_synchronize(timer->stop),
                              "running the kernel", err));
    HONE_TRY(hone__cuda_check(cuda,
                              cuda->event_elapsed(&ms, timer->start,
                                                  timer->stop),
                              "reading the time", err));
    *out_ns = 1e6 * (double)ms;
    return HONE_OK;
}

static hone_status record(hone_timer *timer, hone_cu_event event,
                          hone_error *err)
{
    return hone__cuda_check(timer->device->cuda,
                            timer->device->cuda->event_record(
                                event, timer->device->stream),
                            "recording an event", err);
}

/* One launch to load and warm it, one to time it roughly. */
static hone_status estimate(hone_timer *timer, hone_error *err)
{
    HONE_TRY(enqueue_on_set(timer, 0, err));
    HONE_TRY(record(timer, timer->start, err));
    HONE_TRY(enqueue_on_set(timer, 1, err));
    HONE_TRY(record(timer, timer->stop, err));
    return elapsed_ns(timer, &timer->estimate_ns, err);
}

static void choose_n_launches(hone_timer *timer)
{
    double n = ceil(sample_ns / (timer->estimate_ns > 1 ? timer->estimate_ns
                                                        : 1));

    /* A replay must touch every copy: else the next one finds them cached. */
    if (n > 1 && n < (double)timer->problem->n_sets)
        n = (double)timer->problem->n_sets;
    timer->n_launches = n > MAX_LAUNCHES ? MAX_LAUNCHES : n < 1 ? 1 : (int)n;
    /* Long kernels run once a sample; a graph of one launch per copy would
     * only cost time, so the copies go round within two launches. */
    if (timer->n_launches == 1 && timer->problem->n_sets > 1)
        timer->n_launches = (int)timer->problem->n_sets;
}

static hone_status record_graph(hone_timer *timer, hone_error *err)
{
    const hone_cuda *cuda = timer->device->cuda;
    hone_status status = HONE_OK;
    hone_cu_result result;

    HONE_TRY(hone__cuda_check(
        cuda,
        cuda->capture_begin(timer->device->stream, HONE_CU_CAPTURE_RELAXED),
        "recording a graph", err));
    for (int i = 0; status == HONE_OK && i < timer->n_launches; ++i)
        status = enqueue_on_set(timer, (size_t)i, err);
    result = cuda->capture_end(timer->device->stream, &timer->graph);
    if (status != HONE_OK)
        return status;
    HONE_TRY(hone__cuda_check(cuda, result, "recording a graph", err));
    return hone__cuda_check(cuda,
                            cuda->graph_instantiate(&timer->exec,
                                                    timer->graph, 0),
                            "preparing a graph", err);
}

hone_status hone__timer_open(hone_problem *problem, hone_subject subject,
                             hone_timer *out, hone_error *err)
{
    const hone_cuda *cuda = problem->device->cuda;
    hone_status status;
    double ignored;

    memset(out, 0, sizeof *out);
    out->device = problem->device;
    out->problem = problem;
    out->subject = subject;
    status = hone__cuda_check(
        cuda, cuda->event_create(&out->start, HONE_CU_EVENT_DEFAULT),
        "making an event", err);
    if (status == HONE_OK)
        status = hone__cuda_check(
            cuda, cuda->event_create(&out->stop, HONE_CU_EVENT_DEFAULT),
            "making an event", err);
    if (status == HONE_OK)
        status = estimate(out, err);
    if (status == HONE_OK) {
        choose_n_launches(out);
        status = record_graph(out, err);
    }
    /* The first replay uploads the graph: not a sample. */
    if (status == HONE_OK)
        status = hone__timer_sample(out, &ignored, err);
    if (status != HONE_OK)
        hone__timer_close(out);
    return status;
}

hone_status hone__timer_sample(hone_timer *timer, double *out_ns,
                               hone_error *err)
{
    const hone_cuda *cuda = timer->device->cuda;
    double total_ns = 0;

    HONE_TRY(record(timer, timer->start, err));
    HONE_TRY(hone__cuda_check(
        cuda, cuda->graph_launch(timer->exec, timer->device->stream),
        "replaying a graph", err));
    HONE_TRY(record(timer, timer->stop, err));
    HONE_TRY(elapsed_ns(timer, &total_ns, err));
    *out_ns = total_ns / timer->n_launches;
    return HONE_OK;
}

hone_status hone__timer_series(hone_timer *timer, int n, double *out_ns,
                               hone_error *err)
{
    /* Kernels that can reach the power limit need a longer one. */
    const long rest_ns = timer->estimate_ns > 100e3 ? 300L * 1000 * 1000
                                                    : 30L * 1000 * 1000;
    const struct timespec rest = {0, rest_ns};
    double ignored;

    HONE_TRY(hone__device_synchronize(timer->device, "waiting", err));
    (void)nanosleep(&rest, NULL);
    for (int i = 0; i < 2; ++i) /* the clock comes up again */
        HONE_TRY(hone__timer_sample(timer, &ignored, err));
    for (int i = 0; i < n; ++i)
        HONE_TRY(hone__timer_sample(timer, &out_ns[i], err));
    return HONE_OK;
}

void hone__timer_close(hone_timer *timer)
{
    const hone_cuda *cuda = timer->device ? timer->device->cuda : NULL;

    if (timer->exec)
        (void)cuda->graph_exec_destroy(timer->exec);
    if (timer->graph)
        (void)cuda->graph_destroy(timer->graph);
    if (timer->start)
        (void)cuda->event_destroy(timer->start);
    if (timer->stop)
        (void)cuda->event_destroy(timer->stop);
    memset(timer, 0, sizeof *timer);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

double hone__median(double *values, size_t n)
{
    if (!n)
        return 0;
    qsort(values, n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

/* Quartiles by linear interpolation between order statistics. */
static double quantile(const double *sorted, size_t n, double q)
{
    const double at = q * (double)(n - 1);
    const size_t i = (size_t)at;

    return i + 1 < n
               ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i])
               : sorted[n - 1];
}

double hone__half_iqr(const double *sorted, size_t n)
{
    if (n < 2)
        return 0;
    return 0.5 * (quantile(sorted, n, 0.75) - quantile(sorted, n, 0.25));
}

void hone__median_interval(const double *sorted, size_t n, double *out_low,
                           double *out_high)
{
    /* Largest k with P(Binomial(n, 1/2) < k) <= 2.5 %: the interval is from
     * the k-th smallest to the k-th largest value. */
    double tail = n ? ldexp(1.0, -(int)n) : 1;
    double term = tail;
    size_t k = 0;

    while (n && k < n / 2 && tail <= 0.025) {
        ++k;
        term *= (double)(n - k + 1) / (double)k;
        tail += term;
    }
    if (!n) {
        *out_low = *out_high = 0;
        return;
    }
    k = k ? k - 1 : 0;
    *out_low = sorted[k];
    *out_high = sorted[n - 1 - k];
}
