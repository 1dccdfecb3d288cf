/* SPDX-License-Identifier: Apache-2.0 */
/* Who enters a final: see final_runner.h. */
#include "tuner/trial/final_runner.h"
#include "tuner/device/machine_fault.h"

#include "tuner/judge/statistics.h"
#include "tuner/trial/expectations.h"
#include "tuner/trial/verify.h"

#include <stdio.h>
#include <string.h>

hone_subject hone__final_subject(hone_final_runner *r)
{
    return r->vendor ? (hone_subject){.enqueue = hone__baseline_enqueue,
                                      .user = r->vendor}
                     : hone__variant_subject(&r->variant);
}

/* ---- what a failure means ------------------------------------------------ */

static void set_out(hone_finalist *item, hone_outcome outcome, const char *text)
{
    item->outcome = outcome;
    (void)snprintf(item->message, sizeof item->message, "%.300s", text);
}

/* Codes of other libraries mean something else. */
static int is_context_lost(const hone_error *err)
{
    return hone__outcome_of(err) == HONE_OUTCOME_FAULT ||
           hone__machine_fault(err);
}

/* Anything but the loss of the context is the runner's own misfortune. All of
 * them are loaded at once, each with its workspaces and its graph: the last
 * ones may find no room, which is not even their fault. */
hone_status hone__final_failed(hone_status status, hone_finalist *item,
                               hone_error *err)
{
    if (status == HONE_OK)
        return HONE_OK;
    if (status == HONE_ERR_NO_MEMORY) {
        char text[sizeof item->message];

        (void)snprintf(text, sizeof text,
                       "no room on the device beside the others: %.230s",
                       err->text);
        item->is_left_out = 1;
        set_out(item, HONE_OUTCOME_OK, text);
        return HONE_OK;
    }
    if (is_context_lost(err))
        return status;
    set_out(item, hone__outcome_of(err), err->text);
    return HONE_OK;
}

static hone_status context_lost(const char *text, hone_error *err)
{
    enum { LAUNCH_FAILED = 719 };

    return hone__fail_native(err, HONE_ERR_CUDA, HONE_DOMAIN_CUDA,
                             LAUNCH_FAILED, "%s", text);
}

/* What a verdict means for the final: a runner that is wrong is out; one
 * whose traces in memory cannot be put right ends the process with it. */
static hone_status take_verdict(const hone_verdict *verdict,
                                hone_finalist *item, hone_error *err)
{
    if (verdict->error_ratio > item->error_ratio)
        item->error_ratio = verdict->error_ratio;
    if (verdict->outcome == HONE_OUTCOME_OK)
        return HONE_OK;
    set_out(item, verdict->outcome, verdict->message);
    if (verdict->outcome == HONE_OUTCOME_FAULT)
        return context_lost(item->message, err);
    return verdict->leaving
               ? hone__fail(err, HONE_ERR_KERNEL, "%s", item->message)
               : HONE_OK;
}

/* ---- enter: variants ----------------------------------------------------- */

hone_status hone__final_load(hone_final_state *f, int of, hone_variant *out,
                             hone_error *err)
{
    const hone_trial_job *job = &f->request.entries[of].job;

    return hone__variant_load(f->problem->device, job->spec, job->cubin,
                              job->cubin_bytes, f->problem->resolved.dims,
                              f->problem->resolved.n_dims, out, err);
}

static hone_status read_features(const hone_variant *variant,
                                 hone_tie_features *features, hone_error *err)
{
    const hone_driver *driver = variant->device->driver;

    features->registers = features->shared_bytes = 0;
    for (size_t i = 0; i < variant->resolved.n_launches; ++i) {
        const hone_cu_function function =
            variant->program->launches[i].function;
        const int64_t dynamic =
            variant->resolved.launches[i].shape.shared_bytes;
        int registers = 0;
        int bytes = 0;

        HONE_TRY(hone__driver_check(
            driver,
            driver->function_get(&registers, HONE_CU_FUNC_REGISTERS, function),
            "reading a kernel's registers", err));
        HONE_TRY(hone__driver_check(
            driver,
            driver->function_get(&bytes, HONE_CU_FUNC_SHARED_BYTES, function),
            "reading a kernel's shared memory", err));
        if (registers > features->registers)
            features->registers = registers;
        if (bytes + dynamic > features->shared_bytes)
            features->shared_bytes = bytes + dynamic;
    }
    return HONE_OK;
}

hone_status hone__final_verify(void *user, int i, hone_finalist *item,
                               hone_error *err)
{
    hone_final_state *f = user;
    hone_verdict verdict;

    HONE_TRY(hone__verify(f->problem, hone__final_subject(&f->runners[i]),
                          HONE_VERIFY_FIRST, &verdict, err));
    return take_verdict(&verdict, item, err);
}

static hone_status verify_edge_shapes(hone_final_state *f, int i,
                                      hone_finalist *item, hone_error *err)
{
    hone_verdict verdict;

    HONE_TRY(hone__edge_shapes_check(f->shapes, &f->request.entries[i].job,
                                     &verdict, err));
    HONE_TRY(take_verdict(&verdict, item, err));
    if (item->outcome == HONE_OUTCOME_OK)
        return HONE_OK;
    /* Was it only wrong, or did it reach as far as the problem itself? */
    HONE_TRY(hone__verify(f->problem, (hone_subject){0}, HONE_VERIFY_MEMORY,
                          &verdict, err));
    return take_verdict(&verdict, item, err);
}

static hone_status enter_variant(hone_final_state *f, int i,
                                 hone_finalist *item, hone_error *err)
{
    hone_variant *variant = &f->runners[i].variant;
    hone_status status = hone__final_load(f, i, variant, err);

    if (status == HONE_OK)
        status = read_features(variant, &item->features, err);
    if (status != HONE_OK)
        return hone__final_failed(status, item, err);
    status = verify_edge_shapes(f, i, item, err);
    if (status == HONE_ERR_NO_MEMORY) {
        hone__variant_unload(variant);
        return hone__final_failed(status, item, err);
    }
    HONE_TRY(status);
    return item->outcome == HONE_OUTCOME_OK
               ? hone__final_verify(f, i, item, err)
               : HONE_OK;
}

/* ---- enter: baselines ---------------------------------------------------- */

static hone_status time_algorithm(hone_final_state *f, hone_baseline *vendor,
                                  double *out_ns, hone_error *err)
{
    const hone_subject subject = {.enqueue = hone__baseline_enqueue,
                                  .user = vendor};
    double samples[3] = {0, 0, 0};
    hone_status status = HONE_OK;
    hone_timer timer;

    HONE_TRY(hone__timer_open(f->problem, subject, 0, &timer, err));
    for (int i = 0; status == HONE_OK && i < 3; ++i)
        status = hone__timer_sample(&timer, &samples[i], err);
    hone__timer_close(&timer);
    *out_ns = hone__median(samples, 3);
    return status;
}

/* Time each algorithm of a library shortly and keep the fastest. */
static hone_status choose_algorithm(hone_final_state *f, hone_baseline *vendor,
                                    hone_finalist *item, hone_error *err)
{
    const size_t n = vendor->n_algorithms;
    double best_ns = 0;
    size_t best = 0;

    for (size_t i = 0; n > 1 && i < n; ++i) {
        double ns = 0;

        vendor->algorithm = i;
        if (time_algorithm(f, vendor, &ns, err) != HONE_OK) {
            if (is_context_lost(err))
                return err->status;
            continue; /* this one cannot do it */
        }
        if (best_ns <= 0 || ns < best_ns) {
            best_ns = ns;
            best = i;
        }
    }
    vendor->algorithm = best;
    item->algorithm = (int)best;
    item->n_algorithms = (int)n;
    return HONE_OK;
}

/* It may round differently: said, not excluded. */
static hone_status judge_baseline(hone_final_state *f, hone_final_runner *r,
                                  hone_finalist *item, hone_error *err)
{
    hone_verdict verdict = {.outcome = HONE_OUTCOME_OK};
    const hone_status status = hone__verify(f->problem, hone__final_subject(r),
                                            HONE_VERIFY_FIRST, &verdict, err);

    item->error_ratio = verdict.error_ratio;
    r->spoils = verdict.damaged;
    if (verdict.outcome == HONE_OUTCOME_FAULT)
        return context_lost(verdict.message, err);
    if (status != HONE_OK)
        return hone__final_failed(status, item, err);
    if (verdict.leaving && !r->vendor)
        return hone__fail(err, HONE_ERR_KERNEL, "%s", verdict.message);
    if (verdict.outcome != HONE_OUTCOME_OK)
        (void)snprintf(item->message, sizeof item->message, "%.300s",
                       verdict.message);
    return HONE_OK;
}

static hone_status enter_template(hone_final_state *f, hone_final_runner *r,
                                  const char *name, hone_finalist *item,
                                  hone_error *err)
{
    char why[256];
    const hone_status status =
        hone__reference_template_load(f->problem, name, &r->variant, why, err);

    if (status != HONE_OK)
        return hone__final_failed(status, item, err);
    if (!why[0])
        return judge_baseline(f, r, item, err);
    set_out(item, HONE_OUTCOME_CONSTRAINT, why);
    return HONE_OK;
}

static hone_status enter_baseline(hone_final_state *f, hone_final_runner *r,
                                  const char *name, hone_finalist *item,
                                  hone_error *err)
{
    hone_problem *problem = f->problem;
    hone_status status;

    item->n_algorithms = 1;
    (void)snprintf(item->label, sizeof item->label, "%s", name);
    if (hone__reference_template_is(name))
        return enter_template(f, r, name, item, err);
    if (!problem->device->kind->has_vendors) {
        set_out(item, HONE_OUTCOME_CONSTRAINT, "it is for GPUs");
        return HONE_OK;
    }
    status = hone__baseline_open(name, problem->tmpl->op, &problem->resolved,
                                 problem->device->driver, &r->vendor, err);
    if (status == HONE_OK) {
        (void)snprintf(item->label, sizeof item->label, "%.90s",
                       r->vendor->label);
        status = choose_algorithm(f, r->vendor, item, err);
    }
    if (status == HONE_OK && r->vendor->kind->computes)
        return judge_baseline(f, r, item, err);
    return hone__final_failed(status, item, err);
}

/* ---- enter: any ---------------------------------------------------------- */

hone_status hone__final_enter(void *user, int i, hone_finalist *item,
                              hone_error *err)
{
    hone_final_state *f = user;
    const int baseline = i - f->request.n_entries;

    return baseline < 0
               ? enter_variant(f, i, item, err)
               : enter_baseline(f, &f->runners[i],
                                f->problem->tmpl->baselines[baseline].name,
                                item, err);
}
