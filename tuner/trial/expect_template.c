/* SPDX-License-Identifier: Apache-2.0 */
/* Another template as reference on a device: see expect_template.h. */
#include "tuner/trial/expect_template.h"

#include <stdio.h>
#include <string.h>

static void refuse(const char *text, char out_why[256], hone_error *err)
{
    (void)snprintf(out_why, 256, "%.250s", text);
    hone__error_clear(err);
}

hone_status hone__reference_template_load(
    const hone_problem *problem, const hone_reference_templates *templates,
    const char *name, hone_variant *out, char out_why[256], hone_error *err)
{
    const hone_reference_template *other =
        hone__reference_template_find(templates, name);
    int64_t dims[HONE_MAX_DIMS];
    hone_outcome outcome;
    hone_status status;

    memset(out, 0, sizeof *out);
    out_why[0] = '\0';
    if (!other || other->why[0]) {
        refuse(other ? other->why : "it was not compiled", out_why, NULL);
        return HONE_OK;
    }
    hone__reference_template_dims(other, problem->resolved.dims, dims);
    status = hone__variant_load(problem->device, other->spec, other->code.data,
                                other->code.length, dims, other->tmpl->n_dims,
                                out, &outcome, err);
    if (status == HONE_OK)
        return hone__reference_template_fits(other, &problem->resolved,
                                             &out->resolved, err);
    if (status == HONE_ERR_NO_MEMORY ||
        (err && err->domain == HONE_DOMAIN_CUDA &&
         hone__driver_is_fatal(err->native)))
        return status;
    refuse(err ? err->text : "it cannot be loaded", out_why, err);
    return HONE_OK;
}

hone_status hone__expect_template_failed(const char *name, hone_status status,
                                         hone_error *err)
{
    char text[640];

    if (status == HONE_OK || !err || status == HONE_ERR_NO_MEMORY)
        return status;
    (void)snprintf(text, sizeof text, "%.630s", err->text);
    return hone__fail_native(err, status, err->domain, err->native,
                             "check %s: %s", name, text);
}

/* Constants are filled when the pointer changes. Between runs the arrays are
 * freed and made again, perhaps at the same address, with other values. */
static hone_status enqueue(void *user, void *const *args, hone_stream stream,
                           hone_error *err)
{
    hone_variant *variant = user;
    const hone_subject subject = hone__variant_subject(variant);

    hone__bank_forget(&variant->bank);
    return subject.enqueue(subject.user, args, stream, err);
}

/* Run one of the two templates of a check: the reference, or the one that
 * computes the magnitudes. */
static hone_status run_template(hone_problem *problem, hone_check *checks,
                                const hone_problem_setup *setup, int magnitude,
                                hone_error *err)
{
    const char *name = magnitude ? checks->magnitude : checks->name;
    hone_variant variant;
    hone_status status =
        hone__reference_template_load(problem, setup->reference_templates, name,
                                      &variant, checks->skipped, err);
    const hone_subject subject = {enqueue, &variant};

    if (status == HONE_OK && !checks->skipped[0])
        status = hone__expect_template_failed(
            name,
            magnitude
                ? hone__expectations_magnitude(problem, checks, subject, err)
                : hone__expectations_run(problem, checks,
                                         checks->magnitude
                                             ? HONE_MAGNITUDE_GIVEN
                                             : HONE_MAGNITUDE_SPREAD,
                                         subject, err),
            err);
    /* A context that is lost could hang in it. */
    if (status == HONE_OK || !err || err->domain != HONE_DOMAIN_CUDA)
        hone__variant_unload(&variant);
    return status;
}

/* The magnitudes first: where there are none, there is nothing to compare. */
hone_status hone__expect_template(hone_problem *problem, hone_check *checks,
                                  const hone_problem_setup *setup,
                                  hone_error *err)
{
    if (checks->magnitude)
        HONE_TRY(run_template(problem, checks, setup, 1, err));
    return checks->skipped[0] ? HONE_OK
                              : run_template(problem, checks, setup, 0, err);
}
