/* SPDX-License-Identifier: Apache-2.0 */
/* Awkward shapes: see awkward.h. */
#include "tuner/awkward.h"

#include <stdio.h>
#include <string.h>

/* Sizes per integer dimension, taken in turn from a row: ones, primes below
 * and just above usual tiles, and a larger row for operations of one
 * dimension, where a small size reaches one block only. */
enum { ROW = 4 };
static const int64_t rows[HONE_N_AWKWARD][ROW] = {
    {1, 1, 1, 1},
    {61, 37, 113, 17},
    {131, 259, 97, 65},
    {16, 520, 40, 24},
};
static const int64_t long_row = 1000003;

void hone__awkward_dims(const hone_template *tmpl, const int64_t *dims,
                        size_t row, int64_t *out)
{
    size_t n_integers = 0;

    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        out[i] = dims[i];
        if (!tmpl->dims[i].n_types)
            out[i] = rows[row][n_integers++ % ROW];
    }
    if (n_integers == 1 && row + 1 == HONE_N_AWKWARD) {
        for (size_t i = 0; i < tmpl->n_dims; ++i) {
            if (!tmpl->dims[i].n_types)
                out[i] = long_row;
        }
    }
}

void hone__awkward_say(const hone_template *tmpl, const int64_t *dims,
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

static hone_status verify_at(hone_gpu *device,
                             const hone_problem_setup *setup,
                             const hone_trial_job *job, const int64_t *dims,
                             hone_verdict *out, hone_error *err)
{
    hone_problem problem;
    hone_variant variant;
    hone_problem_setup small = *setup;
    hone_status status;

    small.dims = dims;
    small.want_sets = 0;
    small.seed = setup->seed ^ 0x5deece66du; /* the second seed */
    small.launch_spec = job->launch_spec;
    status = hone__problem_open(device, &small, &problem, err);
    if (status == HONE_ERR_CONSTRAINT) { /* not valid there: nothing to do */
        hone__error_clear(err);
        return HONE_OK;
    }
    if (status != HONE_OK)
        return status;
    if (hone__variant_load(device, job->launch_spec, job->cubin,
                           job->cubin_bytes, dims,
                           setup->tmpl->n_dims, &variant, &out->outcome,
                           err) == HONE_OK) {
        status = hone__verify(&problem, hone__variant_subject(&variant),
                              variant.workspaces,
                              variant.resolved.n_workspaces, out, err);
        hone__variant_unload(&variant);
    } else {
        (void)snprintf(out->message, sizeof out->message, "%.300s",
                       err->text);
    }
    hone__problem_close(&problem);
    return status;
}

hone_status hone__awkward_verify(hone_gpu *device,
                                 const hone_problem_setup *setup,
                                 const hone_trial_job *job, hone_verdict *out,
                                 hone_error *err)
{
    int64_t dims[HONE_MAX_DIMS];

    memset(out, 0, sizeof *out);
    for (size_t row = 0; row < HONE_N_AWKWARD; ++row) {
        hone__awkward_dims(setup->tmpl, setup->dims, row, dims);
        HONE_TRY(verify_at(device, setup, job, dims, out, err));
        if (out->outcome != HONE_OUTCOME_OK) {
            hone__awkward_say(setup->tmpl, dims, out);
            return HONE_OK;
        }
    }
    return HONE_OK;
}
