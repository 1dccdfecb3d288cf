/* SPDX-License-Identifier: Apache-2.0 */
/* How a variant is judged, on every device: which runs, in which order what
 * is looked at, and the sentences. Devices bring the runs themselves. */
#ifndef HONE_TUNER_VERDICT_H
#define HONE_TUNER_VERDICT_H

#include "runtime/base/error.h"
#include "tuner/judge/outcome.h"
#include "tuner/judge/watch.h"
#include "tuner/judge/wrong.h"

typedef struct hone_verdict {
    hone_outcome outcome; /* ok, wrong, fault or launch */
    int n_compared;       /* checks that compared something; 0: only the
                             memory was checked */
    double error_ratio;   /* worst error over its bound, on the reals */
    char message[320];    /* what is wrong */
    int damaged; /* it wrote where it must not; that is put right again .. */
    int leaving; /* .. but not surely all of it: the process must end */
    hone_coverage coverage; /* of edge shapes */
    hone_wrong wrong;       /* elements, if they are to be shown */
    double run_ns; /* of the last run, launching it included; 0: unknown */
} hone_verdict;

/* One run of a verification. */
typedef struct hone_verify_run {
    int pass;         /* hone_pass_data */
    const char *name; /* in sentences */
} hone_verify_run;

/* How an output compares with what is expected. */
typedef struct hone_comparison {
    int exact; /* bit for bit: there are no bounds */
    uint64_t n_bad;
    uint64_t first_bad;
    uint64_t n_nan;       /* of the bad ones .. */
    uint64_t n_unbounded; /* .. and where the bound is 0 or no number */
    double worst_ratio;   /* error over its bound, where there is one */
    double norm_ratio;    /* of the whole array; 0: not bounded */
    /* Elements that are not 0 where zeros would pass, and where they would
     * not; 0 where that does not matter. */
    uint64_t n_loose;
    uint64_t n_tight;
} hone_comparison;

/* What a device does for it. Failures of the variant go to the verdict;
 * errors are failures of the tuner's own work. */
typedef struct hone_verifier {
    void *user;
    /* Whether any check compares in this pass. */
    int (*compares)(void *user, int pass);
    /* Fresh arguments with poisoned outputs, one execution. */
    hone_status (*launch)(void *user, int pass, hone_verdict *out,
                          hone_error *err);
    /* What was damaged: of the run's own, or of everything. */
    hone_status (*audit)(void *user, int pass, int all, hone_damage *out,
                         char *text, size_t size, hone_error *err);
    /* Every check of the pass, until one fails. */
    hone_status (*compare)(void *user, const hone_verify_run *run,
                           hone_verdict *out, hone_error *err);
    /* Put right what can be. */
    hone_status (*restore)(void *user, int *out_restored, hone_error *err);
} hone_verifier;

/* Before it is timed: integers and reals; where no check has integers, reals
 * twice. What one run leaves in a workspace, or in the kernel's own
 * variables, may so spoil the second. */
hone_status hone__verdict_first(const hone_verifier *verifier,
                                hone_verdict *out, hone_error *err);
/* After it was timed: one run. */
hone_status hone__verdict_again(const hone_verifier *verifier,
                                hone_verdict *out, hone_error *err);
/* After it was timed: only what must not change. */
hone_status hone__verdict_memory(const hone_verifier *verifier,
                                 hone_verdict *out, hone_error *err);

void hone__verdict_set_wrong(hone_verdict *verdict, const char *text);
/* Count a comparison of `count` elements in; outcome wrong if some are. */
void hone__verdict_compared(hone_verdict *verdict, const char *check,
                            const hone_verify_run *run,
                            const hone_comparison *result, int64_t count);

#endif
