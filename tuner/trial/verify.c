/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a verification: see verify.h. */
#include "tuner/trial/verify.h"
#include "tuner/device/machine_fault.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is judged. */
typedef struct judged {
    hone_problem *problem;
    hone_subject subject;
} judged;

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
            : number[HONE_BOUND_ABSOLUTE] + hone__check_least(type)};
}

/* Launch the comparison and read what it found. */
static hone_status compare_on_device(hone_problem *problem,
                                     const hone_check *check, int pass,
                                     hone_wrong_rule rule,
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
    void *params[] = {&type,          &out,   &index,          &value,
                      &magnitude,     &n,     &rule.tolerance, &rule.relative,
                      &rule.absolute, &exact, &device->scratch};

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
    hone_comparison out = {.found = *found};
    float ratio;

    memcpy(&ratio, &found->worst_ratio, sizeof ratio);
    out.worst_ratio = (double)ratio;
    out.exact =
        pass == HONE_PASS_EXACT ||
        (hone__type_is_integer(type) && !b->given[HONE_BOUND_ABSOLUTE] &&
         !b->given[HONE_BOUND_RELATIVE] && !b->given[HONE_BOUND_NORM]);
    if (!out.exact && b->given[HONE_BOUND_NORM])
        out.norm_ratio = norm_ratio(check, type, found);
    /* Bit for bit on integers, it is judged all the same. */
    if (out.exact || b->number[HONE_BOUND_EXACT] > 0)
        out.found.n_loose = out.found.n_tight = 0;
    else if (b->given[HONE_BOUND_NORM] &&
             norm_ratio(check, type,
                        &(hone_compared){.error2 = found->value2,
                                         .magnitude2 = found->magnitude2,
                                         .value2 = found->value2}) > 1)
        out.found.n_tight += found->n_loose; /* zeros would not pass */
    return out;
}

/* Every check of the pass, until one fails; `tells`: with the elements that are
 * wrong. */
static hone_status compare(const judged *j, const hone_verify_run *run,
                           int tells, hone_verdict *out, hone_error *err)
{
    for (size_t i = 0; i < j->problem->n_checks; ++i) {
        const hone_check *check = &j->problem->checks[i];
        const int64_t count = check->expected[run->pass].count;
        const hone_wrong_rule rule =
            bound_of(check, j->problem->resolved.args[check->output].type);
        hone_compared found;
        hone_comparison result;

        if (!count)
            continue;
        HONE_TRY(
            compare_on_device(j->problem, check, run->pass, rule, &found, err));
        result = summary(j->problem, check, run->pass, &found);
        hone__verdict_compared(out, check->label, run, &result, count);
        if (out->outcome != HONE_OUTCOME_OK)
            return tells ? hone__wrong_values(j->problem, check, run, &rule,
                                              (int64_t)found.n_bad, out, err)
                         : HONE_OK;
    }
    return HONE_OK;
}

/* ---- runs ---------------------------------------------------------------- */

/* What shared memory holds before a run. NaN shows in sums and products, also
 * in those with 0; a kernel that takes the largest or the least of several
 * ignores it, and has a number that is larger, or less, than all of its own. */
#define LEFT_NAN 0xffffffffu
#define LEFT_LARGE 0x7f7f7f7fu
#define LEFT_SMALL 0xff7f7f7fu

/* Fresh arguments with poisoned outputs, one execution. */
static hone_status launch(const judged *j, const hone_verify_run *run,
                          hone_verdict *out, hone_error *err)
{
    hone_problem *problem = j->problem;
    hone_cu_ptr pointers[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];
    hone_error found = {.status = HONE_OK};
    hone_stopwatch watch;
    hone_status status;

    HONE_TRY(hone__problem_prepare(problem, (hone_pass_data)run->pass, pointers,
                                   args, err));
    HONE_TRY(hone__device_poison(problem->device, run->left, err));
    HONE_TRY(hone__stopwatch_open(problem->device, &watch, err));
    hone__fault_place_watch(problem, run->pass, &j->subject);
    status = hone__stopwatch_start(&watch, &found);
    if (status == HONE_OK)
        status = j->subject.enqueue(j->subject.user, args,
                                    problem->device->stream, &found);
    if (status == HONE_OK)
        status = hone__stopwatch_stop(&watch, &out->run_ns, &found);
    hone__fault_place_watch(NULL, 0, NULL);
    hone__stopwatch_close(&watch);
    if (status != HONE_OK && hone__machine_fault(&found)) {
        if (err)
            *err = found;
        return status;
    }
    if (status != HONE_OK) {
        out->outcome = hone__outcome_of(&found);
        (void)snprintf(out->message, sizeof out->message, "%.300s", found.text);
    }
    return HONE_OK;
}

/* What was damaged decides, before what is wrong in the result: it may be the
 * reason of that. */
static hone_status check_memory(const judged *j, int pass, int all,
                                hone_verdict *out, hone_error *err)
{
    hone_damage damage = HONE_DAMAGE_NONE;
    char text[HONE_DAMAGE_TEXT] = "";

    HONE_TRY(hone__problem_audit(j->problem, pass, all, &j->subject, &damage,
                                 text, err));
    if (damage == HONE_DAMAGE_NONE)
        return HONE_OK;
    if (!out->damaged || damage == HONE_DAMAGE_NEIGHBOUR)
        hone__verdict_set_wrong(out, text);
    out->damaged = 1;
    out->leaving |= damage == HONE_DAMAGE_NEIGHBOUR;
    return HONE_OK;
}

/* What a run wrote into pageable memory is compared where the device sees it;
 * looking at the guards (check_memory) does that, too. */
static hone_status take_results(const judged *j, hone_error *err)
{
    const hone_problem *problem = j->problem;

    for (size_t i = 0; i < problem->resolved.n_args; ++i)
        if (hone__arg_is_written(&problem->resolved.args[i]))
            HONE_TRY(
                hone__block_return(problem->device, &problem->work[i], err));
    return HONE_OK;
}

/* What is slower is not run again: its time may be over. */
static const double most_again_ns = 2e8;

/* Is it wrong each time? Threads that race are not, nor is memory that fails
 * once. */
static hone_status run_again(const judged *j, const hone_verify_run *run,
                             hone_verdict *out, hone_error *err)
{
    enum { MORE = 2 };
    int n_right = 0;

    for (int i = 0; i < MORE && out->run_ns <= most_again_ns; ++i) {
        hone_verdict again = {.outcome = HONE_OUTCOME_OK};

        HONE_TRY(launch(j, run, &again, err));
        if (again.outcome == HONE_OUTCOME_OK)
            HONE_TRY(take_results(j, err));
        if (again.outcome == HONE_OUTCOME_OK)
            HONE_TRY(compare(j, run, 0, &again, err));
        if (again.outcome == HONE_OUTCOME_FAULT) {
            out->outcome = again.outcome;
            memcpy(out->message, again.message, sizeof out->message);
            return HONE_OK;
        }
        n_right += again.outcome == HONE_OUTCOME_OK;
    }
    if (n_right)
        hone__verdict_set_unstable(out, n_right, 1 + MORE);
    return HONE_OK;
}

static hone_status run_once(const judged *j, const hone_verify_run *run,
                            int all, hone_verdict *out, hone_error *err)
{
    HONE_TRY(launch(j, run, out, err));
    if (out->outcome != HONE_OUTCOME_OK)
        return HONE_OK;
    HONE_TRY(check_memory(j, run->pass, all, out, err));
    if (out->outcome != HONE_OUTCOME_OK)
        return HONE_OK;
    HONE_TRY(compare(j, run, 1, out, err));
    return out->outcome == HONE_OUTCOME_OK ? HONE_OK
                                           : run_again(j, run, out, err);
}

/* What it damaged is put right again. Does it so each time? An input that lost
 * a bit looks like one that was written. */
static hone_status damage_again(const judged *j, const hone_verify_run *run,
                                hone_verdict *out, hone_error *err)
{
    hone_verdict again = {.outcome = HONE_OUTCOME_OK};
    int restored = 1;

    HONE_TRY(launch(j, run, &again, err));
    if (again.outcome == HONE_OUTCOME_FAULT) {
        out->outcome = again.outcome;
        out->leaving = 1;
        return HONE_OK;
    }
    HONE_TRY(check_memory(j, run->pass, 1, &again, err));
    if (!again.damaged) {
        hone__verdict_set_unstable(out, 1, 2);
        return HONE_OK;
    }
    if (!again.leaving)
        HONE_TRY(
            hone__problem_restore(j->problem, &j->subject, &restored, err));
    out->leaving = again.leaving || !restored;
    return HONE_OK;
}

/* After the last run, `run`, or NULL after timed ones: look at everything, and
 * put right what can be. */
static hone_status finish(const judged *j, const hone_verify_run *run,
                          hone_verdict *out, hone_error *err)
{
    const int pass = run ? run->pass : HONE_RUN_TIMED;
    int restored = 0;

    if (out->outcome == HONE_OUTCOME_FAULT) { /* nothing can be read */
        out->leaving = 1;
        return HONE_OK;
    }
    HONE_TRY(check_memory(j, pass, 1, out, err));
    if (!out->damaged || out->leaving)
        return HONE_OK;
    HONE_TRY(hone__problem_restore(j->problem, &j->subject, &restored, err));
    out->leaving = !restored;
    return restored && run && out->run_ns <= most_again_ns
               ? damage_again(j, run, out, err)
               : HONE_OK;
}

/* Two runs: more would cost slow variants more than timing them. */
static hone_status verify_first(const judged *j, int has_exact,
                                hone_verdict *out, hone_error *err)
{
    static const hone_verify_run runs[] = {
        {HONE_PASS_EXACT, "integers", LEFT_NAN},
        {HONE_PASS_REALS, "reals", LEFT_LARGE},
        {HONE_PASS_REALS, "reals, second run", LEFT_NAN}};
    const hone_verify_run *run = has_exact ? runs : runs + 1;

    HONE_TRY(run_once(j, run, 0, out, err));
    /* The last one looks at everything, which costs as much as reading it. */
    if (out->outcome == HONE_OUTCOME_OK)
        HONE_TRY(run_once(j, ++run, 1, out, err));
    return out->outcome == HONE_OUTCOME_OK ? HONE_OK : finish(j, run, out, err);
}

hone_status hone__verify(hone_problem *problem, hone_subject subject,
                         hone_verification which, hone_verdict *out,
                         hone_error *err)
{
    static const hone_verify_run late_runs[HONE_N_PASSES] = {
        {HONE_PASS_EXACT, "integers, after timing", LEFT_SMALL},
        {HONE_PASS_REALS, "reals, after timing", LEFT_SMALL}};
    const judged j = {problem, subject};
    int has_exact = 0;

    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < problem->n_checks; ++i)
        has_exact |= problem->checks[i].expected[HONE_PASS_EXACT].count != 0;
    if (which == HONE_VERIFY_FIRST)
        return verify_first(&j, has_exact, out, err);
    if (which == HONE_VERIFY_AGAIN)
        HONE_TRY(run_once(
            &j, &late_runs[has_exact ? HONE_PASS_EXACT : HONE_PASS_REALS], 0,
            out, err));
    return finish(&j, NULL, out, err);
}
