/* SPDX-License-Identifier: Apache-2.0 */
/* Verification on edge shapes: see trial.h. */
#include "tuner/trial/trial.h"
#include "tuner/device/machine_fault.h"

#include "runtime/base/alloc.h"
#include "runtime/launch/launch_body.h"
#include "tuner/judge/samples.h"
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

static void forget_row(hone_edge_row *row)
{
    if (row->problem)
        hone__problem_close(row->problem);
    hone__free(row->problem);
    row->problem = NULL;
}

void hone__edge_shapes_forget(hone_edge_shapes *shapes)
{
    for (size_t i = 0; i <= HONE_N_EDGE_SHAPES; ++i)
        forget_row(&shapes->rows[i]);
}

static int is_equal(const hone_edge_shapes *shapes, const int64_t *a,
                    const int64_t *b)
{
    return memcmp(a, b, shapes->setup->tmpl->n_dims * sizeof *a) == 0;
}

/* With the launch plan of a variant that is valid there: the arguments are
 * those of every variant. Another variant may need another shape. */
static hone_status make_problem(const hone_edge_shapes *shapes,
                                hone_edge_row *row, hone_error *err)
{
    hone_problem_setup small = *shapes->setup;
    hone_status status;

    if (row->problem &&
        is_equal(shapes, row->problem->resolved.dims, row->dims))
        return HONE_OK;
    forget_row(row);
    row->problem = hone__alloc(sizeof *row->problem);
    if (!row->problem)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    small.dims = row->dims;
    small.rotation = HONE_ROTATION_NONE;
    small.seed ^= 0x5deece66du; /* the second seed */
    small.spec = shapes->job->spec;
    status = hone__problem_open(shapes->device, &small, row->problem, err);
    if (status != HONE_OK) {
        hone__free(row->problem);
        row->problem = NULL;
    }
    return status;
}

/* The verdict of a variant that is not launched there. */
static hone_status judge_failure(hone_status status, hone_verdict *out,
                                 const hone_error *err)
{
    if (hone__machine_fault(err))
        return status;
    out->outcome = hone__outcome_of(err);
    (void)snprintf(out->message, sizeof out->message, "%.300s", err->text);
    return status == HONE_ERR_CONSTRAINT || status == HONE_ERR_NO_MEMORY
               ? status
               : HONE_OK;
}

static hone_status run_variant(const hone_edge_shapes *shapes,
                               const hone_edge_row *row, hone_verdict *out,
                               hone_error *err)
{
    const hone_trial_job *job = shapes->job;
    hone_variant variant;
    hone_status status = hone__variant_load(
        shapes->device, job->spec, job->cubin, job->cubin_bytes, row->dims,
        shapes->setup->tmpl->n_dims, &variant, err);

    if (status != HONE_OK)
        return judge_failure(status, out, err);
    status = hone__verify(row->problem, hone__variant_subject(&variant),
                          HONE_VERIFY_FIRST, out, err);
    hone__variant_unload(&variant);
    return status;
}

/* What is no number where a size is 0 is a matter of the variant; elsewhere it
 * is a mistake of the template. */
static int is_not_launched(const hone_edge_shapes *shapes,
                           const hone_edge_row *row, hone_status status)
{
    return status == HONE_ERR_INPUT && row - shapes->rows == HONE_EDGE_EMPTY;
}

/* A row that is not valid for this variant, or beyond what it has room for, is
 * not run. */
static hone_status check_row(const hone_edge_shapes *shapes, hone_edge_row *row,
                             hone_verdict *out, int *out_is_run,
                             hone_error *err)
{
    const int is_beyond = row - shapes->rows >= HONE_EDGE_BEYOND &&
                          row - shapes->rows < HONE_EDGE_APART;
    hone_status status;

    memset(out, 0, sizeof *out);
    status = make_problem(shapes, row, err);
    if (status == HONE_OK)
        status = run_variant(shapes, row, out, err);
    else if (is_not_launched(shapes, row, status)) {
        status = judge_failure(status, out, err);
        out->outcome = HONE_OUTCOME_LAUNCH;
    }
    *out_is_run = status != HONE_ERR_CONSTRAINT &&
                  !(is_beyond && out->outcome == HONE_OUTCOME_LIMITS);
    if (*out_is_run)
        return status;
    hone__error_clear(err);
    memset(out, 0, sizeof *out);
    return HONE_OK;
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
        if (tmpl->dims[i].n_types || hone__template_dim_follows(tmpl, i, dims))
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

/* Of a grown shape (judge/cover.h): problems take some ten times the arrays,
 * which a small card has to hold. */
static int scale_of(const hone_edge_shapes *shapes)
{
    enum { MOST = 24 };
    const hone_device *device = shapes->device;
    const int64_t gib = device->properties.value[HONE_PROPERTY_memory] >> 30;

    if (!device->kind->has_limits || shapes->is_tight || gib < 1)
        return 1;
    return gib < MOST ? (int)gib : MOST;
}

/* Is there a shape for this row? The last is the problem itself. */
static int find_shape(const hone_edge_shapes *shapes,
                      const hone_launch_case *plan, size_t i, int64_t *out)
{
    const hone_problem_setup *setup = shapes->setup;

    if (i < HONE_N_EDGE_SHAPES)
        return !setup->dims_alone &&
               hone__edge_dims(setup->tmpl, plan, scale_of(shapes), i, out);
    memcpy(out, setup->dims, setup->tmpl->n_dims * sizeof *out);
    return setup->verifies_dims;
}

/* The rows, and their problems: all references run before the variant does,
 * which may damage the process that they run in. */
static hone_status make_rows(hone_edge_shapes *shapes, hone_error *err)
{
    const hone_problem_setup *setup = shapes->setup;
    const hone_launch_case plan = {shapes->job->spec, setup->dims,
                                   setup->tmpl->n_dims,
                                   &shapes->device->properties};

    for (size_t i = 0; i <= HONE_N_EDGE_SHAPES; ++i) {
        hone_edge_row *row = &shapes->rows[i];
        hone_status status;

        row->is_wanted = find_shape(shapes, &plan, i, row->dims);
        /* The same as an earlier one: all dimensions list their values. */
        for (size_t k = 0; k < i; ++k)
            row->is_wanted &=
                !is_equal(shapes, shapes->rows[k].dims, row->dims);
        if (!row->is_wanted)
            continue;
        status = make_problem(shapes, row, err);
        if (status == HONE_ERR_CONSTRAINT ||
            is_not_launched(shapes, row, status))
            hone__error_clear(err); /* found again by check_row() */
        else
            HONE_TRY(status);
    }
    return HONE_OK;
}

static hone_status check_rows(hone_edge_shapes *shapes, hone_verdict *out,
                              hone_error *err)
{
    hone_verdict verdict;
    int is_run;

    memset(out, 0, sizeof *out);
    HONE_TRY(make_rows(shapes, err));
    for (hone_edge_row *row = shapes->rows;
         row <= shapes->rows + HONE_N_EDGE_SHAPES; ++row) {
        if (!row->is_wanted)
            continue;
        HONE_TRY(check_row(shapes, row, &verdict, &is_run, err));
        if (is_run && row->problem)
            cover(&out->coverage, row->problem, row->dims, verdict.n_compared);
        out->n_compared += verdict.n_compared;
        if (verdict.error_ratio > out->error_ratio)
            out->error_ratio = verdict.error_ratio;
        if (verdict.outcome == HONE_OUTCOME_OK)
            continue;
        say(shapes->setup->tmpl, row->dims, &verdict);
        verdict.coverage = out->coverage;
        *out = verdict;
        if (verdict.outcome != HONE_OUTCOME_FAULT)
            hone__edge_shapes_forget(
                shapes); /* else nothing can be freed any more */
        return HONE_OK;
    }
    return HONE_OK;
}

/* The problems that are kept may be what takes the room. */
hone_status hone__edge_shapes_check(hone_edge_shapes *shapes,
                                    const hone_trial_job *job,
                                    hone_verdict *out, hone_error *err)
{
    hone_status status;

    shapes->job = job;
    memset(out, 0, sizeof *out);
    if (job->spec->vendor.line) /* its algorithm is for one problem alone */
        return HONE_OK;
    status = check_rows(shapes, out, err);
    if (status != HONE_ERR_NO_MEMORY)
        return status;
    hone__edge_shapes_forget(shapes);
    hone__error_clear(err);
    shapes->is_tight = 1;
    return check_rows(shapes, out, err);
}

hone_status hone__trial_verify(hone_edge_shapes *shapes,
                               const hone_trial_job *job,
                               hone_trial_report *out, hone_error *err)
{
    hone_verdict verdict;
    hone_status status;

    memset(out, 0, sizeof *out);
    out->id = job->id;
    out->clocks.sm_clock_mhz = -1;
    status = hone__edge_shapes_check(shapes, job, &verdict, err);
    if (status == HONE_ERR_NO_MEMORY) { /* with all of it for itself */
        out->outcome = HONE_OUTCOME_LIMITS;
        (void)snprintf(out->message, sizeof out->message, "%.300s", err->text);
        return HONE_OK;
    }
    HONE_TRY(status);
    hone__trial_take_verdict(out, &verdict);
    out->leaving |= out->outcome == HONE_OUTCOME_FAULT;
    return HONE_OK;
}
