/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a simulated run, and many of them. */
#include "tuner/replay/replay_run.h"

#include "tuner/judge/statistics.h"
#include "tuner/process/parallel.h"
#include "tuner/session/rules.h"
#include "runtime/base/grow.h"

#include <stdio.h>

uint64_t hone__replay_seed(uint64_t seed, int64_t repeat)
{
    const uint64_t both[] = {seed, (uint64_t)repeat};

    return hone__hash64(both, sizeof both);
}

int hone__replay_is_spent(const hone_replay_budget *budget, int64_t n,
                          double simulated_s)
{
    return (budget->evaluations > 0 && n >= budget->evaluations) ||
           (budget->seconds > 0 && simulated_s >= budget->seconds);
}

static int is_over(const hone_replay_request *request,
                   const hone_replay_step *last)
{
    return hone__replay_is_spent(&request->budget, last->n,
                                 last->simulated_s) &&
           last->n >= request->at_least.evaluations &&
           last->simulated_s >= request->at_least.seconds;
}

/* One trial on the simulated clock. */
static void try_next(const hone_recording *recording, int64_t index,
                     hone_replay_step *step)
{
    step->index = index;
    step->trial = &recording->trials[index];
    ++step->n;
    step->simulated_s += hone__recorded_cost_s(step->trial);
    if (step->trial->outcome == HONE_OUTCOME_OK &&
        (step->best_ns <= 0 || step->trial->time_ns < step->best_ns))
        step->best_ns = step->trial->time_ns;
}

/* Answers arrive `batch` - 1 proposals late, as they do when a farm compiles
 * ahead of the device. */
static hone_status loop(const hone_replay_request *request, hone_search *search,
                        hone_replay_fn on_step, void *user,
                        hone_replay_step *step, hone_error *err)
{
    const int64_t batch = request->batch > 1 ? request->batch : 1;
    int64_t ahead[HONE_MOST_AHEAD];
    int64_t n_asked = 0;
    hone_until until = {.gain = request->until_gain};

    if (batch > HONE_MOST_AHEAD)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "a batch has at most %d configurations",
                          HONE_MOST_AHEAD);
    while (!is_over(request, step) && !hone__until_is_reached(&until)) {
        int64_t index = 0;
        double time_ns;

        while (index >= 0 && n_asked < step->n + batch) {
            HONE_TRY(hone__search_next(search, &index, err));
            if (index >= 0)
                ahead[n_asked++ % batch] = index;
        }
        if (n_asked == step->n)
            return HONE_OK;
        try_next(request->recording, ahead[step->n % batch], step);
        if (on_step)
            HONE_TRY(on_step(user, step, err));
        time_ns =
            step->trial->outcome == HONE_OUTCOME_OK ? step->trial->time_ns : 0;
        HONE_TRY(hone__search_tell(search, step->index, time_ns, err));
        hone__until_add(&until, time_ns);
    }
    return HONE_OK;
}

hone_status hone__replay_run(const hone_replay_request *request,
                             hone_replay_fn on_step, void *user,
                             hone_replay_step *out_last, hone_error *err)
{
    const hone_search_space space = hone__recording_space(request->recording);
    hone_search *search = NULL;
    int64_t *first = hone__alloc((1 + request->n_start) * sizeof *first);
    hone_status status;

    *out_last = (hone_replay_step){.index = -1};
    if (!first)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for a simulated run");
    first[0] = request->first;
    for (size_t i = 0; i < request->n_start; ++i)
        first[1 + i] = request->start[i];
    status = hone__search_open(
        request->strategy, &space,
        &(hone_search_options){
            .seed = request->seed,
            .first = first,
            .n_first = 1 + request->n_start,
            .budget_trials =
                request->is_secret ? 0 : request->budget.evaluations,
            .answer_s = request->answer_s,
            .stop = request->stop},
        &search, err);
    hone__free(first);
    if (status == HONE_OK)
        status = loop(request, search, on_step, user, out_last, err);
    if (status != HONE_OK && search && hone__search_failure(search))
        (void)snprintf(out_last->why, sizeof out_last->why, "%s",
                       hone__search_failure(search));
    hone__search_close(search);
    return status;
}

/* ---- many runs ---------------------------------------------------------- */

typedef struct trace_work {
    const hone_replay_request *run;
    hone_replay_traces *out;
} trace_work;

static hone_status add_point(void *user, const hone_replay_step *step,
                             hone_error *err)
{
    hone_replay_trace *trace = user;

    if (!HONE_GROW(trace->points, trace->n))
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for a simulated run");
    trace->points[trace->n++] =
        (hone_replay_point){step->simulated_s, step->best_ns};
    return HONE_OK;
}

static hone_status trace_run(void *user, int64_t i, hone_error *err)
{
    const trace_work *work = user;
    hone_replay_request run = *work->run;
    hone_replay_step last;

    run.seed = hone__replay_seed(run.seed, i);
    return hone__replay_run(&run, add_point, &work->out->runs[i], &last, err);
}

hone_status hone__replay_traces(const hone_replay_request *run, int64_t repeats,
                                int n_threads, hone_replay_traces *out,
                                hone_error *err)
{
    trace_work work = {run, out};

    *out = (hone_replay_traces){
        hone__alloc((size_t)repeats * sizeof *out->runs), 0};
    if (!out->runs)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for simulated runs");
    out->n = (size_t)repeats;
    return hone__parallel_for(repeats, n_threads, trace_run, &work, err);
}

void hone__replay_traces_free(hone_replay_traces *traces)
{
    for (size_t i = 0; i < traces->n; ++i)
        hone__free(traces->runs[i].points);
    hone__free(traces->runs);
    *traces = (hone_replay_traces){NULL, 0};
}

size_t hone__replay_trace_within(const hone_replay_trace *trace,
                                 const hone_replay_budget *budget)
{
    size_t n = 0;

    while (n < trace->n &&
           !hone__replay_is_spent(budget, (int64_t)n,
                                  n ? trace->points[n - 1].simulated_s : 0))
        ++n;
    return n;
}

static double fraction_of(const hone_recording *recording,
                          const hone_replay_trace *trace, int64_t evaluations)
{
    const size_t n =
        trace->n < (size_t)evaluations ? trace->n : (size_t)evaluations;
    const double best_ns = n ? trace->points[n - 1].best_ns : 0;

    return best_ns > 0 ? recording->best_ns / best_ns : 0;
}

hone_status hone__replay_fraction_at(const hone_recording *recording,
                                     const hone_replay_traces *traces,
                                     int64_t evaluations,
                                     hone_replay_fraction *out, hone_error *err)
{
    double *values = hone__alloc((traces->n + 1) * sizeof *values);
    double sum = 0;

    *out = (hone_replay_fraction){0, 0};
    if (!values)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory for a curve");
    for (size_t i = 0; i < traces->n; ++i) {
        values[i] = fraction_of(recording, &traces->runs[i], evaluations);
        sum += values[i];
    }
    if (traces->n) {
        out->mean = sum / (double)traces->n;
        out->median = hone__median(values, traces->n);
    }
    hone__free(values);
    return HONE_OK;
}
