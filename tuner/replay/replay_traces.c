/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of simulated runs: see replay_traces.h. */
#include "tuner/replay/replay_traces.h"

#include "tuner/process/parallel.h"

typedef struct trace_work {
    const hone_replay_request *run;
    hone_replay_traces *out;
} trace_work;

static hone_status add_point(void *user, const hone_replay_step *step,
                             hone_error *err)
{
    hone_replay_trace *trace = user;

    if (trace->n == trace->capacity) {
        const size_t capacity = trace->capacity ? 2 * trace->capacity : 512;
        hone_replay_point *points =
            hone__realloc(trace->points, capacity * sizeof *points);

        if (!points)
            return hone__fail(err, HONE_ERR_NO_MEMORY,
                              "out of memory for a simulated run");
        trace->points = points;
        trace->capacity = capacity;
    }
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
