/* SPDX-License-Identifier: Apache-2.0 */
/* The timer: see timer.h. */
#include "tuner/trial/timer.h"

#include "tuner/judge/statistics.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* Length of one sample. Longer samples hide the events better but cost more
 * per trial. */
static const double sample_ns = 500e3;
/* Executions of at least so long are launched between events. A launch takes
 * the host 3 us, so that even several launches of one execution are queued
 * before the card gets to them; and the gap between two of them, about one
 * microsecond, is as it will be in a program. */
static const double event_from_ns = HONE_LONG_EXECUTION_NS;
static const double long_ns = 2e6;     /* of an execution */
enum { LONG_MS = 300, SHORT_MS = 30 }; /* rests */

int hone__launches_choose(hone_timing timing, double estimate_ns, size_t n_sets)
{
    double n = ceil(sample_ns / (estimate_ns > 1 ? estimate_ns : 1));

    /* A replay begins at the first copy: it must touch them all, else the
     * next one finds its copies in the cache. Launches go on where the last
     * sample ended. */
    if (timing == HONE_TIMING_GRAPH && n < (double)n_sets)
        n = (double)n_sets;
    return n > HONE_MAX_SAMPLE_LAUNCHES ? HONE_MAX_SAMPLE_LAUNCHES
           : n < 1                      ? 1
                                        : (int)n;
}

static hone_status enqueue_on_set(hone_timer *timer, size_t n, hone_error *err)
{
    const size_t set = n % timer->problem->n_sets;

    return timer->subject.enqueue(timer->subject.user,
                                  timer->problem->args[set],
                                  timer->device->stream, err);
}

/* One execution to load and warm it, one to time it roughly. Of a long one
 * the first is enough: what loading adds does not show in it. */
static hone_status estimate(hone_timer *timer, hone_error *err)
{
    for (size_t i = 0; i < 2; ++i) {
        HONE_TRY(hone__stopwatch_start(&timer->watch, err));
        HONE_TRY(enqueue_on_set(timer, i, err));
        HONE_TRY(hone__stopwatch_stop(&timer->watch, &timer->estimate_ns, err));
        timer->estimate_ns -= timer->device->event_floor_ns;
        if (timer->estimate_ns > long_ns)
            break;
    }
    return HONE_OK;
}

static hone_status record_graph(hone_timer *timer, hone_error *err)
{
    const hone_driver *driver = timer->device->driver;
    hone_status status = HONE_OK;
    hone_cu_result result;

    HONE_TRY(hone__driver_check(
        driver,
        driver->capture_begin(timer->device->stream, HONE_CU_CAPTURE_RELAXED),
        "recording a graph", err));
    for (int i = 0; status == HONE_OK && i < timer->n_launches; ++i)
        status = enqueue_on_set(timer, (size_t)i, err);
    result = driver->capture_end(timer->device->stream, &timer->graph);
    if (status != HONE_OK)
        return status;
    HONE_TRY(hone__driver_check(driver, result, "recording a graph", err));
    return hone__driver_check(
        driver, driver->graph_instantiate(&timer->exec, timer->graph, 0),
        "preparing a graph", err);
}

static void drop_graph(hone_timer *timer)
{
    const hone_driver *driver = timer->device->driver;

    if (timer->exec)
        (void)driver->graph_exec_destroy(timer->exec);
    if (timer->graph)
        (void)driver->graph_destroy(timer->graph);
    timer->exec = NULL;
    timer->graph = NULL;
}

static hone_status run_sample(hone_timer *timer, hone_error *err)
{
    const hone_driver *driver = timer->device->driver;

    if (timer->timing == HONE_TIMING_GRAPH)
        return hone__driver_check(
            driver, driver->graph_launch(timer->exec, timer->device->stream),
            "replaying a graph", err);
    for (int i = 0; i < timer->n_launches; ++i)
        HONE_TRY(enqueue_on_set(timer, timer->next_set++, err));
    return HONE_OK;
}

hone_status hone__timer_sample(hone_timer *timer, double *out_ns,
                               hone_error *err)
{
    double total_ns = 0;

    HONE_TRY(hone__stopwatch_start(&timer->watch, err));
    HONE_TRY(run_sample(timer, err));
    HONE_TRY(hone__stopwatch_stop(&timer->watch, &total_ns, err));
    *out_ns = total_ns / timer->n_launches;
    return HONE_OK;
}

/* The first replay uploads the graph: not a sample. It also shows, as does
 * the first sample of very short executions, whether samples are long enough
 * to say something. */
static hone_status prepare(hone_timer *timer, hone_error *err)
{
    const double least_ns =
        HONE_FLOORS_OF_A_SAMPLE * timer->device->event_floor_ns;
    double time_ns = 0;

    if (timer->timing == HONE_TIMING_EVENT &&
        timer->estimate_ns >= event_from_ns)
        return HONE_OK;
    for (;;) {
        if (timer->timing == HONE_TIMING_GRAPH)
            HONE_TRY(record_graph(timer, err));
        HONE_TRY(hone__timer_sample(timer, &time_ns, err));
        if (time_ns * timer->n_launches >= least_ns ||
            timer->n_launches == HONE_MAX_SAMPLE_LAUNCHES)
            return HONE_OK;
        drop_graph(timer);
        timer->n_launches *= 4;
        if (timer->n_launches > HONE_MAX_SAMPLE_LAUNCHES)
            timer->n_launches = HONE_MAX_SAMPLE_LAUNCHES;
    }
}

hone_status hone__timer_open(hone_problem *problem, hone_subject subject,
                             double estimate_ns, hone_timer *out,
                             hone_error *err)
{
    hone_status status;

    memset(out, 0, sizeof *out);
    out->device = problem->device;
    out->problem = problem;
    out->subject = subject;
    out->estimate_ns = estimate_ns - out->device->event_floor_ns;
    status = hone__stopwatch_open(out->device, &out->watch, err);
    /* Of a short one, most of the time of a single run is its launch. */
    if (status == HONE_OK && out->estimate_ns < event_from_ns)
        status = estimate(out, err);
    if (status == HONE_OK) {
        out->timing = out->device->kind->timing ? out->device->kind->timing
                                                : problem->timing;
        /* Copies of host arrays are in no graph. */
        if (hone__problem_has_host(problem))
            out->timing = HONE_TIMING_EVENT;
        else if (out->timing == HONE_TIMING_AUTO)
            out->timing = out->estimate_ns >= event_from_ns ? HONE_TIMING_EVENT
                                                            : HONE_TIMING_GRAPH;
        /* A replay must go through so many copies that the next one finds
         * none in the cache; there may be more. */
        out->n_launches = hone__launches_choose(
            out->timing, out->estimate_ns,
            problem->n_sets < problem->n_sets_wanted ? problem->n_sets
                                                     : problem->n_sets_wanted);
        status = prepare(out, err);
    }
    if (status != HONE_OK)
        hone__timer_close(out);
    return status;
}

static hone_status series_after(hone_timer *timer, long rest_ms, int n,
                                double *out_ns, hone_error *err)
{
    const struct timespec rest = {0, rest_ms * 1000 * 1000};
    double ignored;

    HONE_TRY(hone__device_synchronize(timer->device, "waiting", err));
    (void)nanosleep(&rest, NULL);
    for (int i = 0; i < 2; ++i) /* the clock comes up again */
        HONE_TRY(hone__timer_sample(timer, &ignored, err));
    for (int i = 0; i < n; ++i)
        HONE_TRY(hone__timer_sample(timer, &out_ns[i], err));
    return HONE_OK;
}

hone_status hone__timer_series(hone_timer *timer, double loaded_ns,
                               hone_rest *rest, int n, double *out_ns,
                               hone_error *err)
{
    if (*rest == HONE_REST_LONG ||
        (*rest == HONE_REST_UNKNOWN && timer->estimate_ns > event_from_ns))
        return series_after(timer, LONG_MS, n, out_ns, err);
    HONE_TRY(series_after(timer, SHORT_MS, n, out_ns, err));
    if (!hone__time_follows_load(hone__median(out_ns, (size_t)n), loaded_ns))
        return HONE_OK;
    *rest = HONE_REST_LONG;
    return series_after(timer, LONG_MS, n, out_ns, err);
}

hone_status hone__timer_burst(hone_timer *timer, int n, hone_error *err)
{
    for (int i = 0; i < n; ++i)
        HONE_TRY(run_sample(timer, err));
    return hone__device_synchronize(timer->device, "running", err);
}

void hone__timer_close(hone_timer *timer)
{
    if (timer->device) {
        drop_graph(timer);
        hone__stopwatch_close(&timer->watch);
    }
    memset(timer, 0, sizeof *timer);
}
