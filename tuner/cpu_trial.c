/* SPDX-License-Identifier: Apache-2.0 */
/* Verifying and timing one variant on the cpu device. */
#include "tuner/cpu_worker.h"

#include "runtime/hash.h"
#include "tuner/awkward.h"
#include "tuner/trial_race.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double most_seconds = 0.5; /* of timing per trial */

static const char *const pass_name[HONE_N_PASSES] = {"integers", "reals"};

static void set_wrong(hone_verdict *verdict, const char *text)
{
    verdict->outcome = HONE_OUTCOME_WRONG;
    (void)snprintf(verdict->message, sizeof verdict->message, "%.310s", text);
}

static void compare(hone_cpu_problem *problem, const hone_cpu_check *check,
                    int pass, hone_verdict *verdict)
{
    const hone_resolved_arg *arg = &problem->resolved.args[problem->output];
    const unsigned char *out = problem->work[problem->output].data;
    const int type = hone__lane_type(arg->type);
    const int exact = pass == HONE_PASS_EXACT;
    int64_t n_bad = 0;
    int64_t first = -1;
    double worst = 0;
    double u, ulp;

    hone__check_round_off(arg->type, &u, &ulp);
    for (int64_t i = 0; i < check->count[pass]; ++i) {
        const int64_t at = check->index[pass] ? check->index[pass][i] : i;
        const double value = hone__element_load(type, out, at);
        double want = check->value[pass][i];
        double bound = 0;
        double error;

        if (exact) {
            uint64_t cell = 0;

            hone__element_store(type, &cell, 0, want);
            want = hone__element_load(type, &cell, 0);
        } else {
            bound = check->tolerance * u * check->magnitude[pass][i] +
                    ulp * fabs(want);
        }
        error = fabs(value - want);
        if (error <= bound) {
            worst = bound > 0 && error / bound > worst ? error / bound : worst;
            continue;
        }
        worst = INFINITY;
        if (n_bad++ == 0)
            first = at;
    }
    ++verdict->n_compared;
    if (worst > verdict->error_ratio)
        verdict->error_ratio = worst;
    if (n_bad) {
        char text[256];

        (void)snprintf(text, sizeof text,
                       "%lld of %lld elements are wrong (first: element %lld; "
                       "%s, %s)",
                       (long long)n_bad, (long long)check->count[pass],
                       (long long)first, check->name, pass_name[pass]);
        set_wrong(verdict, text);
    }
}

static void check_memory(hone_cpu_problem *problem,
                         const hone_cpu_block *blocks, size_t n_blocks,
                         int pass, hone_verdict *verdict)
{
    char text[200] = "";

    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_resolved_arg *arg = &problem->resolved.args[i];
        const int is_in = arg->mode == HONE_ARG_IN;
        const hone_cpu_block *block =
            is_in ? &problem->pristine[pass][i] : &problem->work[i];
        const size_t damage = hone__cpu_block_damage(block);

        if (arg->mode == HONE_ARG_SCALAR)
            continue;
        if (damage)
            (void)snprintf(text, sizeof text,
                           "%zu bytes beside the array '%s' were written",
                           damage, arg->name);
        else if (is_in && hone__hash64(block->data, block->size_bytes) !=
                              problem->hash[pass][i])
            (void)snprintf(text, sizeof text,
                           "the input array '%s' was changed", arg->name);
    }
    for (size_t i = 0; i < n_blocks; ++i) {
        if (hone__cpu_block_damage(&blocks[i]))
            (void)snprintf(text, sizeof text,
                           "bytes beside workspace %zu were written", i);
    }
    if (text[0])
        set_wrong(verdict, text);
}

static int pass_is_wanted(const hone_cpu_problem *problem, int pass)
{
    for (size_t i = 0; i < problem->n_checks; ++i) {
        if (problem->checks[i].count[pass])
            return 1;
    }
    return pass == HONE_PASS_REALS; /* at least the memory is checked */
}

hone_status hone__cpu_verify(hone_cpu_problem *problem,
                             hone_subject subject,
                             const hone_cpu_block *blocks, size_t n_blocks,
                             hone_verdict *out, hone_error *err)
{
    memset(out, 0, sizeof *out);
    for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
        void *pointers[HONE_MAX_ARGS];
        void *args[HONE_MAX_ARGS];
        hone_status status;

        if (!pass_is_wanted(problem, pass))
            continue;
        hone__cpu_problem_prepare(problem, pass, pointers, args);
        status = subject.enqueue(subject.user, args, NULL, err);
        if (status == HONE_ERR_KERNEL) {
            set_wrong(out, err ? err->text : "the kernel reports an error");
            return HONE_OK;
        }
        if (status != HONE_OK)
            return status;
        check_memory(problem, blocks, n_blocks, pass, out);
        for (size_t i = 0;
             out->outcome == HONE_OUTCOME_OK && i < problem->n_checks; ++i) {
            if (problem->checks[i].count[pass])
                compare(problem, &problem->checks[i], pass, out);
        }
        if (out->outcome != HONE_OUTCOME_OK)
            return HONE_OK;
    }
    return HONE_OK;
}

hone_status hone__cpu_time(hone_cpu_problem *problem, hone_subject subject,
                           int n, double *out_ns, hone_error *err)
{
    void *pointers[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];

    hone__cpu_problem_prepare(problem, HONE_PASS_REALS, pointers, args);
    for (int i = -1; i < n; ++i) { /* the first warms up */
        const double start_s = hone__now_s();

        HONE_TRY(subject.enqueue(subject.user, args, NULL, err));
        if (i >= 0)
            out_ns[i] = 1e9 * (hone__now_s() - start_s);
    }
    return HONE_OK;
}

/* What a sample needs: the arguments stay as the first run left them. */
typedef struct timed {
    hone_subject subject;
    void *pointers[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];
} timed;

static hone_status take_sample(void *user, double *out_ns, hone_error *err)
{
    timed *t = user;
    const double start_s = hone__now_s();

    HONE_TRY(t->subject.enqueue(t->subject.user, t->args, NULL, err));
    *out_ns = 1e9 * (hone__now_s() - start_s);
    return HONE_OK;
}

static hone_status time_variant(hone_cpu_problem *problem,
                                hone_subject subject,
                                const hone_trial_job *job,
                                hone_trial_report *report, hone_error *err)
{
    timed t = {.subject = subject};
    const hone_sample_source source = {take_sample, NULL, &t,
                                       most_seconds, 1};
    double ignored;

    report->n_launches = 1;
    hone__cpu_problem_prepare(problem, HONE_PASS_REALS, t.pointers, t.args);
    HONE_TRY(take_sample(&t, &ignored, err)); /* to warm up */
    HONE_TRY(hone__trial_race(job, &source, report, err));
    hone__trial_check(&(hone_selfcheck){.time_ns = report->time_ns,
                                        .n_launches = 1},
                      report);
    return HONE_OK;
}

hone_status hone__cpu_trial_run(hone_cpu_problem *problem,
                                const hone_trial_job *job,
                                hone_trial_report *out, hone_error *err)
{
    const double start_s = hone__now_s();
    hone_verdict verdict;
    hone_cpu_variant variant;
    hone_subject subject;
    hone_status status;

    memset(out, 0, sizeof *out);
    out->id = job->id;
    out->sm_clock_mhz = -1;
    if (hone__cpu_variant_load(problem, job->launch_spec, job->cubin,
                               job->cubin_bytes, &variant, err) != HONE_OK) {
        out->outcome = hone__outcome_of(err);
        (void)snprintf(out->message, sizeof out->message, "%.300s",
                       err->text);
        return HONE_OK;
    }
    subject = hone__cpu_variant_subject(&variant);
    status = hone__cpu_verify(problem, subject, variant.workspaces,
                              variant.resolved.n_workspaces, &verdict, err);
    if (status == HONE_OK) {
        out->outcome = verdict.outcome;
        out->error_ratio = verdict.error_ratio;
        out->verified = verdict.n_compared > 0;
        memcpy(out->message, verdict.message, sizeof out->message);
    }
    if (status == HONE_OK && out->outcome == HONE_OUTCOME_OK)
        status = time_variant(problem, subject, job, out, err);
    hone__cpu_variant_unload(&variant);
    out->gpu_s = hone__now_s() - start_s;
    return status;
}

static hone_status verify_at(const hone_problem_setup *setup, int guarded,
                             const hone_trial_job *job, const int64_t *dims,
                             hone_verdict *out, hone_error *err)
{
    hone_cpu_problem problem;
    hone_cpu_variant variant;
    hone_problem_setup small = *setup;
    hone_status status;

    small.dims = dims;
    small.seed = setup->seed ^ 0x5deece66du; /* the second seed */
    small.launch_spec = job->launch_spec;
    status = hone__cpu_problem_open(&small, guarded, &problem, err);
    if (status == HONE_ERR_CONSTRAINT) { /* not valid there: nothing to do */
        hone__error_clear(err);
        return HONE_OK;
    }
    if (status != HONE_OK)
        return status;
    status = hone__cpu_variant_load(&problem, job->launch_spec, job->cubin,
                                    job->cubin_bytes, &variant, err);
    if (status == HONE_OK) {
        status = hone__cpu_verify(&problem,
                                  hone__cpu_variant_subject(&variant),
                                  variant.workspaces,
                                  variant.resolved.n_workspaces, out, err);
        hone__cpu_variant_unload(&variant);
    }
    hone__cpu_problem_close(&problem);
    return status;
}

hone_status hone__cpu_awkward(const hone_problem_setup *setup, int guarded,
                              const hone_trial_job *job, hone_verdict *out,
                              hone_error *err)
{
    int64_t dims[HONE_MAX_DIMS];

    memset(out, 0, sizeof *out);
    for (size_t row = 0; row < HONE_N_AWKWARD; ++row) {
        hone_verdict verdict = {.outcome = HONE_OUTCOME_OK};

        hone__awkward_dims(setup->tmpl, setup->dims, row, dims);
        HONE_TRY(verify_at(setup, guarded, job, dims, &verdict, err));
        out->n_compared += verdict.n_compared;
        if (verdict.error_ratio > out->error_ratio)
            out->error_ratio = verdict.error_ratio;
        if (verdict.outcome != HONE_OUTCOME_OK) {
            hone__awkward_say(setup->tmpl, dims, &verdict);
            *out = verdict;
            return HONE_OK;
        }
    }
    return HONE_OK;
}
