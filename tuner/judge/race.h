/* SPDX-License-Identifier: Apache-2.0 */
/* The race: runners timed in turns until their order is known, or is known
 * not to be. Pure: times come from a callback, so the rules are the same on
 * every device and can be tested with made-up runners.
 *
 * Rounds go in pairs, A B C .. C B A: a drift of the clock hits all runners
 * alike, and what counts is the ratio of two runners within a round. Every
 * pair draws its own order, so that nobody always runs behind the same
 * neighbour, whose heat and cache it would inherit. After every block of
 * rounds the interval of each ratio to the leader is looked at, and runners
 * that are clearly slower are left out of the rounds to come.
 *
 * The interval is that of the sign test (statistics.h). It holds for any
 * distribution, is the same each time it is computed, and errs on the wide
 * side, which pays for looking again after every block. Rejected: a bootstrap
 * of the median; over 8, 16 and 32 ratios of made-up noise its 95 % interval
 * held the truth in 91, 93 and 94 % of 4,000 runs, the sign test's in 99, 98
 * and 98 %.
 *
 * The A/A control is one runner entered a second time. Whatever it seems to
 * differ by is no difference: its interval is the noise floor of the race. */
#ifndef HONE_TUNER_RACE_H
#define HONE_TUNER_RACE_H

#include "runtime/base/error.h"

#include <stdint.h>

enum {
    HONE_RACE_RUNNERS = 44,
    HONE_RACE_BLOCK = 4,   /* rounds between two looks: two there, two back */
    HONE_RACE_LEAST = 8,   /* rounds of every runner */
    HONE_RACE_KEPT = 16,   /* rounds of a runner that is kept */
    HONE_RACE_ROUNDS = 32, /* at most, if the order is known then */
    HONE_RACE_MOST = 64,   /* at most, if it is not */
    HONE_RACE_INTERVAL = 6 /* rounds that a 95 % interval takes */
};

/* Runners within so much of the leader may count as equal to it. */
#define HONE_RACE_BAND 0.005
/* No difference counts below this, however quiet the machine: a kernel
 * differs by as much from one process to the next, where its code and its
 * workspaces lie elsewhere. */
#define HONE_RACE_LEAST_MARGIN 0.001
/* With more noise than this, or an interval so much to either side between
 * the two best, the machine is too noisy to decide. */
#define HONE_RACE_NOISE_LIMIT 0.02

/* Time runner `runner` once. An error ends the race. */
typedef hone_status hone_race_sample(void *user, int runner, double *out_ns,
                                     hone_error *err);

/* X(NAME, spelling). Spellings are in the database. */
#define HONE_VERDICT_MAP(X)                                                    \
    X(ONLY_ONE, "only_one")   /* nobody to compare with */                     \
    X(DECIDED, "decided")     /* all others are clearly slower */              \
    X(TIED, "tied")           /* some are not: the tie rule decides */         \
    X(TOO_NOISY, "too_noisy") /* as tied, but the noise could hide more */

typedef enum hone_race_verdict {
#define HONE_VERDICT_ENUM(name, spelling) HONE_RACE_##name,
    HONE_VERDICT_MAP(HONE_VERDICT_ENUM)
#undef HONE_VERDICT_ENUM
        HONE_N_VERDICTS
} hone_race_verdict;

const char *hone__race_verdict_name(hone_race_verdict verdict);

typedef struct hone_race_runner {
    /* given */
    int contends; /* may lead: 0 for baselines and the A/A control */
    int keep;     /* not dropped before HONE_RACE_KEPT rounds */
    /* found */
    int n_rounds;      /* it ran in: the first so many */
    int dropped_round; /* after which it was left out; 0: never, or kept */
    int resting;       /* it is left out of the rounds from now on */
    double ratio;      /* median of its time over the leader's; 0: unknown */
    double ratio_low;
    double ratio_high;
    double rounds_ns[HONE_RACE_MOST];
} hone_race_runner;

typedef struct hone_race {
    /* given */
    int n;       /* runners: first those that are expected to be fast */
    int control; /* -1: none. In no case left out, like its original. */
    int control_of;
    double deadline_s;     /* of now_s(); 0: none. Ends the race after the */
    double (*now_s)(void); /* round, but not before the second. */
    hone_race_sample *sample;
    void *user;
    /* found */
    int leader; /* fastest of those that contend; -1: none contends */
    int n_rounds;
    double noise_bias;  /* A/A control over original, less 1 */
    double noise_floor; /* most that the A/A control may differ by; -1: no A/A
                           control */
    double margin;      /* what a difference must exceed */
    int order[HONE_RACE_RUNNERS]; /* of the pair of rounds */
    uint64_t dice;                /* what the next order is drawn with */
    hone_race_verdict verdict;
    hone_race_runner runners[HONE_RACE_RUNNERS];
} hone_race;

/* Run it. Errors are those of the callback. */
hone_status hone__race_run(hone_race *race, hone_error *err);

/* Is the runner clearly slower than the leader? */
int hone__race_is_slower(const hone_race *race, int runner);
/* Is it one that the tie rule chooses from: the leader, and those whose
 * interval reaches 1 within the margin and whose ratio lies in the band? */
int hone__race_is_tied(const hone_race *race, int runner);

/* Median of a[i] / b[i] and its 95 % interval; n up to HONE_RACE_MOST. */
void hone__race_compare(const double *a_ns, const double *b_ns, int n,
                        double *out_ratio, double *out_low, double *out_high);

/* ---- the tie rule -------------------------------------------------------- */

/* The tie rule: which of several variants that no clock can tell apart wins.
 * It reads nothing that changes from run to run, so that independent tunings
 * of one problem agree. Of those that are tied (hone__race_is_tied()):
 *
 *   1. the fewest registers per thread, the most of its kernels counted,
 *   2. then the least shared memory per block, static and dynamic,
 *   3. then the configuration in which the fewest parameters differ from the
 *      template's default,
 *   4. then the first in the order of the space.
 *
 * 1 and 2 leave the most room for whatever runs beside it. What is not known
 * (-1) counts as more than anything known. */
typedef struct hone_tie_features {
    int64_t registers;    /* -1: unknown, like on the cpu device */
    int64_t shared_bytes; /* -1: unknown */
    int64_t n_changed;    /* parameters that are not the default's */
    int64_t index;        /* in the space */
} hone_tie_features;

/* The rules by number, 0: none. */
typedef enum hone_tie_rule {
    HONE_TIE_NONE,
    HONE_TIE_REGISTERS,
    HONE_TIE_SHARED,
    HONE_TIE_CHANGED,
    HONE_TIE_ORDER
} hone_tie_rule;

/* "fewest registers", .. */
const char *hone__tie_rule_name(hone_tie_rule rule);

/* Negative: `a` comes before `b`. `out_rule` is the rule that says so, NONE
 * if nothing does. */
int hone__tie_compare(const hone_tie_features *a, const hone_tie_features *b,
                      hone_tie_rule *out_rule);

/* The winner among `n` of them for which `is_tied` is not 0; -1: none.
 * `out_rule` is the rule that it needed against the one that came nearest:
 * NONE if it was alone. */
int hone__tie_choose(const hone_tie_features *features, const int *is_tied,
                     int n, hone_tie_rule *out_rule);

#endif
