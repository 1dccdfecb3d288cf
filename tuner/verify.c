/* SPDX-License-Identifier: Apache-2.0 */
/* Verification: see verify.h. */
#include "tuner/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* As in device_code.cu. */
typedef struct comparison {
    uint64_t n_bad;
    uint64_t first_bad;
    uint64_t n_nan;
    uint32_t worst_ratio;
    uint32_t unused;
} comparison;

/* One run of a verification. */
typedef struct trial_run {
    hone_pass_data pass;
    const char *name; /* in sentences */
} trial_run;

/* A second run on reals: what the first left in a workspace, or in the
 * kernel's own variables, may spoil it. */
static const trial_run first_runs[] = {{HONE_PASS_EXACT, "integers"},
                                       {HONE_PASS_REALS, "reals"},
                                       {HONE_PASS_REALS, "reals, second run"}};
static const trial_run late_runs[HONE_N_PASSES] = {
    {HONE_PASS_EXACT, "integers, after timing"},
    {HONE_PASS_REALS, "reals, after timing"}};

static void set_wrong(hone_verdict *verdict, const char *text)
{
    verdict->outcome = HONE_OUTCOME_WRONG;
    (void)snprintf(verdict->message, sizeof verdict->message, "%.310s", text);
}

static void explain(hone_verdict *verdict, const hone_check *check,
                    const trial_run *run, const comparison *result,
                    int64_t count)
{
    char text[320];
    float ratio;

    memcpy(&ratio, &result->worst_ratio, sizeof ratio);

    if (result->n_nan == result->n_bad)
        (void)snprintf(text, sizeof text,
                       "%llu of %lld elements are NaN or were never written "
                       "(first: element %llu; %s, %s)",
                       (unsigned long long)result->n_bad, (long long)count,
                       (unsigned long long)result->first_bad, check->name,
                       run->name);
    else if (run->pass == HONE_PASS_EXACT)
        (void)snprintf(text, sizeof text,
                       "%llu of %lld elements differ from the exact result "
                       "(first: element %llu; %s, %s)",
                       (unsigned long long)result->n_bad, (long long)count,
                       (unsigned long long)result->first_bad, check->name,
                       run->name);
    else
        (void)snprintf(text, sizeof text,
                       "%llu of %lld elements are out of tolerance, the worst "
                       "%.3g times the bound (first: element %llu; %s, %s)",
                       (unsigned long long)result->n_bad, (long long)count,
                       (double)ratio, (unsigned long long)result->first_bad,
                       check->name, run->name);
    set_wrong(verdict, text);
}

static hone_status compare(hone_problem *problem, const hone_check *check,
                           const trial_run *run, hone_verdict *verdict,
                           hone_error *err)
{
    hone_gpu *device = problem->device;
    const hone_expectation *e = &check->expected[run->pass];
    const hone_resolved_arg *arg = &problem->resolved.args[problem->output];
    int type = hone__lane_type(arg->type);
    hone_cu_ptr out = problem->work[problem->output].data;
    hone_cu_ptr index = e->index.data;
    hone_cu_ptr value = e->value.data;
    hone_cu_ptr magnitude = e->magnitude.data;
    int64_t n = e->count;
    int exact = run->pass == HONE_PASS_EXACT;
    comparison result = {0, ~(uint64_t)0, 0, 0, 0};
    double u, ulp;
    float ratio;

    hone__check_round_off(arg->type, &u, &ulp);
    {
        double tolerance = check->tolerance * u;
        void *params[] = {&type,      &out, &index,     &value, &magnitude,
                          &n,         &tolerance, &ulp, &exact,
                          &device->scratch};

        HONE_TRY(hone__cuda_check(
            device->cuda,
            device->cuda->copy_to_device(device->scratch, &result,
                                         sizeof result),
            "preparing a comparison", err));
        HONE_TRY(hone__device_run(device, device->kernel.compare, n, params,
                                  "comparing results", err));
    }
    HONE_TRY(hone__device_synchronize(device, "comparing results", err));
    HONE_TRY(hone__cuda_check(device->cuda,
                              device->cuda->copy_to_host(
                                  &result, device->scratch, sizeof result),
                              "reading a comparison", err));
    ++verdict->n_compared;
    memcpy(&ratio, &result.worst_ratio, sizeof ratio);
    if (!exact && (double)ratio > verdict->error_ratio)
        verdict->error_ratio = (double)ratio;
    if (result.n_bad) {
        if (exact)
            verdict->error_ratio = INFINITY;
        explain(verdict, check, run, &result, n);
    }
    return HONE_OK;
}

/* Launch once. Its failures are the verdict. */
static hone_status launch(hone_problem *problem, int pass,
                          hone_subject subject, hone_verdict *verdict,
                          hone_error *err)
{
    hone_cu_ptr pointers[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];
    hone_error found = {.status = HONE_OK};
    hone_status status;

    HONE_TRY(hone__problem_prepare(problem, (hone_pass_data)pass, pointers,
                                   args, err));
    status = subject.enqueue(subject.user, args, problem->device->stream,
                             &found);
    if (status == HONE_OK)
        status = hone__device_synchronize(problem->device,
                                          "running the kernel", &found);
    if (status != HONE_OK) {
        verdict->outcome = hone__outcome_of(&found);
        (void)snprintf(verdict->message, sizeof verdict->message, "%.300s",
                       found.text);
    }
    return HONE_OK;
}

/* What was damaged decides, before what is wrong in the result: it may be the
 * reason of that. */
static hone_status check_memory(hone_problem *problem, int pass, int all,
                                const hone_block *blocks, size_t n_blocks,
                                hone_verdict *verdict, hone_error *err)
{
    hone_damage damage = HONE_DAMAGE_NONE;
    char text[256];

    HONE_TRY(hone__problem_audit(problem, pass, all, blocks, n_blocks,
                                 &damage, text, sizeof text, err));
    if (damage == HONE_DAMAGE_NONE)
        return HONE_OK;
    if (!verdict->damaged || damage == HONE_DAMAGE_NEIGHBOUR)
        set_wrong(verdict, text);
    verdict->damaged = 1;
    verdict->leaving |= damage == HONE_DAMAGE_NEIGHBOUR;
    return HONE_OK;
}

static int pass_is_wanted(const hone_problem *problem, int pass)
{
    for (size_t i = 0; i < problem->n_checks; ++i) {
        if (problem->checks[i].expected[pass].count)
            return 1;
    }
    return pass == HONE_PASS_REALS; /* at least the memory is checked */
}

static hone_status run_once(hone_problem *problem, hone_subject subject,
                            const trial_run *run, const hone_block *blocks,
                            size_t n_blocks, hone_verdict *out,
                            hone_error *err)
{
    HONE_TRY(launch(problem, run->pass, subject, out, err));
    if (out->outcome != HONE_OUTCOME_OK)
        return HONE_OK;
    HONE_TRY(check_memory(problem, run->pass, 0, blocks, n_blocks, out,
                          err));
    for (size_t i = 0;
         out->outcome == HONE_OUTCOME_OK && i < problem->n_checks; ++i) {
        if (problem->checks[i].expected[run->pass].count)
            HONE_TRY(compare(problem, &problem->checks[i], run, out, err));
    }
    return HONE_OK;
}

/* After the last run, which was in `pass`: everything, and what can be put
 * right is. */
static hone_status finish(hone_problem *problem, int pass,
                          const hone_block *blocks, size_t n_blocks,
                          hone_verdict *out, hone_error *err)
{
    int restored = 0;

    if (out->outcome == HONE_OUTCOME_FAULT) { /* nothing can be read */
        out->leaving = 1;
        return HONE_OK;
    }
    HONE_TRY(check_memory(problem, pass, 1, blocks, n_blocks, out, err));
    if (!out->damaged || out->leaving)
        return HONE_OK;
    HONE_TRY(hone__problem_restore(problem, &restored, err));
    out->leaving = !restored;
    return HONE_OK;
}

hone_status hone__verify(hone_problem *problem, hone_subject subject,
                         const hone_block *blocks, size_t n_blocks,
                         hone_verdict *out, hone_error *err)
{
    int pass = HONE_PASS_REALS;

    memset(out, 0, sizeof *out);
    for (size_t i = 0; out->outcome == HONE_OUTCOME_OK &&
                       i < sizeof first_runs / sizeof first_runs[0];
         ++i) {
        if (!pass_is_wanted(problem, first_runs[i].pass))
            continue;
        pass = first_runs[i].pass;
        HONE_TRY(run_once(problem, subject, &first_runs[i], blocks, n_blocks,
                          out, err));
    }
    return finish(problem, pass, blocks, n_blocks, out, err);
}

hone_status hone__verify_again(hone_problem *problem, hone_subject subject,
                               const hone_block *blocks, size_t n_blocks,
                               hone_verdict *out, hone_error *err)
{
    const int pass = pass_is_wanted(problem, HONE_PASS_EXACT)
                         ? HONE_PASS_EXACT
                         : HONE_PASS_REALS;

    memset(out, 0, sizeof *out);
    HONE_TRY(run_once(problem, subject, &late_runs[pass], blocks, n_blocks,
                      out, err));
    return finish(problem, HONE_RUN_TIMED, blocks, n_blocks, out, err);
}

hone_status hone__verify_memory(hone_problem *problem,
                                const hone_block *blocks, size_t n_blocks,
                                hone_verdict *out, hone_error *err)
{
    memset(out, 0, sizeof *out);
    return finish(problem, HONE_RUN_TIMED, blocks, n_blocks, out, err);
}
