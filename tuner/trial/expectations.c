/* SPDX-License-Identifier: Apache-2.0 */
/* What the outputs of a problem must be: by a CPU reference in double
 * ("cpu.NAME", expect_cpu.c), or on the device by a vendor library
 * ("cublas.gemm") or another template ("template.NAME", expect_template.c).
 */
#include "tuner/baselines/baseline.h"
#include "tuner/judge/check_data.h"
#include "tuner/trial/expect_cpu.h"
#include "tuner/trial/expect_fft.h"
#include "tuner/trial/expect_template.h"
#include "tuner/trial/problem.h"

#include <stdio.h>
#include <string.h>

/* "cublas.gemm" is the baseline "cublas"; "cub.sum" is "cub.sum". */
static hone_status open_baseline(hone_problem *problem, const char *name,
                                 hone_baseline **out, hone_error *err)
{
    char family[64];
    const hone_status status =
        hone__baseline_open(name, problem->tmpl->op, &problem->resolved,
                            problem->device->driver, out, err);

    if (status != HONE_ERR_NOT_FOUND)
        return status;
    (void)snprintf(family, sizeof family, "%.*s", (int)strcspn(name, "."),
                   name);
    return hone__baseline_open(family, problem->tmpl->op, &problem->resolved,
                               problem->device->driver, out, err);
}

static void skip(const hone_problem *problem, hone_check *checks,
                 const char *why)
{
    for (size_t i = 0; i < problem->n_outputs; ++i)
        (void)snprintf(checks[i].skipped, sizeof checks[i].skipped, "%.250s",
                       why);
}

/* Not here, or not for these types: say so, go on. */
static hone_status skip_unsupported(const hone_problem *problem,
                                    hone_check *checks, hone_error *err)
{
    skip(problem, checks, err ? err->text : "not on this machine");
    hone__error_clear(err);
    return HONE_OK;
}

static hone_status expect_baseline(hone_problem *problem, hone_check *checks,
                                   hone_error *err)
{
    hone_baseline *baseline = NULL;
    hone_status status = open_baseline(problem, checks->name, &baseline, err);

    if (status == HONE_ERR_UNSUPPORTED)
        return skip_unsupported(problem, checks, err);
    if (status == HONE_OK)
        status = hone__expectations_run(
            problem, checks, HONE_MAGNITUDE_TERMS,
            (hone_subject){hone__baseline_enqueue, baseline}, err);
    hone__baseline_close(baseline);
    return status;
}

/* Vendors' libraries write one array. */
static hone_status expect_vendor(hone_problem *problem, hone_check *checks,
                                 hone_error *err)
{
    if (problem->n_outputs != 1)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "%s: the check %s gives one array, and %zu are "
                          "written; check them with cpu.NAME or template.NAME",
                          problem->tmpl->path, checks->name,
                          problem->n_outputs);
    if (!problem->device->kind->has_vendors) {
        skip(problem, checks, "a vendor library of the GPU");
        return HONE_OK;
    }
    return strncmp(checks->name, "cufft", 5) == 0
               ? hone__expect_fft(problem, checks, err)
               : expect_baseline(problem, checks, err);
}

static hone_status expect(hone_problem *problem, hone_check *checks,
                          const hone_problem_setup *setup, hone_error *err)
{
    if (strncmp(checks->name, "cpu.", 4) == 0) {
        const hone_status status =
            hone__expect_cpu(problem, checks, setup, err);

        return status == HONE_ERR_UNSUPPORTED
                   ? skip_unsupported(problem, checks, err)
                   : status;
    }
    return hone__reference_template_is(checks->name)
               ? hone__expect_template(problem, checks, setup, err)
               : expect_vendor(problem, checks, err);
}

static void tell(const hone_problem_setup *setup, const char *name)
{
    if (setup->on_reference)
        setup->on_reference(setup->user, name);
}

hone_status hone__expectations_make(hone_problem *problem,
                                    const hone_problem_setup *setup,
                                    hone_error *err)
{
    for (size_t i = 0; i < problem->n_checks; i += problem->n_outputs) {
        hone_check *checks = &problem->checks[i];

        tell(setup, checks->name);
        HONE_TRY(expect(problem, checks, setup, err));
        tell(setup, "");
    }
    return HONE_OK;
}
