/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a verification on the cpu device: see verdict.h. */
#include "tuner/cpu/cpu_worker.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is judged. */
typedef struct judged {
    hone_cpu_problem *problem;
    hone_subject subject;
    const hone_cpu_block *blocks;
    size_t n_blocks;
} judged;

static int compares(void *user, int pass)
{
    const judged *j = user;

    for (size_t i = 0; i < j->problem->n_checks; ++i) {
        if (j->problem->checks[i].count[pass])
            return 1;
    }
    return 0;
}

static hone_status launch(void *user, int pass, hone_verdict *out,
                          hone_error *err)
{
    const judged *j = user;
    void *pointers[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];
    hone_error found = {.status = HONE_OK};
    hone_status status;

    hone__cpu_problem_prepare(j->problem, pass, pointers, args);
    status = j->subject.enqueue(j->subject.user, args, NULL, &found);
    if (status == HONE_ERR_KERNEL) {
        hone__verdict_set_wrong(out, found.text);
        return HONE_OK;
    }
    if (status != HONE_OK && err)
        *err = found;
    return status;
}

static void judge(const hone_watch *what, const hone_cpu_block *block, int pass,
                  hone_damage *worst, char *text, size_t size)
{
    const hone_watch_state state = hone__cpu_block_state(block);
    char sentence[256];
    const hone_damage found =
        hone__watch_judge(what, &state, pass, sentence, sizeof sentence);

    if (found <= *worst)
        return;
    *worst = found;
    (void)snprintf(text, size, "%s", sentence);
}

static hone_status audit(void *user, int pass, int all, hone_damage *out,
                         char *text, size_t size, hone_error *err)
{
    const judged *j = user;

    (void)err;
    *out = HONE_DAMAGE_NONE;
    for (size_t i = 0; i < j->problem->n_watched; ++i) {
        const hone_cpu_watched *w = &j->problem->watched[i];

        if (all || hone__watch_is_own(&w->what, pass))
            judge(&w->what, w->block, pass, out, text, size);
    }
    for (size_t i = 0; i < j->n_blocks; ++i) {
        const hone_watch what = {.kind = HONE_WATCH_WORKSPACE, .index = (int)i};

        if (j->blocks[i].base)
            judge(&what, &j->blocks[i], pass, out, text, size);
    }
    return HONE_OK;
}

static hone_status restore(void *user, int *out_restored, hone_error *err)
{
    const judged *j = user;
    judged rest = {j->problem, j->subject, NULL, 0};
    hone_damage left;
    char text[256];

    hone__cpu_problem_restore(j->problem);
    HONE_TRY(audit(&rest, HONE_PASS_REALS, 1, &left, text, sizeof text, err));
    *out_restored = left == HONE_DAMAGE_NONE;
    return HONE_OK;
}

/* One element: error over bound, infinity if it is wrong. */
static double ratio_at(const hone_cpu_check *check, int pass, int type,
                       int64_t i, double value, double u, double ulp)
{
    const double *wanted = (const double *)(void *)check->value[pass].data;
    const double *magnitude =
        (const double *)(void *)check->magnitude[pass].data;
    double want = wanted[i];
    double bound = 0;
    double error;

    if (pass == HONE_PASS_EXACT) { /* as the output's type holds it */
        uint64_t cell = 0;

        hone__element_store(type, &cell, 0, want);
        want = hone__element_load(type, &cell, 0);
    } else {
        bound = check->tolerance * u * magnitude[i] + ulp * fabs(want);
    }
    error = fabs(value - want);
    if (!(error <= bound)) /* also a NaN */
        return bound > 0 && error / bound > 1 ? error / bound : INFINITY;
    return bound > 0 ? error / bound : 0;
}

static hone_comparison compare_check(const hone_cpu_problem *problem,
                                     const hone_cpu_check *check, int pass)
{
    const hone_resolved_arg *arg = &problem->resolved.args[problem->output];
    const unsigned char *out = problem->work[problem->output].data;
    const int64_t *index = (const int64_t *)(void *)check->index[pass].data;
    const int type = hone__lane_type(arg->type);
    hone_comparison result = {0, 0, 0, 0};
    double u, ulp;

    hone__check_round_off(arg->type, &u, &ulp);
    for (int64_t i = 0; i < check->count[pass]; ++i) {
        const int64_t at = index ? index[i] : i;
        const double value = hone__element_load(type, out, at);
        const double ratio = ratio_at(check, pass, type, i, value, u, ulp);

        if (ratio > result.worst_ratio)
            result.worst_ratio = ratio;
        if (ratio <= 1)
            continue;
        if (!result.n_bad++)
            result.first_bad = (uint64_t)at;
        result.n_nan += isnan(value) != 0;
    }
    return result;
}

static hone_status compare(void *user, const hone_verify_run *run,
                           hone_verdict *out, hone_error *err)
{
    const judged *j = user;

    (void)err;
    for (size_t i = 0; i < j->problem->n_checks; ++i) {
        const hone_cpu_check *check = &j->problem->checks[i];
        hone_comparison result;

        if (!check->count[run->pass])
            continue;
        result = compare_check(j->problem, check, run->pass);
        hone__verdict_compared(out, check->name, run, &result,
                               check->count[run->pass]);
        if (out->outcome != HONE_OUTCOME_OK)
            break;
    }
    return HONE_OK;
}

static hone_verifier verifier_of(judged *j)
{
    return (hone_verifier){j, compares, launch, audit, compare, restore};
}

hone_status hone__cpu_verify(hone_cpu_problem *problem, hone_subject subject,
                             const hone_cpu_block *blocks, size_t n_blocks,
                             hone_verdict *out, hone_error *err)
{
    judged j = {problem, subject, blocks, n_blocks};
    const hone_verifier verifier = verifier_of(&j);

    return hone__verdict_first(&verifier, out, err);
}

hone_status hone__cpu_verify_again(hone_cpu_problem *problem,
                                   hone_subject subject,
                                   const hone_cpu_block *blocks,
                                   size_t n_blocks, int only_memory,
                                   hone_verdict *out, hone_error *err)
{
    judged j = {problem, subject, blocks, n_blocks};
    const hone_verifier verifier = verifier_of(&j);

    return only_memory ? hone__verdict_memory(&verifier, out, err)
                       : hone__verdict_again(&verifier, out, err);
}
