/* SPDX-License-Identifier: Apache-2.0 */
/* Awkward shapes on the cpu device: as awkward.c, with problems in host
 * memory. */
#include "tuner/awkward.h"
#include "tuner/cpu_worker.h"

#include "runtime/alloc.h"

#include <stdio.h>
#include <string.h>

struct hone_cpu_awkward {
    const hone_problem_setup *setup;
    int guarded;
    hone_facts facts;
    hone_cpu_problem *problems[HONE_N_AWKWARD]; /* NULL: not made yet */
    int64_t dims[HONE_N_AWKWARD][HONE_MAX_DIMS];
};

hone_status hone__cpu_awkward_open(const hone_problem_setup *setup,
                                   int guarded, hone_cpu_awkward **out,
                                   hone_error *err)
{
    *out = hone__alloc(sizeof **out);
    if (!*out)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    (*out)->setup = setup;
    (*out)->guarded = guarded;
    hone__facts_of_host(&(*out)->facts);
    return HONE_OK;
}

static void forget_row(hone_cpu_awkward *awkward, size_t row)
{
    if (awkward->problems[row])
        hone__cpu_problem_close(awkward->problems[row]);
    hone__free(awkward->problems[row]);
    awkward->problems[row] = NULL;
}

static void forget(hone_cpu_awkward *awkward)
{
    for (size_t row = 0; row < HONE_N_AWKWARD; ++row)
        forget_row(awkward, row);
}

void hone__cpu_awkward_close(hone_cpu_awkward *awkward)
{
    if (awkward)
        forget(awkward);
    hone__free(awkward);
}

static hone_status make_problem(hone_cpu_awkward *awkward, size_t row,
                                const int64_t *dims,
                                const hone_trial_job *job, hone_error *err)
{
    const size_t dims_bytes = awkward->setup->tmpl->n_dims * sizeof dims[0];
    hone_problem_setup small = *awkward->setup;
    hone_cpu_problem *problem;
    hone_status status;

    if (awkward->problems[row] &&
        memcmp(awkward->dims[row], dims, dims_bytes) == 0)
        return HONE_OK;
    forget_row(awkward, row);
    problem = hone__alloc(sizeof *problem);
    if (!problem)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    memcpy(awkward->dims[row], dims, dims_bytes);
    small.dims = awkward->dims[row];
    small.seed = awkward->setup->seed ^ 0x5deece66du; /* the second seed */
    small.launch_spec = job->launch_spec;
    status = hone__cpu_problem_open(&small, awkward->guarded, problem, err);
    if (status == HONE_OK)
        awkward->problems[row] = problem;
    else
        hone__free(problem);
    return status;
}

static hone_status run_variant(hone_cpu_problem *problem,
                               const hone_trial_job *job, hone_verdict *out,
                               hone_error *err)
{
    hone_cpu_variant variant;
    hone_status status;

    HONE_TRY(hone__cpu_variant_load(problem, job->launch_spec, job->cubin,
                                    job->cubin_bytes, &variant, err));
    status = hone__cpu_verify(problem, hone__cpu_variant_subject(&variant),
                              variant.workspaces,
                              variant.resolved.n_workspaces, out, err);
    hone__cpu_variant_unload(&variant);
    return status;
}

static hone_status check_row(hone_cpu_awkward *awkward, size_t row,
                             const int64_t *dims, const hone_trial_job *job,
                             hone_verdict *out, hone_error *err)
{
    hone_status status;

    memset(out, 0, sizeof *out);
    status = make_problem(awkward, row, dims, job, err);
    if (status == HONE_OK)
        status = run_variant(awkward->problems[row], job, out, err);
    if (status != HONE_ERR_CONSTRAINT)
        return status;
    hone__error_clear(err); /* not valid there: nothing to do */
    return HONE_OK;
}

hone_status hone__cpu_awkward_check(hone_cpu_awkward *awkward,
                                    const hone_trial_job *job,
                                    hone_verdict *out, hone_error *err)
{
    const hone_problem_setup *setup = awkward->setup;
    int64_t dims[HONE_MAX_DIMS];
    hone_verdict verdict;

    memset(out, 0, sizeof *out);
    for (size_t row = 0; row < HONE_N_AWKWARD; ++row) {
        HONE_TRY(hone__awkward_dims(setup, job->launch_spec, &awkward->facts,
                                    row, dims, err));
        HONE_TRY(check_row(awkward, row, dims, job, &verdict, err));
        out->n_compared += verdict.n_compared;
        if (verdict.error_ratio > out->error_ratio)
            out->error_ratio = verdict.error_ratio;
        if (verdict.outcome != HONE_OUTCOME_OK) {
            hone__awkward_say(setup->tmpl, dims, &verdict);
            *out = verdict;
            forget(awkward);
            return HONE_OK;
        }
    }
    return HONE_OK;
}
