/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a verification on a device: see verify.h and verdict.h. */
#include "tuner/trial/verify.h"

#include "tuner/trial/fault_place.h"
#include "tuner/trial/wrong_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is judged. */
typedef struct judged {
    hone_problem *problem;
    hone_subject subject;
    const hone_block *blocks;
    size_t n_blocks;
} judged;

static int compares(void *user, int pass)
{
    const judged *j = user;

    for (size_t i = 0; i < j->problem->n_checks; ++i) {
        if (j->problem->checks[i].expected[pass].count)
            return 1;
    }
    return 0;
}

static hone_status launch(void *user, int pass, hone_verdict *out,
                          hone_error *err)
{
    const judged *j = user;
    hone_problem *problem = j->problem;
    hone_cu_ptr pointers[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];
    hone_error found = {.status = HONE_OK};
    hone_status status;

    hone_stopwatch watch;

    HONE_TRY(hone__problem_prepare(problem, (hone_pass_data)pass, pointers,
                                   args, err));
    HONE_TRY(hone__stopwatch_open(problem->device, &watch, err));
    hone__fault_place_watch(problem, pass, j->blocks, j->n_blocks);
    status = hone__stopwatch_start(&watch, &found);
    if (status == HONE_OK)
        status = j->subject.enqueue(j->subject.user, args,
                                    problem->device->stream, &found);
    if (status == HONE_OK)
        status = hone__stopwatch_stop(&watch, &out->run_ns, &found);
    hone__fault_place_watch(NULL, 0, NULL, 0);
    hone__stopwatch_close(&watch);
    if (status != HONE_OK) {
        out->outcome = hone__outcome_of(&found);
        (void)snprintf(out->message, sizeof out->message, "%.300s", found.text);
    }
    return HONE_OK;
}

static hone_status audit(void *user, int pass, int all, hone_damage *out,
                         char *text, size_t size, hone_error *err)
{
    const judged *j = user;

    return hone__problem_audit(j->problem, pass, all, j->blocks, j->n_blocks,
                               out, text, size, err);
}

static hone_status restore(void *user, int *out_restored, hone_error *err)
{
    const judged *j = user;

    return hone__problem_restore(j->problem, out_restored, err);
}

/* Where only the norm is bounded, an element may be anything but NaN. */
static hone_wrong_rule bound_of(const hone_check *check, hone_type type)
{
    const double *number = check->bounds.number;
    const int *given = check->bounds.given;
    double u, ulp;

    hone__check_round_off(type, &u, &ulp);
    return (hone_wrong_rule){
        u * number[HONE_BOUND_TOLERANCE], ulp + number[HONE_BOUND_RELATIVE],
        given[HONE_BOUND_NORM] && !given[HONE_BOUND_TOLERANCE] &&
                !given[HONE_BOUND_ABSOLUTE] && !given[HONE_BOUND_RELATIVE]
            ? INFINITY
            : number[HONE_BOUND_ABSOLUTE]};
}

/* Launch the comparison and read what it found. */
static hone_status compare_on_device(hone_problem *problem,
                                     const hone_check *check, int pass,
                                     hone_compared *result, hone_error *err)
{
    hone_device *device = problem->device;
    const hone_driver *driver = device->driver;
    const hone_expectation *e = &check->expected[pass];
    const hone_resolved_arg *arg = &problem->resolved.args[check->output];
    int type = hone__lane_type(arg->type);
    hone_cu_ptr out = problem->work[check->output].data;
    hone_cu_ptr index = e->index.data;
    hone_cu_ptr value = e->value.data;
    hone_cu_ptr magnitude = e->magnitude.data;
    int64_t n = e->count;
    int exact = pass == HONE_PASS_EXACT;
    hone_wrong_rule bound = bound_of(check, arg->type);
    void *params[] = {
        &type,           &out,   &index,           &value,
        &magnitude,      &n,     &bound.tolerance, &bound.relative,
        &bound.absolute, &exact, &device->scratch};

    _Static_assert(sizeof *result <= HONE_SCRATCH_BYTES, "it is read there");
    *result = (hone_compared){.first_bad = ~(uint64_t)0};
    HONE_TRY(hone__driver_check(
        driver, driver->copy_to_device(device->scratch, result, sizeof *result),
        "preparing a comparison", err));
    HONE_TRY(hone__device_run(device, device->kernel.compare, n, params,
                              "comparing results", err));
    HONE_TRY(hone__device_synchronize(device, "comparing results", err));
    return hone__driver_check(
        driver, driver->copy_to_host(result, device->scratch, sizeof *result),
        "reading a comparison", err);
}

/* The error's 2-norm over its bound. */
static double norm_ratio(const hone_check *check, hone_type type,
                         const hone_compared *found)
{
    const double error = sqrt(found->error2);
    double u, ulp, bound;

    hone__check_round_off(type, &u, &ulp);
    bound =
        check->bounds.number[HONE_BOUND_NORM] * u * sqrt(found->magnitude2) +
        ulp * sqrt(found->value2);
    return error <= 0 ? 0 : bound > 0 ? error / bound : INFINITY;
}

static hone_comparison summary(const hone_problem *problem,
                               const hone_check *check, int pass,
                               const hone_compared *found)
{
    const hone_type type = problem->resolved.args[check->output].type;
    const hone_bounds *b = &check->bounds;
    hone_comparison out = {.n_bad = found->n_bad,
                           .first_bad = found->first_bad,
                           .n_nan = found->n_nan,
                           .n_unbounded = found->n_unbounded};
    float ratio;

    memcpy(&ratio, &found->worst_ratio, sizeof ratio);
    out.worst_ratio = (double)ratio;
    out.exact =
        pass == HONE_PASS_EXACT ||
        (hone__type_is_integer(type) && !b->given[HONE_BOUND_ABSOLUTE] &&
         !b->given[HONE_BOUND_RELATIVE] && !b->given[HONE_BOUND_NORM]);
    if (out.exact)
        return out;
    if (b->given[HONE_BOUND_NORM])
        out.norm_ratio = norm_ratio(check, type, found);
    /* Bit for bit on integers, it is judged all the same. */
    if (b->number[HONE_BOUND_EXACT] > 0)
        return out;
    out.n_loose = found->n_loose;
    out.n_tight = found->n_tight;
    if (b->given[HONE_BOUND_NORM] &&
        norm_ratio(check, type,
                   &(hone_compared){.error2 = found->value2,
                                    .magnitude2 = found->magnitude2,
                                    .value2 = found->value2}) > 1)
        out.n_tight += found->n_loose; /* zeros would not pass */
    return out;
}

static hone_status compare(void *user, const hone_verify_run *run,
                           hone_verdict *out, hone_error *err)
{
    const judged *j = user;

    for (size_t i = 0; i < j->problem->n_checks; ++i) {
        const hone_check *check = &j->problem->checks[i];
        const int64_t count = check->expected[run->pass].count;
        hone_wrong_rule rule;
        hone_compared found;
        hone_comparison result;

        if (!count)
            continue;
        HONE_TRY(compare_on_device(j->problem, check, run->pass, &found, err));
        rule = bound_of(check, j->problem->resolved.args[check->output].type);
        result = summary(j->problem, check, run->pass, &found);
        hone__verdict_compared(out, check->label, run, &result, count);
        if (out->outcome != HONE_OUTCOME_OK)
            return hone__wrong_values(j->problem, check, run, &rule,
                                      (int64_t)result.n_bad, out, err);
    }
    return HONE_OK;
}

static hone_verifier verifier_of(judged *j)
{
    return (hone_verifier){j, compares, launch, audit, compare, restore};
}

hone_status hone__verify(hone_problem *problem, hone_subject subject,
                         const hone_block *blocks, size_t n_blocks,
                         hone_verdict *out, hone_error *err)
{
    judged j = {problem, subject, blocks, n_blocks};
    const hone_verifier verifier = verifier_of(&j);

    return hone__verdict_first(&verifier, out, err);
}

hone_status hone__verify_again(hone_problem *problem, hone_subject subject,
                               const hone_block *blocks, size_t n_blocks,
                               hone_verdict *out, hone_error *err)
{
    judged j = {problem, subject, blocks, n_blocks};
    const hone_verifier verifier = verifier_of(&j);

    return hone__verdict_again(&verifier, out, err);
}

hone_status hone__verify_memory(hone_problem *problem, const hone_block *blocks,
                                size_t n_blocks, hone_verdict *out,
                                hone_error *err)
{
    judged j = {problem, {NULL, NULL}, blocks, n_blocks};
    const hone_verifier verifier = verifier_of(&j);

    return hone__verdict_memory(&verifier, out, err);
}
