/* SPDX-License-Identifier: Apache-2.0 */
/* Edge shapes on the cpu device: as edge_shapes.c, with problems in host
 * memory. */
#include "tuner/trial/edge_shapes.h"
#include "tuner/cpu/cpu_worker.h"

#include "runtime/base/alloc.h"

#include <stdio.h>
#include <string.h>

struct hone_cpu_edge_shapes {
    const hone_problem_setup *setup;
    int guarded;
    hone_properties properties;
    hone_cpu_problem *problems[HONE_N_EDGE_SHAPES]; /* NULL: not made yet */
    int64_t dims[HONE_N_EDGE_SHAPES][HONE_MAX_DIMS];
};

hone_status hone__cpu_edge_shapes_open(const hone_problem_setup *setup,
                                       int guarded, hone_cpu_edge_shapes **out,
                                       hone_error *err)
{
    *out = hone__alloc(sizeof **out);
    if (!*out)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    (*out)->setup = setup;
    (*out)->guarded = guarded;
    hone__properties_of_host(&(*out)->properties);
    return HONE_OK;
}

static void forget_row(hone_cpu_edge_shapes *edge_shapes, size_t row)
{
    if (edge_shapes->problems[row])
        hone__cpu_problem_close(edge_shapes->problems[row]);
    hone__free(edge_shapes->problems[row]);
    edge_shapes->problems[row] = NULL;
}

static void forget(hone_cpu_edge_shapes *edge_shapes)
{
    for (size_t row = 0; row < HONE_N_EDGE_SHAPES; ++row)
        forget_row(edge_shapes, row);
}

void hone__cpu_edge_shapes_close(hone_cpu_edge_shapes *edge_shapes)
{
    if (edge_shapes)
        forget(edge_shapes);
    hone__free(edge_shapes);
}

static hone_status make_problem(hone_cpu_edge_shapes *edge_shapes, size_t row,
                                const int64_t *dims, const hone_trial_job *job,
                                hone_error *err)
{
    const size_t dims_bytes = edge_shapes->setup->tmpl->n_dims * sizeof dims[0];
    hone_problem_setup small = *edge_shapes->setup;
    hone_cpu_problem *problem;
    hone_status status;

    if (edge_shapes->problems[row] &&
        memcmp(edge_shapes->dims[row], dims, dims_bytes) == 0)
        return HONE_OK;
    forget_row(edge_shapes, row);
    problem = hone__alloc(sizeof *problem);
    if (!problem)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    memcpy(edge_shapes->dims[row], dims, dims_bytes);
    small.dims = edge_shapes->dims[row];
    small.seed = edge_shapes->setup->seed ^ 0x5deece66du; /* the second seed */
    small.launch_spec = job->launch_spec;
    status = hone__cpu_problem_open(&small, edge_shapes->guarded, problem, err);
    if (status == HONE_OK)
        edge_shapes->problems[row] = problem;
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
                              variant.workspaces, variant.resolved.n_workspaces,
                              out, err);
    hone__cpu_variant_unload(&variant);
    return status;
}

static hone_status check_row(hone_cpu_edge_shapes *edge_shapes, size_t row,
                             const int64_t *dims, const hone_trial_job *job,
                             hone_verdict *out, hone_error *err)
{
    hone_status status;

    memset(out, 0, sizeof *out);
    status = make_problem(edge_shapes, row, dims, job, err);
    if (status == HONE_OK)
        status = run_variant(edge_shapes->problems[row], job, out, err);
    if (status != HONE_ERR_CONSTRAINT)
        return status;
    hone__error_clear(err); /* not valid there: nothing to do */
    return HONE_OK;
}

hone_status hone__cpu_edge_shapes_check(hone_cpu_edge_shapes *edge_shapes,
                                        const hone_trial_job *job,
                                        hone_verdict *out, hone_error *err)
{
    const hone_problem_setup *setup = edge_shapes->setup;
    int64_t dims[HONE_MAX_DIMS];
    hone_verdict verdict;

    memset(out, 0, sizeof *out);
    for (size_t row = 0; row < HONE_N_EDGE_SHAPES; ++row) {
        HONE_TRY(hone__edge_dims(setup, job->launch_spec,
                                 &edge_shapes->properties, row, dims, err));
        HONE_TRY(check_row(edge_shapes, row, dims, job, &verdict, err));
        out->n_compared += verdict.n_compared;
        if (verdict.error_ratio > out->error_ratio)
            out->error_ratio = verdict.error_ratio;
        if (verdict.outcome != HONE_OUTCOME_OK) {
            hone__edge_shapes_say(setup->tmpl, dims, &verdict);
            *out = verdict;
            forget(edge_shapes);
            return HONE_OK;
        }
    }
    return HONE_OK;
}
