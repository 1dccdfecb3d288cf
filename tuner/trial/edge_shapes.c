/* SPDX-License-Identifier: Apache-2.0 */
/* See edge_shapes.h. */
#include "tuner/trial/edge_shapes.h"

#include "runtime/base/alloc.h"
#include "tuner/judge/edge_dims.h"
#include "tuner/trial/variant.h"
#include "tuner/trial/verify.h"

#include <stdio.h>
#include <string.h>

/* Put the shape in front of the verdict's message. */
static void say(const hone_template *tmpl, const int64_t *dims,
                hone_verdict *verdict)
{
    hone_text label = {0};
    char text[sizeof verdict->message];

    hone__template_label_dims(tmpl, dims, &label);
    (void)snprintf(text, sizeof text, "at %.80s: %.220s",
                   hone__text_str(&label), verdict->message);
    memcpy(verdict->message, text, sizeof text);
    hone__text_free(&label);
}

struct hone_edge_shapes {
    hone_device *device;
    const hone_problem_setup *setup;
    hone_problem *problems[HONE_N_EDGE_SHAPES]; /* NULL: not made yet */
    int64_t dims[HONE_N_EDGE_SHAPES][HONE_MAX_DIMS];
};

hone_status hone__edge_shapes_open(hone_device *device,
                                   const hone_problem_setup *setup,
                                   hone_edge_shapes **out, hone_error *err)
{
    *out = hone__alloc(sizeof **out);
    if (!*out)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    (*out)->device = device;
    (*out)->setup = setup;
    return HONE_OK;
}

static void forget_row(hone_edge_shapes *edge_shapes, size_t row)
{
    if (edge_shapes->problems[row])
        hone__problem_close(edge_shapes->problems[row]);
    hone__free(edge_shapes->problems[row]);
    edge_shapes->problems[row] = NULL;
}

static void forget(hone_edge_shapes *edge_shapes)
{
    for (size_t row = 0; row < HONE_N_EDGE_SHAPES; ++row)
        forget_row(edge_shapes, row);
}

void hone__edge_shapes_close(hone_edge_shapes *edge_shapes)
{
    if (edge_shapes)
        forget(edge_shapes);
    hone__free(edge_shapes);
}

/* With the launch plan of a variant that is valid there: the arguments are
 * those of every variant. Another variant may need another shape. */
static hone_status make_problem(hone_edge_shapes *edge_shapes, size_t row,
                                const int64_t *dims, const hone_trial_job *job,
                                hone_error *err)
{
    const size_t dims_bytes = edge_shapes->setup->tmpl->n_dims * sizeof dims[0];
    hone_problem_setup small = *edge_shapes->setup;
    hone_problem *problem;
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
    small.rotation = HONE_ROTATION_NONE;
    small.seed = edge_shapes->setup->seed ^ 0x5deece66du; /* the second seed */
    small.spec = job->spec;
    status = hone__problem_open(edge_shapes->device, &small, problem, err);
    if (status == HONE_OK)
        edge_shapes->problems[row] = problem;
    else
        hone__free(problem);
    return status;
}

static hone_status run_variant(hone_edge_shapes *edge_shapes, size_t row,
                               const int64_t *dims, const hone_trial_job *job,
                               hone_verdict *out, hone_error *err)
{
    hone_problem *problem = edge_shapes->problems[row];
    hone_variant variant;
    hone_status status = hone__variant_load(
        edge_shapes->device, job->spec, job->cubin, job->cubin_bytes, dims,
        edge_shapes->setup->tmpl->n_dims, &variant, &out->outcome, err);

    if (status == HONE_ERR_CONSTRAINT || status == HONE_ERR_NO_MEMORY)
        return status;
    if (status != HONE_OK) { /* which is the verdict */
        (void)snprintf(out->message, sizeof out->message, "%.300s", err->text);
        return HONE_OK;
    }
    status = hone__verify(problem, hone__variant_subject(&variant),
                          variant.workspaces, variant.resolved.n_workspaces,
                          out, err);
    hone__variant_unload(&variant);
    return status;
}

/* A row that is not valid for this variant, or beyond what it has room for, is
 * not run. */
static hone_status check_row(hone_edge_shapes *edge_shapes, size_t row,
                             const int64_t *dims, const hone_trial_job *job,
                             hone_verdict *out, int *out_is_run,
                             hone_error *err)
{
    hone_status status;

    memset(out, 0, sizeof *out);
    *out_is_run = 1;
    status = make_problem(edge_shapes, row, dims, job, err);
    if (status == HONE_OK)
        status = run_variant(edge_shapes, row, dims, job, out, err);
    if (status != HONE_ERR_CONSTRAINT &&
        !(row >= HONE_EDGE_BEYOND && out->outcome == HONE_OUTCOME_LIMITS))
        return status;
    hone__error_clear(err);
    memset(out, 0, sizeof *out);
    *out_is_run = 0;
    return HONE_OK;
}

/* The same as an earlier row: where all dimensions list their values. */
static int is_known(const hone_template *tmpl,
                    int64_t dims[HONE_N_EDGE_SHAPES][HONE_MAX_DIMS], size_t row)
{
    for (size_t k = 0; k < row; ++k)
        if (memcmp(dims[k], dims[row], tmpl->n_dims * sizeof dims[0][0]) == 0)
            return 1;
    return 0;
}

/* Count a shape in that was run. */
static void cover(hone_coverage *coverage, const hone_problem *problem,
                  const int64_t *dims, int n_compared)
{
    const hone_template *tmpl = problem->tmpl;
    const size_t size = sizeof coverage->shapes;
    size_t used = strlen(coverage->shapes);
    const char *comma = used ? ", " : "";

    ++coverage->n_shapes;
    coverage->n_compared += n_compared;
    for (size_t i = 0; i < tmpl->n_dims && used < size; ++i) {
        if (tmpl->dims[i].n_types)
            continue;
        used +=
            (size_t)snprintf(coverage->shapes + used, size - used, "%s%s=%lld",
                             comma, tmpl->dims[i].name, (long long)dims[i]);
        comma = " ";
    }
    for (size_t i = 0; i < problem->n_checks && !coverage->unchecked[0]; ++i)
        if (problem->checks[i].skipped[0])
            (void)snprintf(coverage->unchecked, sizeof coverage->unchecked,
                           "%.60s: %.130s", problem->checks[i].name,
                           problem->checks[i].skipped);
}

/* The rows, and their problems: all references run before the variant does,
 * which may damage the process that they run in. */
static hone_status make_rows(hone_edge_shapes *edge_shapes,
                             const hone_trial_job *job,
                             int64_t dims[HONE_N_EDGE_SHAPES][HONE_MAX_DIMS],
                             int *out_is_row, hone_error *err)
{
    const hone_problem_setup *setup = edge_shapes->setup;
    const hone_launch_case plan = {job->spec, setup->dims, setup->tmpl->n_dims,
                                   &edge_shapes->device->properties};

    for (size_t row = 0; row < HONE_N_EDGE_SHAPES; ++row) {
        hone_status status;

        out_is_row[row] = hone__edge_dims(setup->tmpl, &plan, row, dims[row]) &&
                          !is_known(setup->tmpl, dims, row);
        if (!out_is_row[row])
            continue;
        status = make_problem(edge_shapes, row, dims[row], job, err);
        if (status == HONE_ERR_CONSTRAINT)
            hone__error_clear(err); /* found again by check_row() */
        else
            HONE_TRY(status);
    }
    return HONE_OK;
}

static hone_status check_rows(hone_edge_shapes *edge_shapes,
                              const hone_trial_job *job, hone_verdict *out,
                              hone_error *err)
{
    const hone_problem_setup *setup = edge_shapes->setup;
    int64_t dims[HONE_N_EDGE_SHAPES][HONE_MAX_DIMS] = {{0}};
    int is_row[HONE_N_EDGE_SHAPES];
    hone_verdict verdict;
    int is_run;

    memset(out, 0, sizeof *out);
    HONE_TRY(make_rows(edge_shapes, job, dims, is_row, err));
    for (size_t row = 0; row < HONE_N_EDGE_SHAPES; ++row) {
        if (!is_row[row])
            continue;
        HONE_TRY(check_row(edge_shapes, row, dims[row], job, &verdict, &is_run,
                           err));
        if (is_run)
            cover(&out->coverage, edge_shapes->problems[row], dims[row],
                  verdict.n_compared);
        out->n_compared += verdict.n_compared;
        if (verdict.error_ratio > out->error_ratio)
            out->error_ratio = verdict.error_ratio;
        if (verdict.outcome == HONE_OUTCOME_OK)
            continue;
        say(setup->tmpl, dims[row], &verdict);
        verdict.coverage = out->coverage;
        *out = verdict;
        if (verdict.outcome != HONE_OUTCOME_FAULT)
            forget(edge_shapes); /* else nothing can be freed any more */
        return HONE_OK;
    }
    return HONE_OK;
}

/* The problems that are kept may be what takes the room. */
hone_status hone__edge_shapes_check(hone_edge_shapes *edge_shapes,
                                    const hone_trial_job *job,
                                    hone_verdict *out, hone_error *err)
{
    const hone_status status = check_rows(edge_shapes, job, out, err);

    if (status != HONE_ERR_NO_MEMORY)
        return status;
    forget(edge_shapes);
    hone__error_clear(err);
    return check_rows(edge_shapes, job, out, err);
}
