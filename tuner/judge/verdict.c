/* SPDX-License-Identifier: Apache-2.0 */
/* How a variant is judged: see verdict.h. */
#include "tuner/judge/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const hone_verify_run first_runs[] = {
    {HONE_PASS_EXACT, "integers"},
    {HONE_PASS_REALS, "reals"},
    {HONE_PASS_REALS, "reals, second run"}};
static const hone_verify_run late_runs[HONE_N_PASSES] = {
    {HONE_PASS_EXACT, "integers, after timing"},
    {HONE_PASS_REALS, "reals, after timing"}};

void hone__verdict_set_wrong(hone_verdict *verdict, const char *text)
{
    verdict->outcome = HONE_OUTCOME_WRONG;
    (void)snprintf(verdict->message, sizeof verdict->message, "%.310s", text);
}

/* What is said of elements that are wrong. */
static void explain(hone_verdict *verdict, const char *check,
                    const hone_verify_run *run, const hone_comparison *result,
                    int64_t count)
{
    const uint64_t n_numbers = result->n_bad - result->n_nan;
    const char *hint = "";
    char how[96] = "are NaN or were never written";
    char text[320];

    if (n_numbers && result->exact) {
        (void)snprintf(how, sizeof how, "differ from the exact result");
    } else if (n_numbers && result->n_unbounded >= n_numbers) {
        (void)snprintf(how, sizeof how,
                       "differ where the bound is 0 or no "
                       "number");
        hint = "; give one in the check, as abs(E) or by magnitude "
               "template.NAME";
    } else if (n_numbers) {
        (void)snprintf(how, sizeof how,
                       "are out of tolerance, the worst %.3g times the bound",
                       result->worst_ratio);
    }
    (void)snprintf(text, sizeof text,
                   "%llu of %lld elements %s (first: element %llu; %s, %s)%s",
                   (unsigned long long)result->n_bad, (long long)count, how,
                   (unsigned long long)result->first_bad, check, run->name,
                   hint);
    hone__verdict_set_wrong(verdict, text);
}

/* Nine of ten elements, and not by chance: the bound says nothing then. */
static int is_useless(const hone_comparison *result)
{
    return result->n_loose >= 16 && result->n_loose / 9 >= result->n_tight;
}

/* What is said of an array whose elements are right one by one. */
static void explain_whole(hone_verdict *verdict, const char *check,
                          const hone_verify_run *run,
                          const hone_comparison *result)
{
    char text[320];

    if (!(result->norm_ratio <= 1))
        (void)snprintf(text, sizeof text,
                       "the 2-norm of the error is %.3g times its bound (%s, "
                       "%s)",
                       result->norm_ratio, check, run->name);
    else if (is_useless(result))
        (void)snprintf(text, sizeof text,
                       "the bound is so large that zeros would pass at %llu "
                       "of %llu elements (%s, %s): lower the numbers of the "
                       "check, or add exact(E)",
                       (unsigned long long)result->n_loose,
                       (unsigned long long)(result->n_loose + result->n_tight),
                       check, run->name);
    else
        return;
    hone__verdict_set_wrong(verdict, text);
}

void hone__verdict_compared(hone_verdict *verdict, const char *check,
                            const hone_verify_run *run,
                            const hone_comparison *result, int64_t count)
{
    ++verdict->n_compared;
    if (!result->exact)
        verdict->error_ratio =
            fmax(verdict->error_ratio,
                 fmax(result->worst_ratio, result->norm_ratio));
    if (result->n_bad &&
        (result->exact || result->n_nan || result->n_unbounded))
        verdict->error_ratio = INFINITY;
    if (result->n_bad)
        explain(verdict, check, run, result, count);
    else
        explain_whole(verdict, check, run, result);
}

/* What was damaged decides, before what is wrong in the result: it may be the
 * reason of that. */
static hone_status check_memory(const hone_verifier *verifier, int pass,
                                int all, hone_verdict *out, hone_error *err)
{
    hone_damage damage = HONE_DAMAGE_NONE;
    char text[256] = "";

    HONE_TRY(verifier->audit(verifier->user, pass, all, &damage, text,
                             sizeof text, err));
    if (damage == HONE_DAMAGE_NONE)
        return HONE_OK;
    if (!out->damaged || damage == HONE_DAMAGE_NEIGHBOUR)
        hone__verdict_set_wrong(out, text);
    out->damaged = 1;
    out->leaving |= damage == HONE_DAMAGE_NEIGHBOUR;
    return HONE_OK;
}

static hone_status run_once(const hone_verifier *verifier,
                            const hone_verify_run *run, int all,
                            hone_verdict *out, hone_error *err)
{
    HONE_TRY(verifier->launch(verifier->user, run->pass, out, err));
    if (out->outcome != HONE_OUTCOME_OK)
        return HONE_OK;
    HONE_TRY(check_memory(verifier, run->pass, all, out, err));
    return out->outcome == HONE_OUTCOME_OK
               ? verifier->compare(verifier->user, run, out, err)
               : HONE_OK;
}

/* After the last run, which was in `pass`: look at everything, and put right
 * what can be. */
static hone_status finish(const hone_verifier *verifier, int pass,
                          hone_verdict *out, hone_error *err)
{
    int restored = 0;

    if (out->outcome == HONE_OUTCOME_FAULT) { /* nothing can be read */
        out->leaving = 1;
        return HONE_OK;
    }
    HONE_TRY(check_memory(verifier, pass, 1, out, err));
    if (!out->damaged || out->leaving)
        return HONE_OK;
    HONE_TRY(verifier->restore(verifier->user, &restored, err));
    out->leaving = !restored;
    return HONE_OK;
}

/* Two runs: more would cost slow variants more than timing them. */
static int is_wanted(const hone_verifier *verifier, size_t run)
{
    const int has_exact = verifier->compares(verifier->user, HONE_PASS_EXACT);

    return run == 1 || (run == 0) == (has_exact != 0);
}

hone_status hone__verdict_first(const hone_verifier *verifier,
                                hone_verdict *out, hone_error *err)
{
    const size_t n_runs = sizeof first_runs / sizeof first_runs[0];
    int n_done = 0;
    int pass = HONE_PASS_REALS;

    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < n_runs && out->outcome == HONE_OUTCOME_OK; ++i) {
        if (!is_wanted(verifier, i))
            continue;
        pass = first_runs[i].pass;
        /* The last one looks at everything, which costs as much as reading
         * it. */
        HONE_TRY(run_once(verifier, &first_runs[i], n_done++ > 0, out, err));
    }
    return out->outcome == HONE_OUTCOME_OK ? HONE_OK
                                           : finish(verifier, pass, out, err);
}

hone_status hone__verdict_again(const hone_verifier *verifier,
                                hone_verdict *out, hone_error *err)
{
    const int pass = verifier->compares(verifier->user, HONE_PASS_EXACT)
                         ? HONE_PASS_EXACT
                         : HONE_PASS_REALS;

    memset(out, 0, sizeof *out);
    HONE_TRY(run_once(verifier, &late_runs[pass], 0, out, err));
    return finish(verifier, HONE_RUN_TIMED, out, err);
}

hone_status hone__verdict_memory(const hone_verifier *verifier,
                                 hone_verdict *out, hone_error *err)
{
    memset(out, 0, sizeof *out);
    return finish(verifier, HONE_RUN_TIMED, out, err);
}
