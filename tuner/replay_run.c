/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a simulated run. */
#include "tuner/replay_run.h"

uint64_t hone__replay_seed(uint64_t seed, int64_t repeat)
{
    const uint64_t both[] = {seed, (uint64_t)repeat};

    return hone__hash64(both, sizeof both);
}

static int is_spent(const hone_replay_budget *budget,
                    const hone_replay_step *last)
{
    return (budget->evaluations > 0 && last->n >= budget->evaluations) ||
           (budget->seconds > 0 && last->simulated_s >= budget->seconds);
}

hone_status hone__replay_run(const hone_replay_request *request,
                             hone_replay_fn on_step, void *user,
                             hone_replay_step *out_last, hone_error *err)
{
    const hone_recording *recording = request->recording;
    const hone_search_space space = hone__recording_space(recording);
    hone_replay_step step = {.index = -1};
    hone_search *search = NULL;
    hone_status status =
        hone__search_open(request->strategy, &space, request->first,
                          request->seed, &search, err);

    while (status == HONE_OK && !is_spent(&request->budget, &step)) {
        const int64_t index = hone__search_next(search);

        if (index < 0)
            break;
        step.index = index;
        step.trial = &recording->trials[index];
        ++step.n;
        step.simulated_s += hone__recorded_cost_s(step.trial);
        if (step.trial->outcome == HONE_OUTCOME_OK &&
            (step.best_ns <= 0 || step.trial->time_ns < step.best_ns))
            step.best_ns = step.trial->time_ns;
        if (on_step)
            status = on_step(user, &step, err);
    }
    hone__search_close(search);
    *out_last = step;
    return status;
}
